#include "kernels/imaging/correlation.hpp"

#include <stdexcept>

namespace onda {

void check_sum(LevelSum sum, bool illuminates) {
    if (sum != LevelSum::products && !illuminates) throw std::logic_error("an illumination that nobody asked for");
}

}  // namespace onda
