#include "kernels/equations/attenuation/drag.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "kernels/equations/parameters.hpp"

namespace onda {
namespace {

/// -Im k / Re k at the reference frequency: k = (omega / vp) (1 - i loss).
double loss_of_wavenumber(double q) {
    return std::tan(0.5 * std::atan(1. / q));
}

/// tan(theta / 2) of steps whose waves are at (2 / dt) sin(theta / 2), over omega dt / 2.
double half_phase(double frequency_hz, double dt_s) {
    const double chord = std::numbers::pi * frequency_hz * dt_s;
    return 1. / std::sqrt(1. - chord * chord);
}

/// k and g: (c_U / vp)^-2 = 1 - loss^2, sigma = omega_0 / Q.
class DragFit final : public MediumFit {
public:
    DragFit(const EquationRow& lossless, const Relaxation& relaxation, double dt_s)
        : lossless_(lossless),
          dt_s_(dt_s),
          of_loss_(std::numbers::pi * relaxation.reference_hz * dt_s * half_phase(relaxation.reference_hz, dt_s)) {}

    void row(std::size_t array, std::span<const std::vector<float>> parameters, std::int64_t, std::int64_t,
             std::span<double> values) const override {
        set_row(array, parameters, values, [&](double k, double q) {
            if (q >= kLossless) return k;
            const double loss = loss_of_wavenumber(q), drag = of_loss_ / q;
            return array == 0 ? k / ((1. - loss * loss) * (1. + drag)) : 2. * drag / (1. + drag);
        });
    }
    /// With loss = tan(atan(1 / Q) / 2): d loss / dQ = -(1 + loss^2) / (2 (1 + Q^2)).
    void slope_row(std::size_t array, std::span<const std::vector<float>> parameters, std::int64_t, std::int64_t,
                   std::span<double> slopes) const override {
        set_row(array, parameters, slopes, [&](double k, double q) {
            if (q >= kLossless) return 0.;
            const double loss = loss_of_wavenumber(q), drag = of_loss_ / q;
            const double of_loss = -0.5 * (1. + loss * loss) / (1. + q * q), of_drag = -drag / q;
            if (array > 0) return 2. * of_drag / ((1. + drag) * (1. + drag));
            const double rest = 1. - loss * loss;
            return k / (rest * (1. + drag)) * (2. * loss * of_loss / rest - of_drag / (1. + drag));
        });
    }
    /// p[n] in the place of the memory of gradients changes by all of p[n] - p[n-1] in a step.
    [[nodiscard]] std::array<double, kNodeClasses> of_class(std::size_t) const override { return {1., 1., 1., 1.}; }

private:
    /// Sets the nodes of a row to of_node(k without loss, which is 0 for other arrays than k, Q).
    template <typename OfNode>
    void set_row(std::size_t array, std::span<const std::vector<float>> parameters, std::span<double> values,
                 const OfNode& of_node) const {
        for (std::size_t x = 0; x < values.size(); ++x) {
            double node[kMaxParameters] = {};
            for (std::size_t i = 0; i < parameters.size(); ++i) node[i] = static_cast<double>(parameters[i][x]);
            const double k = array == 0 ? lossless_.arrays.front().value(node, dt_s_) : 0.;
            values[x] = of_node(k, node[parameters.size() - 1]);
        }
    }

    const EquationRow& lossless_;
    double dt_s_;
    double of_loss_;  ///< G Q
};

}  // namespace

std::shared_ptr<const MediumFit> drag_fit(const EquationRow& lossless, const Relaxation& relaxation, double dt_s) {
    return std::make_shared<DragFit>(lossless, relaxation, dt_s);
}

double drag_stiffening(double q) {
    if (q >= kLossless) return 1.;
    const double loss = loss_of_wavenumber(q);
    return 1. / std::sqrt(1. - loss * loss);
}

FitError drag_error(const Relaxation& r, double q, double dt_s) {
    constexpr int frequencies = 161;
    const double stiffening = drag_stiffening(q);
    FitError error;
    for (int i = 0; i < frequencies; ++i) {
        const double hz = r.low_hz * std::pow(r.high_hz / r.low_hz, static_cast<double>(i) / (frequencies - 1));
        const double own_loss = r.reference_hz / hz * half_phase(r.reference_hz, dt_s) / half_phase(hz, dt_s) / q;
        const std::complex<double> own = std::sqrt(std::complex<double>(1., -own_loss)) / stiffening,
                                   wanted = wanted_wavenumber(r, q, hz), squared = wanted * wanted;
        error = worse(error, {std::abs(own_loss / (-squared.imag() / squared.real()) - 1.),
                              std::abs(wanted.real() / own.real() - 1.)});
    }
    return error;
}

}  // namespace onda
