#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <stdexcept>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "kernels/equations/parameters.hpp"
#include "kernels/equations/scheme.hpp"
#include "solver/commands/commands.hpp"
#include "solver/discretisation/plane_wave.hpp"
#include "solver/pictures/dispersion_picture.hpp"
#include "solver/program/json_text.hpp"

namespace onda {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples =
    "onda dispersion                                        # the default scheme\n"
    "onda dispersion --order 4 --coefficients optimised     # another one\n"
    "onda dispersion --order 16 --cfl 0.9 --json            # with time dispersion, for plots\n"
    "onda dispersion --operator tti --epsilon 0.2 --delta 0.1 --theta 30 --plot tti.png\n"
    "onda dispersion --operator attenuation --q 50 --reference-hz 25";

struct Arguments {
    std::string equation = "star", coefficients = "taylor";
    int order = 0;  ///< 0: what the operator has, 8 where it can be chosen
    int time_order = 2, dimensions = 3;
    double cfl = 0.;
    std::vector<double> points{2.5, 3., 4., 5., 6., 8., 10., 15., 20.};
    std::vector<double> angles_deg;  ///< empty: of angles_of()
    double epsilon = 0., delta = 0., theta_deg = 0., phi_deg = 0., azimuth_deg = 0.;
    std::optional<double> q;
    double reference_hz = 1., power = 1., dt_s = 0.;
    std::vector<double> band_hz;  ///< empty: as of a wavelet whose peak is the reference
    int mechanisms = kMostMechanisms;
    std::filesystem::path plot;
    bool json = false, force = false;

    [[nodiscard]] Equation chosen() const {
        return *std::ranges::find(equations(), equation, [](const Equation& row) { return row->name; });
    }
    [[nodiscard]] bool is_directional() const { return has_parameter(chosen(), kEpsilon.name); }
};

constexpr double radians(double degrees) {
    return degrees * std::numbers::pi / 180.;
}

Scheme scheme_of(const Arguments& arguments) {
    const Equation chosen = arguments.chosen();
    const bool fixed = chosen == Equation::compact;
    Scheme scheme = make_scheme(chosen, arguments.order == 0 ? (fixed ? 2 : 8) : arguments.order,
                                arguments.coefficients == "optimised" ? Coefficients::optimised : Coefficients::taylor);
    if (arguments.time_order != 2 && scheme.equation != Equation::star)
        throw std::invalid_argument("--time-order 4 is of --operator star");
    scheme.time_order = arguments.time_order;
    scheme.anisotropy = {arguments.epsilon, arguments.epsilon, arguments.delta, arguments.delta};
    return scheme;
}

DirectionalMedium medium_of(const Arguments& arguments) {
    const double theta = radians(arguments.theta_deg), phi = radians(arguments.phi_deg);
    return {arguments.epsilon,
            arguments.delta,
            {std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta)}};
}

std::vector<double> angles_of(const Arguments& arguments) {
    if (!arguments.angles_deg.empty()) return arguments.angles_deg;
    if (!arguments.is_directional()) return {0., 15., 30., 45., 54.7356};
    if (arguments.theta_deg == 0.) return {0., 15., 30., 45., 60., 75., 90.};
    return {-60., -30., 0., 30., 60., 90.};
}

/// A unit vector at an angle to the x axis, towards z in 2-D and the diagonal of y and z in 3-D; where velocities
/// depend on the direction at an angle from the vertical, towards x in 2-D and an azimuth in 3-D.
std::array<double, 3> direction(const Arguments& arguments, double angle_deg) {
    const double angle = radians(angle_deg), across = std::sin(angle), azimuth = radians(arguments.azimuth_deg);
    if (arguments.is_directional()) return {across * std::cos(azimuth), across * std::sin(azimuth), std::cos(angle)};
    if (arguments.dimensions == 2) return {std::cos(angle), 0., across};
    return {std::cos(angle), across / std::numbers::sqrt2, across / std::numbers::sqrt2};
}

