// Runs in memory that say nothing, and how far their results are apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solver/plan/names.hpp"
#include "solver/run/in_memory.hpp"

/// A configuration with more settings, on the CPU.
inline onda::Config cpu_config(const std::string& text, const std::vector<std::string>& overrides = {}) {
    std::vector<std::string> all{"backend.name=cpu"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return onda::read_config_text(text, "run.yaml", onda::vocabulary(), all);
}

class UnseenProgress : public onda::Progress {
    void begin(std::int64_t, std::int64_t) override {}
    void update(std::int64_t, std::int64_t, std::int64_t, double, double) override {}
    void clear() override {}
};

inline onda::SurveyInMemory run_quietly(const onda::Config& config, const onda::TaskRow* task = nullptr) {
    UnseenProgress progress;
    onda::Log log([](onda::Log::Level, const std::string&) {});
    return onda::run_in_memory(config, {}, progress, log, task);
}

inline onda::SurveyInMemory apply_quietly(const onda::Config& config, const onda::TaskRow& task,
                                          onda::GivenOperand operand) {
    UnseenProgress progress;
    onda::Log log([](onda::Log::Level, const std::string&) {});
    return onda::apply_in_memory(config, {}, progress, log, task, std::move(operand));
}

/// The largest difference over the largest value of b.
inline double largest_difference(std::span<const float> a, std::span<const float> b) {
    REQUIRE(a.size() == b.size());
    double largest = 0., of_b = 0.;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(double(a[i]) - double(b[i])));
        of_b = std::max(of_b, std::abs(double(b[i])));
    }
    REQUIRE(of_b > 0.);
    return largest / of_b;
}
