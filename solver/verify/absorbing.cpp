#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "solver/propagator.hpp"
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
    std::snprintf(text, sizeof text, "%s, order %d, %.0f degrees, %.0f nodes per wavelength", c.kind.c_str(),
                  c.scheme.space_order, c.angle_deg, c.wavelength_nodes);
    return text;
}

Promise reflects(const Incidence& c, double limit_db, bool quick) {
    return {describe(c), limit_db, quick, [c](const VerifyOptions& options) { return reflection_db(c, options); }};
}

struct Box {
    int dimensions = 2;
    Scheme scheme = make_scheme(WaveOperator::star, 8);
    Precision precision = Precision::float64;
    std::array<std::string, 6> kinds{"cpml", "cpml", "cpml", "cpml", "cpml", "cpml"};
    std::int64_t steps = 100000;
    std::int64_t every = 5000;  ///< steps between looks: longer than waves stay, and than their energy swings
};

Experiment absorbing_box(const Box& box) {
    Experiment e;
    e.grid.dimensions = box.dimensions;
    // the layers of opposite faces, 20 nodes each, all but meet
    e.grid.n = box.dimensions == 2 ? std::array<std::int64_t, 3>{44, 1, 41} : std::array<std::int64_t, 3>{41, 42, 40};
    if (box.kinds[0] == "sponge") e.grid.n = {140, 1, 120};
    e.grid.spacing_m = {10., 12., 8.};
    if (box.scheme.wave_operator == WaveOperator::compact) e.grid.spacing_m = {10., 10., 10.};
    e.scheme = box.scheme;
    e.precision = box.precision;
    e.dt_s = 0.9 * stable_dt_s(e.grid, e.scheme, 2000.);
    e.steps = box.steps;
    const Boundary boundary = default_strips(box.kinds, e.grid, e.scheme, 2000., e.dt_s, 20.);
    e.halos = boundary.halos;
    e.sponge = boundary.sponge;
    e.cpml = boundary.cpml;
    return e;
}