/// CLI11's ranges let NaN pass, as it compares false with both ends. \throws std::invalid_argument.
void check_finite(const Arguments& arguments) {
    constexpr double most_deg = 360.;
    for (const double points : arguments.points)
        if (!std::isfinite(points)) throw std::invalid_argument("--points: every number must be finite");
    for (const double angle : arguments.angles_deg)
        if (!(std::abs(angle) <= most_deg)) throw std::invalid_argument("--angles: must be -360 to 360 degrees");
    for (const double angle : {arguments.theta_deg, arguments.phi_deg, arguments.azimuth_deg})
        if (!(std::abs(angle) <= most_deg))
            throw std::invalid_argument("--theta, --phi and --azimuth: must be -360 to 360 degrees");
    if (!std::isfinite(arguments.cfl)) throw std::invalid_argument("--cfl: must be a number from 0 to 1");
}

/// Refuses parameters that the operator does not have, and those that contradict. \throws std::invalid_argument.
void check_medium(const CLI::App& command, const Arguments& arguments) {
    const auto refuse = [&](std::initializer_list<const char*> options, bool has, const char* of) {
        for (const char* const option : options)
            if (!has && command.count(option) > 0)
                throw std::invalid_argument(std::string(option) + " is of --operator " + of);
    };
    const Equation chosen = arguments.chosen();
    refuse({"--epsilon", "--delta", "--azimuth"}, arguments.is_directional(), "vti and tti");
    refuse({"--theta", "--phi"}, has_parameter(chosen, kTheta.name), "tti");
    refuse({"--q"}, !chosen->memory.empty(), "attenuation and others with mechanisms");
    if (arguments.dimensions == 2 && (arguments.phi_deg != 0. || arguments.azimuth_deg != 0.))
        throw std::invalid_argument(
            "--phi and --azimuth are of --dimensions 3: in 2-D axes and waves lie in the plane");
    const auto within = [](const MediumParameter& parameter, double value) {
        if (!(value >= parameter.lowest && value <= parameter.highest))
            throw std::invalid_argument(fmt::format("--{} {:g}: must be from {:g} to {:g}", parameter.name, value,
                                                    parameter.lowest, parameter.highest));
    };
    within(kEpsilon, arguments.epsilon);
    within(kDelta, arguments.delta);
    if (arguments.q) within(kQ, *arguments.q);
    if (arguments.delta > arguments.epsilon)
        throw std::invalid_argument("--delta must be at most --epsilon: the equation would be unstable");
}

/// Phase velocity over that of the equation, of waves of so many points per wavelength in a direction.
double ratio_of(const Arguments& arguments, const Scheme& scheme, double points, double angle_deg, double vp_dt) {
    std::array<double, 3> k = direction(arguments, angle_deg);
    for (double& component : k) component *= 2. * std::numbers::pi / points;
    if (arguments.is_directional()) return phase_velocity_ratio(scheme, medium_of(arguments), k, {1., 1., 1.}, vp_dt);
    if (arguments.dimensions == 2) return scheme.phase_velocity_ratio({k[0], k[2]}, {1., 1.}, vp_dt);
    return scheme.phase_velocity_ratio({k.begin(), k.end()}, {1., 1., 1.}, vp_dt);
}

double largest_courant_number(const Arguments& arguments, const Scheme& scheme) {
    return scheme.stability_limit_s(std::vector<double>(static_cast<std::size_t>(arguments.dimensions), 1.), 1.);
}

/// What there is to say of the medium where velocities depend on the direction.
void add_directional(const Arguments& arguments, Json& json) {
    const DirectionalMedium medium = medium_of(arguments);
    json["epsilon"] = arguments.epsilon;
    json["delta"] = arguments.delta;
    json["theta_deg"] = arguments.theta_deg;
    json["phi_deg"] = arguments.phi_deg;
    json["azimuth_deg"] = arguments.azimuth_deg;
    json["phase_velocity"] = Json::array();
    for (const double angle : angles_of(arguments))
        json["phase_velocity"].push_back(phase_velocity(medium, direction(arguments, angle)));
}

