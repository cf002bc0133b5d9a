// A configuration whose grid is cut into slabs.
#pragma once

#include <string>

/// A prime number of planes; the cut of two slabs is between 520 and 530 m. Receivers along z cross it, others lie
/// along it, between planes.
inline const std::string kTall = R"(schema_version: 1
grid: {shape: [17, 15, 107], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 500, vp_m_s: 2200}], dip_deg: 10}
time: {duration_s: 0.06}
boundary: {cpml_width: 4, placement: inside}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources:
  - {position_m: [83, 71, 527], shot: 1}
  - {position_m: [80, 70, 520], shot: 1, amplitude: -2}
receivers:
  - {type: line, first_m: [70, 74, 465], last_m: [90, 66, 585], count: 13}
  - {type: line, first_m: [50, 70, 525], last_m: [110, 70, 525], count: 4}
  - {type: point, position_m: [80, 70, 30]}
output:
  snapshots: {every_steps: 10}
)";
