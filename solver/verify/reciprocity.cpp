#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "kernels/shot/source_density.hpp"
#include "solver/verify/experiment.hpp"
#include "solver/verify/groups.hpp"

namespace onda::verify {
namespace {

/// Two positions in cells, from the first node.
struct Pair {
    const char* name;
    Position a, b;
};
constexpr std::array kPairs{
    Pair{"on the nodes", {12., 20., 10.}, {31., 9., 24.}},
    Pair{"off the nodes", {12.3, 20.6, 10.45}, {30.8, 9.1, 24.7}},
    Pair{"near free surface and rigid wall", {1.3, 20.6, 10.45}, {30.8, 9.1, 1.6}},
    Pair{"on the rigid wall", {0., 20., 10.45}, {30.8, 9.1, 1.6}},
};

/// A free surface on top, a rigid wall at x_min, and zero faces.
Experiment scattering_box(int dimensions, Precision precision, Equation equation, int order = 8) {
    Experiment e;
    e.scheme = make_scheme(equation, order);
    e.scheme.relaxation = {25., 10., 62., dimensions == 2 && equation->memory.size() == 1 ? 2 : kMostMechanisms};
    e.grid.dimensions = dimensions;
    e.grid.n = {44, dimensions == 3 ? 30 : 1, 36};
    e.grid.spacing_m = {10., 8., 9.};
    e.precision = precision;
    e.halos[4] = Halo::mirror_negative;
    e.halos[0] = Halo::mirror_positive;
    e.dt_s = 0.9 * stable_dt_s(e.grid, e.scheme, kFastest);
    e.dt_s *= kFastest / e.scheme.stiffest_m_s(kFastest, std::array{double(kLowestScatteredQ)}, e.dt_s);
    e.steps = 600;
    return e;
}

constexpr std::int64_t kAbsorbingWidth = 8;  ///< of absorbing layers, in nodes

/// With layers at x_max, z_max and both faces across y: nodes up to (35, 21, 27) lie outside them, and from 8 along y.
constexpr std::array kPairsByLayers{
    Pair{"0.3 to 4 nodes from layers", {34.7, 19.8, 23.3}, {12.3, 17.2, 26.6}},
    Pair{"inside layers", {38.4, 18.3, 10.7}, {20.6, 5.4, 30.2}},
    Pair{"in the corner of layers and on a wall", {37.6, 24.2, 29.3}, {0., 9.6, 27.8}},
};

/// With layers at all faces. The 8 nodes of each axis over which either position is spread lie outside them, so that no
/// signal is filtered: what the layers do to p alone is symmetric in front of them.
constexpr std::array kPairsInTheMiddle{
    Pair{"all nodes outside the layers", {12.3, 16.6, 22.45}, {30.8, 11.4, 12.7}},
};

/// Equations, as their rows begin.
const std::array<std::pair<std::string, Equation>, 8> kEquations{{
    {"", Equation::star},
    {"variable density, ", Equation::variable_density},
    {"attenuation, ", Equation::attenuation},
    {"attenuation with two memories, ", Equation::attenuation_of_two},
    {"attenuation, variable density, ", Equation::attenuation_density},
    {"attenuation with two memories, variable density, ", Equation::attenuation_density_of_two},
    {"drag, ", Equation::drag},
    {"drag, variable density, ", Equation::drag_density},
}};

/// What absorbs in a box, and how it steps.
struct Absorber {
    const char* name;
    const char* kind;
    Equation equation;
    int time_order = 2;
    int order = 8;
    bool at_all_faces = false;  ///< else there are a free surface and a rigid wall
};
constexpr std::array kAbsorbers{
    Absorber{"CPML", "cpml", Equation::star},
    Absorber{"variable density, CPML", "cpml", Equation::variable_density},
    Absorber{"order 4 in time, CPML", "cpml", Equation::star, 4},
    Absorber{"sponge", "sponge", Equation::star},
    Absorber{"variable density, sponge", "sponge", Equation::variable_density},
    Absorber{"attenuation, CPML", "cpml", Equation::attenuation},
    Absorber{"attenuation, sponge", "sponge", Equation::attenuation},
    Absorber{"drag, CPML", "cpml", Equation::drag},
    Absorber{"attenuation, variable density, CPML", "cpml", Equation::attenuation_density},
};
constexpr std::array kAbsorbersAllAround{
    Absorber{"order 2, CPML at all faces", "cpml", Equation::star, 2, 2, true},
    Absorber{"order 8, CPML at all faces", "cpml", Equation::star, 2, 8, true},
    Absorber{"variable density, order 2, CPML at all faces", "cpml", Equation::variable_density, 2, 2, true},
    Absorber{"variable density, order 8, CPML at all faces", "cpml", Equation::variable_density, 2, 8, true},
    Absorber{"order 8, sponge at all faces", "sponge", Equation::star, 2, 8, true},
    Absorber{"variable density, order 8, sponge at all faces", "sponge", Equation::variable_density, 2, 8, true},
};

/// As scattering_box(), with absorbing layers in place of zero faces, or of all.
Experiment absorbing_box(int dimensions, Precision precision, const Absorber& absorber) {
    Experiment e = scattering_box(dimensions, precision, absorber.equation, absorber.order);
    e.scheme.time_order = absorber.time_order;
    e.dt_s *= stable_dt_in_layers_s(e.grid, e.scheme, kFastest) / stable_dt_s(e.grid, e.scheme, kFastest);
    BoundaryConfig boundary;
    boundary.cpml_width = boundary.sponge_width = kAbsorbingWidth;
    boundary.x_min = absorber.at_all_faces ? absorber.kind : "rigid";
    boundary.z_min = absorber.at_all_faces ? absorber.kind : "free_surface";
    if (absorber.at_all_faces) e.halos = {};
    for (std::string* face : {&boundary.x_max, &boundary.y_min, &boundary.y_max, &boundary.z_max})
        *face = absorber.kind;
    e.strips = make_boundary(boundary, e.grid, {e.scheme, kFastest, e.dt_s, 25.}, {}).strips;
    return e;
}

/// max |p_ab - p_ba| / max |p_ab|, the trace at b of a source at a against the trace at a of a source at b; with
/// variable density of rho_a p_ab and rho_b p_ba, since a source of s/rho in (1/(rho vp^2)) p_tt - div(1/rho grad p) is
/// what Green's function is symmetric in; rho_a is the density that the source acts in
/// (kernels/shot/source_density.hpp).
double asymmetry(const Experiment& e, const Pair& pair, const VerifyOptions& options) {
    const auto scattered = [&e](float (*value)(std::int64_t)) -> RowReader {
        return [&e, value](std::int64_t y, std::int64_t z, std::span<float> row) {
            for (std::size_t x = 0; x < row.size(); ++x) row[x] = value(e.grid.at(std::int64_t(x), y, z));
        };
    };
    const auto backend =
        make_wavefield(e, scattered(scattered_velocity), options, scattered(scattered_density), scattered(scattered_q));
    const auto metres = [&e](Position cells) {
        for (std::size_t a = 0; a < 3; ++a) cells[a] *= e.grid.has_axis(int(a)) ? e.grid.spacing_m[a] : 0.;
        return cells;
    };
    const auto density = [&](const Position& cells) {
        if (!has_parameter(e.scheme.equation, "rho")) return 1.;
        return density_at(e.grid, in_nodes(e.grid, metres(cells)), [](std::int64_t node) -> CellMedium {
            const double rho = scattered_density(node), vp = scattered_velocity(node);
            return {rho, rho * vp * vp};
        });
    };
    const auto shoot = [&](const Position& from, const Position& to) {
        const std::array sources{SourcePoint{metres(from), 1., 0}};
        const std::array<Position, 1> receivers{metres(to)};
        return seismograms(*backend, e, smooth_ricker(25.), sources, receivers);
    };
    const auto there = shoot(pair.a, pair.b), back = shoot(pair.b, pair.a);
    double difference = 0., largest = 0.;
    for (std::size_t i = 0; i < there.size(); ++i) {
        difference = worse(difference, std::abs(density(pair.a) * there[i] - density(pair.b) * back[i]));
        largest = worse(largest, std::abs(density(pair.a) * there[i]));
    }
    return difference / largest;
}

/// Rounding errors of single precision, u = 2^-24: a step rounds a node in some 25 operations whose partial sums are up
/// to twice as large as p, which comes to an rms of 4 to 5 u |p|. The wave equation carries this noise on, and 600
/// steps add up to sqrt(600) times as much, two traces to sqrt(2) times that: 140 to 170 u. The limit is 168 u.
double limit_of(Precision precision) {
    return precision == Precision::float64 ? 1e-13 : 1e-5;
}

}  // namespace

PromiseGroup reciprocity() {
    PromiseGroup group;
    group.id = "R8";
    group.title = "Reciprocity";
    group.quantity = "largest difference over largest pressure";
    group.method =
        "The trace at B of a source at A equals the trace at A of a source at B, in any model. Here every node has "
        "its own random velocity between 1,500 and 3,000 m/s; 600 steps, of order 8 where no other is named, unequal "
        "spacings, a free surface, a rigid wall and zero faces. Off the nodes it holds because sources and receivers "
        "use the same interpolation weights. With variable density, random between 1,000 and 2,700 kg/m3, rho_A p_AB "
        "= rho_B p_BA, where all nodes of a source radiate with one density, that at the source. Near absorbing "
        "layers, 8 nodes wide, the nodes of a source that lie in a layer are given its signal filtered as the layer's "
        "own memory is. With attenuation every node has a random Q from 5 to 100. With layers at all faces and all "
        "nodes of source and receiver outside them, nothing is "
        "filtered: this is the symmetry of the layers themselves.";
    const auto add = [&group](const std::string& name_of_row, int dimensions, Precision precision,
                              const auto& measure) {
        group.promises.push_back({name_of_row + ", " + name(precision), limit_of(precision), dimensions == 2,
                                  [=](const VerifyOptions& options) {
                                      return Measurement{measure(options), ""};
                                  }});
    };
    const auto add_absorbers = [&group, &add](const auto& absorbers, const auto& pairs) {
        for (const Absorber& absorber : absorbers)
            for (const int dimensions : {2, 3})
                for (const Pair& pair : pairs)
                    for (const Precision precision : {Precision::float64, Precision::float32}) {
                        if (precision == Precision::float32 && absorber.time_order == 4) continue;
                        add(std::string(absorber.name) + ", " + std::to_string(dimensions) + "-D, " + pair.name,
                            dimensions, precision, [=](const VerifyOptions& options) {
                                return asymmetry(absorbing_box(dimensions, precision, absorber), pair, options);
                            });
                        // In 2-D both precisions are tested, as they are in 3-D without absorbers.
                        group.promises.back().takes_long = dimensions == 3 && precision == Precision::float32;
                    }
    };
    for (const Precision precision : {Precision::float64, Precision::float32})
        for (const int dimensions : {2, 3})
            for (const auto& of : kEquations)
                for (const Pair& pair : kPairs)
                    add(of.first + std::to_string(dimensions) + "-D, " + pair.name, dimensions, precision,
                        [=, equation = of.second](const VerifyOptions& options) {
                            return asymmetry(scattering_box(dimensions, precision, equation), pair, options);
                        });
    add_absorbers(kAbsorbers, kPairsByLayers);
    add_absorbers(kAbsorbersAllAround, kPairsInTheMiddle);
    return group;
}

}  // namespace onda::verify
