/// \file
/// The time of a step on a GPU, from what it asks of it (kernels/cuda/step_facts.hpp) and what was measured there once:
/// a pure function, with no GPU. docs/performance_bounds.md derives it.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cuda/step_facts.hpp"
#include "solver/performance/step_model.hpp"

namespace onda {

/// The rates of a GPU. Those of multiprocessors are of all of them together.
struct GpuRates {
    double dram_bytes_s = 4e12, l2_bytes_s = 7e12;
    double sides_bytes_s = 2.6e12;  ///< from DRAM, of strips and mirrors: their rows are short
    double shared_bytes_s = 3e13;
    double instructions_s = 3e13;  ///< of threads
    double double_operations_s = 1.5e13;
    double thread_instruction_s = 1.5e-9;  ///< of one thread, however few others there are
    double engine_line_s = 3e-9;           ///< of a line of 128 bytes that a multiprocessor's copy engine writes
    double kept_bytes = 35e6;              ///< of arrays that the L2 cache keeps from step to step
    double window_bytes = 60e6;            ///< of a window that it keeps while other data pass through
    double forgetting = 5.;    ///< how sharply it forgets beyond: the power of how many times these are exceeded
    double launch_s = 1.2e-6;  ///< of a kernel in a graph, from end to end
    double overlapped_launch_s = 1e-6;  ///< of one that comes before the one before it ends
    // How sharply the slowest of several things that run side by side bounds them: exponents of their sums.
    double sharpness_of_memory = 4., sharpness_of_work = 4., sharpness_of_blocks = 3.;
};

/// What is particular to a kernel, or to the kernels of a kind of absorbing strip.
struct KernelConstants {
    double work = 1.;               ///< instructions, or lines of the copy engine, for each one that was counted
    double latency_s = 0.4e-6;      ///< that a block waits for each plane
    double far_latency_s = 0.8e-6;  ///< and more where the plane comes from DRAM
    double double_work = 1.;        ///< operations in double precision for each one that was counted
};
/// Usual constants of strips: bytes for each one that was counted, and what a launch waits for each plane that it walks
/// through.
inline constexpr KernelConstants kUsualStrips{1., 0.3e-6, 0.05e-6, 1.};

/// The constants of a family, "inplane-vertical, 3-D, 16bit", or, if it was not measured, of the nearest relative that
/// was: its name begins alike.
template <typename Constants>
Constants of_nearest(const std::map<std::string, Constants, std::less<>>& kernels, std::string_view family,
                     const Constants& usual) {
    while (true) {
        if (const auto found = kernels.find(family); found != kernels.end()) return found->second;
        const std::size_t comma = family.rfind(',');
        if (comma == std::string_view::npos) return usual;
        family = family.substr(0, comma);
    }
}

/// A rate or constant in files, tables and fits.
template <typename Values>
struct ModelConstant {
    std::string_view name;  ///< with its unit
    double Values::*value;
    double spread;  ///< of its logarithm: how far a fit may take it from what was probed or assumed before
};
inline constexpr std::array<ModelConstant<GpuRates>, 16> kGpuRates{{
    {"dram_bytes_per_s", &GpuRates::dram_bytes_s, 0.05},
    {"l2_bytes_per_s", &GpuRates::l2_bytes_s, 0.2},
    {"sides_bytes_per_s", &GpuRates::sides_bytes_s, 0.3},
    {"shared_bytes_per_s", &GpuRates::shared_bytes_s, 0.1},
    {"instructions_per_s", &GpuRates::instructions_s, 0.05},
    {"double_operations_per_s", &GpuRates::double_operations_s, 0.05},
    {"thread_instruction_s", &GpuRates::thread_instruction_s, 0.5},
    {"engine_line_s", &GpuRates::engine_line_s, 0.5},
    {"kept_bytes", &GpuRates::kept_bytes, 0.3},
    {"window_bytes", &GpuRates::window_bytes, 0.3},
    {"forgetting", &GpuRates::forgetting, 0.5},
    {"launch_s", &GpuRates::launch_s, 0.5},
    {"overlapped_launch_s", &GpuRates::overlapped_launch_s, 0.5},
    {"sharpness_of_memory", &GpuRates::sharpness_of_memory, 0.5},
    {"sharpness_of_work", &GpuRates::sharpness_of_work, 0.5},
    {"sharpness_of_blocks", &GpuRates::sharpness_of_blocks, 0.3},
}};
inline constexpr std::array<ModelConstant<KernelConstants>, 4> kKernelConstants{{
    {"work", &KernelConstants::work, 0.5},
    {"latency_s", &KernelConstants::latency_s, 0.5},
    {"far_latency_s", &KernelConstants::far_latency_s, 0.5},
    {"double_work", &KernelConstants::double_work, 0.3},
}};

/// What was measured of a GPU.
struct GpuCalibration {
    std::string device;  ///< as its driver names it
    std::string source;  ///< when and with what, for people
    int multiprocessors = 1;
    GpuRates rates;
    std::map<std::string, KernelConstants, std::less<>> kernels;  ///< by kernel_family() and strip_family()

    /// The constants of a kernel; where it was not measured, those of its nearest relative, or what is usual.
    [[nodiscard]] KernelConstants of(std::string_view family, const KernelConstants& usual = {}) const;
    [[nodiscard]] KernelConstants of_strips(std::string_view family) const { return of(family, kUsualStrips); }
};

/// What shares constants: "inplane-full, 3-D", "march25d, 3-D, variable_density", "inplane-full, 2-D, async",
/// "inplane-vertical, 3-D, 16bit".
std::string kernel_family(std::string_view kernel, std::string_view copy, std::string_view equation, int dimensions,
                          std::string_view storage = "float");
/// The strips that share constants, with their kind as users name it: "cpml strips, 3-D, variable_density", "sponge
/// strips, 3-D, leap". Empty for "none".
std::string strip_family(std::string_view kind, std::string_view equation, int dimensions,
                         std::string_view stepping = "single");

/// The parts that a step would take if nothing else bound it, and what it takes.
struct GpuStepTime : StepTime {
    double dram_s = 0., l2_s = 0., blocks_s = 0., launch_s = 0., sides_s = 0.;
};
GpuStepTime gpu_step_time(const cuda::StepFacts& facts, int multiprocessors, const GpuRates& rates,
                          const KernelConstants& kernel, const KernelConstants& strips = kUsualStrips);

}  // namespace onda
