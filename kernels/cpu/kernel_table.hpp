/// \file
/// The tables of CPU kernels and instruction sets. A new kernel is one file and one row of kernels_of().
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/kernel.hpp"
#include "kernels/setup.hpp"

namespace onda::cpu {

struct Kernel {
    std::string name, help;
    StepFunction<float> step_float;
    StepFunction<double> step_double;
    const LoadStrategy* strategy = nullptr;
    Equation equation = Equation::star;
    Applications applications = Applications::once;
    bool solves = true;        ///< false: the twin, which only `onda bench` runs
    bool of_codes = false;     ///< reads k as codes, of either kind; others read numbers
    bool is_followed = false;  ///< passes the rows that it has stepped to StepArguments::follower
};

struct InstructionSet {
    std::string_view name;
    bool usable;  ///< on this machine
    std::vector<Kernel> kernels;
};

/// Calls body.operator()<Isa>() with the tag of an instruction set, to choose among functions that are compiled for
/// each. For sources of onda_kernels alone, which know what is compiled in.
template <typename Body>
auto with_isa([[maybe_unused]] const InstructionSet& set, const Body& body) {
#if defined(ONDA_HAVE_x86_64_v4)
    if (set.name == "x86-64-v4") return body.template operator()<x86_64_v4>();
#endif
#if defined(ONDA_HAVE_x86_64_v3)
    if (set.name == "x86-64-v3") return body.template operator()<x86_64_v3>();
#endif
    return body.template operator()<generic>();
}

/// Compiled-in instruction sets, slowest first: the plain baseline, and those that ONDA_ISAS of kernels/CMakeLists.txt
/// asks for. All have the same kernels in the same order.
const std::vector<InstructionSet>& instruction_sets();

/// \param wanted a name or "auto". \throws SetupFault.
const InstructionSet& find_isa(const std::string& wanted);
/// The kernel that a setup names, or the best for "auto". \throws SetupFault.
const Kernel& find_kernel(const InstructionSet& set, const Setup& setup);

}  // namespace onda::cpu
