#include "kernels/boundaries/cpml.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/setup.hpp"

namespace onda {

Factor factor_of(const std::vector<double>& second_derivative) {
    const auto& c = second_derivative;
    const std::size_t r = c.size() - 1;
    // -d_xx is 4 sin^2(kh/2), the square of f(1) - f(0), times a positive polynomial with coefficients a_0 … a_(r-1):
    // c is the second difference of a.
    std::vector<double> a(r + 2, 0.);
    for (std::size_t k = r; k >= 1; --k) a[k - 1] = c[k] + 2. * a[k] - a[k + 1];
    // Row by row; the rows converge to the factor's coefficients, row[m] in column n - m.
    constexpr int rows = 200;
    std::vector<std::vector<double>> l(rows, std::vector<double>(r, 0.));
    for (std::size_t n = 0; n < rows; ++n)
        for (std::size_t m = std::min(n, r - 1) + 1; m-- > 0;) {
            double sum = a[m];
            for (std::size_t j = m + 1; j < r && j <= n; ++j) sum -= l[n][j] * l[n - m][j - m];
            l[n][m] = m == 0 ? std::sqrt(sum) : sum / l[n - m][0];
        }
    const std::vector<double>& g = l.back();
    Factor factor;
    for (std::size_t m = 0; m <= r; ++m) factor.weights.push_back((m == 0 ? 0. : g[m - 1]) - (m == r ? 0. : g[m]));
    for (std::size_t m = 0; m <= r; ++m) factor.offset += 0.5 * static_cast<double>(m * m) * factor.weights[m];
    return factor;
}

Factor factor_of(const Scheme& scheme) {
    return scheme.equation->factor->factor(scheme);
}

FactorKind factor_kind(const Scheme& scheme, int dimensions) {
    return scheme.equation->factor->kind(dimensions);
}

FactorReach factor_reach(const Scheme& scheme) {
    const FactorRow& row = *scheme.equation->factor;
    return {row.first(scheme.radius()), row.count(scheme.radius())};
}

template <typename T>
std::vector<T> cpml_weights(const Scheme& scheme, double spacing_m) {
    std::vector<T> weights;
    for (const double h : factor_of(scheme).weights) weights.push_back(static_cast<T>(h / spacing_m));
    return weights;
}

template <typename T>
std::array<T, 3> cpml_smoothing(const Scheme& scheme, int dimensions) {
    const auto& [centre, face, edge, corner] = scheme.compact;
    if (dimensions == 2) return {static_cast<T>(face + 2. * edge), static_cast<T>(edge + 2. * corner), T(0)};
    return {static_cast<T>(face), static_cast<T>(edge), static_cast<T>(corner)};
}

template <typename T>
std::vector<T> cpml_profile(const CpmlFace& face, std::int64_t length) {
    std::vector<T> profile;
    for (const std::vector<double>* part : {&face.a_psi, &face.b_psi, &face.a_zeta, &face.b_zeta}) {
        profile.insert(profile.end(), part->begin(), part->end());
        if (length > face.width())
            profile.resize(profile.size() + static_cast<std::size_t>(length - face.width()), T(0));
    }
    return profile;
}

bool Cpml::empty() const {
    return std::ranges::all_of(face, [](const CpmlFace& f) { return f.width() == 0; });
}

void Cpml::check(const Problem& problem) const {
    if (problem.scheme.equation->factor == nullptr && !empty())
        throw std::invalid_argument("CPML is not available for the equation " +
                                    std::string(onda::name(problem.scheme.equation)) + ": take a sponge");
    const Grid& grid = problem.grid;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::int64_t width = 0;
        for (const std::size_t i : {2 * axis, 2 * axis + 1}) {
            const CpmlFace& layer = face[i];
            width += layer.width();
            for (const auto* part : {&layer.b_zeta, &layer.a_psi, &layer.b_psi})
                if (static_cast<std::int64_t>(part->size()) != layer.width())
                    throw std::invalid_argument("the profiles of a perfectly matched layer need one length");
            if (layer.width() > 0 && problem.halos[i] != Halo::zero)
                throw std::invalid_argument("a face with a perfectly matched layer cannot be a mirror too");
        }
        const std::int64_t nodes = grid.has_axis(static_cast<int>(axis)) ? grid.n[axis] : 0;
        if (width > nodes)
            throw std::invalid_argument("the perfectly matched layers along " + std::string(1, "xyz"[axis]) + " need " +
                                        std::to_string(width) + " nodes; the grid has " + std::to_string(nodes));
    }
}

