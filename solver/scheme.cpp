#include "solver/scheme.hpp"

namespace onda {

Scheme make_scheme(const Config& config) {
    if (config.scheme.stencil == "compact27") return make_scheme(WaveOperator::compact, 2);
    const auto coefficients =
        config.scheme.coefficients == "optimised" ? Coefficients::optimised : Coefficients::taylor;
    return make_scheme(WaveOperator::star, static_cast<int>(config.scheme.space_order), coefficients);
}

}  // namespace onda
