/// \file
/// Media that absorb, by relaxation of their compliance: which mechanisms they have, and how strong these are.
///
/// A wave exp(i omega t) sees -omega^2 J(omega) p = c_U^2 (L p + s) with J = 1 + sum_l j_l / (1 + i omega tau_l), j_l
/// not negative: its velocity is c_U at infinite frequency, and lower below. The mechanisms of a medium have the same
/// times tau_l everywhere; their strengths j_l, and c_U, follow from vp and Q of each node.
///
/// With classes of nodes (kernels/equations/node_class.hpp) every node has some of the mechanisms, as much stronger as
/// they are rarer (Day & Bradley 2001, Bull. Seismol. Soc. Am. 91; Graves & Day 2003 for moduli). p is smooth over a
/// few nodes, so that it sees the plain mean of the compliances. A node then remembers one or two numbers, whatever the
/// number of mechanisms.
#pragma once

#include <array>
#include <complex>
#include <cstddef>

#include "kernels/equations/node_class.hpp"

namespace onda {

inline constexpr int kMostMechanisms = 4;

/// What a medium of many velocities and Q absorbs by: the band in which Q is held, and how well.
struct Relaxation {
    double reference_hz = 10.;          ///< where vp is the phase velocity, and Q is q
    double low_hz = 4., high_hz = 25.;  ///< the band of the fit
    int mechanisms = kMostMechanisms;   ///< 1 … kMostMechanisms
    double power = 1.;                  ///< attenuation grows with this power of the frequency; 1: Q is constant
    bool operator==(const Relaxation&) const = default;
};

/// The wavenumber k = omega / c - i alpha of exp(i omega t - i k x) over omega / vp that a medium of this Q is to have.
/// For power 1 Kjartansson's (1979, J. Geophys. Res. 84), Q the same at every frequency: c = vp (f / f_ref)^gamma,
/// gamma = atan(1/Q) / pi, alpha = omega / c tan(pi gamma / 2). Otherwise alpha = alpha_ref (f / f_ref)^power with
/// alpha_ref = omega_ref / vp tan(atan(1/Q) / 2), and the dispersion that causality then asks for (Szabo 1995, J.
/// Acoust. Soc. Am. 97). \param power 1, or in (1, 2].
std::complex<double> wanted_wavenumber(const Relaxation& relaxation, double q, double frequency_hz);

/// The middle of the band on a logarithmic axis.
double centre_hz(const Relaxation& relaxation);
/// Q at the centre of the band of a medium of Q q at the reference frequency: the same for power 1.
double q_at_centre(const Relaxation& relaxation, double q);

/// The strengths of the mechanisms of a medium of velocity 1: J = J_U (1 + sum_l j_l / (1 + i omega tau_l)).
struct Mechanisms {
    double compliance = 1.;                          ///< J_U = c_U^-2
    std::array<double, kMostMechanisms> strength{};  ///< j_l; 0 beyond those that there are
};

/// The largest errors of a fit in its band.
struct FitError {
    double loss = 0.;      ///< of 1/Q, relative
    double velocity = 0.;  ///< of the phase velocity, relative
};
/// The larger of both errors each; what is no number is larger than any.
FitError worse(const FitError& a, const FitError& b);

/// The mechanisms that a band asks for, their times and their strengths for any Q, of steps of dt: these see a time tau
/// as if it were longer. The response that is fitted is that at omega = (2 / dt) sin(theta / 2), theta the phase of a
/// step: what a trace has once its time dispersion is removed.
class RelaxationFit {
public:
    /// Chooses the times of the mechanisms, the best there are for a Q of 30 at the centre of the band in least
    /// squares. That takes up to two tenths of a second for the first dt of a band in a process, and a few hundredths
    /// for further ones. \param dt_s 0: of continuous time.
    RelaxationFit(const Relaxation& relaxation, double dt_s);

    [[nodiscard]] const Relaxation& relaxation() const { return relaxation_; }
    /// tau_l [s], longest first.
    [[nodiscard]] double time_s(int mechanism) const { return time_s_[static_cast<std::size_t>(mechanism)]; }
    /// The strengths for a Q, none of them negative, by least squares over the band, with c_U at most 1.5 times the
    /// velocity at its upper end, or vp: c_U over vp grows as Q falls. \param q at the reference frequency, and so
    /// below.
    [[nodiscard]] Mechanisms mechanisms(double q) const;
    /// How far from what is wanted these are. Where a power of the frequency absorbs most of a wave within a
    /// wavelength, errors of 1/Q are large, since c_U is bounded.
    [[nodiscard]] FitError error(double q) const;

private:
    Relaxation relaxation_;
    double dt_s_;
    std::array<double, kMostMechanisms> time_s_;
};

/// Which mechanism a memory field has at a class of nodes, and which part of all such nodes' strength each has: 1 where
/// every node has it. \param fields of memory, 1 or 2. With one field there are up to 4 mechanisms in 3-D and up to 2
/// in 2-D, with two up to 4.
struct MechanismOfClass {
    int mechanism = 0;
    double times_stronger = 1.;  ///< than the mean over all nodes
};
MechanismOfClass mechanism_of_class(int mechanisms, int fields, int field, int node_class);

}  // namespace onda
