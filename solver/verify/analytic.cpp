#include "solver/verify/analytic.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "kernels/equations/star/stencil.hpp"

namespace onda::verify {
namespace {

using std::numbers::pi;

}  // namespace

double greens_function_3d(const Signature& s, double r, double c, double t) {
    return s(t - r / c) / (4. * pi * r);
}

double greens_function_2d(const Signature& s, double r, double c, double t) {
    const double delay = r / c;
    if (t <= delay) return 0.;
    constexpr int intervals = 2000;
    const double du = std::acosh(t / delay) / intervals;
    double sum = 0.5 * s(t - delay);  // the other end is s(0) = 0
    for (int i = 1; i < intervals; ++i) sum += s(t - delay * std::cosh(i * du));
    return sum * du / (2. * pi);
}

AxisMode axis_mode(Halo low, Halo high, std::int64_t nodes, int half_waves, int radius) {
    const bool zero = low == Halo::zero && high == Halo::zero && radius == 1;
    if (!zero && (low == Halo::zero || high == Halo::zero))
        throw std::invalid_argument("a zero face has an exact discrete mode only at order 2 and with its twin");
    const double span = double(zero ? nodes + 1 : nodes - 1);
    AxisMode mode;
    mode.kh = pi * (low == high ? half_waves : half_waves - 0.5) / span;
    mode.shape.resize(std::size_t(nodes));
    for (std::int64_t i = 0; i < nodes; ++i) {
        const double phase = mode.kh * double(zero ? i + 1 : i);
        const bool node_of_mode =
            (i == 0 && low == Halo::mirror_negative) || (i == nodes - 1 && high == Halo::mirror_negative);
        // sin(m pi) is not quite zero in floating point, the pressure on a free surface is
        mode.shape[std::size_t(i)] =
            node_of_mode ? 0. : (low == Halo::mirror_positive ? std::cos(phase) : std::sin(phase));
    }
    return mode;
}

double discrete_frequency(const Scheme& scheme, const std::vector<double>& k, const std::vector<double>& spacing_m,
                          double c, double dt) {
    const double s = c * c * dt * dt * scheme.symbol(k, spacing_m);
    return 2. / dt * std::asin(0.5 * std::sqrt(scheme.time_order == 4 ? s - s * s / 12. : s));
}

double ricker(double peak_frequency_hz, double t0_s, double t_s) {
    const double a = std::pow(pi * peak_frequency_hz * (t_s - t0_s), 2);
    return (1. - 2. * a) * std::exp(-a);
}

double relative_l2(std::span<const double> a, std::span<const double> b) {
    double difference = 0., norm = 0.;
    for (std::size_t i = 0; i < b.size(); ++i) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        norm += b[i] * b[i];
    }
    return std::sqrt(difference / norm);
}

}  // namespace onda::verify
