#include "tests/kernels/drag/drag_on_gpu.hpp"

#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/launch_kernel.hpp"
#include "kernels/cuda/strips/strip.hpp"
#include "kernels/plan/state_parts.hpp"

namespace onda::test {
namespace {

using namespace onda::cuda;

template <typename T>
struct DragArguments {
    DragBox box;
    T* q = nullptr;  ///< at node (0, 0, 0)
    T* mean = nullptr;
    const T* pull = nullptr;
    std::int64_t pitch = 0, plane = 0;
};

/// Grid: x covers the nodes of a box, one a thread.
template <typename T>
__global__ void drag_kernel(const DragArguments<T> a) {
    const std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
    const auto& n = a.box.n;
    if (i >= n[0] * n[1] * n[2]) return;
    const std::int64_t x = i % n[0], y = i / n[0] % n[1], z = i / (n[0] * n[1]);
    const auto& first = a.box.first;
    drag(a.pull[a.box.depth(x, y, z) - 1], static_cast<T>(kMeanStays), a.mean[i],
         a.q[first[0] + x + (first[1] + y) * a.pitch + (first[2] + z) * a.plane]);
}

template <typename T>
class DragSteps final : public StripSteps<T> {
public:
    DragSteps(const Drag& strips, const StripPlace<T>& place)
        : strips_(strips),
          grid_(place.grid),
          boxes_(drag_boxes(strips, grid_)),
          layout_(place.fields.field),
          volume_step_(place.fields.volume_step),
          memory_(place.planned.of("drag.memory")) {
        std::vector<T> pull;
        for (const DragBox& box : boxes_)
            for (const double of_depth : drag_profile(strips.width[static_cast<std::size_t>(box.face)]))
                pull.push_back(static_cast<T>(of_depth));
        pull_ = upload_vector(place.planned.of("drag.pull"), pull);
    }
    static void add_rows(Allocations& list, const Drag& strips, const StripExtent& extent) {
        std::int64_t depths = 0;
        for (const std::int64_t width : strips.width) depths += width;
        list.add(on_device("drag.memory", Owner::wavefield,
                           extent.volumes * drag_elements(drag_boxes(strips, extent.grid)), sizeof(T)));
        list.add(on_device("drag.pull", Owner::wavefield, depths, sizeof(T)));
    }

    [[nodiscard]] std::int64_t bytes() const override { return memory_.bytes() + pull_.bytes(); }
    void reset(cudaStream_t stream) override {
        ONDA_CUDA_TRY(cudaMemsetAsync(memory_.data(), 0, static_cast<std::size_t>(memory_.size()) * sizeof(T), stream));
    }
    void apply(std::span<const StepLevels<T>> fields, int volume, cudaStream_t stream) const override {
        const T* pull = pull_.data();
        T* const memory = memory_.data() + volume * drag_elements(boxes_);
        for (const DragBox& box : boxes_) {
            const DragArguments<T> a{
                box, fields.front().q + volume * volume_step_, memory + box.memory, pull, layout_.pitch, layout_.plane};
            const auto blocks = static_cast<unsigned>((box.points() + 63) / 64);
            launch<T>(drag_kernel<T>, {blocks, 64}, stream, a);
            pull += strips_.width[static_cast<std::size_t>(box.face)];
        }
    }
    void for_state(int shot, int, const typename StripSteps<T>::StateBody& body) const override {
        Grid one = grid_;
        const bool side_by_side = one.dimensions == 2;
        if (side_by_side) one.n[1] = 1;
        for (const DragBox& box : boxes_) {
            const StatePart part = strip_state(strips_, one, box.face,
                                               strips_.width[static_cast<std::size_t>(box.face)], "mean", sizeof(T));
            body(part, memory_.data() + box.memory + shot * (side_by_side ? box.n[0] : drag_elements(boxes_)),
                 WindowRows{0, 1, box.n[0], box.n[0] * box.n[1], part.extents[0], part.extents[1], 0, part.extents[1]});
        }
    }

private:
    const Drag& strips_;
    Grid grid_;
    std::vector<DragBox> boxes_;
    Layout layout_;
    std::int64_t volume_step_;
    DeviceBuffer<T> memory_, pull_;
};

}  // namespace

const cuda::StripRow* DragOnGpu::on_cuda() const {
    static constexpr cuda::StripRow row = cuda::strip_row<Drag, DragSteps>();
    return &row;
}

}  // namespace onda::test
