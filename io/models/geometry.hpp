/// \file
/// The regular grid that the values of a file lie on, as the file says.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace onda {

/// The geometry of a grid in a file. Triples are (x, y, z); dimensions 2 means x and z (shape[1] = 1).
struct FileGeometry {
    int dimensions = 3;
    std::array<std::int64_t, 3> shape{1, 1, 1};
    std::array<double, 3> spacing_m{1., 1., 1.};
    std::array<double, 3> origin_m{0., 0., 0.};
};

}  // namespace onda
