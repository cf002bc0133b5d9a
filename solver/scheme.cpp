#include "solver/scheme.hpp"

namespace onda {

Scheme make_scheme(const Config& config) {
    return make_scheme(WaveOperator::star, static_cast<int>(config.scheme.space_order));
}

}  // namespace onda
