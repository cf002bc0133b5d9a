/// \file
/// The report of a run: one HTML page that holds all it shows, as a function of values. It is at most 15 MB long,
/// whatever a run holds: what does not fit is thinned, and the page says so.
///
/// What a shot shows is a part of the page, made when the shot is finished; the parts wait in files until the page is
/// put together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/results/seismograms.hpp"
#include "solver/report/blocks.hpp"
#include "solver/survey/fold.hpp"

namespace onda {

/// What of a survey goes into its report. A function of sizes alone, so that every process of a survey decides alike.
struct ReportChoice {
    std::vector<std::size_t> shots;    ///< whose gathers are shown: indices in the survey, ascending
    std::vector<std::size_t> movies;   ///< whose wavefields are shown, among them
    std::size_t gather_bytes = 0;      ///< of a gather, at most
    std::size_t movie_bytes = 0;       ///< of the wavefields of a shot as they are kept, at most
    std::size_t movie_characters = 0;  ///< of the wavefields of a shot on the page, at most

    [[nodiscard]] bool shows(std::size_t shot) const;
    [[nodiscard]] bool shows_wavefield(std::size_t shot) const;
};
ReportChoice choose_for_report(std::size_t shots, std::int64_t most_receivers, std::int64_t samples);

/// Nodes along one side of a section.
struct ReportAxis {
    std::string name;  ///< "x"
    double first_m = 0., spacing_m = 1.;
    std::int64_t count = 0;

    bool operator==(const ReportAxis&) const = default;
};

/// A parameter of the model on a section, [vertical][horizontal].
struct ReportParameter {
    std::string name, quantity, unit{};  ///< "vp", "velocity", "m/s"
    QuantisedRange range{};
    std::vector<std::uint16_t> values{};  ///< quantise_parameter()
    bool is_image = false;                ///< not of the model: what migration has made
};

/// What a section's side is: left, right, top, bottom.
struct ReportSide {
    std::string kind;                     ///< of the face: "cpml"
    double beyond_m = 0., inside_m = 0.;  ///< width of its absorbing layer, beyond the grid and inside it
};

/// A plane of the grid: where wavefields are shown, over the model.
struct ReportPlane {
    std::string name;  ///< "xz"
    ReportAxis horizontal, vertical;
    std::string across{};       ///< the axis that it cuts: "y"; empty: it is no section
    double at_m = 0.;           ///< where
    std::int64_t thinning = 1;  ///< nodes of the run from one to the next that is shown
    std::array<ReportSide, 4> sides{};
    std::vector<ReportParameter> parameters{};  ///< empty: the model is not at hand

    [[nodiscard]] std::size_t points() const {
        return static_cast<std::size_t>(horizontal.count) * static_cast<std::size_t>(vertical.count);
    }
};

/// The wavefield of a shot on one plane, frame by frame.
struct ReportMovie {
    ReportPlane plane;
    std::vector<double> times_s;
    std::vector<float> peaks;         ///< [Pa], of each frame
    std::vector<std::int8_t> frames;  ///< quantise_wavefield(), one after the other

    /// \param p [vertical][horizontal], in Pa.
    void add(double time_s, std::span<const float> p);
    /// Drops every second frame.
    void halve();
};

/// Traces of a gather that are shown side by side.
struct ReportLine {
    std::size_t first = 0, count = 0;  ///< among the traces kept
    std::string axis;                  ///< that tells them apart: "Receiver x [m]"
    std::string at;                    ///< where it lies among others: "y = 100 m"
};

/// The gather of a shot, thinned: where there are too many receivers for all to be kept, of several lines some, among
/// them the one that is shown at first, and of a single one every so many receivers.
struct ReportGather {
    std::vector<double> positions_m;     ///< of the traces kept, [receiver][3]
    std::vector<double> offsets_m;       ///< of the traces kept
    std::size_t receivers = 0;           ///< of the shot
    std::vector<std::uint32_t> numbers;  ///< of the receivers kept, from 0, ascending
    std::size_t every_receiver = 1, every_line = 1;
    std::vector<ReportLine> lines;
    std::size_t shown = 0;   ///< the line that is nearest to the source: shown_line()
    bool by_offset = false;  ///< the receivers follow the source
    std::int64_t samples = 0, every_sample = 1;
    double dt_s = 0.;                  ///< of the samples kept
    double end_s = 0.;                 ///< record_end_s() of the whole gather
    std::vector<float> peaks;          ///< [Pa], of each trace
    std::vector<std::int16_t> traces;  ///< quantise_trace(), [receiver][sample]
};
/// Thins samples where that keeps the band, then lines of receivers, then receivers: all of the gather but its traces,
/// which are zero. \param gather its pressure is not asked for. \param most_bytes of `traces`. \param
/// highest_frequency_hz of the signals.
ReportGather begin_gather(const ShotGather& gather, std::size_t most_bytes, double highest_frequency_hz);
/// Adds the traces of the receivers [first, …) of the shot that are kept. \param pressure [receiver][time], of the
/// shot's sampling.
void add_traces(ReportGather& kept, std::size_t first, std::span<const float> pressure, std::int64_t samples);
/// A gather thinned by begin_gather() and add_traces().
ReportGather thin_gather(const ShotGather& gather, std::size_t most_bytes, double highest_frequency_hz);

/// A signal of a shot's sources.
struct ReportWavelet {
    std::string type;
    double dt_s = 0., peak_frequency_hz = 0.;
    std::vector<float> signal;
};
std::vector<ReportWavelet> wavelets_of(const ShotGather& gather);

/// What the page shows of a shot.
struct ReportShot {
    std::int64_t shot = 1;
    std::vector<std::array<double, 3>> sources_m;
    std::vector<ReportMovie> movies;
    ReportGather gather;  ///< without traces if the shot has no receivers
    std::vector<ReportWavelet> wavelets;
};

/// The part of the page that shows a shot, as HTML. \param shot loses every second frame as often as its movies take
/// more than ReportChoice::movie_characters.
void put_report_shot(ReportShot& shot, const ReportChoice& choice, const PutText& put);

/// What the page shows beside its shots.
struct Report {
    std::string summary;      ///< the text of summary.json, or one of the same keys
    std::string config_yaml;  ///< with every parameter
    /// Of the model, through the first source; of migrations also gathers and the fold of a survey over an area.
    std::vector<ReportPlane> planes;
    std::size_t survey_shots = 0;                               ///< all of the survey
    std::vector<std::array<double, 3>> sources_m, receivers_m;  ///< of all shots, thinned
    std::vector<std::string> notes;                             ///< what is not shown, and why
    Fold fold{};                                                ///< of the traces along a line; without bins: not shown
};

/// Gives the part of the page that shows one shot, as put_report_shot() made it.
using PutShot = std::function<void(const PutText& put)>;

/// The page. Texts of configuration and summary that hold HTML show as they are.
void put_report(const Report& report, std::span<const PutShot> shots, const PutText& put);

}  // namespace onda
