#include "io/results/trace_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "io/files/plain_file.hpp"
#include "io/results/segy_headers.hpp"
#include "io/text/number_text.hpp"
#include "io/text/saturating.hpp"

namespace onda {
namespace {

bool is_segy(TraceFormat format) {
    return format != TraceFormat::su;
}

int sample_format(TraceFormat format) {
    return format == TraceFormat::segy_ibm ? kIbmFloats : kIeeeFloats;
}

std::int64_t microseconds(const TraceFileContents& contents) {
    return std::llround(contents.dt_s / kMicrosecond);
}

/// SCALEL and SCALCO: a negative one divides.
std::int64_t scaler(const TraceFileContents& contents) {
    return contents.parts == 1 ? 1 : -contents.parts;
}

/// A number as "%.<digits>g" writes it.
std::string general_text(double value, int digits) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr};
}

std::string six_digits(double value) {
    constexpr int digits = 6;
    return general_text(value, digits);
}

/// The signal of the first source of a shot, and the time step of the run, where the shot has them.
void add_wavelet(TextualHeader& header, const ShotGather& gather) {
    const SourceWavelets& wavelets = gather.wavelets;
    if (gather.source_wavelet.empty() || wavelets.type.empty()) return;
    const auto which = static_cast<std::size_t>(gather.source_wavelet.front());
    const double peak_hz = wavelets.peak_frequency_hz[which];
    header.add_foreign("Wavelet of shot " + std::to_string(gather.shot) + ": ",
                       wavelets.type[which] + (gather.sources_m.size() > 1 ? ", of its first source" : ""));
    header.add("  " + (peak_hz > 0. ? "peak frequency " + six_digits(peak_hz) + " Hz, " : std::string()) +
               "centre t0 = " + six_digits(wavelets.t0_s[which]) + " s");
    header.add("Time step of the finite differences: " + six_digits(wavelets.dt_s) + " s");
}

/// "201 x 111 nodes": what each axis of a grid has.
std::string along_axes(const FileGeometry& grid, const auto& text_of_axis, const char* between) {
    std::string text;
    for (const std::size_t axis :
         grid.dimensions == 2 ? std::vector<std::size_t>{0, 2} : std::vector<std::size_t>{0, 1, 2})
        text += (text.empty() ? "" : between) + text_of_axis(axis);
    return text;
}

void add_grid(TextualHeader& header, const FileGeometry& grid) {
    // Exact, unless three numbers of all their digits leave a line no room.
    const auto add_metres = [&](const std::string& what, const std::array<double, 3>& metres, const char* between) {
        constexpr int most_digits = 12;
        const auto line = [&](const auto& text_of) { return what + along_axes(grid, text_of, between) + " m"; };
        const std::string exact = line([&](std::size_t axis) { return number_text(metres[axis]); });
        header.add(exact.size() <= TextualHeader::kWords ? exact : line([&](std::size_t axis) {
            return general_text(metres[axis], most_digits);
        }));
    };
    header.add("Grid: " +
               along_axes(
                   grid, [&](std::size_t axis) { return std::to_string(grid.shape[axis]); }, " x ") +
               " nodes along " +
               along_axes(
                   grid, [](std::size_t axis) { return std::string(1, "xyz"[axis]); }, ", "));
    add_metres("  spacing ", grid.spacing_m, " x ");
    add_metres("  first node at ", grid.origin_m, ", ");
}

