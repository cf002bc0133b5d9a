/// \file
/// The interface between the physics of a shot and the device that computes it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/fields/field_set.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/saved_states.hpp"
#include "kernels/setup.hpp"
#include "kernels/shot/shot.hpp"
#include "kernels/shot_state.hpp"
#include "kernels/steps/step_list.hpp"

namespace onda {

class Medium;

/// Queues time steps first … first + count - 1.
using QueueSteps = std::function<void(std::int64_t first, std::int64_t count)>;

/// Something that is queued between time steps, and is the same each time: what a device has captured of it once, it
/// can repeat with the steps.
class RepeatedWork {
public:
    explicit RepeatedWork(std::function<void()> queue) : queue_(std::move(queue)) {}
    void queue() const { queue_(); }
    /// No other work of this process has it.
    [[nodiscard]] std::uint64_t id() const { return id_; }

private:
    [[nodiscard]] static std::uint64_t next_id() {
        static std::atomic<std::uint64_t> last{0};
        return ++last;
    }

    std::function<void()> queue_;
    std::uint64_t id_ = next_id();
};

/// A way to queue steps: see Wavefield::make_step_queue().
class StepQueue {
public:
    virtual ~StepQueue() = default;
    /// Under the rules of Wavefield::enqueue().
    virtual void enqueue(std::int64_t first, std::int64_t count) = 0;
};

/// Some shots on one medium that advance together: p[n] and p[n-1] of each, its memory variables, its sources and
/// receivers.
///
/// A wavefield may run the operations of a time step asynchronously; calls that return data wait. Shots know nothing of
/// each other: their number changes no bit.
class Wavefield : public ShotState {
public:
    [[nodiscard]] virtual const Medium& medium() const = 0;
    [[nodiscard]] virtual int shots() const = 0;
    /// Bytes held for fields and boundaries, and for what shots have asked for so far; those of the medium are not
    /// among them.
    [[nodiscard]] virtual std::int64_t allocated_bytes() const = 0;

    /// Resets all shots: p[n] = p[n-1] = 0, memory variables of strips zero, no sources, no receivers.
    virtual void reset() = 0;
    /// Sets the sources of a shot and their signals.
    virtual void set_sources(int shot, Sources sources) = 0;
    /// Sets the receivers of a shot. \param samples capacity of each trace, sample 0 included.
    virtual void set_receivers(int shot, const NodeWeights& receivers, std::int64_t samples) = 0;

    /// What is computed: the problem of the medium, but perhaps for its strips.
    [[nodiscard]] const Problem& problem() const { return fields().problem(); }
    /// Performs one operation of a time step, in the order of kernels/steps/step_list.hpp. \param index the number of
    /// the update, of `record` that of the sample.
    virtual void perform(Operation operation, std::int64_t index) = 0;
    /// Takes sample n of every trace from p[n].
    void record(std::int64_t n) { perform(Operation::record, n); }

    /// Queues time steps n = first … first + count - 1 and returns; a device without a queue computes them first.
    virtual void enqueue(std::int64_t first, std::int64_t count) { advance_in_order(*this, first, count); }
    /// The same of several pieces, with `between` queued after each but the last. \param pieces of so many steps each.
    virtual void enqueue_pieces(std::int64_t first, std::span<const std::int64_t> pieces, const RepeatedWork& between) {
        for (std::size_t i = 0; i < pieces.size(); first += pieces[i++]) {
            if (i > 0) between.queue();
            enqueue(first, pieces[i]);
        }
    }
    /// What queues the steps of slabs, the first of which this is, with less work of the host than their calls; null
    /// where there is nothing to gain. \param queue queues their steps and the exchange between them by calls, none of
    /// which waits for a device.
    [[nodiscard]] virtual std::unique_ptr<StepQueue> make_step_queue(const std::vector<Wavefield*>& /*slabs*/,
                                                                     QueueSteps /*queue*/) {
        return nullptr;
    }
    /// Returns when everything queued is done. \throws what the steps met.
    virtual void wait() {}
    /// Computes time steps n = first … first + count - 1: enqueue() and wait().
    void advance(std::int64_t first, std::int64_t count) {
        enqueue(first, count);
        wait();
    }

    /// The fields, in memory.
    [[nodiscard]] virtual const FieldSet& fields() const = 0;
    [[nodiscard]] FieldSet& fields() { return const_cast<FieldSet&>(std::as_const(*this).fields()); }

    // What people ask most often of the fields, in a word.
    [[nodiscard]] std::vector<Extremum> extrema() const { return fields().extrema(); }
    /// The extremum of one shot; costs as much as extrema().
    [[nodiscard]] Extremum extremum(int shot = 0) const { return extrema().at(static_cast<std::size_t>(shot)); }
    void download(const Window& window, std::span<float> values, int shot = 0) const {
        fields().download(window, values, shot, {});
    }
    void download(const Window& window, std::span<double> values, int shot = 0) const {
        fields().download(window, values, shot, {});
    }

    /// Overwrites p[n] and p[n-1], compact [z][y][x], and zeroes the memory variables. Initial states, tests.
    virtual void upload(std::span<const double> p, std::span<const double> p_previous, int shot = 0) = 0;
    /// Copies the traces, [receiver][sample], samples as given to set_receivers.
    virtual void download_traces(std::span<float> values, int shot = 0) const = 0;
    virtual void download_traces(std::span<double> values, int shot = 0) const = 0;

    /// States to go back to, none of which has been saved.
    [[nodiscard]] virtual std::unique_ptr<SavedStates> make_saved_states() { return make_host_states(*this); }
};

}  // namespace onda
