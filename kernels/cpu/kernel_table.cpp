#include "kernels/cpu/kernel_table.hpp"

#include <algorithm>

#include "kernels/cpu/cpu.hpp"
#include "kernels/cpu/usable_sets.hpp"
#include "kernels/shot/trace_weights.hpp"

namespace onda::cpu {
namespace {

/// Adds the kernels that read k as codes, each with the name of its kernel for k as numbers.
template <typename Isa>
void add_kernels_of_codes(std::vector<Kernel>& kernels) {
    const auto add = [&kernels](const char* name, Applications applications, StepFunction<float> step) {
        const auto like = std::ranges::find_if(kernels, [&](const Kernel& kernel) {
            return kernel.name == name && kernel.equation == Equation::star && kernel.applications == applications;
        });
        Kernel kernel = *like;
        kernel.step_float = step;
        kernel.step_double = nullptr;
        kernel.of_codes = true;
        kernels.push_back(kernel);
    };
    add("reference", Applications::once, reference_coded_step<Isa>);
    add("vectorised", Applications::once, vectorised_coded_step<Isa>);
    add("reference", Applications::twice, reference_coded_leap_step<Isa>);
    add("vectorised", Applications::twice, vectorised_coded_leap_step<Isa>);
}

/// Whether a set has the reference's loops in place of its tuned kernels (kernels/cpu/plain.cpp).
template <typename Isa>
constexpr bool kIsPlain = false;
#if defined(ONDA_PLAIN_generic)
template <>
constexpr bool kIsPlain<generic> = true;
#endif

template <typename Isa>
std::vector<Kernel> kernels_of() {
    std::vector<Kernel> kernels{
        {"reference", "plain loops, obviously right", reference_step<Isa, float>, reference_step<Isa, double>},
        {"vectorised", "OpenMP and SIMD, in blocks of whole rows", vectorised_step<Isa, float>,
         vectorised_step<Isa, double>},
    };
    for (const LoadStrategy& strategy : kLoadStrategies)
        kernels.push_back({"inplane-" + std::string(strategy.name),
                           "in-plane method; loads " + std::string(strategy.help), inplane_step<Isa, float>,
                           inplane_step<Isa, double>, &strategy});
    const auto compact = Equation::compact;
    kernels.push_back({"reference", "plain loops", reference_compact_step<Isa, float>,
                       reference_compact_step<Isa, double>, nullptr, compact});
    kernels.push_back({"vectorised", "OpenMP and SIMD, in blocks of whole rows", vectorised_compact_step<Isa, float>,
                       vectorised_compact_step<Isa, double>, nullptr, compact});
    kernels.push_back({"inplane-" + std::string(kFullStrategy.name),
                       "in-plane method; loads " + std::string(kFullStrategy.help), inplane_compact_step<Isa, float>,
                       inplane_compact_step<Isa, double>, &kFullStrategy, compact});
    constexpr auto density = Equation::variable_density;
    kernels.push_back({"reference", "plain loops, obviously right", density_reference_step<Isa, float>,
                       density_reference_step<Isa, double>, nullptr, density});
    kernels.push_back({"vectorised", "OpenMP and SIMD; each flux is computed once", density_vectorised_step<Isa, float>,
                       density_vectorised_step<Isa, double>, nullptr, density});
    for (const auto equation : {Equation::attenuation, Equation::attenuation_of_two, Equation::drag}) {
        kernels.push_back({"reference", "plain loops, obviously right", attenuation_reference_step<Isa, float>,
                           attenuation_reference_step<Isa, double>, nullptr, equation});
        kernels.push_back({"vectorised", "OpenMP and SIMD, in blocks of whole rows",
                           attenuation_vectorised_step<Isa, float>, attenuation_vectorised_step<Isa, double>, nullptr,
                           equation});
    }
    for (const auto equation :
         {Equation::attenuation_density, Equation::attenuation_density_of_two, Equation::drag_density}) {
        kernels.push_back({"reference", "plain loops, obviously right", attenuation_density_reference_step<Isa, float>,
                           attenuation_density_reference_step<Isa, double>, nullptr, equation});
        kernels.push_back({"vectorised", "OpenMP and SIMD; each flux is computed once",
                           attenuation_density_vectorised_step<Isa, float>,
                           attenuation_density_vectorised_step<Isa, double>, nullptr, equation});
    }
    for (const auto equation : {Equation::vti, Equation::vti_of_gradients}) {
        kernels.push_back({"reference", "plain loops, obviously right", vti_reference_step<Isa, float>,
                           vti_reference_step<Isa, double>, nullptr, equation});
        kernels.push_back({"vectorised", "OpenMP and SIMD, in blocks of whole rows", vti_vectorised_step<Isa, float>,
                           vti_vectorised_step<Isa, double>, nullptr, equation});
    }
    kernels.push_back({"reference", "plain loops, obviously right", tti_reference_step<Isa, float>,
                       tti_reference_step<Isa, double>, nullptr, Equation::tti});
    kernels.push_back({"vectorised", "OpenMP over tiles and SIMD, in one pass", tti_vectorised_step<Isa, float>,
                       tti_vectorised_step<Isa, double>, nullptr, Equation::tti});
    kernels.push_back({"reference", "plain loops, obviously right", reference_leap_step<Isa, float>,
                       reference_leap_step<Isa, double>, nullptr, Equation::star, Applications::twice});
    kernels.push_back({"vectorised", "OpenMP and SIMD, in tiles that the L2 cache holds",
                       vectorised_leap_step<Isa, float>, vectorised_leap_step<Isa, double>, nullptr, Equation::star,
                       Applications::twice});
    for (const Equation equation :
         {Equation::star, Equation::variable_density, Equation::attenuation, Equation::attenuation_of_two,
          Equation::attenuation_density, Equation::attenuation_density_of_two, Equation::drag, Equation::drag_density,
          Equation::vti, Equation::tti})
        kernels.push_back({"twin", "the same array streams without neighbours: the ceiling", twin_step<Isa, float>,
                           twin_step<Isa, double>, nullptr, equation, Applications::once, false});
    add_kernels_of_codes<Isa>(kernels);
    // Only kernels that walk the grid by for_blocks() (kernels/cpu/blocks.hpp) can be followed: not the loops of a
    // plain set.
    for (Kernel& kernel : kernels)
        kernel.is_followed = !kIsPlain<Isa> && kernel.name == "vectorised" &&
                             kernel.applications == Applications::once && !has_parameter(kernel.equation, "rho") &&
                             kernel.equation->fields.size() == 1;
    return kernels;
}

std::vector<InstructionSet> make_instruction_sets() {
    std::vector<InstructionSet> sets;
    sets.push_back({"generic", true, kernels_of<generic>()});
#if defined(ONDA_HAVE_x86_64_v3)
    sets.push_back({"x86-64-v3", has_x86_64_v3(), kernels_of<x86_64_v3>()});
#endif
#if defined(ONDA_HAVE_x86_64_v4)
    sets.push_back({"x86-64-v4", has_x86_64_v4(), kernels_of<x86_64_v4>()});
#endif
    return sets;
}

/// The kernels that an equation brings itself.
std::span<const Kernel> own_kernels(const Equation& equation) {
    return equation->cpu_kernels == nullptr ? std::span<const Kernel>() : equation->cpu_kernels();
}

bool has_codes(const Setup& setup) {
    return setup.medium.storage != Storage::full;
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

}  // namespace

const std::vector<InstructionSet>& instruction_sets() {
    static const std::vector<InstructionSet> sets = make_instruction_sets();
    return sets;
}

const InstructionSet& find_isa(const std::string& wanted) {
    const std::string name = wanted == "auto" ? best_isa() : wanted;
    for (const InstructionSet& set : instruction_sets())
        if (set.name == name && set.usable) return set;
    throw SetupFault("isa", "instruction set '" + name + "' is not available here: use auto, " + listed(isa_names()));
}

const Kernel& find_kernel(const InstructionSet& set, const Setup& setup) {
    const Equation equation = setup.scheme.equation;
    const std::string name = setup.kernel == "auto" ? best_kernel(setup) : setup.kernel;
    for (const Kernel& kernel : set.kernels)
        if (kernel.name == name && kernel.equation == equation && kernel.applications == setup.applications() &&
            kernel.of_codes == has_codes(setup))
            return kernel;
    for (const Kernel& kernel : own_kernels(equation))
        if (kernel.name == name && !has_codes(setup)) return kernel;
    const bool exists = std::ranges::find(kernel_names(), name, &KernelInfo::name) != kernel_names().end();
    const std::string fault = exists ? "does not compute the " + std::string(onda::name(equation)) + " operator" +
                                           described_applications(setup) +
                                           (has_codes(setup) ? " with a model stored as codes" : "")
                                     : "is not among the CPU kernels";
    throw SetupFault("kernel", "kernel '" + name + "' " + fault + ": use auto, " +
                                   listed(kernels_of(equation, setup.applications(), setup.medium.storage)));
}

std::span<const KernelInfo> kernel_names() {
    static const std::vector<KernelInfo> names = [] {
        std::vector<KernelInfo> list;
        for (const Kernel& kernel : instruction_sets().front().kernels)
            if (kernel.solves && std::ranges::find(list, kernel.name, &KernelInfo::name) == list.end())
                list.push_back({kernel.name, kernel.help});
        return list;
    }();
    return names;
}

std::vector<std::string> kernels_of(Equation equation, Applications applications, Storage storage) {
    const bool of_codes = storage != Storage::full;
    std::vector<std::string> names;
    for (const Kernel& kernel : instruction_sets().front().kernels)
        if (kernel.solves && kernel.equation == equation && kernel.applications == applications &&
            kernel.of_codes == of_codes)
            names.push_back(kernel.name);
    if (!of_codes)
        for (const Kernel& kernel : own_kernels(equation)) names.push_back(kernel.name);
    return names;
}

std::vector<std::string> isa_names() {
    std::vector<std::string> names;
    for (const InstructionSet& set : instruction_sets())
        if (set.usable) names.emplace_back(set.name);
    return names;
}

std::string best_isa() {
    return isa_names().back();
}

const TraceWeights& trace_weights() {
    static const TraceWeights best = with_isa(find_isa("auto"), []<typename Isa>() -> TraceWeights {
        return {weigh_samples<Isa, float>, weigh_samples<Isa, double>, add_weighted_rows<Isa>};
    });
    return best;
}

// `onda bench cpu` measures: vectorised is the fastest at every order, see docs/performance.md.
std::string best_kernel(const Setup& setup) {
    const std::vector<std::string> names =
        kernels_of(setup.scheme.equation, setup.applications(), setup.medium.storage);
    return std::ranges::find(names, "vectorised") != names.end() ? "vectorised" : names.front();
}

// Every instruction set has the same kernels, but those of a plain one are not followed. A set of another machine, for
// which somebody predicts, is tuned.
bool layers_follow_kernel(const Setup& setup) {
    const std::vector<InstructionSet>& sets = instruction_sets();
    const std::string name = setup.isa == "auto" ? best_isa() : setup.isa;
    const auto set = std::ranges::find(sets, name, &InstructionSet::name);
    return find_kernel(set == sets.end() ? sets.back() : *set, setup).is_followed;
}

}  // namespace onda::cpu