/// \param first shot of the file.
std::string textual_header(const TraceFileContents& contents, const ShotGather& first) {
    TextualHeader header;
    header.add_foreign("", contents.program + ": acoustic wave-equation FDTD");
    header.add_foreign("Title: ", contents.title);
    header.add(std::string(contents.dimensions == 2 ? "2-D" : "3-D") +
               " synthetic seismograms, a trace for each receiver of a shot");
    const GatherQuantity& quantity = *contents.quantity;
    const std::string what = "Samples: " + std::string(quantity.long_name) + " (" + std::string(quantity.unit) + "),",
                      how = std::string(contents.format == TraceFormat::segy_ibm ? "IBM" : "IEEE") +
                            " floats of 4 bytes (format " + std::to_string(sample_format(contents.format)) +
                            "), big endian";
    if (&quantity == &kPressure) {
        header.add(what + " " + how);
        header.add("Polarity: an increase in pressure is a positive number (bytes 3257-3258: 2);");
        header.add("  the recording standard of SEG (1975) has the opposite sign");
    } else {
        header.add(what);
        header.add("  " + how);
        header.add(std::string("Sign: motion towards larger ") + "xyz"[quantity.axis] +
                   (quantity.axis == 2 ? ", downwards, is a positive number" : " is a positive number"));
    }
    header.add("Time: " + std::to_string(contents.samples) + " samples, one every " +
               std::to_string(microseconds(contents)) + " us; the first at t = 0,");
    header.add("  where the source signal begins");
    add_wavelet(header, first);
    if (contents.grid) add_grid(header, *contents.grid);
    header.add("Order of traces: by shot, then by receiver");
    header.add("Shot number: bytes 9-12 and 17-20; number of the receiver: bytes 13-16");
    header.add("Coordinates: local x and y in m, depth positive down; elevations are minus");
    header.add("  the depth; of the first source of a shot and of the receiver,");
    header.add("  in 1/" + std::to_string(contents.parts) + " m: the scalers in bytes 69-70 and 71-72 are " +
               std::to_string(scaler(contents)));
    header.add("CDP x and y: bytes 181-188, the midpoint of source and receiver");
    header.add("CDP number: bytes 21-24, of bins half as wide as the receivers are apart;");
    header.add("  in 3-D inline number: bytes 189-192, along y; crossline: 193-196, along x");
    header.add("Offset: bytes 37-40, rounded to 1 m; along x with its sign where the shot's");
    header.add("  receivers have the y of its source, else the horizontal distance");
    header.add("Station: bytes 233-236, from the column station or name of the receivers'");
    header.add("  table where it is a whole number; 0: none");
    header.add(std::string("Source measurement: bytes 225-232, of shots with one source, in ") +
               (contents.dimensions == 2 ? "Pa (a line)" : "bar m"));
    header.add("Dates are 0: the same run gives the same bytes");
    return header.text();
}

BinaryHeader binary_header(const TraceFileContents& contents) {
    constexpr std::int64_t most = std::numeric_limits<std::int16_t>::max();
    constexpr int common_source = 5, unknown = 0, pressure_positive = 2;  // table 2: bytes 3229, 3257
    BinaryHeader set = begin_binary_header(microseconds(contents), contents.samples, sample_format(contents.format));
    // 0, not known, where 16 bits do not hold it.
    set(BinaryNumber::traces, contents.most_receivers <= most ? contents.most_receivers : 0);
    set(BinaryNumber::auxiliary_traces, 0);
    set(BinaryNumber::sorting, common_source);
    set(BinaryNumber::impulse_polarity, contents.quantity == &kPressure ? pressure_positive : unknown);
    return set;
}

/// The whole numbers of stations; 0 where there is none.
std::vector<std::int64_t> stations(const ShotGather& gather) {
    std::vector<std::int64_t> numbers(gather.receivers_m.size());
    for (const char* name : {"station", "name"}) {
        const auto column = std::ranges::find(gather.carried, name, &CarriedColumn::name);
        if (column == gather.carried.end()) continue;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const double value = finite_number(column->text[i]).value_or(0.);
            numbers[i] = value >= 1. && value <= static_cast<double>(kLargest32) && value == std::floor(value)
                             ? std::llround(value)
                             : 0;
        }
        break;
    }
    return numbers;
}

/// A number as decimal digits, nine at most, and a power of ten.
struct Decimal {
    std::int64_t mantissa = 0;
    int exponent = 0;

