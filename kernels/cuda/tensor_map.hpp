/// \file
/// The maps by which the bulk-tensor engine copies boxes. Only launchers of kernels that use it include this.
#pragma once

#include <array>
#include <cstdint>
#include <cudaTypedefs.h>
#include <string>

#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/runtime.hpp"
#include "kernels/grid/grid.hpp"

namespace onda::cuda {

static_assert(sizeof(TensorMap) == sizeof(CUtensorMap) && alignof(TensorMap) >= 64);

/// cuTensorMapEncodeTiled, asked of the driver, so that programs start where there is none.
inline PFN_cuTensorMapEncodeTiled_v12000 tensor_map_encoder() {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
    ONDA_CUDA_TRY(
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
#else
    ONDA_CUDA_TRY(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found));
#endif
    if (found != cudaDriverEntryPointSuccess) throw Error("CUDA: this driver knows no tensor maps: update the driver");
    return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
}

/// Copies do not look at values: what counts is how long they are.
inline CUtensorMapDataType data_type_of(int bytes) {
    return bytes == 8   ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64
           : bytes == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
           : bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                        : CU_TENSOR_MAP_DATA_TYPE_UINT8;
}

/// The map of a padded array for boxes of one plane. Coordinates begin in the halo.
/// \param origin node (0, 0, 0). \param unit elements that the engine takes for one.
template <typename T>
TensorMap encode_tensor_map(const T* origin, const Layout& l, int box_width, int box_height, int unit = 1) {
    const auto n = [&l](int axis) { return static_cast<cuuint64_t>(l.n[axis] + 2 * l.halo[axis]); };
    const T* const base = origin - l.halo[0] - l.halo[1] * l.pitch - l.halo[2] * l.plane;
    const cuuint64_t extents[3] = {(n(0) + unit - 1) / unit, n(1), n(2)};
    const cuuint64_t strides[2] = {static_cast<cuuint64_t>(l.pitch) * sizeof(T),
                                   static_cast<cuuint64_t>(l.plane) * sizeof(T)};
    const cuuint32_t box[3] = {static_cast<cuuint32_t>(box_width / unit), static_cast<cuuint32_t>(box_height), 1};
    const cuuint32_t steps[3] = {1, 1, 1};
    static const PFN_cuTensorMapEncodeTiled_v12000 encode = tensor_map_encoder();
    TensorMap map{};
    const CUresult status =
        encode(reinterpret_cast<CUtensorMap*>(&map), data_type_of(static_cast<int>(sizeof(T)) * unit), 3,
               const_cast<T*>(base), extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
               CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (status != CUDA_SUCCESS)
        throw Error("CUDA: cuTensorMapEncodeTiled failed with CUresult " + std::to_string(status) + " for a box of " +
                    std::to_string(box_width) + " x " + std::to_string(box_height) +
                    "\n  please report it with the output of `onda info`; backend.copy: async and the kernel "
                    "leap-direct do without");
    return map;
}

}  // namespace onda::cuda
