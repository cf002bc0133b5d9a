#include "solver/pictures/gather_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <spdlog/fmt/fmt.h>

#include "io/pictures/raster.hpp"
#include "io/pictures/ticks.hpp"
#include "io/text/number_text.hpp"
#include "solver/signal/fourier.hpp"

namespace onda {
namespace {

/// With fewer points than this between traces they are shown in colours.
constexpr double kLeastTraceSpacing = 14., kPlotWidth = 1100.;
constexpr std::size_t kMostApart = 16;

/// The traces of a line as they are shown, [trace][sample], with the times of the first and last sample. What is not
/// changed is not copied: a survey's gather may fill half of the memory.
struct ShownTraces {
    std::int64_t traces = 0, samples = 0;
    double first_s = 0., last_s = 0.;
    std::span<const float> values;
    std::vector<float> changed;  ///< which `values` are, then
    [[nodiscard]] std::span<float> trace(std::int64_t i) {
        return std::span(changed).subspan(static_cast<std::size_t>(i * samples), static_cast<std::size_t>(samples));
    }
};

void gain(ShownTraces& shown, double power) {
    for (std::int64_t i = 0; i < shown.traces; ++i)
        for (std::int64_t n = 0; float& value : shown.trace(i))
            value *= static_cast<float>(std::pow(
                static_cast<double>(n++) / static_cast<double>(std::max<std::int64_t>(shown.samples - 1, 1)), power));
}

/// Each sample over the root mean square of those around it, but no less than `least`.
void control_gain(std::span<float> trace, std::int64_t half_window, double least) {
    const auto samples = static_cast<std::int64_t>(trace.size());
    std::vector<double> energy(trace.size() + 1, 0.);
    for (std::size_t n = 0; n < trace.size(); ++n) energy[n + 1] = energy[n] + static_cast<double>(trace[n]) * trace[n];
    for (std::int64_t n = 0; n < samples; ++n) {
        const std::int64_t first = std::max<std::int64_t>(n - half_window, 0);
        const std::int64_t end = std::min(n + half_window + 1, samples);
        const double mean = (energy[static_cast<std::size_t>(end)] - energy[static_cast<std::size_t>(first)]) /
                            static_cast<double>(end - first);
        const double rms = std::max(std::sqrt(std::max(mean, 0.)), least);
        float& value = trace[static_cast<std::size_t>(n)];
        value = rms > 0. ? static_cast<float>(value / rms) : 0.f;
    }
}

/// Automatic gain control. Quiet traces stay quiet: nothing below a ten-thousandth of what half of the traces reach is
/// brought up.
void control_gains(ShownTraces& shown, std::int64_t half_window) {
    std::vector<float> peaks;
    for (std::int64_t i = 0; i < shown.traces; ++i)
        peaks.push_back(static_cast<float>(magnitude_quantile(shown.trace(i), 1.)));
    const double least = 1e-4 * magnitude_quantile(peaks, 0.5);
    for (std::int64_t i = 0; i < shown.traces; ++i) control_gain(shown.trace(i), half_window, least);
}

/// Brings every trace to the time t - |offset| / v; samples between those of the trace are linear, those that were not
/// recorded are zero.
void reduce(ShownTraces& shown, const std::vector<double>& offsets, double velocity_m_s, double dt_s) {
    const auto by_size = [](double a, double b) { return std::abs(a) < std::abs(b); };
    const double nearest = std::abs(*std::ranges::min_element(offsets, by_size));
    const double farthest = std::abs(*std::ranges::max_element(offsets, by_size));
    const double record_s = shown.last_s;
    ShownTraces reduced;
    reduced.traces = shown.traces;
    reduced.first_s = -std::min(farthest / velocity_m_s, 0.1 * record_s);
    reduced.last_s = std::max(record_s - nearest / velocity_m_s, 0.);
    reduced.samples = static_cast<std::int64_t>(std::floor((reduced.last_s - reduced.first_s) / dt_s)) + 1;
    reduced.last_s = reduced.first_s + static_cast<double>(reduced.samples - 1) * dt_s;
    for (std::int64_t i = 0; i < shown.traces; ++i) {
        const auto trace = shown.trace(i);
        const double shift = std::abs(offsets[static_cast<std::size_t>(i)]) / velocity_m_s + reduced.first_s;
        for (std::int64_t n = 0; n < reduced.samples; ++n) {
            const double place = shift / dt_s + static_cast<double>(n);
            const auto below = static_cast<std::int64_t>(std::floor(place));
            const bool recorded = below >= 0 && below + 1 < shown.samples;
            const auto weight = static_cast<float>(place - static_cast<double>(below));
            reduced.changed.push_back(recorded ? (1.f - weight) * trace[static_cast<std::size_t>(below)] +
                                                     weight * trace[static_cast<std::size_t>(below) + 1]
                                               : 0.f);
        }
    }
    shown = std::move(reduced);
}

ShownTraces process(const ShotGather& gather, const ReceiverLine& line, const std::vector<double>& offsets,
                    const TraceDisplay& display) {
    const auto samples = static_cast<std::size_t>(gather.samples);
    ShownTraces shown{static_cast<std::int64_t>(line.count),
                      gather.samples,
                      0.,
                      static_cast<double>(gather.samples - 1) * gather.dt_s,
                      std::span(gather.pressure).subspan(line.first * samples, line.count * samples),
                      {}};
    if (display.gain == 0. && display.agc_s == 0. && display.reduction_m_s == 0.) return shown;
    shown.changed.assign(shown.values.begin(), shown.values.end());
    if (display.gain != 0.) gain(shown, display.gain);
    if (display.agc_s > 0.)
        control_gains(shown, std::max<std::int64_t>(std::llround(0.5 * display.agc_s / gather.dt_s), 1));
    if (display.reduction_m_s > 0.) reduce(shown, offsets, display.reduction_m_s, gather.dt_s);
    shown.values = shown.changed;
    return shown;
}

}  // namespace

std::string time_power_text(double power, double record_s) {
    if (power == 1.) return fmt::format(" \xc3\x97 t / ({:.4g} s)", record_s);
    if (power == 0.5) return fmt::format(" \xc3\x97 \xe2\x88\x9a(t / {:.4g} s)", record_s);
    const bool is_whole = power == std::round(power);
    return fmt::format(" \xc3\x97 (t / {:.4g} s){}", record_s,
                       is_whole ? superscript(static_cast<int>(power)) : "^" + shortest(power));
}

namespace {

/// "m/s²" of "m/s2", as files have it.
std::string printed_unit(std::string_view unit) {
    if (!unit.ends_with('2')) return std::string(unit);
    return std::string(unit.substr(0, unit.size() - 1)) + superscript(2);
}

/// \param of what the traces are, if they are not another program's.
std::string label_of(const TraceDisplay& display, const GatherQuantity& of, double record_s) {
    std::string quantity(display.is_pressure ? of.long_name : "amplitude");
    quantity.front() = static_cast<char>(quantity.front() - 'a' + 'A');
    if (display.gain != 0.) quantity += time_power_text(display.gain, record_s);
    if (display.agc_s > 0.) return quantity + fmt::format(" after AGC ({} s)", shortest(display.agc_s));
    return display.is_pressure ? fmt::format("{} [{}]", quantity, printed_unit(of.unit)) : quantity;
}

bool ascending(const std::vector<double>& places) {
    return std::ranges::adjacent_find(places, std::greater_equal<>()) == places.end();
}

/// The line by offset, where offsets change evenly enough one way along it; else as it is.
ReceiverLine by_offset(ReceiverLine line, const std::vector<double>& offsets) {
    std::vector<double> mirrored(offsets.rbegin(), offsets.rend());
    if (offsets.size() < 2 || (!ascending(offsets) && !ascending(mirrored))) return line;
    line.places = offsets;
    line.axis = {offsets.front(), offsets.back(), "Offset [m]"};
    return line;
}

void add_wiggles(GatherPanel& result, const ReceiverLine& line, const TraceDisplay& display, const ShownTraces& shown,
                 std::int64_t most_samples) {
    const double length = std::abs(line.places.back() - line.places.front());
    const double spacing = length > 0. ? length / static_cast<double>(line.count - 1) : 1.;
    // So few that each has room for its largest swing stay apart from each other.
    const bool apart = line.count <= kMostApart;
    const double percentile = display.percentile > 0. ? display.percentile : apart ? 100. : 99.;
    result.clip = display.clip_pa > 0. ? display.clip_pa : clip_of(shown.values, percentile / 100.);
    const std::int64_t samples = std::min(shown.samples, 2 * most_samples);
    result.values = fit_raster({shown.traces, shown.samples, shown.values}, static_cast<int>(samples),
                               static_cast<int>(shown.traces), Shrink::peak);
    // Air for the first and the last trace.
    const double air = (apart ? 0.6 : 1.) * (line.places.back() >= line.places.front() ? spacing : -spacing);
    result.panel.horizontal.first = line.places.front() - air;
    result.panel.horizontal.last = line.places.back() + air;
    result.panel.traces =
        PictureTraces{line.places, {shown.traces, samples, result.values}, result.clip, (apart ? 0.48 : 0.9) * spacing};
}

bool is_aliased(const ShownTraces& shown) {
    const auto samples = static_cast<std::size_t>(shown.samples);
    Likeness likeness;
    for (std::size_t i = 1; i < static_cast<std::size_t>(shown.traces); ++i)
        likeness.add(shown.values.subspan((i - 1) * samples, samples), shown.values.subspan(i * samples, samples));
    return likeness.is_aliased();
}

void add_colours(GatherPanel& result, const TraceDisplay& display, const ShownTraces& shown,
                 std::int64_t most_samples) {
    const std::int64_t traces = std::min(shown.traces, most_samples), samples = std::min(shown.samples, most_samples);
    const auto fitted = fit_raster({shown.traces, shown.samples, shown.values}, static_cast<int>(samples),
                                   static_cast<int>(traces), Shrink::peak);
    result.values.resize(fitted.size());
    for (std::int64_t trace = 0; trace < traces; ++trace)
        for (std::int64_t n = 0; n < samples; ++n)
            result.values[static_cast<std::size_t>(n * traces + trace)] =
                fitted[static_cast<std::size_t>(trace * samples + n)];
    // Full black below the direct wave, so that reflections can be seen beside it.
    const double percentile = display.percentile > 0. ? display.percentile : 96.;
    result.clip = display.clip_pa > 0. ? display.clip_pa : magnitude_quantile(result.values, percentile / 100.);
    if (!(result.clip > 0.)) result.clip = clip_of(result.values);
    PictureField field{{samples, traces, result.values}};
    field.map = display.map;
    field.range = ValueRange{-result.clip, result.clip};
    field.shrink = Shrink::peak;
    field.columns = is_aliased(shown);
    result.panel.fields.push_back(std::move(field));
}

/// The axis of a record may go on behind its last sample.
void end_at(Panel& panel, double last_s) {
    if (last_s >= panel.vertical.last) return;
    const PictureAxis &x = panel.horizontal, &t = panel.vertical;
    if (panel.traces) panel.traces->last = last_s;
    for (PictureField& field : panel.fields) field.extent = Extent{x.first, x.last, t.first, last_s};
}

/// Moves the times of a panel, which begin with 0, to where its samples lie.
void begin_at(Panel& panel, double start_s) {
    panel.vertical.first += start_s;
    panel.vertical.last += start_s;
    if (panel.traces && panel.traces->last) *panel.traces->last += start_s;
    for (PictureField& field : panel.fields)
        if (field.extent) field.extent->top += start_s, field.extent->bottom += start_s;
}

}  // namespace

double record_end_s(std::int64_t samples, double dt_s) {
    constexpr int most_ticks = 20;
    const double last_s = static_cast<double>(samples - 1) * dt_s;
    const double step_s = make_ticks(0., last_s, most_ticks).step;
    if (!(step_s > 0.)) return last_s;
    const double round_s = std::ceil(last_s / step_s * (1. - 1e-9)) * step_s;
    return round_s < last_s + (1. - 1e-6) * dt_s ? std::max(round_s, last_s) : last_s;
}

bool keep_offsets(const ShotGather& one, const ShotGather& other) {
    constexpr double same_m = 0.01;
    const std::vector<double> here = offsets_m(one), there = offsets_m(other);
    const auto is_near = [](double a, double b) { return std::abs(a - b) <= same_m; };
    const auto is_here = [](const std::array<double, 3>& a, const std::array<double, 3>& b) {
        return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) <= same_m;
    };
    return std::ranges::equal(here, there, is_near) && !std::ranges::equal(one.receivers_m, other.receivers_m, is_here);
}

