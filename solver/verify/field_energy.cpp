#include "solver/verify/field_energy.hpp"

#include "kernels/equations/star/leap.hpp"

namespace onda::verify {
namespace {

/// A field of the box with its faces, read node by node: slow, and nothing like a kernel.
class BoxField {
public:
    BoxField(const Experiment& e, std::span<const double> p) : e_(e), p_(p) {}

    double operator()(std::array<std::int64_t, 3> node) const {
        double sign = 1.;
        for (std::size_t a = 0; a < 3; ++a) {
            const std::int64_t last = e_.grid.n[a] - 1;
            if (node[a] >= 0 && node[a] <= last) continue;
            const Halo halo = e_.halos[2 * a + (node[a] < 0 ? 0 : 1)];
            if (halo == Halo::zero) return 0.;
            node[a] = node[a] < 0 ? -node[a] : 2 * last - node[a];
            if (halo == Halo::mirror_negative) sign = -sign;
        }
        return sign * p_[std::size_t(e_.grid.at(node[0], node[1], node[2]))];
    }

    [[nodiscard]] double laplacian(const std::array<std::int64_t, 3>& node, const std::vector<double>& c) const {
        double sum = 0.;
        for (std::size_t a = 0; a < 3; ++a) {
            if (!e_.grid.has_axis(int(a))) continue;
            double axis = c[0] * (*this)(node);
            for (std::size_t k = 1; k < c.size(); ++k) {
                auto low = node, high = node;
                low[a] -= std::int64_t(k);
                high[a] += std::int64_t(k);
                axis += c[k] * ((*this)(low) + (*this)(high));
            }
            sum += axis / (e_.grid.spacing_m[a] * e_.grid.spacing_m[a]);
        }
        return sum;
    }

    [[nodiscard]] double compact_laplacian(const std::array<std::int64_t, 3>& node) const {
        const auto& [a, b, c, d] = e_.scheme.compact;
        const bool flat = e_.grid.dimensions == 2;
        const std::array<double, 4> weights =
            flat ? std::array<double, 4>{a + 2. * b, b + 2. * c, c + 2. * d, 0.} : std::array<double, 4>{a, b, c, d};
        double sum = 0.;
        for (std::int64_t z = -1; z <= 1; ++z)
            for (std::int64_t y = flat ? 0 : -1; y <= (flat ? 0 : 1); ++y)
                for (std::int64_t x = -1; x <= 1; ++x)
                    sum +=
                        weights[std::size_t(x * x + y * y + z * z)] * (*this)({node[0] + x, node[1] + y, node[2] + z});
        return sum / (e_.grid.spacing_m[0] * e_.grid.spacing_m[0]);
    }

    /// div(1/rho grad p), from the fluxes between a node and its neighbours.
    [[nodiscard]] double flux_divergence(const Node& node, const NodeValue& rho) const {
        const auto& d = e_.scheme.weights;
        double sum = 0.;
        for (std::size_t a = 0; a < 3; ++a) {
            if (!e_.grid.has_axis(int(a))) continue;
            double axis = 0.;
            for (std::size_t k = 1; k < d.size(); ++k) {
                auto ahead = node, behind = node;
                ahead[a] += std::int64_t(k) - 1;
                behind[a] -= std::int64_t(k);
                axis += d[k] * (flux(ahead, a, rho) - flux(behind, a, rho));
            }
            sum += axis / (e_.grid.spacing_m[a] * e_.grid.spacing_m[a]);
        }
        return sum;
    }

private:
    /// Between a node and the next one along an axis, on unit spacing.
    [[nodiscard]] double flux(const Node& node, std::size_t axis, const NodeValue& rho) const {
        const auto& d = e_.scheme.weights;
        double gradient = 0.;
        for (std::size_t k = 1; k < d.size(); ++k) {
            auto high = node, low = node;
            high[axis] += std::int64_t(k);
            low[axis] += 1 - std::int64_t(k);
            gradient += d[k] * ((*this)(high) - (*this)(low));
        }
        auto next = node;
        ++next[axis];
        return gradient * 2. / (rho(inside(node)) + rho(inside(next)));
    }
    /// Where the density beyond a face comes from: its mirror image, or the face itself.
    [[nodiscard]] Node inside(Node node) const {
        for (std::size_t a = 0; a < 3; ++a) {
            const std::int64_t last = e_.grid.n[a] - 1;
            if (node[a] >= 0 && node[a] <= last) continue;
            const std::size_t side = node[a] < 0 ? 0 : 1;
            const std::int64_t face = side == 0 ? 0 : last;
            node[a] = e_.halos[2 * a + side] == Halo::zero ? face : 2 * face - node[a];
        }
        return node;
    }

