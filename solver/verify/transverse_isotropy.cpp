#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "kernels/equations/vti/anisotropy.hpp"
#include "solver/discretisation/boundary.hpp"
#include "solver/propagation/devices.hpp"
#include "solver/verify/analytic.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

/// Thomsen's parameters of a homogeneous medium of kVelocity along the vertical.
struct Thomsen {
    double epsilon, delta;
};

Scheme vti_scheme(int order, const Thomsen& highest) {
    Scheme scheme = make_scheme(Equation::vti, order);
    scheme.anisotropy = {highest.epsilon, highest.epsilon, highest.delta, highest.delta};
    return scheme;
}

std::unique_ptr<Wavefield> vti_wavefield(const Experiment& e, const MediumReaders& readers,
                                         const VerifyOptions& options) {
    const Device& device = usable_device(options.backend);
    Setup setup = make_setup(e, options);
    try {
        device.check_setup(setup);
    } catch (const SetupFault& fault) {
        if (fault.key != "kernel" || !device.has_kernel(setup.kernel)) throw;
        setup.kernel = "auto";  // it does not have this operator
    }
    return onda::make_wavefield(device, setup, readers, e.dt_s);
}
std::unique_ptr<Wavefield> vti_wavefield(const Experiment& e, const Thomsen& medium, const VerifyOptions& options) {
    return vti_wavefield(
        e, {constant_velocity(kVelocity), constant_velocity(medium.epsilon), constant_velocity(medium.delta)}, options);
}

/// The axis of a medium.
struct Tilt {
    double theta = 0., phi = 0.;

    [[nodiscard]] Position direction() const {
        return {std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta)};
    }
};

Scheme tti_scheme(int order, const Thomsen& highest) {
    Scheme scheme = vti_scheme(order, highest);
    scheme.equation = Equation::tti;
    return scheme;
}

/// The worst relative L2 error of traces at seven angles from a point source in an elliptical medium, epsilon = delta:
/// a homogeneous one whose coordinates across the axis are stretched by sqrt(1 + 2 epsilon). \param tilt null: VTI.
Measurement elliptical_error(int dimensions, int order, double points_per_wavelength, const Tilt* tilt,
                             const VerifyOptions& options) {
    constexpr double epsilon = 0.2, e_of = 1. + 2. * epsilon;
    const double distance_m = dimensions == 3 ? 200. : 400., share = 1. / dimensions;
    const double peak_hz = kVelocity / (points_per_wavelength * kSpacing) / 2.5;
    const std::array source{SourcePoint{{0., 0., 0.}, 1., 0}};
    std::vector<Position> receivers;
    for (int i = 0; i < 7; ++i) {
        const double angle = std::numbers::pi / 12. * i;
        const auto along = [&](double part) { return std::round(distance_m * part / kSpacing) * kSpacing; };
        const double across = std::sin(angle) * (dimensions == 3 ? 0.8 : 1.);
        receivers.push_back(
            {along(across), dimensions == 3 ? along(0.6 * std::sin(angle)) : 0., along(std::cos(angle))});
    }
    Experiment e;
    e.scheme = tilt == nullptr ? vti_scheme(order, {epsilon, epsilon}) : tti_scheme(order, {epsilon, epsilon});
    const double reach_m = 1.1 * distance_m + kVelocity * kRickerPeriods / peak_hz;
    // Horizontal waves are faster: faces are farther away by their velocity over vp.
    e.grid = silent_grid(dimensions, {kSpacing, kSpacing, kSpacing}, {}, source, receivers, reach_m * std::sqrt(e_of));
    e.dt_s = 0.05 * kSpacing / kVelocity;
    e.steps = std::int64_t(reach_m / kVelocity / e.dt_s);
    MediumReaders readers{constant_velocity(kVelocity), constant_velocity(epsilon), constant_velocity(epsilon)};
    if (tilt != nullptr) readers.insert(readers.end(), {constant_velocity(tilt->theta), constant_velocity(tilt->phi)});
    const auto wavefield = vti_wavefield(e, readers, options);
    const Position axis = tilt == nullptr ? Position{0., 0., 1.} : tilt->direction();
    const auto traces = seismograms(*wavefield, e, smooth_ricker(peak_hz), source, receivers);
    const Signature s = [peak_hz](double t) { return t < 0. ? 0. : ricker(peak_hz, 1.5 / peak_hz, t); };
    // The source acts on both stresses, and receivers see both, by the share of each axis.
    const double seen = (1. - share) * std::sqrt(e_of) + share;
    const double stretched = dimensions == 3 ? e_of : std::sqrt(e_of);
    const std::size_t samples = std::size_t(e.steps + 1);
    double worst = 0.;
    for (std::size_t i = 0; i < receivers.size(); ++i) {
        const auto& [x, y, z] = receivers[i];
        const double along = x * axis[0] + y * axis[1] + z * axis[2];
        const double r = std::sqrt((x * x + y * y + z * z - along * along) / e_of + along * along);
        std::vector<double> exact;
        for (std::int64_t n = 0; n <= e.steps; ++n) {
            const double t = double(n) * e.dt_s;
            const double p =
                dimensions == 3 ? greens_function_3d(s, r, kVelocity, t) : greens_function_2d(s, r, kVelocity, t);
            exact.push_back(seen * seen / stretched * p);
        }
        worst = worse(worst, relative_l2(std::span(traces).subspan(i * samples, samples), exact));
    }
    return {worst, ""};
}

