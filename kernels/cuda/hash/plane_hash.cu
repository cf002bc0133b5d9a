// XXH3 with 64 bits and without a seed, for inputs of more than 240 bytes (Collet, xxHash, doc/xxhash_spec.md).
//
// Eight accumulators take a lane of 8 bytes each from stripes of 64 bytes. Within a block of 16 stripes they are sums,
// which any thread may form in any order; from block to block they are scrambled. A block of threads hashes a plane:
// most of its threads sum a lane of a block each, and a warp of its own carries the accumulators from block to block
// meanwhile, through the sums of the round before.
#include <algorithm>
#include <bit>

#include "kernels/cuda/hash/plane_hash.hpp"
#include "kernels/cuda/launch_kernel.hpp"

namespace onda::cuda {
namespace {

constexpr int kLanes = 8, kLaneBytes = 8, kStripeBytes = kLanes * kLaneBytes;
constexpr int kStripes = 16, kBlockBytes = kStripes * kStripeBytes;
constexpr int kBlocks = 32;  // of a round
constexpr int kSummers = kBlocks * kLanes, kCarriers = 32, kThreads = kSummers + kCarriers;

constexpr std::uint64_t kPrime32_1 = 0x9E3779B1, kPrime64_1 = 0x9E3779B185EBCA87;
constexpr std::uint64_t kPrimeOfAvalanche = 0x165667919E3779F9;

/// The numbers of the specification, as a parameter of the kernel: each thread indexes them by its lane.
struct HashConstants {
    std::uint64_t start[kLanes] = {0xC2B2AE3D,         kPrime64_1, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                                   0x85EBCA77C2B2AE63, 0x85EBCA77, 0x27D4EB2F165667C5, kPrime32_1};
    /// The default secret of 192 bytes, as little-endian words.
    std::uint64_t secret[24] = {0xbe4ba423396cfeb8, 0x1cad21f72c81017c, 0xdb979083e96dd4de, 0x1f67b3b7a4a44072,
                                0x78e5c0cc4ee679cb, 0x2172ffcc7dd05a82, 0x8e2443f7744608b8, 0x4c263a81e69035e0,
                                0xcb00c391bb52283c, 0xa32e531b8b65d088, 0x4ef90da297486471, 0xd8acdea946ef1938,
                                0x3f349ce33f76faa8, 0x1d4f0bc7c7bbdcf9, 0x3159b4cd4be0518a, 0x647378d9c97e9fc8,
                                0xc3ebd33483acc5ea, 0xeb6313faffa081c5, 0x49daf0b751dd0d17, 0x9e68d429265516d3,
                                0xfca1477d58be162b, 0xce31d07ad1b8f88f, 0x280416958f3acb45, 0x7e404bbbcafbd7af};
};
/// Bytes of the secret at which that of the scrambling, of the last stripe and of the merging begins.
constexpr int kSecretOfScrambling = 128, kSecretOfLastStripe = 121, kSecretOfMerging = 11;

/// 8 bytes of the secret.
__device__ __forceinline__ std::uint64_t secret_at(const HashConstants& c, int byte) {
    const int word = byte / 8, bits = byte % 8 * 8;
    return bits == 0 ? c.secret[word] : c.secret[word] >> bits | c.secret[word + 1] << (64 - bits);
}

/// What stripes add to the accumulator of a lane: the products of the lane's words, and the words of its neighbour.
struct Sums {
    std::uint64_t products = 0, words = 0;

    __device__ __forceinline__ void add(std::uint64_t word, std::uint64_t secret) {
        const std::uint64_t key = word ^ secret;
        products += (key & 0xFFFFFFFF) * (key >> 32);
        words += word;
    }
};

struct SharedSums {
    Sums sums[2][kSummers];  ///< of this round and of that before, [block][lane]
    std::uint64_t accumulators[kLanes];
};

/// 8 bytes of a plane, as values that may still be on their way from memory.
template <typename T>
struct Word {
    static constexpr int kValues = kLaneBytes / sizeof(T);
    T value[kValues];