    const Experiment& e_;
    std::span<const double> p_;
};

}  // namespace

double node_share(const Experiment& e, const std::array<std::int64_t, 3>& node) {
    double share = 1.;
    for (std::size_t a = 0; a < 3; ++a)
        for (const std::size_t side : {0, 1}) {
            if (node[a] != (side == 0 ? 0 : e.grid.n[a] - 1)) continue;
            if (e.halos[2 * a + side] == Halo::mirror_positive) share *= 0.5;
            if (e.halos[2 * a + side] == Halo::mirror_negative) share = 0.;
        }
    return share;
}

double staggered_energy(const Experiment& e, const NodeValue& vp_m_s, const NodeValue& rho_kg_m3,
                        std::span<const double> now, std::span<const double> previous) {
    const BoxField p(e, previous);
    const bool has_density = has_parameter(e.scheme.equation, "rho");
    const auto l_of = [&](const Node& node) {
        if (has_density) return p.flux_divergence(node, rho_kg_m3);
        return e.scheme.equation == Equation::compact ? p.compact_laplacian(node) : p.laplacian(node, e.scheme.weights);
    };
    double energy = 0.;
    for (std::int64_t z = 0; z < e.grid.nz(); ++z)
        for (std::int64_t y = 0; y < e.grid.ny(); ++y)
            for (std::int64_t x = 0; x < e.grid.nx(); ++x) {
                const auto i = std::size_t(e.grid.at(x, y, z));
                const double vp_dt = vp_m_s({x, y, z}) * e.dt_s;
                const double rate = (now[i] - previous[i]) / vp_dt;
                const double kinetic = rate * rate / (has_density ? rho_kg_m3({x, y, z}) : 1.);
                energy += 0.5 * node_share(e, {x, y, z}) * (kinetic - now[i] * l_of({x, y, z}));
            }
    return energy;
}

double leap_energy(const Experiment& e, const NodeValue& vp_m_s, std::span<const double> now,
                   std::span<const double> before) {
    const BoxField p(e, before), next(e, now);
    const LeapWeights<double> w = e.scheme.time_order == 4 ? kFourthOrder<double> : LeapWeights<double>{};
    double energy = 0.;
    for (std::int64_t i = 0; i < e.grid.points(); ++i) {
        const Node node = e.grid.node(i);
        const double vp_dt = vp_m_s(node) * e.dt_s, of_now = now[std::size_t(i)];
        const double rate = (of_now - before[std::size_t(i)]) / vp_dt;
        const double l = p.laplacian(node, e.scheme.weights), l_of_now = next.laplacian(node, e.scheme.weights);
        energy +=
            0.5 * node_share(e, node) * (rate * rate - w.once * of_now * l - w.twice * vp_dt * vp_dt * l_of_now * l);
    }
    return energy;
}

double relaxing_energy(const Experiment& e, const RelaxingNodes& nodes, std::span<const double> now,
                       std::span<const double> previous, std::span<const double> memory) {
    const BoxField p(e, previous);
    double energy = 0.;
    for (std::int64_t node = 0; node < e.grid.points(); ++node) {
        const auto i = std::size_t(node);
        const double beta = memory.empty() ? 0. : 0.5 * nodes.a[i];
        const double j_beta = nodes.g[i] / (2. * (1. - beta) - nodes.g[i]);
        const double rate = now[i] - previous[i];
        const double share = node_share(e, e.grid.node(node));
        if (share == 0.) continue;  // k is 0 there
        double kinetic = rate * rate;
        if (!memory.empty()) {
            const double followed = beta * rate + (1. - beta) * memory[i];
            kinetic += j_beta / beta * followed * followed;
        }
        kinetic /= nodes.k[i] * (1. + j_beta);
        energy += 0.5 * share * (kinetic - now[i] * p.laplacian(e.grid.node(node), e.scheme.weights));
    }
    return energy;
}

}  // namespace onda::verify
