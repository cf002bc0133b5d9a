// Shared by the tests of output files: provenance to write, and whether anything was left behind.
#pragma once

#include <filesystem>
#include <string>

#include "io/results/provenance.hpp"

inline onda::Provenance sample_provenance(std::size_t config_bytes = 3000) {
    return {{{"onda_version", "0.1.0"}, {"git_commit", "abc"}, {"config_yaml", std::string(config_bytes, 'y')}}};
}

inline bool empty_folder(const std::filesystem::path& folder) {
    return std::filesystem::directory_iterator(folder) == std::filesystem::directory_iterator();
}
