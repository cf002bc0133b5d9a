#include "solver/comparison/cuda_correlator.hpp"

#include <algorithm>

#include "kernels/cuda/companions/correlation.hpp"
#include "kernels/cuda/cuda.hpp"

namespace onda {
namespace {

cuda::CorrelationSize size_on_gpu(const CorrelationShape& shape) {
    cuda::CorrelationSize size{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        size.fixed[axis] = shape.fixed[axis];
        size.moving[axis] = shape.moving[axis];
        size.first_lag[axis] = shape.lags.first[axis];
        size.lags[axis] = shape.lags.count[axis];
        size.padded[axis] = shape.padded[axis];
    }
    return size;
}

class CudaCorrelator : public Correlator {
public:
    CudaCorrelator(const CorrelationShape& shape, int ordinal)
        : box_(shape.lags), on_gpu_(cuda::make_gpu_correlation(size_on_gpu(shape), ordinal)) {}

    void set_fixed(std::span<const float> values) override { on_gpu_->set_fixed(values); }
    void set_moving(std::span<const float> values) override { on_gpu_->set_moving(values); }
    void set_template(std::span<const float> values) override { on_gpu_->set_template(values); }
    void rotate(const TemplateTurn& turn) override { on_gpu_->rotate(turn); }
    double moving_energy() override { return on_gpu_->moving_energy(); }
    void forward() override { on_gpu_->forward(); }
    void multiply() override { on_gpu_->multiply(); }
    void inverse() override { on_gpu_->inverse(); }
    void wait() override { on_gpu_->wait(); }
    std::vector<double> lags() override {
        const std::vector<float> values = on_gpu_->lags();
        return {values.begin(), values.end()};
    }
    std::vector<LagPeak> peaks(int count, std::int64_t apart) override {
        std::vector<LagPeak> peaks;
        for (const cuda::IndexedPeak& peak : on_gpu_->peaks(count, apart))
            peaks.push_back({box_.lag(peak.index), static_cast<double>(peak.value)});
        return peaks;
    }

private:
    LagBox box_;
    std::unique_ptr<cuda::GpuCorrelation> on_gpu_;
};

}  // namespace

std::string problem_of_cuda_correlator(int ordinal) {
    const cuda::Platform& platform = cuda::platform();
    if (!platform.problem.empty()) return platform.problem;
    const std::string& problem = cuda::gpu_state(ordinal).problem;
    return problem.empty() ? cuda::fft_library().problem : problem;
}

std::unique_ptr<Correlator> make_cuda_correlator(const CorrelationShape& shape, int, int ordinal) {
    return std::make_unique<CudaCorrelator>(shape, ordinal);
}

int count_cuda_correlators() {
    return static_cast<int>(cuda::platform().gpus.size());
}

}  // namespace onda