/// Sets both levels of a field, [z][y][x], by the names of the state.
void set_field(Wavefield& wavefield, const std::string& name, std::span<const double> now,
               std::span<const double> before) {
    const Grid& grid = wavefield.problem().grid;
    for (const StatePart& part : wavefield.state_parts()) {
        if (part.name != name && part.name != name + "_previous") continue;
        const std::span<const double> values = part.name == name ? now : before;
        wavefield.write_state(0, part, [&](const StatePart&, std::int64_t z, std::span<std::byte> planes) {
            const std::size_t count = planes.size() / std::size_t(part.element_bytes);
            for (std::size_t i = 0; i < count; ++i) {
                const double value = values[std::size_t(grid.at(0, 0, z)) + i];
                if (part.element_bytes == 8)
                    reinterpret_cast<double*>(planes.data())[i] = value;
                else
                    reinterpret_cast<float*>(planes.data())[i] = float(value);
            }
        });
    }
}

/// A compressional wave that stands between rigid walls, at some angle from the vertical.
struct StandingWave {
    Thomsen medium;
    std::array<int, 3> half_waves;
};

/// How far the phase velocity of a standing wave, told from three levels of its field, is from that of Tsvankin's
/// formula: |v / exact - 1|. In double precision, order 16, at 12 points per wavelength and more.
Measurement phase_velocity_error(const StandingWave& wave, int dimensions, const VerifyOptions& options) {
    Experiment e;
    e.grid.dimensions = dimensions;
    e.grid.n = {49, dimensions == 3 ? 41 : 1, 45};
    e.grid.spacing_m = {10., 9., 8.};
    e.halos.fill(kRigid);
    e.scheme = vti_scheme(16, wave.medium);
    e.dt_s = 0.02 * stable_dt_s(e.grid, e.scheme, kVelocity);
    e.every_level = true;
    std::array<double, 3> k{};
    for (std::size_t a = 0; a < 3; ++a)
        if (e.grid.has_axis(int(a)))
            k[a] = std::numbers::pi * wave.half_waves[a] / (double(e.grid.n[a] - 1) * e.grid.spacing_m[a]);
    const double horizontal = k[0] * k[0] + k[1] * k[1], vertical = k[2] * k[2];
    const auto [epsilon, delta] = wave.medium;
    const double omega = kVelocity * std::sqrt(compressional_symbol(epsilon, delta, horizontal, vertical));
    // (p, q) of the wave: an eigenvector of [[e H, d V], [d H, V]].
    const double square = omega * omega / (kVelocity * kVelocity), e_of = 1. + 2. * epsilon,
                 d = std::sqrt(1. + 2. * delta);
    const double p_of = vertical > 0. ? d * vertical : 1.;
    const double q_of = vertical > 0. ? square - e_of * horizontal : d / e_of;
    std::vector<double> shape(std::size_t(e.grid.points()));
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto node = e.grid.node(std::int64_t(i));
        shape[i] = 1.;
        for (std::size_t a = 0; a < 3; ++a) shape[i] *= std::cos(k[a] * double(node[a]) * e.grid.spacing_m[a]);
    }
    const auto scaled = [&](double factor) {
        std::vector<double> values(shape);
        for (double& value : values) value *= factor;
        return values;
    };
    const auto wavefield = vti_wavefield(e, wave.medium, options);
    const double phase = omega * e.dt_s;
    set_field(*wavefield, "p", scaled(p_of), scaled(p_of * std::cos(phase)));
    set_field(*wavefield, "q", scaled(q_of), scaled(q_of * std::cos(phase)));
    constexpr std::int64_t steps = 200;
    std::vector<double> seen(shape.size());
    const auto seen_now = [&] {
        wavefield->download(Window::whole(e.grid), std::span(seen));
        return seen.front();
    };
    const double first = seen_now();
    wavefield->advance(0, steps);
    const double last = seen_now();
    // cos(omega t) is steep enough here that its angle tells omega.
    const double turns = std::floor(phase * steps / std::numbers::pi);
    const double angle = std::acos(std::clamp(last / first, -1., 1.));
    const double measured =
        int(turns) % 2 == 0 ? turns * std::numbers::pi + angle : (turns + 1.) * std::numbers::pi - angle;
    return {std::abs(measured / (phase * steps) - 1.), ""};
}

