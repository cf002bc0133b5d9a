#include "io/results/recorded_data.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "io/files/input_file.hpp"
#include "io/files/npy_header.hpp"
#include "io/models/points_file.hpp"
#include "io/results/result_reader.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {

class RecordedData::Source {
public:
    virtual ~Source() = default;
    [[nodiscard]] virtual std::string name(std::size_t trace) const = 0;
    [[nodiscard]] virtual std::vector<float> read(std::size_t first, std::size_t count) const = 0;

    std::vector<RecordedTrace> traces;
    std::string format;
    double dt_s = 0., resolution_m = 0.;
    std::int64_t samples = 0;
};

namespace {

class TracesOfFile final : public RecordedData::Source {
public:
    TracesOfFile(const std::filesystem::path& file, const TraceBytes& bytes) : reader_(file, bytes) {
        traces = reader_.traces();
        format = reader_.format();
        dt_s = reader_.dt_s();
        resolution_m = reader_.resolution_m();
        samples = reader_.samples();
    }
    [[nodiscard]] std::string name(std::size_t trace) const override { return "trace " + std::to_string(trace + 1); }
    [[nodiscard]] std::vector<float> read(std::size_t first, std::size_t count) const override {
        const auto each = static_cast<std::size_t>(samples);
        std::vector<float> values(count * each);
        for (std::size_t i = 0; i < count; ++i) reader_.read(first + i, std::span(values).subspan(i * each, each));
        return values;
    }

private:
    TraceFileReader reader_;
};

class ShotsOfFile final : public RecordedData::Source {
public:
    explicit ShotsOfFile(const std::filesystem::path& file) : reader_(file) {
        format = "seismograms.h5";
        for (const std::int64_t shot : reader_.shots()) {
            const ShotGather header = reader_.header(shot);
            if (shots_.empty()) dt_s = header.dt_s, samples = header.samples;
            const auto fail = [&](const std::string& fault) {
                throw Error(ExitCode::bad_data, shown(file) + ": shot " + std::to_string(shot) + " " + fault);
            };
            if (header.dt_s != dt_s || header.samples != samples)
                fail("has " + std::to_string(header.samples) + " samples every " + number_text(header.dt_s) +
                     " s, shot " + std::to_string(shots_.front().id) + " " + std::to_string(samples) + " every " +
                     number_text(dt_s) + " s");
            shots_.push_back({shot, traces.size(), header.receivers_m.size()});
            for (const auto& receiver_m : header.receivers_m)
                traces.push_back({header.sources_m.front(), receiver_m, shot, 0., false});
        }
    }
    [[nodiscard]] std::string name(std::size_t trace) const override {
        const OfShot& shot = shot_of(trace);
        return "shot " + std::to_string(shot.id) + ", receiver " + std::to_string(trace - shot.first + 1);
    }
    [[nodiscard]] std::vector<float> read(std::size_t first, std::size_t count) const override {
        std::vector<float> values;
        values.reserve(count * static_cast<std::size_t>(samples));
        for (const std::size_t end = first + count; first < end;) {
            const OfShot& shot = shot_of(first);
            const std::size_t there = std::min(end, shot.first + shot.count) - first;
            const ShotGather gather = reader_.read(shot.id, first - shot.first, there);
            values.insert(values.end(), gather.pressure.begin(), gather.pressure.end());
            first += there;
        }
        return values;
    }

private:
    struct OfShot {
        std::int64_t id;
        std::size_t first, count;
    };
    [[nodiscard]] const OfShot& shot_of(std::size_t trace) const {
        return *std::prev(std::ranges::upper_bound(shots_, trace, {}, &OfShot::first));
    }

    SeismogramReader reader_;
    std::vector<OfShot> shots_;  ///< of one receiver at least
};

/// An array of NumPy's, [trace][sample] or [shot][receiver][sample], beside the table of its traces.
class TracesOfArray final : public RecordedData::Source {
public:
    explicit TracesOfArray(const std::filesystem::path& file) : file_(file), array_(read_npy_header(file)) {
        format = "NumPy array, " + std::string(array_.format->name) + (array_.is_big_endian ? ", big endian" : "") +
                 (array_.is_fortran_order ? ", Fortran order" : "");
        count_traces();
        read_table();
    }
    [[nodiscard]] std::string name(std::size_t trace) const override { return "trace " + std::to_string(trace + 1); }
    [[nodiscard]] std::vector<float> read(std::size_t first, std::size_t count) const override;

private:
    [[noreturn]] void fail(const std::string& fault) const {
        throw Error(ExitCode::bad_data, shown(file_) + ": " + fault);
    }
    void count_traces();
    void read_table();

