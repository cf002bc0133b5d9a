/// \file
/// What is summed where a forward field and an adjoint field meet.
#pragma once

namespace onda {

struct ImageSums {
    bool differences = true;   ///< products of what levels differ by, of which gradients are made
    bool pressures = false;    ///< products of pressures, nu[n+1] p[n]
    bool illuminates = false;  ///< squares, too: of pressures where these are summed, otherwise of differences
    bool density = false;      ///< products of fluxes, for the gradient of density

    /// Whether levels before those that are met are kept, too.
    [[nodiscard]] bool takes_level_before() const { return pressures || density; }
    bool operator==(const ImageSums&) const = default;
};

}  // namespace onda