Relaxation relaxation_of(const Arguments& arguments) {
    const double reference = arguments.reference_hz;
    const std::vector<double> band =
        arguments.band_hz.empty() ? std::vector{0.4 * reference, 2.5 * reference} : arguments.band_hz;
    if (!(band.size() == 2 && band[0] > 0. && band[0] < band[1] && std::isfinite(band[1])))
        throw std::invalid_argument("--band-hz: must be two frequencies, the second above the first");
    if (!(std::numbers::pi * band[1] * arguments.dt_s < 1.))
        throw std::invalid_argument("--dt-s: steps resolve frequencies below 1 / (pi dt), and the band ends higher");
    return {reference, band[0], band[1], arguments.mechanisms, arguments.power};
}

/// Q and velocity at so many frequencies of the band, evenly spaced in their logarithm.
AbsorptionCurves absorption(const Arguments& arguments, int frequencies) {
    const Relaxation relaxation = relaxation_of(arguments);
    const RelaxationFit fit(relaxation, arguments.dt_s);
    const Mechanisms mechanisms = fit.mechanisms(*arguments.q);
    AbsorptionCurves curves;
    for (int i = 0; i < frequencies; ++i) {
        const double share = static_cast<double>(i) / (frequencies - 1);
        const double hz = relaxation.low_hz * std::pow(relaxation.high_hz / relaxation.low_hz, share);
        const std::complex<double> wanted = wanted_wavenumber(relaxation, *arguments.q, hz);
        const std::complex<double> had = fitted_wavenumber(fit, mechanisms, hz, arguments.dt_s);
        curves.frequencies_hz.push_back(hz);
        curves.wanted_q.push_back(quality_factor(wanted));
        curves.q.push_back(quality_factor(had));
        curves.wanted_velocity.push_back(1. / wanted.real());
        curves.velocity.push_back(1. / had.real());
    }
    return curves;
}

void add_absorption(const Arguments& arguments, Json& json) {
    constexpr int rows = 9;
    const AbsorptionCurves curves = absorption(arguments, rows);
    const Relaxation relaxation = relaxation_of(arguments);
    json["absorption"] = {{"q", *arguments.q},
                          {"reference_frequency_hz", relaxation.reference_hz},
                          {"band_hz", {relaxation.low_hz, relaxation.high_hz}},
                          {"mechanisms", relaxation.mechanisms},
                          {"frequency_power", relaxation.power},
                          {"dt_s", arguments.dt_s},
                          {"frequencies_hz", curves.frequencies_hz},
                          {"wanted_q", curves.wanted_q},
                          {"achieved_q", curves.q},
                          {"wanted_velocity", curves.wanted_velocity},
                          {"achieved_velocity", curves.velocity}};
}

/// What is printed, on a grid of unit spacing and velocity.
Json measure(const Arguments& arguments) {
    const Scheme scheme = scheme_of(arguments);
    const double limit = largest_courant_number(arguments, scheme);
    Json json{{"operator", arguments.equation},     {"space_order", scheme.space_order},
              {"time_order", scheme.time_order},    {"coefficients", arguments.coefficients},
              {"dimensions", arguments.dimensions}, {"weights", scheme.weights}};
    if (scheme.equation == Equation::compact) {
        const CompactWeights& w = scheme.compact;
        json["weights"] = {w.centre, w.face, w.edge, w.corner};
    }
    json["largest_courant_number"] = limit;
    json["cfl_fraction"] = arguments.cfl;
    json["points_per_wavelength"] = arguments.points;
    json["angles_deg"] = angles_of(arguments);
    if (arguments.is_directional()) add_directional(arguments, json);
    json["phase_velocity_ratio"] = Json::array();
    for (const double points : arguments.points) {
        std::vector<double> row;
        for (const double angle : angles_of(arguments))
            row.push_back(ratio_of(arguments, scheme, points, angle, arguments.cfl * limit));
        json["phase_velocity_ratio"].push_back(row);
    }
    if (arguments.q) add_absorption(arguments, json);
    return json;
}

void print_absorption(const Json& json) {
    std::printf(
        "\nQ of %.6g at %.6g Hz, %d mechanism%s from %.6g to %.6g Hz\nfrequency    Q wanted    achieved   "
        "velocity wanted    achieved\n",
        json["q"].get<double>(), json["reference_frequency_hz"].get<double>(), json["mechanisms"].get<int>(),
        json["mechanisms"] == 1 ? "" : "s", json["band_hz"][0].get<double>(), json["band_hz"][1].get<double>());
    for (std::size_t i = 0; i < json["frequencies_hz"].size(); ++i)
        std::printf("%9.5g %11.5g %11.5g %14.6f vp %8.6f vp\n", json["frequencies_hz"][i].get<double>(),
                    json["wanted_q"][i].get<double>(), json["achieved_q"][i].get<double>(),
                    json["wanted_velocity"][i].get<double>(), json["achieved_velocity"][i].get<double>());
}