/// Readers of a medium in which every node has parameters of its own, epsilon from -0.1 to 0.4, delta at most that, or
/// equal to it, and of TTI an axis.
MediumReaders scattered_medium(const Grid& grid, const Scheme& scheme, bool elliptical) {
    const auto rows = [&grid](auto value) -> RowReader {
        return [&grid, value](std::int64_t y, std::int64_t z, std::span<float> row) {
            for (std::size_t x = 0; x < row.size(); ++x) row[x] = value(grid.at(std::int64_t(x), y, z));
        };
    };
    const auto epsilon = [](std::int64_t node) { return float(-0.1 + 0.5 * scatter(node + 3'000'017)); };
    const auto delta = [epsilon, elliptical](std::int64_t node) {
        return elliptical ? epsilon(node) : epsilon(node) - float(0.25 * scatter(node + 4'000'037));
    };
    MediumReaders readers{rows(scattered_velocity), rows(epsilon), rows(delta)};
    if (!has_parameter(scheme.equation, "theta")) return readers;
    readers.push_back(rows([](std::int64_t node) { return float(3. * scatter(node + 5'000'011) - 1.5); }));
    readers.push_back(rows([](std::int64_t node) { return float(6. * scatter(node + 6'000'011) - 3.); }));
    return readers;
}
constexpr Thomsen kScattered{0.4, 0.4};  ///< the highest of that medium

