// The CUDA backend on the host has no bulk-tensor copies of the radii that it has: they take long to compile.
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

ONDA_NO_BULK_TENSOR(1)
ONDA_NO_BULK_TENSOR(4)

}  // namespace onda::cuda
