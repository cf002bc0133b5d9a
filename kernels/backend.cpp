#include "kernels/backend.hpp"

#include "kernels/equations/star/stencil.hpp"

namespace onda {

void check_scheme(const BackendSetup& setup) {
    const Scheme& scheme = setup.scheme;
    if (static_cast<int>(scheme.weights.size()) != scheme.radius() + 1 || scheme.space_order < 2 ||
        scheme.space_order > kMaxSpaceOrder)
        throw std::invalid_argument("space order " + std::to_string(scheme.space_order) + " with " +
                                    std::to_string(scheme.weights.size()) + " weights: the order must be even, 2 to " +
                                    std::to_string(kMaxSpaceOrder) + ", with order / 2 + 1 weights");
    const auto& h = setup.grid.spacing_m;
    if (scheme.wave_operator == WaveOperator::compact && (h[0] != h[2] || (setup.grid.dimensions == 3 && h[0] != h[1])))
        throw std::invalid_argument("the compact stencil needs the same spacing along every axis");
    for (const std::int64_t n : setup.grid.n)
        if (n < 1) throw std::invalid_argument("a grid needs at least one node along every axis");
    check_cpml(setup.cpml, setup.grid, setup.halos);
}

void check_model(const BackendSetup& setup, bool has_density) {
    const bool needs_density = setup.scheme.has_density();
    if (has_density != needs_density)
        throw std::invalid_argument(needs_density ? "the wave operator of variable density needs a density"
                                                  : "the wave operator of constant density takes no density");
}

void Backend::advance(std::int64_t first, std::int64_t count) {
    for (std::int64_t n = first; n < first + count; ++n) {
        fill_halos();
        step();
        absorb();
        inject(n);
        swap();
        record(n + 1);
    }
}

}  // namespace onda
