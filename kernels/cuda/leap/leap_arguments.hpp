/// \file
/// What the kernels of a leap are given beside what every kernel of a time step is.
#pragma once

#include "kernels/cuda/arguments.hpp"
#include "kernels/equations/star/leap.hpp"

namespace onda::cuda {

/// A leap in the nodes [begin, end) along x, y, z: p[n] is p, p[n-2] is q, which p[n+2] overwrites. Of steps of order 4
/// in time p[n-1] and p[n+1] are in the place of these.
template <typename T>
struct LeapArguments : StepArguments<T> {
    LeapWeights<T> weights;
    int begin[3] = {0, 0, 0}, end[3] = {0, 0, 0};
};

/// Threads of a brick, see ShellBoxes.
inline constexpr int kShellThreads = 128;

/// The strips of nodes near the faces of a grid that leaps leave out: boxes that do not overlap, each divided into
/// bricks of equal extents. Bricks begin on whole vectors along x; nodes of theirs beyond the box are left alone.
struct ShellBoxes {
    static constexpr int most = 6;
    struct Box {
        int low[3], high[3];
        int first_x;                  ///< the node at which its bricks begin
        unsigned threads_x;           ///< of a brick along x, a vector each; the others lie along y
        unsigned bricks_x, bricks_y;  ///< beside each other
    };
    Box box[most] = {};
    unsigned first[most + 1] = {};  ///< brick of each box
    int count = 0;
};

/// One pass over a shell: shell_node() of p, `before` and `next`, which it overwrites and which may be `before`.
template <typename T>
struct ShellArguments {
    ShellPass pass = ShellPass::step;
    LeapWeights<T> weights;
    const T* p = nullptr;
    const T* before = nullptr;
    T* next = nullptr;
    const T* k = nullptr;
    std::int64_t pitch = 0, plane = 0, k_pitch = 0, k_plane = 0;
    int planes = 0;  ///< of a brick
    Stencil<T> stencil;
    ShellBoxes boxes;
};
using CodedShellArguments = WithCodes<ShellArguments<float>, CodedK>;
template <typename T>
ONDA_HOST_DEVICE const T* k_of(const ShellArguments<T>& a) {
    return a.k;
}

}  // namespace onda::cuda