/// 10 log10 of the energy left of a field of random signs, all wavenumbers at once, or of the largest growth from one
/// look to the next, whichever is larger.
Measurement growth_db(const Box& box, const VerifyOptions& options) {
    const Experiment e = absorbing_box(box);
    const auto backend = constant_medium(e, 2000., options);
    Propagator propagator(*backend, Sources{}, NodeWeights{}, e.time_axis());
    std::vector<double> now(std::size_t(e.grid.points())), previous;
    for (std::size_t i = 0; i < now.size(); ++i) {
        const bool on_free_surface = node_share(e, e.grid.node(std::int64_t(i))) == 0.;
        now[i] = on_free_surface ? 0. : scatter(std::int64_t(i)) < 0.5 ? -1. : 1.;
    }
    previous = now;
    backend->upload(now, now);
    const auto energy = [&] {
        backend->download(Window::whole(e.grid), std::span<double>(now));
        backend->download_previous(Window::whole(e.grid), previous);
        return staggered_energy(
            e, [](const auto&) { return 2000.; }, [](const auto&) { return 1.; }, now, previous);
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

void add_media(PromiseGroup& group) {
    struct Case {
        const char* name;
        double (*vp_m_s)(double, double);
        bool free_surface;
        double limit_db;
    };
    for (const Case& c : {Case{"cpml, two layers of 1500 and 3000 m/s", two_layers, false, -80.},
                          Case{"cpml, two layers under a free surface", two_layers, true, -80.},
                          Case{"cpml, gradient of 2.5 1/s between the layers", gradient_inside, false, -75.},
                          Case{"cpml, gradient of 1.5 1/s through all layers", gradient_through, false, -43.},
                          Case{"cpml, slanting interface through two layers", slant, false, -43.}})
        group.promises.push_back({c.name, c.limit_db, false, [c](const VerifyOptions& options) {
                                      return box_difference_db(c.vp_m_s, 3000., c.free_surface, options);
                                  }});
}

void add_growth(PromiseGroup& group) {
    const auto add = [&group](const std::string& what, const Box& box, bool quick = false) {
        char steps[32];
        std::snprintf(steps, sizeof steps, "%lld,000", static_cast<long long>(box.steps / 1000));
        group.promises.push_back({what + ", growth in " + steps + " steps", 0., quick,
                                  [box](const VerifyOptions& options) { return growth_db(box, options); }});
    };
    for (int order = 2; order <= 16; order += 2)
        add("cpml all around, order " + std::to_string(order), {.scheme = make_scheme(WaveOperator::star, order)});
    for (const int order : {2, 8, 16})
        add("cpml all around, variable density, order " + std::to_string(order),
            {.scheme = make_scheme(WaveOperator::variable_density, order)});
    const Scheme compact = make_scheme(WaveOperator::compact, 2), star = make_scheme(WaveOperator::star, 8);
    add("cpml all around, compact", {.scheme = compact});
    add("cpml all around, optimised weights", {.scheme = make_scheme(WaveOperator::star, 8, Coefficients::optimised)});
    add("cpml all around, float", {.precision = Precision::float32});
    add("cpml under a free surface", {.kinds = {"cpml", "cpml", "cpml", "cpml", "free_surface", "cpml"}});
    add("cpml beside free and rigid faces, order 16",
        {.scheme = make_scheme(WaveOperator::star, 16),
         .kinds = {"cpml", "rigid", "cpml", "cpml", "free_surface", "cpml"}});
    for (const Scheme& scheme : {star, compact, make_scheme(WaveOperator::variable_density, 4)})
        add("cpml all around, 3-D, " + std::string(name(scheme.wave_operator)),
            {.dimensions = 3, .scheme = scheme, .steps = 3000, .every = 1000},
            scheme.wave_operator == WaveOperator::star);
    add("sponge all around",
        {.kinds = {"sponge", "sponge", "zero", "zero", "sponge", "sponge"}, .steps = 5000, .every = 1000});
}

}  // namespace

PromiseGroup absorbing_strips() {
    PromiseGroup group;
    group.id = "R6";
    group.title = "Absorbing strips";
    group.quantity = "amplitude over that of a perfect mirror";
    group.unit = "dB";
    group.method =
        "The default layer (cpml, 20 nodes) or sponge (40 nodes) on one face of a 2-D box, source and receiver 30 "
        "nodes before its inner edge. The same shot in a box so large that no face is heard is subtracted; the "
        "largest amplitude of the difference is divided by that of the image source, the reflection of a perfect "
        "mirror at the inner edge. The wavelength is that of the peak frequency of a Ricker wavelet. Media that vary: "
        "a box of 121 x 101 nodes with layers all around against one so large that no face is heard, at 21 receivers "
        "between the layers; the value is the largest difference over the largest amplitude. Interfaces and gradients "
        "run through the layers. Where the medium changes towards a face, the large box returns waves from places "
        "that the small one does not have. A sponge is no perfectly matched layer: it sends back several per cent of "
        "long and of oblique waves. Growth: a field of random signs, amplitude 1 and all wavenumbers at once, in a "
        "small box at 0.9 of the stability limit; the value is the energy left, or the largest ratio of the energies "
        "of two looks some thousand steps apart, whichever is larger: below 0 dB nothing has grown.";
    for (const Row& row : kRows)
        group.promises.push_back(
            reflects({row.kind, make_scheme(WaveOperator::star, 8), row.angle_deg, row.wavelength_nodes}, row.limit_db,
                     row.quick));
    for (const int order : {2, 4, 6, 10, 12, 14, 16})
        for (const double angle : {0., 60.})
            group.promises.push_back(
                reflects({"cpml", make_scheme(WaveOperator::star, order), angle, 16.}, -85., false));
    const auto other = [&group](const Scheme& scheme, const char* what, double angle, double limit_db) {
        group.promises.push_back(reflects({"cpml", scheme, angle, 16.}, limit_db, false));
        group.promises.back().name += std::string(", ") + what;
    };
    for (const double angle : {0., 60.}) {
        other(make_scheme(WaveOperator::star, 8, Coefficients::optimised), "optimised weights", angle, -85.);
        other(make_scheme(WaveOperator::compact, 2), "compact", angle, -85.);
        for (const int order : {2, 8, 16})
            other(make_scheme(WaveOperator::variable_density, order), "variable density", angle, -85.);
    }
    add_media(group);
    add_growth(group);
    return group;
}

}  // namespace onda::verify
