/// \file
/// The interface between a model and the device that holds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "kernels/setup.hpp"

namespace onda {

class Wavefield;

/// A reader of one parameter writes its nx values on row (y, z): velocities [m/s], densities [kg/m3]. It is called by
/// several threads at once, and again for rows that a halo mirrors.
using RowReader = std::function<void(std::int64_t y, std::int64_t z, std::span<float> values)>;

/// A reader for each parameter of an equation, in the order of its row: vp, and with variable density rho.
using MediumReaders = std::vector<RowReader>;

/// The parameters of one grid on one device, in the form that kernels read. Loaded once, read by every wavefield;
/// complete when constructed, and never changed.
class Medium : public std::enable_shared_from_this<Medium> {
public:
    virtual ~Medium() = default;

    [[nodiscard]] const Setup& setup() const { return setup_; }
    /// One line for logs: device, kernel, instruction set, threads.
    [[nodiscard]] virtual std::string description() const = 0;
    /// The name of the kernel that advances its wavefields.
    [[nodiscard]] virtual std::string kernel() const = 0;
    /// Bytes held for the parameters.
    [[nodiscard]] virtual std::int64_t allocated_bytes() const = 0;

    /// Gives the values of an array of the equation (Equation::arrays) at nodes (Grid::at indices).
    virtual void values_at(std::size_t array, std::span<const std::int64_t> nodes, std::span<double> values) const = 0;

    /// A wavefield of shots at rest that advance together, without sources and receivers. It holds this medium for as
    /// long as it lives. \param shots at most what most_shots() of the device says. \throws std::bad_alloc,
    /// cuda::Error.
    [[nodiscard]] std::unique_ptr<Wavefield> make_wavefield(int shots = 1);
    /// A wavefield with other absorbing strips than those of the set-up: the arrays of the medium do not depend on
    /// them, so that wavefields with and without layers share one k. \throws std::invalid_argument for strips that do
    /// not fit.
    [[nodiscard]] virtual std::unique_ptr<Wavefield> make_wavefield(int shots, const StripList& strips) = 0;

    /// Waits until no other medium of the device steps a batch with which this one, of so many shots, would have to
    /// share the device's cache, so that neither found its fields there.
    /// \returns what ends the turn; no lock where turns are of no use.
    [[nodiscard]] virtual std::unique_lock<std::mutex> take_turn(int /*shots*/) const { return {}; }

protected:
    explicit Medium(Setup setup) : setup_(std::move(setup)) {}
    /// The set-up of a wavefield with these strips. \throws std::invalid_argument
    [[nodiscard]] Setup setup_with(const StripList& strips) const {
        Setup setup = setup_;
        setup.strips = strips;
        check_problem(setup);
        return setup;
    }

private:
    Setup setup_;
};

/// What the equation of a problem works out once for its arrays; null where nothing is.
inline std::shared_ptr<const MediumFit> fit_of(const Problem& problem, double dt_s) {
    const auto fit = problem.scheme.equation->fit;
    return fit == nullptr ? nullptr : fit(problem.scheme, problem.grid.dimensions, dt_s);
}

/// The values of an array of the equation at the nodes of a row, walls and all. \param array its place among those of
/// the equation. \param fit fit_of() the problem. \param parameters a row each, of row (y, z) of the problem's grid.
/// \param values as long as these.
void write_array_row(const Problem& problem, std::size_t array, const MediumFit* fit,
                     std::span<const std::vector<float>> parameters, double dt_s, std::int64_t y, std::int64_t z,
                     std::span<double> values);

/// The array with the strength g of a memory field (EquationRow::memory), or of drag: those of all fields are the last
/// ones.
inline std::size_t array_of_memory(const Problem& problem, std::size_t field) {
    const EquationRow& equation = *problem.scheme.equation;
    return equation.arrays.size() - strengths_of(equation) + field;
}

/// Readers of the same values whose plane 0 is plane `first_plane` of these, which must outlive them.
MediumReaders readers_from_plane(const MediumReaders& readers, std::int64_t first_plane);

/// Checks the readers of a medium. \throws std::invalid_argument unless there is a reader for each parameter of the
/// problem's equation, and no other.
void check_readers(const Problem& problem, const MediumReaders& readers);

}  // namespace onda
