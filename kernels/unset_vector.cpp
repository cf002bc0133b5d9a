#include "kernels/unset_vector.hpp"

template class std::vector<char, onda::UnsetAllocator<char>>;
template class std::vector<float, onda::UnsetAllocator<float>>;
template class std::vector<double, onda::UnsetAllocator<double>>;