    explicit Decimal(double value) {
        constexpr int digits = 9;
        if (value == 0.) return;
        exponent = static_cast<int>(std::floor(std::log10(std::abs(value)))) - digits + 1;
        mantissa = std::llround(value * std::pow(10., -exponent));
        for (; mantissa % 10 == 0; ++exponent) mantissa /= 10;
    }
};

/// Sets the source measurement of a shot with one source: an amplitude in Pa m, which is 1e-5 bar m; in 2-D, where
/// sources are lines, in Pa.
void set_source_measurement(TraceHeader& set, int dimensions, double amplitude) {
    constexpr int pascal = 3, bar_metre = 4, bar_exponent = -5;  // table 3: bytes 231-232
    const Decimal decimal(amplitude);
    const bool is_line = dimensions == 2;
    set(TraceNumber::source_mantissa, decimal.mantissa);
    set(TraceNumber::source_exponent, decimal.mantissa == 0 ? 0 : decimal.exponent + (is_line ? 0 : bar_exponent));
    set(TraceNumber::source_unit, is_line ? pascal : bar_metre);
}

/// Bytes 29 and 203 of table 3. Inlines run along x.
int trace_identification(const GatherQuantity& quantity) {
    constexpr int seismic_data = 1, of_component[] = {14, 13, 12};  // inline, crossline, vertical
    return &quantity == &kPressure ? seismic_data : of_component[quantity.axis];
}
int measurement_unit(const GatherQuantity& quantity) {
    constexpr int pascal = 1, metres_per_second = 6, metres_per_second_squared = 7;
    if (&quantity == &kPressure) return pascal;
    return quantity.is_velocity ? metres_per_second : metres_per_second_squared;
}

/// All of a shot's trace headers but for what tells its receivers apart.
TraceHeader header_of_shot(const TraceFileContents& contents, const ShotGather& gather) {
    constexpr int metres = 1;  // table 3: byte 89
    const auto scaled = [&](double metre) { return fitting(metre * static_cast<double>(contents.parts), "place"); };
    const auto& source_m = gather.sources_m.front();
    TraceHeader set;
    const std::int64_t shot = fitting(static_cast<double>(gather.shot), "shot");
    for (const TraceNumber field : {TraceNumber::field_record, TraceNumber::source_point}) set(field, shot);
    set(TraceNumber::identification, trace_identification(*contents.quantity));
    for (const TraceNumber field : {TraceNumber::summed_traces, TraceNumber::stacked_traces, TraceNumber::data_use})
        set(field, 1);
    set(TraceNumber::source_depth, scaled(source_m[2]));
    for (const TraceNumber field : {TraceNumber::elevation_scaler, TraceNumber::coordinate_scaler})
        set(field, scaler(contents));
    set(TraceNumber::source_x, scaled(source_m[0]));
    set(TraceNumber::source_y, scaled(source_m[1]));
    set(TraceNumber::coordinate_units, metres);
    set(TraceNumber::samples, contents.samples);
    set(TraceNumber::interval, microseconds(contents));
    if (!is_segy(contents.format)) return set;  // from byte 181 on SU has fields of its own
    set(TraceNumber::measurement_unit, measurement_unit(*contents.quantity));
    if (gather.source_amplitude.size() == 1)
        set_source_measurement(set, contents.dimensions, gather.source_amplitude.front());
    return set;
}

