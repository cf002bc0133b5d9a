/// \file
/// Times of steps that were measured on a GPU, each with the cost counts that a model predicts it from, so that models
/// can be fitted and judged without one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cuda/step_facts.hpp"
#include "kernels/setup.hpp"
#include "solver/performance/model/gpu_step_model.hpp"

namespace onda {

/// What was computed, by name.
struct KernelCase {
    std::string kernel, tile, copy;  ///< copy is empty for kernels without a choice of engines
    std::string equation = "star", precision = "float", boundary = "none";
    std::string stepping = "single", storage = "float";  ///< of time, and of k
    int order = 8;
    int dimensions = 3;
    std::int64_t nx = 1, ny = 1, nz = 1;
    int shots = 1;

    bool operator==(const KernelCase&) const = default;
    /// kernel_family() of this case.
    [[nodiscard]] std::string family() const;
    /// strip_family() of this case's boundary.
    [[nodiscard]] std::string strips() const;
    /// One line for people.
    [[nodiscard]] std::string text() const;
};
/// The case of a resolved set-up. \param boundary the kind that is on its faces, which a set-up does not name.
KernelCase case_of(const Setup& setup, int shots, const std::string& boundary = "none");
/// The set-up of a case, its strips among it; whether the GPU has it is not checked. \throws std::invalid_argument for
/// an order or equation that does not exist.
Setup setup_of(const KernelCase& what);

struct GpuObservation {
    KernelCase what;
    cuda::StepFacts facts;
    double seconds = 0.;  ///< of a step of all shots, or of a leap
    bool fitted = false;  ///< whether constants were fitted to it
};

/// What was measured on one GPU.
struct GpuObservations {
    std::string device;  ///< as its driver names it
    int multiprocessors = 0;
    std::vector<GpuObservation> steps;
};
/// All that is known, a line each, under the names of its columns.
std::string observations_csv(const GpuObservations& observations);
/// What observations_csv() wrote. \throws Error(missing_input); Error(bad_data) naming file, line and column of what is
/// wrong.
GpuObservations read_observations(const std::filesystem::path& file);
GpuObservations parse_observations(std::string_view text, const std::string& name);

/// The time that a calibration predicts of a step, or of a leap.
GpuStepTime predict(const GpuCalibration& calibration, const KernelCase& what, const cuda::StepFacts& facts);

/// How far predictions are from measurements: |predicted / measured - 1|.
struct ErrorSummary {
    std::size_t count = 0;
    double median = 0., worst = 0.;
    std::size_t within_10 = 0, within_25 = 0;  ///< percent
};
ErrorSummary summarise(std::span<const double> predicted, std::span<const double> measured);

/// Fits rates and constants of kernels to what was measured.
/// \param probed rates as probes found them, and what a kernel is like before anything is known of it.
GpuCalibration fit_gpu(GpuCalibration probed, std::span<const GpuObservation> observations);

}  // namespace onda
