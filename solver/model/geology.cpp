#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <spdlog/fmt/fmt.h>

#include "solver/model/column_medium.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/model/random_numbers.hpp"

namespace onda {
namespace {

using std::numbers::pi;

constexpr double kWater = 1500., kSalt = 4480.;               // m/s
constexpr double kSlowest = 1600., kFastest = 4200.;          // of the sediments [m/s]
constexpr int kYoung = 3, kOld = 8;                           // layers above and below the unconformity
constexpr double kFaultDip = 60. * pi / 180., kThrow = 0.06;  // of the depth of the model

/// A gentle random surface: a few waves across the model. Lengths here are fractions of the grid's extents.
struct Undulation {
    struct Wave {
        double amplitude, kx, ky, phase;
    };
    std::array<Wave, 3> waves{};

    Undulation(RandomStream& random, double amplitude, double slowest, double fastest) {
        for (Wave& wave : waves)
            wave = {amplitude * random.uniform(0.5, 1.) / 2., 2. * pi * random.uniform(slowest, fastest),
                    2. * pi * random.uniform(-0.5, 0.5) * fastest, random.uniform(0., 2. * pi)};
    }
    [[nodiscard]] double operator()(double x, double y) const {
        double sum = 0.;
        for (const Wave& wave : waves) sum += wave.amplitude * std::sin(wave.kx * x + wave.ky * y + wave.phase);
        return sum;
    }
};

/// Everything the seed decides.
struct Geology {
    RandomStream random;
    Undulation seabed, unconformity, folds;
    double fault_x, fault_strike;  // where the fault crosses the unconformity, and how it turns with y
    double salt_x, salt_y, salt_radius, salt_top;
    double regional_dip;
    std::array<double, kYoung> young_vp{};  // m/s at the top of the layer
    std::array<double, kOld> old_top{}, old_vp{};

