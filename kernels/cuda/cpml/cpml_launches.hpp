/// \file
/// What the kernels of perfectly matched layers are given, how the strips lie in memory, and how they are launched: all
/// that can be told without a device.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/boundaries/cpml.hpp"
#include "kernels/boundaries/cpml_math.hpp"
#include "kernels/cuda/arguments.hpp"
#include "kernels/cuda/blocks.hpp"

struct CUstream_st;  // of CUDA, whose headers are not there on the host: cudaStream_t points at it

namespace onda::cuda {

/// Across x a warp takes one end of kCpmlRows rows, a lane one value of each.
inline constexpr int kCpmlLanes = 32, kCpmlRows = 4;

/// Neighbours along x that a walk across y or z takes side by side: as many as leave room in registers for three
/// windows of `count` values.
constexpr int cpml_columns(int count, std::size_t element_bytes) {
    return static_cast<int>((count <= kMaxRadius + 1 ? 16 : 8) / element_bytes);
}

/// The strip of one face. Offsets and steps in elements.
template <typename T>
struct CpmlSide {
    T *psi = nullptr, *zeta = nullptr;                ///< of t = 0 and t = 1 at the first row
    std::int64_t to_next_psi = 0;                     ///< from psi of the step before to where that of this one goes
    const T* profile = nullptr;                       ///< a_psi, b_psi, a_zeta, b_zeta
    int width = 0, first_node = 0;                    ///< see first_strip_node()
    std::int64_t edge = 0, k_edge = 0, rho_edge = 0;  ///< node t = 0 from node 0 of the axis
    std::int64_t step = 0, k_step = 0, rho_step = 0;  ///< from t to t + 1
    std::int64_t memory_step = 0, memory_row = 0;     ///< psi and zeta across y and z: from t to t + 1, and as `row`
};

/// What strips add to a second field, where fields share them (LayerCoupling of kernels/equations/equation.hpp). Arrays
/// point at node (0, 0, 0); multipliers of k lie as k does, null: 1.
template <typename T>
struct CpmlShared {
    T* also = nullptr;                              ///< p[n+1] of the other field
    const T *of_own = nullptr, *of_also = nullptr;  ///< beside k in what either field takes
    T* third = nullptr;                             ///< p[n+1] of a third field, which takes it with k; null: none
};

/// The strips of one axis that one launch computes. Arrays point at node (0, 0, 0).
template <typename T>
struct CpmlArguments {
    const T* p = nullptr;                                ///< p[n]
    T* q = nullptr;                                      ///< p[n+1]
    const T* k = nullptr;                                ///< (vp dt)^2
    const T* half_rho = nullptr;                         ///< rho / 2, with variable density
    int inner = 0, outer = 0;                            ///< nodes along the two axes of a face, x before y before z
    std::int64_t row = 0, k_row = 0, rho_row = 0;        ///< to the next node of the outer axis; across x: of the inner
    std::int64_t slice = 0, k_slice = 0, rho_slice = 0;  ///< across x: of the outer axis
    std::int64_t memory_row = 0;                         ///< psi and zeta across x: as `row`
    PlaneStrides across;                                 ///< of p
    T h[kMaxFactorWeights] = {};                         ///< the factor's weights over the spacing
    T smoothing[3] = {};                                 ///< compact operator: see smoothed()
    CpmlSide<T> side[2];
    int sides = 0;
    CpmlShared<T> shared;          ///< of factors that couple
    int tiles = 0;                 ///< across x: of kCpmlLanes values in the widest strip
    bool reaches_further = false;  ///< across x: whether a tile needs p of the next one, or zeros beyond the face
};

template <typename T>
ONDA_HOST_DEVICE const T* k_of(const CpmlArguments<T>& a) {
    return a.k;
}

/// One launch of the kernel for rows (axis 0) or for columns; `arguments` lack p and q.
template <typename T>
struct CpmlLaunch {
    int axis = 0;
    FactorKind kind = FactorKind::star;
    CpmlArguments<T> arguments;
    std::array<unsigned, 3> grid{}, block{};
    int shared_bytes = 0;
    CodedK coded_k = {};  ///< where k is stored as codes: in the place of k
};

/// Queues one launch of a strip kernel of radius R, with the p and q of `arguments`. \throws Error.
template <int R>
void apply_cpml(const CpmlLaunch<float>& launch, const CpmlArguments<float>& arguments, CUstream_st* stream);
template <int R>
void apply_cpml(const CpmlLaunch<double>& launch, const CpmlArguments<double>& arguments, CUstream_st* stream);

namespace cpml {

/// What the strips of one wavefield are planned from.
struct Strips {
    Grid grid;
    Scheme scheme;
    Cpml layers;
    /// Whether psi has two arrays that take turns, as the fused kernel asks.
    bool two_psi = false;

