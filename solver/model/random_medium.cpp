#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <spdlog/fmt/fmt.h>

#include "solver/model/model_builders.hpp"
#include "solver/model/random_numbers.hpp"

namespace onda {
namespace {

constexpr double kLargestPhase = 1e6;  // a node: rougher waves are white noise on the grid in any case

/// The waves cos(k . x + phase), factored by axis: exp(i kx x) exp(i ky y) exp(i (kz z + phase)).
struct Waves {
    std::vector<float> cos_x, sin_x;            // [mode][x]
    std::vector<std::complex<double>> along_y;  // [mode][y]
    std::vector<std::complex<double>> along_z;  // [mode][z], with the phase
};

/// k a of one wave. The spectrum (1 + k^2 a^2)^-(nu + d/2) of von Karman's correlation is a d-dimensional Student
/// distribution: a normal vector over the root of a chi-square variable of 2 nu degrees of freedom.
std::array<double, 3> draw_wavenumber(RandomStream& random, double hurst, const Grid& grid, double length_m) {
    std::array<double, 3> k{};
    for (int axis = 0; axis < 3; ++axis)
        if (grid.has_axis(axis)) k[axis] = random.normal();
    const double scale = 1. / (length_m * std::sqrt(2. * random.gamma(hurst)));
    for (int axis = 0; axis < 3; ++axis) {
        const double largest = kLargestPhase / grid.spacing_m[axis];
        k[axis] = std::clamp(k[axis] * scale, -largest, largest);
    }
    return k;
}

Waves make_waves(const ModelConfig& m, const Grid& grid) {
    Waves waves;
    const std::int64_t nx = grid.nx(), ny = grid.ny(), nz = grid.nz();
    waves.cos_x.resize(kVonKarmanModes * nx);
    waves.sin_x.resize(kVonKarmanModes * nx);
    waves.along_y.resize(kVonKarmanModes * ny);
    waves.along_z.resize(kVonKarmanModes * nz);
#pragma omp parallel for schedule(static)
    for (std::int64_t mode = 0; mode < kVonKarmanModes; ++mode) {
        RandomStream random(static_cast<std::uint64_t>(m.seed), static_cast<std::uint64_t>(mode));
        const double phase = random.uniform(0., 2. * std::numbers::pi);
        const auto k = draw_wavenumber(random, m.hurst_exponent, grid, m.correlation_length_m);
        const auto angle = [&](int axis, std::int64_t i) {
            return k[axis] * (grid.origin_m[axis] + static_cast<double>(i) * grid.spacing_m[axis]);
        };
        for (std::int64_t x = 0; x < nx; ++x) {
            waves.cos_x[mode * nx + x] = static_cast<float>(std::cos(angle(0, x)));
            waves.sin_x[mode * nx + x] = static_cast<float>(std::sin(angle(0, x)));
        }
        for (std::int64_t y = 0; y < ny; ++y) waves.along_y[mode * ny + y] = std::polar(1., angle(1, y));
        for (std::int64_t z = 0; z < nz; ++z) waves.along_z[mode * nz + z] = std::polar(1., angle(2, z) + phase);
    }
    return waves;
}

void check(const ModelConfig& m, const ConfigOrigin& origin) {
    const auto check_positive = [&](const std::string& key, double value) {
        if (!(value > 0. && std::isfinite(value))) origin.fault(key, fmt::format("{:.6g}: must be positive", value));
    };
    check_positive("model.vp_m_s", m.vp_m_s);
    check_positive("model.correlation_length_m", m.correlation_length_m);
    if (!(m.hurst_exponent > 0. && m.hurst_exponent <= 1.))
        origin.fault("model.hurst_exponent", fmt::format("{:.6g}: must be above 0 and at most 1", m.hurst_exponent));
    constexpr double most = 90. / kVonKarmanClip;  // leaves a tenth of the mean velocity
    if (!(m.deviation_percent >= 0. && m.deviation_percent <= most))
        origin.fault("model.deviation_percent",
                     fmt::format("{:.6g} %: must be 0 to {:.3g} %, as velocities reach {:.3g} deviations below "
                                 "the mean and must stay positive",
                                 m.deviation_percent, most, kVonKarmanClip));
}

}  // namespace

MediumRules von_karman_medium(const ModelConfig& m, const Grid& grid, const ConfigOrigin& origin) {
    check(m, origin);
    const double mean = m.vp_m_s, deviation = 0.01 * m.deviation_percent;
    const auto fill = [grid, mean, deviation](const std::shared_ptr<const Waves>& waves, std::int64_t y, std::int64_t z,
                                              std::span<float> vp) {
        const std::int64_t nx = grid.nx();
        std::ranges::fill(vp, 0.f);
        for (std::int64_t mode = 0; mode < kVonKarmanModes; ++mode) {
            const auto factor = waves->along_y[mode * grid.ny() + y] * waves->along_z[mode * grid.nz() + z];
            const auto re = static_cast<float>(factor.real()), im = static_cast<float>(factor.imag());
            const float* const c = &waves->cos_x[mode * nx];
            const float* const s = &waves->sin_x[mode * nx];
            for (std::int64_t x = 0; x < nx; ++x) vp[x] += re * c[x] - im * s[x];
        }
        const auto unit = static_cast<float>(std::sqrt(2. / kVonKarmanModes));  // to a standard deviation of one
        const auto clip = static_cast<float>(kVonKarmanClip);
        for (float& v : vp)
            v = static_cast<float>(mean * (1. + deviation * static_cast<double>(std::clamp(v * unit, -clip, clip))));
    };
    const double reach = kVonKarmanClip * deviation;
    const auto rule = [fill, m, grid]() -> MediumRules::Row {
        const auto waves = std::make_shared<const Waves>(make_waves(m, grid));
        return [fill, waves](std::int64_t y, std::int64_t z, std::span<float> vp) { fill(waves, y, z, vp); };
    };
    constexpr std::int64_t real = 2 * sizeof(float), complex = sizeof(std::complex<double>);
    return {rule,
            {static_cast<float>(mean * (1. - reach)), static_cast<float>(mean * (1. + reach)), false},
            fmt::format("von Karman medium, {:.6g} m/s with {:.4g} %, correlation length {:.6g} m, Hurst exponent "
                        "{:.3g}, seed {}, {} waves",
                        mean, m.deviation_percent, m.correlation_length_m, m.hurst_exponent, m.seed, kVonKarmanModes),
            {},
            kVonKarmanModes * (real * grid.nx() + complex * (grid.ny() + grid.nz()))};
}

}  // namespace onda
