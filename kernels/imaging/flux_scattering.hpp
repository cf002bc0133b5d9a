/// \file
/// What perturbations of the buoyancy between nodes scatter: beside kernels/imaging/scattering.hpp, which has those of
/// k, the other half of the first-order (Born) field of variable density.
///
/// A perturbation db of the buoyancies adds to level n + 1 of the scattered field the tapers G times
///     -k sum over axes of (1 + Z) D* db (1 + Psi) D p[n],
/// with the filters of layers in a memory of their own. A step takes its field's level n - 1 times -G, so that what is
/// added there before step n is k times that sum, as it stands. p[n] is taken from the background a step before: its
/// step n damps it where there are sponges.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/fields/field_set.hpp"

namespace onda {

/// A perturbation of the medium between nodes, and what scales it.
struct FluxPerturbation {
    std::vector<double> k;                        ///< of every node, [z][y][x], as kernels have it: 0 on free surfaces
    std::array<std::vector<double>, 3> buoyancy;  ///< db of the half nodes (HalfNodes::reached) of each axis there is
};

/// The scattering by fluxes of the first field of some shots on one device, into the first of other fields. What it is
/// asked to do is queued after the steps of both wavefields, and before their next ones.
class FluxScattering {
public:
    virtual ~FluxScattering() = default;

    /// For all shots. Waits for what is queued.
    virtual void set_perturbation(const FluxPerturbation& perturbation) = 0;
    /// Lets the next step be the first one, of a background at rest.
    virtual void reset() = 0;
    /// As Scattering::scatter(). Slabs exchange planes for it.
    virtual void scatter(FieldSet& background, FieldSet& scattered) = 0;
    [[nodiscard]] virtual std::int64_t allocated_bytes() const = 0;
};

}  // namespace onda
