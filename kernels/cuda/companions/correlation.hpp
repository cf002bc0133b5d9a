/// \file
/// Cross-correlation of volumes by cuFFT, with everything between the transforms on the GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/companions/rotated_template.hpp"

namespace onda::cuda {

/// The library of Fourier transforms, which is looked for when it is first needed.
struct FftLibrary {
    std::string name;     ///< "cuFFT 12.0"; empty where there is none
    std::string problem;  ///< why there is none, and what to do
};
const FftLibrary& fft_library();

/// Extents (x, y, z) of two volumes, of the lags that are wanted, and of the periodic grid, even along x.
struct CorrelationSize {
    std::int64_t fixed[3], moving[3], first_lag[3], lags[3], padded[3];
};

/// A local maximum by its index among the lags, x fastest.
struct IndexedPeak {
    std::int64_t index = 0;
    float value = 0.f;
};

/// c[s] = sum over j of fixed[j + s] moving[j] in single precision. One thread at a time; results are the same bits in
/// every run on one GPU and version of cuFFT. Every member function throws Error for a call that fails.
class GpuCorrelation {
public:
    virtual ~GpuCorrelation() = default;
    virtual void set_fixed(std::span<const float> values) = 0;
    virtual void set_moving(std::span<const float> values) = 0;
    virtual void set_template(std::span<const float> values) = 0;
    virtual void rotate(const TemplateTurn& turn) = 0;
    /// The sum of the squares of the moving volume.
    virtual double moving_energy() = 0;
    // Queued: what follows waits for them.
    virtual void forward() = 0;
    virtual void multiply() = 0;
    virtual void inverse() = 0;
    virtual void wait() = 0;
    virtual std::vector<float> lags() = 0;
    /// The best local maxima, best first: the largest value within `apart` lags along every axis, the first of equals.
    virtual std::vector<IndexedPeak> peaks(int count, std::int64_t apart) = 0;
};

/// \param ordinal of a GPU that can be used. \throws Error, also where fft_library() has a problem.
std::unique_ptr<GpuCorrelation> make_gpu_correlation(const CorrelationSize& size, int ordinal);

}  // namespace onda::cuda