    explicit Geology(std::uint64_t seed)
        : random(seed, 0),
          seabed(random, 0.02, 0.4, 1.),
          unconformity(random, 0.04, 0.4, 1.2),
          folds(random, 0.2, 0.9, 2.1),
          fault_x(random.uniform(0.22, 0.34)),
          fault_strike(random.uniform(-0.15, 0.15)),
          salt_x(random.uniform(0.6, 0.72)),
          salt_y(random.uniform(0.4, 0.6)),
          salt_radius(random.uniform(0.08, 0.1)),
          salt_top(random.uniform(0.36, 0.42)),
          regional_dip(random.uniform(0.02, 0.08)) {
        for (int i = 0; i < kYoung; ++i) young_vp[i] = kSlowest + 170. * i + random.uniform(0., 60.);
        double top = 0.2;
        for (int i = 0; i < kOld; ++i) {
            old_top[i] = top;
            top += random.uniform(0.07, 0.14);
            // Faster with depth on the whole, but soft beds under hard ones: no interface without a contrast.
            old_vp[i] = 2350. + 200. * i + (i % 2 == 0 ? -1. : 1.) * random.uniform(140., 280.);
        }
    }
};

/// What depends on (x, y) only. Depths are fractions of the model's depth.
struct Column {
    float seabed, unconformity, fold, uplift, fault, salt_distance;
};

Column mix(const Column& a, const Column& b, double t) {
    return {between(a.seabed, b.seabed, t), between(a.unconformity, b.unconformity, t),
            between(a.fold, b.fold, t),     between(a.uplift, b.uplift, t),
            between(a.fault, b.fault, t),   between(a.salt_distance, b.salt_distance, t)};
}

Column make_column(const Geology& g, double x, double y, double x_per_y_extent) {
    const double dx = x - g.salt_x, dy = (y - g.salt_y) / x_per_y_extent;
    const double distance = std::sqrt(dx * dx + dy * dy) / g.salt_radius;
    Column c{};
    c.seabed = static_cast<float>(0.09 + g.seabed(x, y));
    c.uplift = static_cast<float>(0.10 * std::exp(-0.35 * distance * distance));  // beds dragged up by the salt
    c.unconformity = static_cast<float>(0.33 + g.unconformity(x, y) - 0.4 * c.uplift);
    c.fold = static_cast<float>(g.folds(x, y) - g.regional_dip * (x - 0.5));
    c.fault = static_cast<float>(x - g.fault_x - g.fault_strike * (y - 0.5));
    // The stock is not round: lobes whose amplitude leaves its axis smooth.
    const double lobes = 0.12 * std::cos(3. * std::atan2(dy, dx)) * std::min(1., distance);
    c.salt_distance = static_cast<float>(distance * (1. + lobes));
    return c;
}

/// A head that overhangs a stem, which widens into the mother layer at the bottom of the model.
bool in_salt(const Geology& g, const Column& c, double z) {
    constexpr double head_height = 0.16;
    const double head = (z - g.salt_top - head_height) / head_height;
    if (head <= 0.) return c.salt_distance * c.salt_distance + head * head <= 1.;
    const double below = (z - g.salt_top - head_height) / (1. - g.salt_top - head_height);
    // Most places are far outside: the bound, with room for roundings, spares them the functions.
    if (c.salt_distance > 1.001 + 2.001 * (below * below * below) * (below * below * below)) return false;
    const double radius = 0.6 + 0.4 * std::exp(-40. * below * below) + 2. * std::pow(below, 6.);
    return c.salt_distance <= radius;
}

double young_velocity(const Geology& g, const Column& c, double z) {
    const double t = (z - c.seabed) / (c.unconformity - c.seabed);
    const int layer = std::clamp(static_cast<int>(t * kYoung), 0, kYoung - 1);
    return g.young_vp[layer] + 350. * (z - c.seabed);
}

/// \param slope_scale model depth over model width: turns the fault's dip into fractions.
double old_velocity(const Geology& g, const Column& c, double z, double slope_scale) {
    // Undo what happened to the bed, latest first: salt, fault, folds that grow with depth.
    double bed = z + c.uplift * std::min(1., std::max(0., z - 0.2) / 0.3);
    const double hanging_wall = c.fault - (z - 0.33) * slope_scale / std::tan(kFaultDip);
    if (hanging_wall > 0.) bed -= kThrow;
    bed += c.fold * (0.35 + 0.9 * bed);
    const auto above = std::upper_bound(g.old_top.begin(), g.old_top.end(), bed) - g.old_top.begin();
    return g.old_vp[std::clamp<std::ptrdiff_t>(above - 1, 0, kOld - 1)] + 400. * (z - c.seabed);  // compaction
}

double velocity(const Geology& g, const Column& c, double z, double slope_scale) {
    if (z < c.seabed) return kWater;
    if (in_salt(g, c, z)) return kSalt;
    const double vp = z < c.unconformity ? young_velocity(g, c, z) : old_velocity(g, c, z, slope_scale);
    return std::clamp(vp, kSlowest, kFastest);
}

/// The geology on the extents of a grid.
class FoldedEarth {
public:
    using Column = onda::Column;

    FoldedEarth(std::uint64_t seed, const Grid& grid) : geology_(seed) {
        const auto extent_m = [&](int a) { return static_cast<double>(grid.n[a] - 1) * grid.spacing_m[a]; };
        x_per_y_extent_ = grid.dimensions == 3 ? extent_m(0) / extent_m(1) : 1.;
        slope_scale_ = extent_m(2) / extent_m(0);
    }
    [[nodiscard]] double section_y() const { return geology_.salt_y; }
    [[nodiscard]] Column column(double x, double y) const { return make_column(geology_, x, y, x_per_y_extent_); }
    [[nodiscard]] double vp(const Column& column, double z) const {
        return velocity(geology_, column, z, slope_scale_);
    }

private:
    Geology geology_;
    double x_per_y_extent_, slope_scale_;
};

}  // namespace

MediumRules geology_medium(const ModelConfig& config, const Grid& grid, const ConfigOrigin&) {
    const auto earth = std::make_shared<const FoldedEarth>(static_cast<std::uint64_t>(config.seed), grid);
    return column_medium(earth, config, grid, {kWater, kSalt, false},
                         fmt::format("folded and faulted geology with a salt dome, seed {}", config.seed));
}

}  // namespace onda