/// The distance that receivers are apart along an axis, if all of them are at multiples of it; 0 if they have one place
/// there.
std::optional<double> receiver_spacing_m(const ShotGather& gather, std::size_t axis) {
    constexpr double rounding = 1e-6, unequal = 1e-3;  // of the whole line; of a spacing
    std::vector<double> places_m;
    for (const auto& receiver_m : gather.receivers_m) places_m.push_back(receiver_m[axis]);
    std::ranges::sort(places_m);
    const double length_m = places_m.back() - places_m.front();
    std::vector<double> gaps_m;
    for (std::size_t i = 1; i < places_m.size(); ++i)
        if (const double gap_m = places_m[i] - places_m[i - 1]; gap_m > rounding * length_m) gaps_m.push_back(gap_m);
    if (gaps_m.empty()) return 0.;
    const double least_m = std::ranges::min(gaps_m), spacing_m = length_m / std::round(length_m / least_m);
    const auto is_multiple = [&](double gap_m) {
        return std::abs(gap_m / spacing_m - std::round(gap_m / spacing_m)) <= unequal;
    };
    return std::ranges::all_of(gaps_m, is_multiple) ? std::optional(spacing_m) : std::nullopt;
}

std::array<double, 3> midpoint_m(const ShotGather& gather, std::size_t receiver) {
    std::array<double, 3> middle{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        middle[axis] = 0.5 * (gather.sources_m.front()[axis] + gather.receivers_m[receiver][axis]);
    return middle;
}

/// Bins of midpoints along an axis.
class Bins {
public:
    /// The middle of a bin is the midpoint of the first trace: midpoints that are on no edge there are on none
    /// elsewhere.
    Bins(const FileGeometry& grid, std::size_t axis, double width_m, double middle_m)
        : middle_m_(middle_m),
          width_m_(width_m),
          number_(1. + std::round((middle_m - grid.origin_m[axis]) / width_m)),
          count_(2. + std::round(static_cast<double>(grid.shape[axis] - 1) * grid.spacing_m[axis] / width_m)) {}
    [[nodiscard]] double number_of(double place_m) const {
        return number_ + std::round((place_m - middle_m_) / width_m_);
    }
    [[nodiscard]] double count() const { return count_; }  ///< that the grid reaches

private:
    double middle_m_, width_m_, number_, count_;
};

/// The numbers of a trace's midpoint; 0 where there are none.
struct BinNumbers {
    std::int64_t cdp = 0, along_x = 0, along_y = 0;
};

/// The bins of a file, along x and, in 3-D, along y.
class MidpointBins {
public:
    MidpointBins() = default;
    /// \param first shot of the file.
    MidpointBins(const TraceFileContents& contents, const ShotGather& first) : dimensions_(contents.dimensions) {
        if (!contents.grid) return;
        const std::array spacing_m{receiver_spacing_m(first, 0), receiver_spacing_m(first, 1)};
        for (const std::size_t axis : {0u, 1u}) {
            if (!spacing_m[axis]) continue;
            // Across a single line of receivers bins are as wide as along it.
            const double apart_m = *spacing_m[axis] > 0. ? *spacing_m[axis] : spacing_m[1 - axis].value_or(0.);
            const bool is_line_of_2d = axis == 1 && dimensions_ == 2;
            if (apart_m > 0. && !is_line_of_2d)
                axes_[axis] = Bins(*contents.grid, axis, 0.5 * apart_m, midpoint_m(first, 0)[axis]);
        }
    }
    [[nodiscard]] BinNumbers of(const std::array<double, 3>& middle_m) const {
        const bool is_3d = dimensions_ == 3;
        if (!axes_[0] || (is_3d && !axes_[1])) return {};
        const double x = axes_[0]->number_of(middle_m[0]), y = is_3d ? axes_[1]->number_of(middle_m[1]) : 1.;
        const double cdp = x + (y - 1.) * axes_[0]->count();
        const auto fits = [](double number) { return number >= 1. && number <= static_cast<double>(kLargest32); };
        if (!fits(x) || !fits(y) || !fits(cdp)) return {};
        return {std::llround(cdp), is_3d ? std::llround(x) : 0, is_3d ? std::llround(y) : 0};
    }

private:
    int dimensions_ = 3;
    std::array<std::optional<Bins>, 2> axes_;
};

}  // namespace

