/// \file
/// The energy of a field that the leapfrog scheme keeps.
#pragma once

#include <functional>
#include <span>

#include "solver/verify/experiment.hpp"

namespace onda::verify {

/// The share of a node in the inner product that makes L symmetric: a node on a rigid wall stands for half a cell, one
/// on a free surface holds no pressure.
double node_share(const Experiment& e, const std::array<std::int64_t, 3>& node);

using Node = std::array<std::int64_t, 3>;
using NodeValue = std::function<double(const Node&)>;

/// The energy E = 1/2 sum (p+ - p)^2 / (vp dt)^2 - 1/2 sum p+ L(p): what the leapfrog scheme keeps exactly where
/// nothing absorbs. With variable density the first term has rho (vp dt)^2 and L is div(1/rho grad). L is a plain loop.
/// \param vp_m_s, rho_kg_m3 of a node; the density is used where the scheme has one.
double staggered_energy(const Experiment& e, const NodeValue& vp_m_s, const NodeValue& rho_kg_m3,
                        std::span<const double> now, std::span<const double> previous);

/// The energy E = 1/2 sum (p+ - p)^2 / k - 1/2 sum p+ (4 L(p) + L(k L(p))), k = (vp dt)^2, of two even levels: what
/// leaps keep exactly. Steps of order 4 in time keep that with L(p) + L(k L(p)) / 12 instead. The last term is summed
/// as k L(p+) L(p), which is the same as L is symmetric.
/// \param vp_m_s of a node.
double leap_energy(const Experiment& e, const NodeValue& vp_m_s, std::span<const double> now,
                   std::span<const double> before);

/// The energy of a field whose nodes have a memory each, which never rises: with V = p+ - p, W = beta V + (1 - beta) R
/// and the strengths j of the nodes, E = 1/2 sum (V^2 + j W^2) / (c_U dt)^2 - 1/2 sum p+ L(p).
/// \param k, g, a of each node as kernels have them (kernels/equations/attenuation/memory.hpp). \param memory R after
/// the step to `now`; empty with drag, of which the energy is that of (c_U dt)^2 = k (1 + g / (2 - g)).
struct RelaxingNodes {
    std::span<const double> k, g, a;
};
double relaxing_energy(const Experiment& e, const RelaxingNodes& nodes, std::span<const double> now,
                       std::span<const double> previous, std::span<const double> memory);

}  // namespace onda::verify
