#include "solver/performance/roofline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"

namespace onda {
namespace {

using Json = nlohmann::ordered_json;

/// One kernel of one operator and order.
struct Place {
    std::string kernel, problem;  ///< "vectorised", "order 8"
    double intensity = 0., flops = 0.;
};

struct Roofline {
    std::vector<Place> places;
    double memory_bytes_s = 0., peak_flops = 0.;
    std::string title;
};

std::optional<double> number_in(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

std::string word_in(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) return {};
    return found->is_string() ? found->get<std::string>() : found->dump();
}

/// "order 8", "compact27"; with the operator where it is not the usual one.
std::string problem_name(const Json& problem) {
    const std::string equation = word_in(problem, "operator");
    if (equation == "compact27") return equation;
    return "order " + word_in(problem, "space_order") + (equation == "star" ? "" : ", " + equation);
}

/// The fastest tile of a kernel stands for it.
void keep_fastest(std::vector<Place>& places, Place place) {
    const auto same = std::ranges::find_if(
        places, [&](const Place& other) { return other.kernel == place.kernel && other.problem == place.problem; });
    if (same == places.end())
        places.push_back(std::move(place));
    else if (same->flops < place.flops)
        *same = std::move(place);
}

Roofline make_roofline(const BenchReport& report) {
    Roofline roofline;
    for (const BenchRow& row : report.rows) {
        const auto bytes = number_in(row.facts, "bytes_per_point");
        const auto operations = number_in(row.facts, "operations_per_point");
        if (!bytes || !operations || row.rival != "twin" || row.unit != "Gpt/s") continue;
        if (word_in(row.problem, "boundary") != "none") continue;
        keep_fastest(roofline.places, {word_in(row.kernel, "kernel"), problem_name(row.problem), *operations / *bytes,
                                       1e9 * row.rounds.median() * *operations});
        roofline.memory_bytes_s = std::max(roofline.memory_bytes_s, 1e9 * row.rival_rounds.median() * *bytes);
        if (roofline.title.empty())
            roofline.title = values_text(
                {{"shape", row.problem.value("shape", Json())}, {"precision", word_in(row.problem, "precision")}});
    }
    if (roofline.places.empty())
        throw Error(ExitCode::bad_data,
                    "there is no bare kernel with bytes, operations and the twin of its rounds to draw: "
                    "`onda bench cpu --json FILE` and `onda bench gpu --json FILE` have them");
    if (!report.peak_flops)
        throw Error(ExitCode::bad_data, "the peak of arithmetic (peak.flops) is missing: measure again with this Onda");
    roofline.peak_flops = *report.peak_flops;
    const auto gpu = report.machine.find("gpu");
    roofline.title =
        (gpu != report.machine.end() ? word_in(*gpu, "name") : word_in(report.machine, "cpu")) + ", " + roofline.title;
    return roofline;
}

/// Okabe & Ito (2008), told apart by people of any colour vision; with the shapes, more kernels than there are colours.
constexpr std::array<Rgb, 7> kColours{
    {{0, 114, 178}, {213, 94, 0}, {0, 158, 115}, {204, 121, 167}, {230, 159, 0}, {86, 180, 233}, {60, 60, 60}}};
constexpr std::array kShapes{PictureDots::Shape::circle, PictureDots::Shape::square, PictureDots::Shape::triangle,
                             PictureDots::Shape::diamond, PictureDots::Shape::inverted};

void add_dots(Panel& panel, const std::vector<Place>& places) {
    constexpr double apart = 9.;  // points between kernels of one intensity
    for (const Place& place : places) {
        const auto known = std::ranges::find(panel.dots, place.kernel, &PictureDots::label);
        PictureDots& dots = known != panel.dots.end() ? *known : panel.dots.emplace_back();
        if (dots.label.empty()) {
            const std::size_t i = panel.dots.size() - 1;
            dots.label = place.kernel;
            dots.colour = kColours[i % kColours.size()];
            dots.shape = kShapes[i % kShapes.size()];
        }
        dots.x.push_back(place.intensity);
        dots.y.push_back(1e-9 * place.flops);
    }
    const double first = -0.5 * apart * static_cast<double>(panel.dots.size() - 1);
    for (std::size_t i = 0; i < panel.dots.size(); ++i) panel.dots[i].beside = first + apart * static_cast<double>(i);
}

/// A pale line up to the roof at each intensity, and what has it.
void add_intensities(Panel& panel, const Roofline& roofline) {
    std::map<double, std::string> names;
    for (const Place& place : roofline.places) {
        std::string& text = names[place.intensity];
        if (text.find(place.problem) == std::string::npos) text += (text.empty() ? "" : "; ") + place.problem;
    }
    const double low = panel.vertical.last, high = panel.vertical.first;
    for (const auto& [intensity, text] : names) {
        const double roof = 1e-9 * std::min(roofline.peak_flops, intensity * roofline.memory_bytes_s);
        panel.lines.push_back({{intensity, intensity}, {low, roof}, {170, 170, 170}, {}, true});
        panel.notes.push_back({intensity, std::min(0.55 * high, 1.35 * roof), text, false});
    }
}

void add_roofs(Panel& panel, const Roofline& roofline) {
    const double left = panel.horizontal.first, right = panel.horizontal.last;
    const double ridge = roofline.peak_flops / roofline.memory_bytes_s;
    const double peak = 1e-9 * roofline.peak_flops, slope = 1e-9 * roofline.memory_bytes_s;
    panel.lines.push_back({{left, std::min(ridge, right)},
                           {left * slope, std::min(ridge, right) * slope},
                           {0, 0, 0},
                           fmt::format("memory, as the twin moves it: {:.0f} GB/s", slope)});
    if (ridge < right)
        panel.lines.push_back(
            {{ridge, right}, {peak, peak}, {190, 30, 30}, fmt::format("arithmetic: {:.0f} Gflop/s", peak)});
}

double power_of_two(double value, bool above) {
    const double exponent = std::log2(value);
    return std::exp2(above ? std::ceil(exponent) : std::floor(exponent));
}

}  // namespace

Picture roofline_picture(const BenchReport& report) {
    const Roofline roofline = make_roofline(report);
    const auto [least, most] = std::ranges::minmax(roofline.places, {}, &Place::intensity);
    const double slowest = std::ranges::min(roofline.places, {}, &Place::flops).flops;
    const double ridge = roofline.peak_flops / roofline.memory_bytes_s;
    Panel panel;
    panel.horizontal = {power_of_two(0.6 * least.intensity, false),
                        power_of_two(1.6 * std::max(most.intensity, ridge), true), "arithmetic intensity [flop/byte]",
                        true};
    const double top = 1e-9 * 2.5 * roofline.peak_flops;
    const double bottom = 1e-9 * std::min(0.5 * slowest, 0.7 * roofline.memory_bytes_s * panel.horizontal.first);
    panel.vertical = {top, bottom, "Gflop/s", true};
    panel.grid_lines = true;
    panel.legend = Panel::Corner::upper_left;  // above the roof is nothing
    panel.title = "arithmetic: " + report.peak_source;
    add_intensities(panel, roofline);
    add_roofs(panel, roofline);
    add_dots(panel, roofline.places);
    Picture picture;
    picture.title = "Roofline: " + roofline.title;
    picture.panels.push_back(std::move(panel));
    return picture;
}

}  // namespace onda
