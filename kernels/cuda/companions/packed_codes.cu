// The table of ways to multiply packed codes on a GPU, and their launches.
#include <algorithm>
#include <functional>
#include <stdexcept>

#include "kernels/companions/packed_variants.hpp"
#include "kernels/cuda/companions/packed_codes.hpp"
#include "kernels/cuda/companions/packed_kernels.hpp"
#include "kernels/cuda/companions/timed_product.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/launch_kernel.hpp"
#if defined(__CUDACC__)
#include "kernels/cuda/companions/packed_tensor.hpp"
#endif

namespace onda::cuda {
namespace {

/// A variant with its kernel, and how it is launched.
struct PackedRow {
    PackedVariant variant;
    int word_bits = 32;
    void (*kernel)(PackedArguments) = nullptr;
    dim3 block;
    std::int64_t rows_of_block = 1, columns_of_block = 1;  ///< of the product
    int shared_bytes = 0;
    bool rows_along_x = false;  ///< products of one column
};

/// How a bit becomes a number, by name.
template <typename Unpack>
struct UnpackName;
template <>
struct UnpackName<PackedByIf> {
    static constexpr const char *name = "if", *what = "adds or subtracts";
};
template <>
struct UnpackName<PackedByShift> {
    static constexpr const char *name = "shift", *what = "shifts, converts and multiplies";
};
template <>
struct UnpackName<PackedByXor> {
    static constexpr const char *name = "xor", *what = "changes the sign bit";
};
template <>
struct UnpackName<PackedByFma> {
    static constexpr const char *name = "fma", *what = "multiplies by 1 or -1 and adds at once";
};

template <typename Unpack>
PackedVariant variant_of(const std::string& kernel, const std::string& what, const std::string& further = {}) {
    PackedVariant variant;
    variant.name = kernel + "-" + UnpackName<Unpack>::name + further;
    variant.what = what + ": " + UnpackName<Unpack>::what;
    variant.bits_of = "xor";
    return variant;
}

template <int Bits, bool Unrolled>
std::string word_name() {
    return "-" + std::to_string(Bits) + (Unrolled ? "-unrolled" : "");
}

constexpr int kUnrolledSegmentBytes = 4 * kSegment;

template <typename Unpack, int Bits, bool Unrolled>
void add_rows_of_words(std::vector<PackedRow>& rows) {
    const std::string name = word_name<Bits, Unrolled>();
    rows.push_back({variant_of<Unpack>("simple", "a thread an element", name), Bits,
                    packed_simple<Unpack, Bits, Unrolled>, dim3(kSimpleWidth, kSimpleRows), kSimpleRows, kSimpleWidth});
    rows.push_back({variant_of<Unpack>("shared", "tiles of 32 x 32 in shared memory, a spare column", name), Bits,
                    packed_shared<Unpack, Bits, Unrolled>, dim3(kSharedTile, kSharedTile), kSharedTile, kSharedTile,
                    packed_shared_bytes<Bits>()});
    PackedRow vector{variant_of<Unpack>("vector", "a thread a row, the vector by segments", name),
                     Bits,
                     packed_vector<Unpack, Bits, Unrolled>,
                     dim3(kVectorThreads),
                     kVectorThreads,
                     1,
                     kUnrolledSegmentBytes,
                     true};
    vector.variant.of_vector = true;
    rows.push_back(vector);
}

template <typename Unpack, int Each, int Together>
void add_register_row(std::vector<PackedRow>& rows, const std::string& tile) {
    constexpr int side = kRegisterSide * Each;
    rows.push_back(
        {variant_of<Unpack>("registers-" + tile, tile + " elements a thread", Together > 1 ? "-unrolled" : ""), 32,
         packed_registers<Unpack, Each, Together>, dim3(kRegisterThreads), side, side, packed_register_bytes<Each>()});
}

template <typename Unpack>
void add_rows_of(std::vector<PackedRow>& rows) {
    add_rows_of_words<Unpack, 32, false>(rows);
    add_rows_of_words<Unpack, 32, true>(rows);
    add_rows_of_words<Unpack, 64, false>(rows);
    add_rows_of_words<Unpack, 64, true>(rows);
    add_register_row<Unpack, 4, 8>(rows, "4x4");
    add_register_row<Unpack, 8, 1>(rows, "8x8");
    add_register_row<Unpack, 8, 4>(rows, "8x8");
    PackedRow warps{variant_of<Unpack>("vector-warps", "a warp a row, the vector by segments"),
                    32,
                    packed_vector_warps<Unpack>,
                    dim3(kVectorThreads),
                    kVectorRows,
                    1,
                    4 * (kSpacedSegment + kVectorThreads),
                    true};
    warps.variant.of_vector = true;
    warps.variant.bits_of.clear();
    rows.push_back(warps);
}

template <int Bits>
void add_look_up_row(std::vector<PackedRow>& rows) {
    PackedVariant variant;
    const std::string bits = std::to_string(Bits);
    variant.name = "look-up-" + bits;
    variant.what = "sums of " + bits + " columns looked up in shared memory";
    variant.additions = 1. / Bits;
    variant.per_column = 1. / Bits;
    variant.further = Bits + 1.;
    variant.bits_of = variant.name;
    rows.push_back(
        {variant, 32, packed_look_up<Bits>, dim3(kLookUpThreads), kLookUpRows, kWarp, LookUpTables<Bits>::kBytes});
}

#if defined(__CUDACC__)
void add_tensor_row(std::vector<PackedRow>& rows) {
    PackedVariant variant;
    variant.name = "tensor-bf16x3";
    variant.what = "tensor cores, values as three bf16 numbers each";
    variant.additions = kTensorParts;
    variant.on_tensor_cores = true;
    variant.per_column = kTensorPerColumn;
    variant.further = kTensorFurther;
    variant.oldest_architecture = 80;
    rows.push_back({variant, 32, packed_tensor, dim3(kTensorThreads), kTensorTile, kTensorTile, kTensorBytes});
}
#endif

std::vector<PackedRow> make_packed_rows() {
    std::vector<PackedRow> rows;
    add_rows_of<PackedByIf>(rows);
    add_rows_of<PackedByShift>(rows);
    add_rows_of<PackedByXor>(rows);
    add_rows_of<PackedByFma>(rows);
    add_look_up_row<4>(rows);
    add_look_up_row<8>(rows);
#if defined(__CUDACC__)
    add_tensor_row(rows);
#endif
    return rows;
}

const std::vector<PackedRow>& packed_rows() {
    static const std::vector<PackedRow> rows = make_packed_rows();
    return rows;
}

const PackedRow& packed_row(const std::string& name) {
    for (const PackedRow& row : packed_rows())
        if (row.variant.name == name) return row;
    throw std::invalid_argument("no variant of packed codes is called '" + name + "'");
}

LaunchShape shape_of(const PackedRow& row, const PackedArguments& a) {
    const auto blocks = [](std::int64_t all, std::int64_t of_block) {
        return static_cast<unsigned>((all + of_block - 1) / of_block);
    };
    const unsigned along_rows = blocks(a.rows, row.rows_of_block);
    const dim3 grid = row.rows_along_x ? dim3(along_rows) : dim3(blocks(a.width, row.columns_of_block), along_rows);
    return {grid, row.block, static_cast<std::size_t>(row.shared_bytes)};
}

int architecture_of(int ordinal) {
    int major = 0, minor = 0;
    ONDA_CUDA_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, ordinal));
    ONDA_CUDA_TRY(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, ordinal));
    return 10 * major + minor;
}

