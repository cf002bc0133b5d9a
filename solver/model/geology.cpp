#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <spdlog/fmt/fmt.h>

#include "solver/model/cell_mean.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/model/random_numbers.hpp"
#include "solver/program/loop_failure.hpp"

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

/// Columns at places one spacing apart along x and y: nodes, or the corners of their cells.
class Columns {
public:
    /// \param shift of the first column from the first node, in spacings, along each axis that the grid has.
    Columns(const Geology& geology, const Grid& grid, double shift)
        : nx_(grid.nx() + (shift != 0. ? 1 : 0)), ny_(grid.ny() + (shift != 0. && grid.dimensions == 3 ? 1 : 0)) {
        const auto fraction = [&](int axis, std::int64_t i) {
            return grid.has_axis(axis) ? (static_cast<double>(i) + shift) / static_cast<double>(grid.n[axis] - 1)
                                       : geology.salt_y;
        };
        const auto extent_m = [&](int a) { return static_cast<double>(grid.n[a] - 1) * grid.spacing_m[a]; };
        const double x_per_y_extent = grid.dimensions == 3 ? extent_m(0) / extent_m(1) : 1.;
        columns_.resize(nx_ * ny_);
        LoopFailure failure;
#pragma omp parallel for schedule(static)
        for (std::int64_t y = 0; y < ny_; ++y)
            failure.guard([&] {
                for (std::int64_t x = 0; x < nx_; ++x)
                    columns_[y * nx_ + x] = make_column(geology, fraction(0, x), fraction(1, y), x_per_y_extent);
            });
        failure.rethrow();
    }
    static std::int64_t bytes(const Grid& grid, bool corners) {
        const std::int64_t more = corners ? 1 : 0, more_y = grid.dimensions == 3 ? more : 0;
        return static_cast<std::int64_t>(sizeof(Column)) * (grid.nx() + more) * (grid.ny() + more_y);
    }
    /// In 2-D there is one row of them.
    [[nodiscard]] const Column& at(std::int64_t x, std::int64_t y) const {
        return columns_[std::min(y, ny_ - 1) * nx_ + x];
    }

private:
    std::int64_t nx_, ny_;
    std::vector<Column> columns_;
};

Column mix(const Column& a, const Column& b, double t) {
    const auto between = [t](float from, float to) { return static_cast<float>(from + t * (to - from)); };
    return {between(a.seabed, b.seabed), between(a.unconformity, b.unconformity),
            between(a.fold, b.fold),     between(a.uplift, b.uplift),
            between(a.fault, b.fault),   between(a.salt_distance, b.salt_distance)};
}

/// The rocks of a grid, at its nodes or as means of their cells.
struct GeologyOnGrid {
    const Geology& geology;
    const Grid& grid;
    const Columns& corners;  ///< of the cells

    [[nodiscard]] Rock rock(const Column& column, double z) const {
        const double depth = z / static_cast<double>(grid.nz() - 1);
        return {static_cast<float>(velocity(geology, column, depth, slope_scale())), 0.f};
    }
    [[nodiscard]] double slope_scale() const {
        return static_cast<double>(grid.nz() - 1) * grid.spacing_m[2] /
               (static_cast<double>(grid.nx() - 1) * grid.spacing_m[0]);
    }
    /// vp at the corners of a row of cells: [z][y][x], of which those of neighbours are the same.
    [[nodiscard]] std::vector<float> at_corners(std::int64_t y, std::int64_t z) const {
        std::vector<float> vp;
        for (int corner = 0; corner < 4; ++corner)
            for (std::int64_t x = 0; x <= grid.nx(); ++x)
                vp.push_back(rock(corners.at(x, y + (corner & 1)), static_cast<double>(z) + (corner >> 1) - 0.5).vp);
        return vp;
    }
    /// Whether an interface crosses a cell: within a rock vp changes by less between the node and the corners.
    [[nodiscard]] bool is_crossed(std::int64_t x, float at_node, const std::vector<float>& of_row) const {
        constexpr float contrast = 0.01f;
        for (std::int64_t row = 0; row < 4; ++row)
            for (const std::int64_t side : {0, 1})
                if (std::abs(of_row[row * (grid.nx() + 1) + x + side] - at_node) > contrast * at_node) return true;
        return false;
    }
    [[nodiscard]] Rock mean(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return mean_of_points(grid.dimensions, [&](const std::array<double, 3>& offset) {
            const Column front = mix(corners.at(x, y), corners.at(x + 1, y), offset[0] + 0.5);
            if (grid.dimensions == 2) return rock(front, static_cast<double>(z) + offset[2]);
            const Column back = mix(corners.at(x, y + 1), corners.at(x + 1, y + 1), offset[0] + 0.5);
            return rock(mix(front, back, offset[1] + 0.5), static_cast<double>(z) + offset[2]);
        });
    }
};

}  // namespace

MediumRules geology_medium(const ModelConfig& config, const Grid& grid, const ConfigOrigin&) {
    const auto geology = std::make_shared<const Geology>(static_cast<std::uint64_t>(config.seed));
    const bool averaged = config.interfaces == "averaged";
    const auto rule = [geology, grid, averaged]() -> MediumRules::Row {
        const auto nodes = std::make_shared<const Columns>(*geology, grid, 0.);
        const auto corners = averaged ? std::make_shared<const Columns>(*geology, grid, -0.5) : nodes;
        return [geology, nodes, corners, grid, averaged](std::int64_t y, std::int64_t z, std::span<float> row) {
            const GeologyOnGrid on_grid{*geology, grid, *corners};
            for (std::int64_t x = 0; x < std::ssize(row); ++x)
                row[x] = on_grid.rock(nodes->at(x, y), static_cast<double>(z)).vp;
            if (!averaged) return;
            const std::vector<float> around = on_grid.at_corners(y, z);
            for (std::int64_t x = 0; x < std::ssize(row); ++x)
                if (on_grid.is_crossed(x, row[x], around)) row[x] = on_grid.mean(x, y, z).vp;
        };
    };
    return {rule,
            {kWater, kSalt, false},
            fmt::format("folded and faulted geology with a salt dome, seed {}", config.seed),
            {},
            Columns::bytes(grid, false) + (averaged ? Columns::bytes(grid, true) : 0),
            averaged ? 8. : 1.};
}

}  // namespace onda
