#include "kernels/cuda/strips/cpml.hpp"

namespace onda {

const cuda::StripRow* Cpml::on_cuda() const {
    static constexpr cuda::StripRow row = cuda::strip_row<Cpml, cuda::CpmlLayers>();
    return &row;
}

}  // namespace onda