    [[nodiscard]] __device__ __forceinline__ std::uint64_t bits() const {
        if constexpr (kValues == 1)
            return std::bit_cast<std::uint64_t>(value[0]);
        else
            return std::bit_cast<std::uint32_t>(value[0]) | std::uint64_t{std::bit_cast<std::uint32_t>(value[1])} << 32;
    }
};

/// A place among the values [y][x] of a plane whose rows lie apart.
template <typename T>
class Cursor {
public:
    __device__ __forceinline__ Cursor(const T* plane, const WindowRows& window, std::int64_t value)
        : x_(value % window.count_x),
          count_(window.count_x),
          step_(window.step_x),
          to_next_row_(window.step_y - window.count_x * window.step_x),
          at_(plane + value / window.count_x * window.step_y + x_ * window.step_x) {}

    __device__ __forceinline__ void move(int values) {
        x_ += values;
        at_ += values * step_;
        for (; x_ >= count_; x_ -= count_) at_ += to_next_row_;
    }
    /// The word that begins at this position: in float two values, of which the second may begin the next row.
    [[nodiscard]] __device__ __forceinline__ Word<T> word() const {
        if constexpr (Word<T>::kValues == 1)
            return {{at_[0]}};
        else
            return {{at_[0], at_[x_ + 1 < count_ ? step_ : step_ + to_next_row_]}};
    }

private:
    std::int64_t x_, count_, step_, to_next_row_;
    const T* at_;
};

/// A plane that is hashed: all blocks of 1024 bytes but the last one are whole, which has 1 to 1024.
struct PlaneSize {
    std::int64_t bytes, whole_blocks;
    int rest_stripes;  ///< of the last block, without the last 64 bytes of the plane, which are one more

