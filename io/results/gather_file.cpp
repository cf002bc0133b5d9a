// The table of formats, and what they share.
#include "io/results/gather_file.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "io/results/gather_writers.hpp"
#include "io/results/trace_file.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"

namespace onda {
namespace {

std::string unfit_trace_file(const GatherContents& contents, const TraceLimits& limits) {
    for (std::string unfit :
         {limits.unfit_interval(contents.dt_s), limits.unfit_samples(contents.samples),
          unfit_places(contents.farthest_m), unfit_shot(contents.last_shot), unfit_traces(contents.traces)})
        if (!unfit.empty()) return unfit;
    return {};
}

std::string unfit_segy(const GatherContents& contents) {
    return unfit_trace_file(contents, kSegyLimits);
}

std::string unfit_su(const GatherContents& contents) {
    return unfit_trace_file(contents, kSuLimits);
}

std::string fits(const GatherContents& /*contents*/) {
    return {};
}

std::int64_t segy_bytes(const GatherContents& contents) {
    return trace_file_bytes(TraceFormat::segy_ieee, contents.traces, contents.samples);
}

std::int64_t su_bytes(const GatherContents& contents) {
    return trace_file_bytes(TraceFormat::su, contents.traces, contents.samples);
}

std::int64_t number_bytes(const GatherContents& contents) {
    return saturating_product(contents.traces, contents.samples, std::int64_t{sizeof(float)});
}

std::int64_t unknown_bytes(const GatherContents& /*contents*/) {
    return 0;
}

/// A text as a field of a CSV file.
std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

}  // namespace

std::span<const GatherFormat> gather_formats() {
    static const std::array<GatherFormat, 5> list{{
        {"segy", "SEG-Y rev 1", {".segy", ".sgy"}, {"ieee", "ibm"}, unfit_segy, open_segy, segy_bytes},
        {"su", "SU (Seismic Unix)", {".su"}, {}, unfit_su, open_su, su_bytes},
        {"rsf", "Madagascar RSF", {".rsf"}, {}, fits, open_rsf, number_bytes},
        {"npy", "a NumPy array", {".npy"}, {}, fits, open_npy, number_bytes},
        {"csv", "a CSV table", {".csv"}, {}, fits, open_csv, unknown_bytes},
    }};
    return list;
}

const GatherFormat& gather_format(std::string_view name) {
    const auto formats = gather_formats();
    const auto format = std::ranges::find(formats, name, &GatherFormat::name);
    if (format == formats.end()) throw Error(ExitCode::internal, "there is no format " + std::string(name));
    return *format;
}

const GatherFormat* gather_format_of(const std::filesystem::path& file) {
    const std::string extension = file.extension().string();
    const auto formats = gather_formats();
    const auto format = std::ranges::find_if(formats, [&extension](const GatherFormat& row) {
        return std::ranges::find(row.extensions, extension) != row.extensions.end();
    });
    return format == formats.end() ? nullptr : &*format;
}

std::string samples_of(const GatherFormat& format, const std::string& asked) {
    if (asked.empty()) return format.samples.empty() ? "" : format.samples.front();
    if (std::ranges::find(format.samples, asked) != format.samples.end()) return asked;
    std::string there;
    for (const std::string& samples : format.samples) there += (there.empty() ? "" : ", ") + samples;
    throw Error(ExitCode::usage, "samples '" + printable(asked) + "': " + std::string(format.name) +
                                     (there.empty() ? " files have no choice of them" : " files have " + there));
}

std::string names_of_gather_formats(const std::string& before) {
    std::string names;
    for (const GatherFormat& format : gather_formats())
        names += (names.empty() ? "" : ", ") + before + std::string(format.name);
    return names;
}

// TraceColumns -----------------------------------------------------------------------------------------------------

std::string TraceColumns::names() const {
    std::string names =
        "trace,shot,receiver,source_x_m,source_y_m,source_z_m,receiver_x_m,receiver_y_m,receiver_z_m,"
        "offset_m,dt_s";
    for (const std::string& column : contents_.columns) names += "," + csv_field(column);
    return names;
}

void TraceColumns::begin_shot(const ShotGather& header) {
    shot_ = header;
    offsets_m_ = offsets_m(shot_);
    receiver_ = 0;
    carried_.clear();
    for (const std::string& name : contents_.columns) {
        const auto column = std::ranges::find(shot_.carried, name, &CarriedColumn::name);
        carried_.push_back(column == shot_.carried.end() ? nullptr : &*column);
    }
}

std::string TraceColumns::next_line() {
    const std::size_t r = receiver_++;
    std::string line = std::to_string(++trace_) + "," + std::to_string(shot_.shot) + "," + std::to_string(r + 1);
    for (const auto& place_m : {shot_.sources_m.front(), shot_.receivers_m.at(r)})
        for (const double metre : place_m) line += "," + shortest(metre);
    line += "," + shortest(offsets_m_[r]) + "," + shortest(shot_.dt_s);
    for (const CarriedColumn* column : carried_)
        line += "," + (column == nullptr ? std::string() : csv_field(column->text.at(r)));
    return line;
}

// NumbersWithTable -------------------------------------------------------------------------------------------------

NumbersWithTable::NumbersWithTable(const GatherTarget& target, const GatherContents& contents,
                                   const std::string& header)
    : contents_(contents),
      columns_(contents_),
      numbers_(target.file, target.overwrite),
      table_(table_beside(target.file), target.overwrite) {
    numbers_.put(header);
    table_.put(columns_.names() + "\n");
}

void NumbersWithTable::begin_shot(const ShotGather& header) {
    columns_.begin_shot(header);
}

void NumbersWithTable::put(std::span<const float> pressure) {
    const auto samples = static_cast<std::size_t>(contents_.samples);
    for (std::size_t at = 0; at < pressure.size(); at += samples) {
        const auto bytes = std::as_bytes(pressure.subspan(at, samples));
        numbers_.put({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        table_.put(columns_.next_line() + "\n");
    }
}

std::vector<AtomicFile> NumbersWithTable::finish() {
    std::vector<AtomicFile> files;
    files.push_back(table_.finish());
    files.push_back(numbers_.finish());
    return files;
}

}  // namespace onda
