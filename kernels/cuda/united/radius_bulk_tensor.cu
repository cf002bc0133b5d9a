// The kernels of one radius that load by bulk-tensor copies, as one source: radius_kernels.cu says why.
#include "kernels/cuda/attenuation/attenuation_bulk_tensor.cu"
#include "kernels/cuda/inplane/inplane_bulk_tensor.cu"
#include "kernels/cuda/inplane/inplane_coded.cu"
#include "kernels/cuda/leap/leap_bulk_tensor.cu"
#include "kernels/cuda/leap/leap_coded.cu"
#include "kernels/cuda/march25d/density_bulk_tensor.cu"
#include "kernels/cuda/vti/vti_bulk_tensor.cu"
