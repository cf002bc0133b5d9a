/// \file
/// What a file says about the regular grid its values lie on.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace onda {

/// Triples are (x, y, z); dimensions 2 means x and z (shape[1] = 1).
struct FileGeometry {
    int dimensions = 3;
    std::array<std::int64_t, 3> shape{1, 1, 1};
    std::array<double, 3> spacing_m{1., 1., 1.};
    std::array<double, 3> origin_m{0., 0., 0.};
};

}  // namespace onda
