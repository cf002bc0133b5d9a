// A run whose report is looked at: two shots over two layers, with a title that would end an element of the page.
#pragma once

#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/program/program.hpp"

inline const std::string kTwoShots = R"(schema_version: 1
title: "Two shots </title></script><script>alert(1)</script> & more"
grid: {shape: [121, 81], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 400, vp_m_s: 2500}]}
time: {duration_s: 0.6}
boundary: {top: free_surface}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{type: line, first_m: [300, 20], last_m: [900, 20], count: 2}]
receivers: [{type: line, first_m: [100, 20], last_m: [1100, 20], count: 51}]
output: {seismograms: {dt_s: 0.002}, snapshots: {times_s: [0.1, 0.2, 0.3, 0.4]}}
backend: {name: cpu}
)";

/// A shot with three cables, the middle one behind the source.
inline const std::string kThreeCables = R"(schema_version: 1
grid: {shape: [61, 41, 21], spacing_m: 10}
model: {type: constant, vp_m_s: 1500}
time: {duration_s: 0.3}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{position_m: [450, 200, 20]}]
receivers:
  - {type: line, relative_to: source, first_m: [-400, -100, 0], last_m: [-50, -100, 0], count: 15}
  - {type: line, relative_to: source, first_m: [-400, 0, 0], last_m: [-50, 0, 0], count: 15}
  - {type: line, relative_to: source, first_m: [-400, 100, 0], last_m: [-50, 100, 0], count: 15}
backend: {name: cpu}
)";

/// Runs it, or another text, in `folder`; returns the folder of the results.
inline std::filesystem::path run_reported(const std::filesystem::path& folder,
                                          const std::vector<std::string>& options = {},
                                          const std::string& text = kTwoShots) {
    const auto config = folder / "run.yaml", out = folder / "out";
    write_text(config, text);
    std::vector<std::string> arguments{"run", config.string(), "--output", out.string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome run = run_onda(arguments);
    CAPTURE(run.err);
    REQUIRE(run.code == 0);
    return out;
}
