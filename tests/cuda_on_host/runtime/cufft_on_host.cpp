// Stands in for cuFFT where the host stands in for the device: plans of one to three axes, in double precision inside.
#include <complex>
#include <cstddef>
#include <cuda_runtime_api.h>
#include <kissfft/kissfft.hh>
#include <map>
#include <mutex>
#include <numeric>
#include <vector>

namespace {

using Wide = std::complex<double>;
using Narrow = std::complex<float>;

struct HostPlan {
    std::vector<int> n;  ///< slowest first
    cudaStream_t stream = nullptr;
};

std::mutex plans_mutex;
std::map<int, HostPlan> plans;

/// A plan, when all that was queued before is done: transforms here are over when they return.
HostPlan plan_when_due(int handle) {
    HostPlan plan;
    {
        const std::scoped_lock lock(plans_mutex);
        plan = plans.at(handle);
    }
    cudaStreamSynchronize(plan.stream);
    return plan;
}

std::size_t points(const std::vector<int>& n) {
    return std::accumulate(n.begin(), n.end(), std::size_t{1},
                           [](std::size_t product, int extent) { return product * static_cast<std::size_t>(extent); });
}

/// Transforms every axis of `values` in place.
void transform(std::vector<Wide>& values, const std::vector<int>& n, bool inverse) {
    std::size_t step = 1;
    for (std::size_t axis = n.size(); axis-- > 0;) {
        const auto length = static_cast<std::size_t>(n[axis]);
        const kissfft<double> fft(length, inverse);
        std::vector<Wide> in(length), out(length);
        for (std::size_t line = 0; line < values.size() / length; ++line) {
            Wide* const first = values.data() + line / step * step * length + line % step;
            for (std::size_t k = 0; k < length; ++k) in[k] = first[k * step];
            fft.transform(in.data(), out.data());
            for (std::size_t k = 0; k < length; ++k) first[k * step] = out[k];
        }
        step *= length;
    }
}

/// The row that holds the conjugates of a row of a real volume's spectrum.
std::size_t mirrored_row(std::size_t row, const std::vector<int>& n) {
    std::size_t mirrored = 0, step = 1;
    for (std::size_t axis = n.size() - 1; axis-- > 0;) {
        const auto length = static_cast<std::size_t>(n[axis]);
        mirrored += (length - row % length) % length * step;
        row /= length;
        step *= length;
    }
    return mirrored;
}

}  // namespace

// The names and parameters of cufft.h.
extern "C" {

int cufftGetProperty(int kind, int* value) {
    *value = kind == 0 ? 12 : 0;
    return 0;
}

int cufftPlanMany(int* handle, int rank, int* n, int*, int, int, int*, int, int, int, int) {
    static int last = 0;
    const std::scoped_lock lock(plans_mutex);
    *handle = ++last;
    plans[*handle].n.assign(n, n + rank);
    return 0;
}

int cufftSetStream(int handle, cudaStream_t stream) {
    const std::scoped_lock lock(plans_mutex);
    plans.at(handle).stream = stream;
    return 0;
}

int cufftDestroy(int handle) {
    const std::scoped_lock lock(plans_mutex);
    plans.erase(handle);
    return 0;
}

int cufftExecR2C(int handle, float* real, Narrow* spectrum) {
    const HostPlan plan = plan_when_due(handle);
    const std::size_t all = points(plan.n), length = static_cast<std::size_t>(plan.n.back()), half = length / 2 + 1;
    std::vector<Wide> values(real, real + all);
    transform(values, plan.n, false);
    for (std::size_t i = 0; i < all / length * half; ++i) spectrum[i] = Narrow(values[i / half * length + i % half]);
    return 0;
}

int cufftExecC2R(int handle, Narrow* spectrum, float* real) {
    const HostPlan plan = plan_when_due(handle);
    const std::size_t all = points(plan.n), length = static_cast<std::size_t>(plan.n.back()), half = length / 2 + 1;
    std::vector<Wide> values(all);
    for (std::size_t i = 0; i < all; ++i) {
        const std::size_t row = i / length, k = i % length;
        values[i] = k < half ? Wide(spectrum[row * half + k])
                             : std::conj(Wide(spectrum[mirrored_row(row, plan.n) * half + length - k]));
    }
    transform(values, plan.n, true);
    for (std::size_t i = 0; i < all; ++i) real[i] = static_cast<float>(values[i].real());
    return 0;
}

}  // extern "C"
