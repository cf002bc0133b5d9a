/// \file
/// How long traces are freed of the dispersion of the time step (time_dispersion.hpp, whose equation (3) is meant
/// here), and the transposes of that.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "solver/signal/fourier.hpp"
#include "solver/signal/phase_map.hpp"
#include "solver/signal/phase_spectrum.hpp"
#include "solver/signal/resampling.hpp"

namespace onda {

/// The correction of order 2 in time. The windows of late samples are wide: a long trace is therefore cut into chunks
/// of output samples, and each is moved to the beginning of the time axis, where windows are narrow, by one filter for
/// all its samples. The weights of the first chunk then serve all of them, and the work grows with n log n. Short
/// traces are done sooner without. The filter takes away what lies beyond the band; the weights, of a wider one, leave
/// all that it left as it is: every sample has passed one taper, whatever the length of its record.
class ChunkedTraces {
public:
    explicit ChunkedTraces(const PhaseMap& map);

    template <typename In, typename Out>
    void correct(const TraceList<const In>& input, const TraceList<Out>& output) const;
    /// The transpose. What the chunks give is added in their order. \param adjoint of input samples; overwritten.
    void correct_transposed(const TraceList<const double>& residual, const TraceList<double>& adjoint) const;

    /// What an object and a call of correct() allocate, or of its transpose.
    static std::int64_t bytes(const PhaseMap& map, std::int64_t output_samples, std::int64_t trace_count,
                              std::int64_t threads, bool transposed);

private:
    /// The input samples that the weights of the first chunk reach.
    struct Window {
        std::int64_t first = 0, count = 0;

        explicit Window(const PhaseMap& map);
    };
    class Mover;
    struct Part;

    static KeptWeights make_weights(const PhaseMap& map, const Window& window);
    template <typename Body>
    void for_parts(std::int64_t output_samples, std::int64_t trace_count, const Body& body) const;

    PhaseMap map_, map_of_chunks_;
    Window window_;
    KeptWeights weigh_;
};

/// The correction of order 4 in time. Its band may reach to where theta turns infinitely fast, and has no room for the
/// wider one of chunks. (3) is taken at the phases phi of an output that is long enough for no wave to come round to
/// the record: p[i] = 1 / (ratio n) sum over k of taper(y) u(y) exp(2 pi i k i / n) with phi(y) = 2 pi k / n.
class WholeTraces {
public:
    WholeTraces(const PhaseMap& map, std::int64_t input_samples, std::int64_t output_samples);

    template <typename In, typename Out>
    void correct(const TraceList<const In>& input, const TraceList<Out>& output) const;
    /// The transpose. \param adjoint of input samples; overwritten.
    void correct_transposed(const TraceList<const double>& residual, const TraceList<double>& adjoint) const;

    /// What an object and a call of correct() allocate; the transpose takes no more.
    static std::int64_t bytes(const PhaseMap& map, std::int64_t input_samples, std::int64_t output_samples,
                              std::int64_t threads);

private:
    template <typename In, typename Out>
    void correct_one(std::span<const In> input, std::span<Out> output) const;
    void transpose_one(std::span<const double> residual, std::span<double> adjoint) const;

    std::size_t length_;  ///< of the circle of output samples
    FourierTransform transform_;
    std::vector<double> amplitude_;  ///< [phases]
    PhaseSpectrum spectrum_;
};

}  // namespace onda
