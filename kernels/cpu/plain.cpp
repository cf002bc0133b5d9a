// The tuned kernels of an instruction set that is compiled plain: the loops of the reference, which compile in seconds.
// A build for one's own machine (ONDA_ISAS of kernels/CMakeLists.txt) has such a set beside the one it is for, so that
// it runs on other machines, too.
#include "kernels/cpu/kernel.hpp"

namespace onda::cpu {

template <>
void vectorised_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    reference_step<ONDA_ISA>(a);
}
template <>
void vectorised_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    reference_step<ONDA_ISA>(a);
}
template <>
void vectorised_coded_step<ONDA_ISA>(const StepArguments<float>& a) {
    reference_coded_step<ONDA_ISA>(a);
}
template <>
void inplane_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    reference_step<ONDA_ISA>(a);
}
template <>
void inplane_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    reference_step<ONDA_ISA>(a);
}
template <>
void vectorised_leap_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    reference_leap_step<ONDA_ISA>(a);
}
template <>
void vectorised_leap_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    reference_leap_step<ONDA_ISA>(a);
}
template <>
void vectorised_coded_leap_step<ONDA_ISA>(const StepArguments<float>& a) {
    reference_coded_leap_step<ONDA_ISA>(a);
}
template <>
void vectorised_compact_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    reference_compact_step<ONDA_ISA>(a);
}
template <>
void vectorised_compact_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    reference_compact_step<ONDA_ISA>(a);
}
template <>
void inplane_compact_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    reference_compact_step<ONDA_ISA>(a);
}
template <>
void inplane_compact_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    reference_compact_step<ONDA_ISA>(a);
}
template <>
void density_vectorised_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    density_reference_step<ONDA_ISA>(a);
}
template <>
void density_vectorised_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    density_reference_step<ONDA_ISA>(a);
}
template <>
void attenuation_vectorised_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    attenuation_reference_step<ONDA_ISA>(a);
}
template <>
void attenuation_vectorised_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    attenuation_reference_step<ONDA_ISA>(a);
}
template <>
void attenuation_density_vectorised_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    attenuation_density_reference_step<ONDA_ISA>(a);
}
template <>
void attenuation_density_vectorised_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    attenuation_density_reference_step<ONDA_ISA>(a);
}

template <>
void vti_vectorised_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    vti_reference_step<ONDA_ISA>(a);
}
template <>
void vti_vectorised_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    vti_reference_step<ONDA_ISA>(a);
}

template <>
void tti_vectorised_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    tti_reference_step<ONDA_ISA>(a);
}
template <>
void tti_vectorised_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    tti_reference_step<ONDA_ISA>(a);
}

}  // namespace onda::cpu