std::string TraceLimits::unfit_interval(double dt_s) const {
    constexpr double rounding = 1e-9;  // of an interval: 2000 us may have come to 2000.0000000000002
    if (std::abs(nearest_interval_s(dt_s) - dt_s) <= rounding * dt_s) return {};
    return "the sample interval of the seismograms is " + number_text(dt_s) + " s, but " + std::string(name) +
           " stores whole microseconds from 1 to " + std::to_string(most_interval_us);
}

std::string TraceLimits::unfit_samples(std::int64_t samples) const {
    if (samples <= most_samples) return {};
    return std::to_string(samples) + " samples per trace, but " + std::string(name) + " stores at most " +
           std::to_string(most_samples) + ", in 16 bits";
}

double TraceLimits::nearest_interval_s(double dt_s) const {
    // A division: the double nearest to a decimal fraction.
    const double most = static_cast<double>(most_interval_us), per_second = 1e6;
    return std::clamp(std::round(dt_s * per_second), 1., most) / per_second;
}

std::int64_t coordinate_parts(double largest_m) {
    for (const std::int64_t parts : {10'000, 1'000, 100, 10, 1})
        if (largest_m * static_cast<double>(parts) <= static_cast<double>(kLargest32)) return parts;
    return 0;
}

namespace {

std::string beyond_32_bits(const std::string& what) {
    return what + "; the headers of its traces hold " + std::to_string(kLargest32);
}

}  // namespace

std::string unfit_places(double farthest_m) {
    return coordinate_parts(farthest_m) > 0
               ? ""
               : beyond_32_bits("the grid reaches " + six_digits(farthest_m) + " m from zero") + " m at most";
}

std::string unfit_shot(std::int64_t shot) {
    return shot <= kLargest32 ? "" : beyond_32_bits("there is a shot " + std::to_string(shot)) + " at most";
}

std::string unfit_traces(std::int64_t traces) {
    return traces <= kLargest32 ? ""
                                : beyond_32_bits("the survey has " + std::to_string(traces) + " traces") + " at most";
}

struct TraceFileWriter::Impl {
    /// The shot whose traces are written.
    struct CurrentShot {
        std::int64_t number = 0;
        TraceHeader header{};
        std::vector<std::array<double, 3>> receivers_m{}, midpoints_m{};
        std::vector<double> offsets{};
        std::vector<std::int64_t> station{};
        std::size_t written = 0;  ///< of its traces
    };

    TraceFileContents contents;
    TracesInProgress traces;
    std::vector<float> samples;
    CurrentShot shot{};
    std::optional<MidpointBins> bins{};  ///< from the first shot on

    Impl(const std::filesystem::path& path, TraceFileContents of, bool overwrite)
        : contents(std::move(of)), traces(path, overwrite), samples(static_cast<std::size_t>(contents.samples)) {}

    void begin_file(const ShotGather& first) {
        bins.emplace(contents, first);
        if (is_segy(contents.format)) traces.write_heads(textual_header(contents, first), binary_header(contents));
    }

    void set_midpoint(TraceHeader& set, const std::array<double, 3>& middle_m) const {
        const BinNumbers numbers = bins->of(middle_m);
        set(TraceNumber::ensemble, numbers.cdp);
        if (!is_segy(contents.format)) return;
        const auto scaled = [&](double metre) { return fitting(metre * static_cast<double>(contents.parts), "place"); };
        set(TraceNumber::cdp_x, scaled(middle_m[0]));
        set(TraceNumber::cdp_y, scaled(middle_m[1]));
        set(TraceNumber::inline_number, numbers.along_y);
        set(TraceNumber::crossline_number, numbers.along_x);
    }

