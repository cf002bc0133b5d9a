/// \file
/// Tells the configuration reader the names that live in the tables of kernels, models, boundaries and wavelets.
#pragma once

namespace onda {

/// Call once before reading a configuration or printing its schema; io/ knows nothing of these tables.
void offer_names();

}  // namespace onda