void print(const Json& json) {
    const bool compact = json["operator"] == "compact27", directional = json.contains("phase_velocity");
    std::printf("%s, order %d%s, %s coefficients, %d-D\ncoefficients", json["operator"].get<std::string>().c_str(),
                json["space_order"].get<int>(), json["time_order"] == 2 ? "" : ", order 4 in time",
                json["coefficients"].get<std::string>().c_str(), json["dimensions"].get<int>());
    for (const double weight : json["weights"]) std::printf(" %.9g", weight);
    std::printf("%s\nstability     vp dt / spacing <= %.6g\n\n", compact ? "  (centre, face, edge, corner)" : "",
                json["largest_courant_number"].get<double>());
    std::printf("phase-velocity error in percent, %s\npoints per     angle %s\nwavelength ",
                json["cfl_fraction"] == 0. ? "spatial dispersion only" : "spatial and time dispersion",
                directional ? "from the vertical" : "to the x axis");
    for (const double angle : json["angles_deg"]) std::printf("%9.4g", angle);
    if (directional) {
        std::printf("\nexact v/vp ");
        for (const double velocity : json["phase_velocity"]) std::printf("%9.4f", velocity);
    }
    for (std::size_t i = 0; i < json["points_per_wavelength"].size(); ++i) {
        std::printf("\n%10.4g ", json["points_per_wavelength"][i].get<double>());
        for (const double ratio : json["phase_velocity_ratio"][i]) std::printf("%9.4f", 100. * (ratio - 1.));
    }
    std::printf("\n");
    if (json.contains("absorption")) print_absorption(json["absorption"]);
}

/// Errors at every degree between the angles of the table, but those of no more wavelengths than can be told apart.
DispersionCurves curves_of(const Arguments& arguments) {
    const auto [first, last] = std::ranges::minmax(angles_of(arguments));
    if (!(first < last)) throw std::invalid_argument("--plot draws errors over angles: --angles must be two or more");
    const Scheme scheme = scheme_of(arguments);
    const double vp_dt = arguments.cfl * largest_courant_number(arguments, scheme);
    DispersionCurves curves{
        arguments.is_directional() ? "angle from the vertical [degrees]" : "angle to the x axis [degrees]",
        {},
        arguments.points,
        std::vector<std::vector<double>>(arguments.points.size())};
    const int steps = std::max(1, static_cast<int>(std::lround(last - first)));
    for (int i = 0; i <= steps; ++i) {
        curves.angles_deg.push_back(first + (last - first) * i / steps);
        for (std::size_t p = 0; p < arguments.points.size(); ++p)
            curves.errors_percent[p].push_back(
                100. * (ratio_of(arguments, scheme, arguments.points[p], curves.angles_deg.back(), vp_dt) - 1.));
    }
    return curves;
}

void draw(const Arguments& arguments) {
    constexpr int frequencies = 121;
    const Scheme scheme = scheme_of(arguments);
    Picture picture{
        fmt::format("{}, {}-D, {:g} of the stability limit", scheme.description(), arguments.dimensions, arguments.cfl),
        {panel_of(curves_of(arguments))}};
    if (arguments.q)
        for (Panel& panel : panels_of(absorption(arguments, frequencies))) picture.panels.push_back(std::move(panel));
    write_picture(arguments.plot, picture, arguments.force);
    if (!arguments.json) std::cout << shown(arguments.plot) << '\n';
}

