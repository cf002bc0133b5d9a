/// \file
/// What wavefields and models are computed in.
#pragma once

namespace onda {

enum class Precision { float32, float64 };

}  // namespace onda
