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

/// The numbers 0 … N - 1, without headers of the library.
template <int... I>
struct Indices {};
template <int N, int... I>
struct IndicesBelow : IndicesBelow<N - 1, N - 1, I...> {};
template <int... I>
struct IndicesBelow<0, I...> {
    using Type = Indices<I...>;
};

template <int Begin, typename Body, int... I>
ONDA_HOST_DEVICE void unroll_over(const Body& body, Indices<I...>) {
    (body(Index<Begin + I>{}), ...);
}
/// body(Index<Begin>), …, body(Index<End - 1>): a loop that is unrolled before anything else is optimised, so that
/// small arrays indexed in it live in registers. All in one expression: functions that call each other would be
/// optimised, and copied, as often as there are turns.
template <int Begin, int End, typename Body>
ONDA_HOST_DEVICE void unroll(const Body& body) {
    if constexpr (Begin < End) unroll_over<Begin>(body, typename IndicesBelow<End - Begin>::Type{});
}

}  // namespace onda
