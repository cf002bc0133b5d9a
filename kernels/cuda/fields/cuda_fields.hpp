/// \file
/// The fields of a wavefield in the memory of one GPU: their time levels, halos, windows, planes and states.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/field_operations.hpp"
#include "kernels/cuda/fields/downloads.hpp"
#include "kernels/cuda/stepper.hpp"
#include "kernels/equations/observed_field.hpp"
#include "kernels/fields/field_set.hpp"

namespace onda::cuda {

/// Every field of an equation for some shots on one grid, each with the time levels n and n - 1, which take turns. What
/// it queues goes to compute() unless it says otherwise.
template <typename T>
class CudaFields final : public FieldSet {
public:
    /// \param planned with the rows of add_rows().
    CudaFields(const Setup& setup, int shots, const Allocations& planned);

    /// Adds the rows of what it allocates.
    static void add_rows(Allocations& list, const Setup& setup, int shots);
    /// Bytes on the device.
    [[nodiscard]] std::int64_t bytes() const;

    [[nodiscard]] int shots() const { return shots_; }
    [[nodiscard]] std::size_t count() const { return levels_.size(); }
    [[nodiscard]] const Grid& grid() const { return grid_; }  ///< of a volume: see batched()
    [[nodiscard]] const Layout& layout() const { return layout_; }
    [[nodiscard]] int volumes() const { return volumes_; }
    [[nodiscard]] std::int64_t volume_step() const { return volume_step_; }
    [[nodiscard]] const Stream& compute() const { return compute_; }  ///< of steps
    [[nodiscard]] const Stream& copy() const { return copy_; }        ///< of copies to the host beside them
    /// Makes the GPU that of the calling thread.
    void enter() const { scope_.enter(); }

    /// p[n] of a field, and the level before it, at node (0, 0, 0) of the first volume.
    [[nodiscard]] T* now(std::size_t field = 0) const { return levels_[field][static_cast<std::size_t>(now_)]; }
    [[nodiscard]] T* before(std::size_t field = 0) const { return levels_[field][static_cast<std::size_t>(1 - now_)]; }
    /// p[n] as receivers and snapshots see it.
    [[nodiscard]] ObservedField<T> observed() const {
        const auto share = setup_.scheme.equation->share_of_second;
        if (share == nullptr) return {now()};
        return {now(), now(1), static_cast<T>(share(grid_.dimensions))};
    }
    [[nodiscard]] const T* memory_field(std::size_t field) const { return memory_fields_[field]; }
    /// Of the first field: the odd level of leaps, or u of order 4 in time, in the shell (kernels/plan/shell.hpp); null
    /// where every node leaps, or steps singly.
    [[nodiscard]] T* odd() const { return odd_memory_.size() > 0 ? odd_memory_.data() + layout_.origin : nullptr; }
    /// Which of its two arrays holds p[n] of every field.
    [[nodiscard]] int level() const { return now_; }
    void set_level(int now) { now_ = now; }
    void swap() { now_ = 1 - now_; }
    /// Sets grid, layout, levels and volumes as kernels see them.
    void describe(Fields<T>& fields) const;
    /// Queues zeros everywhere. In the padding, too: vectors at the end of a row read it.
    void clear();

    /// Fills the halos of p[n] of every field by the rules of Problem::halos.
    void fill_halos() const { fill_halos(2); }
    /// Fills the halos of p[n] of every field along the axes up to one: 0 x, 1 y, 2 z.
    void fill_halos(int last_axis) const;
    /// Fills the halos of an array with the layout of a field, along the axes up to one.
    void fill_halos_of(T* array, int last_axis) const;

    /// Elements from node (0, 0, 0) of an array to a node (Grid::at index) of one shot.
    [[nodiscard]] std::int64_t element(std::int64_t node, int shot) const {
        const auto [x, y, z] = setup_.grid.node(node);
        return layout_.at(x, y, z) - layout_.origin + shot * shot_step_;
    }
    [[nodiscard]] WindowRows rows_of(const Window& window, int shot) const;
    /// Copies rows of an array of this GPU to the host through the staging memory. Waits.
    template <typename U>
    void copy_out(const ObservedField<T>& from, WindowRows rows, std::span<U> values) const;
    /// Shows planes of an array of this GPU to `take`, in their order, from page-locked memory: while one is taken the
    /// next comes; one after the other where there is no such memory. \param rows of the first, which lies `step_z`
    /// elements before the second.
    void show_planes(const T* from, WindowRows rows, std::int64_t planes,
                     const std::function<void(std::int64_t plane, std::span<T> values)>& take) const;
    /// Copies rows from the host to an array of this GPU through the staging memory. Waits.
    template <typename U>
    void copy_in(T* to, WindowRows rows, std::span<const U> values) const;

