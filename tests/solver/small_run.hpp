// Small configurations that run in a moment, for the tests of the program.
#pragma once

#include <string>

/// 2-D: two shots, off-grid receivers, user's sampling, a thinned snapshot window.
inline const std::string kSmall2d = R"(schema_version: 1
title: small run in 2-D
grid: {shape: [81, 61], spacing_m: [10, 8], origin_m: [100, -16]}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 200, vp_m_s: 2200}]}
time: {duration_s: 0.3}
boundary: {top: free_surface, cpml_width: 12, placement: inside}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources:
  - {position_m: [400, 24], shot: 1}
  - {position_m: [603, 30], shot: 2, amplitude: 2}
receivers:
  - {type: line, first_m: [203, 20], last_m: [803, 20], count: 7}
output:
  seismograms: {dt_s: 0.002}
  snapshots: {times_s: [0.1, 0.2], window_min_m: [200, 0], window_max_m: [800, 400], decimation: [2, 3]}
)";

/// 3-D: one shot, snapshots every 40 steps of the whole grid.
inline const std::string kSmall3d = R"(schema_version: 1
grid: {shape: [40, 36, 32], spacing_m: 10}
model: {type: gradient, vp_m_s: 1500, gradient_per_s: 1}
time: {duration_s: 0.2}
boundary: {cpml_width: 8, placement: inside}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources:
  - {position_m: [200, 170, 150]}
receivers:
  - {type: line, first_m: [100, 170, 100], last_m: [300, 170, 100], count: 5}
output:
  snapshots: {every_steps: 40}
)";

/// 2-D: 101 shots of a few steps on a few nodes, without pictures.
inline const std::string kManyShots = R"(schema_version: 1
grid: {shape: [21, 21], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.05}
boundary: {cpml_width: 4}
wavelet: {type: ricker, peak_frequency_hz: 10}
sources: [{type: line, first_m: [50, 100], last_m: [150, 100], count: 101}]
output: {pictures: false}
receivers:
  - {type: line, first_m: [50, 50], last_m: [150, 50], count: 5}
)";
/// kManyShots with one receiver more in shot 7.
inline const std::string kUnequalShots = kManyShots + "  - {position_m: [60, 60], shot: 7}\n";
