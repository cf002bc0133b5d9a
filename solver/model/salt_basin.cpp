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
constexpr double kWater = 1500., kSalt = 4480., kSlowest = 1650., kFastest = 3900.;
constexpr double kMeanSeabed = 0.11;
constexpr double kCompaction = 1900.;  // of sediments, over the depth of the model
constexpr int kBeds = 14;
constexpr double kFaultDip = 55. * pi / 180.;

/// Everything that the seed decides.
struct Basin {
    RandomStream random;
    Undulation seabed, folds, rugosity, mother;
    double salt_x, salt_y, radius, middle, stem_x, stem_radius, scarp_x, fault_x, fault_throw;
    std::array<double, 4> lobe{}, lobe_phase{};
    std::array<double, kBeds> bed_top{}, bed_step{};

    explicit Basin(std::uint64_t seed)
        : random(seed, 2),
          seabed(random, 0.012, 0.6, 1.6),
          folds(random, 0.05, 0.7, 1.6),
          rugosity(random, 0.06, 1.8, 4.),
          mother(random, 0.04, 0.6, 1.5),
          salt_x(random.uniform(0.5, 0.58)),
          salt_y(random.uniform(0.45, 0.55)),
          radius(random.uniform(0.2, 0.23)),
          middle(random.uniform(0.40, 0.44)),
          stem_x(random.uniform(0.06, 0.1)),
          stem_radius(random.uniform(0.085, 0.105)),
          scarp_x(random.uniform(0.25, 0.35)),
          fault_x(random.uniform(0.14, 0.2)),
          fault_throw(random.uniform(0.04, 0.055)) {
        for (std::size_t i = 0; i < lobe.size(); ++i) {
            lobe[i] = random.uniform(0.03, 0.1);
            lobe_phase[i] = random.uniform(0., 2. * pi);
        }
        double top = 0.;
        for (int i = 0; i < kBeds; ++i) {
            bed_top[i] = top;
            top += random.uniform(0.04, 0.085);
            bed_step[i] = (i % 2 == 0 ? -1. : 1.) * random.uniform(110., 260.);
        }
    }
};

struct BasinColumn {
    float seabed, fold, drag, fault;
    float top, base;  ///< of the salt sheet: there is none where base <= top
    float stem;       ///< distance from the axis of the stem, in radii
    float mother;     ///< top of the mother salt
    float shade;      ///< by which pore pressure slows what lies under the sheet
};

BasinColumn mix(const BasinColumn& a, const BasinColumn& b, double t) {
    return {between(a.seabed, b.seabed, t), between(a.fold, b.fold, t),     between(a.drag, b.drag, t),
            between(a.fault, b.fault, t),   between(a.top, b.top, t),       between(a.base, b.base, t),
            between(a.stem, b.stem, t),     between(a.mother, b.mother, t), between(a.shade, b.shade, t)};
}

/// Sediments that compact under water, and salt that has risen through them: a sheet with steep flanks that overhang, a
/// leaning stem, and what is left of the mother layer. Beds are dragged up at the salt; a fault grows beside it.
class SaltEarth {
public:
    using Column = BasinColumn;

    SaltEarth(std::uint64_t seed, const Grid& grid) : basin_(seed) {
        const auto extent_m = [&](int a) { return static_cast<double>(grid.n[a] - 1) * grid.spacing_m[a]; };
        x_per_y_extent_ = grid.dimensions == 3 ? extent_m(0) / extent_m(1) : 1.;
        per_dip_ = extent_m(2) / extent_m(0) / std::tan(kFaultDip);
    }
    [[nodiscard]] double section_y() const { return basin_.salt_y; }

