// Small grids and surveys, for the tests of surveys.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "solver/discretisation/scheme.hpp"
#include "solver/survey/survey.hpp"
#include "tests/io/files_support.hpp"

namespace onda {

inline Grid grid_2d() {
    Grid grid;
    grid.dimensions = 2;
    grid.n = {101, 1, 81};
    grid.spacing_m = {10., 1., 5.};
    return grid;
}

inline Grid grid_3d() {
    Grid grid;
    grid.n = {101, 61, 81};
    grid.spacing_m = {10., 10., 5.};
    grid.origin_m = {1000., -300., 0.};
    return grid;
}

inline SourceConfig source_at(std::vector<double> position_m) {
    SourceConfig source;
    source.position_m = std::move(position_m);
    return source;
}

inline ReceiverConfig receiver_at(std::vector<double> position_m) {
    ReceiverConfig receiver;
    receiver.position_m = std::move(position_m);
    return receiver;
}

inline Config config_2d() {
    Config config;
    config.boundary = {"zero", "zero", "zero", "zero", "zero", "zero", "inside", 20, 1e-6, {}, 10, 1e-4};
    config.wavelet.peak_frequency_hz = 15.;
    config.time.duration_s = 1.;
    config.sources = {source_at({500., 20.})};
    config.receivers = {receiver_at({600., 30.})};
    return config;
}

inline Survey survey_of(const Config& config, const Grid& grid) {
    return make_survey({config.sources, config.receivers, config.wavelet, config.time, config.output}, grid,
                       make_faces(config.boundary, grid, config.origin), config.origin);
}

/// The scheme of a configuration whose model gives vp alone.
inline Scheme scheme_of(const Config& config, const Grid& grid) {
    const auto gives_vp = [](const MediumParameter& parameter) { return parameter.name == "vp"; };
    return make_scheme(config.scheme, config.time.order, grid, gives_vp, config.origin);
}

inline std::string survey_error(const Config& config, const Grid& grid) {
    return message_of([&] { static_cast<void>(survey_of(config, grid)); }, ExitCode::config);
}

/// A temporary folder that takes files.
struct Folder : TemporaryFolder {
    [[nodiscard]] std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::ofstream(path() / name) << text;
        return path() / name;
    }
};

}  // namespace onda
