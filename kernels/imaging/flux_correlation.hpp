/// \file
/// What the gradient of a misfit with respect to density takes of two wavefields where they lie: the derivative with
/// respect to the buoyancy b between nodes.
///
/// A perturbation of b between two nodes, along one axis, adds -k (1 + Z) D* db (1 + Psi) D p[n] to level n + 1, so
/// that the derivative of a misfit is
///     dJ/db = -W sum over n of (D nu~[n+1]) ((1 + Psi) D p[n]),
/// where nu~ is the adjoint field nu out of the coordinates of all layers but those of this axis, whose 1 + Z is what
/// the perturbation has, and W halves half nodes on rigid faces across the other axes. Tapers of sponges cancel. The
/// filter 1 + Psi in the order of n is the same one on D nu~ in the order of the adjoint run, so that all filters are
/// on its side, met at every step, and the levels p[n] that are kept may be some of them.
///
/// A slot keeps the latest level of the forward field, p[n], and is met when the latest level of the adjoint field is
/// nu[n+1]: the pair of the differences of kernels/imaging/correlation.hpp that are kept a step later.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/fields/field_set.hpp"
#include "kernels/shot_state.hpp"

namespace onda {

/// The name of a part of a state that belongs to an axis: "image_x".
inline std::string flux_part(const char* what, int axis) {
    return std::string(what) + "_" + "xyz"[axis];
}

/// The images of the fluxes of some shots on one device. What it is asked to do is queued after the steps of the
/// wavefield that is given; calls that return data wait. Its state is as that of a Correlation.
class FluxCorrelation : public ShotState {
public:
    /// Zeroes the images and what layers remember; levels that were kept stay.
    virtual void reset() = 0;
    /// Keeps the latest level of a forward field. Slabs exchange planes for it. \param slot 0 … slots - 1.
    virtual void keep(FieldSet& forward, std::int64_t slot) = 0;
    /// Meets the adjoint field as it is now: adds to the images the products with what a slot keeps. Slabs exchange
    /// planes for it. \param slot -1: only what layers remember moves on. Where there are layers every step of the
    /// adjoint run is to be met.
    virtual void meet(FieldSet& adjoint, std::int64_t slot) = 0;
    /// Whether layers remember.
    [[nodiscard]] virtual bool remembers() const = 0;
    /// The sum over what met of (D nu~) (D p) of a shot on the half nodes of an axis (HalfNodes::owned), [z][y][x].
    /// Waits. \param axis 0 x, 1 y, 2 z, that the grid has.
    virtual void download(int axis, std::span<double> image, int shot) const = 0;
    [[nodiscard]] virtual std::int64_t allocated_bytes() const = 0;
};

}  // namespace onda
