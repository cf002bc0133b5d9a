#include <array>
#include <cmath>
#include <string>

#include "solver/verify/field_energy.hpp"
#include "solver/verify/groups.hpp"
#include "solver/verify/strip_reflection.hpp"

namespace onda::verify {
namespace {

RowReader scattered(const Grid& grid) {
    return [grid](std::int64_t y, std::int64_t z, std::span<float> row) {
        for (std::size_t x = 0; x < row.size(); ++x) row[x] = scattered_velocity(grid.at(std::int64_t(x), y, z));
    };
}

VerifyOptions with_stepping(VerifyOptions options, const std::string& stepping) {
    options.stepping = stepping;
    return options;
}

Experiment box_of(int dimensions, int order, Precision precision, std::int64_t steps) {
    Experiment e;
    e.grid.dimensions = dimensions;
    e.grid.n = dimensions == 3 ? std::array<std::int64_t, 3>{66, 60, 62} : std::array<std::int64_t, 3>{131, 1, 120};
    e.grid.spacing_m = {10., 8., 9.};
    e.scheme = make_scheme(Equation::star, order);
    e.precision = precision;
    e.dt_s = 0.9 * stable_dt_s(e.grid, e.scheme, kFastest);
    e.steps = steps;
    return e;
}

/// A kind of face for all six, or the three below together.
Experiment bounded(const std::string& kind, int dimensions, int order, Precision precision, std::int64_t steps) {
    Experiment e = box_of(dimensions, order, precision, steps);
    std::array<std::string, 6> faces;
    faces.fill(kind == "free surface over cpml" ? "cpml" : kind);
    if (kind == "free surface over cpml") faces[4] = "free_surface";
    if (dimensions == 2) faces[2] = faces[3] = "zero";
    if (kind == "sponge")  // as wide as they are by default, on axes that have no more nodes
        for (std::size_t face = 0; face < 6; face += 2) faces[face] = "rigid";
    const Boundary boundary = default_strips(faces, e.grid, e.scheme, kFastest, e.dt_s, 25., 10);
    e.halos = boundary.halos;
    e.strips = boundary.strips;
    return e;
}

/// Sources between nodes: in the middle, where the shell meets what leaps, in an absorbing strip, and beside a corner.
struct LeapShot {
    std::vector<SourcePoint> sources;
    std::vector<Position> receivers;
};
LeapShot shot_in(const Experiment& e) {
    LeapShot shot;
    for (const double cells : {31.3, 24.6, 18.45, 14.1, 5.7, 1.2}) {
        const double y = e.grid.dimensions == 3 ? e.grid.spacing_m[1] * (cells + 0.3) : 0.;
        shot.sources.push_back({{e.grid.spacing_m[0] * (cells + 1.1), y, e.grid.spacing_m[2] * cells}, 1., 0});
        shot.receivers.push_back({e.grid.spacing_m[0] * cells, y, e.grid.spacing_m[2] * (cells + 7.4)});
    }
    return shot;
}

/// The wavefield after the steps of an experiment.
std::vector<double> wavefield(const Experiment& e, const VerifyOptions& options) {
    const auto backend = make_wavefield(e, scattered(e.grid), options);
    const LeapShot shot = shot_in(e);
    seismograms(*backend, e, smooth_ricker(25.), shot.sources, shot.receivers);
    std::vector<double> p(std::size_t(e.grid.points()));
    backend->download(Window::whole(e.grid), std::span<double>(p));
    return p;
}

/// ||a - b|| / ||b||.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0., of_b = 0.;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
        of_b += b[i] * b[i];
    }
    return std::sqrt(sum / of_b);
}

/// The rounding errors of the traces of leaps and of single steps, over the traces.
struct Rounding {
    double leaps, singles;
};

Rounding rounding_of(const Experiment& e, const VerifyOptions& options) {
    const auto traces = [&](Precision precision, const std::string& stepping) {
        Experiment experiment = e;
        experiment.precision = precision;
        const auto backend = make_wavefield(experiment, scattered(e.grid), with_stepping(options, stepping));
        const LeapShot shot = shot_in(e);
        return seismograms(*backend, experiment, smooth_ricker(25.), shot.sources, shot.receivers);
    };
    const double leaps = difference(traces(Precision::float32, "leap"), traces(Precision::float64, "leap"));
    const double singles = difference(traces(Precision::float32, "single"), traces(Precision::float64, "single"));
    return {leaps, singles};
}

Measurement over_single_steps(const Rounding& rounding) {
    char detail[64];
    std::snprintf(detail, sizeof detail, "%.2e, single steps %.2e", rounding.leaps, rounding.singles);
    return {rounding.leaps / rounding.singles, detail};
}

Measurement over_traces(const Rounding& rounding) {
    char detail[64];
    std::snprintf(detail, sizeof detail, "single steps %.2e", rounding.singles);
    return {rounding.leaps, detail};
}

