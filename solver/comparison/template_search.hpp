/// \file
/// Finds a template in a volume: it is turned about the vertical by some angles, and correlated with the volume at
/// each. The angles are jobs of one queue that workers of any speed share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solver/comparison/correlation.hpp"

namespace onda {

struct SearchSettings {
    int rotations = 36;       ///< angles 360° i / rotations, from x to y
    int peaks = 5;            ///< of each angle, and of all: at most so many
    std::int64_t apart = 4;   ///< two peaks differ by more than so many samples along an axis
    bool remove_mean = true;  ///< of volume and template
};

/// A place where the template was found.
struct FoundPlace {
    int rotation = 0;  ///< its number, from 0
    double angle_degrees = 0.;
    int rank = 1;                    ///< among those of its angle, from 1
    std::array<double, 3> centre{};  ///< of the template, in samples of the volume
    /// sum of volume and turned template over the norm of the template: what of the volume's norm it explains there.
    /// The best place is that of the least squares fit of a copy of any strength (matched filter).
    double score = 0.;
    double amplitude = 0.;  ///< of that copy: score over the norm of the template
};

/// The search as devices see it: a canvas that holds the template in every direction, and the lags at which the
/// template's centre is in the volume.
struct SearchShape {
    CorrelationShape correlation;
    Triple form{};  ///< extents of the template
    [[nodiscard]] TemplateTurn turn(int rotation, int rotations) const;
    /// The place of the template's centre at a lag.
    [[nodiscard]] std::array<double, 3> centre(const Triple& lag) const;
};
SearchShape search_shape(const Triple& volume, const Triple& form, int rotations);

/// Puts results that come in any order into the order of their numbers: each is given to the sink as soon as all before
/// it have been. Several threads may put.
class InOrder {
public:
    using Sink = std::function<void(std::span<const FoundPlace>)>;
    explicit InOrder(Sink sink);
    InOrder(const InOrder&) = delete;
    InOrder& operator=(const InOrder&) = delete;
    ~InOrder();
    void put(int number, std::vector<FoundPlace> places);

private:
    struct Waiting;
    Sink sink_;
    std::unique_ptr<Waiting> waiting_;
};

/// Correlates the template at every angle with the volume. The result, to the bit, depends neither on the number of
/// workers nor on their speed, if all are of one kind.
/// \param volume, form [z][y][x] of the extents of the shape. \param make makes worker number i, called by the thread
/// that works with it; workers that cannot start threads leave their jobs to the others.
/// \param sink takes the places of each angle, in the order of the angles.
/// \returns the best places of all angles: at most settings.peaks, equal scores in the order of angles and ranks.
/// \throws Error(bad_data) for a template without anything but its mean, or values that are not finite; what a worker
/// throws.
std::vector<FoundPlace> find_template(std::span<const float> volume, std::span<const float> form,
                                      const SearchShape& shape, const SearchSettings& settings, int workers,
                                      const std::function<std::unique_ptr<Correlator>(int worker)>& make,
                                      const InOrder::Sink& sink);

}  // namespace onda
