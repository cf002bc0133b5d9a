// Shared by the tests of output files: provenance and gathers to write, and whether anything was left behind.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>

#include "io/results/provenance.hpp"
#include "io/results/seismograms.hpp"

inline onda::Provenance sample_provenance(std::size_t config_bytes = 3000) {
    return {{{"onda_version", "0.1.0"}, {"git_commit", "abc"}, {"config_yaml", std::string(config_bytes, 'y')}}};
}

/// A gather whose positions and pressures follow from its number.
inline onda::ShotGather sample_gather(std::int64_t shot, std::int64_t receivers, std::int64_t samples) {
    onda::ShotGather gather{shot, {{100. * double(shot), 2., 3.}}, {}, 0.002, samples, {}};
    for (std::int64_t r = 0; r < receivers; ++r) gather.receivers_m.push_back({10. * double(r), 0.5, -1.25});
    for (std::int64_t i = 0; i < receivers * samples; ++i)
        gather.pressure.push_back(float(std::sin(double(i)) / double(shot)));
    return gather;
}

inline bool empty_folder(const std::filesystem::path& folder) {
    return std::filesystem::directory_iterator(folder) == std::filesystem::directory_iterator();
}
