/// \file
/// Which instruction sets this machine has: for the dispatcher at run time, and for a build that compiles the best of
/// them alone (kernels/cpu/native_set.cpp). Part of neither's interface.
#pragma once

namespace onda::cpu {

#if defined(__x86_64__)
/// What -march=x86-64-v3 lets the compiler use, as far as kernels do.
inline bool has_x86_64_v3() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
/// What -march=x86-64-v4 lets the compiler use, as far as kernels do.
inline bool has_x86_64_v4() {
    return has_x86_64_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

}  // namespace onda::cpu