void Likeness::add(std::span<const float> trace, std::span<const float> neighbour) {
    for (std::size_t n = 0; n < trace.size(); ++n) {
        const double left = trace[n], right = neighbour[n];
        together_ += left * right;
        energy_ += 0.5 * (left * left + right * right);
    }
}

bool has_room_for_wiggles(std::int64_t traces) {
    return static_cast<double>(traces) * kLeastTraceSpacing <= kPlotWidth;
}

GatherPanel gather_panel(const ShotGather& gather, const ReceiverLine& of_list, const TraceDisplay& display,
                         std::int64_t most_samples) {
    std::vector<double> offsets = offsets_m(gather);
    offsets = {offsets.begin() + static_cast<std::ptrdiff_t>(of_list.first),
               offsets.begin() + static_cast<std::ptrdiff_t>(of_list.first + of_list.count)};
    const ReceiverLine line = display.by_offset ? by_offset(of_list, offsets) : of_list;
    const ShownTraces shown = process(gather, line, offsets, display);
    const double record_s = static_cast<double>(gather.samples - 1) * gather.dt_s;
    GatherPanel result;
    result.quantity = label_of(display, *gather.quantity, record_s);
    result.panel.horizontal = line.axis;
    const bool is_reduced = display.reduction_m_s > 0.;
    const double end_s = is_reduced ? shown.last_s : record_end_s(gather.samples, gather.dt_s);
    result.panel.vertical = {shown.first_s, end_s, "Time [s]"};
    if (is_reduced)
        result.panel.vertical.title =
            fmt::format("t \xe2\x88\x92 |offset| / ({} m/s) [s]", shortest(display.reduction_m_s));
    const bool has_room = has_room_for_wiggles(static_cast<std::int64_t>(line.count));
    using Style = TraceDisplay::Style;
    if (display.style == Style::wiggles || (display.style == Style::automatic && has_room)) {
        add_wiggles(result, line, display, shown, most_samples);
    } else {
        add_colours(result, display, shown, most_samples);
        result.panel.fields.front().label = result.quantity;
    }
    end_at(result.panel, shown.last_s);
    if (display.start_s)
        begin_at(result.panel, *display.start_s);
    else if (!is_reduced)
        result.panel.vertical.title = "Time after the first sample [s]";
    return result;
}

