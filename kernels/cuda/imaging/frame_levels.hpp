/// \file
/// The values of a frame of nodes, level by level: in the memory of a GPU; in the host's, from and to which they go
/// beside the steps; or in a file, by way of a few levels in the host's.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/imaging/field_ring.hpp"
#include "kernels/cuda/imaging/host_levels.hpp"
#include "kernels/imaging/field_ring.hpp"
#include "kernels/imaging/level_file.hpp"
#include "kernels/imaging/ring_boxes.hpp"
#include "kernels/imaging/ring_levels.hpp"

namespace onda::cuda {

/// What is written to levels and read of them is queued on streams that follow each other. \tparam T of the fields.
/// \tparam Stored values of nodes, or CodedBlock.
template <typename T, typename Stored>
class FrameLevels {
public:
    /// \param planned with the rows of add_rows().
    FrameLevels(const NodeFrame& frame, int shots, const Allocations& planned, const RingSize& size,
                const std::string& name, std::int64_t together = 1)
        : of_level_(shots * stored_elements<Stored>(frame.nodes)),
          stages_(together + kAhead),
          on_device_(planned.of(name)),
          on_host_(planned.of(name + " on the host"), of_level_) {
        if (const Allocation& row = planned.of(name + " in a file"); row.elements > 0)
            file_ = LevelFile(size.folder, row.elements, row.element_bytes);
        in_stage_.fill(kNothing);
        unwritten_.fill(kNothing);
        for (const NodeFrame::Part& part : frame.parts) {
            DeviceFrame::Part& on_device = frame_.part[frame_.parts++];
            for (std::size_t axis = 0; axis < 3; ++axis) {
                on_device.nodes.low[axis] = static_cast<int>(part.nodes.low[axis]);
                on_device.nodes.count[axis] = static_cast<int>(part.nodes.high[axis] - part.nodes.low[axis]);
            }
            on_device.first = part.first;
        }
        frame_.nodes = frame.nodes;
    }

    /// Adds the rows of what it allocates: in the memory of the device all levels, or those on their way.
    /// \param together levels that are read at once, at most.
    static void add_rows(Allocations& list, const NodeFrame& frame, int shots, std::int64_t levels, RingPlace place,
                         const std::string& name, std::int64_t together = 1) {
        const std::int64_t of_level = shots * stored_elements<Stored>(frame.nodes), kept = of_level > 0 ? levels : 0,
                           staged = std::min(together + kAhead, kept);
        const bool is_in_file = place == RingPlace::file;
        list.add(on_device(name, Owner::wavefield, (place == RingPlace::device ? kept : staged) * of_level, kElement));
        list.add(pinned(name + " on the host", Owner::wavefield,
                        (place == RingPlace::device ? 0
                         : is_in_file               ? staged
                                                    : kept) *
                            of_level,
                        kElement));
        list.add(level_file(name + " in a file", is_in_file ? kept : 0, of_level * kElement));
    }

