/// \file
/// The shell of a wavefield that leaps, or has order 4 in time: the passes over the nodes near its faces, as launches.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <vector>

#include "kernels/cuda/blocks.hpp"
#include "kernels/cuda/leap/leap_arguments.hpp"
#include "kernels/cuda/stepper.hpp"

namespace onda::cuda {

/// Queues one pass over a shell. \throws Error.
template <int R>
void launch_shell(const ShellArguments<float>& arguments, cudaStream_t stream);
template <int R>
void launch_shell(const ShellArguments<double>& arguments, cudaStream_t stream);
template <int R>
void launch_shell(const CodedShellArguments& arguments, cudaStream_t stream);

/// The nodes of a grid outside a box, as boxes that do not overlap: across z, then y between them, then x.
std::vector<NodeBox> boxes_around(const std::array<std::int64_t, 3>& n, const NodeBox& inner);

/// Both passes over the shell of a volume. Arrays have the layouts of `fields` and are given at node (0, 0, 0).
template <typename T>
class ShellSteps {
public:
    /// \param no_odd the nodes whose odd level nobody needs: see kernels/plan/shell.hpp.
    ShellSteps(const Fields<T>& fields, const NodeBox& no_odd);
    /// The first pass: the odd level from p[n] and its predecessor in `odd`, or u there.
    void to_odd(ShellPass pass, const T* p, T* odd, cudaStream_t stream) const;
    /// The second pass: from the odd level, or u, and p[n] to the next level.
    void to_next(ShellPass pass, const T* odd, const T* p, T* next, cudaStream_t stream) const;

private:
    void launch(ShellArguments<T> arguments, ShellPass pass, const T* p, const T* before, T* next,
                cudaStream_t stream) const;

    ShellArguments<T> odd_, next_;
    CodedK coded_k_;
};

/// What a pass over a shell of so many nodes moves, in bytes, but for what is loaded twice.
std::int64_t shell_bytes(const std::vector<NodeBox>& boxes, int element_bytes);

}  // namespace onda::cuda
