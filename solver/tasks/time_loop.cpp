#include "solver/tasks/time_loop.hpp"

#include <algorithm>
#include <chrono>

namespace onda {

void TimeLoop::run(Propagator& propagator, const double& max_abs) {
    using Clock = std::chrono::steady_clock;
    for (auto& [hook, due] : hooks_) due = hook.next(propagator.step() - 1);
    act(propagator.step());
    while (propagator.step() < time_.steps) {
        const std::int64_t now = propagator.step(), stop = next_stop(now, control_.begin_stretch());
        times_.measure("time steps", [&] {
            const Clock::time_point start = Clock::now();
            propagator.advance(stop - now);
            control_.end_stretch((stop - now) / time_.stride,
                                 std::chrono::duration<double>(Clock::now() - start).count());
        });
        act(stop);
        control_.tell(stop, propagator.time_s(), max_abs);
    }
}

void TimeLoop::act(std::int64_t step) {
    for (auto& [hook, due] : hooks_) {
        if (due != step) continue;
        times_.measure(hook.phase, hook.act);
        due = hook.next(step);
    }
}

std::int64_t TimeLoop::next_stop(std::int64_t step, std::int64_t most_strides) const {
    std::int64_t stop = std::min(time_.steps, step + most_strides * time_.stride);
    for (const Entry& entry : hooks_) stop = std::min(stop, entry.due);
    return stop;
}

}  // namespace onda
