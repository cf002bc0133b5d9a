// What takes the place of the kernels of a radius that is not compiled (ONDA_CUDA_RADII): it has no instance, so that
// nothing of it is ever launched.
#include "kernels/cuda/cpml/cpml_launches.hpp"
#include "kernels/cuda/fused/fused_arguments.hpp"
#include "kernels/cuda/leap/shell_steps.hpp"
#include "kernels/cuda/stepper.hpp"

namespace onda::cuda {

template <>
void add_inplane_async<ONDA_RADIUS>(Instances<float>&) {}
template <>
void add_inplane_async<ONDA_RADIUS>(Instances<double>&) {}
template <>
void add_direct<ONDA_RADIUS>(Instances<float>&) {}
template <>
void add_direct<ONDA_RADIUS>(Instances<double>&) {}
template <>
void add_direct_density<ONDA_RADIUS>(Instances<float>&) {}
template <>
void add_direct_density<ONDA_RADIUS>(Instances<double>&) {}
template <>
void add_march25d<ONDA_RADIUS>(Instances<float>&) {}
template <>
void add_march25d<ONDA_RADIUS>(Instances<double>&) {}
template <>
void add_tti<ONDA_RADIUS>(Instances<float>&) {}
template <>
void add_tti<ONDA_RADIUS>(Instances<double>&) {}
template <>
void add_vti<ONDA_RADIUS>(Instances<float>&) {}
template <>
void add_vti<ONDA_RADIUS>(Instances<double>&) {}
template <>
void add_attenuation<ONDA_RADIUS>(Instances<float>&) {}
template <>
void add_attenuation<ONDA_RADIUS>(Instances<double>&) {}
template <>
void add_density_async<ONDA_RADIUS>(Instances<float>&) {}
template <>
void add_density_async<ONDA_RADIUS>(Instances<double>&) {}
template <>
void add_fused<ONDA_RADIUS>(Instances<float>&) {}
template <>
void add_fused<ONDA_RADIUS>(Instances<double>&) {}
template <>
void add_leap_direct<ONDA_RADIUS>(Instances<float>&) {}
template <>
void add_leap_direct<ONDA_RADIUS>(Instances<double>&) {}
template <>
void launch_shell<ONDA_RADIUS>(const ShellArguments<float>&, cudaStream_t) {}
template <>
void launch_shell<ONDA_RADIUS>(const ShellArguments<double>&, cudaStream_t) {}
template <>
void launch_fused<ONDA_RADIUS>(int, const FusedArguments<float>&, cudaStream_t) {}
template <>
void launch_fused<ONDA_RADIUS>(int, const FusedArguments<double>&, cudaStream_t) {}
template <>
void apply_cpml<ONDA_RADIUS>(const CpmlLaunch<float>&, const CpmlArguments<float>&, cudaStream_t) {}
template <>
void apply_cpml<ONDA_RADIUS>(const CpmlLaunch<double>&, const CpmlArguments<double>&, cudaStream_t) {}
template <>
void launch_shell<ONDA_RADIUS>(const CodedShellArguments&, cudaStream_t) {}
template <>
void add_inplane_bulk_tensor<ONDA_RADIUS>(Instances<float>&) {}
template <>
void add_inplane_bulk_tensor<ONDA_RADIUS>(Instances<double>&) {}
template <>
void add_leap_bulk_tensor<ONDA_RADIUS>(Instances<float>&) {}
template <>
void add_leap_bulk_tensor<ONDA_RADIUS>(Instances<double>&) {}
template <>
void add_density_bulk_tensor<ONDA_RADIUS>(Instances<float>&) {}
template <>
void add_density_bulk_tensor<ONDA_RADIUS>(Instances<double>&) {}
template <>
void add_inplane_coded<ONDA_RADIUS>(Instances<float>&) {}
template <>
void add_leap_coded<ONDA_RADIUS>(Instances<float>&) {}
template <>
void add_attenuation_bulk_tensor<ONDA_RADIUS>(Instances<float>&) {}
template <>
void add_vti_bulk_tensor<ONDA_RADIUS>(Instances<float>&) {}

}  // namespace onda::cuda