    __device__ __forceinline__ explicit PlaneSize(std::int64_t plane_bytes)
        : bytes(plane_bytes),
          whole_blocks((plane_bytes - 1) / kBlockBytes),
          rest_stripes(static_cast<int>((plane_bytes - 1) % kBlockBytes / kStripeBytes)) {}
};

/// One lane of a whole block. All words are asked for before the first is used, so that 16 of each thread are under way
/// at once. \param cursor on the first of them.
template <typename T>
__device__ __forceinline__ Sums sum_whole_block(Cursor<T> cursor, int lane, const HashConstants& c) {
    Word<T> word[kStripes];
    ONDA_UNROLL
    for (int s = 0; s < kStripes; ++s) {
        word[s] = cursor.word();
        cursor.move(kLanes * Word<T>::kValues);
    }
    Sums sums;
    ONDA_UNROLL
    for (int s = 0; s < kStripes; ++s) sums.add(word[s].bits(), c.secret[s + lane]);
    return sums;
}

/// One lane of the last block. \param cursor on its first word. \param last on its word of the plane's last 64 bytes.
template <typename T>
__device__ __forceinline__ Sums sum_rest(Cursor<T> cursor, const Cursor<T>& last, int stripes, int lane,
                                         const HashConstants& c) {
    Sums sums;
    sums.add(last.word().bits(), secret_at(c, kSecretOfLastStripe + kLaneBytes * lane));
    for (int s = 0; s < stripes; ++s, cursor.move(kLanes * Word<T>::kValues))
        sums.add(cursor.word().bits(), c.secret[s + lane]);
    return sums;
}

/// One lane of a block of the plane.
template <typename T>
__device__ __forceinline__ Sums sum_lane(const T* plane, const WindowRows& window, const PlaneSize& size,
                                         std::int64_t block, int lane, const HashConstants& c) {
    const Cursor<T> first(plane, window, (block * kStripes * kLanes + lane) * Word<T>::kValues);
    if (block < size.whole_blocks) return sum_whole_block(first, lane, c);
    const std::int64_t of_last = size.bytes / static_cast<std::int64_t>(sizeof(T)) - (kLanes - lane) * Word<T>::kValues;
    return sum_rest(first, Cursor<T>(plane, window, of_last), size.rest_stripes, lane, c);
}

/// Takes the accumulator of a lane through the blocks of a round. \param sums of the first of them.
__device__ __forceinline__ std::uint64_t carry(std::uint64_t accumulator, const Sums* sums, std::int64_t first_block,
                                               const PlaneSize& size, std::uint64_t secret) {
    const auto whole = static_cast<int>(std::min<std::int64_t>(kBlocks, size.whole_blocks - first_block));
    ONDA_UNROLL_BY(8)
    for (int b = 0; b < whole; ++b) {
        accumulator += sums[b * kLanes].products + sums[b * kLanes].words;
        accumulator = (accumulator ^ accumulator >> 47 ^ secret) * kPrime32_1;
    }
    if (whole < kBlocks) accumulator += sums[whole * kLanes].products + sums[whole * kLanes].words;
    return accumulator;
}

/// The hash of the plane.
__device__ __forceinline__ std::uint64_t merge(const std::uint64_t* accumulators, const PlaneSize& size,
                                               const HashConstants& c) {
    std::uint64_t hash = static_cast<std::uint64_t>(size.bytes) * kPrime64_1;
    for (int lane = 0; lane < kLanes; lane += 2) {
        const std::uint64_t a = accumulators[lane] ^ secret_at(c, kSecretOfMerging + kLaneBytes * lane);
        const std::uint64_t b = accumulators[lane + 1] ^ secret_at(c, kSecretOfMerging + kLaneBytes * (lane + 1));
        const auto product = static_cast<unsigned __int128>(a) * b;
        hash += static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }
    hash = (hash ^ hash >> 37) * kPrimeOfAvalanche;
    return hash ^ hash >> 32;
}

/// A block of threads a plane. Shared memory: SharedSums. The sums of a round are read while those of the next one are
/// written to the other half: one barrier a round keeps them apart.
template <typename T>
__global__ void __launch_bounds__(kThreads)
    hash_planes_kernel(const T* field, const __grid_constant__ WindowRows window,
                       const __grid_constant__ HashConstants constants, std::uint64_t* hashes) {
    SharedSums& shared = *reinterpret_cast<SharedSums*>(shared_memory());
    const T* const plane = field + window.element + blockIdx.x * window.step_z;
    const PlaneSize size(window.count_x * window.count_y * static_cast<std::int64_t>(sizeof(T)));
    const int thread = static_cast<int>(threadIdx.x), lane = thread % kLanes;
    const bool carries = thread >= kSummers && thread < kSummers + kLanes;
    const std::uint64_t secret = secret_at(constants, kSecretOfScrambling + kLaneBytes * lane);
    std::uint64_t accumulator = constants.start[lane];
    int turn = 0;
    for (std::int64_t first = 0; first <= size.whole_blocks; first += kBlocks, turn = 1 - turn) {
        Sums* const sums = shared.sums[turn];
        const std::int64_t block = first + thread / kLanes;
        if (thread < kSummers && block <= size.whole_blocks) {
            const Sums mine = sum_lane(plane, window, size, block, lane, constants);
            sums[thread].products = mine.products;
            sums[thread ^ 1].words = mine.words;
        }
        __syncthreads();
        if (carries) accumulator = carry(accumulator, sums + lane, first, size, secret);
    }
    if (carries) shared.accumulators[lane] = accumulator;
    __syncthreads();
    if (thread == kSummers) hashes[blockIdx.x] = merge(shared.accumulators, size, constants);
}

}  // namespace

template <typename T>
void hash_planes(const T* field, const WindowRows& window, std::uint64_t* hashes, cudaStream_t stream) {
    const auto planes = static_cast<unsigned>(window.rows / window.count_y);
    launch<T>(hash_planes_kernel<T>, {planes, kThreads, sizeof(SharedSums)}, stream, field, window, HashConstants{},
              hashes);
}
template void hash_planes<float>(const float*, const WindowRows&, std::uint64_t*, cudaStream_t);
template void hash_planes<double>(const double*, const WindowRows&, std::uint64_t*, cudaStream_t);

}  // namespace onda::cuda
