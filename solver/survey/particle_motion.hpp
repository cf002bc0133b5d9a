/// \file
/// Particle motion at receivers, which follows from the gradient of pressure by Newton's second law:
///     rho a = -grad p,    v = int a dt.
/// What is recorded is the derivative of pressure along an axis, a weighted sum of nodes as pressure itself is, so that
/// devices, slabs and processes know nothing of it; the rest is done with traces.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "io/config/config.hpp"
#include "io/results/seismograms.hpp"
#include "kernels/grid/grid.hpp"

namespace onda {

struct Survey;
class Equation;

/// What receivers record beside pressure, and what is written of it.
struct ParticleMotion {
    std::vector<const GatherQuantity*> written;  ///< of particle_motions(), in their order
    std::vector<int> axes;                       ///< along which pressure is differentiated, ascending
    std::optional<double> rho_kg_m3;             ///< where the equation has no density

    [[nodiscard]] bool empty() const { return written.empty(); }
    /// What a receiver is for devices, pressure included: a row for each of these.
    [[nodiscard]] std::int64_t rows() const { return 1 + std::ssize(axes); }
};

/// The sections that say what is recorded. Refers to them.
struct MotionSections {
    const SeismogramConfig& seismograms;
    const ModelConfig& model;
};

/// What a configuration asks for. \throws Error(config) for a component along an axis that the grid does not have, one
/// that is listed twice, and a density that is missing, or that the model has and the section gives, too.
ParticleMotion particle_motion(const MotionSections& sections, const Equation& equation, int dimensions,
                               const ConfigOrigin& origin);
/// Lets the receivers of a survey record it.
void record_motion(Survey& survey, ParticleMotion motion, const Grid& grid);

}  // namespace onda
