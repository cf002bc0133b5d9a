// Launches the direct and the 2.5-D kernel, for one radius (ONDA_RADIUS).
#include <algorithm>

#include "kernels/cuda/direct/direct.hpp"
#include "kernels/cuda/march25d/forward.hpp"
#include "kernels/cuda/runtime.hpp"
#include "kernels/cuda/stepper.hpp"

namespace onda::cuda {
namespace {

/// \tparam In2d, In3d the kernels.
template <typename T, auto In2d, auto In3d>
class DirectStepper final : public Stepper {
public:
    DirectStepper(const Fields<T>& fields, dim3 block) : block_(block), dimensions_(fields.stencil.dimensions) {
        const Grid& g = fields.grid;
        blocks_x_ = static_cast<unsigned>(blocks_for(g.nx(), block.x));
        blocks_y_ = static_cast<unsigned>(blocks_for(g.ny(), block.y));
        for (int now = 0; now < 2; ++now) set_common(arguments_[now], fields, now);
    }
    static constexpr auto kernel_for(int dimensions) { return dimensions == 2 ? In2d : In3d; }
    void step(int now, cudaStream_t stream) const override {
        const auto kernel = kernel_for(dimensions_);
        StepArguments<T> a = arguments_[now];
        // As many planes at a time as a launch can have.
        const int most = static_cast<int>(kMostBlocks * block_.z), planes = a.nz;
        for (int z = 0; z < planes; z += most) {
            a.nz = std::min(most, planes - z);
            const dim3 grid(blocks_x_, blocks_y_, static_cast<unsigned>(blocks_for(a.nz, block_.z)));
            kernel<<<grid, block_, 0, stream>>>(a);
            ONDA_CUDA_TRY(cudaGetLastError());
            a.p += a.plane * a.nz;
            a.q += a.plane * a.nz;
            a.k += a.k_plane * a.nz;
        }
    }

private:
    dim3 block_;
    unsigned blocks_x_ = 0, blocks_y_ = 0;
    int dimensions_;
    StepArguments<T> arguments_[2];
};

template <typename T>
dim3 block_of(const Instance<T>& row) {
    return {static_cast<unsigned>(row.parameters[0]), static_cast<unsigned>(row.parameters[1]),
            static_cast<unsigned>(row.parameters[2])};
}

template <typename T, auto In2d, auto In3d>
void add_direct_blocks(Instances<T>& list, WaveOperator wave_operator, int radius) {
    // x, y, z and the dimensions they are for
    constexpr int blocks[][4] = {{32, 4, 2, 3}, {64, 4, 1, 3}, {128, 1, 2, 2}, {32, 1, 8, 2}};
    for (const auto& [x, y, z, dimensions] : blocks) {
        Instance<T> row;
        row.kernel = "direct";
        row.tile = std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z);
        row.wave_operator = wave_operator;
        row.radius = radius;
        row.dimensions = dimensions;
        row.architecture = 75;
        row.parameters[0] = x;
        row.parameters[1] = y;
        row.parameters[2] = z;
        row.make = [](const Instance<T>& self, const Fields<T>& fields) -> std::unique_ptr<Stepper> {
            return std::make_unique<DirectStepper<T, In2d, In3d>>(fields, block_of(self));
        };
        row.resources = [](const Instance<T>& self, const Stencil<T>& stencil) {
            const auto kernel = DirectStepper<T, In2d, In3d>::kernel_for(stencil.dimensions);
            const dim3 block = block_of(self);
            return resources_of(reinterpret_cast<const void*>(kernel), static_cast<int>(block.x * block.y * block.z),
                                0);
        };
        list.push_back(row);
    }
}

template <typename T, int R, int BX, int BY>
class ForwardStepper final : public Stepper {
public:
    static constexpr auto kernel = forward_step<T, R, BX, BY>;
    using Shape = ForwardTile<T, R, BX, BY>;

    explicit ForwardStepper(const Fields<T>& fields) {
        const Grid& g = fields.grid;
        const Resources has = resources_of(reinterpret_cast<const void*>(kernel), BX * BY, Shape::shared_bytes);
        const int tiles_x = blocks_for(g.nx(), Shape::width), tiles_y = blocks_for(g.ny(), Shape::height);
        const std::int64_t resident =
            static_cast<std::int64_t>(std::max(1, has.blocks_per_multiprocessor)) * multiprocessors();
        const int chunk = planes_a_block(g.nz(), std::int64_t{tiles_x} * tiles_y, resident, R, 64);
        grid_ = dim3(static_cast<unsigned>(tiles_x), static_cast<unsigned>(tiles_y),
                     static_cast<unsigned>(blocks_for(g.nz(), chunk)));
        for (int now = 0; now < 2; ++now) {
            set_common(arguments_[now].step, fields, now);
            arguments_[now].y_halo = static_cast<int>(fields.field.halo[1]);
            arguments_[now].chunk = chunk;
        }
    }
    void step(int now, cudaStream_t stream) const override {
        kernel<<<grid_, dim3(BX, BY), Shape::shared_bytes, stream>>>(arguments_[now]);
        ONDA_CUDA_TRY(cudaGetLastError());
    }

private:
    dim3 grid_;
    ForwardArguments<T> arguments_[2];
};

template <typename T, int R, int BX, int BY>
void add_forward_tile(Instances<T>& list) {
    using S = ForwardStepper<T, R, BX, BY>;
    Instance<T> row;
    row.kernel = "forward";
    row.tile = std::to_string(S::Shape::width) + "x" + std::to_string(BY);
    row.radius = R;
    row.dimensions = BY == 1 ? 2 : 3;
    row.architecture = 75;
    row.shared_bytes = S::Shape::shared_bytes;
    row.make = [](const Instance<T>&, const Fields<T>& fields) -> std::unique_ptr<Stepper> {
        return std::make_unique<S>(fields);
    };
    row.resources = [](const Instance<T>&, const Stencil<T>&) {
        return resources_of(reinterpret_cast<const void*>(S::kernel), BX * BY, S::Shape::shared_bytes);
    };
    list.push_back(row);
}

template <typename T, int R>
void add_all(Instances<T>& list) {
    add_direct_blocks<T, direct_step<T, 2, R>, direct_step<T, 3, R>>(list, WaveOperator::star, R);
    if constexpr (R == 1)
        add_direct_blocks<T, direct_compact_step<T, 2>, direct_compact_step<T, 3>>(list, WaveOperator::compact, R);
    add_forward_tile<T, R, 32, (R > 4 ? 16 : 8)>(list);
    add_forward_tile<T, R, 64, 1>(list);
}

}  // namespace

template <>
void add_direct<ONDA_RADIUS>(Instances<float>& list) {
    add_all<float, ONDA_RADIUS>(list);
}
template <>
void add_direct<ONDA_RADIUS>(Instances<double>& list) {
    add_all<double, ONDA_RADIUS>(list);
}

}  // namespace onda::cuda
