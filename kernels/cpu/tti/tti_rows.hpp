/// \file
/// The nodes of both passes of tilted transverse isotropy: g first, as far beyond the faces as the second pass reads.
#pragma once

#include "kernels/cpu/kernel.hpp"

namespace onda::cpu {
namespace {

/// A row of nodes: x from `begin` to `end`.
struct TiltRow {
    std::int64_t y, z, begin, end;
};

/// Calls body(row) for the rows whose g the second pass reads: all in the grid, r nodes longer at both ends, and those
/// up to r nodes beyond one face across y or z; each thread for its own.
template <typename T, typename Body>
inline __attribute__((always_inline)) void for_tilt_rows(const StepArguments<T>& a, const Body& body) {
    const std::int64_t r = a.stencil.radius, beyond_y = a.stencil.dimensions == 3 ? r : 0;
    const std::int64_t along_y = a.ny + 2 * beyond_y, rows = along_y * (a.nz + 2 * r);
    const RowRange mine = rows_of_thread(rows, omp_get_thread_num(), omp_get_num_threads());
    for (std::int64_t row = mine.begin; row < mine.end; ++row) {
        const std::int64_t y = row % along_y - beyond_y, z = row / along_y - r;
        const bool outside_y = y < 0 || y >= a.ny, outside_z = z < 0 || z >= a.nz;
        if (outside_y && outside_z) continue;
        const std::int64_t more = outside_y || outside_z ? 0 : r;
        body(TiltRow{y, z, -more, a.nx + more});
    }
}

/// The arrays of the medium in a row: k, e, d, and the axis.
template <typename T>
struct TiltMedium {
    const T *k, *e, *d, *n[3];
    std::int64_t n_pitch, n_plane;

    TiltMedium(const StepArguments<T>& a, std::int64_t y, std::int64_t z)
        : n_pitch(a.medium[3].pitch), n_plane(a.medium[3].plane) {
        const auto row = [y, z](const MediumView<T>& array) { return array.at + y * array.pitch + z * array.plane; };
        k = row(a.medium[0]);
        e = row(a.medium[1]);
        d = row(a.medium[2]);
        for (int axis = 0; axis < 3; ++axis) n[axis] = row(a.medium[3 + axis]);
    }
};

}  // namespace
}  // namespace onda::cpu
