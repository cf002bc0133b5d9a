#include "kernels/cuda/imaging/cuda_field_ring.hpp"

#include <span>

#include "kernels/cuda/cuda.hpp"
#include "kernels/cuda/imaging/field_ring.hpp"
#include "kernels/cuda/imaging/frame_levels.hpp"
#include "kernels/cuda/imaging/node_layout.hpp"
#include "kernels/cuda/memory.hpp"

namespace onda::cuda {
namespace {

const std::string kRing = "imaging.ring", kEdges = "imaging.edges", kPressures = "imaging.edge_pressures";

/// \tparam Stored as FrameLevels.
template <typename T, typename Stored>
class CudaFieldRing final : public FieldRing {
public:
    CudaFieldRing(const Setup& setup, int shots, const RingSize& size)
        : CudaFieldRing(setup, shots, size, ring_boxes(setup), ring_allocations(setup, shots, size)) {}
    ~CudaFieldRing() override { scope_.enter_to_free(); }

    void save(const FieldSet& forward, std::int64_t level) override { write(ring_, forward, level, false); }
    void keep(const FieldSet& forward, std::int64_t slot) override { write(edges_, forward, slot, true); }
    void keep_pressure(const FieldSet& forward, std::int64_t slot) override { write(pressures_, forward, slot, false); }
    void turn_back(const FieldSet& forward, FieldSet& rebuilt) override {
        const auto& from = follow(forward);
        const auto& to = follow(rebuilt);
        const auto bytes = static_cast<std::size_t>(array_elements(from.layout(), from.volumes())) * sizeof(T);
        const std::int64_t origin = from.layout().origin;
        const auto copy = [&](T* target, const T* level) {
            ONDA_CUDA_TRY(
                cudaMemcpyAsync(target - origin, level - origin, bytes, cudaMemcpyDeviceToDevice, to.compute().get()));
        };
        copy(to.now(), from.before());
        copy(to.before(), from.now());
        follow(forward);  // whose next step overwrites what is read here
    }
    void load(FieldSet& rebuilt, std::span<const WeightedSlot> level) override { read_pressure(ring_, rebuilt, level); }
    void place_pressure(FieldSet& rebuilt, std::int64_t slot) override {
        const WeightedSlot alone{slot, 1.};
        read_pressure(pressures_, rebuilt, {&alone, 1});
    }
    void place(FieldSet& rebuilt, std::int64_t slot) override {
        const auto& fields = follow(rebuilt);
        edges_.read(slot, fields.compute(), [&](const Stored* differences) {
            write_difference(levels_of(fields), edges_.frame(), differences, fields.now(), fields.before(),
                             fields.compute().get());
        });
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override {
        return ring_.bytes() + edges_.bytes() + pressures_.bytes();
    }

private:
    using Levels = FrameLevels<T, Stored>;

    CudaFieldRing(const Setup& setup, int shots, const RingSize& size, const RingBoxes& boxes,
                  const Allocations& planned)
        : scope_(setup.ordinal),
          ring_(boxes.ring, shots, planned, size, kRing, size.together),
          edges_(boxes.edges, shots, planned, size, kEdges),
          pressures_(boxes.edges, shots, planned, size, kPressures) {
        check_ring(setup);
    }

    void write(Levels& levels, const FieldSet& forward, std::int64_t level, bool difference) {
        const auto& fields = follow(forward);
        levels.write(level, fields.compute(), [&](Stored* values) {
            read_frame(levels_of(fields), levels.frame(), difference, values, fields.compute().get());
        });
    }
    void read_pressure(Levels& levels, FieldSet& rebuilt, std::span<const WeightedSlot> parts) {
        const auto& fields = follow(rebuilt);
        levels.read(parts, fields.compute(), [&](const WeightedValues<T, Stored>& values) {
            write_frame(levels_of(fields), levels.frame(), values, fields.now(), fields.compute().get());
        });
    }

    /// Lets what the stream of some fields is given from now on come after all that has been queued here.
    const CudaFields<T>& follow(const FieldSet& which) {
        scope_.enter();
        const auto& fields = dynamic_cast<const CudaFields<T>&>(which);
        if (last_ != nullptr && last_ != &fields.compute()) {
            done_.record(*last_);
            done_.hold(fields.compute());
        }
        last_ = &fields.compute();
        return fields;
    }

    DeviceScope scope_;
    Levels ring_, edges_, pressures_;
    Event done_;                    ///< what was queued before a stream took over
    const Stream* last_ = nullptr;  ///< of the last operation; both wavefields live as long as this is used
};

template <typename T, typename Stored>
Allocations allocations_of(const RingBoxes& boxes, int shots, const RingSize& size) {
    Allocations list;
    using Levels = FrameLevels<T, Stored>;
    Levels::add_rows(list, boxes.ring, shots, size.levels, size.place, kRing, size.together);
    Levels::add_rows(list, boxes.edges, shots, size.slots, size.place, kEdges);
    Levels::add_rows(list, boxes.edges, shots, size.pressures ? size.slots : 0, size.place, kPressures);
    return list;
}

}  // namespace

Allocations ring_allocations(const Setup& setup, int shots, const RingSize& size) {
    const RingBoxes boxes = ring_boxes(setup);
    if (size.values == RingValues::of_16_bits) return allocations_of<float, CodedBlock>(boxes, shots, size);
    return setup.precision == Precision::float64 ? allocations_of<double, double>(boxes, shots, size)
                                                 : allocations_of<float, float>(boxes, shots, size);
}

template <typename T>
std::unique_ptr<FieldRing> make_field_ring(const Setup& setup, const CudaFields<T>& fields, const RingSize& size) {
    if (size.values == RingValues::full) return std::make_unique<CudaFieldRing<T, T>>(setup, fields.shots(), size);
    return std::make_unique<CudaFieldRing<T, CodedBlock>>(setup, fields.shots(), size);
}

template std::unique_ptr<FieldRing> make_field_ring(const Setup&, const CudaFields<float>&, const RingSize&);
template std::unique_ptr<FieldRing> make_field_ring(const Setup&, const CudaFields<double>&, const RingSize&);

}  // namespace onda::cuda
