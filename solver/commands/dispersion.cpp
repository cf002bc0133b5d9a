#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <stdexcept>

#include "io/text/error.hpp"
#include "kernels/equations/scheme.hpp"
#include "solver/commands/commands.hpp"
#include "solver/program/json_text.hpp"

namespace onda {
namespace {

constexpr const char* kExamples =
    "onda dispersion                                        # the default scheme\n"
    "onda dispersion --order 4 --coefficients optimised     # another one\n"
    "onda dispersion --order 16 --cfl 0.9 --json            # with time dispersion, for plots";

struct Arguments {
    std::string equation = "star", coefficients = "taylor";
    int order = 0;  ///< 0: what the operator has, 8 where it can be chosen
    int time_order = 2, dimensions = 3;
    double cfl = 0.;
    std::vector<double> points{2.5, 3., 4., 5., 6., 8., 10., 15., 20.};
    std::vector<double> angles_deg{0., 15., 30., 45., 54.7356};
    bool json = false;
};

Scheme scheme_of(const Arguments& arguments) {
    const auto operators = equations();
    const auto chosen = std::ranges::find(operators, arguments.equation, [](const Equation& row) { return row->name; });
    const bool fixed = *chosen == Equation::compact;
    Scheme scheme = make_scheme(*chosen, arguments.order == 0 ? (fixed ? 2 : 8) : arguments.order,
                                arguments.coefficients == "optimised" ? Coefficients::optimised : Coefficients::taylor);
    if (arguments.time_order != 2 && scheme.equation != Equation::star)
        throw std::invalid_argument("--time-order 4 is of --operator star");
    scheme.time_order = arguments.time_order;
    return scheme;
}

/// A unit vector at an angle to the x axis: towards z in 2-D, towards the diagonal of y and z in 3-D.
std::vector<double> direction(double angle_deg, int dimensions) {
    const double angle = angle_deg * std::numbers::pi / 180., across = std::sin(angle);
    if (dimensions == 2) return {std::cos(angle), across};
    return {std::cos(angle), across / std::numbers::sqrt2, across / std::numbers::sqrt2};
}

/// CLI11's ranges let NaN pass, as it compares false with both ends. \throws std::invalid_argument.
void check_finite(const Arguments& arguments) {
    constexpr double most_deg = 360.;
    for (const double points : arguments.points)
        if (!std::isfinite(points)) throw std::invalid_argument("--points: every number must be finite");
    for (const double angle : arguments.angles_deg)
        if (!(std::abs(angle) <= most_deg)) throw std::invalid_argument("--angles: must be -360 to 360 degrees");
    if (!std::isfinite(arguments.cfl)) throw std::invalid_argument("--cfl: must be a number from 0 to 1");
}

/// What is printed, on a grid of unit spacing and velocity.
nlohmann::ordered_json measure(const Arguments& arguments) {
    const Scheme scheme = scheme_of(arguments);
    const std::vector<double> spacing(static_cast<std::size_t>(arguments.dimensions), 1.);
    const double limit = scheme.stability_limit_s(spacing, 1.);
    nlohmann::ordered_json json{{"operator", arguments.equation},     {"space_order", scheme.space_order},
                                {"time_order", scheme.time_order},    {"coefficients", arguments.coefficients},
                                {"dimensions", arguments.dimensions}, {"weights", scheme.weights}};
    if (scheme.equation == Equation::compact) {
        const CompactWeights& w = scheme.compact;
        json["weights"] = {w.centre, w.face, w.edge, w.corner};
    }
    json["largest_courant_number"] = limit;
    json["cfl_fraction"] = arguments.cfl;
    json["points_per_wavelength"] = arguments.points;
    json["angles_deg"] = arguments.angles_deg;
    json["phase_velocity_ratio"] = nlohmann::ordered_json::array();
    for (const double points : arguments.points) {
        std::vector<double> row;
        for (const double angle : arguments.angles_deg) {
            std::vector<double> k = direction(angle, arguments.dimensions);
            for (double& component : k) component *= 2. * std::numbers::pi / points;
            row.push_back(scheme.phase_velocity_ratio(k, spacing, arguments.cfl * limit));
        }
        json["phase_velocity_ratio"].push_back(row);
    }
    return json;
}

void print(const nlohmann::ordered_json& json) {
    const bool compact = json["operator"] == "compact27";
    std::printf("%s, order %d%s, %s coefficients, %d-D\ncoefficients", json["operator"].get<std::string>().c_str(),
                json["space_order"].get<int>(), json["time_order"] == 2 ? "" : ", order 4 in time",
                json["coefficients"].get<std::string>().c_str(), json["dimensions"].get<int>());
    for (const double weight : json["weights"]) std::printf(" %.9g", weight);
    std::printf("%s\nstability     vp dt / spacing <= %.6g\n\n", compact ? "  (centre, face, edge, corner)" : "",
                json["largest_courant_number"].get<double>());
    std::printf("phase-velocity error in percent, %s\npoints per     angle to the x axis\nwavelength ",
                json["cfl_fraction"] == 0. ? "spatial dispersion only" : "spatial and time dispersion");
    for (const double angle : json["angles_deg"]) std::printf("%9.4g", angle);
    for (std::size_t i = 0; i < json["points_per_wavelength"].size(); ++i) {
        std::printf("\n%10.4g ", json["points_per_wavelength"][i].get<double>());
        for (const double ratio : json["phase_velocity_ratio"][i]) std::printf("%9.4f", 100. * (ratio - 1.));
    }
    std::printf("\n");
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
                     "Angles [degrees] of the wave to the x axis, towards z in 2-D and the diagonal of y and z in 3-D")
        ->delimiter(',');
    command->add_flag("--json", arguments->json, "Print JSON");
    return [arguments] {
        try {
            check_finite(*arguments);
            const auto json = measure(*arguments);
            arguments->json ? void(std::printf("%s\n", json_text(json).c_str())) : print(json);
            return static_cast<int>(ExitCode::ok);
        } catch (const std::invalid_argument& fault) {
            throw Error(ExitCode::usage, fault.what());
        }
    };
}

}  // namespace onda
