#include "solver/imaging/observed_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/results/result_reader.hpp"
#include "io/results/trace_reader.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda {

class ObservedData::Kind {
public:
    virtual ~Kind() = default;
    /// As ObservedData::traces().
    [[nodiscard]] virtual std::vector<float> traces(const Shot& shot) const = 0;
};

namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& fault) {
    throw Error(ExitCode::bad_data, fmt::format("{}: {}", shown(file), fault));
}

std::string text_of(const Position& position) {
    return fmt::format("({:.8g}, {:.8g}, {:.8g}) m", position[0], position[1], position[2]);
}

/// The first place of a list that is not where the survey has it; empty where all are.
std::string difference(const char* what, const std::vector<std::array<double, 3>>& there,
                       std::span<const Position> here, double tolerance_m) {
    if (there.size() != here.size())
        return fmt::format("{} {}s there, {} in the survey", there.size(), what, here.size());
    for (std::size_t i = 0; i < here.size(); ++i)
        for (std::size_t a = 0; a < 3; ++a)
            if (!(std::abs(there[i][a] - here[i][a]) <= tolerance_m))
                return fmt::format("{} {} of {} is at {} there, at {} in the survey", what, i + 1, here.size(),
                                   text_of(there[i]), text_of(here[i]));
    return {};
}

/// How a record is sampled otherwise than a run, or ends before it; empty where it fits.
std::string misfit_of_sampling(double dt_s, std::int64_t samples, const ObservedSampling& wanted) {
    if (std::abs(dt_s - wanted.dt_s) > 1e-9 * wanted.dt_s)
        return fmt::format(
            "a sample every {:.9g} s there, every {:.9g} s in this run: set output.seismograms.dt_s to "
            "{:.9g}",
            dt_s, wanted.dt_s, dt_s);
    if (samples < wanted.samples)
        return fmt::format("{} samples there, {} in this run: the record ends at {:.6g} s; shorten time.duration_s",
                           samples, wanted.samples, static_cast<double>(samples - 1) * dt_s);
    return {};
}

/// seismograms.h5.
class SeismogramsOfSurvey final : public ObservedData::Kind {
public:
    SeismogramsOfSurvey(const std::filesystem::path& file, const Shots& shots, const ObservedSampling& sampling)
        : file_(file), sampling_(sampling), reader_(file) {
        std::vector<std::int64_t> missing;
        for (std::size_t i = 0; i < shots.size(); ++i)
            if (!reader_.has(shots.id(i))) missing.push_back(shots.id(i));
        if (!missing.empty())
            refuse(file,
                   fmt::format("has no shot {}{}; it has {} shots, {} to {}", missing.front(),
                               missing.size() > 1 ? fmt::format(" and {} more of the survey", missing.size() - 1) : "",
                               reader_.shots().size(), reader_.shots().front(), reader_.shots().back()));
    }
    [[nodiscard]] std::vector<float> traces(const Shot& shot) const override;

private:
    std::filesystem::path file_;
    ObservedSampling sampling_;
    SeismogramReader reader_;
};

std::vector<float> SeismogramsOfSurvey::traces(const Shot& shot) const {
    ShotGather gather = reader_.read(shot.id);
    const auto refuse_shot = [&](const std::string& fault) {
        refuse(file_, fmt::format("shot {}: {}", shot.id, fault));
    };
    if (const auto fault = difference("source", gather.sources_m, shot.source_positions(), sampling_.tolerance_m);
        !fault.empty())
        refuse_shot(fault);
    if (const auto fault = difference("receiver", gather.receivers_m, shot.receivers.list(), sampling_.tolerance_m);
        !fault.empty())
        refuse_shot(fault);
    if (const auto fault = misfit_of_sampling(gather.dt_s, gather.samples, sampling_); !fault.empty())
        refuse_shot(fault);
    if (gather.samples == sampling_.samples) return std::move(gather.pressure);
    std::vector<float> traces;
    traces.reserve(gather.receivers_m.size() * static_cast<std::size_t>(sampling_.samples));
    for (std::size_t i = 0; i < gather.receivers_m.size(); ++i) {
        const auto first = gather.pressure.begin() + static_cast<std::ptrdiff_t>(i) * gather.samples;
        traces.insert(traces.end(), first, first + sampling_.samples);
    }
    return traces;
}

/// Points by where they are.
class Places {
public:
    /// \param tolerance_m by which a point that is found may be off along each axis; positive.
    explicit Places(double tolerance_m) : tolerance_m_(tolerance_m) {}

    void add(const std::array<double, 3>& place, std::size_t item) { items_[cell_of(place)].push_back({place, item}); }
    /// The items there, in the order in which they were added.
    [[nodiscard]] std::vector<std::size_t> near(const Position& place) const {
        std::vector<std::size_t> found;
        const Cell middle = cell_of(place);
        for (std::int64_t dz = -1; dz <= 1; ++dz)
            for (std::int64_t dy = -1; dy <= 1; ++dy)
                for (std::int64_t dx = -1; dx <= 1; ++dx) {
                    const auto cell = items_.find({middle[0] + dx, middle[1] + dy, middle[2] + dz});
                    if (cell == items_.end()) continue;
                    for (const auto& [at, item] : cell->second)
                        if (is_near(at, place)) found.push_back(item);
                }
        std::ranges::sort(found);
        return found;
    }

private:
    using Cell = std::array<std::int64_t, 3>;

