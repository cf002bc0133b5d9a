// Gradients of the tall run: data that it is compared with, and the kinds of runs that differ in what images take.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "solver/run/simulation.hpp"
#include "tests/ranks/tall_run.hpp"

/// Overrides of the tall run: what images meet on the way - layers and mirrors with every level, sponges with some of
/// them, faces beyond the grid, ghosts - with gradients of density and without.
inline std::vector<std::vector<std::string>> imaged_kinds() {
    const std::string parameters = "imaging.parameters=vp_and_rho",
                      densities =
                          "model.layers=[{top_m: 0, vp_m_s: 1500, rho_kg_m3: 1000}, "
                          "{top_m: 500, vp_m_s: 2200, rho_kg_m3: 2000}]";
    return {
        {"boundary.top=free_surface", "boundary.bottom=rigid", "imaging.every=1", parameters, densities},
        {"boundary={x_min: sponge, x_max: sponge, y_min: sponge, y_max: sponge, z_min: sponge, z_max: sponge}",
         "boundary.sponge_width=5", "imaging.every=3", parameters, densities},
        {"boundary.placement=outside", "scheme.precision=double", "imaging.every=2"},
        {"time.order=4", "boundary.top=free_surface", "imaging.every=2"},
    };
}

/// Overrides of the tall run: two shots of a few steps.
inline const std::vector<std::string> kFewSteps{"sources[2].shot=2", "time.duration_s=0.04", "backend.threads=1"};

/// Makes the data of these shots with a deeper boundary between the layers. \param make_config reads its
/// configuration with overrides. \returns the override that compares with them.
template <typename MakeConfig>
std::string observe_tall_run(const std::filesystem::path& folder, const MakeConfig& make_config) {
    std::vector<std::string> overrides = kFewSteps;
    overrides.insert(overrides.end(), {"model.layers=[{top_m: 0, vp_m_s: 1500}, {top_m: 520, vp_m_s: 2200}]",
                                       "time.stepping=single", "output={pictures: false, report: false}"});
    onda::Log log([](onda::Log::Level, const std::string&) {});
    static_cast<void>(onda::run_simulation(make_config(overrides), {folder / "observed", false, "test"}, log));
    return "imaging.observed=" + (folder / "observed" / "seismograms.h5").string();
}
