#include "kernels/cuda/imaging/cuda_correlation.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/cuda/cuda.hpp"
#include "kernels/cuda/imaging/correlation.hpp"
#include "kernels/cuda/imaging/node_layout.hpp"
#include "kernels/cuda/imaging/state_arrays.hpp"
#include "kernels/imaging/layer_boxes.hpp"
#include "kernels/imaging/scattering.hpp"

namespace onda::cuda {
namespace {

/// The recursions of all axes one after the other: a, b and c of x, of y, of z.
template <typename T>
std::vector<T> joined_profiles(const LayerBoxes& layers) {
    std::vector<T> all;
    for (const LayerProfile& axis : layers.axis)
        for (const std::vector<double>* values : {&axis.a, &axis.b, &axis.c})
            all.insert(all.end(), values->begin(), values->end());
    return all;
}

constexpr std::int64_t kStaged = 4 << 20;  ///< elements of an image on their way to the host

std::vector<int> nodes_of(const OffsetLines& lines) {
    std::vector<int> nodes;
    for (const auto& [x, y] : lines.lines) nodes.insert(nodes.end(), {static_cast<int>(x), static_cast<int>(y)});
    return nodes;
}

std::string row_of(const char* name) {
    return std::string("imaging.") + name;
}

template <typename T>
class CudaCorrelation final : public Correlation {
public:
    CudaCorrelation(const Setup& setup, const CudaFields<T>& fields, std::int64_t slots, Correlated what,
                    const OffsetLines& lines)
        : CudaCorrelation(setup, fields.shots(), what, lines,
                          correlation_allocations(setup, fields.shots(), slots, what, lines)) {}
    ~CudaCorrelation() override { scope_.enter_to_free(); }

