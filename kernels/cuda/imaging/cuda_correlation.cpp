#include "kernels/cuda/imaging/cuda_correlation.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/cuda/cuda.hpp"
#include "kernels/cuda/imaging/correlation.hpp"
#include "kernels/imaging/layer_boxes.hpp"

namespace onda::cuda {
namespace {

/// The elements of a row: whole sectors.
std::int64_t pitch_of(const Setup& setup) {
    constexpr std::int64_t sector = 32;
    const std::int64_t values = sector / setup.element_bytes();
    return (setup.grid.nx() + values - 1) / values * values;
}

std::int64_t elements_of(const Setup& setup) {
    return pitch_of(setup) * setup.grid.ny() * setup.grid.nz();
}

NodeRange range_of(const Box& box) {
    NodeRange range{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        range.low[axis] = static_cast<int>(box.low[axis]);
        range.count[axis] = static_cast<int>(box.high[axis] - box.low[axis]);
    }
    return range;
}

/// The recursions of all axes one after the other: a, b and c of x, of y, of z.
template <typename T>
std::vector<T> joined_profiles(const LayerBoxes& layers) {
    std::vector<T> all;
    for (const LayerProfile& axis : layers.axis)
        for (const std::vector<double>* values : {&axis.a, &axis.b, &axis.c})
            all.insert(all.end(), values->begin(), values->end());
    return all;
}

std::string row_of(const char* name) {
    return std::string("imaging.") + name;
}

template <typename T>
class CudaCorrelation final : public Correlation {
public:
    CudaCorrelation(const Setup& setup, const CudaFields<T>& fields, std::int64_t slots)
        : CudaCorrelation(setup, fields.shots(), correlation_allocations(setup, fields.shots(), slots)) {}
    ~CudaCorrelation() override { scope_.enter(); }

    void reset() override {
        scope_.enter();
        kept_.hold(own_);
        met_.hold(own_);
        clear(image_);
        clear(memory_);
        met_.record(own_);
    }
    void keep(const FieldSet& forward, std::int64_t slot) override {
        scope_.enter();
        const auto& fields = dynamic_cast<const CudaFields<T>&>(forward);
        met_.hold(fields.compute());  // slots may be kept anew
        keep_difference(levels_of(fields), whole_, kept_at(slot), fields.compute().get());
        kept_.record(fields.compute());
    }
    void meet(const FieldSet& adjoint, std::int64_t slot) override {
        scope_.enter();
        const auto& fields = dynamic_cast<const CudaFields<T>&>(adjoint);
        const ShotLevels<T> levels = levels_of(fields);
        kept_.hold(fields.compute());
        met_.hold(fields.compute());
        const NodeArray<T> kept = slot < 0 ? NodeArray<T>{} : kept_at(slot);
        if (slot >= 0) meet_inside(levels, inner_, kept, image(), fields.compute().get());
        meet_in_layers(levels, layers_, kept, image(), fields.compute().get());
        met_.record(fields.compute());
    }
    [[nodiscard]] bool remembers() const override { return layers_.memory > 0; }
    void download(std::span<double> image, int shot) const override {
        scope_.enter();
        met_.wait();
        const std::int64_t rows = grid_.ny() * grid_.nz();
        std::vector<T> values(static_cast<std::size_t>(array_));
        ONDA_CUDA_TRY(cudaMemcpy(values.data(), image_.data() + shot * array_, values.size() * sizeof(T),
                                 cudaMemcpyDeviceToHost));
        for (std::int64_t row = 0; row < rows; ++row)
            std::copy_n(values.begin() + row * pitch_, grid_.nx(), image.begin() + row * grid_.nx());
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override {
        return kept_values_.bytes() + image_.bytes() + memory_.bytes() + profiles_.bytes();
    }

private:
    CudaCorrelation(const Setup& setup, int shots, const Allocations& planned)
        : grid_(setup.grid),
          scope_(setup.ordinal),
          shots_(shots),
          pitch_(pitch_of(setup)),
          array_(elements_of(setup)),
          whole_(range_of({{}, setup.grid.n})),
          kept_values_(planned.of(row_of("kept"))),
          image_(planned.of(row_of("image"))),
          memory_(planned.of(row_of("layers"))) {
        const LayerBoxes layers = layer_boxes(setup);
        inner_ = range_of(layers.inner);
        profiles_ = upload_vector(planned.of(row_of("profiles")), joined_profiles<T>(layers));
        describe(layers);
        CudaCorrelation::reset();
    }

    void describe(const LayerBoxes& layers) {
        layers_.nodes = layers.nodes;
        layers_.memory = layers.memory;
        layers_.values = memory_.data();
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
                at += grid_.n[axis];
            }
    }
    void clear(const DeviceBuffer<T>& buffer) const {
        if (buffer.size() > 0)
            ONDA_CUDA_TRY(
                cudaMemsetAsync(buffer.data(), 0, static_cast<std::size_t>(buffer.size()) * sizeof(T), own_.get()));
    }
    [[nodiscard]] static ShotLevels<T> levels_of(const CudaFields<T>& fields) {
        const std::int64_t of_shot = fields.shots() > 1 ? fields.element(0, 1) - fields.element(0, 0) : 0;
        const std::int64_t along_y = fields.layout().pitch;
        return {fields.now(), fields.before(), along_y, fields.layout().plane, of_shot, fields.shots()};
    }
    [[nodiscard]] NodeArray<T> nodes_at(T* data) const { return {data, pitch_, pitch_ * grid_.ny(), array_}; }
    [[nodiscard]] NodeArray<T> kept_at(std::int64_t slot) const {
        return nodes_at(kept_values_.data() + slot * shots_ * array_);
    }
    [[nodiscard]] NodeArray<T> image() const { return nodes_at(image_.data()); }

    const Grid& grid_;
    DeviceScope scope_;
    int shots_;
    std::int64_t pitch_, array_;  ///< elements of a row, and of a shot
    NodeRange whole_, inner_{};
    DeviceBuffer<T> kept_values_;  ///< [slot][shot][z][y][x]
    DeviceBuffer<T> image_;        ///< [shot][z][y][x]
    DeviceBuffer<T> memory_;       ///< of the layers of each shot
    DeviceBuffer<T> profiles_;
    DeviceLayers<T> layers_;
    Stream own_;        ///< for what belongs to no wavefield
    Event kept_, met_;  ///< the last of each has been done
};

}  // namespace

Allocations correlation_allocations(const Setup& setup, int shots, std::int64_t slots) {
    const std::int64_t array = elements_of(setup), bytes = setup.element_bytes();
    Allocations list;
    const auto add = [&](const char* name, std::int64_t elements) {
        list.add(on_device(row_of(name), Owner::wavefield, elements, bytes));
    };
    add("kept", slots * shots * array);
    add("image", shots * array);
    add("layers", shots * layer_boxes(setup).memory);
    add("profiles", 3 * (setup.grid.nx() + setup.grid.ny() + setup.grid.nz()));
    return list;
}

template <typename T>
std::unique_ptr<Correlation> make_correlation(const Setup& setup, const CudaFields<T>& fields, std::int64_t slots) {
    return std::make_unique<CudaCorrelation<T>>(setup, fields, slots);
}

template std::unique_ptr<Correlation> make_correlation(const Setup&, const CudaFields<float>&, std::int64_t);
template std::unique_ptr<Correlation> make_correlation(const Setup&, const CudaFields<double>&, std::int64_t);

}  // namespace onda::cuda
