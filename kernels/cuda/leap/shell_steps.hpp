/// \file
/// The shell of a wavefield that leaps: single steps of the nodes near its faces, as launches.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <vector>

#include "kernels/cuda/blocks.hpp"
#include "kernels/cuda/leap/leap_arguments.hpp"
#include "kernels/cuda/stepper.hpp"

namespace onda::cuda {

/// Queues one single step of a shell. \throws Error.
template <int R>
void launch_shell(const ShellArguments<float>& arguments, cudaStream_t stream);
template <int R>
void launch_shell(const ShellArguments<double>& arguments, cudaStream_t stream);
template <int R>
void launch_shell(const CodedShellArguments& arguments, cudaStream_t stream);

/// The nodes of a grid outside a box, as boxes that do not overlap: across z, then y between them, then x.
std::vector<NodeBox> boxes_around(const std::array<std::int64_t, 3>& n, const NodeBox& inner);

/// Both single steps of the shell of a volume. Arrays have the layouts of `fields` and are given at node (0, 0, 0).
template <typename T>
class ShellSteps {
public:
    /// \param no_odd the nodes whose odd level nobody needs: see kernels/plan/shell.hpp.
    ShellSteps(const Fields<T>& fields, const NodeBox& no_odd);
    /// odd = 2 even - odd + k L(even), from p[n] and p[n-1] to p[n+1].
    void to_odd(const T* even, T* odd, cudaStream_t stream) const;
    /// next = 2 odd - even + k L(odd), from p[n+1] and p[n] to p[n+2].
    void to_even(const T* odd, const T* even, T* next, cudaStream_t stream) const;

private:
    void step(ShellArguments<T> arguments, const T* p, const T* before, T* next, cudaStream_t stream) const;

    ShellArguments<T> odd_, even_;
    CodedK coded_k_;
};

/// What the single steps of a shell of so many nodes move, in bytes, but for what is loaded twice.
std::int64_t shell_bytes(const std::vector<NodeBox>& boxes, int element_bytes);

}  // namespace onda::cuda
