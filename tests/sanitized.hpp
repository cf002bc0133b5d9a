/// \file
/// Whether the tests run under sanitizers, which take an order of magnitude more time and memory of their own.
#pragma once

namespace onda::test {

#if defined(ONDA_SANITIZED)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace onda::test

/// What kernels are compared in. Doubles are indexed as floats are, and that is what sanitizers look at.
#if defined(ONDA_SANITIZED)
#define ONDA_COMPARED_TYPES float
#else
#define ONDA_COMPARED_TYPES float, double
#endif
