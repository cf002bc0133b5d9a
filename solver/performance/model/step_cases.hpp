/// \file
/// Which steps are timed to calibrate the models of a device, which to judge them, and how: the two share none.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "solver/performance/model/cpu_step_model.hpp"
#include "solver/performance/model/gpu_observations.hpp"
#include "solver/propagation/devices.hpp"

namespace onda {

/// The steps that constants are fitted to: every kernel that this GPU has, in 2-D and 3-D, on a grid that the L2 cache
/// holds and on one that it does not, at low and high orders, in both precisions.
std::vector<KernelCase> calibration_cases(int ordinal);
/// `count` other steps: kernels, tiles, copy engines, operators, orders, precisions, grids and batches drawn from all
/// that there are, always the same for a seed. Fewer where there are not as many.
std::vector<KernelCase> validation_cases(int ordinal, std::size_t count, std::uint64_t seed = 1);

/// Told before each: how many are done, of how many, and what is next.
using CasesDone = std::function<void(std::size_t done, std::size_t all, const std::string& what)>;

/// Times the steps: the median of `rounds` of least_round_s or more. A step that the GPU's memory cannot hold is left
/// out. \throws cuda::Error.
std::vector<GpuObservation> measure_gpu(std::span<const KernelCase> cases, int ordinal, int rounds,
                                        const CasesDone& done);

/// One step on the CPU, resolved.
struct CpuCase {
    Setup setup;
    int shots = 1;
};
/// The cases that constants are fitted to: every kernel that computes an operator with the best instruction set, with
/// one thread and with all. \param threads of all.
std::vector<CpuCase> cpu_calibration_cases(int threads);
/// Other cases, drawn at random from all that there are, always the same for a seed.
std::vector<CpuCase> cpu_validation_cases(int threads, std::size_t count, std::uint64_t seed = 1);
std::vector<CpuObservation> measure_cpu(std::span<const CpuCase> cases, int rounds, const CasesDone& done);
/// One line for people.
std::string text_of(const CpuCase& what);

}  // namespace onda