void share_clip(std::vector<GatherPanel>& panels) {
    double clip = 0.;
    for (const GatherPanel& panel : panels) clip = std::max(clip, panel.clip);
    for (GatherPanel& panel : panels) {
        panel.clip = clip;
        if (panel.panel.traces) panel.panel.traces->clip = clip;
        for (PictureField& field : panel.panel.fields) field.range = ValueRange{-clip, clip};
    }
}

std::string scale_of_wiggles(const GatherPanel& panel) {
    const std::string& quantity = panel.quantity;
    const auto bracket = quantity.rfind(" [");
    // 0.011 Pa, but 11 µPa.
    const int exponent = bracket == std::string::npos || !(panel.clip < 1e-2) || panel.clip < 1e-12
                             ? 0
                             : 3 * static_cast<int>(std::floor(std::log10(panel.clip) / 3.));
    // Two digits, but 780 and not 7.8e+02.
    const auto rounded = finite_number(fmt::format("{:.1e}", panel.clip / std::pow(10., exponent)));
    std::string text = "one trace spacing = " + number_text(rounded.value_or(panel.clip));
    if (bracket != std::string::npos)
        text += fmt::format(" {}{}", exponent == 0 ? "" : unit_prefix(exponent),
                            quantity.substr(bracket + 2, quantity.size() - bracket - 3));
    std::string what = quantity.substr(0, bracket);
    if (what == "Pressure") return text;
    what.front() = static_cast<char>(what.front() - 'A' + 'a');
    return text + " of " + what;
}

