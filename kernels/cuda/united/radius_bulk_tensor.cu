// The same as radius_kernels.cu for the kernels that load by bulk-tensor copies.
#include "kernels/cuda/inplane/inplane_bulk_tensor.cu"
#include "kernels/cuda/inplane/inplane_coded.cu"
#include "kernels/cuda/leap/leap_bulk_tensor.cu"
#include "kernels/cuda/leap/leap_coded.cu"
#include "kernels/cuda/march25d/density_bulk_tensor.cu"
