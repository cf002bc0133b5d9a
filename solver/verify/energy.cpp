#include <array>
#include <cmath>
#include <string>

#include "kernels/stencil.hpp"
#include "solver/propagator.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

constexpr double kUpper = 1500., kLower = 3000.;
constexpr std::int64_t kSteps = 1000, kEvery = 50;

double two_layers(const Grid& grid, std::int64_t z) {
    return z < grid.nz() / 2 ? kUpper : kLower;
}

Experiment lossless_box(int dimensions, int space_order, Precision precision) {
    Experiment e;
    e.grid.dimensions = dimensions;
    e.grid.n = dimensions == 3 ? std::array<std::int64_t, 3>{27, 23, 30} : std::array<std::int64_t, 3>{61, 1, 70};
    e.grid.spacing_m = {10., 8., 9.};
    e.scheme = make_scheme(WaveOperator::star, space_order);
    e.precision = precision;
    // every kind of lossless face: free surface on top, one rigid wall, zero elsewhere
    e.halos[4] = Halo::mirror_negative;
    e.halos[1] = Halo::mirror_positive;
    e.dt_s = 0.9 * stable_dt_s(e.grid, e.scheme, kLower);
    e.steps = kSteps;
    return e;
}

/// A field of the box with its faces, read node by node: slow, and nothing like a kernel.
class BoxField {
public:
    BoxField(const Experiment& e, const std::vector<double>& p) : e_(e), p_(p) {}

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

private:
    const Experiment& e_;
    const std::vector<double>& p_;
};

/// What a node counts in the inner product that makes L symmetric: a node on a rigid wall stands for half a cell, one
/// on a free surface holds no pressure.
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

/// E = 1/2 sum (p+ - p)^2 / (vp dt)^2 - 1/2 sum p+ L(p): what the leapfrog scheme keeps exactly.
double staggered_energy(const Experiment& e, const std::vector<double>& now, const std::vector<double>& previous) {
    const auto weights = e.scheme.weights;
    const BoxField p(e, previous);
    double energy = 0.;
    for (std::int64_t z = 0; z < e.grid.nz(); ++z)
        for (std::int64_t y = 0; y < e.grid.ny(); ++y)
            for (std::int64_t x = 0; x < e.grid.nx(); ++x) {
                const auto i = std::size_t(e.grid.at(x, y, z));
                const double vp_dt = two_layers(e.grid, z) * e.dt_s;
                const double rate = (now[i] - previous[i]) / vp_dt;
                energy += 0.5 * node_share(e, {x, y, z}) * (rate * rate - now[i] * p.laplacian({x, y, z}, weights));
            }
    return energy;
}

/// A pulse at rest in the middle of the box, wide enough for order 2 to carry it and not symmetric about anything.
std::vector<double> pulse(const Experiment& e) {
    const Grid& grid = e.grid;
    std::vector<double> p;
    for (std::int64_t z = 0; z < grid.nz(); ++z)
        for (std::int64_t y = 0; y < grid.ny(); ++y)
            for (std::int64_t x = 0; x < grid.nx(); ++x) {
                const double dx = double(x) - 0.4 * double(grid.nx()), dy = double(y) - 0.55 * double(grid.ny() - 1),
                             dz = double(z) - 0.45 * double(grid.nz());
                const bool on_free_surface = node_share(e, {x, y, z}) == 0.;  // where the pressure is zero and stays so
                p.push_back(on_free_surface ? 0. : std::exp(-(dx * dx + dy * dy + dz * dz) / 9.));
            }
    return p;
}

/// max_n |E_n / E_0 - 1| over kSteps steps.
Measurement energy_drift(const Experiment& e, const VerifyOptions& options) {
    const auto backend = make_backend(
        e,
        [&e](std::int64_t, std::int64_t z, std::span<float> row) {
            for (float& vp : row) vp = float(two_layers(e.grid, z));
        },
        options);
    Propagator propagator(*backend, Sources{}, NodeWeights{}, e.time_axis());
    std::vector<double> now = pulse(e), previous(now);
    backend->upload(now, previous);
    propagator.advance(1);
    const auto energy = [&] {
        backend->download(Window::whole(e.grid), std::span<double>(now));
        backend->download_previous(Window::whole(e.grid), previous);
        return staggered_energy(e, now, previous);
    };
    const double initial = energy();
    Measurement drift;
    while (propagator.step() + kEvery <= kSteps) {
        propagator.advance(kEvery);
        drift.value = worse(drift.value, std::abs(energy() / initial - 1.));
    }
    return drift;
}

}  // namespace

PromiseGroup energy_conservation() {
    PromiseGroup group;
    group.id = "R7";
    group.title = "Conservation of energy";
    group.quantity = "largest relative drift in 1,000 steps";
    group.method =
        "Between steps the leapfrog scheme keeps E = 1/2 sum (p[n+1] - p[n])^2 / (vp dt)^2 - 1/2 sum p[n+1] L(p[n]) "
        "exactly, for any model, as L is symmetric (nodes on a rigid wall count half). Two layers of 1,500 and 3,000 "
        "m/s in a box with a free surface, a rigid wall and zero faces, unequal spacings, a pulse at rest to begin "
        "with, dt = 0.9 of the stability limit. The energy is summed by a plain loop in double precision.";
    for (const Precision precision : {Precision::float64, Precision::float32})
        for (const int dimensions : {2, 3})
            for (const int order : {2, 8, 16})
                group.promises.push_back(
                    {std::to_string(dimensions) + "-D, order " + std::to_string(order) + ", " + name(precision),
                     precision == Precision::float64 ? 1e-12 : 5e-6, order == 8 && dimensions == 2,
                     [=](const VerifyOptions& options) {
                         return energy_drift(lossless_box(dimensions, order, precision), options);
                     }});
    return group;
}

}  // namespace onda::verify
