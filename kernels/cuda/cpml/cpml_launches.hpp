/// \file
/// How the strips of perfectly matched layers lie in memory, and how their kernels are launched: all that can be told
/// without a device.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/backend.hpp"
#include "kernels/cuda/blocks.hpp"
#include "kernels/cuda/cpml/cpml_arguments.hpp"

namespace onda::cuda {

/// One launch of the kernel for rows (axis 0) or for columns; `arguments` lack p and q.
template <typename T>
struct CpmlLaunch {
    int axis = 0;
    FactorKind kind = FactorKind::star;
    CpmlArguments<T> arguments;
    std::array<unsigned, 3> grid{}, block{};
    int shared_bytes = 0;
};

namespace cpml {

inline std::int64_t width_of(const BackendSetup& setup, int face) {
    return setup.cpml.face[static_cast<std::size_t>(face)].width();
}

/// psi or zeta across y and z: [z][y][x] with t instead of the coordinate across the face.
template <typename T>
Layout box_of(const BackendSetup& setup, int face) {
    return {strip_grid(setup.grid, face, width_of(setup, face)), {0, 0, 0}, sizeof(T)};
}

/// Across x all that belongs to a row lies together: psi and zeta of its low end, then of its high end.
inline std::int64_t row_size(const BackendSetup& setup) {
    return 2 * (width_of(setup, 0) + width_of(setup, 1));
}

/// Where the memory variables of a face begin; of face 6, where all end.
template <typename T>
std::int64_t memory_of(const BackendSetup& setup, int face) {
    if (face < 2) return face == 0 ? 0 : 2 * width_of(setup, 0);
    std::int64_t begin = (row_size(setup) * setup.grid.ny() * setup.grid.nz() + 31) / 32 * 32;
    for (int before = 2; before < face; ++before)
        if (width_of(setup, before) > 0) begin += 2 * box_of<T>(setup, before).size;
    return begin;
}

/// The same for the profiles.
inline std::int64_t profile_of(const BackendSetup& setup, int face) {
    std::int64_t begin = 0;
    for (int before = 0; before < face; ++before) begin += 4 * width_of(setup, before);
    return begin;
}

template <typename T>
std::vector<T> all_profiles(const BackendSetup& setup) {
    std::vector<T> all;
    for (const CpmlFace& face : setup.cpml.face) {
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
    T* memory = nullptr;          ///< memory_of(setup, 6) elements
    const T* profiles = nullptr;  ///< all_profiles(setup)
};

/// Elements between neighbours along x, y, z.
inline std::array<std::int64_t, 3> strides(const Layout& layout) {
    return {1, layout.pitch, layout.plane};
}

template <typename T>
CpmlArguments<T> arguments_of(const BackendSetup& setup, const Arrays<T>& arrays, std::size_t axis) {
    const Grid& g = setup.grid;
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
    a.memory_row = axis == 0 ? row_size(setup) : 0;
    a.across = plane_across(static_cast<int>(axis), g.dimensions, arrays.field.pitch, arrays.field.plane);
    std::ranges::copy(cpml_weights<T>(setup.scheme, g.spacing_m[axis]), a.h);
    std::ranges::copy(cpml_smoothing<T>(setup.scheme, g.dimensions), a.smoothing);
    return a;
}

template <typename T>
CpmlSide<T> side_of(const BackendSetup& setup, const Arrays<T>& arrays, int face) {
    const auto axis = static_cast<std::size_t>(face / 2);
    const int width = static_cast<int>(width_of(setup, face)), towards_face = face % 2 == 0 ? -1 : 1;
    const std::int64_t n = setup.grid.n[axis], edge = node_before_strip(n, width, face % 2 == 1);
    const std::int64_t p = strides(arrays.field)[axis], k = strides(arrays.model)[axis],
                       rho = strides(arrays.density)[axis];
    CpmlSide<T> side;
    side.psi = arrays.memory + memory_of<T>(setup, face);
    side.profile = arrays.profiles + profile_of(setup, face);
    side.width = width;
    side.first_node = first_strip_node(factor_reach(setup.scheme).first, n, width);
    side.edge = edge * p;
    side.k_edge = edge * k;
    side.rho_edge = edge * rho;
    side.step = towards_face * p;
    side.k_step = towards_face * k;
    side.rho_step = towards_face * rho;
    if (axis == 0) {
        side.zeta = side.psi + width;
        return side;
    }
    const Layout box = box_of<T>(setup, face);
    side.zeta = side.psi + box.size;
    side.memory_step = axis == 1 ? box.pitch : box.plane;
    side.memory_row = axis == 1 ? box.plane : box.pitch;
    return side;
}

/// Blocks along y or z; kernels go round.
inline unsigned most_blocks_for(std::int64_t nodes, std::int64_t tile) {
    return static_cast<unsigned>(std::min<std::int64_t>(blocks_for(nodes, tile), kMostBlocks));
}

// 64 threads a block: of those tried on an H200 the fastest. 256 threads are a sixth slower.
template <typename T>
CpmlLaunch<T> launch_of(const BackendSetup& setup, const CpmlArguments<T>& a, int axis) {
    CpmlLaunch<T> launch{axis, factor_kind(setup.scheme, setup.grid.dimensions), a};
    const int count = factor_reach(setup.scheme).count;
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

}  // namespace cpml

/// The launches of a step, in order: x, y, z. Both sides of an axis at once, unless they share a node: then the low one
/// comes first.
template <typename T>
std::vector<CpmlLaunch<T>> cpml_launches(const BackendSetup& setup, const cpml::Arrays<T>& arrays) {
    std::vector<CpmlLaunch<T>> launches;
    for (int axis = 0; axis < 3; ++axis) {
        CpmlArguments<T> a = cpml::arguments_of(setup, arrays, static_cast<std::size_t>(axis));
        const std::int64_t n = setup.grid.n[static_cast<std::size_t>(axis)];
        std::int64_t nodes = -2 * factor_reach(setup.scheme).first;  // that the strips reach, but for their nodes 0
        for (const int face : {2 * axis, 2 * axis + 1}) {
            if (cpml::width_of(setup, face) == 0) continue;
            nodes += cpml::width_of(setup, face);
            if (a.sides == 1 && nodes >= n - 1) {
                launches.push_back(cpml::launch_of(setup, a, axis));
                a.sides = 0;
            }
            a.side[a.sides++] = cpml::side_of(setup, arrays, face);
        }
        if (a.sides > 0) launches.push_back(cpml::launch_of(setup, a, axis));
    }
    return launches;
}

}  // namespace onda::cuda
