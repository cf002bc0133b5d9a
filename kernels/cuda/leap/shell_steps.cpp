#include "kernels/cuda/leap/shell_steps.hpp"

namespace onda::cuda {
namespace {

/// Threads along x of a brick in a box: as many as it has vectors, but no more than leave rows enough for the
/// neighbours along y to be found in the L1 cache.
template <typename T>
unsigned threads_along_x(const NodeBox& box, std::int64_t first_x) {
    constexpr std::int64_t vector = 16 / sizeof(T);
    const std::int64_t vectors = (box.high[0] - first_x + vector - 1) / vector;
    const std::int64_t most = box.extent(1) > 1 ? 32 / vector : kShellThreads;
    std::int64_t threads = 8;
    while (threads < most && threads < vectors) threads *= 2;
    return static_cast<unsigned>(threads);
}

template <typename T>
ShellBoxes bricks_of(const std::vector<NodeBox>& boxes, int planes) {
    constexpr int vector = 16 / sizeof(T);
    ShellBoxes all;
    for (const NodeBox& box : boxes) {
        ShellBoxes::Box& b = all.box[all.count];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            b.low[axis] = static_cast<int>(box.low[axis]);
            b.high[axis] = static_cast<int>(box.high[axis]);
        }
        b.first_x = b.low[0] / vector * vector;
        b.threads_x = threads_along_x<T>(box, b.first_x);
        const auto along_x = static_cast<int>(b.threads_x);
        b.bricks_x = static_cast<unsigned>(blocks_for(b.high[0] - b.first_x, along_x * vector));
        b.bricks_y = static_cast<unsigned>(blocks_for(box.extent(1), kShellThreads / along_x));
        const auto along_z = static_cast<unsigned>(blocks_for(box.extent(2), planes));
        all.first[all.count + 1] = all.first[all.count] + b.bricks_x * b.bricks_y * along_z;
        ++all.count;
    }
    return all;
}

/// Bricks of as many planes as leave enough of them to keep a GPU busy.
template <typename T>
void set_bricks(ShellArguments<T>& a, const std::vector<NodeBox>& boxes) {
    constexpr unsigned enough = 4096;
    for (a.planes = 32;; a.planes /= 2) {
        a.boxes = bricks_of<T>(boxes, a.planes);
        if (a.planes == 8 || a.boxes.first[a.boxes.count] >= enough) return;
    }
}

/// Queues one pass with the kernel of its radius.
template <typename Arguments>
void launch_of_radius(const Arguments& arguments, cudaStream_t stream) {
    using Launch = void (*)(const Arguments&, cudaStream_t);
    constexpr Launch launch_radius[kMaxRadius] = {launch_shell<1>, launch_shell<2>, launch_shell<3>, launch_shell<4>,
                                                  launch_shell<5>, launch_shell<6>, launch_shell<7>, launch_shell<8>};
    launch_radius[arguments.stencil.radius - 1](arguments, stream);
}

}  // namespace

std::vector<NodeBox> boxes_around(const std::array<std::int64_t, 3>& n, const NodeBox& inner) {
    std::vector<NodeBox> boxes;
    NodeBox between{{}, n};
    for (const std::size_t axis : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
        NodeBox low = between, high = between;
        low.high[axis] = between.low[axis] = inner.low[axis];
        high.low[axis] = between.high[axis] = inner.high[axis];
        for (const NodeBox& box : {low, high})
            if (!box.empty()) boxes.push_back(box);
    }
    return boxes;
}

std::int64_t shell_bytes(const std::vector<NodeBox>& boxes, int element_bytes) {
    std::int64_t nodes = 0;
    for (const NodeBox& box : boxes) nodes += box.extent(0) * box.extent(1) * box.extent(2);
    return 4 * nodes * element_bytes;  // p, the level before, k, and the next level
}

template <typename T>
ShellSteps<T>::ShellSteps(const Fields<T>& fields, const NodeBox& no_odd) : coded_k_(fields.coded_k) {
    odd_.k = fields.k().at;
    odd_.pitch = fields.field.pitch;
    odd_.plane = fields.field.plane;
    odd_.k_pitch = fields.k().layout.pitch;
    odd_.k_plane = fields.k().layout.plane;
    odd_.stencil = fields.stencil;
    odd_.weights = fields.weights;
    next_ = odd_;
    set_bricks(odd_, boxes_around(fields.grid.n, no_odd));
    set_bricks(next_, boxes_around(fields.grid.n, fields.leap));
}

template <typename T>
void ShellSteps<T>::launch(ShellArguments<T> arguments, ShellPass pass, const T* p, const T* before, T* next,
                           cudaStream_t stream) const {
    arguments.pass = pass;
    arguments.p = p;
    arguments.before = before;
    arguments.next = next;
    if constexpr (sizeof(T) == sizeof(float))
        if (coded_k_.storage != Storage::full)
            return launch_of_radius(CodedShellArguments{arguments, coded_k_}, stream);
    launch_of_radius(arguments, stream);
}

template <typename T>
void ShellSteps<T>::to_odd(ShellPass pass, const T* p, T* odd, cudaStream_t stream) const {
    launch(odd_, pass, p, odd, odd, stream);
}

template <typename T>
void ShellSteps<T>::to_next(ShellPass pass, const T* odd, const T* p, T* next, cudaStream_t stream) const {
    launch(next_, pass, odd, p, next, stream);
}

template class ShellSteps<float>;
template class ShellSteps<double>;

}  // namespace onda::cuda
