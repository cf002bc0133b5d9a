#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <spdlog/fmt/fmt.h>

#include "solver/model/column_medium.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/model/random_numbers.hpp"
#include "solver/model/undulation.hpp"

namespace onda {
namespace {

using std::numbers::pi;

// Lengths are fractions of the grid's extents, velocities in m/s.
constexpr double kSlowest = 2300., kFastest = 5700.;
constexpr int kThrusts = 3, kBlocks = 4, kBeds = 20;
constexpr double kRampDip = 28. * pi / 180.;
constexpr double kFaultWidth = 0.014;                   // half, of the normal faults of the basement
constexpr double kDetachment = 0.72, kOutcrop = -0.12;  // between which the thrusts climb
constexpr double kCompaction = 350.;                    // over the depth of the model

/// A fault that climbs from the detachment over a ramp towards smaller x.
struct Thrust {
    double x = 0., strike = 0.;  ///< of the middle of its ramp, and how it turns with y
    double throw_ = 0.;          ///< by which the hanging wall rises over the middle of the ramp
    double dies_out = 0.;        ///< by how much that varies along y
};

/// Everything that the seed decides.
struct Belt {
    RandomStream random;
    Undulation erosion, folds, sinuosity;
    std::array<Thrust, kThrusts> thrusts{};
    std::array<double, kBlocks> block_edge{}, block_step{};  ///< of the basement, from x = 0 on
    std::array<double, kBeds> bed_top{}, bed_vp{};
    double channel_x, channel_top, regional_dip;

    explicit Belt(std::uint64_t seed)
        : random(seed, 1),
          erosion(random, 0.03, 0.5, 1.4),
          folds(random, 0.05, 0.8, 1.8),
          sinuosity(random, 0.09, 0.2, 0.4),
          channel_x(random.uniform(0.3, 0.6)),
          channel_top(random.uniform(0.02, 0.035)),
          regional_dip(random.uniform(0.05, 0.09)) {
        for (int k = 0; k < kThrusts; ++k)
            thrusts[k] = {0.26 + 0.24 * k + random.uniform(-0.03, 0.03), random.uniform(-0.1, 0.1),
                          random.uniform(0.15, 0.21), random.uniform(-0.5, 0.5)};
        for (int b = 0; b < kBlocks; ++b) {
            block_edge[b] = (b + random.uniform(-0.1, 0.1)) / kBlocks;
            block_step[b] = (b % 2 == 0 ? 1. : -1.) * random.uniform(0.03, 0.06);
        }
        double top = -0.4;  // what has been lifted above the surface has been eroded
        for (int i = 0; i < kBeds; ++i) {
            bed_top[i] = top;
            top += random.uniform(0.045, 0.085);
            bed_vp[i] = 2700. + 115. * i + (i % 2 == 0 ? -1. : 1.) * random.uniform(180., 380.);
        }
    }
};

struct BeltColumn {
    float cover, basement, fold, channel;
    std::array<float, kThrusts> fault, rise;  ///< depth of each thrust, and by how much beds above it have risen
};

BeltColumn mix(const BeltColumn& a, const BeltColumn& b, double t) {
    BeltColumn c{between(a.cover, b.cover, t),
                 between(a.basement, b.basement, t),
                 between(a.fold, b.fold, t),
                 between(a.channel, b.channel, t),
                 {},
                 {}};
    for (std::size_t k = 0; k < kThrusts; ++k) {
        c.fault[k] = between(a.fault[k], b.fault[k], t);
        c.rise[k] = between(a.rise[k], b.rise[k], t);
    }
    return c;
}

/// Sediments that were thrust over each other, on a basement of blocks, under a cover of young layers. Beds above a
/// thrust have slid up its ramp along lines parallel to it: at x they are what was at x + slip, higher by the
/// difference of the fault's depths.
class ThrustEarth {
public:
    using Column = BeltColumn;

    ThrustEarth(std::uint64_t seed, const Grid& grid) : belt_(seed) {
        const auto extent_m = [&](int a) { return static_cast<double>(grid.n[a] - 1) * grid.spacing_m[a]; };
        per_dip_ = extent_m(2) / extent_m(0) / std::tan(kRampDip);
    }
    [[nodiscard]] double section_y() const { return 0.5; }

    [[nodiscard]] Column column(double x, double y) const {
        Column c{};
        c.cover = static_cast<float>(0.11 + belt_.erosion(x, y) + 0.05 * (0.5 - x));
        c.fold = static_cast<float>(belt_.folds(x, y) - belt_.regional_dip * (x - 0.5));
        const double meander = (x - belt_.channel_x - belt_.sinuosity(0.3, y) - 0.1 * std::sin(9. * y)) / 0.035;
        c.channel = static_cast<float>(belt_.channel_top + 0.05 * std::max(0., 1. - meander * meander));
        double basement = 0.87 + 0.3 * belt_.erosion(y, x);
        for (int b = 0; b < kBlocks; ++b)  // normal faults
            basement +=
                0.5 * belt_.block_step[b] * std::tanh((x - belt_.block_edge[b] - 0.08 * (y - 0.5)) / (kFaultWidth));
        c.basement = static_cast<float>(basement);
        double risen = 0.;  // thrusts that are farther back ride on those before them
        for (std::size_t k = 0; k < kThrusts; ++k) {
            const Thrust& thrust = belt_.thrusts[k];
            const double here = x - thrust.x - thrust.strike * (y - 0.5);
            const double slip = thrust.throw_ * (1. + thrust.dies_out * (y - 0.5)) * per_dip_;
            c.rise[k] = static_cast<float>(depth_of_thrust(here + slip) - depth_of_thrust(here));
            c.fault[k] = static_cast<float>(depth_of_thrust(here) - risen);
            risen += c.rise[k];
        }
        return c;
    }

    [[nodiscard]] double vp(const Column& c, double z) const {
        if (z < c.cover) return cover_velocity(c, z);
        if (z > c.basement) return std::min(kFastest, 5400. + 3500. * (z - c.basement));
        double bed = z + c.fold * (0.4 + 0.6 * z);
        for (std::size_t k = 0; k < kThrusts; ++k)
            if (z < c.fault[k]) bed += c.rise[k];
        bed -= 0.4;  // the youngest beds are left only where nothing has risen
        const auto above = std::upper_bound(belt_.bed_top.begin(), belt_.bed_top.end(), bed) - belt_.bed_top.begin();
        return std::clamp(belt_.bed_vp[std::clamp<std::ptrdiff_t>(above - 1, 0, kBeds - 1)] + kCompaction * z, kSlowest,
                          kFastest - 400.);
    }

private:
    [[nodiscard]] double depth_of_thrust(double from_middle) const {
        const double height = kDetachment - kOutcrop, ramp = height * per_dip_;
        return kOutcrop + 0.5 * height * (1. + std::tanh(2. * from_middle / ramp));
    }
    [[nodiscard]] double cover_velocity(const Column& c, double z) const {
        if (z > belt_.channel_top && z < c.channel) return kSlowest;
        return z < 0.55 * c.cover ? 2500. : 2750.;
    }

    Belt belt_;
    double per_dip_;  ///< of x, over which the ramp falls by one of z
};

}  // namespace

MediumRules thrust_belt_medium(const ModelConfig& config, const Grid& grid, const ConfigOrigin&) {
    const auto earth = std::make_shared<const ThrustEarth>(static_cast<std::uint64_t>(config.seed), grid);
    return column_medium(earth, config, grid, {kSlowest, kFastest, false},
                         fmt::format("thrust belt over a faulted basement, seed {}", config.seed));
}

}  // namespace onda
