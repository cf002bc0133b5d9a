// What is kept of a machine: the kernel that was measured to be fastest, and its calibration. Name, key and hash of a
// file are made right where the input is JSON, so that the value is read.
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "solver/performance/model/calibration.hpp"
#include "solver/performance/tuner.hpp"
#include "solver/performance/tuning.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/choice.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/hash.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace onda;

namespace {

/// A case for which something is kept.
struct Kept {
    TuningCase of;
    std::filesystem::path file;
    Kept() {
        setenv("XDG_CACHE_HOME", fuzz::folder().c_str(), 1);
        const Plan plan = make_plan(read_config_text(R"(schema_version: 1
grid: {shape: [41, 31], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.05}
boundary: {cpml_width: 4}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{position_m: [200, 50]}]
receivers: [{position_m: [100, 50]}]
backend: {name: cpu, threads: 2}
)",
                                                     "cache.yaml", vocabulary()));
        of = tuning_case(plan);
        file = keep_tuning(of, {rule_of(plan), 1e-3, "2026-01-31T12:00:00Z"});
    }
};

template <class Read>
void read_calibration(const Read& read, const nlohmann::json& value) {
    try {
        read(value);
    } catch (const std::invalid_argument&) {  // what the readers promise
    }
}

}  // namespace

void fuzz::read_input(std::string_view input) {
    static const Kept kept;
    std::string text(input);
    nlohmann::json json = nlohmann::json::parse(input, nullptr, false);
    if (json.is_object() && json.contains("value")) {
        nlohmann::json& value = json["value"];
        if (value.is_object() && value.contains("key")) value["key"] = tuning_key(kept.of);
        json["name"] = kept.file.stem().string();
        json["hash"] = hash_of(value.dump());
        text = json.dump();
        read_calibration(gpu_calibration_from, value);
        read_calibration(cpu_calibration_from, value);
    }
    file_with(text, std::filesystem::relative(kept.file, folder()).string());
    std::vector<std::string> warnings;
    answers([&] { static_cast<void>(kept_tuning(kept.of, warnings)); });
    for (const std::string& warning : warnings)
        if (printable_lines(warning) != warning) report_finding("the warning cannot be shown as it is: " + warning);
}
