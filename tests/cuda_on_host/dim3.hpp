/// \file
/// CUDA's extents of grids and blocks.
#pragma once

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned along_x = 1, unsigned along_y = 1, unsigned along_z = 1)
        : x(along_x), y(along_y), z(along_z) {}
};
