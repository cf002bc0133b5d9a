/// \file
/// The rule for denormals, the same on every device, so that all give the same bits: float arithmetic takes and gives
/// zero for them, double arithmetic keeps them.
///
/// It is the rule of GPUs: nvcc's -ftz=true flushes floats, and nothing flushes doubles. In float, a pulse in silence
/// fills the field with denormals, which cost a CPU a hundred times more. Doubles reach 1e-308 only in a thin shell
/// ahead of the front, which soon leaves the grid.
#pragma once

#include <cstdint>

namespace onda::cpu {

/// Applies the rule for arithmetic in T to this thread while it lives: flushes denormal results and inputs to zero.
template <typename T>
class FlushDenormals;

template <>
class FlushDenormals<float> {
public:
    __attribute__((always_inline)) FlushDenormals() : saved_(get()) { set(saved_ | kFlush); }
    __attribute__((always_inline)) ~FlushDenormals() { set(saved_); }
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;

private:
#if defined(__x86_64__)
    using Register = unsigned;
    static constexpr Register kFlush = 0x8040;  // MXCSR: FTZ, DAZ
    static __attribute__((always_inline)) Register get() {
        return __builtin_ia32_stmxcsr();
    }
    static __attribute__((always_inline)) void set(Register value) {
        __builtin_ia32_ldmxcsr(value);
    }
#elif defined(__aarch64__)
    using Register = std::uint64_t;
    static constexpr Register kFlush = Register{1} << 24;  // FPCR: FZ
    static __attribute__((always_inline)) Register get() {
        Register value;
        __asm__ volatile("mrs %0, fpcr" : "=r"(value));
        return value;
    }
    static __attribute__((always_inline)) void set(Register value) {
        __asm__ volatile("msr fpcr, %0" ::"r"(value));
    }
#else
#error "Onda needs flush-to-zero for this processor: add it here"
#endif
    Register saved_;
};

template <>
class FlushDenormals<double> {
public:
    __attribute__((always_inline)) FlushDenormals() {}
};

}  // namespace onda::cpu
