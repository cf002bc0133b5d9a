/// \file
/// Imaging conditions: what migration takes for an image of the subsurface of two fields that have met, the forward
/// field p of a shot and the adjoint field nu of what its receivers recorded.
///
/// With I = sum over n of nu[n+1] p[n], K = sum of nu[n+1] (p[n+1] - 2 p[n] + p[n-1]) / k, and the scheme's symmetric
/// operator L, inverse scattering adds to K
///     Gamma = 1/2 sum of L(nu p) - nu L p - p L nu:
/// where both waves go along one path K + Gamma vanishes, at every frequency of the discrete scheme, and where one is
/// the mirror image of the other it is 2 K. Away from sources, receivers and layers both fields obey the scheme, so
/// that, summed by parts in time, sum of nu L p = sum of p L nu = K, and
///     K + Gamma = 1/2 L I,    K - Gamma = 2 K - 1/2 L I:
/// what takes derivatives of I is done once, when the fields have met. Images are these times k / dt^2, so that they
/// fall with the velocity as the illumination does.
///
/// In VTI K is the whole of nu' K^-1 (u[n+1] - 2 u[n] + u[n-1]) (kernels/imaging/correlation.hpp), which is that of
/// nu' Lambda u, and Gamma takes each stress along its axes: what L I is of one field is
///     (d_xx + d_yy) sum of nu_p p + d_zz sum of nu_q q
/// there, and the rest holds as it is. Cross-correlation takes I of the vertical stress q.
///
/// Claerbout (1971), Geophysics 36, 467-481; Op 't Root, Stolk and de Hoop (2012), J. Math. Pures Appl. 98, 211-238;
/// Whitmore and Crawley (2012), SEG Expanded Abstracts 1-5; Zhu, Luo, Nissen-Meyer, Morency and Tromp (2009),
/// Geophysics 74, WCA167-177 (impedance kernels).
#pragma once

#include <span>
#include <string_view>

#include "kernels/medium.hpp"
#include "kernels/setup.hpp"
#include "solver/imaging/gradient_run.hpp"
#include "solver/imaging/image_sums.hpp"
#include "solver/imaging/vp_gradient.hpp"

namespace onda {

/// A shot of a run that has ended, whose adjoint runs are of the recorded pressure itself, not of minus it.
struct MetFields {
    const GradientRun& run;
    int slot;  ///< of the shot
    const Problem& problem;
    const MediumReaders& readers;  ///< of the medium on the computed grid
    double dt_s;
};

/// A row of the table in imaging_condition.cpp.
struct ImagingCondition {
    std::string_view name, help;
    ImageSums sums;  ///< that it is made of
    /// The image on all computed nodes, positive where the velocity, or the impedance, of a thin layer is larger than
    /// that around it. Refers to what it is made of.
    ImagePlanes (*make)(const MetFields& met);
};
std::span<const ImagingCondition> imaging_conditions();

}  // namespace onda
