/// \file
/// The arrays of a medium row by row, halos included, as every device stores them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/equations/equation.hpp"
#include "kernels/grid/halo.hpp"
#include "kernels/medium.hpp"
#include "kernels/plan/layouts.hpp"

namespace onda {

/// Computes one array of a medium from the parameters of an equation.
class MediumRows {
public:
    /// \param fit of the equation, if it has one. \param readers and all others must outlive this.
    MediumRows(const Problem& problem, const MediumArray& array, const MediumReaders& readers, double dt_s,
               const MediumFit* fit)
        : problem_(problem),
          array_(array),
          readers_(readers),
          dt_s_(dt_s),
          fit_(fit),
          halo_(medium_halo(problem, array)) {}

    /// The number of rows of the array along an axis, halos included.
    [[nodiscard]] std::int64_t rows_along_y() const { return problem_.grid.ny() + 2 * halo_[1]; }
    [[nodiscard]] std::int64_t rows_along_z() const { return problem_.grid.nz() + 2 * halo_[2]; }
    [[nodiscard]] std::array<std::int64_t, 3> halo() const { return halo_; }

    /// The memory that writing a row takes: one a thread.
    struct Scratch {
        std::vector<std::vector<float>> parameters;
        std::vector<double> values;
    };
    [[nodiscard]] Scratch scratch() const {
        const auto nx = static_cast<std::size_t>(problem_.grid.nx());
        return {std::vector(readers_.size(), std::vector<float>(nx)), std::vector<double>(nx)};
    }

    /// Writes row (y, z), which may lie in the halo, and its own halo along x. \param row at node 0, of numbers or,
    /// with the problem's codes, of codes.
    template <typename T>
    void write(std::int64_t y, std::int64_t z, T* row, Scratch& scratch) const {
        const Grid& grid = problem_.grid;
        const std::int64_t nx = grid.nx(), from_y = image(1, y), from_z = image(2, z);
        for (std::size_t i = 0; i < readers_.size(); ++i) readers_[i](from_y, from_z, scratch.parameters[i]);
        write_array_row(problem_, number(), fit_, scratch.parameters, dt_s_, from_y, from_z, scratch.values);
        if (is_wall(1, from_y) || is_wall(2, from_z)) std::ranges::fill(scratch.values, 0.);
        if (is_wall(0, 0)) scratch.values.front() = 0.;
        if (is_wall(0, nx - 1)) scratch.values.back() = 0.;
        for (std::int64_t x = 0; x < nx; ++x) row[x] = stored<T>(scratch.values[static_cast<std::size_t>(x)]);
        for (std::int64_t j = 1; j <= halo_[0]; ++j) {
            row[-j] = row[image(0, -j)];
            row[nx - 1 + j] = row[image(0, nx - 1 + j)];
        }
    }

private:
    /// The array's place among those of the equation.
    [[nodiscard]] std::size_t number() const {
        return static_cast<std::size_t>(&array_ - problem_.scheme.equation->arrays.data());
    }
    template <typename T>
    [[nodiscard]] T stored(double value) const {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(problem_.medium.encoded(static_cast<float>(value)));
        else
            return static_cast<T>(value);
    }
    [[nodiscard]] std::int64_t image(std::size_t axis, std::int64_t i) const {
        return model_image(i, problem_.grid.n[axis], problem_.halos[2 * axis], problem_.halos[2 * axis + 1]);
    }
    [[nodiscard]] bool is_wall(std::size_t axis, std::int64_t i) const {
        return array_.zero_on_walls &&
               ((i == 0 && problem_.halos[2 * axis] == Halo::mirror_negative) ||
                (i == problem_.grid.n[axis] - 1 && problem_.halos[2 * axis + 1] == Halo::mirror_negative));
    }

    const Problem& problem_;
    const MediumArray& array_;
    const MediumReaders& readers_;
    double dt_s_;
    const MediumFit* fit_;
    std::array<std::int64_t, 3> halo_;
};

}  // namespace onda
