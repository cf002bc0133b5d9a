#include "solver/propagation/time_loop.hpp"

#include <algorithm>
#include <chrono>

#include "kernels/medium.hpp"

namespace onda {

// The turn is kept while hooks act that only look at the fields: to end it after each stretch would let batches share
// the cache after all.
void TimeLoop::run(Propagator& propagator, const double& max_abs, std::int64_t last) {
    using Clock = std::chrono::steady_clock;
    const Medium& medium = propagator.wavefield().medium();
    std::unique_lock<std::mutex> turn;
    for (auto& [hook, due] : hooks_) due = hook.next(propagator.step() - (goes_on_ ? 0 : 1));
    act(propagator.step(), turn);
    while (propagator.step() < last) {
        const std::int64_t now = propagator.step();
        const std::int64_t stop = next_stop(now, std::min(last, now + control_.begin_stretch() * time_.stride));
        times_.measure("time steps", [&] {
            if (!turn) turn = medium.take_turn(propagator.wavefield().shots());
            const Clock::time_point start = Clock::now();
            propagator.advance(stop - now);
            control_.end_stretch((stop - now) / time_.stride,
                                 std::chrono::duration<double>(Clock::now() - start).count());
        });
        act(stop, turn);
        control_.tell(stop, propagator.time_s(), max_abs);
        if (!after_stretch_ || !is_due_after_stretch_()) continue;
        turn = {};
        times_.measure("checkpoints", after_stretch_);
    }
}

void TimeLoop::act(std::int64_t step, std::unique_lock<std::mutex>& turn) {
    for (auto& [hook, due] : hooks_) {
        if (due != step) continue;
        if (hook.takes_long) turn = {};
        times_.measure(hook.phase, hook.act);
        due = hook.next(step);
    }
}

std::int64_t TimeLoop::next_stop(std::int64_t step, std::int64_t last) const {
    std::int64_t stop = last;
    for (const Entry& entry : hooks_)
        if (entry.due > step) stop = std::min(stop, entry.due);
    return stop;
}

}  // namespace onda
