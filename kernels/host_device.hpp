/// \file
/// Marks the functions that host and device kernels share. Always inlined: a copy compiled for a newer instruction set
/// must never be the one the linker keeps for the rest of the program.
#pragma once

#if defined(__CUDACC__)
#define ONDA_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define ONDA_HOST_DEVICE inline __attribute__((always_inline))
#endif
