/// \file
/// Attenuation in-plane (kernels/cuda/inplane/inplane.hpp): what a thread's own nodes do with their Laplacians.
#pragma once

#include "kernels/cuda/attenuation/relaxing.hpp"
#include "kernels/cuda/inplane/inplane_launch.hpp"

namespace onda::cuda {

template <typename T, int Count>
using RelaxingTileArguments = WithMemory<T, InPlaneArguments<T>, Count>;

template <typename Tile, typename T_, typename Base, int Count>
class OwnNodes<Tile, WithMemory<T_, Base, Count>> {
public:
    using T = typename Tile::T;
    using Arguments = WithMemory<T_, Base, Count>;

    __device__ __forceinline__ OwnNodes(const Arguments& a, int x, int y, int z)
        : a_(a), x_(x), y_(y), z_(z), node_(z * a.plane + y * a.pitch + x), of_k_(z * a.k_plane + y * a.k_pitch + x) {}
    __device__ __forceinline__ void ask() {
        ONDA_UNROLL
        for (int j = 0; j < Tile::rows; ++j) {
            if (x_ >= a_.nx || y_ + j >= a_.ny) continue;
            const std::int64_t node = node_ + j * a_.pitch, of_k = of_k_ + j * a_.k_pitch;
            q_[j] = load_streaming(static_cast<const T*>(a_.q + node));
            k_[j] = load_streaming(a_.k + of_k);
            ONDA_UNROLL
            for (int i = 0; i < Count; ++i) {
                g_[j][i] = load_streaming(a_.g[i] + of_k);
                memory_[j][i] = load_streaming(static_cast<const T*>(a_.memory[i] + node));
            }
        }
    }
    __device__ __forceinline__ void advance(int j, Vec<T> p, Vec<T> l) const {
        constexpr int V = Tile::vector;
        // x of a vector is even.
        const int even = class_of_node(a_, 0, y_ + j, z_), odd = class_of_node(a_, 1, y_ + j, z_);
        const bool is_inside = y_ + j < a_.ny;
        const std::int64_t node = node_ + j * a_.pitch;
        Vec<T> next;
        ONDA_UNROLL
        for (int v = 0; v < V; ++v) next.v[v] = leapfrog(p.v[v], q_[j].v[v], k_[j].v[v], l.v[v]);
        ONDA_UNROLL
        for (int i = 0; i < Count; ++i) {
            const T a_of[2] = {a_.of_class[i][even], a_.of_class[i][odd]};
            Vec<T> memory;
            ONDA_UNROLL
            for (int v = 0; v < V; ++v) {
                const T e = not_followed(p.v[v], q_[j].v[v], memory_[j][i].v[v]);
                next.v[v] = relaxed(g_[j][i].v[v], e, next.v[v]);
                memory.v[v] = followed(a_of[v % 2], e, memory_[j][i].v[v]);
            }
            if (is_inside) store_inside(a_.memory[i] + node, memory, a_.nx - x_);
        }
        if (is_inside) store_inside(a_.q + node, next, a_.nx - x_);
    }
    __device__ __forceinline__ void move() {
        ++z_;
        node_ += a_.plane;
        of_k_ += a_.k_plane;
    }

private:
    const Arguments& a_;
    int x_, y_, z_;
    std::int64_t node_, of_k_;
    Vec<T> q_[Tile::rows] = {}, k_[Tile::rows] = {}, g_[Tile::rows][Count] = {}, memory_[Tile::rows][Count] = {};
};

/// What a plane costs with so many memory fields.
template <typename Tile, template <typename> class Copies, int Count>
constexpr MarchWork relaxing_work() {
    MarchWork work = inplane_work<Tile, Copies>();
    constexpr int nodes = Tile::rows * Tile::vector;
    work.operations += 6 * Count * nodes;
    work.instructions += 6 * Count * nodes + 6 * Count * Tile::rows;
    work.arrays.medium += Count;
    work.arrays.memory += Count;
    return work;
}

/// The row of one tile and copy engine.
template <typename Tile, template <typename> class Copies, int Count>
Instance<typename Tile::T> relaxing_row(int strategy, const char* copy, int architecture) {
    using T = typename Tile::T;
    using Given = RelaxingTileArguments<T, Count>;
    const std::string kernel = "inplane-" + std::string(kLoadStrategies[static_cast<std::size_t>(strategy)].name);
    auto row = tile_row<Tile, Copies, inplane_step<Tile, Copies, Given>, relaxing_work<Tile, Copies, Count>, Given>(
        kernel, copy, architecture);
    row.equation = Count == 1 ? Equation::attenuation : Equation::attenuation_of_two;
    return row;
}

/// Calls add.operator()<Tile>() for the tiles of bulk-tensor copies, the fastest first.
template <int R, int Strategy, typename Add>
void for_relaxing_tiles(const Add& add) {
    using List = TileList<float, R, Strategy>;
    if constexpr (R <= 4) {
        List::template one<32, 16, 2, 3, false, 1>(add);
        List::template one<32, 8, 2, 3, false, 1>(add);
        List::template one<32, 8, 2, 3, false, 2>(add);
        List::template one<64, 8, 1, 3, false, 1>(add);
        List::template one<64, 4, 2, 3, false, 2>(add);
        List::template one<64, 4, 4, 3, false, 1>(add);
        List::template one<32, 8, 4, 3, false, 1>(add);
        List::template one<64, 8, 2, 3, false, 1>(add);
    } else {
        List::template one<32, 16, 2, 2, true, 1>(add);
        List::template one<32, 8, 2, 3, true, 1>(add);
    }
}

}  // namespace onda::cuda
