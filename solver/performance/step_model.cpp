#include "solver/performance/step_model.hpp"

#include "kernels/cuda/step_facts.hpp"
#include "solver/performance/model/calibration.hpp"
#include "solver/performance/model/gpu_observations.hpp"
#include "solver/program/build.hpp"

namespace onda {
namespace {

/// The kind of absorbing strips as users name it: "cpml", or "none".
std::string_view kind_of_strips(const Setup& setup) {
    for (const auto& strip : setup.strips)
        if (!strip->empty()) return strip->name();
    return "none";
}

class CalibratedGpu final : public StepModel {
public:
    explicit CalibratedGpu(GpuCalibration calibration) : calibration_(std::move(calibration)) {}
    [[nodiscard]] StepTime step(const Setup& setup, int shots) const override {
        const cuda::StepFacts facts = cuda::step_facts(setup, shots);
        StepTime time = predict(calibration_, case_of(setup, shots, std::string(kind_of_strips(setup))), facts);
        time.seconds /= facts.steps;
        return time;
    }
    [[nodiscard]] std::string source() const override { return calibration_.source; }

private:
    GpuCalibration calibration_;
};

class CalibratedCpu final : public StepModel {
public:
    explicit CalibratedCpu(CpuCalibration calibration) : calibration_(std::move(calibration)) {}
    [[nodiscard]] StepTime step(const Setup& setup, int shots) const override {
        const CpuStepFacts facts = cpu_step_facts(setup, shots);
        return cpu_step_time(facts, calibration_.rates, calibration_.of(facts.family));
    }
    [[nodiscard]] std::string source() const override { return calibration_.source; }

private:
    CpuCalibration calibration_;
};

}  // namespace

std::unique_ptr<StepModel> calibrated_model(const Device& device, int ordinal) {
    if (!device.has_own_memory()) {
        auto calibration = cpu_calibration(host().cpu);
        return calibration ? std::make_unique<CalibratedCpu>(*std::move(calibration)) : nullptr;
    }
    Setup where;
    where.ordinal = ordinal;
    auto calibration = gpu_calibration(device.hardware(where));
    return calibration ? std::make_unique<CalibratedGpu>(*std::move(calibration)) : nullptr;
}

}  // namespace onda