    void reset() override {
        scope_.enter();
        follow(own_);
        for (const DeviceBuffer<T>& image : images_) clear(image);
        clear(memory_);
        clear(met_);
        clear(offset_sums_);
    }
    void follow(const FieldSet& fields) override {
        scope_.enter();
        follow(dynamic_cast<const CudaFields<T>&>(fields).compute());
    }
    void keep(const FieldSet& forward, std::int64_t slot) override {
        scope_.enter();
        const auto& fields = dynamic_cast<const CudaFields<T>&>(forward);
        follow(fields.compute());
        keep_values(kept_of(fields), whole_, kept_at(slot), fields.compute().get());
    }
    void meet(const FieldSet& adjoint, std::int64_t slot, std::int64_t steps) override {
        scope_.enter();
        const auto& fields = dynamic_cast<const CudaFields<T>&>(adjoint);
        const ShotLevels<T> levels = correlated_of(fields);
        follow(fields.compute());
        const NodeArray<T> kept = slot < 0 ? NodeArray<T>{} : kept_at(slot);
        if (slot >= 0) meet_inside(levels, inner_, kept, images(), fields.compute().get());
        meet_in_layers(levels, layers_, static_cast<int>(steps), kept, images(), fields.compute().get());
        if (slot >= 0) meet_at_offsets(levels, kept, offsets_, fields.compute().get());
    }
    // Where a taper damps, the level before is not the one that was met; of A p there is one level alone, and of a sum
    // nobody keeps the levels that it was of.
    [[nodiscard]] std::int64_t most_steps() const override {
        if (layers_.memory == 0) return kAnySteps;
        return layers_.met == nullptr ? 1 : 2;
    }
    void download_planes(LevelSum sum, std::int64_t first, std::span<double> planes, int shot) const override {
        check_sum(sum, images_[1].size() > 0);
        scope_.enter();
        last_->wait();
        const std::int64_t nx = setup_.grid.nx(), pitch = node_pitch(setup_), all = std::ssize(planes) / nx;
        const std::int64_t together = staged_.size() / pitch;
        const T* const from =
            images_[static_cast<std::size_t>(sum)].data() + shot * array_ + first * setup_.grid.ny() * pitch;
        for (std::int64_t row = 0; row < all; row += together) {
            const std::int64_t rows = std::min(together, all - row);
            ONDA_CUDA_TRY(cudaMemcpyAsync(staged_.data(), from + row * pitch,
                                          static_cast<std::size_t>(rows * pitch) * sizeof(T), cudaMemcpyDeviceToHost,
                                          last_->get()));
            last_->wait();
#pragma omp parallel for
            for (std::int64_t i = 0; i < rows; ++i)
                std::copy_n(staged_.data() + i * pitch, nx, planes.begin() + (row + i) * nx);
        }
    }
    void download_offsets(std::int64_t first, std::span<double> planes, int shot) const override {
        if (offsets_.count == 0) throw std::logic_error("products at an offset that nobody asked for");
        scope_.enter();
        last_->wait();
        const std::int64_t of_shot = offset_sums_.size() / shots_, of_plane = of_shot / setup_.grid.nz();
        std::vector<T> sums(planes.size());
        ONDA_CUDA_TRY(cudaMemcpy(sums.data(), offset_sums_.data() + shot * of_shot + first * of_plane,
                                 sums.size() * sizeof(T), cudaMemcpyDeviceToHost));
        std::ranges::copy(sums, planes.begin());
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override {
        std::int64_t bytes = kept_values_.bytes() + memory_.bytes() + met_.bytes() + profiles_.bytes() +
                             offset_nodes_.bytes() + offset_sums_.bytes();
        for (const DeviceBuffer<T>& image : images_) bytes += image.bytes();
        return bytes;
    }
    // The levels that layers met last are none of it: the first meeting after it takes one step.
    [[nodiscard]] std::vector<StatePart> state_parts() const override {
        return state_of(0).parts();
    }
    void read_state(int shot, const StatePart& part, const StateVisitor& take) const override {
        scope_.enter();
        last_->wait();
        state_of(shot).read(part, take);
    }
    void write_state(int shot, const StatePart& part, const StateVisitor& fill) override {
        scope_.enter();
        last_->wait();
        state_of(shot).write(part, fill);
    }

private:
    CudaCorrelation(const Setup& setup, int shots, Correlated what, const OffsetLines& lines,
                    const Allocations& planned)
        : setup_(setup),
          what_(what),
          scope_(setup.ordinal),
          shots_(shots),
          array_(node_elements(setup)),
          whole_(range_of({{}, setup.grid.n})),
          kept_values_(planned.of(row_of("kept"))),
          images_{DeviceBuffer<T>(planned.of(row_of("image"))),
                  DeviceBuffer<T>(planned.of(row_of("forward_illumination"))),
                  DeviceBuffer<T>(planned.of(row_of("adjoint_illumination")))},
          memory_(planned.of(row_of("layers"))),
          met_(planned.of(row_of("levels_met"))),
          offset_nodes_(upload_vector(planned.of(row_of("offset_lines")), nodes_of(lines))),
          offset_sums_(planned.of(row_of("offsets"))),
          staged_(planned.of(row_of("on_their_way"))) {
        const LayerBoxes layers = correlated_layers(setup, what);
        inner_ = range_of(layers.inner);
        profiles_ = upload_vector(planned.of(row_of("profiles")), joined_profiles<T>(layers));
        describe(layers);
        describe(lines);
        CudaCorrelation::reset();
    }

    [[nodiscard]] StateArrays<T> state_of(int shot) const {
        StateArrays<T> arrays;
        for (std::size_t sum = 0; sum < images_.size(); ++sum)
            if (images_[sum].size() > 0)
                arrays.add(name_of(LevelSum(sum)), setup_.grid.n, node_pitch(setup_),
                           images_[sum].data() + shot * array_);
        const std::int64_t nz = setup_.grid.nz(), of_plane = offset_sums_.size() / (shots_ * nz);
        arrays.add("layers", {layers_.memory, 1, 1}, layers_.memory, memory_.data() + shot * layers_.memory);
        arrays.add("offsets", {of_plane, 1, nz}, of_plane, offset_sums_.data() + shot * of_plane * nz);
        return arrays;
    }
    [[nodiscard]] ShotLevels<T> kept_of(const CudaFields<T>& fields) const {
        const int memory = memory_of(what_);
        if (memory < 0 && what_ != Correlated::level_before) return correlated_of(fields);
        ShotLevels<T> levels = levels_of(fields);  // a memory field lies as a level does
        levels.now = memory < 0 ? levels.before : fields.memory_field(static_cast<std::size_t>(memory));
        levels.before = nullptr;
        return levels;
    }
    [[nodiscard]] ShotLevels<T> correlated_of(const CudaFields<T>& fields) const {
        const auto [first, second] = correlated_fields(what_);
        ShotLevels<T> levels = levels_of(fields, static_cast<std::size_t>(first));
        if (what_ == Correlated::applied) levels.now = levels.applied;
        if (!is_difference(what_)) levels.before = nullptr;
        if (second < 0) return levels;
        levels.added_now = fields.now(static_cast<std::size_t>(second));
        levels.added_before = fields.before(static_cast<std::size_t>(second));
        return levels;
    }
    /// Lets what a stream is given from now on come after all that has been queued here.
    void follow(const Stream& stream) {
        if (last_ == &stream) return;
        done_.record(*last_);
        done_.hold(stream);
        last_ = &stream;
    }
    void describe(const LayerBoxes& layers) {
        layers_.nodes = layers.nodes;
        layers_.memory = layers.memory;
        layers_.values = memory_.data();
        layers_.met = met_.data();
        for (const LayerBox& box : layers.boxes) {
            DeviceLayerBox& on_device = layers_.box[layers_.boxes++];
            on_device.nodes = range_of(box.nodes);
            on_device.first = box.first;
            std::ranges::copy(box.memory, on_device.memory);
        }
        const T* at = profiles_.data();
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (const T** values : {&layers_.a[axis], &layers_.b[axis], &layers_.c[axis]}) {
                *values = at;
                at += setup_.grid.n[axis];
            }
    }
    void describe(const OffsetLines& lines) {
        offsets_.lines = offset_nodes_.data();
        offsets_.count = static_cast<int>(lines.lines.size());
        offsets_.most = static_cast<int>(lines.most);
        offsets_.axis = lines.axis;
        for (std::size_t axis = 0; axis < 3; ++axis) offsets_.n[axis] = static_cast<int>(setup_.grid.n[axis]);
        offsets_.sums = offset_sums_.data();
    }
    void clear(const DeviceBuffer<T>& buffer) const {
        if (buffer.size() > 0)
            ONDA_CUDA_TRY(
                cudaMemsetAsync(buffer.data(), 0, static_cast<std::size_t>(buffer.size()) * sizeof(T), own_.get()));
    }
    [[nodiscard]] NodeArray<T> kept_at(std::int64_t slot) const {
        return node_array(setup_, kept_values_.data() + slot * shots_ * array_);
    }
    [[nodiscard]] Images<T> images() const {
        return {node_array(setup_, images_[0].data()), node_array(setup_, images_[1].data()),
                node_array(setup_, images_[2].data())};
    }

    const Setup& setup_;
    Correlated what_;
    DeviceScope scope_;
    int shots_;
    std::int64_t array_;  ///< elements of a shot
    NodeRange whole_, inner_{};
    DeviceBuffer<T> kept_values_;            ///< [slot][shot][z][y][x]
    std::array<DeviceBuffer<T>, 3> images_;  ///< by LevelSum, [shot][z][y][x]
    DeviceBuffer<T> memory_;                 ///< of the layers of each shot
    DeviceBuffer<T> met_;                    ///< p of the layers' nodes when it was met, [shot][node]
    DeviceBuffer<T> profiles_;
    DeviceBuffer<int> offset_nodes_;  ///< x and y of each line
    DeviceBuffer<T> offset_sums_;     ///< [shot][z][line][h]
    PinnedBuffer<T> staged_;          ///< rows on their way to the host
    DeviceLayers<T> layers_;
    DeviceOffsets<T> offsets_;
    Stream own_;  ///< for what belongs to no wavefield
    Event done_;  ///< what was queued before a stream took over
    /// The stream of the last operation; its wavefield lives until the images have been downloaded.
    const Stream* last_ = &own_;
};

}  // namespace

Allocations correlation_allocations(const Setup& setup, int shots, std::int64_t slots, Correlated what,
                                    const OffsetLines& lines) {
    check_lines(lines, what);
    const std::int64_t array = node_elements(setup), bytes = setup.element_bytes();
    Allocations list;
    const auto add = [&](const char* name, std::int64_t elements) {
        list.add(on_device(row_of(name), Owner::wavefield, elements, bytes));
    };
    add("kept", slots * shots * array);
    add("image", shots * array);
    for (const char* name : {"forward_illumination", "adjoint_illumination"})
        add(name, sums_squares(what) ? shots * array : 0);
    const LayerBoxes layers = correlated_layers(setup, what);
    add("layers", shots * layers.memory);
    const bool meets_every_second =
        layers.memory > 0 && !has_gains(setup) && is_difference(what) && correlated_fields(what)[1] < 0;
    add("levels_met", meets_every_second ? shots * layers.nodes : 0);
    add("profiles", 3 * (setup.grid.nx() + setup.grid.ny() + setup.grid.nz()));
    add("offsets", shots * setup.grid.nz() * lines.sums_of_plane());
    list.add(on_device(row_of("offset_lines"), Owner::wavefield, 2 * std::ssize(lines.lines), sizeof(int)));
    const std::int64_t pitch = node_pitch(setup), together = std::max<std::int64_t>(1, kStaged / pitch);
    list.add(pinned(row_of("on_their_way"), Owner::wavefield, std::min(together * pitch, array), bytes));
    return list;
}

template <typename T>
std::unique_ptr<Correlation> make_correlation(const Setup& setup, const CudaFields<T>& fields, std::int64_t slots,
                                              Correlated what, const OffsetLines& lines) {
    return std::make_unique<CudaCorrelation<T>>(setup, fields, slots, what, lines);
}

template std::unique_ptr<Correlation> make_correlation(const Setup&, const CudaFields<float>&, std::int64_t, Correlated,
                                                       const OffsetLines&);
template std::unique_ptr<Correlation> make_correlation(const Setup&, const CudaFields<double>&, std::int64_t,
                                                       Correlated, const OffsetLines&);

}  // namespace onda::cuda