/// max |p_ab - p_ba| / max |p_ab| of two points in such a medium, with layers, a free surface and a rigid wall.
Measurement asymmetry(const Scheme& scheme, int dimensions, const char* absorber, const VerifyOptions& options) {
    Experiment e;
    e.grid.dimensions = dimensions;
    e.grid.n = {44, dimensions == 3 ? 30 : 1, 36};
    e.grid.spacing_m = {10., 8., 9.};
    e.scheme = scheme;
    e.dt_s = 0.9 * stable_dt_in_layers_s(e.grid, e.scheme, kFastest);
    e.steps = 500;
    BoundaryConfig boundary;
    boundary.cpml_width = boundary.sponge_width = 8;
    // An axis that is tilted at a mirror has no image.
    const bool is_tilted = scheme.equation == Equation::tti;
    boundary.z_min = is_tilted ? absorber : "free_surface";
    boundary.x_min = is_tilted ? absorber : "rigid";
    for (std::string* face : {&boundary.x_max, &boundary.y_min, &boundary.y_max, &boundary.z_max}) *face = absorber;
    const Boundary made = make_boundary(boundary, e.grid, {e.scheme, kFastest, e.dt_s, 25.}, {});
    e.halos = made.halos;
    e.strips = made.strips;
    const double y = dimensions == 3 ? 1. : 0.;
    const std::array places{Position{123., 119. * y, 149.}, Position{243., 127. * y, 203.}};
    std::array<std::vector<double>, 2> traces;
    for (const std::size_t from : {0u, 1u}) {
        const auto wavefield = vti_wavefield(e, scattered_medium(e.grid, e.scheme, false), options);
        traces[from] = seismograms(*wavefield, e, smooth_ricker(25.), std::array{SourcePoint{places[from], 1., 0}},
                                   std::array<Position, 1>{places[1 - from]});
    }
    double difference = 0., largest = 0.;
    for (std::size_t i = 0; i < traces[0].size(); ++i) {
        difference = worse(difference, std::abs(traces[0][i] - traces[1][i]));
        largest = worse(largest, std::abs(traces[0][i]));
    }
    return {difference / largest, ""};
}

/// The largest pressure of the last tenth of many steps in a closed room, over that of the first tenth.
Measurement growth(const Scheme& scheme, Precision precision, bool elliptical, std::int64_t steps,
                   const VerifyOptions& options) {
    Experiment e;
    e.grid.dimensions = 2;
    e.grid.n = {41, 1, 37};
    e.grid.spacing_m = {10., 10., 9.};
    e.precision = precision;
    if (scheme.equation == Equation::vti) e.halos = {kRigid, kFree, Halo::zero, Halo::zero, kFree, kRigid};
    e.scheme = scheme;
    e.dt_s = 0.99 * stable_dt_s(e.grid, e.scheme, kFastest);
    const auto wavefield = vti_wavefield(e, scattered_medium(e.grid, e.scheme, elliptical), options);
    Sources sources;
    sources.nodes = {{0, 1}, {e.grid.at(20, 0, 17)}, {1.}};
    sources.signal = {{1e3, -1e3}};
    wavefield->set_sources(0, sources);
    double early = 0., late = 0.;
    constexpr std::int64_t every = 50;
    for (std::int64_t n = 0; n < steps; n += every) {
        wavefield->advance(n, every);
        const Extremum found = wavefield->extremum();
        if (!found.finite) return {std::nan(""), ""};
        if (n < steps / 10) early = std::max(early, found.max_abs);
        if (n >= steps - steps / 10) late = std::max(late, found.max_abs);
    }
    return {late / early, ""};
}

/// What is left of the largest pressure after 20,000 steps in layers at all faces.
Measurement left_in_layers(const VerifyOptions& options) {
    Experiment e;
    e.grid.dimensions = 2;
    e.grid.n = {81, 1, 73};
    e.grid.spacing_m = {10., 10., 10.};
    e.precision = Precision::float32;
    const Thomsen medium{0.3, 0.1};
    e.scheme = vti_scheme(8, medium);
    e.dt_s = 0.9 * stable_dt_in_layers_s(e.grid, e.scheme, kVelocity);
    BoundaryConfig boundary;
    boundary.cpml_width = 12;
    for (std::string* face : {&boundary.x_min, &boundary.x_max, &boundary.z_min, &boundary.z_max}) *face = "cpml";
    const Boundary made = make_boundary(boundary, e.grid, {e.scheme, kVelocity, e.dt_s, 20.}, {});
    e.halos = made.halos;
    e.strips = made.strips;
    const auto wavefield = vti_wavefield(e, medium, options);
    Sources sources;
    sources.nodes = {{0, 1}, {e.grid.at(40, 0, 36)}, {1.}};
    std::vector<double> signal;
    for (int n = 0; n < 200; ++n) signal.push_back(1e3 * ricker(20., 0.075, n * e.dt_s));
    sources.signal = {signal};
    wavefield->set_sources(0, sources);
    double largest = 0.;
    for (std::int64_t n = 0; n < 20'000; n += 50) {
        wavefield->advance(n, 50);
        const Extremum found = wavefield->extremum();
        if (!found.finite) return {std::nan(""), ""};
        largest = std::max(largest, found.max_abs);
    }
    return {wavefield->extremum().max_abs / largest, ""};
}

