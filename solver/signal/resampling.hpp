/// \file
/// Series brought to another sampling: every output sample is a weighted sum of input samples.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace onda {

/// The continuation after the last sample of a series that is resampled; before the first one it is zero.
enum class Tail {
    continued,  ///< a recording that was cut: continued by its point reflection, so that no step rings at the end
    zero        ///< a wavelet: it is over
};

/// The weights of one output sample: the sum over k of weight[k] * input[first + k]; first may be negative.
struct Taps {
    std::int64_t first = 0;
    std::vector<double> weight;
};
using TapsOfSample = std::function<Taps(std::int64_t output_sample)>;

/// Brings traces [trace][sample] to [trace][output_samples]: the weights of an output sample serve every trace. The
/// sums are in double, in an order that neither threads nor instruction sets change. T is float or double.
template <typename T>
std::vector<T> weigh_traces(std::span<const T> traces, std::int64_t trace_count, std::int64_t output_samples, Tail tail,
                            const TapsOfSample& taps);

/// The bytes that a thread of weigh_traces() holds for weights that reach over so many input samples.
std::int64_t weighing_bytes(std::int64_t input_samples);

/// The sums of weigh_traces() with weights that are kept, for traces that come in groups. The tail is zero.
class KeptWeights {
public:
    KeptWeights(std::int64_t input_samples, std::int64_t output_samples, const TapsOfSample& taps);
    ~KeptWeights();
    /// The bytes of weights that lie between the first and the last input sample of a window, for output samples 0 …
    static std::int64_t bytes(
        std::int64_t output_samples,
        const std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t output_sample)>& window);
    /// \param traces [trace][input_samples]; \param output [trace][stride], of which the first `count` are written.
    template <typename T>
    void operator()(std::span<const double> traces, std::int64_t count, std::int64_t stride, T* output) const;

private:
    std::int64_t input_samples_;
    std::vector<struct TapBlock> blocks_;
};

/// Kaiser-windowed sinc resampling to output[i] at i * dt_out (both series start at t = 0). The cut-off is the lower
/// Nyquist frequency of the two; up to 0.9 of it the error is below 1e-4. Equal steps copy the samples.
std::vector<double> resample(std::span<const double> input, double dt_in, double dt_out, std::int64_t output_samples,
                             Tail tail = Tail::continued);
/// Traces [trace][sample] at once, each as resample() brings it to another sampling; returns [trace][output_samples].
std::vector<float> resample_traces(std::span<const float> traces, std::int64_t trace_count, double dt_in, double dt_out,
                                   std::int64_t output_samples);

/// The band-limited series at any time t, zero before its first and after its last sample.
double interpolate(std::span<const double> series, double dt_s, double t_s);

}  // namespace onda
