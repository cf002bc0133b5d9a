#include "solver/plan/doubts.hpp"

#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "io/text/number_text.hpp"
#include "solver/discretisation/layer_design.hpp"
#include "solver/plan/plan.hpp"
#include "solver/program/build.hpp"

namespace onda {
namespace {

using Warnings = std::vector<std::string>;

bool has_face(const Config& config, const Grid& grid, std::string_view kind) {
    const BoundaryConfig& b = config.boundary;
    const std::string* const faces[] = {&b.x_min, &b.x_max, &b.y_min, &b.y_max, &b.z_min, &b.z_max};
    for (int face = 0; face < 6; ++face)
        if (grid.has_axis(face / 2) && *faces[face] == kind) return true;
    return false;
}

void doubt_threads(const Experiment& experiment, Warnings& warnings) {
    const std::int64_t threads = experiment.config.backend.threads, processors = host().processors;
    if (threads > processors)
        warnings.push_back(
            fmt::format("backend.threads = {}: this program may use {} processor{}; more threads than that "
                        "wait for each other",
                        threads, processors, processors == 1 ? "" : "s"));
}

/// What the strips leave at normal incidence, 130 m wavelengths on 10 m: -22 dB at 3 nodes of cpml, -39 dB at 5, -47 dB
/// at 6 and -77 dB at 10; a sponge -4 dB at 5 nodes, -13 dB at 10 and -41 dB at 40.
void doubt_widths(const Experiment& experiment, Warnings& warnings) {
    constexpr std::int64_t least_cpml = 6, least_sponge = 10;
    const BoundaryConfig& b = experiment.config.boundary;
    if (has_face(experiment.config, experiment.domain.grid, "cpml") && b.cpml_width < least_cpml)
        warnings.push_back(
            fmt::format("boundary.cpml_width = {}: CPML this thin reflects more than 1 % of every wave; 10 nodes "
                        "reflect 0.02 %, the default is 20",
                        b.cpml_width));
    if (has_face(experiment.config, experiment.domain.grid, "sponge") && b.sponge_width < least_sponge)
        warnings.push_back(
            fmt::format("boundary.sponge_width = {}: a sponge this thin reflects more than 20 % of every wave; the "
                        "default of 40 nodes reflects 1 %",
                        b.sponge_width));
}

/// Zones that are wider than they are by default and have more nodes than the grid.
void doubt_wide_zones(const Experiment& experiment, Warnings& warnings) {
    const BoundaryConfig &b = experiment.config.boundary, defaults;
    const double all = static_cast<double>(experiment.domain.computed.grid().points()),
                 zones = all - static_cast<double>(experiment.domain.grid.points());
    if (!(zones > 0.5 * all)) return;
    const auto doubt = [&](const char* kind, std::int64_t width, std::int64_t usual) {
        if (width > 2 * usual && has_face(experiment.config, experiment.domain.grid, kind))
            warnings.push_back(fmt::format(
                "boundary.{}_width = {}: the absorbing zones exceed the model, with {:.4g} of {:.4g} million nodes; it "
                "is a number of nodes, by default {}",
                kind, width, 1e-6 * zones, 1e-6 * all, usual));
    };
    doubt("cpml", b.cpml_width, defaults.cpml_width);
    doubt("sponge", b.sponge_width, defaults.sponge_width);
}

/// What strips are told to leave of a wave at normal incidence, far from what they are for.
void doubt_reflections(const Experiment& experiment, Warnings& warnings) {
    constexpr double most_cpml = 0.01, most_sponge = 0.1;
    const BoundaryConfig &b = experiment.config.boundary, defaults;
    const auto doubt = [&](const char* kind, double reflection, double most, double otherwise) {
        if (has_face(experiment.config, experiment.domain.grid, kind) && reflection > most)
            warnings.push_back(
                fmt::format("boundary.{}_reflection = {}: so much of every wave comes back, {:.3g} %; "
                            "the default is {}",
                            kind, number_text(reflection), 100. * reflection, number_text(otherwise)));
    };
    doubt("cpml", b.cpml_reflection, most_cpml, defaults.cpml_reflection);
    doubt("sponge", b.sponge_reflection, most_sponge, defaults.sponge_reflection);
}

/// Layers absorb the less of a wave the farther it lies below their frequency. Of a Ricker wavelet of 15 Hz, which ends
/// at 41 Hz, 20 nodes send back 0.02 % if made for 5 to 41 Hz, 0.2 % for 100 Hz, 1 % for 200 Hz and 25 % for 1 kHz.
void doubt_layer_frequency(const Experiment& experiment, Warnings& warnings) {
    const auto& frequency_hz = experiment.config.boundary.cpml_frequency_hz;
    const double highest_hz = experiment.survey.highest_frequency_hz();
    if (!has_face(experiment.config, experiment.domain.grid, "cpml") || !frequency_hz ||
        *frequency_hz <= 2. * highest_hz)
        return;
    warnings.push_back(
        fmt::format("boundary.cpml_frequency_hz = {}: the wavelets have frequencies up to {:.4g} Hz, and layers absorb "
                    "little of what lies far below theirs; without the key they are made for {:.4g} Hz",
                    number_text(*frequency_hz), highest_hz, experiment.survey.lowest_peak_frequency_hz()));
}

/// Between rigid walls nothing holds the mean pressure: after a wavelet whose integral is not zero it grows for ever.
void doubt_mean(const Experiment& experiment, Warnings& warnings) {
    constexpr double rounding = 1e-9;  // of the integral of |s|
    for (const char* kind : {"zero", "free_surface", "sponge", "cpml"})
        if (has_face(experiment.config, experiment.domain.grid, kind)) return;
    const auto grows = [](const Wavelet& w) {
        return w.integral_s && std::abs(*w.integral_s) > rounding * w.magnitude_s;
    };
    const auto wavelet = std::ranges::find_if(experiment.survey.wavelets, grows);
    if (wavelet == experiment.survey.wavelets.end()) return;
    warnings.push_back(fmt::format(
        "wavelet: {} has a mean, an integral of {:.3g} s ({:.2g} % of that of its magnitude): between rigid walls all "
        "around the mean pressure grows with time for ever; use a wavelet without one, or another boundary",
        wavelet->type, *wavelet->integral_s, 100. * std::abs(*wavelet->integral_s) / wavelet->magnitude_s));
}

/// Below some frequency layers are made for that one instead, for rounding would grow in them.
void doubt_low_layer_frequency(const Experiment& experiment, Warnings& warnings) {
    const BoundaryConfig& b = experiment.config.boundary;
    if (!has_face(experiment.config, experiment.domain.grid, "cpml")) return;
    const double finest_m = std::ranges::min(experiment.domain.grid.derivative_spacings_m());
    const double least_hz = least_layer_frequency_hz(b, finest_m, experiment.model.velocity.max_m_s);
    const double wanted_hz = b.cpml_frequency_hz.value_or(experiment.survey.lowest_peak_frequency_hz());
    if (wanted_hz >= least_hz) return;
    const std::string key =
        b.cpml_frequency_hz
            ? fmt::format("boundary.cpml_frequency_hz = {}", number_text(wanted_hz))
            : fmt::format("boundary.cpml_frequency_hz, by default the lowest peak frequency, {:.4g} Hz", wanted_hz);
    warnings.push_back(
        fmt::format("{}: layers are made for {:.4g} Hz, the lowest frequency at which rounding does not grow in them "
                    "({:.3g} nodes per wavelength at the highest velocity)",
                    key, least_hz, experiment.model.velocity.max_m_s / least_hz / finest_m));
}

/// With faces that absorb, nothing is left of a wave that has crossed the grid so many times.
void doubt_duration(const Experiment& experiment, Warnings& warnings) {
    constexpr double most_crossings = 100.;
    const double duration_s = experiment.config.time.duration_s;
    double diagonal_m = 0.;
    for (int axis = 0; axis < 3; ++axis)
        if (experiment.domain.grid.has_axis(axis))
            diagonal_m =
                std::hypot(diagonal_m, last_m(experiment.domain.grid, axis) - experiment.domain.grid.origin_m[axis]);
    const double crossings = duration_s * experiment.model.velocity.min_m_s / diagonal_m;
    if ((has_face(experiment.config, experiment.domain.grid, "cpml") ||
         has_face(experiment.config, experiment.domain.grid, "sponge")) &&
        crossings > most_crossings)
        warnings.push_back(
            fmt::format("time.duration_s = {}: in this record length the slowest wave crosses the grid {:.0f} times, "
                        "and the boundaries absorb it: nothing is left to record; if it is in milliseconds, write {}",
                        number_text(duration_s), crossings, number_text(duration_s * 1e-3)));
}

/// Within these a shot's strongest source (amplitude times the peak of its wavelet, Pa m in 3-D, Pa in 2-D) gives
/// seismograms that scale with it.
struct SourceRange {
    double least, most;
};

/// What the operator makes of p is of the order of p / h^2, and single precision takes it for zero below 1.2e-38. On 10
/// m, 25 nodes from a source in 3-D, order 8, that is an error of 2e-4 of the largest sample at an amplitude of 1e-28,
/// 0.03 at 1e-30 and all at 1e-33; in 2-D 3e-5 at 1e-30, 4e-4 at 1e-31 and 0.15 at 1e-33. It grows as h^3 in
/// 3-D and as h^2 in 2-D. Up to 1e38 nothing is lost on 1 to 50 m; what a finer grid adds to a
/// node is larger. Results are in single precision, whatever they are computed in.
SourceRange source_range(const Grid& grid, Precision precision) {
    if (precision == Precision::float64) return {1e-34, 1e38};
    const std::vector<double> spacings_m = grid.derivative_spacings_m();
    const auto [finest, coarsest] = std::ranges::minmax(spacings_m);
    const int dimensions = grid.dimensions;
    return {std::max(1e-34, (dimensions == 3 ? 3e-28 : 1e-30) * std::pow(coarsest / 10., dimensions)),
            1e36 * std::min(1., std::pow(finest, dimensions))};
}

/// Shots that are too weak, or too strong, for single precision. Those that radiate nothing at all are the survey's.
void doubt_amplitudes(const Experiment& experiment, Precision precision, Warnings& warnings) {
    const auto [least, most] = source_range(experiment.domain.grid, precision);
    const auto magnitude = [](double value) { return std::abs(value); };
    std::vector<double> peaks;  // of each wavelet
    for (const Wavelet& wavelet : experiment.survey.wavelets)
        peaks.push_back(wavelet.series ? magnitude(std::ranges::max(wavelet.series->amplitude, {}, magnitude)) : 1.);
    struct Found {
        std::int64_t shots = 0, first = 0;
        double strength = 0.;  ///< of the first
    } weak, strong;
    for (std::size_t i = 0; i < experiment.survey.shots.size(); ++i) {
        double strength = 0.;
        for (const SourcePoint& source : experiment.survey.shots.sources(i))
            strength = std::max(strength, std::abs(source.amplitude) * peaks[source.wavelet]);
        if (strength == 0. || (strength >= least && strength <= most)) continue;
        Found& found = strength < least ? weak : strong;
        if (found.shots++ == 0) found = {1, experiment.survey.shots.id(i), strength};
    }
    const auto warn = [&](const Found& found, const std::string& why) {
        if (found.shots == 0) return;
        warnings.push_back(fmt::format(
            "sources[].amplitude: the strongest source of shot {}{} has {:.3g} {}, its wavelet included: {}",
            found.first, found.shots == 1 ? "" : fmt::format(" and {} more", found.shots - 1), found.strength,
            experiment.domain.grid.dimensions == 2 ? "Pa" : "Pa m", why));
    };
    warn(weak, fmt::format("below {:.3g} results lose digits, for single precision takes what is below 1.2e-38 for "
                           "zero; raise it, results scale with it",
                           least));
    warn(strong, fmt::format("above {:.3g} the run may end with numbers that single precision, up to 3.4e38, does not "
                             "hold; lower it, results scale with it",
                             most));
}

void doubt_extent(const Experiment& experiment, Warnings& warnings) {
    double longest_m = 0.;
    for (int axis = 0; axis < 3; ++axis)
        if (experiment.domain.grid.has_axis(axis))
            longest_m =
                std::max(longest_m, last_m(experiment.domain.grid, axis) - experiment.domain.grid.origin_m[axis]);
    const double wavelength_m = experiment.model.velocity.min_m_s / experiment.survey.highest_frequency_hz();
    if (!(longest_m < wavelength_m)) return;
    // Of seismics: a coarser grid than the first is in metres, a lower frequency than the second is not in Hz.
    constexpr double small_m = 1., low_hz = 1.;
    const double peak_hz = experiment.survey.lowest_peak_frequency_hz();
    const bool in_khz = peak_hz < low_hz && std::ranges::min(experiment.domain.grid.derivative_spacings_m()) >= small_m;
    warnings.push_back(
        fmt::format("grid: its longest side, {:.4g} m, is shorter than the shortest wavelength, {:.4g} m; {}",
                    longest_m, wavelength_m,
                    in_khz ? fmt::format("is the wavelet's frequency, {} Hz, in kHz? Write {}", number_text(peak_hz),
                                         number_text(std::round(peak_hz * 1e6) / 1e3))
                           : "are grid.spacing_m and the positions in km?"));
}

/// Axes of which only the first node is left, of several.
void doubt_decimation(const Experiment& experiment, Warnings& warnings) {
    const SnapshotPlan& snapshots = experiment.snapshots;
    std::string axes;
    for (std::size_t a = 0; a < 3; ++a)
        if (snapshots.window.count[a] == 1 && snapshots.window_nodes[a] > 1)
            axes += fmt::format("{}one of {} nodes along {}", axes.empty() ? "" : " and ", snapshots.window_nodes[a],
                                "xyz"[a]);
    if (!axes.empty())
        warnings.push_back(fmt::format("output.snapshots.decimation = {}: snapshots keep {}",
                                       fmt::join(experiment.config.output.snapshots.decimation, ", "), axes));
}

void doubt_snapshots(const Experiment& experiment, Warnings& warnings) {
    const SnapshotConfig& asked = experiment.config.output.snapshots;
    if (asked.every_steps && experiment.snapshots.steps.empty())
        warnings.push_back(
            fmt::format("output.snapshots.every_steps = {}: the run has {} steps: there will be no snapshot",
                        *asked.every_steps, experiment.time.steps - experiment.time.extra_steps));
    const auto step = [&](double t) { return experiment.time.nearest_step(t / experiment.time.dt_s); };
    const auto same = std::ranges::adjacent_find(asked.times_s, {}, step);
    if (same == asked.times_s.end()) return;
    const std::int64_t lost = std::ssize(asked.times_s) - experiment.snapshots.steps.size();
    warnings.push_back(
        fmt::format("output.snapshots.times_s: {} and {} s fall on the same time step, at {:.6g} s: {} of the {} "
                    "snapshots will be missing",
                    number_text(*same), number_text(*(same + 1)),
                    static_cast<double>(step(*same)) * experiment.time.dt_s, lost, asked.times_s.size()));
}

}  // namespace

std::vector<std::string> doubts_of(const Experiment& experiment, Precision precision) {
    Warnings warnings;
    doubt_extent(experiment, warnings);
    if (warnings.empty()) {  // in the wrong unit every grid is fine, and every duration long
        doubt_duration(experiment, warnings);
        doubt_low_layer_frequency(experiment, warnings);
    }
    for (const auto doubt : {doubt_widths, doubt_wide_zones, doubt_reflections, doubt_layer_frequency, doubt_mean})
        doubt(experiment, warnings);
    doubt_amplitudes(experiment, precision, warnings);
    for (const auto doubt : {doubt_snapshots, doubt_decimation, doubt_threads}) doubt(experiment, warnings);
    const Warnings without_effect = keys_without_effect(experiment.config);
    warnings.insert(warnings.end(), without_effect.begin(), without_effect.end());
    return warnings;
}

}  // namespace onda
