// A configuration is refused, or is one that its resolved text gives again.
#include "io/config/config.hpp"

#include "solver/plan/names.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace onda;

namespace {

Config read_text(std::string_view text) {
    Config config = read_config_text(std::string(text), "/fuzz/config.yaml", vocabulary());
    config.origin = {};
    return config;
}

}  // namespace

void fuzz::read_input(std::string_view input) {
    Config config;
    if (!answers([&] { config = read_text(input); })) return;
    const std::string resolved = resolved_yaml(config);
    Config again;
    if (!answers([&] { again = read_text(resolved); })) report_finding("the resolved text is refused:\n" + resolved);
    if (again != config) report_finding("the resolved text gives another configuration:\n" + resolved);
}
