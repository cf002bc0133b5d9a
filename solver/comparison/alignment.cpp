#include "solver/comparison/alignment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "solver/comparison/interpolation.hpp"

namespace onda {
namespace {

/// A line continued by point reflection at either end, as far as its own samples reach.
double continued(const float* line, std::int64_t n, std::int64_t step, std::int64_t i) {
    if (i >= 0 && i < n) return line[i * step];
    const std::int64_t end = i < 0 ? 0 : n - 1, mirror = std::clamp<std::int64_t>(2 * end - i, 0, n - 1);
    return 2. * line[end * step] - line[mirror * step];
}

/// The samples of an axis that are read from within it after a shift.
std::array<std::int64_t, 2> valid_range(std::int64_t n, double shift) {
    const double fraction = shift - std::floor(shift);
    const std::int64_t margin = fraction == 0. ? 0 : std::min(kSincRadius, n / 8);
    const auto first = static_cast<std::int64_t>(std::ceil(-shift));
    const auto last = static_cast<std::int64_t>(std::floor(static_cast<double>(n - 1) - shift));
    return {std::max<std::int64_t>(0, first + margin), std::min(n, last + 1 - margin)};
}

/// Shifts along one axis: to[x] = from[x + shift].
void shift_along(const std::vector<float>& from, std::vector<float>& to, const Triple& n, std::size_t axis,
                 double shift) {
    const auto whole = static_cast<std::int64_t>(std::llround(shift));
    const double rest = shift - static_cast<double>(whole);
    const SincWeights weights = sinc_weights(rest);
    const std::int64_t step = axis == 0 ? 1 : axis == 1 ? n[0] : n[0] * n[1], count = n[axis];
    const std::int64_t lines = product_of(n) / count;
#pragma omp parallel for schedule(static)
    for (std::int64_t line = 0; line < lines; ++line) {
        const std::int64_t first = line / step * step * count + line % step;
        const float* const in = from.data() + first;
        float* const out = to.data() + first;
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t centre = i + whole;
            if (centre < 0 || centre >= count) {
                out[i * step] = 0.f;
                continue;
            }
            if (rest == 0.) {
                out[i * step] = in[centre * step];
                continue;
            }
            double sum = 0.;
            for (std::int64_t k = -kSincRadius; k <= kSincRadius; ++k)
                sum += weights[static_cast<std::size_t>(k + kSincRadius)] * continued(in, count, step, centre + k);
            out[i * step] = static_cast<float>(sum);
        }
    }
}

}  // namespace

Difference difference_of(std::span<const float> a, std::span<const float> b, const Triple& n, const SampleBox& box) {
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (box.empty() || box.first[axis] < 0 || box.end[axis] > n[axis])
            throw std::invalid_argument("differences are taken on a box within both volumes");
    double of_a = 0., of_b = 0., of_both = 0.;
    Difference difference;
    difference.maximum = -1.;
    for (std::int64_t z = box.first[2]; z < box.end[2]; ++z)
        for (std::int64_t y = box.first[1]; y < box.end[1]; ++y)
            for (std::int64_t x = box.first[0]; x < box.end[0]; ++x) {
                const auto i = static_cast<std::size_t>((z * n[1] + y) * n[0] + x);
                const double value_a = a[i], value_b = b[i], apart = value_a - value_b;
                of_a += value_a * value_a;
                of_b += value_b * value_b;
                of_both += apart * apart;
                if (std::abs(apart) > difference.maximum) {
                    difference.maximum = std::abs(apart);
                    difference.at = i;
                }
            }
    const double samples =
        static_cast<double>((box.end[0] - box.first[0]) * (box.end[1] - box.first[1]) * (box.end[2] - box.first[2]));
    difference.rms_a = std::sqrt(of_a / samples);
    difference.rms_b = std::sqrt(of_b / samples);
    const double rms = std::sqrt(of_both / samples), sum = difference.rms_a + difference.rms_b;
    difference.relative_l2 = rms == 0. ? 0. : rms / difference.rms_b;
    difference.nrms = sum == 0. ? 0. : 2. * rms / sum;
    return difference;
}

Aligned align(std::span<const float> b, const Triple& n, const std::array<double, 3>& shift) {
    Aligned aligned{{b.begin(), b.end()}, {}};
    std::vector<float> other(b.size());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto range = valid_range(n[axis], shift[axis]);
        aligned.valid.first[axis] = range[0];
        aligned.valid.end[axis] = range[1];
        if (shift[axis] == 0.) continue;
        shift_along(aligned.values, other, n, axis, shift[axis]);
        std::swap(aligned.values, other);
    }
    return aligned;
}

}  // namespace onda
