#include "solver/tasks/kept_adjoint.hpp"

#include <algorithm>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"

namespace onda {

KeptAdjoint::KeptAdjoint(GradientRun& run, const TimeAxis& time, BatchCheckpoints& checkpoints, StepControl& control)
    : run_(run),
      time_(time),
      checkpoints_(checkpoints),
      control_(control),
      begins_after_(std::max<std::int64_t>(0, checkpoints.find(*this) - time.steps)) {}

std::string KeptAdjoint::name_of(std::int64_t step) const {
    return fmt::format("step {} of {} of the adjoint field", step - time_.steps, time_.steps);
}

void KeptAdjoint::settle() {
    for (const Extremum& seen : run_.adjoint().wavefield().extrema())
        if (!seen.finite)
            throw Error(ExitCode::unstable, fmt::format("the adjoint field is not finite at step {} of {}",
                                                        run_.adjoint().step(), time_.steps));
}

void KeptAdjoint::keep(std::size_t slot, CheckpointRecord& /*record*/, KeptValues& values) const {
    values.put(run_.recorded(static_cast<int>(slot)));
}

void KeptAdjoint::take_back(std::size_t slot, const CheckpointRecord& /*record*/, KeptValues& values) {
    run_.set_recorded_before(static_cast<int>(slot), values.get<double>());
}

}  // namespace onda
