/// \file
/// The names that configurations may use, from the tables of kernels, models, boundaries and wavelets.
#pragma once

#include "io/config/vocabulary.hpp"

namespace onda {

/// The vocabulary that reading a configuration and describing its format take: io/ knows nothing of these tables.
Vocabulary vocabulary();

}  // namespace onda