/// max |E / E_0 - 1| over the steps, of a pulse in a box with a free surface, a rigid wall and zero faces.
Measurement energy_drift_of_leaps(const VerifyOptions& options) {
    Experiment e = box_of(3, 8, Precision::float64, 100'000);
    e.grid.n = {19, 18, 22};
    e.halos[4] = Halo::mirror_negative;
    e.halos[1] = Halo::mirror_positive;
    std::vector<double> now;
    for (std::int64_t i = 0; i < e.grid.points(); ++i) {
        const auto [x, y, z] = e.grid.node(i);
        const double square = std::pow(double(x) - 8., 2) + std::pow(double(y) - 9., 2) + std::pow(double(z) - 10., 2);
        now.push_back(z == 0 ? 0. : std::exp(-square / 9.));
    }
    const auto backend = make_wavefield(e, scattered(e.grid), with_stepping(options, "leap"));
    backend->reset();
    set_levels(*backend, now, now, now);
    std::vector<double> before(now.size());
    const auto energy = [&] {
        backend->download(Window::whole(e.grid), std::span<double>(now));
        backend->fields().download(Window::whole(e.grid), before, 0, kPreviousLevel);
        return leap_energy(
            e, [&e](const Node& node) { return scattered_velocity(e.grid.at(node[0], node[1], node[2])); }, now,
            before);
    };
    backend->advance(0, 2);
    const double initial = energy();
    Measurement drift;
    for (std::int64_t n = 2; n < e.steps; n += 9998) {
        backend->advance(n, std::min<std::int64_t>(9998, e.steps - n));
        drift.value = worse(drift.value, std::abs(energy() / initial - 1.));
    }
    return drift;
}

/// |<B u, v> - <u, B v>| over the product of their norms, with the weight 1 / (vp dt)^2 of the inner product: a leap of
/// p[n-2] = 0 gives B p[n].
Measurement asymmetry_of_leaps(int dimensions, const VerifyOptions& options) {
    const Experiment e = box_of(dimensions, 8, Precision::float64, 2);
    const auto backend = make_wavefield(e, scattered(e.grid), with_stepping(options, "leap"));
    const auto points = std::size_t(e.grid.points());
    std::array<std::vector<double>, 2> field, leapt;
    const std::vector<double> zero(points);
    for (std::size_t f = 0; f < 2; ++f) {
        for (std::size_t i = 0; i < points; ++i) field[f].push_back(scatter(std::int64_t(i + (f + 7) * points)) - 0.5);
        backend->reset();
        backend->upload(field[f], zero);
        backend->advance(0, 2);
        leapt[f].resize(points);
        backend->download(Window::whole(e.grid), std::span<double>(leapt[f]));
    }
    long double forward = 0., backward = 0., norm = 0., norm_of_leapt = 0.;
    for (std::size_t i = 0; i < points; ++i) {
        const double vp_dt = scattered_velocity(std::int64_t(i)) * e.dt_s, weight = 1. / (vp_dt * vp_dt);
        forward += weight * leapt[0][i] * field[1][i];
        backward += weight * field[0][i] * leapt[1][i];
        norm += weight * field[1][i] * field[1][i];
        norm_of_leapt += weight * leapt[0][i] * leapt[0][i];
    }
    return {double(std::abs(forward - backward) / std::sqrt(norm * norm_of_leapt)), ""};
}

}  // namespace

PromiseGroup leaps() {
    PromiseGroup group;
    group.id = "L1";
    group.title = "Leaps";
    group.quantity = "error";
    group.method =
        "Leaps, p[n+2] = (2 + 4 A + A^2) p[n] - p[n-2] with A = (vp dt)^2 L, are two single steps in exact arithmetic: "
        "in double precision the wavefields differ by rounding, with every kind of face, sources in the middle, in the "
        "boundary region that steps singly, in an absorbing zone and beside a corner, and a random velocity of 1,500 "
        "to 3,000 m/s at every node (||difference|| / ||p||). In single precision the rounding errors of "
        "their traces are at most twice those of single steps with rigid walls (a ratio): waves of which A is close to "
        "-2 keep more of them. Beside absorbing zones, where the loudest source decides the ratio, they are given over "
        "the traces (||float - double|| / ||double||). They keep the energy E = 1/2 sum (p[n+2] - "
        "p[n])^2 / (vp dt)^2 - "
        "1/2 sum p[n+2] (4 L + L (vp dt)^2 L) p[n] (relative drift), and (2 + 4 A + A^2) is symmetric in the inner "
        "product with the weight 1 / (vp dt)^2 (relative difference).";
    constexpr std::array kinds{"zero", "rigid", "free_surface", "sponge", "cpml", "free surface over cpml"};
    constexpr std::array orders{2, 8, 16};
    for (const int dimensions : {2, 3})
        for (std::size_t kind_number = 0; kind_number < kinds.size(); ++kind_number)
            for (std::size_t order_number = 0; order_number < orders.size(); ++order_number) {
                const char* const kind = kinds[kind_number];
                const int order = orders[order_number];
                group.promises.push_back(
                    {"single steps, " + std::to_string(dimensions) + "-D, " + kind + ", order " + std::to_string(order),
                     1e-12, dimensions == 2 && order == 8, [=](const VerifyOptions& options) {
                         const Experiment e = bounded(kind, dimensions, order, Precision::float64, 160);
                         return Measurement{difference(wavefield(e, with_stepping(options, "leap")),
                                                       wavefield(e, with_stepping(options, "single"))),
                                            ""};
                     }});
                // In 2-D every kind has every order, in 3-D each has one of them in tests, and each order two kinds.
                group.promises.back().takes_long = dimensions == 3 && order_number != kind_number % orders.size();
            }
    const auto in_single = [&group](const char* kind, double limit, Measurement (*told)(const Rounding&)) {
        group.promises.push_back(
            {std::string("single precision, 3-D, ") + kind, limit, false, [=](const VerifyOptions& options) {
                 return told(rounding_of(bounded(kind, 3, 8, Precision::float32, 600), options));
             }});
    };
    in_single("rigid", 2., over_single_steps);
    in_single("free surface over cpml", 1.2e-5, over_traces);
    group.promises.push_back({"energy in 100,000 steps, 3-D, order 8, double", 1e-11, false, energy_drift_of_leaps});
    for (const int dimensions : {2, 3})
        group.promises.push_back(
            {"symmetry, " + std::to_string(dimensions) + "-D, order 8, double", 1e-14, dimensions == 2,
             [=](const VerifyOptions& options) { return asymmetry_of_leaps(dimensions, options); }});
    return group;
}

}  // namespace onda::verify