    [[nodiscard]] const DeviceFrame& frame() const { return frame_; }
    /// On the device.
    [[nodiscard]] std::int64_t bytes() const { return on_device_.bytes(); }
    /// Lets write(values) queue the values of a level on a stream.
    template <typename Write>
    void write(std::int64_t level, const Stream& stream, const Write& write) {
        if (!is_on_host()) return write(on_device_.data() + level * of_level_);
        const std::size_t stage = stage_of(level);
        finish_copies(stage);
        free_[stage].hold(stream);
        write(in_stage(stage));
        full_[stage].record(stream);
        full_[stage].hold(copies_);
        copy(at_host(level), in_stage(stage), cudaMemcpyDeviceToHost);
        free_[stage].record(copies_);
        in_stage_[stage] = level;
        if (file_.is_open()) unwritten_[stage] = level;
    }
    /// Lets read(values) queue what takes the values of a level.
    template <typename Read>
    void read(std::int64_t level, const Stream& stream, const Read& read) {
        const WeightedSlot alone{level, 1.};
        this->read(std::span(&alone, 1), stream, [&read](const WeightedValues<T, Stored>& of) { read(of.values[0]); });
    }
    /// Lets read(WeightedValues) queue what takes those of some levels beside each other, the lowest first, and fetches
    /// those below them.
    template <typename Read>
    void read(std::span<const WeightedSlot> parts, const Stream& stream, const Read& read) {
        using Values = WeightedValues<T, Stored>;
        static_assert(RingLevels::kTogether <= Values::kMost);
        Values of;
        for (const WeightedSlot& part : parts) {
            of.values[of.count] =
                is_on_host() ? in_stage(stage_of(part.slot)) : on_device_.data() + part.slot * of_level_;
            of.weight[of.count++] = static_cast<T>(part.weight);
        }
        if (!is_on_host()) return read(of);
        for (std::size_t i = parts.size(); i-- > 0;) {
            fetch(parts[i].slot);
            full_[stage_of(parts[i].slot)].hold(stream);
        }
        read(of);
        for (const WeightedSlot& part : parts) free_[stage_of(part.slot)].record(stream);
        const std::int64_t lowest = parts.front().slot;
        for (std::int64_t below = lowest - 1; below > lowest - kAhead && below >= 0; --below) fetch(below);
    }

private:
    static constexpr std::int64_t kElement = sizeof(Stored), kNothing = -1;
    /// Fetched ones and those that are read have their stages.
    static constexpr std::int64_t kAhead = 3, kMostStages = RingLevels::kTogether + kAhead;

    [[nodiscard]] bool is_on_host() const { return on_host_.size() > 0; }
    [[nodiscard]] std::size_t stage_of(std::int64_t level) const { return static_cast<std::size_t>(level % stages_); }
    [[nodiscard]] Stored* in_stage(std::size_t stage) const {
        return on_device_.data() + static_cast<std::int64_t>(stage) * of_level_;
    }
    /// Where a level is on the host, or on its way from or to the file.
    [[nodiscard]] Stored* at_host(std::int64_t level) {
        return on_host_.at(file_.is_open() ? static_cast<std::int64_t>(stage_of(level)) : level);
    }
    void copy(Stored* to, const Stored* from, cudaMemcpyKind kind) const {
        ONDA_CUDA_TRY(cudaMemcpyAsync(to, from, static_cast<std::size_t>(of_level_ * kElement), kind, copies_.get()));
    }
    /// Waits until a stage of the host may be used for another level: what came to it goes to the file, and what was
    /// fetched by way of it is on the device. Without a file every level has its own place.
    void finish_copies(std::size_t stage) {
        if (!file_.is_open() || in_stage_[stage] == kNothing) return;
        const std::int64_t level = std::exchange(unwritten_[stage], kNothing);
        if (level == kNothing) return full_[stage].wait();
        free_[stage].wait();
        file_.write(level, 0, at_host(level), of_level_ * kElement);
    }
    /// Brings a level to its stage, once what is there has been read.
    void fetch(std::int64_t level) {
        const std::size_t stage = stage_of(level);
        if (unwritten_[stage] != kNothing) finish_copies(stage);
        if (in_stage_[stage] == level) return;
        if (file_.is_open()) {
            finish_copies(stage);
            file_.expect(level - stages_);
            file_.read(level, 0, at_host(level), of_level_ * kElement);
        }
        free_[stage].hold(copies_);
        copy(in_stage(stage), at_host(level), cudaMemcpyHostToDevice);
        full_[stage].record(copies_);
        in_stage_[stage] = level;
    }

    std::int64_t of_level_;  ///< elements of all shots
    std::int64_t stages_;
    DeviceFrame frame_;
    DeviceBuffer<Stored> on_device_;  ///< [level or stage][shot][node of the frame, or block of them]
    HostLevels<Stored> on_host_;      ///< [level, or stage of the file][the same]
    LevelFile file_;
    Stream copies_;
    std::array<Event, kMostStages> full_, free_;         ///< a stage may be read; it may be overwritten
    std::array<std::int64_t, kMostStages> in_stage_{};   ///< the level in each
    std::array<std::int64_t, kMostStages> unwritten_{};  ///< the level in each that the file does not have yet
};

}  // namespace onda::cuda
