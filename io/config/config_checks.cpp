// Keys of which one must be given where another is, or is not.
#include <algorithm>

#include "io/config/config_reader.hpp"

namespace onda {
namespace {

std::string source_path(std::size_t index) {
    return "sources[" + std::to_string(index) + "]";
}

void check_wavelet_given(const Config& config, Reading& reading) {
    if (reading.given("wavelet") || !reading.sound("sources")) return;
    for (std::size_t i = 0; i < config.sources.size(); ++i)
        if (!reading.given(source_path(i) + ".wavelet"))
            return reading.faults.add({0, {1, 1}}, "missing key 'wavelet': " + source_path(i) + " has none of its own");
}

void check_snapshots_timed(const Config& config, Reading& reading) {
    const std::string path = "output.snapshots";
    if (!reading.given(path) || !reading.sound(path)) return;
    for (const char* key : {".every_steps", ".every_s", ".times_s"})
        if (reading.given(path + key)) return;
    // The copy with every parameter of a configuration without snapshots has this one, and nothing else of them.
    const auto is_of_snapshots = [&path](const auto& entry) { return entry.first.starts_with(path + "."); };
    const bool is_alone = std::ranges::count_if(reading.keys, is_of_snapshots) == 1;
    if (is_alone && reading.given(path + ".vtkhdf") && !config.output.snapshots.vtkhdf) return;
    reading.faults.add(reading.keys.at(path),
                       path + ": no snapshots are requested: give every_s, every_steps or times_s");
}

}  // namespace

void check_given_together(const Config& config, Reading& reading) {
    check_wavelet_given(config, reading);
    check_snapshots_timed(config, reading);
}

}  // namespace onda
