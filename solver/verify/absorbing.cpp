#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include "solver/propagation/propagator.hpp"
#include "solver/verify/field_energy.hpp"
#include "solver/verify/groups.hpp"
#include "solver/verify/strip_reflection.hpp"

namespace onda::verify {
namespace {

struct Row {
    const char* kind;
    double angle_deg, wavelength_nodes, limit_db;
    bool quick;
};
constexpr std::array kRows{
    Row{"cpml", 0., 16., -90., true},     Row{"cpml", 30., 16., -90., false},   Row{"cpml", 45., 16., -90., false},
    Row{"cpml", 60., 16., -90., true},    Row{"cpml", 70., 16., -70., false},   Row{"cpml", 80., 16., -38., false},
    Row{"cpml", 0., 8., -80., false},     Row{"cpml", 60., 8., -80., false},    Row{"cpml", 0., 32., -90., false},
    Row{"cpml", 60., 32., -90., false},   Row{"cpml", 0., 64., -85., false},    Row{"cpml", 60., 64., -85., false},
    Row{"sponge", 0., 16., -40., true},   Row{"sponge", 30., 16., -38., false}, Row{"sponge", 45., 16., -35., false},
    Row{"sponge", 60., 16., -28., false}, Row{"sponge", 0., 32., -28., false},  Row{"sponge", 60., 32., -18., false},
};

std::string describe(const Incidence& c) {
    char text[96];
    std::snprintf(text, sizeof text, "%s, order %d%s, %.0f degrees, %.0f nodes per wavelength", c.kind.c_str(),
                  c.scheme.space_order, c.scheme.time_order == 4 ? ", order 4 in time" : "", c.angle_deg,
                  c.wavelength_nodes);
    return text;
}

Promise reflects(const Incidence& c, double limit_db, bool quick) {
    return {describe(c), limit_db, quick, [c](const VerifyOptions& options) { return reflection_db(c, options); }};
}

double same_everywhere(double, double) {
    return 2000.;
}
double two_layers(double, double z_m) {
    return z_m < 55. ? 1500. : 3000.;
}
/// Constant above and below the layers' inner edges.
double gradient_inside(double, double z_m) {
    return 2250. + 2.5 * std::clamp(z_m, -300., 300.);
}
/// Through the layers of the small box, constant beyond: waves that would turn back in them are absorbed.
double gradient_through(double, double z_m) {
    return 2250. + 1.5 * std::clamp(z_m, -500., 500.);
}
double slant(double x_m, double z_m) {
    return x_m + 2. * z_m < 150. ? 1800. : 2600.;
}
/// A body that ends at the inner edge of the layer at x = 400 m, reaches into it, or runs on through it and beyond.
double body_before(double x_m, double z_m) {
    return std::hypot(x_m - 250., z_m) < 150. ? 4500. : 2000.;
}
double body_across_edge(double x_m, double z_m) {
    return std::hypot(x_m - 400., z_m) < 150. ? 4500. : 2000.;
}
double body_through(double x_m, double z_m) {
    return x_m > 250. && std::abs(z_m) < 100. ? 4500. : 2000.;
}
double two_densities(double, double z_m) {
    return z_m < 55. ? 1000. : 2400.;
}

struct AbsorbingBox {
    int dimensions = 2;
    Scheme scheme = make_scheme(Equation::star, 8);
    Precision precision = Precision::float64;
    ValueAt vp_m_s = same_everywhere, rho_kg_m3 = same_everywhere;
    std::array<std::string, 6> kinds{"cpml", "cpml", "cpml", "cpml", "cpml", "cpml"};
    std::int64_t steps = 100000;
    std::int64_t every = 5000;  ///< steps between looks: longer than waves stay, and than their energy swings
};

double fastest(const AbsorbingBox& box, const Grid& grid) {
    double vp_max = 0.;
    for (std::int64_t z = 0; z < grid.nz(); ++z)
        for (std::int64_t x = 0; x < grid.nx(); ++x) {
            const Position at = grid.position_m(x, 0, z);
            vp_max = std::max(vp_max, box.vp_m_s(at[0], at[2]));
        }
    return vp_max;
}

Experiment absorbing_box(const AbsorbingBox& box) {
    Experiment e;
    e.grid.dimensions = box.dimensions;
    // the layers of opposite faces, 20 nodes each, all but meet
    e.grid.n = box.dimensions == 2 ? std::array<std::int64_t, 3>{44, 1, 41} : std::array<std::int64_t, 3>{41, 42, 40};
    if (box.kinds[0] == "sponge") e.grid.n = {140, 1, 120};
    e.grid.spacing_m = {10., 12., 8.};
    if (box.scheme.equation == Equation::compact) e.grid.spacing_m = {10., 10., 10.};
    for (std::size_t a = 0; a < 3; ++a) e.grid.origin_m[a] = -double(e.grid.n[a] / 2) * e.grid.spacing_m[a];
    e.scheme = box.scheme;
    e.precision = box.precision;
    const double vp_max = fastest(box, e.grid);
    const bool sponge = box.kinds[0] == "sponge";
    e.dt_s = 0.9 * (sponge ? stable_dt_s : stable_dt_in_layers_s)(e.grid, e.scheme, vp_max);
    e.dt_s *= vp_max / e.scheme.stiffest_m_s(vp_max, std::array{kUsualQ}, e.dt_s);
    e.steps = box.steps;
    e.every_level = true;
    const Boundary boundary = default_strips(box.kinds, e.grid, e.scheme, vp_max, e.dt_s, 20.);
    e.halos = boundary.halos;
    e.strips = boundary.strips;
    return e;
}

/// 10 log10 of the energy left of a field of random signs, all wavenumbers at once, or of the largest growth from one
/// look to the next, whichever is larger.
Measurement growth_db(const AbsorbingBox& box, const VerifyOptions& options) {
    const Experiment e = absorbing_box(box);
    const auto backend = make_wavefield(e, rows_of(box.vp_m_s, e.grid), options, rows_of(box.rho_kg_m3, e.grid));
    Propagator propagator(*backend, Sources{}, NodeWeights{}, e.time_axis());
    std::vector<double> now(std::size_t(e.grid.points())), previous;
    for (std::size_t i = 0; i < now.size(); ++i) {
        const bool on_free_surface = node_share(e, e.grid.node(std::int64_t(i))) == 0.;
        now[i] = on_free_surface ? 0. : scatter(std::int64_t(i)) < 0.5 ? -1. : 1.;
    }
    previous = now;
    backend->upload(now, now);
    const auto at_node = [&e](ValueAt value) -> NodeValue {
        return [&e, value](const Node& node) {
            const Position at = e.grid.position_m(node[0], node[1], node[2]);
            return value(at[0], at[2]);
        };
    };
    const auto energy = [&] {
        backend->download(Window::whole(e.grid), std::span<double>(now));
        backend->fields().download(Window::whole(e.grid), previous, 0, kPreviousLevel);
        return e.scheme.time_order == 4
                   ? leap_energy(e, at_node(box.vp_m_s), now, previous)
                   : staggered_energy(e, at_node(box.vp_m_s), at_node(box.rho_kg_m3), now, previous);
    };
    propagator.advance(1);
    const double first = energy();
    double before = first, growth = 0.;
    while (propagator.step() + box.every <= box.steps) {
        propagator.advance(box.every);
        const double after = energy();
        if (after != 0. || before != 0.) growth = worse(growth, after / before);
        before = after;
    }
    return {10. * std::log10(worse(growth, before / first)), ""};
}

/// Waves that run along a layer, 5 nodes before it, are weak in its stretched coordinate: what comes back grows with
/// the way.
void add_grazing(PromiseGroup& group) {
    struct Grazing {
        std::int64_t width;
        double offset_nodes, limit_db;
    };
    for (const Grazing& row : {Grazing{20, 50., -85.},
                               {20, 100., -65.},
                               {20, 200., -35.},
                               {20, 400., -15.},
                               {40, 50., -85.},
                               {40, 100., -85.},
                               {40, 200., -50.},
                               {40, 400., -30.}}) {
        Incidence c{.kind = "cpml", .distance_nodes = 5., .cpml_width = row.width};
        c.angle_deg = 180. / std::numbers::pi * std::atan(row.offset_nodes / (2. * c.distance_nodes));
        char what[96];
        std::snprintf(what, sizeof what, "cpml of %lld nodes, grazing, %.0f nodes along it",
                      static_cast<long long>(row.width), row.offset_nodes);
        group.promises.push_back(
            {what, row.limit_db, false, [c](const VerifyOptions& options) { return reflection_db(c, options); }});
        // Tests take the shortest and the longest way.
        group.promises.back().takes_long = row.offset_nodes == 100. || row.offset_nodes == 200.;
    }
}

void add_media(PromiseGroup& group) {
    const auto add = [&group](const char* what, const SmallBox& box, double limit_db) {
        group.promises.push_back(
            {what, limit_db, false, [box](const VerifyOptions& options) { return box_difference_db(box, options); }});
    };
    add("cpml, two layers of 1500 and 3000 m/s", {.vp_m_s = two_layers}, -80.);
    add("cpml, two layers under a free surface", {.vp_m_s = two_layers, .free_surface = true}, -80.);
    add("cpml, gradient of 2.5 1/s between the CPML zones", {.vp_m_s = gradient_inside}, -75.);
    add("cpml, gradient of 1.5 1/s through all CPML zones", {.vp_m_s = gradient_through}, -43.);
    add("cpml, dipping interface through two CPML zones", {.vp_m_s = slant}, -43.);
    add("cpml, inclusion of 4500 in 2000 m/s in front of a CPML zone", {.vp_m_s = body_before, .vp_max_m_s = 4500.},
        -80.);
    add("cpml, inclusion of 4500 in 2000 m/s half inside a CPML zone",
        {.vp_m_s = body_across_edge, .vp_max_m_s = 4500.}, -15.);
    add("cpml, inclusion of 4500 in 2000 m/s through a CPML zone", {.vp_m_s = body_through, .vp_max_m_s = 4500.}, -80.);
    add("cpml, 3-D, 2000 m/s", {.dimensions = 3, .vp_m_s = same_everywhere, .vp_max_m_s = 2000.}, -85.);
}

void add_growth(PromiseGroup& group) {
    const auto add = [&group](const std::string& what, const AbsorbingBox& box, bool quick = false) -> Promise& {
        char steps[32];
        std::snprintf(steps, sizeof steps, "%lld,000", static_cast<long long>(box.steps / 1000));
        group.promises.push_back({what + ", growth in " + steps + " steps", 0., quick,
                                  [box](const VerifyOptions& options) { return growth_db(box, options); }});
        return group.promises.back();
    };
    // Tests leave out what lies between others of the same operator, and where two properties meet that others have one
    // by one.
    for (int order = 2; order <= 16; order += 2)
        add("cpml all around, order " + std::to_string(order), {.scheme = make_scheme(Equation::star, order)})
            .takes_long = order != 2;  // order 8 has two layers, order 16 other faces
    for (const int order : {2, 8, 16})
        add("cpml all around, variable density, order " + std::to_string(order),
            {.scheme = make_scheme(Equation::variable_density, order)})
            .takes_long = true;  // at order 8 there are two layers, and orders 2 and 16 are those of the star
    const Scheme compact = make_scheme(Equation::compact, 2), star = make_scheme(Equation::star, 8);
    add("cpml all around, compact", {.scheme = compact});
    add("cpml all around, optimised coefficients", {.scheme = make_scheme(Equation::star, 8, Coefficients::optimised)});
    add("cpml all around, variable density, optimised coefficients",
        {.scheme = make_scheme(Equation::variable_density, 8, Coefficients::optimised)})
        .takes_long = true;
    add("cpml all around, two layers", {.vp_m_s = two_layers});
    add("cpml all around, gradient", {.vp_m_s = gradient_inside}).takes_long = true;
    add("cpml all around, variable density, two layers",
        {.scheme = make_scheme(Equation::variable_density, 8), .vp_m_s = two_layers, .rho_kg_m3 = two_densities});
    add("cpml all around, float", {.precision = Precision::float32});
    add("cpml under a free surface", {.kinds = {"cpml", "cpml", "cpml", "cpml", "free_surface", "cpml"}}).takes_long =
        true;  // order 16 has one beside a wall
    add("cpml beside free and rigid faces, order 16",
        {.scheme = make_scheme(Equation::star, 16),
         .kinds = {"cpml", "rigid", "cpml", "cpml", "free_surface", "cpml"}});
    for (const int order : {2, 8, 16})
        add("cpml all around, order " + std::to_string(order) + ", order 4 in time",
            {.scheme = of_order_4_in_time(order)}, order == 8)
            .takes_long = order != 8;
    add("cpml all around, order 4 in time, two layers", {.scheme = of_order_4_in_time(8), .vp_m_s = two_layers})
        .takes_long = true;
    add("cpml under a free surface, order 4 in time",
        {.scheme = of_order_4_in_time(8), .kinds = {"cpml", "cpml", "cpml", "cpml", "free_surface", "cpml"}})
        .takes_long = true;
    add("cpml all around, attenuation", {.scheme = make_scheme(Equation::attenuation_of_two, 8)});
    add("cpml all around, attenuation, variable density, two layers",
        {.scheme = make_scheme(Equation::attenuation_density_of_two, 8),
         .vp_m_s = two_layers,
         .rho_kg_m3 = two_densities});
    add("sponge all around, attenuation", {.scheme = make_scheme(Equation::attenuation_of_two, 8),
                                           .kinds = {"sponge", "sponge", "zero", "zero", "sponge", "sponge"},
                                           .steps = 5000,
                                           .every = 1000});
    for (const Scheme& scheme :
         {star, compact, make_scheme(Equation::variable_density, 4), make_scheme(Equation::attenuation, 8)})
        add("cpml all around, 3-D, " + std::string(name(scheme.equation)),
            {.dimensions = 3, .scheme = scheme, .steps = 3000, .every = 1000}, scheme.equation == Equation::star);
    for (const Scheme& scheme : {star, of_order_4_in_time(8)})
        add(scheme.time_order == 4 ? "sponge all around, order 4 in time" : "sponge all around",
            {.scheme = scheme,
             .kinds = {"sponge", "sponge", "zero", "zero", "sponge", "sponge"},
             .steps = 5000,
             .every = 1000});
}

constexpr const char* kMethodOfStrips =
    "The default CPML zone (20 nodes) or sponge (40 nodes) on one face of a 2-D box, with source and receiver 30 nodes "
    "from its inner edge (5 for grazing waves, which travel along it). The same shot in a box so large that no "
    "reflection from a face arrives is subtracted; the largest amplitude of the difference is divided by that of the "
    "image source, the reflection of a perfect mirror at the inner edge. The wavelength is that of the peak frequency "
    "of a Ricker wavelet. Heterogeneous media: a box of 121 x 101 nodes with CPML on all faces is compared with such a "
    "large box at 21 receivers between the CPML zones; in 3-D a homogeneous box of 57 x 55 x 59 nodes at 27 receivers; "
    "the value is the largest difference over the largest amplitude. Interfaces and gradients continue through the "
    "CPML zones. Where the medium changes towards a face, the large box returns waves from places that the small one "
    "does not contain. A sponge is not perfectly matched: it reflects several per cent of long and of oblique waves. "
    "Growth: a field of random signs with amplitude 1, containing all wavenumbers, in a small box whose CPML zones "
    "almost touch, at 0.9 of the stability limit, in a homogeneous medium, or with two layers or a gradient of 2.5 1/s "
    "that continue through the CPML zones; the value is the remaining energy, or the largest ratio of the energies at "
    "two checks some thousand time steps apart, whichever is larger: below 0 dB nothing has grown.";

}  // namespace

PromiseGroup absorbing_strips() {
    PromiseGroup group;
    group.id = "R6";
    group.title = "Absorbing boundaries";
    group.quantity = "amplitude over that of a perfect mirror";
    group.unit = "dB";
    group.method = kMethodOfStrips;
    for (const Row& row : kRows)
        group.promises.push_back(reflects(
            {row.kind, make_scheme(Equation::star, 8), row.angle_deg, row.wavelength_nodes}, row.limit_db, row.quick));
    for (const int order : {2, 4, 6, 10, 12, 14, 16})
        for (const double angle : {0., 60.})
            group.promises.push_back(reflects({"cpml", make_scheme(Equation::star, order), angle, 16.}, -85., false));
    const auto other = [&group](const Scheme& scheme, const char* what, double angle, double limit_db) {
        group.promises.push_back(reflects({"cpml", scheme, angle, 16.}, limit_db, false));
        group.promises.back().name += std::string(", ") + what;
    };
    for (const double angle : {0., 60.}) {
        other(make_scheme(Equation::star, 8, Coefficients::optimised), "optimised coefficients", angle, -85.);
        other(make_scheme(Equation::compact, 2), "compact", angle, -85.);
        for (const int order : {2, 8, 16})
            other(make_scheme(Equation::variable_density, order), "variable density", angle, -85.);
    }
    for (const double angle : {0., 60.})
        group.promises.push_back(reflects({"cpml", of_order_4_in_time(8), angle, 16.}, -85., angle == 0.));
    add_grazing(group);
    add_media(group);
    add_growth(group);
    return group;
}

}  // namespace onda::verify
