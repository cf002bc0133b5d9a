#include "solver/discretisation/scheme.hpp"

#include "solver/model/density.hpp"

namespace onda {

Scheme make_scheme(const Config& config) {
    const bool density = has_density(config);
    if (config.scheme.stencil == "compact27") {
        if (density)
            throw_config_fault(config, "scheme.stencil",
                               "compact27 is for constant density: take star, or model.rho: none");
        return make_scheme(WaveOperator::compact, 2);
    }
    const auto coefficients =
        config.scheme.coefficients == "optimised" ? Coefficients::optimised : Coefficients::taylor;
    return make_scheme(density ? WaveOperator::variable_density : WaveOperator::star,
                       static_cast<int>(config.scheme.space_order), coefficients);
}

}  // namespace onda
