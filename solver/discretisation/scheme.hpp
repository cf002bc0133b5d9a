/// \file
/// What a configuration makes of space: operator, order, weights.
#pragma once

#include "io/config/config.hpp"
#include "kernels/equations/scheme.hpp"

namespace onda {

Scheme make_scheme(const Config& config);

}  // namespace onda