    [[nodiscard]] std::vector<Extremum> extrema() const override;
    void download(const Window& window, std::span<float> values, int shot, FieldLevel level) const override {
        copy_out(seen_at(level), rows_of(window, shot), values);
    }
    void download(const Window& window, std::span<double> values, int shot, FieldLevel level) const override {
        copy_out(seen_at(level), rows_of(window, shot), values);
    }
    [[nodiscard]] std::unique_ptr<Download> start_download(const Window& window, int shot) override {
        enter();
        return downloads_->start(observed(), rows_of(window, shot), compute_, copy_);
    }
    void hash_planes(const Window& window, std::span<std::uint64_t> hashes, int shot) const override;
    void sample(std::span<const std::int64_t> nodes, std::span<double> values, int shot) const override;
    /// Calls body(part, array, rows of a plane) for every level of a shot's fields, then for every memory field, in the
    /// order of the equation.
    template <typename Body>
    void for_state(int shot, const Body& body) const {
        const auto& n = setup_.grid.n;
        const WindowRows plane = rows_of_plane(shot);
        for (std::size_t field = 0; field < count(); ++field) {
            const std::string name(setup_.scheme.equation->fields[field]);
            body(StatePart{name, n, sizeof(T)}, now(field), plane);
            body(StatePart{name + "_previous", n, sizeof(T)}, before(field), plane);
        }
        for_memory(shot, body);
    }
    /// The same for the memory fields alone.
    template <typename Body>
    void for_memory(int shot, const Body& body) const {
        for (std::size_t field = 0; field < memory_fields_.size(); ++field)
            body(StatePart{std::string(setup_.scheme.equation->memory[field]), setup_.grid.n, sizeof(T)},
                 memory_fields_[field], rows_of_plane(shot));
    }

    [[nodiscard]] std::unique_ptr<Correlation> make_correlation(std::int64_t slots, Correlated what,
                                                                const OffsetLines& lines) const override;
    [[nodiscard]] std::unique_ptr<Scattering> make_scattering() const override;
    [[nodiscard]] std::unique_ptr<FluxCorrelation> make_flux_correlation(std::int64_t slots) const override;
    [[nodiscard]] std::unique_ptr<FluxScattering> make_flux_scattering() const override;
    [[nodiscard]] std::unique_ptr<FieldRing> make_ring(const RingSize& size) const override;

    // The copies of planes run on a stream of their own.
    void copy_planes(const FieldSet& other, std::int64_t from_plane, std::int64_t to_plane,
                     std::int64_t count) override;
    [[nodiscard]] PlaneBuffer make_plane_buffer(std::int64_t planes) const override;
    [[nodiscard]] bool pack(std::int64_t from_plane, const PlaneBuffer& planes) const override;
    void await_packed() const override {
        enter();
        planes_.wait();
    }
    void unpack(std::int64_t to_plane, const PlaneBuffer& planes) override;
    [[nodiscard]] std::unique_ptr<PlanePort> make_plane_port(std::int64_t planes, std::int64_t from_plane,
                                                             std::int64_t to_plane) override;
    void await_planes() override;
    /// Forgets copies under way, which a capture has left.
    void forget_planes() { under_way_.clear(); }

private:
    class Port;

    /// Makes room for two planes of so many values in page-locked memory. \returns whether there is.
    [[nodiscard]] bool has_room_to_show(std::int64_t values) const;

    /// The rows of the first plane of a shot.
    [[nodiscard]] WindowRows rows_of_plane(int shot) const {
        return rows_of({{0, 0, 0}, {setup_.grid.n[0], setup_.grid.n[1], 1}, {1, 1, 1}}, shot);
    }
    [[nodiscard]] ObservedField<T> seen_at(FieldLevel level) const {
        return level == FieldLevel{} ? observed() : ObservedField<T>{array_of(level)};
    }
    [[nodiscard]] T* array_of(FieldLevel level) const {
        if (level.before == kAppliedLevel.before) return odd();
        const auto field = static_cast<std::size_t>(level.field);
        return level.before == 0 ? now(field) : before(field);
    }
    /// Rows of `length` values that the staging memory holds, at most `all`.
    template <typename U>
    [[nodiscard]] std::int64_t rows_of_staging(std::int64_t length, std::int64_t all) const {
        return std::min(staging_.size() / (length * static_cast<std::int64_t>(sizeof(U))), all);
    }
    /// Where the blocks of planes from `plane` on lie, for PlaneShape::for_blocks().
    [[nodiscard]] auto blocks_from(std::int64_t plane) const {
        return [this, plane](int shot, FieldLevel level) {  // slabs are of three dimensions: a volume is a shot
            T* const array = array_of(level) - layout_.origin + shot * volume_step_;
            return PlaneBlock::in_array(array, layout_, setup_.scheme.halo(), plane);
        };
    }

    const Setup& setup_;
    int shots_;
    DeviceScope scope_;
    Grid grid_;
    Layout layout_;
    int volumes_;
    std::int64_t volume_step_;
    std::int64_t shot_step_;  ///< elements from node (0, 0, 0) of a shot to that of the next
    DeviceBuffer<T> memory_;  ///< of all levels, one allocation
    DeviceBuffer<T> odd_memory_, further_memory_;
    std::vector<std::array<T*, 2>> levels_;
    std::vector<T*> memory_fields_, scratch_fields_;  ///< in further_memory_
    int now_ = 0;
    std::array<DeviceBuffer<LayerCopy>, 3> copies_;
    DeviceBuffer<std::byte> staging_;  ///< for rows on their way
    mutable PinnedBuffer<T> shown_;    ///< two planes on their way in show_planes(), from its first call on
    DeviceBuffer<Largest> largest_;
    DeviceBuffer<std::uint64_t> hashes_;  ///< of the planes of one shot
    std::shared_ptr<Downloads> downloads_;
    Stream compute_, copy_;
    Stream planes_ = Stream::urgent();             ///< of planes from and to other slabs
    Event complete_, arrived_;                     ///< p[n] may be copied; the planes of other slabs have been
    mutable std::vector<const Event*> under_way_;  ///< copies to and from these fields
};

}  // namespace onda::cuda
