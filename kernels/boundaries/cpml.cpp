#include "kernels/boundaries/cpml.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

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

Grid strip_grid(const Grid& grid, int face, std::int64_t width) {
    Grid strip = grid;
    strip.n[static_cast<std::size_t>(face / 2)] = width;
    return strip;
}

void check_cpml(const Cpml& cpml, const Grid& grid, const FaceHalos& halos) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::int64_t width = 0;
        for (const std::size_t i : {2 * axis, 2 * axis + 1}) {
            const CpmlFace& face = cpml.face[i];
            width += face.width();
            for (const auto* part : {&face.b_zeta, &face.a_psi, &face.b_psi})
                if (static_cast<std::int64_t>(part->size()) != face.width())
                    throw std::invalid_argument("the profiles of a perfectly matched layer need one length");
            if (face.width() > 0 && halos[i] != Halo::zero)
                throw std::invalid_argument("a face with a perfectly matched layer cannot be a mirror too");
        }
        const std::int64_t nodes = grid.has_axis(static_cast<int>(axis)) ? grid.n[axis] : 0;
        if (width > nodes)
            throw std::invalid_argument("the perfectly matched layers along " + std::string(1, "xyz"[axis]) + " need " +
                                        std::to_string(width) + " nodes; the grid has " + std::to_string(nodes));
    }
}

template std::vector<float> cpml_weights(const Scheme&, double);
template std::vector<double> cpml_weights(const Scheme&, double);
template std::array<float, 3> cpml_smoothing(const Scheme&, int);
template std::array<double, 3> cpml_smoothing(const Scheme&, int);
template std::vector<float> cpml_profile(const CpmlFace&, std::int64_t);
template std::vector<double> cpml_profile(const CpmlFace&, std::int64_t);

}  // namespace onda
