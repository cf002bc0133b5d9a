// Launches the passes over shells, for one radius (ONDA_RADIUS).
#include "kernels/cuda/launch_kernel.hpp"
#include "kernels/cuda/leap/shell.hpp"
#include "kernels/cuda/leap/shell_steps.hpp"

namespace onda::cuda {
namespace {

template <typename T, ShellPass Pass, typename Arguments>
void launch_pass(const Arguments& a, cudaStream_t stream) {
    launch<T>(a.stencil.dimensions == 2 ? shell_step<T, 2, ONDA_RADIUS, Pass, Arguments>
                                        : shell_step<T, 3, ONDA_RADIUS, Pass, Arguments>,
              {a.boxes.first[a.boxes.count], kShellThreads}, stream, a);
}

template <typename T, typename Arguments>
void launch_bricks(const Arguments& a, cudaStream_t stream) {
    switch (a.pass) {
        case ShellPass::step: return launch_pass<T, ShellPass::step>(a, stream);
        case ShellPass::inner: return launch_pass<T, ShellPass::inner>(a, stream);
        case ShellPass::outer: return launch_pass<T, ShellPass::outer>(a, stream);
    }
}

}  // namespace

template <>
void launch_shell<ONDA_RADIUS>(const ShellArguments<float>& a, cudaStream_t stream) {
    launch_bricks<float>(a, stream);
}
template <>
void launch_shell<ONDA_RADIUS>(const CodedShellArguments& a, cudaStream_t stream) {
    launch_bricks<float>(a, stream);
}
template <>
void launch_shell<ONDA_RADIUS>(const ShellArguments<double>& a, cudaStream_t stream) {
    launch_bricks<double>(a, stream);
}

}  // namespace onda::cuda
