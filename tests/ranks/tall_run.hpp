// A configuration whose grid is cut into slabs.
#pragma once

#include <string>
#include <vector>

#include "solver/plan/names.hpp"

/// A configuration with more settings, on so many threads of the CPU.
inline onda::Config config_with_threads(int threads, const std::string& text,
                                        const std::vector<std::string>& overrides) {
    std::vector<std::string> all{"backend.name=cpu", "backend.threads=" + std::to_string(threads)};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return onda::read_config_text(text, "run.yaml", onda::vocabulary(), all);
}

/// A prime number of planes; the cut of two slabs is between 520 and 530 m. Receivers along z cross it, others lie
/// along it, between planes. The last source has nodes on both sides of the cut and of the edges of layers.
inline const std::string kTall = R"(schema_version: 1
grid: {shape: [17, 15, 107], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 500, vp_m_s: 2200}], dip_deg: 10}
time: {duration_s: 0.06}
boundary: {cpml_width: 4, placement: inside}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources:
  - {position_m: [83, 71, 527], shot: 1}
  - {position_m: [80, 70, 520], shot: 1, amplitude: -2}
  - {position_m: [44, 71, 523], shot: 1, amplitude: 3}
receivers:
  - {type: line, first_m: [70, 74, 465], last_m: [90, 66, 585], count: 13}
  - {type: line, first_m: [50, 70, 525], last_m: [110, 70, 525], count: 4}
  - {type: point, position_m: [80, 70, 30]}
output:
  snapshots: {every_steps: 10}
)";

/// Overrides of the tall run: every kind of face, equation, precision and storage, leaps and steps of order 4 in time.
inline const std::vector<std::vector<std::string>> kTallKinds{
    {"boundary.top=free_surface"},
    {"boundary.top=rigid", "boundary.bottom=zero", "boundary.left=free_surface"},
    {"boundary={x_min: sponge, x_max: sponge, y_min: sponge, y_max: sponge, z_min: sponge, z_max: sponge}",
     "boundary.sponge_width=5"},
    {"boundary.placement=outside"},
    {"model.layers=[{top_m: 0, vp_m_s: 1500, rho_kg_m3: 1000}, {top_m: 500, vp_m_s: 2200, rho_kg_m3: 2000}]"},
    {"scheme.stencil=compact27", "scheme.space_order=2"},
    {"scheme.precision=double"},
    {"model.storage=16bit"},
    {"time.stepping=leap"},
    {"time.stepping=leap", "boundary.top=free_surface", "scheme.precision=double"},
    {"time.order=4"},
};

/// Runs whose states are moved between numbers of slabs: single steps, leaps and steps of order 4 in time.
inline const std::vector<std::vector<std::string>> kTallStates{
    {},
    {"boundary.top=free_surface"},
    {"time.stepping=leap"},
    {"time.stepping=leap", "scheme.space_order=2", "boundary.top=free_surface"},
    {"time.stepping=leap", "scheme.space_order=4", "boundary={x_min: zero, x_max: rigid, y_min: zero, y_max: zero}"},
    {"time.order=4", "scheme.space_order=2"},
    {"time.order=4", "scheme.space_order=4", "boundary={x_min: zero, x_max: zero, y_min: zero, y_max: zero}"},
    {"time.order=4", "boundary.top=free_surface", "scheme.precision=double"},
};
