#include "io/results/recorded_data.hpp"

#include <algorithm>
#include <cmath>
#include <span>

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

std::unique_ptr<RecordedData::Source> open_source(const std::filesystem::path& file, const TraceBytes& bytes) {
    if (is_trace_file(file)) return std::make_unique<TracesOfFile>(file, bytes);
    return std::make_unique<ShotsOfFile>(file);
}

}  // namespace

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
