#include "solver/pictures/wavenumber_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <spdlog/fmt/fmt.h>

#include "io/text/number_text.hpp"
#include "solver/signal/fourier.hpp"

namespace onda {
namespace {

using Complex = std::complex<double>;
constexpr double kLowestDb = -60.;

/// 1, and less over the `tapered` items before an end.
double taper_of(std::size_t to_end, std::size_t tapered) {
    const double part = static_cast<double>(to_end + 1) / static_cast<double>(tapered + 1);
    return part < 1. ? 0.5 - 0.5 * std::cos(std::numbers::pi * part) : 1.;
}

/// The spectra of the traces of a line, [frequency][trace].
struct TraceSpectra {
    std::size_t traces = 0, frequencies = 0;
    double step_hz = 0.;
    std::vector<Complex> values;
};

TraceSpectra spectra_of(const ShotGather& gather, const ReceiverLine& line) {
    const auto samples = static_cast<std::size_t>(gather.samples);
    const std::size_t n = FourierTransform::length(std::max<std::size_t>(2 * samples, 4));
    const FourierTransform transform(n);
    TraceSpectra spectra{line.count, n / 2 + 1, 1. / (static_cast<double>(n) * gather.dt_s), {}};
    spectra.values.resize(spectra.frequencies * spectra.traces);
    std::vector<double> series(n);
    std::vector<Complex> values(spectra.frequencies);
    for (std::size_t i = 0; i < line.count; ++i) {
        std::ranges::fill(series, 0.);
        const double of_trace = taper_of(std::min(i, line.count - 1 - i), line.count / 20);
        for (std::size_t j = 0; j < samples; ++j)
            series[j] = of_trace * taper_of(samples - 1 - j, samples / 20) *
                        static_cast<double>(gather.pressure[(line.first + i) * samples + j]);
        transform.forward(series, values);
        for (std::size_t k = 0; k < values.size(); ++k) spectra.values[k * spectra.traces + i] = values[k];
    }
    return spectra;
}

/// The amplitudes [frequency][wavenumber], wavenumbers from the most negative to the most positive one.
struct Amplitudes {
    std::size_t frequencies = 0, wavenumbers = 0;
    std::vector<double> values;
    [[nodiscard]] auto of_frequency(std::size_t k) const {
        return std::span(values).subspan(k * wavenumbers, wavenumbers);
    }
};

/// \param mirrored whether places become smaller along the line.
Amplitudes transform_lines(const TraceSpectra& spectra, bool mirrored) {
    const std::size_t n = FourierTransform::length(std::max<std::size_t>(2 * spectra.traces, 4));
    const kissfft<double> transform(n, false);
    Amplitudes amplitudes{spectra.frequencies, n + 1, {}};
    std::vector<Complex> line(n), values(n);
    for (std::size_t k = 0; k < spectra.frequencies; ++k) {
        std::ranges::fill(line, Complex());
        std::copy_n(spectra.values.begin() + static_cast<std::ptrdiff_t>(k * spectra.traces), spectra.traces,
                    line.begin());
        transform.transform(line.data(), values.data());
        // Column c has the wavenumber c - n / 2, which is item n / 2 - c of a transform with exp(-2 pi i j q / n).
        for (std::size_t c = 0; c <= n; ++c)
            amplitudes.values.push_back(std::abs(values[mirrored ? (c + n / 2) % n : (n + n / 2 - c) % n]));
    }
    return amplitudes;
}

/// \param number of the velocity, from 0: neighbours differ in colour, on dark and light parts of any map.
void add_velocity(Panel& panel, double velocity_m_s, std::size_t number) {
    constexpr std::array<Rgb, 4> colours{{{255, 127, 14}, {214, 39, 40}, {247, 104, 193}, {23, 190, 207}}};
    const double most = std::min(panel.horizontal.last, panel.vertical.first / velocity_m_s);
    panel.lines.push_back({{-most, 0., most},
                           {most * velocity_m_s, 0., most * velocity_m_s},
                           colours[number % colours.size()],
                           shortest(velocity_m_s) + " m/s",
                           true});
}

}  // namespace

GatherPanel wavenumber_panel(const ShotGather& gather, const ReceiverLine& line, std::span<const double> velocities_m_s,
                             const ColourMap& map) {
    const double length_m = line.places.back() - line.places.front();
    const double spacing_m = std::abs(length_m) / static_cast<double>(line.count - 1);
    const TraceSpectra spectra = spectra_of(gather, line);
    const Amplitudes amplitudes = transform_lines(spectra, length_m < 0.);
    const double peak = std::ranges::max(amplitudes.values);
    const double least = peak * std::pow(10., kLowestDb / 20.);
    std::size_t rows = amplitudes.frequencies;
    while (rows > 2 && peak > 0. && std::ranges::max(amplitudes.of_frequency(rows - 1)) < least) --rows;
    GatherPanel result;
    for (std::size_t row = rows; row-- > 0;)  // the highest frequency above
        for (const double value : amplitudes.of_frequency(row))
            result.values.push_back(
                static_cast<float>(value > least ? 20. * std::log10(value / peak) : 2. * kLowestDb));
    result.quantity = "Amplitude (dB re maximum)";
    Panel& panel = result.panel;
    panel.horizontal = {-0.5 / spacing_m, 0.5 / spacing_m, "Wavenumber [1/m]"};
    panel.vertical = {static_cast<double>(rows - 1) * spectra.step_hz, 0., "Frequency [Hz]"};
    PictureField field{
        {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(amplitudes.wavenumbers), result.values}};
    field.map = &map;
    field.range = ValueRange{kLowestDb, 0.};
    field.label = result.quantity;
    field.shrink = Shrink::mean;
    panel.fields.push_back(std::move(field));
    for (std::size_t i = 0; i < velocities_m_s.size(); ++i) add_velocity(panel, velocities_m_s[i], i);
    return result;
}

}  // namespace onda
