#include "solver/commands/init_templates.hpp"

#include <algorithm>
#include <cmath>

#include "io/models/model_file.hpp"
#include "solver/discretisation/grid.hpp"
#include "solver/model/model.hpp"
#include "solver/plan/names.hpp"

namespace onda {
namespace {

constexpr InitTemplate kTemplates[] = {
    {"layers", "a shot over three flat layers in 2-D; seconds", ""},
    {"streamer", "a marine line in 2-D: shots under a free surface, a streamer towed behind; half a minute", R"(
title: "A marine line with a streamer"
grid: {shape: [801, 301], spacing_m: 5}
model:
  type: layered
  dip_deg: 3
  layers:
    - {top_m: 0, vp_m_s: 1500}
    - {top_m: 200, vp_m_s: 1800}
    - {top_m: 500, vp_m_s: 2300}
    - {top_m: 900, vp_m_s: 3000}
time: {duration_s: 2}
boundary: {top: free_surface}
wavelet: {type: ricker, peak_frequency_hz: 25}
sources:
  - {type: line, first_m: [1500, 10], last_m: [3900, 10], spacing_m: 200}
receivers:
  - {type: line, relative_to: source, first_m: [-1350, 0], last_m: [-100, 0], spacing_m: 12.5}
output:
  seismograms: {dt_s: 0.002, segy: ieee}
)"},
    {"spread", "a 3-D shot over folded and faulted layers, with a grid of receivers; a minute", R"(
title: "A 3-D shot with an areal spread"
grid: {shape: [161, 161, 101], spacing_m: 10}
model: {type: geology, seed: 3}
time: {duration_s: 1}
boundary: {top: free_surface}
wavelet: {type: ricker, peak_frequency_hz: 14}
sources:
  - {position_m: [800, 800, 20]}
receivers:
  - {type: grid, first_m: [160, 160, 20], last_m: [1440, 1440, 20], count: [65, 9, 1]}
output:
  seismograms: {dt_s: 0.002}
  snapshots: {times_s: [0.2, 0.4, 0.6]}
)"},
    {"crosswell", "sources in one well, receivers in another, 2-D; seconds", R"(
title: "Between two wells"
grid: {shape: [201, 301], spacing_m: 1}
model:
  type: layered
  dip_deg: 5
  layers:
    - {top_m: 0, vp_m_s: 2400}
    - {top_m: 100, vp_m_s: 2700}
    - {top_m: 160, vp_m_s: 2500}
    - {top_m: 220, vp_m_s: 3000}
time: {duration_s: 0.15}
wavelet: {type: ricker, peak_frequency_hz: 220}
sources:
  - {type: line, first_m: [20, 50], last_m: [20, 250], count: 5}
receivers:
  - {type: line, first_m: [180, 20], last_m: [180, 280], count: 131}
output:
  seismograms: {dt_s: 0.0002}
  snapshots: {times_s: [0.03, 0.06]}
)"},
    {"ultrasound", "1 MHz in water around a plastic rod, 2-D in steps of 0.1 mm; seconds", R"(
title: "1 MHz in water, with a rod of PMMA"
grid: {shape: [501, 401], spacing_m: 1e-4}
model:
  type: inclusions
  vp_m_s: 1482
  rho_kg_m3: 998
  inclusions:
    - {shape: sphere, center_m: [0.025, 0.025], radius_m: 0.005, vp_m_s: 2750, rho_kg_m3: 1190}
time: {duration_s: 5e-5}
wavelet: {type: ricker, peak_frequency_hz: 1e6}
sources:
  - {position_m: [0.025, 0.002]}
receivers:
  - {type: line, first_m: [0.005, 0.002], last_m: [0.045, 0.002], count: 81}
output:
  snapshots: {times_s: [1e-5, 2e-5, 3e-5]}
)"},
};

/// The largest number of two digits that is not above `value`.
double rounded_down(double value) {
    const double unit = std::pow(10., std::floor(std::log10(value)) - 1.);
    return std::floor(value / unit * (1. + 1e-9)) * unit;
}

/// A position at a fraction of the grid along x, half-way along y, at the depth of node 2.
std::vector<double> near_surface(const Grid& grid, double share_x) {
    const auto at = [&](int axis, double node) { return grid.origin_m[axis] + node * grid.spacing_m[axis]; };
    const auto node = [&](int axis, double share) { return std::round(share * static_cast<double>(grid.n[axis] - 1)); };
    std::vector<double> position{at(0, node(0, share_x))};
    if (grid.dimensions == 3) position.push_back(at(1, node(1, 0.5)));
    position.push_back(at(2, std::min(2., static_cast<double>(grid.n[2] - 1))));
    return position;
}

}  // namespace

std::span<const InitTemplate> init_templates() {
    return kTemplates;
}

Config config_for_model(const std::filesystem::path& file) {
    const FileGeometry geometry = ModelFile(file).geometry();
    Config config;
    config.title = "A first shot over " + file.stem().string();
    for (const int axis : {0, 1, 2}) {
        if (axis == 1 && geometry.dimensions == 2) continue;
        config.grid.shape.push_back(geometry.shape[axis]);
        config.grid.spacing_m.push_back(geometry.spacing_m[axis]);
        config.grid.origin_m.push_back(geometry.origin_m[axis]);
    }
    config.model.type = "file";
    config.model.file = std::filesystem::absolute(file);
    const Grid grid = make_grid(config.grid, config.origin);
    const VelocityRange velocity = velocity_range(config.model, Equation::star, grid, config.origin);
    // Four points in the wavelength of the highest frequency of a Ricker wavelet, 2.8 times that of its peak.
    const double coarsest_m = *std::ranges::max_element(config.grid.spacing_m);
    config.wavelet.peak_frequency_hz = rounded_down(velocity.min_m_s / (4. * 2.8 * coarsest_m));
    const double depth_m = last_m(grid, 2) - grid.origin_m[2], width_m = last_m(grid, 0) - grid.origin_m[0];
    const double mean_m_s = 0.5 * (velocity.min_m_s + velocity.max_m_s);
    config.time.duration_s =
        rounded_down(std::max(2. * depth_m, 0.6 * width_m) / mean_m_s + 3. / config.wavelet.peak_frequency_hz);
    config.sources.emplace_back().position_m = near_surface(grid, 0.5);
    ReceiverConfig& receivers = config.receivers.emplace_back();
    receivers.type = "line";
    receivers.first_m = near_surface(grid, 0.02);
    receivers.last_m = near_surface(grid, 0.98);
    receivers.count = {std::min<std::int64_t>(101, grid.n[0])};
    for (const double share : {0.25, 0.5, 0.75})
        config.output.snapshots.times_s.push_back(rounded_down(share * config.time.duration_s));
    return config;
}

}  // namespace onda
