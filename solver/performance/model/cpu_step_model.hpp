/// \file
/// The time of a step on a CPU, from what it moves and computes and what was measured there once: a pure function.
/// docs/performance_bounds.md derives it.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/setup.hpp"
#include "solver/performance/model/gpu_step_model.hpp"
#include "solver/performance/step_model.hpp"

namespace onda {

/// A time step on a CPU, counted.
struct CpuStepFacts {
    std::string family;  ///< what shares constants: kernel, dimensions, operator, instruction set
    double points = 0.;  ///< nodes that are updated
    int radius = 4, threads = 1, element_bytes = 4;
    double stream_bytes = 0.;     ///< every array read and written once
    double footprint_bytes = 0.;  ///< of the arrays
    double side_bytes = 0.;       ///< that strips move
    double shots_a_thread = 1.;   ///< waits of threads for each other are shared by so many shots
};
/// \param setup resolved.
CpuStepFacts cpu_step_facts(const Setup& setup, int shots);

struct CpuRates {
    double thread_bytes_s = 1.5e10;  ///< from memory, of one thread alone
    double memory_bytes_s = 5e10;    ///< of all threads
    double cached_bytes_s = 6e10;    ///< from the caches, of a thread
    double kept_bytes = 2e7;         ///< of arrays that the caches keep from step to step
    double forgetting = 2.;          ///< how sharply they forget beyond
    double wait_s = 3e-6;            ///< of threads for each other, in a step
    double sharpness = 3.;           ///< how sharply the slower of memory and arithmetic bounds a step
};
struct CpuKernelConstants {
    double node_s = 0.2e-9;    ///< of a node, a thread
    double radius_s = 0.1e-9;  ///< more for each node of the stencil's radius
    double traffic = 1.2;      ///< bytes from memory for each byte of a stream
    double doubles = 1.8;      ///< times as long in double precision
    double growth = 1.;  ///< the power of the radius that radius_s goes with: 2 where every node makes fluxes anew
};
inline constexpr std::array<ModelConstant<CpuRates>, 7> kCpuRates{{
    {"thread_bytes_per_s", &CpuRates::thread_bytes_s, 0.5},
    {"memory_bytes_per_s", &CpuRates::memory_bytes_s, 0.5},
    {"cached_bytes_per_s", &CpuRates::cached_bytes_s, 0.5},
    {"kept_bytes", &CpuRates::kept_bytes, 0.7},
    {"forgetting", &CpuRates::forgetting, 0.5},
    {"wait_s", &CpuRates::wait_s, 1.},
    {"sharpness", &CpuRates::sharpness, 0.2},
}};
inline constexpr std::array<ModelConstant<CpuKernelConstants>, 5> kCpuKernelConstants{{
    {"node_s", &CpuKernelConstants::node_s, 1.},
    {"radius_s", &CpuKernelConstants::radius_s, 1.},
    {"traffic", &CpuKernelConstants::traffic, 0.3},
    {"doubles", &CpuKernelConstants::doubles, 0.3},
    {"growth", &CpuKernelConstants::growth, 0.3},
}};

/// What was measured of a CPU.
struct CpuCalibration {
    std::string device;  ///< as the system names it
    std::string source;
    CpuRates rates;
    std::map<std::string, CpuKernelConstants, std::less<>> kernels;  ///< by CpuStepFacts::family

    /// The constants of a kernel; where it was not measured, those of its nearest relative, or what is usual.
    [[nodiscard]] CpuKernelConstants of(std::string_view family) const;
};

StepTime cpu_step_time(const CpuStepFacts& facts, const CpuRates& rates, const CpuKernelConstants& kernel);

struct CpuObservation {
    CpuStepFacts facts;
    double seconds = 0.;
};
/// Fits rates and constants of kernels to what was measured, from those of `before` on.
CpuCalibration fit_cpu(CpuCalibration before, std::span<const CpuObservation> observations);

}  // namespace onda
