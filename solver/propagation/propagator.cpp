#include "solver/propagation/propagator.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/shot/layer_sources.hpp"

namespace onda {

QueuedHook both(QueuedHook first, QueuedHook second) {
    if (!first.next) return second;
    if (!second.next) return first;
    const auto next = [of_first = first.next, of_second = second.next](std::int64_t step) {
        return std::min(of_first(step), of_second(step));
    };
    return {next, [first = std::move(first), second = std::move(second)](std::int64_t step) {
                for (const QueuedHook* hook : {&first, &second})
                    if (hook->next(step - 1) == step) hook->act(step);
            }};
}

namespace {

/// Of order 4 in time signals begin from 0: their first value counts for nothing. The second difference that keeps the
/// order (kernels/shot/leap_sources.hpp) would take a twelfth of it to p[0], before the first step; without that share
/// a run would not be reciprocal, nor its transpose one.
Sources from_zero(const Problem& problem, Sources sources) {
    if (problem.scheme.time_order == 4 && !sources.plain)
        for (std::vector<double>& signal : sources.signal)
            if (!signal.empty()) signal.front() = 0.;
    return sources;
}

}  // namespace

Propagator::Propagator(Wavefield& wavefield, std::vector<ShotPoints> shots, const TimeAxis& time)
    : wavefield_(wavefield), dt_s_(time.dt_s) {
    wavefield_.reset();
    for (int shot = 0; ShotPoints & points : shots) {
        Sources sources = from_zero(wavefield_.problem(), std::move(points.sources));
        wavefield_.set_sources(shot,
                               with_filters_of_strips(wavefield_.medium(), std::move(sources), time.signal_samples()));
        wavefield_.set_receivers(shot++, points.receivers, time.recorded_samples());
    }
    wavefield_.record(0);
}

Propagator::Propagator(Wavefield& wavefield, Sources sources, NodeWeights receivers, const TimeAxis& time)
    : Propagator(wavefield, std::vector{ShotPoints{std::move(sources), std::move(receivers)}}, time) {}

void Propagator::advance(std::int64_t steps) {
    for (const std::int64_t end = step_ + steps; step_ < end;) {
        const bool is_due = divide(end);
        if (pieces_.size() == 1)
            wavefield_.enqueue(step_, pieces_.front());
        else
            wavefield_.enqueue_pieces(step_, pieces_, hook_.repeated->work);
        step_ = std::accumulate(pieces_.begin(), pieces_.end(), step_);
        if (is_due) hook_.act(step_);
    }
    wavefield_.wait();
}

bool Propagator::divide(std::int64_t end) {
    pieces_.clear();
    for (std::int64_t at = step_;;) {
        const std::int64_t due = hook_.next ? hook_.next(at) : end + 1, stop = std::min(due, end);
        pieces_.push_back(stop - at);
        if (due >= end || !hook_.repeated || !hook_.repeated->is_due(due)) return due <= end;
        at = due;
        hook_.repeated->pass(at);
    }
}

}  // namespace onda
