// What scattering does to nodes. Sums and products are rounded one by one, as on the CPU.
#include "kernels/cuda/imaging/node_rows.hpp"
#include "kernels/cuda/imaging/scattering.hpp"

namespace onda::cuda {
namespace {

template <typename T>
__global__ void scatter_kernel(ShotLevels<T> background, NodeRange nodes, Perturbation<T> perturbation,
                               NodeArray<T> last, T* before) {
    const auto shot = static_cast<std::int64_t>(blockIdx.y);
    for_nodes_of_row(nodes, [&](int x, int y, int z) {
        const std::int64_t element = background.element(x, y, z, shot);
        const T difference = background.now[element] - background.before[element];
        const T undamped = perturbation.inverse_gain.data == nullptr
                               ? difference
                               : perturbation.inverse_gain.row(y, z, 0)[x] * difference;
        T& of_last_step = last.row(y, z, shot)[x];
        const T applied = background.applied == nullptr ? T(0) : background.applied[element];
        before[element] = before[element] - perturbation.ratio.row(y, z, 0)[x] * (undamped - of_last_step - applied);
        of_last_step = difference;
    });
}

template <typename T>
__global__ void scatter_applied_kernel(ShotLevels<T> background, NodeRange nodes, NodeArray<T> ratio, T* odd) {
    const auto shot = static_cast<std::int64_t>(blockIdx.y);
    for_nodes_of_row(nodes, [&](int x, int y, int z) {
        const std::int64_t element = background.element(x, y, z, shot);
        odd[element] = odd[element] + ratio.row(y, z, 0)[x] * background.applied[element];
    });
}

}  // namespace

template <typename T>
void scatter_difference(const ShotLevels<T>& background, const NodeRange& nodes, const Perturbation<T>& perturbation,
                        const NodeArray<T>& last, T* before, cudaStream_t stream) {
    if (is_empty(nodes)) return;
    launch<T>(scatter_kernel<T>, rows_of_shots(nodes, background.shots), stream, background, nodes, perturbation, last,
              before);
}

template <typename T>
void scatter_applied(const ShotLevels<T>& background, const NodeRange& nodes, const Perturbation<T>& perturbation,
                     T* odd, cudaStream_t stream) {
    if (is_empty(nodes)) return;
    launch<T>(scatter_applied_kernel<T>, rows_of_shots(nodes, background.shots), stream, background, nodes,
              perturbation.ratio, odd);
}

template void scatter_applied<float>(const ShotLevels<float>&, const NodeRange&, const Perturbation<float>&, float*,
                                     cudaStream_t);
template void scatter_applied<double>(const ShotLevels<double>&, const NodeRange&, const Perturbation<double>&, double*,
                                      cudaStream_t);
template void scatter_difference<float>(const ShotLevels<float>&, const NodeRange&, const Perturbation<float>&,
                                        const NodeArray<float>&, float*, cudaStream_t);
template void scatter_difference<double>(const ShotLevels<double>&, const NodeRange&, const Perturbation<double>&,
                                         const NodeArray<double>&, double*, cudaStream_t);

}  // namespace onda::cuda