    [[nodiscard]] Column column(double x, double y) const {
        const double dx = x - basin_.salt_x, dy = (y - basin_.salt_y) / x_per_y_extent_;
        const double distance = std::hypot(dx, dy) / basin_.radius, angle = std::atan2(dy, dx);
        double lobes = 0.;
        for (std::size_t i = 0; i < basin_.lobe.size(); ++i)
            lobes += basin_.lobe[i] * std::cos(static_cast<double>(i + 1) * angle + basin_.lobe_phase[i]);
        const double rim = distance * (1. + lobes * std::min(1., distance));
        Column c{};
        c.seabed = static_cast<float>(kMeanSeabed + basin_.seabed(x, y) +
                                      0.05 * std::tanh((x - basin_.scarp_x - 0.1 * (y - 0.5)) / 0.03) -
                                      0.03 * std::exp(-2. * rim * rim));
        c.fold = static_cast<float>(basin_.folds(x, y));
        c.drag = static_cast<float>(0.07 * std::exp(-0.8 * rim * rim * rim * rim));
        c.fault = static_cast<float>(x - basin_.fault_x - 0.12 * (y - 0.5));
        set_sheet(c, x, y, rim);
        c.shade = static_cast<float>(0.08 * std::clamp(4. * (1. - rim), 0., 1.));
        const double lean = dx - basin_.stem_x;
        c.stem = static_cast<float>(std::hypot(lean, dy) / basin_.stem_radius);
        c.mother = static_cast<float>(0.96 + basin_.mother(x, y) - 0.1 * std::exp(-0.4 * c.stem * c.stem));
        return c;
    }

    [[nodiscard]] double vp(const Column& c, double z) const {
        if (z < c.seabed) return kWater;
        if (in_salt(c, z)) return kSalt;
        double bed = z - kMeanSeabed + c.fold * (0.2 + z) + c.drag * std::min(1., 2. * z);
        if (c.fault <= (z - 0.3) * per_dip_) bed -= basin_.fault_throw * std::min(1., 2.5 * (z - kMeanSeabed));
        const auto above = std::upper_bound(basin_.bed_top.begin(), basin_.bed_top.end(), bed) - basin_.bed_top.begin();
        const double step = basin_.bed_step[std::clamp<std::ptrdiff_t>(above - 1, 0, kBeds - 1)];
        const double cover = z - c.seabed, buried = cover + (c.seabed - kMeanSeabed) * (1. - std::exp(-5. * cover));
        const double faster = kCompaction * buried + step * std::min(1., 6. * cover);
        return std::clamp(1700. + faster * (z > c.base ? 1. - c.shade : 1.), kSlowest, kFastest);
    }

private:
    /// The sheet is thick up to steep flanks; its top is rugose and bulges, its base is a keel over the stem.
    void set_sheet(Column& c, double x, double y, double rim) const {
        const double inside = 1. - std::pow(rim, 5.);
        const double flank = std::copysign(std::sqrt(std::min(1., std::abs(inside))), inside);
        const double middle = basin_.middle + 0.08 * (x - basin_.salt_x) / basin_.radius;
        c.top =
            static_cast<float>(middle - flank * (0.13 + basin_.rugosity(x, y) + 0.05 * std::max(0., 1. - rim * rim)));
        c.base = static_cast<float>(middle + flank * (0.10 + 0.6 * basin_.rugosity(y, x)));
    }
    [[nodiscard]] bool in_salt(const Column& c, double z) const {
        if (z > c.mother) return true;
        if (z >= c.top && z <= c.base) return true;
        if (z < c.top || c.stem > 3.) return false;
        const double below = std::clamp((z - basin_.middle) / (1. - basin_.middle), 0., 1.);
        const double waist = 1. + 1.4 * (1. - 2. * below) * (1. - 2. * below) * (below < 0.5 ? 0.5 : 1.) - 0.15;
        return c.stem <= waist && z > basin_.middle;
    }

    Basin basin_;
    double x_per_y_extent_, per_dip_;
};

}  // namespace

MediumRules salt_basin_medium(const ModelConfig& config, const Grid& grid, const ConfigOrigin&) {
    const auto earth = std::make_shared<const SaltEarth>(static_cast<std::uint64_t>(config.seed), grid);
    return column_medium(earth, config, grid, {kWater, kSalt, false},
                         fmt::format("basin with a salt body, seed {}", config.seed));
}

}  // namespace onda
