/// \file
/// What is summed where a forward field and an adjoint field meet.
#pragma once

namespace onda {

struct ImageSums {
    bool differences = true;   ///< products of what levels differ by, of which gradients are made
    bool pressures = false;    ///< products of pressures, nu[n+1] p[n]; of two stresses those of the vertical one
    bool stresses = false;     ///< beside pressures, of two stresses those of the horizontal one, too
    bool illuminates = false;  ///< squares, too: of pressures where these are summed, otherwise of differences
    bool density = false;      ///< products of fluxes, for the gradient of density
    bool anisotropy = false;   ///< products of the strain with the vertical stress, for gradients of epsilon and delta
    bool offsets = false;      ///< products of pressures at nodes that lie apart, whatever the illumination is of

    /// Whether levels before those that are met are kept, too.
    [[nodiscard]] bool takes_level_before() const { return keeps_pressures() || density; }
    [[nodiscard]] bool keeps_pressures() const { return pressures || offsets; }
    /// Which of both correlations sums squares.
    [[nodiscard]] bool illuminates_pressures() const { return illuminates && pressures; }
    [[nodiscard]] bool illuminates_differences() const { return illuminates && !pressures; }
    bool operator==(const ImageSums&) const = default;
};

}  // namespace onda