/// Traces of a medium with epsilon 0.25 and delta 0.1 about an axis in the plane, at places that are turned with it, of
/// a source that a Gaussian spreads. \param scheme VTI, or TTI. \param angle of axis and receivers from the vertical.
std::vector<double> turned_traces(const Scheme& scheme, double angle, const VerifyOptions& options) {
    Experiment e;
    e.grid.dimensions = 2;
    e.grid.n = {241, 1, 241};
    e.grid.spacing_m = {10., 10., 10.};
    e.scheme = scheme;
    e.dt_s = 0.25 * e.grid.spacing_m[0] / kVelocity;
    e.steps = 360;
    MediumReaders readers{constant_velocity(kVelocity), constant_velocity(0.25), constant_velocity(0.1)};
    if (has_parameter(scheme.equation, "theta"))
        readers.insert(readers.end(), {constant_velocity(angle), constant_velocity(0.)});
    const auto wavefield = vti_wavefield(e, readers, options);
    constexpr std::int64_t middle = 120, spread = 12;
    Sources sources;
    sources.nodes = {};
    for (std::int64_t z = -spread; z <= spread; ++z)
        for (std::int64_t x = -spread; x <= spread; ++x) {
            sources.nodes.node.push_back(e.grid.at(middle + x, 0, middle + z));
            sources.nodes.weight.push_back(std::exp(-double(x * x + z * z) / 12.));
        }
    sources.nodes.first = {0, std::ssize(sources.nodes.node)};
    std::vector<double> signal;
    for (std::int64_t n = 0; n <= e.steps; ++n) signal.push_back(1e3 * ricker(20., 0.075, double(n) * e.dt_s));
    sources.signal = {signal};
    std::vector<Position> receivers;
    for (int i = 0; i < 8; ++i) {
        const double from_axis = std::numbers::pi / 4. * i + angle;
        receivers.push_back({1200. + 600. * std::sin(from_axis), 0., 1200. + 600. * std::cos(from_axis)});
    }
    wavefield->set_sources(0, sources);
    const NodeWeights rows = point_weights(receivers, e.grid, e.halos, PointKind::receiver);
    wavefield->set_receivers(0, rows, e.steps + 1);
    wavefield->record(0);
    wavefield->advance(0, e.steps);
    std::vector<double> traces(receivers.size() * std::size_t(e.steps + 1));
    wavefield->download_traces(std::span<double>(traces), 0);
    return traces;
}

/// \param untilted the equation that the traces of a tilted medium are compared with.
Measurement rotated_difference(double angle, const Equation& untilted, const VerifyOptions& options) {
    const Thomsen medium{0.25, 0.1};
    Scheme upright = vti_scheme(8, medium);
    upright.equation = untilted;
    return {relative_l2(turned_traces(tti_scheme(8, medium), angle, options), turned_traces(upright, 0., options)), ""};
}

