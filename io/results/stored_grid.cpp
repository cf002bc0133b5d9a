#include "io/results/stored_grid.hpp"

#include <algorithm>

#include "io/results/result_file.hpp"

namespace onda {
namespace {

constexpr std::array<const char*, 3> kCoordinates{"x_m", "y_m", "z_m"};

std::vector<double> coordinates(const FileGeometry& geometry, std::size_t axis) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < geometry.shape[axis]; ++i)
        values.push_back(geometry.origin_m[axis] + static_cast<double>(i) * geometry.spacing_m[axis]);
    return values;
}

}  // namespace

std::array<double, 3> z_y_x(const std::array<double, 3>& triple) {
    return {triple[2], triple[1], triple[0]};
}

hdf5::Extents node_extents(const FileGeometry& geometry) {
    const auto extent = [](std::int64_t count) { return static_cast<hdf5::Extent>(count); };
    return {extent(geometry.shape[2]), extent(geometry.shape[1]), extent(geometry.shape[0])};
}

hdf5::Extents node_chunk(const hdf5::Extents& extents) {
    hdf5::Extent room = kNodeChunkBytes / sizeof(float);
    hdf5::Extents chunk(extents.size());
    for (std::size_t axis = extents.size(); axis-- > 0;) {
        chunk[axis] = hdf5::even_chunk(extents[axis], std::max<hdf5::Extent>(room, 1));
        room /= chunk[axis];
    }
    return chunk;
}

std::array<double, 3> node_position(const FileGeometry& geometry, std::size_t index) {
    std::array<double, 3> position_m{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto extent = static_cast<std::size_t>(geometry.shape[axis]);
        position_m[axis] = geometry.origin_m[axis] + static_cast<double>(index % extent) * geometry.spacing_m[axis];
        index /= extent;
    }
    return position_m;
}

std::int64_t coordinate_bytes(const FileGeometry& geometry) {
    return 8 * (geometry.shape[0] + geometry.shape[1] + geometry.shape[2]);
}

std::vector<hdf5::Dataset> write_coordinates_of_nodes(hdf5::Group& root, const FileGeometry& geometry) {
    std::vector<hdf5::Dataset> scales;
    for (std::size_t axis = 0; axis < 3; ++axis)
        scales.push_back(write_coordinates(root, kCoordinates[axis], "m", coordinates(geometry, axis)));
    return scales;
}

void describe_nodes(hdf5::Group& group, hdf5::Dataset& values, const FileGeometry& geometry,
                    const std::vector<hdf5::Dataset>& scales) {
    values.set_numbers("spacing", z_y_x(geometry.spacing_m));
    values.set_numbers("origin", z_y_x(geometry.origin_m));
    for (std::size_t axis = 0; axis < 3; ++axis) {
        values.attach_scale(values.rank() - 1 - axis, scales[axis]);
        if (!group.contains(kCoordinates[axis])) group.link_here(kCoordinates[axis], scales[axis]);
    }
}

}  // namespace onda
