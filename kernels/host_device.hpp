/// \file
/// Marks the functions that host and device kernels share. Always inlined: a copy compiled for a newer instruction set
/// must never be the one the linker keeps for the rest of the program.
#pragma once

#if defined(__CUDACC__)
#define ONDA_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define ONDA_HOST_DEVICE inline __attribute__((always_inline))
#endif

namespace onda {

/// A loop index known to the compiler.
template <int I>
struct Index {
    static constexpr int value = I;
};

/// body(Index<Begin>), …, body(Index<End - 1>): a loop that is unrolled before anything else is optimised, so that
/// small arrays indexed in it live in registers.
template <int Begin, int End, typename Body>
ONDA_HOST_DEVICE void unroll(const Body& body) {
    if constexpr (Begin < End) {
        body(Index<Begin>{});
        unroll<Begin + 1, End>(body);
    }
}

}  // namespace onda
