#include "kernels/imaging/correlation.hpp"

#include <stdexcept>

namespace onda {

void check_image(CorrelationImage kind, bool illuminates) {
    if (kind != CorrelationImage::product && !illuminates)
        throw std::logic_error("an illumination that nobody asked for");
}

}  // namespace onda
