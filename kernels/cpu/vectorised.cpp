// The star: OpenMP over rows, SIMD along x, several planes at once (kernels/cpu/vectors/star_rows.hpp).
#include "kernels/cpu/vectors/star_rows.hpp"
#include "kernels/cpu/vectors/updates.hpp"

namespace onda::cpu {
namespace {

template <typename K, typename T, int Dims, int R>
struct Vectorised {
    static void step(const StepArguments<T>& a) { step_by_rows<Leapfrog<K, T>, T, Dims, R>(a); }
};

}  // namespace

template <>
void vectorised_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step_on_numbers<Vectorised>(a);
}
template <>
void vectorised_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step_on_numbers<Vectorised>(a);
}
template <>
void vectorised_coded_step<ONDA_ISA>(const StepArguments<float>& a) {
    step_on_codes<Vectorised>(a);
}

}  // namespace onda::cpu
