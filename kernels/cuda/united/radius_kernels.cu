// The kernels of one radius (ONDA_RADIUS) as one source: nvcc reads the headers three times for each, which is half of
// what it does. Without ONDA_UNITED each is compiled by itself.
#include "kernels/cuda/attenuation/attenuation.cu"
#include "kernels/cuda/cpml/cpml.cu"
#include "kernels/cuda/direct/direct.cu"
#include "kernels/cuda/fused/fused.cu"
#include "kernels/cuda/inplane/inplane_async.cu"
#include "kernels/cuda/leap/leap_direct.cu"
#include "kernels/cuda/leap/shell.cu"
#include "kernels/cuda/march25d/density_async.cu"
#include "kernels/cuda/march25d/march25d.cu"
#include "kernels/cuda/tti/tti.cu"
#include "kernels/cuda/vti/vti.cu"
