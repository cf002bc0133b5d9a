/// \file
/// How values on the nodes of a grid lie in a result file: [z][y][x] with coordinates, in chunks of whole planes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/hdf5/hdf5.hpp"
#include "io/models/geometry.hpp"

namespace onda {

/// The largest chunk of values on nodes [bytes].
inline constexpr hdf5::Extent kNodeChunkBytes = 16u << 20;

/// The values of three axes in the order of the axis labels, as in model files.
std::array<double, 3> z_y_x(const std::array<double, 3>& triple);
/// [z][y][x] of all nodes.
hdf5::Extents node_extents(const FileGeometry& geometry);
/// All nodes; where those take more than kNodeChunkBytes, cut along z, then y, then x.
hdf5::Extents node_chunk(const hdf5::Extents& extents);
/// The position of value `index` of [z][y][x], (x, y, z) [m].
std::array<double, 3> node_position(const FileGeometry& geometry, std::size_t index);
/// Bytes of the coordinates of all axes.
std::int64_t coordinate_bytes(const FileGeometry& geometry);

/// /x_m, /y_m and /z_m, in this order.
std::vector<hdf5::Dataset> write_coordinates_of_nodes(hdf5::Group& root, const FileGeometry& geometry);
/// Gives a dataset whose last dimensions are z, y, x the attributes `spacing` and `origin`, in this order, and the
/// coordinates, which get second names in its group: xarray looks in the group that it opens, and nowhere else.
/// \param scales of write_coordinates_of_nodes().
void describe_nodes(hdf5::Group& group, hdf5::Dataset& values, const FileGeometry& geometry,
                    const std::vector<hdf5::Dataset>& scales);

}  // namespace onda
