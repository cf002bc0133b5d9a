// Launches the strips of perfectly matched layers, for one radius (ONDA_RADIUS).
#include "kernels/cuda/cpml/cpml.hpp"
#include "kernels/cuda/launch_kernel.hpp"

namespace onda::cuda {
namespace {

template <typename T, typename F, typename Arguments>
void launch_with(const CpmlLaunch<T>& l, const Arguments& arguments, cudaStream_t stream) {
    LaunchShape shape{{l.grid[0], l.grid[1], l.grid[2]}, {l.block[0], l.block[1], l.block[2]}};
    if (l.axis != 0) return launch<T>(cpml_columns_kernel<T, F, Arguments>, shape, stream, arguments);
    shape.shared_bytes = static_cast<std::size_t>(l.shared_bytes);
    launch<T>(cpml_rows_kernel<T, F, Arguments>, shape, stream, arguments);
}

template <typename T, typename F>
void launch_strips(const CpmlLaunch<T>& l, const CpmlArguments<T>& arguments, cudaStream_t stream) {
    if constexpr (sizeof(T) == sizeof(float) && !F::has_density && F::smoothed_dimensions == 0)
        if (l.coded_k.storage != Storage::full)
            return launch_with<T, F>(l, WithCodes<CpmlArguments<T>, CodedK>{arguments, l.coded_k}, stream);
    launch_with<T, F>(l, arguments, stream);
}

template <typename T, int R>
void launch_kind(const CpmlLaunch<T>& l, const CpmlArguments<T>& arguments, cudaStream_t stream) {
    if (l.kind == FactorKind::star) return launch_strips<T, StarFactor<R>>(l, arguments, stream);
    if (l.kind == FactorKind::density) return launch_strips<T, DensityFactor<R>>(l, arguments, stream);
    if (l.kind == FactorKind::vti) return launch_with<T, VtiFactor<R>>(l, arguments, stream);
    if constexpr (R == 1) {
        if (l.kind == FactorKind::compact_2d) return launch_strips<T, CompactFactor<2>>(l, arguments, stream);
        return launch_strips<T, CompactFactor<3>>(l, arguments, stream);
    }
}

}  // namespace

template <>
void apply_cpml<ONDA_RADIUS>(const CpmlLaunch<float>& l, const CpmlArguments<float>& arguments, cudaStream_t stream) {
    launch_kind<float, ONDA_RADIUS>(l, arguments, stream);
}
template <>
void apply_cpml<ONDA_RADIUS>(const CpmlLaunch<double>& l, const CpmlArguments<double>& arguments, cudaStream_t stream) {
    launch_kind<double, ONDA_RADIUS>(l, arguments, stream);
}

}  // namespace onda::cuda
