/// \file
/// Sources with their wavelets, and receivers, as weighted grid nodes; the list of shots.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/models/points_file.hpp"
#include "io/results/trace_bytes.hpp"
#include "io/text/number_selection.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/shot/shot.hpp"
#include "solver/discretisation/boundary.hpp"
#include "solver/discretisation/sampling.hpp"
#include "solver/discretisation/time_axis.hpp"
#include "solver/signal/wavelet.hpp"
#include "solver/survey/particle_motion.hpp"
#include "solver/survey/positions.hpp"

namespace onda {

struct SourcePoint {
    Position position_m{};
    double amplitude = 1.;
    std::size_t wavelet = 0;  ///< index into Survey::wavelets
};

struct Shot {
    std::int64_t id = 1;
    std::vector<SourcePoint> sources;
    PositionList receivers;

    [[nodiscard]] std::vector<Position> source_positions() const {
        std::vector<Position> positions;
        for (const SourcePoint& source : sources) positions.push_back(source.position_m);
        return positions;
    }
};

/// The sources that the shots of a run may have together: more are an error of the configuration.
inline constexpr std::int64_t kMostSources = 1'000'000;

/// A column of receiver tables that goes with the receivers into the seismograms.
struct CarriedKind {
    std::string name;
    bool numbers = false;      ///< in every table that has it
    std::int64_t longest = 1;  ///< bytes of its longest text
};

/// The shots of a survey, ascending id. Receivers that every shot records are kept once, lines and grids of them by
/// their ends, those that move with the source by their offsets from it; a shot is made when it is asked for. Copies
/// share all of it.
class Shots {
public:
    struct Data;
    Shots();
    explicit Shots(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

    /// Those of these shots that are selected.
    [[nodiscard]] Shots only(const NumberSelection& selection) const;
    /// Whether they are all that sources fire in.
    [[nodiscard]] bool are_all() const { return kept_ == nullptr; }
    /// All that sources fire in.
    [[nodiscard]] Shots all() const { return Shots(data_); }

    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] bool empty() const { return size() == 0; }
    [[nodiscard]] Shot operator[](std::size_t i) const;
    [[nodiscard]] std::int64_t id(std::size_t i) const;
    /// The sources of a shot, without making the lists of its receivers.
    [[nodiscard]] std::span<const SourcePoint> sources(std::size_t i) const;
    /// The index of the shot with this id, which is there.
    [[nodiscard]] std::size_t index_of(std::int64_t id) const;
    [[nodiscard]] Shot front() const { return (*this)[0]; }
    /// The box around the sources and receivers of a shot, without making lists of them.
    [[nodiscard]] PositionBox spread(std::size_t i) const;
    [[nodiscard]] const std::vector<CarriedKind>& carried_kinds() const;
    /// What receiver tables say of the receivers of a shot: a column for each of carried_kinds(), one text a receiver
    /// in their order, empty where a table has no such column.
    [[nodiscard]] std::vector<CarriedColumn> carried_columns(std::int64_t id) const;

    class Iterator {
    public:
        Iterator(const Shots& shots, std::size_t i) : shots_(&shots), i_(i) {}
        Shot operator*() const { return (*shots_)[i_]; }
        Iterator& operator++() {
            ++i_;
            return *this;
        }
        bool operator!=(const Iterator& other) const { return i_ != other.i_; }

    private:
        const Shots* shots_;
        std::size_t i_;
    };
    [[nodiscard]] Iterator begin() const { return {*this, 0}; }
    [[nodiscard]] Iterator end() const { return {*this, size()}; }

private:
    /// The index in the data of the i-th of these.
    [[nodiscard]] std::size_t in_data(std::size_t i) const { return kept_ ? (*kept_)[i] : i; }