template <typename Word>
PackedTimes timed_packed(const PackedRow& row, PackedArguments a, std::span<const Word> words,
                         std::span<const float> values, std::span<float> product, int rounds) {
    return timed_product(words, values, product, rounds,
                         [&](const Word* codes_there, const float* values_there, float* there, cudaStream_t stream) {
                             a.codes = codes_there;
                             a.values = values_there;
                             a.product = there;
                             launch<float>(row.kernel, shape_of(row, a), stream, a);
                         });
}

}  // namespace

const std::vector<PackedVariant>& packed_variants() {
    static const std::vector<PackedVariant> variants = [] {
        std::vector<PackedVariant> all;
        for (const PackedRow& row : packed_rows()) all.push_back(row.variant);
        return all;
    }();
    return variants;
}

std::string packed_problem(const PackedVariant& variant, std::int64_t width, int ordinal) {
    if (variant.of_vector && width != 1) return "computes products of one column alone";
    if (architecture_of(ordinal) < variant.oldest_architecture)
        return "needs a GPU of sm_" + std::to_string(variant.oldest_architecture) + " or newer";
    return {};
}

Resources packed_resources(const std::string& variant, int ordinal) {
    const DeviceScope scope(ordinal);
    const PackedRow& row = packed_row(variant);
    return resources_of(reinterpret_cast<const void*>(row.kernel),
                        static_cast<int>(row.block.x * row.block.y * row.block.z), row.shared_bytes);
}

PackedTimes multiply_packed(const std::string& variant, const PackedCodes& codes, std::span<const float> values,
                            std::int64_t width, std::span<float> product, int rounds, int ordinal) {
    const PackedRow& row = packed_row(variant);
    check_multiply_sizes(codes, values.size(), width, product.size());
    if (codes.rows() > kMostPackedRows || codes.columns() > std::int64_t{1} << 30)
        throw std::invalid_argument("codes of " + std::to_string(codes.rows()) + " x " +
                                    std::to_string(codes.columns()) + ": a GPU takes up to " +
                                    std::to_string(kMostPackedRows) + " rows and 2^30 columns");
    if (const std::string problem = packed_problem(row.variant, width, ordinal); !problem.empty())
        throw std::invalid_argument("variant '" + variant + "' " + problem);
    std::ranges::fill(product, 0.F);
    if (product.empty() || codes.columns() == 0) return {};
    const DeviceScope scope(ordinal);
    PackedArguments a;
    a.words_of_row = codes.words_of_row() * (PackedCodes::kWordBits / row.word_bits);
    a.rows = static_cast<int>(codes.rows());
    a.columns = static_cast<int>(codes.columns());
    a.width = width;
    if (row.word_bits == 64) return timed_packed(row, a, codes.words(), values, product, rounds);
    const std::vector<std::uint32_t> halves = codes.half_words();
    return timed_packed(row, a, std::span<const std::uint32_t>(halves), values, product, rounds);
}

}  // namespace onda::cuda