void set_title(GatherPanel& panel, const std::string& name) {
    panel.panel.title = name;
    if (panel.panel.traces) panel.panel.title += ", " + scale_of_wiggles(panel);
}

// Spectra ----------------------------------------------------------------------------------------------------------

Spectrum amplitude_spectrum(const ShotGather& gather, const std::vector<std::size_t>& receivers) {
    const auto samples = static_cast<std::size_t>(gather.samples);
    const std::size_t n = FourierTransform::length(std::max<std::size_t>(2 * samples, 4));
    const FourierTransform transform(n);
    std::vector<double> series(n), energy(n / 2 + 1, 0.);
    std::vector<std::complex<double>> values(n / 2 + 1);
    const std::size_t tapered = samples / 5;
    for (const std::size_t receiver : receivers) {
        std::ranges::fill(series, 0.);
        for (std::size_t i = 0; i < samples; ++i) {
            const double left = static_cast<double>(samples - i) / static_cast<double>(tapered + 1);
            const double taper = left < 1. ? 0.5 - 0.5 * std::cos(std::numbers::pi * left) : 1.;
            series[i] = taper * gather.pressure[receiver * samples + i];
        }
        transform.forward(series, values);
        for (std::size_t k = 0; k < values.size(); ++k) energy[k] += std::norm(values[k]);
    }
    Spectrum spectrum{1. / (static_cast<double>(n) * gather.dt_s), {}};
    for (const double sum : energy)
        spectrum.amplitude.push_back(gather.dt_s *
                                     std::sqrt(sum / static_cast<double>(std::max<std::size_t>(receivers.size(), 1))));
    return spectrum;
}

