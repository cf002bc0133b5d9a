#include "kernels/wavefield.hpp"

#include <stdexcept>

#include "kernels/medium.hpp"

namespace onda {

const Problem& Wavefield::problem() const {
    return medium().setup();
}

void Wavefield::update(std::int64_t) {
    throw std::logic_error("a wavefield that applies its operator once");
}

}  // namespace onda
