// Launches the kernels of variable density, for one radius (ONDA_RADIUS).
#include <algorithm>
#include <utility>

#include "kernels/cuda/direct/density_arguments.hpp"
#include "kernels/cuda/march25d/forward_density_tiles.hpp"
#include "kernels/cuda/runtime.hpp"

namespace onda::cuda {
namespace {

/// A row of the table with what all kernels of this operator have in common.
template <typename T>
Instance<T> density_row(const char* kernel, std::string tile, int dimensions) {
    Instance<T> row;
    row.kernel = kernel;
    row.tile = std::move(tile);
    row.wave_operator = WaveOperator::variable_density;
    row.radius = ONDA_RADIUS;
    row.dimensions = dimensions;
    row.architecture = 75;
    return row;
}

template <typename T, int R>
class DirectDensityStepper final : public Stepper {
public:
    DirectDensityStepper(const Fields<T>& fields, dim3 block) : block_(block), dimensions_(fields.stencil.dimensions) {
        blocks_x_ = static_cast<unsigned>(blocks_for(fields.grid.nx(), block.x));
        blocks_y_ = static_cast<unsigned>(blocks_for(fields.grid.ny(), block.y));
        for (int now = 0; now < 2; ++now) arguments_[now] = density_arguments(fields, now);
    }
    void step(int now, cudaStream_t stream) const override {
        const auto kernel = dimensions_ == 2 ? direct_density_step<T, 2, R> : direct_density_step<T, 3, R>;
        DensityArguments<T> a = arguments_[now];
        // As many planes at a time as a launch can have.
        const int most = static_cast<int>(kMostBlocks * block_.z), planes = a.step.nz;
        for (int z = 0; z < planes; z += most) {
            a.step.nz = std::min(most, planes - z);
            const dim3 grid(blocks_x_, blocks_y_, static_cast<unsigned>(blocks_for(a.step.nz, block_.z)));
            kernel<<<grid, block_, 0, stream>>>(a);
            ONDA_CUDA_TRY(cudaGetLastError());
            a.step.p += a.step.plane * a.step.nz;
            a.step.q += a.step.plane * a.step.nz;
            a.step.k += a.step.k_plane * a.step.nz;
            a.half_rho += a.rho_plane * a.step.nz;
        }
    }

private:
    dim3 block_;
    unsigned blocks_x_ = 0, blocks_y_ = 0;
    int dimensions_;
    DensityArguments<T> arguments_[2];
};

template <typename T, int X, int Y, int Z, int Dims>
void add_direct_block(Instances<T>& list) {
    const std::string tile = std::to_string(X) + "x" + std::to_string(Y) + "x" + std::to_string(Z);
    Instance<T> row = density_row<T>("direct", tile, Dims);
    row.make = [](const Instance<T>&, const Fields<T>& fields) -> std::unique_ptr<Stepper> {
        return std::make_unique<DirectDensityStepper<T, ONDA_RADIUS>>(fields, dim3(X, Y, Z));
    };
    row.resources = [](const Instance<T>&, const Stencil<T>&) {
        const auto kernel = direct_density_step<T, Dims, ONDA_RADIUS>;
        return resources_of(reinterpret_cast<const void*>(kernel), X * Y * Z, 0);
    };
    list.push_back(row);
}

template <typename Tile>
class ForwardDensityStepper final : public Stepper {
public:
    using T = typename Tile::T;
    static constexpr auto kernel = forward_density_step<Tile>;

    explicit ForwardDensityStepper(const Fields<T>& fields) {
        const Grid& g = fields.grid;
        const Resources has = resources_of(reinterpret_cast<const void*>(kernel), Tile::threads, Tile::shared_bytes);
        const int tiles_x = blocks_for(g.nx(), Tile::width), tiles_y = blocks_for(g.ny(), Tile::height);
        const std::int64_t resident =
            static_cast<std::int64_t>(std::max(1, has.blocks_per_multiprocessor)) * multiprocessors();
        const int reach = 2 * Tile::radius - 1;
        const int chunk = planes_a_block(g.nz(), std::int64_t{tiles_x} * tiles_y, resident, reach, 96 * Tile::radius);
        grid_ = dim3(static_cast<unsigned>(tiles_x), static_cast<unsigned>(tiles_y),
                     static_cast<unsigned>(blocks_for(g.nz(), chunk)));
        for (int now = 0; now < 2; ++now) {
            arguments_[now] = density_arguments(fields, now);
            arguments_[now].chunk = chunk;
        }
    }
    void step(int now, cudaStream_t stream) const override {
        kernel<<<grid_, dim3(Tile::block_x, Tile::block_y), Tile::shared_bytes, stream>>>(arguments_[now]);
        ONDA_CUDA_TRY(cudaGetLastError());
    }

private:
    dim3 grid_;
    DensityArguments<T> arguments_[2];
};

template <typename Tile>
Instance<typename Tile::T> forward_density_row() {
    using T = typename Tile::T;
    const std::string tile = std::to_string(Tile::width) + "x" + std::to_string(Tile::height);
    Instance<T> row = density_row<T>("forward", tile + "r" + std::to_string(Tile::rows), 3);
    row.shared_bytes = Tile::shared_bytes;
    row.make = [](const Instance<T>&, const Fields<T>& fields) -> std::unique_ptr<Stepper> {
        return std::make_unique<ForwardDensityStepper<Tile>>(fields);
    };
    row.resources = [](const Instance<T>&, const Stencil<T>&) {
        return resources_of(reinterpret_cast<const void*>(forward_density_step<Tile>), Tile::threads,
                            Tile::shared_bytes);
    };
    return row;
}

template <typename T>
void add_all(Instances<T>& list) {
    for_density_tiles<T, ONDA_RADIUS>([&list]<typename Tile>() { list.push_back(forward_density_row<Tile>()); });
    add_direct_block<T, 32, 4, 2, 3>(list);
    add_direct_block<T, 64, 4, 1, 3>(list);
    add_direct_block<T, 128, 1, 2, 2>(list);
    add_direct_block<T, 32, 1, 8, 2>(list);
}

}  // namespace

template <>
void add_density<ONDA_RADIUS>(Instances<float>& list) {
    add_all(list);
}
template <>
void add_density<ONDA_RADIUS>(Instances<double>& list) {
    add_all(list);
}

}  // namespace onda::cuda
