/// \file
/// The tables of CPU kernels and instruction sets. A new kernel is one file and one row of kernels_of().
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/cpml.hpp"
#include "kernels/cpu/kernel.hpp"
#include "kernels/setup.hpp"

namespace onda::cpu {

struct Kernel {
    std::string name, help;
    StepFunction<float> step_float;
    StepFunction<double> step_double;
    const LoadStrategy* strategy = nullptr;
    Equation equation = Equation::star;
    bool solves = true;  ///< false: the twin, which only `onda bench` runs
};

struct InstructionSet {
    std::string_view name;
    bool usable;  ///< on this machine
    std::vector<Kernel> kernels;
    CpmlFunction<float> cpml_float;
    CpmlFunction<double> cpml_double;

    template <typename T>
    [[nodiscard]] CpmlFunction<T> cpml() const {
        if constexpr (sizeof(T) == 4)
            return cpml_float;
        else
            return cpml_double;
    }
};

/// Compiled-in instruction sets, slowest first; all have the same kernels in the same order.
const std::vector<InstructionSet>& instruction_sets();

/// \param wanted a name or "auto". \throws SetupFault.
const InstructionSet& find_isa(const std::string& wanted);
/// The kernel that a setup names, or the best for "auto". \throws SetupFault.
const Kernel& find_kernel(const InstructionSet& set, const Setup& setup);

}  // namespace onda::cpu