// A node of a layer moves twice what one of the sponge does: it has memory.
double Cpml::work(const Grid& grid) const {
    double nodes = 0.;
    for (std::size_t i = 0; i < face.size(); ++i)
        nodes += static_cast<double>(face[i].width()) / static_cast<double>(grid.n[i / 2]) *
                 static_cast<double>(grid.points());
    return 2. * nodes;
}

std::shared_ptr<const Strip> Cpml::resized(const std::array<std::int64_t, 3>& n) const {
    auto other = std::make_shared<Cpml>(*this);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        CpmlFace &low = other->face[2 * axis], &high = other->face[2 * axis + 1];
        if (low.width() + high.width() <= n[axis]) continue;
        for (CpmlFace* layer : {&low, &high})
            for (auto* part : {&layer->a_zeta, &layer->b_zeta, &layer->a_psi, &layer->b_psi})
                part->resize(static_cast<std::size_t>(std::min<std::int64_t>(std::ssize(*part), n[axis] / 2)));
    }
    return other;
}

std::shared_ptr<const Strip> Cpml::of_planes(std::int64_t first, std::int64_t planes, std::int64_t all) const {
    auto part = std::make_shared<Cpml>(*this);
    if (first > 0) part->face[4] = {};
    if (first + planes < all) part->face[5] = {};
    return part;
}

// The stretched operator is -k (1 + Z) D* b (1 + Psi) D along each axis, Z the filter of zeta: divided by k (1 + Z) of
// all axes it is symmetric, for Z depends on the place along its own axis alone.
void Cpml::filter_source(const Grid& grid, const std::array<std::int64_t, 3>& node, NodeFilter& filter) const {
    for (std::size_t i = 0; i < face.size(); ++i) {
        const std::size_t axis = i / 2;
        const std::int64_t to_face = i % 2 == 0 ? node[axis] : grid.n[axis] - 1 - node[axis];
        const std::int64_t value = face[i].width() - 1 - to_face;
        if (value < 0) continue;
        const auto at = static_cast<std::size_t>(value);
        filter.memory[axis] = {face[i].a_zeta[at], face[i].b_zeta[at]};
    }
}

// With variable density value t of psi lies between nodes t and t + 1 of a strip that is walked towards its face.
std::array<double, 2> Cpml::filter_of_flux(const Grid& grid, int axis, std::int64_t lower) const {
    const auto a = static_cast<std::size_t>(axis);
    const CpmlFace &low = face[2 * a], &high = face[2 * a + 1];
    const auto at = [](const CpmlFace& layer, std::int64_t value) {
        const auto t = static_cast<std::size_t>(value);
        return std::array{layer.a_psi[t], layer.b_psi[t]};
    };
    if (lower >= 0 && lower < low.width()) return at(low, low.width() - 1 - lower);
    const std::int64_t value = lower - node_before_strip(grid.n[a], static_cast<int>(high.width()), true);
    return value >= 0 && value < high.width() ? at(high, value) : std::array<double, 2>{};
}

// D* takes memory variables as far as the operator reaches.
std::int64_t Cpml::reach(const Problem& problem, int of_face) const {
    const std::int64_t width = face[static_cast<std::size_t>(of_face)].width();
    return width == 0 ? 0 : width + problem.scheme.radius();
}

std::int64_t Cpml::fewest_planes(const Problem& problem, int of_face) const {
    const std::int64_t width = face[static_cast<std::size_t>(of_face)].width();
    return width == 0 ? 0 : width + 2 * problem.scheme.radius() + 1;
}

template std::vector<float> cpml_weights(const Scheme&, double);
template std::vector<double> cpml_weights(const Scheme&, double);
template std::array<float, 3> cpml_smoothing(const Scheme&, int);
template std::array<double, 3> cpml_smoothing(const Scheme&, int);
template std::vector<float> cpml_profile(const CpmlFace&, std::int64_t);
template std::vector<double> cpml_profile(const CpmlFace&, std::int64_t);

}  // namespace onda
