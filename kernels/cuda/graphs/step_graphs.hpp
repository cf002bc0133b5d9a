/// \file
/// Time steps as CUDA graphs: what takes the host some twenty calls a step and slab is queued by one for many steps.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/cuda/runtime.hpp"
#include "kernels/wavefield.hpp"

namespace onda::cuda {

/// A wavefield on one GPU as graphs see it. Steps and samples count updates: steps, or leaps.
class GraphPart {
public:
    virtual ~GraphPart() = default;
    [[nodiscard]] virtual int ordinal() const = 0;  ///< of the GPU
    /// Makes the GPU that of the calling thread.
    virtual void enter() const = 0;
    /// Brings what steps need to the device, so that nothing but launches is left. \returns a number that changes
    /// whenever graphs that were captured before are void.
    virtual std::int64_t prepare_steps() = 0;
    /// Compute stream; others of a step fork from and join it.
    [[nodiscard]] virtual const Stream& stream() const = 0;
    /// Which of two arrays holds p[n].
    [[nodiscard]] virtual int level() const = 0;
    [[nodiscard]] virtual bool records(std::int64_t sample) const = 0;
    /// How many samples from this one on a graph may record.
    [[nodiscard]] virtual std::int64_t samples_until_flush(std::int64_t sample) const = 0;
    /// Steps that are queued from now on are captured: they count from 0. \param records whether they record samples.
    virtual void begin_capture(bool records) = 0;
    /// Restores the state before begin_capture().
    virtual void end_capture() = 0;
    /// A graph is about to be launched: its step 0 is step `first`.
    virtual void begin_launch(std::int64_t first) = 0;
    /// The steps of a graph are queued.
    virtual void end_launch(std::int64_t first, std::int64_t count) = 0;
};

/// Queues steps of one wavefield, or of several that exchange planes by device, and replays graphs of them.
class StepGraphs final : public StepQueue {
public:
    /// \param length updates of a graph of many steps; fewer make one when they are asked for again. \param stride
    /// steps of an update. \param queue queues steps of all parts, whose samples are of one batch, by calls; graphs
    /// capture it, and so have its order of operations.
    StepGraphs(std::vector<GraphPart*> parts, std::int64_t length, std::int64_t stride, QueueSteps queue);
    ~StepGraphs() override;

    void enqueue(std::int64_t first, std::int64_t count) override;
    /// Queues pieces of steps, and work between them, by a graph, as Wavefield::enqueue_pieces() tells. \returns
    /// whether it has: only what was queued by its calls before is captured, and only where samples are of one batch.
    bool repeat(std::int64_t first, std::span<const std::int64_t> pieces, const RepeatedWork& between);

private:
    class Graph;

    /// What a graph queues: pieces of so many updates, and work between them.
    struct Contents {
        std::vector<std::int64_t> pieces;
        const RepeatedWork* between = nullptr;  ///< null for a single piece
        [[nodiscard]] std::int64_t updates() const { return std::accumulate(pieces.begin(), pieces.end(), 0L); }
    };
    /// A graph of contents, or that they were queued by their calls.
    struct Entry {
        int level;  ///< that the first part's p[n] begins at
        std::vector<std::int64_t> pieces;
        std::uint64_t work;  ///< its id; 0: none
        std::unique_ptr<Graph> graph;
    };

    /// \param at_once whether a graph is made the first time. \returns whether the steps are queued.
    bool replay(std::int64_t first, const Contents& contents, bool at_once);
    /// \returns the entry of contents; null if it was none, and is the last from now on.
    [[nodiscard]] Entry* find(const Contents& contents);
    void forget_void_graphs(std::int64_t first);
    /// \throws std::logic_error for steps that are no whole updates.
    [[nodiscard]] std::int64_t updates_of(std::int64_t steps) const;
    /// How many of the updates that follow are of one batch of samples.
    [[nodiscard]] std::int64_t of_one_batch(std::int64_t first) const;
    [[nodiscard]] std::unique_ptr<Graph> capture(const Contents& contents);
    /// Lets the first part's stream continue after the streams of the others.
    void join();
    /// Lets the streams of the others continue after the first part's.
    void fork();

    std::vector<GraphPart*> parts_;
    std::int64_t length_, stride_;
    QueueSteps queue_;
    std::deque<Event> reached_;           ///< of each part's stream
    std::vector<std::int64_t> prepared_;  ///< of each part: see prepare_steps()
    std::vector<bool> records_;           ///< of each part: whether the graphs record samples
    std::vector<Entry> graphs_;           ///< the one that was used last comes last
    bool can_capture_ = true;
};

}  // namespace onda::cuda
