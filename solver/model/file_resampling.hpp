/// \file
/// Values of a model file on the nodes of another grid: cropped, interpolated where the grid is finer than the file,
/// and averaged over cells where it is coarser.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "io/models/geometry.hpp"
#include "kernels/grid/grid.hpp"

namespace onda {

/// Reads a box of one of the file's quantities, [z][y][x].
using ReadBox =
    std::function<void(std::array<std::int64_t, 3> first, std::array<std::int64_t, 3> count, std::span<float> values)>;

/// Axes on which both have values: y only where both are 3-D.
bool shares_axis(const FileGeometry& file, const Grid& grid, int axis);

/// Whether the nodes of a file are those of a grid, along the axes that they share, but for rounding.
bool same_nodes(const FileGeometry& file, const Grid& grid);

/// Whether the grid is coarser than the file along any axis, so that nodes have more than one of the file's cells.
bool is_coarser(const FileGeometry& file, const Grid& grid);

/// About the memory that the file's values take while they are brought to the grid, slab by slab.
/// \param quantities that are read together.
std::int64_t slab_bytes(const FileGeometry& file, const Grid& grid, bool averaged, std::int64_t quantities);

/// What of several values means are taken: of Q, whose inverse is what is lost, the inverses.
enum class MeanOf { values, inverses };

/// Trilinear interpolation at the nodes: a node of the file is copied, bit for bit, and so are values that are alike.
/// \param values of the grid, [z][y][x]; the grid lies within the file.
void interpolate(const FileGeometry& file, const ReadBox& read, const Grid& grid, std::span<float> values,
                 MeanOf mean = MeanOf::values);

/// What of a file is averaged together: vp, and the density and other parameters that the run has from the file, all in
/// their place of `values`.
struct AveragedParameters {
    ReadBox vp;
    std::optional<ReadBox> rho;
    struct Further {
        ReadBox read;
        MeanOf mean = MeanOf::values;
    };
    std::vector<Further> further;
};

/// Means over the cells of the nodes, of the values of the file over its own: vp and rho as RockMean has them, further
/// parameters as means of their values or inverses. Along axes on which the grid is not coarser, neighbours count as in
/// interpolation. Cells that reach over the edge of the file have the mean of what is within. One value alone comes out
/// as it went in, bit for bit; the result depends neither on threads nor on how much is read at a time. \param vp, rho,
/// further results on the grid, [z][y][x]; rho is empty, and further as short, as asked for.
void average(const FileGeometry& file, const AveragedParameters& read, const Grid& grid, std::span<float> vp,
             std::span<float> rho, std::span<const std::span<float>> further);

}  // namespace onda
