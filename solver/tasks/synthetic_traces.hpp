/// \file
/// The seismograms of a shot, as they are compared with observed ones.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/wavefield.hpp"
#include "solver/imaging/shot_misfit.hpp"
#include "solver/signal/output_sampling.hpp"
#include "solver/tasks/shot_in_progress.hpp"

namespace onda {

/// What the receivers of a shot recorded, as it is written, with all digits that the run has.
class SyntheticTraces {
public:
    /// \param shot whose gather holds them in single precision, and lives as long as this.
    SyntheticTraces(ShotInProgress& shot, const TimeAxis& time, const Wavefield& forward, int slot) {
        const std::vector<float>& pressure = shot.gather.pressure;
        const std::int64_t receivers = std::ssize(shot.gather.receivers_m);
        if (forward.problem().precision == Precision::float64) {
            std::vector<double> recorded(pressure.size());
            forward.download_traces(std::span(recorded), slot);
            shot.before_in_double.put_into(recorded, time.recorded_samples());
            own(sampled_output(time, TraceList<const double>(recorded, receivers)), time);
        } else if (TraceList<const float> recorded(pressure, receivers); copies_samples(time)) {
            recorded.samples = time.output_samples;
            traces_ = std::move(recorded);
        } else {
            own(sampled_output(time, recorded), time);
            replace_samples(shot.gather, time);
            shot.has_output_sampling = true;
        }
    }
    [[nodiscard]] const TraceValues& traces() const { return traces_; }

private:
    void own(OwnedTraces traces, const TimeAxis& time) {
        owned_ = std::move(traces);
        traces_ = TraceList<const double>(std::as_const(owned_), time.output_samples);
    }
    /// What bring_to_output_sampling() would make of the gather: the same sums, in double, each rounded once.
    void replace_samples(ShotGather& gather, const TimeAxis& time) const {
        gather.pressure.clear();
        for (const std::vector<double>& trace : owned_)
            gather.pressure.insert(gather.pressure.end(), trace.begin(), trace.end());
        gather.samples = time.output_samples;
        gather.dt_s = time.output_dt_s;
    }

    OwnedTraces owned_;  ///< empty where they are those of the gather
    TraceValues traces_;
};

}  // namespace onda