void add_medium_options(CLI::App& command, Arguments& arguments) {
    const auto add = [&command](const char* option, auto& value, const char* wanted, const char* help) {
        return command.add_option(option, value, help)->option_text(wanted);
    };
    add("--epsilon", arguments.epsilon, "NUMBER", "Thomsen's epsilon, of vti and tti (default: 0)");
    add("--delta", arguments.delta, "NUMBER", "Thomsen's delta, at most epsilon (default: 0)");
    add("--theta", arguments.theta_deg, "DEGREES", "Angle of the axis from the vertical, of tti (default: 0)");
    add("--phi", arguments.phi_deg, "DEGREES", "Azimuth of the axis, from x to y, of tti (default: 0)");
    add("--azimuth", arguments.azimuth_deg, "DEGREES",
        "Azimuth of the waves, from x to y, of vti and tti in 3-D (default: 0)");
    add("--q", arguments.q, "NUMBER",
        "Quality factor, of operators with mechanisms: prints Q and velocity over the band");
    add("--reference-hz", arguments.reference_hz, "HZ", "Frequency where vp is the velocity, and Q is --q (default: 1)")
        ->check(CLI::Range(1e-9, 1e12));
    add("--band-hz", arguments.band_hz, "LOW,HIGH",
        "The band of the fit (default: 0.4 and 2.5 times the reference frequency)")
        ->delimiter(',');
    add("--mechanisms", arguments.mechanisms, "N", "Relaxation mechanisms, 1 to 4 (default: 4)")
        ->check(CLI::Range(1, kMostMechanisms));
    add("--power", arguments.power, "NUMBER", "Attenuation grows with this power of the frequency, 1 to 2 (default: 1)")
        ->check(CLI::Range(1., 2.));
    add("--dt-s", arguments.dt_s, "SECONDS", "Time step of the fit (default: 0, continuous time)")
        ->check(CLI::Range(0., 1e9));
}

}  // namespace

Command add_dispersion(CLI::App& app) {
    CLI::App* command = add_command(
        app, "dispersion",
        "Print the finite-difference coefficients, stability limit and phase-velocity error of a scheme", kExamples);
    const auto arguments = std::make_shared<Arguments>();
    std::vector<std::string> operators;
    for (const Equation& row : equations()) operators.emplace_back(row->name);
    command->add_option("--operator", arguments->equation, "Discrete operator")
        ->check(CLI::IsMember(operators))
        ->capture_default_str();
    command->add_option("--order", arguments->order, "Space order: even, 2 to 16 (default: 8; compact27: 2)");
    command->add_option("--time-order", arguments->time_order, "Order in time")
        ->check(CLI::IsMember({2, 4}))
        ->capture_default_str();
    command->add_option("--coefficients", arguments->coefficients, "Finite-difference coefficients")
        ->check(CLI::IsMember({"taylor", "optimised"}))
        ->capture_default_str();
    command->add_option("--dimensions", arguments->dimensions, "2 or 3")
        ->check(CLI::Range(2, 3))
        ->capture_default_str();
    command
        ->add_option("--cfl", arguments->cfl,
                     "Time step as a fraction of the stability limit; 0: spatial dispersion only")
        ->check(CLI::Range(0., 1.))
        ->capture_default_str();
    command->add_option("--points", arguments->points, "Points per wavelength, 2 or more")
        ->check(CLI::Range(2., 1e6))
        ->delimiter(',');
    command
        ->add_option("--angles", arguments->angles_deg,
                     "Angles [degrees] of the wave to the x axis, towards z in 2-D and the diagonal of y and z in 3-D; "
                     "of vti and tti from the vertical, towards x or --azimuth")
        ->delimiter(',');
    add_medium_options(*command, *arguments);
    command->add_option("--plot", arguments->plot, "Draw the errors over the angle, and Q and velocity over frequency")
        ->option_text("FILE");
    command->add_flag("--force", arguments->force, "Overwrite the picture");
    command->add_flag("--json", arguments->json, "Print JSON");
    return [command, arguments] {
        try {
            check_finite(*arguments);
            check_medium(*command, *arguments);
            if (!arguments->plot.empty()) check_extension(arguments->plot, "--plot", "pictures", picture_extensions());
            const Json json = measure(*arguments);
            if (!arguments->plot.empty()) draw(*arguments);
            arguments->json ? void(std::printf("%s\n", json_text(json).c_str())) : print(json);
            return static_cast<int>(ExitCode::ok);
        } catch (const std::invalid_argument& fault) {
            throw Error(ExitCode::usage, fault.what());
        }
    };
}

}  // namespace onda
