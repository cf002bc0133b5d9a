// Attenuation as variable density is stepped (kernels/cpu/vectors/density_tiles.hpp), with the memory of each node
// beside it.
#include "kernels/cpu/vectors/density_tiles.hpp"
#include "kernels/cpu/vectors/updates.hpp"

namespace onda::cpu {
namespace {

template <typename T, int Dims, int R>
struct Vectorised {
    static void step(const StepArguments<T>& a) {
        if (a.memory[0] == nullptr)
            step_by_tiles<Dragging<T, 2>, T, Dims, R>(a);
        else if (a.memory[1] == nullptr)
            step_by_tiles<Relaxing<T, 1, 2>, T, Dims, R>(a);
        else
            step_by_tiles<Relaxing<T, 2, 2>, T, Dims, R>(a);
    }
};

}  // namespace

template <>
void attenuation_density_vectorised_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step_of_order<Vectorised>(a);
}
template <>
void attenuation_density_vectorised_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step_of_order<Vectorised>(a);
}

}  // namespace onda::cpu
