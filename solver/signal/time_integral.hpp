/// \file
/// The integral over time of a sampled trace.
#pragma once

#include <span>

namespace onda {

/// The integral from before the trace, where it is zero, up to each of its samples: of the band-limited series through
/// them, by a Kaiser-windowed sinc over 64 of them. Its relative error is below 1e-5 up to 0.87 of the Nyquist
/// frequency, beyond which a trace that has been resampled fades. After its end the trace is continued by its point
/// reflection, which only the last 32 integrals see. Sums are in double, in the order of the samples.
/// \param integral as many values; may be the trace itself.
void integrate(std::span<const float> trace, double dt_s, std::span<float> integral);

}  // namespace onda