    /// Arrays of memory variables: psi, zeta, and perhaps psi again.
    [[nodiscard]] std::int64_t arrays() const { return two_psi ? 3 : 2; }
};

/// Nodes of the layer inside a face, 0 without one.
inline std::int64_t width_of(const Strips& strips, int face) {
    return strips.layers.face[static_cast<std::size_t>(face)].width();
}

/// The layout of psi or zeta across y and z: [z][y][x] with t instead of the coordinate across the face.
template <typename T>
Layout box_of(const Strips& strips, int face) {
    return {strip_grid(strips.grid, face, width_of(strips, face)), {0, 0, 0}, sizeof(T)};
}

/// Across x all that belongs to a row lies together: the arrays of its low end, then those of its high end.
inline std::int64_t row_size(const Strips& strips) {
    return strips.arrays() * (width_of(strips, 0) + width_of(strips, 1));
}

/// Where the memory variables of a face begin; of face 6, where all end.
template <typename T>
std::int64_t memory_of(const Strips& strips, int face) {
    if (face < 2) return face == 0 ? 0 : strips.arrays() * width_of(strips, 0);
    std::int64_t begin = (row_size(strips) * strips.grid.ny() * strips.grid.nz() + 31) / 32 * 32;
    for (int before = 2; before < face; ++before)
        if (width_of(strips, before) > 0) begin += strips.arrays() * box_of<T>(strips, before).size;
    return begin;
}

/// Where psi and zeta of a face begin, and the elements between their neighbours along x, y, z.
struct MemoryOfFace {
    std::int64_t psi[2];  ///< what a step that reads p[now] finds is in psi[now]; perhaps both are one
    std::int64_t zeta;
    std::array<std::int64_t, 3> strides;
};
template <typename T>
MemoryOfFace memory_of_face(const Strips& strips, int face) {
    const std::int64_t begin = memory_of<T>(strips, face), again = strips.two_psi ? 2 : 0;
    if (face >= 2) {
        const Layout box = box_of<T>(strips, face);
        return {{begin, begin + again * box.size}, begin + box.size, {1, box.pitch, box.plane}};
    }
    // Rows follow each other along y and then z, in 2-D along z and then y.
    const Grid& g = strips.grid;
    const std::int64_t row = row_size(strips);
    const std::int64_t y = g.dimensions == 3 ? row : row * g.nz(), z = g.dimensions == 3 ? row * g.ny() : row;
    const std::int64_t width = width_of(strips, face);
    return {{begin, begin + again * width}, begin + width, {1, y, z}};
}

/// Where the profiles of a face begin among all_profiles(); of face 6, where all end.
inline std::int64_t profile_of(const Strips& strips, int face) {
    std::int64_t begin = 0;
    for (int before = 0; before < face; ++before) begin += 4 * width_of(strips, before);
    return begin;
}

/// The profiles of all faces, one after the other.
template <typename T>
std::vector<T> all_profiles(const Strips& strips) {
    std::vector<T> all;
    for (const CpmlFace& face : strips.layers.face) {
        const std::vector<T> profile = cpml_profile<T>(face);
        all.insert(all.end(), profile.begin(), profile.end());
    }
    return all;
}

/// Arrays whose layouts the strips' kernels must know, all at node (0, 0, 0).
template <typename T>
struct Arrays {
    Layout field, model, density;  ///< the last with variable density
    const T *k = nullptr, *half_rho = nullptr;
    T* memory = nullptr;          ///< memory_of(strips, 6) elements
    const T* profiles = nullptr;  ///< all_profiles(strips)
    CodedK coded_k = {};          ///< where k is stored as codes: in the place of k
};

/// Elements between neighbours along x, y, z.
inline std::array<std::int64_t, 3> strides(const Layout& layout) {
    return {1, layout.pitch, layout.plane};
}

/// What the strips across one axis have in common.
template <typename T>
CpmlArguments<T> arguments_of(const Strips& strips, const Arrays<T>& arrays, std::size_t axis) {
    const Grid& g = strips.grid;
    const auto p = strides(arrays.field), k = strides(arrays.model), rho = strides(arrays.density);
    // The axes of a face. Across x the rows of a 2-D grid follow each other along z.
    const std::size_t inner = axis != 0 ? 0 : g.dimensions == 3 ? 1 : 2;
    const std::size_t outer = axis == 0 ? 3 - inner : axis == 1 ? 2 : 1, row = axis == 0 ? inner : outer;
    CpmlArguments<T> a;
    a.k = arrays.k;
    a.half_rho = arrays.half_rho;
    a.inner = static_cast<int>(g.n[inner]);
    a.outer = static_cast<int>(g.n[outer]);
    a.row = p[row];
    a.k_row = k[row];
    a.rho_row = rho[row];
    a.slice = p[outer];
    a.k_slice = k[outer];
    a.rho_slice = rho[outer];
    a.memory_row = axis == 0 ? row_size(strips) : 0;
    a.across = plane_across(static_cast<int>(axis), g.dimensions, arrays.field.pitch, arrays.field.plane);
    std::ranges::copy(cpml_weights<T>(strips.scheme, g.spacing_m[axis]), a.h);
    std::ranges::copy(cpml_smoothing<T>(strips.scheme, g.dimensions), a.smoothing);
    return a;
}

/// The strip of one face.
template <typename T>
CpmlSide<T> side_of(const Strips& strips, const Arrays<T>& arrays, int face) {
    const auto axis = static_cast<std::size_t>(face / 2);
    const int width = static_cast<int>(width_of(strips, face)), towards_face = face % 2 == 0 ? -1 : 1;
    const std::int64_t n = strips.grid.n[axis], edge = node_before_strip(n, width, face % 2 == 1);
    const std::int64_t p = strides(arrays.field)[axis], k = strides(arrays.model)[axis],
                       rho = strides(arrays.density)[axis];
    const MemoryOfFace memory = memory_of_face<T>(strips, face);
    CpmlSide<T> side;
    side.psi = arrays.memory + memory.psi[0];
    side.zeta = arrays.memory + memory.zeta;
    side.to_next_psi = memory.psi[1] - memory.psi[0];
    side.profile = arrays.profiles + profile_of(strips, face);
    side.width = width;
    side.first_node = first_strip_node(factor_reach(strips.scheme).first, n, width);
    side.edge = edge * p;
    side.k_edge = edge * k;
    side.rho_edge = edge * rho;
    side.step = towards_face * p;
    side.k_step = towards_face * k;
    side.rho_step = towards_face * rho;
    if (axis == 0) return side;
    side.memory_step = memory.strides[axis];
    side.memory_row = memory.strides[3 - axis];
    return side;
}

/// Blocks along y or z; kernels go round.
inline unsigned most_blocks_for(std::int64_t nodes, std::int64_t tile) {
    return static_cast<unsigned>(std::min<std::int64_t>(blocks_for(nodes, tile), kMostBlocks));
}

/// The blocks of one launch, of 64 threads: of those tried on an H200 the fastest; 256 threads are a sixth slower.
template <typename T>
CpmlLaunch<T> launch_of(const Strips& strips, const CpmlArguments<T>& a, int axis) {
    CpmlLaunch<T> launch{axis, factor_kind(strips.scheme, strips.grid.dimensions), a};
    const int count = factor_reach(strips.scheme).count;
    if (axis == 0) {
        constexpr int ends = 2;  // of rows: both of each, or one of twice as many
        const int groups = ends / a.sides * kCpmlRows;
        int values = 0;
        for (const CpmlSide<T>& side : a.side) values = std::max(values, side.width - side.first_node + count);
        launch.arguments.tiles = (values + kCpmlLanes - 1) / kCpmlLanes;
        launch.arguments.reaches_further = values + count - 1 > kCpmlLanes;
        launch.block = {kCpmlLanes, static_cast<unsigned>(ends), 1};
        launch.grid = {static_cast<unsigned>(blocks_for(a.inner, groups)), most_blocks_for(a.outer, 1), 1};
        launch.shared_bytes = ends * 3 * kCpmlRows * (kCpmlLanes + count - 1) * static_cast<int>(sizeof(T));
        return launch;
    }
    const int columns = cpml_columns(count, sizeof(T));
    launch.block = {a.outer > 1 ? 32U : 64U, a.outer > 1 ? 2U : 1U, 1};
    launch.grid = {static_cast<unsigned>(blocks_for(blocks_for(a.inner, columns), launch.block[0])),
                   most_blocks_for(a.outer, launch.block[1]), static_cast<unsigned>(a.sides)};
    return launch;
}

/// The strips of a step that reads p[1], from those of one that reads p[0].
template <typename T>
CpmlArguments<T> with_psi_swapped(CpmlArguments<T> a) {
    for (CpmlSide<T>& side : a.side) {
        side.psi += side.to_next_psi;
        side.to_next_psi = -side.to_next_psi;
    }
    return a;
}

}  // namespace cpml

/// The launches of a step that reads p[0], in order: x, y, z. Both sides of an axis at once, unless they share a node:
/// then the low one comes first.
template <typename T>
std::vector<CpmlLaunch<T>> cpml_launches(const cpml::Strips& strips, const cpml::Arrays<T>& arrays) {
    std::vector<CpmlLaunch<T>> launches;
    for (int axis = 0; axis < 3; ++axis) {
        CpmlArguments<T> a = cpml::arguments_of(strips, arrays, static_cast<std::size_t>(axis));
        const std::int64_t n = strips.grid.n[static_cast<std::size_t>(axis)];
        std::int64_t nodes = -2 * factor_reach(strips.scheme).first;  // that the strips reach, but for their nodes 0
        for (const int face : {2 * axis, 2 * axis + 1}) {
            if (cpml::width_of(strips, face) == 0) continue;
            nodes += cpml::width_of(strips, face);
            if (a.sides == 1 && nodes >= n - 1) {
                launches.push_back(cpml::launch_of(strips, a, axis));
                a.sides = 0;
            }
            a.side[a.sides++] = cpml::side_of(strips, arrays, face);
        }
        if (a.sides > 0) launches.push_back(cpml::launch_of(strips, a, axis));
    }
    for (CpmlLaunch<T>& launch : launches) launch.coded_k = arrays.coded_k;
    return launches;
}

}  // namespace onda::cuda
