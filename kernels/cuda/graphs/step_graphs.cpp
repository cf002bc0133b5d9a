#include "kernels/cuda/graphs/step_graphs.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace onda::cuda {
namespace {

constexpr std::int64_t kFewest = 4;  ///< updates that a graph queues sooner than calls do
/// Steps that many things interrupt come in pieces of many lengths.
constexpr std::size_t kMostGraphs = 32;

}  // namespace

/// A captured sequence of launches.
class StepGraphs::Graph {
public:
    /// Null where there is no memory for a graph. \param may_be_refused whether null is returned as well where the
    /// driver does not take into a graph what `work` calls.
    template <typename Work>
    static std::unique_ptr<Graph> capture(const Stream& stream, bool may_be_refused, const Work& work) {
        cudaGraph_t graph = nullptr;
        ONDA_CUDA_TRY(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
        try {
            work();
        } catch (...) {
            const cudaError_t status = cudaStreamEndCapture(stream.get(), &graph);
            if (status == cudaSuccess) cudaGraphDestroy(graph);
            if (status != cudaErrorStreamCaptureInvalidated || !may_be_refused) throw;
            static_cast<void>(cudaGetLastError());  // so that no later call reports it
            return nullptr;
        }
        ONDA_CUDA_TRY(cudaStreamEndCapture(stream.get(), &graph));
        auto captured = std::make_unique<Graph>();
        // Nodes keep the priority of their stream. CUDA promises that of kernels alone; copies within a GPU gain by it,
        // too: docs/performance_bounds.md.
        const cudaError_t status =
            cudaGraphInstantiate(&captured->executable_, graph, cudaGraphInstantiateFlagUseNodePriority);
        cudaGraphDestroy(graph);
        if (status == cudaErrorMemoryAllocation) {
            static_cast<void>(cudaGetLastError());
            return nullptr;
        }
        check_call(status, "cudaGraphInstantiate", __FILE__, __LINE__);
        return captured;
    }
    Graph() = default;
    ~Graph() {
        if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    void launch(const Stream& stream) const { ONDA_CUDA_TRY(cudaGraphLaunch(executable_, stream.get())); }

private:
    cudaGraphExec_t executable_ = nullptr;
};

StepGraphs::StepGraphs(std::vector<GraphPart*> parts, std::int64_t length, std::int64_t stride, QueueSteps queue)
    : parts_(std::move(parts)),
      length_(length),
      stride_(stride),
      queue_(std::move(queue)),
      prepared_(parts_.size()),
      records_(parts_.size()) {
    for (const GraphPart* part : parts_) {
        part->enter();
        reached_.emplace_back();
    }
}

StepGraphs::~StepGraphs() = default;

void StepGraphs::enqueue(std::int64_t first, std::int64_t count) {
    first = updates_of(first);
    count = updates_of(count);
    while (count > 0) {
        forget_void_graphs(first);
        // A graph records samples first + 1 … first + steps, all of one batch.
        const std::int64_t steps = std::min({count, length_, of_one_batch(first)});
        if (steps < kFewest || !replay(first, {{steps}}, steps == length_)) queue_(stride_ * first, stride_ * steps);
        first += steps;
        count -= steps;
    }
}

bool StepGraphs::repeat(std::int64_t first, std::span<const std::int64_t> pieces, const RepeatedWork& between) {
    Contents contents{{pieces.begin(), pieces.end()}, &between};
    first = updates_of(first);
    for (std::int64_t& piece : contents.pieces) piece = updates_of(piece);
    forget_void_graphs(first);
    const std::int64_t steps = contents.updates();
    return steps >= kFewest && steps <= std::min(4 * length_, of_one_batch(first)) && replay(first, contents, false);
}

std::int64_t StepGraphs::updates_of(std::int64_t steps) const {
    if (steps % stride_ != 0) throw std::logic_error("leaps go from one even time step to the next");
    return steps / stride_;
}

std::int64_t StepGraphs::of_one_batch(std::int64_t first) const {
    std::int64_t steps = INT64_MAX;
    for (const GraphPart* part : parts_) steps = std::min(steps, part->samples_until_flush(first + 1));
    return steps;
}

void StepGraphs::forget_void_graphs(std::int64_t first) {
    bool is_void = false;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const std::int64_t prepared = parts_[i]->prepare_steps();
        const bool records = parts_[i]->records(first + 1);
        is_void = is_void || prepared != prepared_[i] || records != records_[i];
        prepared_[i] = prepared;
        records_[i] = records;
    }
    if (is_void) graphs_.clear();
}

StepGraphs::Entry* StepGraphs::find(const Contents& contents) {
    const int level = parts_.front()->level();
    const std::uint64_t work = contents.between == nullptr ? 0 : contents.between->id();
    const auto found = std::ranges::find_if(graphs_, [&](const Entry& entry) {
        return entry.level == level && entry.work == work && entry.pieces == contents.pieces;
    });
    if (found != graphs_.end()) {
        std::rotate(found, found + 1, graphs_.end());
        return &graphs_.back();
    }
    if (graphs_.size() >= kMostGraphs) {
        if (graphs_.front().graph) parts_.front()->stream().wait();
        graphs_.erase(graphs_.begin());
    }
    graphs_.push_back({level, contents.pieces, work, nullptr});
    return nullptr;
}

bool StepGraphs::replay(std::int64_t first, const Contents& contents, bool at_once) {
    if (!can_capture_) return false;
    Entry* entry = find(contents);
    if (entry == nullptr && !at_once) return false;
    if (entry == nullptr) entry = &graphs_.back();
    if (!entry->graph) entry->graph = capture(contents);
    can_capture_ = entry->graph != nullptr;
    if (!can_capture_) return false;
    for (GraphPart* part : parts_) part->begin_launch(first);
    join();
    entry->graph->launch(parts_.front()->stream());
    fork();
    for (GraphPart* part : parts_) part->end_launch(first, contents.updates());
    return true;
}

// Null where the driver refuses what several GPUs do together, or has no memory: calls are as good, if slower.
std::unique_ptr<StepGraphs::Graph> StepGraphs::capture(const Contents& contents) {
    struct Captured {
        GraphPart* part;
        Captured(GraphPart* of, bool records) : part(of) { part->begin_capture(records); }
        ~Captured() { part->end_capture(); }
        Captured(const Captured&) = delete;
        Captured& operator=(const Captured&) = delete;
    };
    std::deque<Captured> captured;
    for (std::size_t i = 0; i < parts_.size(); ++i) captured.emplace_back(parts_[i], records_[i]);
    const GraphPart& first = *parts_.front();
    const bool several =
        std::ranges::any_of(parts_, [&](const GraphPart* part) { return part->ordinal() != first.ordinal(); });
    first.enter();
    return Graph::capture(first.stream(), several, [&] {
        fork();
        std::int64_t at = 0;
        for (const std::int64_t steps : contents.pieces) {
            if (at > 0) contents.between->queue();
            queue_(stride_ * at, stride_ * steps);
            at += steps;
        }
        join();
    });
}

void StepGraphs::join() {
    for (std::size_t i = 1; i < parts_.size(); ++i) {
        parts_[i]->enter();
        reached_[i].record(parts_[i]->stream());
    }
    parts_.front()->enter();
    for (std::size_t i = 1; i < parts_.size(); ++i) reached_[i].hold(parts_.front()->stream());
}

void StepGraphs::fork() {
    if (parts_.size() == 1) return;
    parts_.front()->enter();
    reached_.front().record(parts_.front()->stream());
    for (std::size_t i = 1; i < parts_.size(); ++i) {
        parts_[i]->enter();
        reached_.front().hold(parts_[i]->stream());
    }
}

}  // namespace onda::cuda