/// The traces of receiver i for an axis that leans to one side are those of receiver -i for one that leans to the
/// other.
Measurement mirrored_difference(const VerifyOptions& options) {
    const Scheme scheme = tti_scheme(8, {0.25, 0.1});
    constexpr double angle = std::numbers::pi / 6.;
    const std::vector<double> right = turned_traces(scheme, angle, options),
                              left = turned_traces(scheme, -angle, options);
    const std::size_t samples = right.size() / 8;
    std::vector<double> mirrored;
    for (std::size_t i = 0; i < 8; ++i)
        mirrored.insert(mirrored.end(), left.begin() + std::int64_t((8 - i) % 8 * samples),
                        left.begin() + std::int64_t(((8 - i) % 8 + 1) * samples));
    return {relative_l2(mirrored, right), ""};
}

constexpr std::array kStandingWaves{
    StandingWave{{0.2, 0.1}, {6, 0, 0}},   StandingWave{{0.2, 0.1}, {0, 0, 6}},    StandingWave{{0.2, 0.1}, {5, 0, 5}},
    StandingWave{{0.3, -0.1}, {6, 0, 3}},  StandingWave{{0.3, -0.1}, {3, 0, 6}},   StandingWave{{0.1, 0.1}, {4, 0, 5}},
    StandingWave{{0.25, 0.05}, {4, 3, 5}}, StandingWave{{-0.1, -0.15}, {4, 3, 5}},
};

}  // namespace