    void write_trace(const TraceHeader& header, std::span<const float> trace) {
        auto words = header.data;
        if (!is_segy(contents.format)) reverse_numbers(words);
        std::ranges::copy(trace, samples.begin());
        if (is_segy(contents.format))
            encode_samples(sample_format(contents.format), samples);
        else if (std::endian::native == std::endian::big)  // the floats of SU are little endian
            for (float& sample : samples)
                sample = std::bit_cast<float>(__builtin_bswap32(std::bit_cast<std::uint32_t>(sample)));
        traces.write(words, samples);
    }
};

TraceFileWriter::TraceFileWriter(const std::filesystem::path& file, const TraceFileContents& contents, bool overwrite)
    : impl_(std::make_unique<Impl>(file, contents, overwrite)) {}

TraceFileWriter::~TraceFileWriter() = default;
TraceFileWriter::TraceFileWriter(TraceFileWriter&&) noexcept = default;

void TraceFileWriter::begin_shot(const ShotGather& header) {
    const TraceFileContents& contents = impl_->contents;
    if (header.samples != contents.samples || header.dt_s != contents.dt_s)
        throw Error(ExitCode::internal, "shot " + std::to_string(header.shot) + " is sampled otherwise than its file");
    if (!impl_->bins) impl_->begin_file(header);
    std::vector<std::array<double, 3>> midpoints_m;
    for (std::size_t r = 0; r < header.receivers_m.size(); ++r) midpoints_m.push_back(midpoint_m(header, r));
    impl_->shot = {header.shot,
                   header_of_shot(contents, header),
                   header.receivers_m,
                   std::move(midpoints_m),
                   offsets_m(header),
                   stations(header),
                   0};
}

void TraceFileWriter::write_traces(std::span<const float> pressure) {
    const TraceFileContents& contents = impl_->contents;
    Impl::CurrentShot& shot = impl_->shot;
    const auto count = static_cast<std::size_t>(contents.samples);
    if (pressure.size() % count != 0 || pressure.size() / count > shot.receivers_m.size() - shot.written)
        throw Error(ExitCode::internal, "shot " + std::to_string(shot.number) + " has " +
                                            std::to_string(shot.receivers_m.size()) + " receivers, but more traces");
    const auto scaled = [&](double metre) { return fitting(metre * static_cast<double>(contents.parts), "place"); };
    TraceHeader& set = shot.header;
    for (std::size_t at = 0; at < pressure.size(); at += count, ++shot.written) {
        const std::size_t r = shot.written;
        const std::int64_t number = fitting(static_cast<double>(impl_->traces.count() + 1), "trace");
        for (const TraceNumber field : {TraceNumber::sequence_in_line, TraceNumber::sequence_in_file})
            set(field, number);
        set(TraceNumber::number_in_record, static_cast<std::int64_t>(r) + 1);
        set(TraceNumber::offset, fitting(shot.offsets[r], "offset"));
        set(TraceNumber::receiver_elevation, -scaled(shot.receivers_m[r][2]));
        set(TraceNumber::receiver_x, scaled(shot.receivers_m[r][0]));
        set(TraceNumber::receiver_y, scaled(shot.receivers_m[r][1]));
        set(TraceNumber::station, shot.station[r]);
        impl_->set_midpoint(set, shot.midpoints_m[r]);
        impl_->write_trace(set, pressure.subspan(at, count));
    }
}

void TraceFileWriter::write(const ShotGather& gather) {
    begin_shot(gather);
    write_traces(gather.pressure);
}

AtomicFile TraceFileWriter::finish() {
    return impl_->traces.finish();
}

std::int64_t trace_file_head_bytes(TraceFormat format) {
    return is_segy(format) ? kTextualHeaderBytes + kBinaryHeaderBytes : 0;
}

std::int64_t trace_file_bytes(TraceFormat format, std::int64_t traces, std::int64_t samples) {
    const std::int64_t of_trace =
        saturating_sum(std::int64_t{kTraceHeaderBytes}, saturating_product(samples, std::int64_t{sizeof(float)}));
    return saturating_sum(trace_file_head_bytes(format), saturating_product(traces, of_trace));
}

}  // namespace onda