Panel spectrum_panel(const std::vector<Spectrum>& spectra, const std::vector<std::string>& labels, bool to_first) {
    constexpr std::array<Rgb, 8> colours{{{31, 119, 180},
                                          {214, 39, 40},
                                          {44, 160, 44},
                                          {148, 103, 189},
                                          {255, 127, 14},
                                          {23, 190, 207},
                                          {140, 86, 75},
                                          {90, 90, 90}}};
    constexpr double lowest_db = -80., shown_db = -60.;
    Panel panel;
    panel.grid_lines = true;
    double last_hz = 0., highest_db = 0., peak = 0.;
    for (const Spectrum& spectrum : to_first ? std::span(spectra).first(1) : std::span(spectra))
        peak = std::max(peak, *std::ranges::max_element(spectrum.amplitude));
    for (std::size_t i = 0; i < spectra.size(); ++i) {
        PictureLine line{{}, {}, colours[i % colours.size()], labels[i]};
        for (std::size_t k = 0; k < spectra[i].amplitude.size(); ++k) {
            const double db =
                peak > 0. ? 20. * std::log10(spectra[i].amplitude[k] / peak) : std::numeric_limits<double>::quiet_NaN();
            line.x.push_back(static_cast<double>(k) * spectra[i].step_hz);
            line.y.push_back(std::max(db, 2. * lowest_db));
            if (db >= shown_db) last_hz = std::max(last_hz, line.x.back());
            if (db > highest_db) highest_db = db;
        }
        panel.lines.push_back(std::move(line));
    }
    panel.horizontal = {0., last_hz > 0. ? 1.05 * last_hz : 1., "Frequency [Hz]"};
    panel.vertical = {5. + highest_db, lowest_db,
                      to_first ? "Amplitude (dB re maximum of " + labels.front() + ")" : "Amplitude (dB re maximum)"};
    return panel;
}

}  // namespace onda
