// The in-plane kernel with bulk-tensor copies (TMA), for one radius (ONDA_RADIUS): all strategies, all tiles. Compiled
// for sm_90 and newer only.
#include <cudaTypedefs.h>

#include "kernels/cuda/inplane/bulk_tensor_copies.hpp"
#include "kernels/cuda/inplane/inplane_launch.hpp"

namespace onda::cuda {
namespace {

static_assert(sizeof(TensorMap) == sizeof(CUtensorMap) && alignof(TensorMap) >= 64);

/// cuTensorMapEncodeTiled, asked of the driver, so that programs start where there is none.
PFN_cuTensorMapEncodeTiled_v12000 encoder() {
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

/// The map of a padded field for boxes of one rectangle. Coordinates begin in the halo, at (-x_halo, -y_halo, -R).
template <typename Tile>
TensorMap encode_map(const Fields<typename Tile::T>& fields, int now, int box_width, int box_height) {
    using T = typename Tile::T;
    constexpr int unit = Tile::map_unit, R = Tile::radius;
    const Layout& l = fields.field;
    const auto n = [&l](int axis) { return static_cast<cuuint64_t>(l.n[axis] + 2 * l.halo[axis]); };
    T* const base = fields.p[now] - l.halo[0] - l.halo[1] * l.pitch - l.halo[2] * l.plane;
    const cuuint64_t extents[3] = {(n(0) + unit - 1) / unit, n(1), n(2)};
    const cuuint64_t strides[2] = {static_cast<cuuint64_t>(l.pitch) * sizeof(T),
                                   static_cast<cuuint64_t>(l.plane) * sizeof(T)};
    const cuuint32_t box[3] = {static_cast<cuuint32_t>(box_width / unit), static_cast<cuuint32_t>(box_height), 1};
    const cuuint32_t steps[3] = {1, 1, 1};
    static const PFN_cuTensorMapEncodeTiled_v12000 encode = encoder();
    TensorMap map{};
    const CUresult status =
        encode(reinterpret_cast<CUtensorMap*>(&map),
               sizeof(T) * unit == 8 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT64 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, base,
               extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
               CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (status != CUDA_SUCCESS || l.halo[0] != Tile::x_halo || l.halo[2] != R)
        throw Error("CUDA: cuTensorMapEncodeTiled failed with CUresult " + std::to_string(status) + " for a box of " +
                    std::to_string(box_width) + " x " + std::to_string(box_height) +
                    "\n  please report it with the output of `onda info`; backend.copy: async does without");
    return map;
}

}  // namespace

template <typename Tile>
struct EncodeMaps<Tile, BulkTensorCopies> {
    static void encode(InPlaneArguments<typename Tile::T>& a, const Fields<typename Tile::T>& fields, int now) {
        for (int i = 0; i < Tile::layout.count; ++i)
            a.maps[i] =
                encode_map<Tile>(fields, now, Tile::layout.rectangle[i].width, Tile::layout.rectangle[i].height);
    }
};

namespace {

template <typename T>
void add_all(Instances<T>& list) {
    for_each_strategy([&list]<int Strategy>() {
        for_bulk_tensor_tiles<T, ONDA_RADIUS, Strategy>([&list]<typename Tile>() {
            list.push_back(inplane_row<Tile, BulkTensorCopies>(Strategy, "tma", 90));
        });
    });
    if constexpr (ONDA_RADIUS == 1) add_compact_inplane<T, BulkTensorCopies>(list, "tma", 90);
}

}  // namespace

template <>
void add_inplane_bulk_tensor<ONDA_RADIUS>(Instances<float>& list) {
    add_all(list);
}
template <>
void add_inplane_bulk_tensor<ONDA_RADIUS>(Instances<double>& list) {
    add_all(list);
}

}  // namespace onda::cuda
