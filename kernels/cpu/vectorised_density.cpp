// Variable density: OpenMP over tiles, SIMD along x (kernels/cpu/vectors/density_tiles.hpp).
#include "kernels/cpu/vectors/density_tiles.hpp"
#include "kernels/cpu/vectors/updates.hpp"

namespace onda::cpu {
namespace {

template <typename T, int Dims, int R>
struct Vectorised {
    static void step(const StepArguments<T>& a) { step_by_tiles<Leapfrog<const T*, T>, T, Dims, R>(a); }
};

}  // namespace

template <>
void density_vectorised_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step_of_order<Vectorised>(a);
}
template <>
void density_vectorised_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step_of_order<Vectorised>(a);
}

}  // namespace onda::cpu
