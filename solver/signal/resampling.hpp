/// \file
/// Series brought to another sampling: every output sample is a weighted sum of input samples.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
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

/// Traces that own their samples, [trace][sample], all of one length.
using OwnedTraces = std::vector<std::vector<double>>;

/// Traces of one length, wherever they lie. T is const where they are read only.
template <typename T>
struct TraceList {
    std::vector<T*> trace;
    std::int64_t samples = 0;  ///< of each

    TraceList() = default;
    explicit TraceList(std::int64_t samples_of_each) : samples(samples_of_each) {}
    /// `count` traces [trace][sample].
    TraceList(std::span<T> all, std::int64_t count) : samples(static_cast<std::int64_t>(all.size()) / count) {
        add(all);
    }
    /// All of some traces. \param samples_of_each where there is none to tell.
    template <typename Owner>
    requires std::same_as<std::remove_const_t<Owner>, OwnedTraces> TraceList(Owner& all, std::int64_t samples_of_each)
        : samples(samples_of_each) {
        for (auto& one : all) trace.push_back(one.data());
    }
    /// Adds traces [trace][samples].
    void add(std::span<T> all) {
        for (std::int64_t i = 0; i + samples <= std::ssize(all); i += samples) trace.push_back(all.data() + i);
    }
    [[nodiscard]] std::int64_t count() const { return std::ssize(trace); }
};

/// Makes as many output traces of input traces: the weights of an output sample serve every trace. The sums are in
/// double, in an order that neither threads nor instruction sets change. In and Out are float or double.
template <typename In, typename Out>
void weigh_traces(const TraceList<const In>& input, const TraceList<Out>& output, Tail tail, const TapsOfSample& taps);

/// The transpose of weigh_traces(): sample j of an adjoint trace is the sum over output samples i of the weight that
/// input sample j has in i, what the tail takes from it included, times residual[i]. So <output, residual> = <input,
/// adjoint> whatever the input is (the test by dot products of Claerbout 2014, Geophysical Image Estimation by Example,
/// ch. 1). The sums are in double, in an order that neither threads nor instruction sets change.
/// \param adjoint as many traces, of input samples; overwritten.
void weigh_traces_transposed(const TraceList<const double>& residual, const TraceList<double>& adjoint, Tail tail,
                             const TapsOfSample& taps);

/// The bytes that a thread of weigh_traces() holds for weights that reach over so many input samples.
std::int64_t weighing_bytes(std::int64_t input_samples);
/// The bytes of so many samples of the traces that a thread has side by side as it transposes.
std::int64_t interleaved_bytes(std::int64_t samples);

/// The sums of weigh_traces() with weights that are kept, for traces that come in groups.
class KeptWeights {
public:
    KeptWeights(std::int64_t input_samples, std::int64_t output_samples, Tail tail, const TapsOfSample& taps);
    ~KeptWeights();
    /// The bytes of weights that lie between the first and the last input sample of a window, for output samples 0 …
    static std::int64_t bytes(
        std::int64_t output_samples,
        const std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t output_sample)>& window);
    /// \param output of which samples first … first + count - 1 are written.
    template <typename In, typename Out>
    void operator()(const TraceList<const In>& input, const TraceList<Out>& output, std::int64_t first,
                    std::int64_t count) const;
    /// The transpose. \param residual of which samples first … first + count - 1 are read. \param adjoint as many
    /// traces, of input samples, overwritten.
    void transposed(const TraceList<const double>& residual, std::int64_t first, std::int64_t count,
                    const TraceList<double>& adjoint) const;

private:
    std::vector<struct TapBlock> blocks_;
};

/// Kaiser-windowed sinc resampling to output[i] at i * dt_out (both series start at t = 0). The cut-off is the lower
/// Nyquist frequency of the two; up to 0.9 of it the error is below 1e-4. Equal steps copy the samples.
std::vector<double> resample(std::span<const double> input, double dt_in, double dt_out, std::int64_t output_samples,
                             Tail tail = Tail::continued);
/// Resamples a series that is zero after its end, up to the last output sample that is not zero.
std::vector<double> resample_whole(std::span<const double> input, double dt_in, double dt_out);
/// Brings traces to another sampling, each as resample() does. In and Out are float or double. \param first_s the time
/// of the first input sample, before which they are zero; output begins at t = 0.
template <typename In, typename Out>
void resample_traces(const TraceList<const In>& input, double dt_in, double dt_out, const TraceList<Out>& output,
                     double first_s = 0.);
/// The transpose of resample_traces(), as that of weigh_traces(): from residuals dt_out apart to samples dt_in apart.
void resample_traces_transposed(const TraceList<const double>& residual, double dt_in, double dt_out,
                                const TraceList<double>& adjoint);

/// The band-limited series at any time t, zero before its first and after its last sample.
double interpolate(std::span<const double> series, double dt_s, double t_s);

}  // namespace onda