    [[nodiscard]] Cell cell_of(const std::array<double, 3>& place) const {
        Cell cell{};
        for (std::size_t axis = 0; axis < 3; ++axis)
            cell[axis] = static_cast<std::int64_t>(std::floor(place[axis] / (2. * tolerance_m_)));
        return cell;
    }
    [[nodiscard]] bool is_near(const std::array<double, 3>& a, const Position& b) const {
        return std::abs(a[0] - b[0]) <= tolerance_m_ && std::abs(a[1] - b[1]) <= tolerance_m_ &&
               std::abs(a[2] - b[2]) <= tolerance_m_;
    }

    double tolerance_m_;
    std::map<Cell, std::vector<std::pair<std::array<double, 3>, std::size_t>>> items_;
};

/// SEG-Y or SU.
class TracesOfSurvey final : public ObservedData::Kind {
public:
    TracesOfSurvey(const std::filesystem::path& file, const Shots& shots, const ObservedSampling& sampling)
        : file_(file),
          sampling_(sampling),
          reader_(file),
          tolerance_m_(std::max(sampling.tolerance_m, reader_.resolution_m())),
          sources_(tolerance_m_) {
        for (std::size_t i = 0; i < reader_.traces().size(); ++i) sources_.add(reader_.traces()[i].source_m, i);
        if (const auto fault = misfit_of_sampling(reader_.dt_s(), reader_.samples(), sampling); !fault.empty())
            refuse(file, fault);
        for (std::size_t i = 0; i < shots.size(); ++i) {
            const Shot shot = shots[i];
            const Position source = shot.source_positions().front();
            if (sources_.near(source).empty())
                refuse(file,
                       fmt::format("has no trace of shot {}, whose source is at {}; the first of its {} traces was "
                                   "shot at {}",
                                   shot.id, text_of(source), reader_.traces().size(),
                                   text_of(reader_.traces().front().source_m)));
        }
    }
    [[nodiscard]] std::vector<float> traces(const Shot& shot) const override;

private:
    void read(std::size_t trace, std::span<float> samples) const;

    std::filesystem::path file_;
    ObservedSampling sampling_;
    TraceFileReader reader_;
    double tolerance_m_;
    Places sources_;  ///< of all traces
};

std::vector<float> TracesOfSurvey::traces(const Shot& shot) const {
    Places receivers(tolerance_m_);
    for (const std::size_t trace : sources_.near(shot.source_positions().front()))
        receivers.add(reader_.traces()[trace].receiver_m, trace);
    const std::vector<Position> places = shot.receivers.list();
    const auto length = static_cast<std::size_t>(sampling_.samples);
    std::vector<float> values(places.size() * length);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::vector<std::size_t> found = receivers.near(places[i]);
        const auto refuse_receiver = [&](const std::string& fault) {
            refuse(file_, fmt::format("shot {}: receiver {} of {} at {} {}", shot.id, i + 1, places.size(),
                                      text_of(places[i]), fault));
        };
        if (found.empty()) refuse_receiver(fmt::format("has no trace within {:.6g} m", tolerance_m_));
        if (found.size() > 1)
            refuse_receiver(fmt::format("has {} traces, {} and {} of the file among them: leave one of them there",
                                        found.size(), found[0] + 1, found[1] + 1));
        read(found.front(), std::span(values).subspan(i * length, length));
    }
    return values;
}

/// A record that begins before the source does is read from its beginning on.
void TracesOfSurvey::read(std::size_t trace, std::span<float> samples) const {
    const RecordedTrace& header = reader_.traces()[trace];
    if (header.is_dead) return;  // zeros, which count for nothing
    const double early = -header.start_s / sampling_.dt_s, whole = std::round(early);
    const auto refuse_trace = [&](const std::string& fault) {
        refuse(file_, fmt::format("trace {} starts {:.6g} s {} the source (bytes 109-110): {}", trace + 1,
                                  std::abs(header.start_s), header.start_s > 0. ? "after" : "before", fault));
    };
    if (whole < 0.) refuse_trace("what it would have recorded before is not known");
    if (std::abs(early - whole) > 1e-6) refuse_trace(fmt::format("no multiple of {:.6g} s", sampling_.dt_s));
    const auto first = static_cast<std::size_t>(whole);
    if (first + samples.size() > static_cast<std::size_t>(reader_.samples()))
        refuse_trace(fmt::format("{} samples are left, {} in this run", reader_.samples() - std::int64_t(first),
                                 samples.size()));
    std::vector<float> all(first + samples.size());
    reader_.read(trace, all);
    std::copy(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(), samples.begin());
}

std::unique_ptr<ObservedData::Kind> open_observed(const std::filesystem::path& file, const Shots& shots,
                                                  const ObservedSampling& sampling) {
    if (is_trace_file(file)) return std::make_unique<TracesOfSurvey>(file, shots, sampling);
    return std::make_unique<SeismogramsOfSurvey>(file, shots, sampling);
}

}  // namespace

ObservedData::ObservedData(const std::filesystem::path& file, const Shots& shots, const ObservedSampling& sampling)
    : kind_(open_observed(file, shots, sampling)) {}
ObservedData::~ObservedData() = default;
ObservedData::ObservedData(ObservedData&&) noexcept = default;

std::vector<float> ObservedData::traces(const Shot& shot) const {
    return kind_->traces(shot);
}

}  // namespace onda
