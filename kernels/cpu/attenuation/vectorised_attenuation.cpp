// Attenuation as the star is stepped (kernels/cpu/vectors/star_rows.hpp), with the memory of each node beside it.
#include "kernels/cpu/vectors/star_rows.hpp"
#include "kernels/cpu/vectors/updates.hpp"

namespace onda::cpu {
namespace {

template <typename T, int Dims, int R>
struct Vectorised {
    static void step(const StepArguments<T>& a) {
        if (a.memory[0] == nullptr)
            step_by_rows<Dragging<T, 1>, T, Dims, R>(a);
        else if (a.memory[1] == nullptr)
            step_by_rows<Relaxing<T, 1, 1>, T, Dims, R>(a);
        else
            step_by_rows<Relaxing<T, 2, 1>, T, Dims, R>(a);
    }
};

}  // namespace

template <>
void attenuation_vectorised_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step_of_order<Vectorised>(a);
}
template <>
void attenuation_vectorised_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step_of_order<Vectorised>(a);
}

}  // namespace onda::cpu
