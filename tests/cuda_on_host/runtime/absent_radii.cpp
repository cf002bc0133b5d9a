// The CUDA backend on the host has the radii 1 and 4, and no bulk-tensor copies: every radius takes long to compile.
#include "kernels/cuda/cpml/cpml_launches.hpp"
#include "kernels/cuda/fused/fused_arguments.hpp"
#include "kernels/cuda/leap/shell_steps.hpp"
#include "kernels/cuda/stepper.hpp"

namespace onda::cuda {

#define ONDA_NO_BULK_TENSOR(R)                                \
    template <>                                               \
    void add_inplane_bulk_tensor<R>(Instances<float>&) {}     \
    template <>                                               \
    void add_inplane_bulk_tensor<R>(Instances<double>&) {}    \
    template <>                                               \
    void add_leap_bulk_tensor<R>(Instances<float>&) {}        \
    template <>                                               \
    void add_leap_bulk_tensor<R>(Instances<double>&) {}       \
    template <>                                               \
    void add_density_bulk_tensor<R>(Instances<float>&) {}     \
    template <>                                               \
    void add_density_bulk_tensor<R>(Instances<double>&) {}    \
    template <>                                               \
    void add_inplane_coded<R>(Instances<float>&) {}           \
    template <>                                               \
    void add_leap_coded<R>(Instances<float>&) {}              \
    template <>                                               \
    void add_attenuation_bulk_tensor<R>(Instances<float>&) {} \
    template <>                                               \
    void add_vti_bulk_tensor<R>(Instances<float>&) {}
#define ONDA_ABSENT_ROWS(R, T)                                           \
    template <>                                                          \
    void add_inplane_async<R>(Instances<T>&) {}                          \
    template <>                                                          \
    void add_direct<R>(Instances<T>&) {}                                 \
    template <>                                                          \
    void add_direct_density<R>(Instances<T>&) {}                         \
    template <>                                                          \
    void add_march25d<R>(Instances<T>&) {}                               \
    template <>                                                          \
    void add_tti<R>(Instances<T>&) {}                                    \
    template <>                                                          \
    void add_vti<R>(Instances<T>&) {}                                    \
    template <>                                                          \
    void add_attenuation<R>(Instances<T>&) {}                            \
    template <>                                                          \
    void add_density_async<R>(Instances<T>&) {}                          \
    template <>                                                          \
    void add_fused<R>(Instances<T>&) {}                                  \
    template <>                                                          \
    void add_leap_direct<R>(Instances<T>&) {}                            \
    template <>                                                          \
    void launch_shell<R>(const ShellArguments<T>&, cudaStream_t) {}      \
    template <>                                                          \
    void launch_fused<R>(int, const FusedArguments<T>&, cudaStream_t) {} \
    template <>                                                          \
    void apply_cpml<R>(const CpmlLaunch<T>&, const CpmlArguments<T>&, cudaStream_t) {}
#define ONDA_ABSENT(R)                                                \
    template <>                                                       \
    void launch_shell<R>(const CodedShellArguments&, cudaStream_t) {} \
    ONDA_ABSENT_ROWS(R, float)                                        \
    ONDA_ABSENT_ROWS(R, double)

ONDA_NO_BULK_TENSOR(1)
ONDA_NO_BULK_TENSOR(2)
ONDA_NO_BULK_TENSOR(3)
ONDA_NO_BULK_TENSOR(4)
ONDA_NO_BULK_TENSOR(5)
ONDA_NO_BULK_TENSOR(6)
ONDA_NO_BULK_TENSOR(7)
ONDA_NO_BULK_TENSOR(8)
ONDA_ABSENT(2)
ONDA_ABSENT(3)
ONDA_ABSENT(5)
ONDA_ABSENT(6)
ONDA_ABSENT(7)
ONDA_ABSENT(8)

}  // namespace onda::cuda