    std::shared_ptr<const Data> data_;
    std::shared_ptr<const std::vector<std::size_t>> kept_;  ///< ascending indices in the data; null: all
};

/// How much a survey is; no number wraps.
struct SurveySize {
    std::int64_t sources = 0, receivers = 0;                      ///< of all shots together
    std::int64_t most_sources = 0, most_receivers = 0;            ///< of any shot
    std::int64_t most_source_nodes = 0, most_receiver_nodes = 0;  ///< of any shot, as weighted nodes
    /// Most receivers of any shot as devices are given them: one for each quantity that they record.
    std::int64_t most_receiver_rows = 0;
    /// Most sources of any shot as devices are given them: more than its sources where nodes of theirs lie in absorbing
    /// layers (kernels/shot/layer_sources.hpp).
    std::int64_t most_source_rows = 0;
    std::map<std::int64_t, std::int64_t> shots_of_receivers;  ///< how many shots have so many receivers
};

struct Encoding;

struct Survey {
    std::vector<Wavelet> wavelets;     ///< of all shots that sources fire in, whichever are selected
    std::vector<std::string> signals;  ///< what they are, a line for each signal that the configuration names
    Shots shots;
    SurveySize size;
    std::string firing;  ///< which sources fire together, in words; empty where there is nothing to say of it
    std::shared_ptr<const Encoding> encoding;  ///< that the shots are supershots of; null where they are none
    ParticleMotion motion{};                   ///< what receivers record beside pressure
    std::vector<std::string> warnings;
    /// The shots as they were observed: those that supershots encode, where the shots are supershots.
    [[nodiscard]] const Shots& observed_shots() const;
    [[nodiscard]] double highest_frequency_hz() const;
    /// The highest frequency of all wavelets, with what the configuration says of that wavelet. There must be one.
    [[nodiscard]] HighestFrequency highest_frequency() const;
    /// The lowest and highest peak frequency of all wavelets; 0 if there are none.
    [[nodiscard]] double lowest_peak_frequency_hz() const;
    [[nodiscard]] double highest_peak_frequency_hz() const;
};

/// The bytes that a survey takes as long as it is there.
std::int64_t bytes_of_survey(const Survey& survey);

/// The sections of a configuration that a survey is made from. Refers to them.
struct SurveySections {
    const std::vector<SourceConfig>& sources;
    const std::vector<ReceiverConfig>& receivers;
    const WaveletConfig& wavelet;  ///< of every source without one of its own
    const TimeConfig& time;
    const OutputConfig& output;
    TraceBytes bytes{};       ///< where SEG-Y and SU that tell of sources and receivers have their fields
    NumberSelection shots{};  ///< that the survey has of those that sources fire in; wavelets and warnings are of all
    SurveyConfig survey{};    ///< of which the encoding is made
};

/// Refuses imaging.shots of which some are none of these. \throws Error(config).
void check_are_shots(const NumberSelection& selection, const Shots& shots, const ConfigOrigin& origin);

/// Makes a survey, counted before it is built: neither time nor memory grow with the receivers of lines and grids.
/// \throws Error(config) for positions outside the grid (names the position and the extent), empty surveys, more than
/// kMostSources, …
Survey make_survey(const SurveySections& sections, const Grid& grid, const Faces& faces, const ConfigOrigin& origin);

/// How far along each axis the weights of a source or receiver between nodes reach [nodes].
inline constexpr int kPointRadius = 4;

/// Kaiser-windowed sinc weights of Hicks (2002), Geophysics 67(1), radius kPointRadius, made exact for fields that are
/// constant or linear: exact on nodes (one weight).
/// Weights that fall beyond a mirror face are folded back with its sign; beyond any other face they are dropped.
/// A source on a rigid wall's node gets both its own weight and its image's (that node stands for half a cell);
/// a receiver does not, so that reciprocity holds.
enum class PointKind { source, receiver };
NodeWeights point_weights(std::span<const Position> positions, const Grid& grid, const FaceHalos& halos,
                          PointKind kind);

/// How far along its axis the weights of a derivative reach [nodes].
inline constexpr int kSlopeRadius = 6;

/// The weights of receivers for pressure, a row for each, followed by those for its derivative [1/m] along each of some
/// axes in turn, [quantity][receiver]. Along its axis a derivative is that of a Kaiser-windowed sinc of radius
/// kSlopeRadius, made exact for constant, linear and quadratic fields; along the others, and about mirror faces, the
/// weights are those of point_weights(). \param slopes_along axes that the grid has.
NodeWeights receiver_rows(std::span<const Position> positions, const Grid& grid, const FaceHalos& halos,
                          std::span<const int> slopes_along);
/// How many weighted nodes the derivative along one axis has at most. \param nodes of as many receivers for pressure.
std::int64_t most_slope_nodes(const Grid& grid, std::int64_t receivers, std::int64_t nodes);

/// A position in nodes from node (0, 0, 0); 0 along y in 2-D.
std::array<double, 3> in_nodes(const Grid& grid, const Position& position_m);

/// What a backend needs of a shot.
Sources make_sources(const Shot& shot, const Survey& survey, const Grid& grid, const FaceHalos& halos,
                     const TimeAxis& time);

}  // namespace onda
