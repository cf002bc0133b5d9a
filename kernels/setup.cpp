#include "kernels/setup.hpp"

#include "kernels/equations/star/stencil.hpp"

namespace onda {

void check_problem(const Problem& problem) {
    const Scheme& scheme = problem.scheme;
    if (static_cast<int>(scheme.weights.size()) != scheme.radius() + 1 || scheme.space_order < 2 ||
        scheme.space_order > kMaxSpaceOrder)
        throw std::invalid_argument("space order " + std::to_string(scheme.space_order) + " with " +
                                    std::to_string(scheme.weights.size()) + " weights: the order must be even, 2 to " +
                                    std::to_string(kMaxSpaceOrder) + ", with order / 2 + 1 weights");
    const auto& h = problem.grid.spacing_m;
    if (scheme.equation->equal_spacings && (h[0] != h[2] || (problem.grid.dimensions == 3 && h[0] != h[1])))
        throw std::invalid_argument("the compact stencil needs the same spacing along every axis");
    for (const std::int64_t n : problem.grid.n)
        if (n < 1) throw std::invalid_argument("a grid needs at least one node along every axis");
    for (const auto& strip : problem.strips) strip->check(problem);
    if (problem.medium.storage != Storage::full &&
        (scheme.equation != Equation::star || problem.precision != Precision::float32))
        throw std::invalid_argument(
            "codes of k are there for the star operator at constant density, in single precision");
    if (problem.stepping == Stepping::single) return;
    if (scheme.equation != Equation::star)
        throw std::invalid_argument("leap steps are not available for the equation " +
                                    std::string(onda::name(scheme.equation)) + ": take single ones");
    for (const Halo halo : problem.halos)
        if (halo == Halo::neighbour)
            throw std::invalid_argument("leap steps are not available for slabs: take single ones");
}

}  // namespace onda
