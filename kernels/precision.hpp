/// \file
/// The precision of wavefields and media.
#pragma once

namespace onda {

/// The floating-point numbers that wavefields and media are computed in.
enum class Precision { float32, float64 };

}  // namespace onda
