#include "kernels/setup.hpp"

#include "kernels/equations/star/stencil.hpp"

namespace onda {
namespace {

void check_applications(const Problem& problem) {
    const Scheme& scheme = problem.scheme;
    const bool leaps = problem.stepping == Stepping::leap;
    if (scheme.time_order != 2 && scheme.time_order != 4)
        throw std::invalid_argument("order " + std::to_string(scheme.time_order) + " in time: it must be 2 or 4");
    if (leaps && scheme.time_order == 4)
        throw std::invalid_argument("leap steps are not available with order 4 in time: take single ones");
    if (problem.keeps_applied && scheme.time_order != 4)
        throw std::invalid_argument("A p of a step of order 2 in time: it is kept with order 4 alone");
    if (problem.applications() == Applications::once) return;
    const std::string what = leaps ? "leap steps are" : "order 4 in time is",
                      instead = leaps ? ": take single ones" : ": take order 2";
    if (scheme.equation != Equation::star)
        throw std::invalid_argument(what + " not available for the equation " +
                                    std::string(onda::name(scheme.equation)) + instead);
    for (const Halo halo : problem.halos)
        if (halo == Halo::neighbour) throw std::invalid_argument(what + " not available for slabs" + instead);
}

}  // namespace

std::string described_applications(const Problem& problem) {
    if (problem.scheme.time_order == 4) return " with order 4 in time";
    return problem.stepping == Stepping::leap ? " with leap steps" : "";
}

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
    check_applications(problem);
}

}  // namespace onda