    std::filesystem::path file_;
    NpyArray array_;
    std::size_t count_ = 0;  ///< of traces
};

/// Of an array whose file has all of its numbers, and no more.
void TracesOfArray::count_traces() {
    const std::vector<std::int64_t>& shape = array_.shape;
    if (shape.size() != 2 && shape.size() != 3)
        fail("is an array of shape " + array_.shape_text +
             "; traces have two axes, [trace, sample], or three, [shot, receiver, sample]");
    if (shape.size() == 3 && array_.is_fortran_order)
        fail("has three axes in Fortran order; Onda reads such arrays in C order: numpy.ascontiguousarray(array)");
    const std::uintmax_t size = input_file_size(file_);
    std::uintmax_t bytes = array_.format->bytes;
    bool overflows = false;
    for (const std::int64_t extent : shape)
        overflows = __builtin_mul_overflow(bytes, static_cast<std::uintmax_t>(extent), &bytes) || overflows;
    overflows = __builtin_add_overflow(bytes, array_.first_byte, &bytes) || overflows;
    if (overflows || bytes != size)
        fail("has " + std::to_string(size) + " bytes; an array of shape " + array_.shape_text + " of " +
             std::string(array_.format->name) + " has " +
             (overflows ? "more than can be counted" : std::to_string(bytes)));
    if (bytes == array_.first_byte) fail("has no samples: its shape is " + array_.shape_text);
    samples = shape.back();
    count_ = static_cast<std::size_t>((bytes - array_.first_byte) / array_.format->bytes) /
             static_cast<std::size_t>(samples);
}

void TracesOfArray::read_table() {
    const std::filesystem::path file = table_of_array(file_);
    const TraceTable table = read_trace_table(file);
    if (table.source_m.size() != count_)
        throw Error(ExitCode::bad_data, shown(file) + ": has " + std::to_string(table.source_m.size()) + " rows, " +
                                            shown(file_.filename()) + " " + std::to_string(count_) + " traces");
    dt_s = table.dt_s;
    for (std::size_t i = 0; i < count_; ++i)
        traces.push_back({table.source_m[i], table.receiver_m[i], table.shot.empty() ? 0 : table.shot[i],
                          table.start_s.empty() ? 0. : table.start_s[i], false});
}

/// In C order the samples of traces lie behind one another, in Fortran order those of a time.
std::vector<float> TracesOfArray::read(std::size_t first, std::size_t count) const {
    const auto each = static_cast<std::size_t>(samples);
    const bool by_time = array_.is_fortran_order;
    const std::size_t pieces = by_time ? each : 1, together = by_time ? count : count * each;
    const NumberFormat& number = *array_.format;
    std::vector<float> values(count * each);
    std::vector<unsigned char> bytes(together * number.bytes);
    auto in = open_input_file(file_);
    for (std::size_t piece = 0; piece < pieces; ++piece) {
        const std::size_t begin = by_time ? piece * count_ + first : first * each;
        in.seekg(static_cast<std::streamoff>(array_.first_byte + begin * number.bytes));
        if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
            throw Error(ExitCode::io_error, shown(file_) + ": " + name(first) + " cannot be read: " + why_unread(in));
        for (std::size_t i = 0; i < together; ++i)
            values[by_time ? i * each + piece : i] = number.decode(&bytes[i * number.bytes], array_.is_big_endian);
    }
    return values;
}

std::unique_ptr<RecordedData::Source> open_source(const std::filesystem::path& file, const TraceBytes& bytes) {
    if (is_trace_array(file)) return std::make_unique<TracesOfArray>(file);
    if (is_segy_or_su(file)) return std::make_unique<TracesOfFile>(file, bytes);
    return std::make_unique<ShotsOfFile>(file);
}

}  // namespace

bool is_trace_array(const std::filesystem::path& file) {
    return lower_extension(file) == ".npy";
}

std::filesystem::path table_of_array(const std::filesystem::path& file) {
    std::filesystem::path table = table_beside(file);
    std::error_code unknown;
    if (!std::filesystem::exists(table, unknown))
        throw Error(ExitCode::missing_input, shown(table) + ": no such file: " + shown(file.filename()) +
                                                 " needs a table of its traces beside it, with the columns source_x_m, "
                                                 "source_z_m, receiver_x_m, receiver_z_m and dt_s");
    return table;
}

bool is_trace_file(const std::filesystem::path& file) {
    return is_segy_or_su(file) || is_trace_array(file);
}

RecordedData::RecordedData(const std::vector<std::filesystem::path>& files, const TraceBytes& bytes) {
    for (const std::filesystem::path& file : files) {
        sources_.push_back(open_source(file, bytes));
        Source& source = *sources_.back();
        if (dt_s_ == 0.) dt_s_ = source.dt_s;
        if (std::abs(source.dt_s - dt_s_) > 1e-9 * dt_s_)
            throw Error(ExitCode::bad_data, shown(file) + ": has a sample every " + number_text(source.dt_s) + " s, " +
                                                shown(files.front()) + " every " + number_text(dt_s_) +
                                                " s: data of one sample interval can be taken together");
        if (source.traces.empty()) throw Error(ExitCode::bad_data, shown(file) + ": has no traces");
        resolution_m_ = std::max(resolution_m_, source.resolution_m);
        files_.push_back({file, source.format, traces_.size(), source.traces.size(), source.samples});
        traces_.insert(traces_.end(), source.traces.begin(), source.traces.end());
        source.traces = {};
    }
}

RecordedData::~RecordedData() = default;
RecordedData::RecordedData(RecordedData&&) noexcept = default;

const RecordedData::File& RecordedData::file_of(std::size_t trace) const {
    return *std::prev(std::ranges::upper_bound(files_, trace, {}, &File::first));
}

std::int64_t RecordedData::least_samples() const {
    return std::ranges::min_element(files_, {}, &File::samples)->samples;
}

std::int64_t RecordedData::most_samples() const {
    return std::ranges::max_element(files_, {}, &File::samples)->samples;
}

std::string RecordedData::name(std::size_t trace) const {
    const File& file = file_of(trace);
    const std::string name = sources_[static_cast<std::size_t>(&file - files_.data())]->name(trace - file.first);
    return files_.size() == 1 ? name : name + " of " + shown(file.path.filename());
}

std::string RecordedData::name() const {
    const std::string first = shown(files_.front().path);
    return files_.size() == 1 ? first : first + " and " + std::to_string(files_.size() - 1) + " more";
}

std::vector<float> RecordedData::read(std::size_t first, std::size_t count) const {
    const File& file = file_of(first);
    return sources_[static_cast<std::size_t>(&file - files_.data())]->read(first - file.first, count);
}

}  // namespace onda
