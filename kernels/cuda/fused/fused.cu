// Launches the fused kernel, for one radius (ONDA_RADIUS).
#include "kernels/cuda/fused/fused.hpp"
#include "kernels/cuda/fused/fused_plan.hpp"
#include "kernels/cuda/launch.hpp"

namespace onda::cuda {
namespace {

/// The compiled kernel of so many rows a thread.
template <typename T>
auto kernel_of(int rows, int dimensions) {
    constexpr int R = ONDA_RADIUS;
    if (rows == 4) return dimensions == 2 ? fused_step<T, 2, R, 4> : fused_step<T, 3, R, 4>;
    if (rows == 2) return dimensions == 2 ? fused_step<T, 2, R, 2> : fused_step<T, 3, R, 2>;
    return dimensions == 2 ? fused_step<T, 2, R, 1> : fused_step<T, 3, R, 1>;
}

template <typename T>
void launch_shape(const FusedShape& shape, const FusedArguments<T>& a, cudaStream_t stream) {
    LaunchShape launched{a.record_blocks + blocks_of(a.boxes), static_cast<unsigned>(shape.threads)};
    launched.overlaps = true;
    launch<T>(kernel_of<T>(shape.rows, a.stencil.dimensions), launched, stream, a);
}

/// The stencil alone, in the seam of all kernels.
template <typename T>
class FusedStepper final : public Stepper {
public:
    FusedStepper(const FusedShape& shape, const Fields<T>& fields) : shape_(shape) {
        for (int now = 0; now < 2; ++now) {
            set_common(arguments_[now], fields, now);
            arguments_[now].boxes = fused_boxes<T>(fields.grid, {}, shape);
            arguments_[now].images = fused_images({}, fields.grid.nz());
        }
    }
    void step(int now, cudaStream_t stream) const override { launch_shape(shape_, arguments_[now], stream); }

private:
    FusedShape shape_;
    FusedArguments<T> arguments_[2];
};

template <typename T>
void add_shape(Instances<T>& list, const FusedShape& shape, int dimensions) {
    Instance<T> row;
    row.kernel = "fused";
    row.tile = tile_name<T>(shape, dimensions);
    row.radius = ONDA_RADIUS;
    row.dimensions = dimensions;
    row.architecture = 75;
    row.parameters[0] = shape.rows;
    row.parameters[1] = shape.threads;
    row.whole_steps = true;
    row.make = [](const Instance<T>& self, const Fields<T>& fields) -> std::unique_ptr<Stepper> {
        return std::make_unique<FusedStepper<T>>(fused_shape(self), fields);
    };
    row.resources = [](const Instance<T>& self, const Stencil<T>& stencil) {
        const FusedShape of = fused_shape(self);
        return resources_of(reinterpret_cast<const void*>(kernel_of<T>(of.rows, stencil.dimensions)), of.threads, 0);
    };
    list.push_back(row);
}

template <typename T>
void add_shapes(Instances<T>& list) {
    for (const int rows : {1, 2, 4})
        for (const int threads : {64, 128, 256})
            for (const int dimensions : {2, 3}) add_shape(list, {rows, threads}, dimensions);
}

}  // namespace

template <>
void launch_fused<ONDA_RADIUS>(const FusedShape& shape, const FusedArguments<float>& a, cudaStream_t stream) {
    launch_shape(shape, a, stream);
}
template <>
void launch_fused<ONDA_RADIUS>(const FusedShape& shape, const FusedArguments<double>& a, cudaStream_t stream) {
    launch_shape(shape, a, stream);
}
template <>
void add_fused<ONDA_RADIUS>(Instances<float>& list) {
    add_shapes(list);
}
template <>
void add_fused<ONDA_RADIUS>(Instances<double>& list) {
    add_shapes(list);
}

}  // namespace onda::cuda