PromiseGroup vertical_transverse_isotropy() {
    PromiseGroup group;
    group.id = "V1";
    group.title = "VTI";
    group.quantity = "error";
    group.method =
        "*Elliptical*: where epsilon = delta = 0.2, the mean stress of a point source is that of an isotropic medium "
        "whose horizontal coordinates are stretched by sqrt(1 + 2 epsilon); relative L2 error of the worst of seven "
        "traces from the vertical to the horizontal, 0.05 h / vp a step. *Phase velocity*: compressional waves that "
        "stand between rigid walls, against Tsvankin's (1996) formula with f = 1. *Reciprocity*: max |p_ab - p_ba| / "
        "max |p_ab| where every node has a velocity, an epsilon from -0.1 to 0.4 and a delta of its own. *Growth*: the "
        "largest stress of the last tenth of the steps over that of the first, in a closed room of such nodes, at 0.99 "
        "of the stability limit; with delta = epsilon the matrix of coefficients is singular, and rounding alone could "
        "make it indefinite. *Layers*: what is left after 20,000 steps with CPML at all faces, epsilon 0.3, delta 0.1.";
    const auto add = [&group](std::string name_of_row, double limit, bool quick, auto measure) {
        group.promises.push_back({std::move(name_of_row), limit, quick, measure});
    };
    add("elliptical, 2-D, order 16, 8 points per wavelength", 1e-3, true,
        [](const VerifyOptions& options) { return elliptical_error(2, 16, 8., nullptr, options); });
    add("elliptical, 2-D, order 8, 10 points per wavelength", 2e-3, true,
        [](const VerifyOptions& options) { return elliptical_error(2, 8, 10., nullptr, options); });
    add("elliptical, 3-D, order 16, 8 points per wavelength", 1e-3, false,
        [](const VerifyOptions& options) { return elliptical_error(3, 16, 8., nullptr, options); });
    for (const StandingWave& wave : kStandingWaves) {
        const int dimensions = wave.half_waves[1] > 0 ? 3 : 2;
        std::string text = "phase velocity, " + std::to_string(dimensions) + "-D, epsilon " +
                           std::to_string(wave.medium.epsilon).substr(0, 5) + ", delta " +
                           std::to_string(wave.medium.delta).substr(0, 5) + ", half waves";
        for (const int count : wave.half_waves) text += " " + std::to_string(count);
        add(text, 1e-5, dimensions == 2,
            [=](const VerifyOptions& options) { return phase_velocity_error(wave, dimensions, options); });
    }
    for (const int dimensions : {2, 3})
        for (const char* absorber : {"cpml", "sponge"})
            add("reciprocity, " + std::to_string(dimensions) + "-D, " + absorber, 1e-12, dimensions == 2,
                [=](const VerifyOptions& options) {
                    return asymmetry(vti_scheme(8, kScattered), dimensions, absorber, options);
                });
    for (const bool elliptical : {false, true})
        for (const Precision precision : {kFloat, kDouble})
            add(std::string("growth in 100,000 steps, ") + (elliptical ? "delta = epsilon, " : "") + name(precision),
                1.5, precision == kFloat && elliptical, [=](const VerifyOptions& options) {
                    return growth(vti_scheme(8, kScattered), precision, elliptical, 100'000, options);
                });
    for (Promise& promise : group.promises)
        promise.takes_long = promise.name.starts_with("growth") && promise.name.ends_with("double");
    add("layers, 2-D, float", 1e-3, true, left_in_layers);
    return group;
}

PromiseGroup tilted_transverse_isotropy() {
    PromiseGroup group;
    group.id = "V2";
    group.title = "TTI";
    group.quantity = "error";
    group.method =
        "*Elliptical*: as V1's, about an axis that is tilted. *Rotated*: traces of a medium with epsilon 0.25 and "
        "delta 0.1 whose axis lies along x against those of an upright one with the coordinates exchanged, and at a "
        "tilt of 30 degrees and none against VTI whose receivers are turned by as much, of a source that is spread "
        "over a few nodes. *Mirrored*: a tilt of 30 degrees against one of -30. *Reciprocity* and *growth*: as V1's, "
        "where every node has an axis of its own, too, with sponges.";
    const auto add = [&group](std::string name_of_row, double limit, bool quick, auto measure) {
        group.promises.push_back({std::move(name_of_row), limit, quick, measure});
    };
    static constexpr std::array tilts{Tilt{0.5236, 0.}, Tilt{1.5708, 0.}, Tilt{-1.0472, 0.}, Tilt{0.5236, 0.6981}};
    for (const Tilt& tilt : std::span(tilts).first(3)) {
        const std::string degrees = std::to_string(int(std::lround(tilt.theta * 180. / std::numbers::pi)));
        add("elliptical, 2-D, tilt " + degrees + ", order 16, 8 points per wavelength", 1e-3, true,
            [&tilt](const VerifyOptions& options) { return elliptical_error(2, 16, 8., &tilt, options); });
    }
    add("elliptical, 2-D, tilt 30, order 8, 10 points per wavelength", 2e-3, true,
        [](const VerifyOptions& options) { return elliptical_error(2, 8, 10., &tilts[0], options); });
    add("elliptical, 3-D, tilt 30, azimuth 40, order 8, 10 points per wavelength", 2e-3, false,
        [](const VerifyOptions& options) { return elliptical_error(3, 8, 10., &tilts[3], options); });
    add("rotated by 90 degrees", 1e-6, true, [](const VerifyOptions& options) {
        return rotated_difference(0.5 * std::numbers::pi, Equation::tti, options);
    });
    add("rotated by 30 degrees", 5e-3, true,
        [](const VerifyOptions& options) { return rotated_difference(std::numbers::pi / 6., Equation::vti, options); });
    add("not rotated", 1e-3, true,
        [](const VerifyOptions& options) { return rotated_difference(0., Equation::vti, options); });
    add("mirrored", 1e-10, true, mirrored_difference);
    for (const int dimensions : {2, 3})
        add("reciprocity, " + std::to_string(dimensions) + "-D, sponge", 1e-12, dimensions == 2,
            [=](const VerifyOptions& options) {
                return asymmetry(tti_scheme(8, kScattered), dimensions, "sponge", options);
            });
    for (const bool elliptical : {false, true})
        for (const Precision precision : {kFloat, kDouble})
            add(std::string("growth in 40,000 steps, ") + (elliptical ? "delta = epsilon, " : "") + name(precision),
                1.5, false, [=](const VerifyOptions& options) {
                    return growth(tti_scheme(8, kScattered), precision, elliptical, 40'000, options);
                });
    for (Promise& promise : group.promises)
        promise.takes_long = promise.name.starts_with("growth") && !promise.name.ends_with("epsilon, float");
    return group;
}

}  // namespace onda::verify
