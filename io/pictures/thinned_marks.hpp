/// \file
/// Which of many marks are drawn, so that they stay apart and are as regular as what they mark.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace onda {

/// Numbers of the places to be kept, ascending. Of a regular grid every k-th column and every l-th row are kept, of
/// other places every k-th of the list, with the least k and l that leave neighbours `least` apart or more.
std::vector<std::size_t> evenly_thinned(std::span<const std::array<double, 2>> places, double least);

}  // namespace onda
