/// \file
/// What makes a second wavefield the first-order (Born) scattered field of another one: the derivative of a forward
/// field in the direction of a perturbation of k, step by step beside it.
///
/// Perturbed by dk, a step p[n+1] = G (2 p[n] - G p[n-1] + A p[n]) + f[n] of tapers G scatters
///     (dk / k) a[n],   a[n] = p[n+1] - 2 G p[n] + G^2 p[n-1] = D[n+1] - G D[n],   D[n+1] = p[n+1] - G p[n],
/// into level n + 1 of the scattered field, which obeys the same recursion without f. D[n+1] is what the two levels of
/// the background differ by after its step n: layers, sources and the order of the operator are in it. A step takes
/// its field's level n - 1 times -G, so that
///     level n - 1  -=  (dk / k) (D[n+1] / G - D[n])
/// before step n of the scattered field adds just this source, and whatever the step records has seen it.
///
/// A step of order 4 in time, p[n+1] = G (2 p[n] - G p[n-1] + u[n] + A u[n] / 12) + ..., u[n] = A p[n] + f[n], scatters
///     (dk / k) a[n] + G / 12 A (dk / k) u[n]:
/// the second term comes of dk / k u[n] in the u of the scattered field's own step, which adds it to level n + 1, too,
/// so that it is taken from the first.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/fields/field_set.hpp"

namespace onda {

/// The scattering of every field of some shots on one device into the same of others: of two stresses, whose steps add
/// k C g, a change of k at fixed epsilon and delta scatters (dk / k) a[n] of each. What it is asked to do is queued
/// after the steps of both wavefields, and before their next ones.
class Scattering {
public:
    virtual ~Scattering() = default;

    /// Sets dk/k of every node, [z][y][x], x fastest, for all shots. Waits for what is queued.
    virtual void set_perturbation(std::span<const double> ratio) = 0;
    /// Lets the next step be the first one, of a background at rest.
    virtual void reset() = 0;
    /// Takes what step n of the background has added into step n of the scattered field. Must follow every step of the
    /// background, and come before the same step of the scattered field.
    virtual void scatter(const FieldSet& background, FieldSet& scattered) = 0;
    /// Of order 4 in time, where u is kept: takes what else it has added into the u of the scattered field's step. Must
    /// follow scatter() and Operation::step_twice of that step.
    virtual void scatter_applied(const FieldSet& background, FieldSet& scattered) = 0;
    [[nodiscard]] virtual std::int64_t allocated_bytes() const = 0;
};

/// Whether strips of a problem damp: whether G is less than 1 somewhere along an edge of the grid. Tapers are products
/// of those along the axes.
bool has_gains(const Problem& problem);
/// 1/G of every node, [z][y][x]; nothing where no strip damps. \throws std::invalid_argument where one leaves nothing
/// of p.
std::vector<double> inverse_gains(const Problem& problem);

}  // namespace onda
