/// \file
/// Cycle skipping: synthetic traces that are more than half a period off the observed ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solver/signal/band_pass.hpp"
#include "solver/signal/fourier.hpp"

namespace onda {

/// How far traces are off. A misfit of differences pulls a trace to the nearest cycle, which is the right one within
/// half a period (Virieux and Operto 2009, Geophysics 74(6), WCC1-WCC26, fig. 7).
struct CycleSkips {
    std::int64_t traces = 0;    ///< whose shift is known
    std::int64_t skipped = 0;   ///< of these: more than half a period early or late
    std::int64_t unlike = 0;    ///< beside these: whose shift nothing can be said of
    double worst_shift_s = 0.;  ///< the largest of `traces`: positive where the observed trace is the later one
    double period_s = 0.;       ///< 1 / the mean of the centroid frequencies of the observed traces, in the band
    std::int64_t worst_shot = 0, worst_receiver = 0;  ///< numbers, from 1; 0 where there is no trace
};

/// Compares the traces of shots. What result() returns does not depend on the order of the shots, nor on the number of
/// threads, in any bit. 32 bytes a trace are kept.
class CycleSkipCheck {
public:
    /// \param samples of each trace, dt_s apart. \param band that both traces are filtered by; absent: they are
    /// compared as they are.
    CycleSkipCheck(std::size_t samples, double dt_s, const std::optional<ButterworthBand>& band);

    /// Adds a shot, once. The shift of a trace is where the correlation of both, divided by their norms, is largest, to
    /// a part of a sample by the parabola through three; one that nowhere reaches 0.3 counts as unlike. \param shot its
    /// number. \param synthetic, observed [receiver][sample], finite, windowed as they are to be compared; traces of
    /// which one is zero everywhere are not counted. \param trace_weights [receiver]: traces of weight 0 are not looked
    /// at; empty: 1 each. \throws std::invalid_argument if sizes differ.
    void add(std::int64_t shot, std::span<const float> synthetic, std::span<const float> observed,
             std::span<const double> trace_weights);
    [[nodiscard]] CycleSkips result() const;

private:
    /// What one comparison found.
    struct Comparison {
        std::int64_t shot = 0, receiver = 0;
        double shift_s = 0., centroid_hz = 0.;
    };
    enum class Kind : char { dead, unlike, alike };

    Kind compare(std::span<const float> synthetic, std::span<const float> observed, Comparison& found) const;
    [[nodiscard]] std::vector<double> filtered(std::span<const float> trace) const;

    std::size_t samples_, padded_;
    double dt_s_;
    FourierTransform fourier_;
    std::optional<BandPass> filter_;
    std::vector<Comparison> alike_;
    std::int64_t unlike_ = 0;
};

/// A warning for the log: empty where fewer than 5 % of the traces are skipped.
std::string warning_of(const CycleSkips& skips);

}  // namespace onda
