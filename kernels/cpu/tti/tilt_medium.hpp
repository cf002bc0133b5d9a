/// \file
/// What the kernels of tilted transverse isotropy read of the medium.
#pragma once

#include "kernels/cpu/kernel.hpp"

namespace onda::cpu {
namespace {

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
