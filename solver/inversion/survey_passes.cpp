#include "solver/inversion/survey_passes.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "io/text/error.hpp"

namespace onda {
namespace {

/// Tells of the shots of all passes as of one run.
class ProgressOfPass : public Progress {
public:
    /// \param done shots of the passes before; this one adds its own. \param left passes, this one among them.
    ProgressOfPass(Progress& progress, std::int64_t& done, std::int64_t left)
        : progress_(progress), done_(done), left_(std::max<std::int64_t>(1, left)) {}

    void begin(std::int64_t shots, std::int64_t steps) override {
        before_ = done_;
        done_ += shots;
        progress_.begin(before_ + left_ * shots, steps);
    }
    void update(std::int64_t done, std::int64_t together, std::int64_t step, double time_s, double max_abs) override {
        progress_.update(before_ + done, together, step, time_s, max_abs);
    }
    void clear() override { progress_.clear(); }

private:
    Progress& progress_;
    std::int64_t& done_;
    std::int64_t left_, before_ = 0;
};

/// The configuration of a pass, which leaves nothing to look at.
Config without_pictures(Config config) {
    config.output.pictures = config.output.report = false;
    return config;
}

}  // namespace

void SurveyPasses::run(const Pass& pass) {
    RunOptions options = options_;
    options.folder = pass.folder;
    options.shots = {};
    options.task = &pass.task;
    options.is_pass = true;
    options.replaces_others = pass.replaces_others;
    options.operand = pass.operand;
    const std::int64_t number = done_++;
    std::optional<ProgressOfPass> progress;
    if (options.progress != nullptr)
        options.progress = &progress.emplace(*options.progress, shots_done_, pass.expected - number);
    // What the first pass says of itself the others would say again.
    Log log([&](Log::Level level, const std::string& message) {
        if (number > 0)
            log_.note(message);
        else if (level == Log::Level::warning)
            log_.warn(message);
        else
            log_.info(message);
    });
    std::exception_ptr time_is_over;
    try {
        account_for(run_simulation(without_pictures(pass.config), options, log, ranks_));
    } catch (const Error& error) {
        if (error.code() != ExitCode::time_limit) throw;
        time_is_over = std::current_exception();  // which the first of several processes knows alone
    }
    // The sums are there when the first one comes here.
    ranks_.all_or_none([&] {
        if (time_is_over) std::rethrow_exception(time_is_over);
    });
}

void SurveyPasses::account_for(const RunFacts& of_pass) {
    if (of_pass.backend.empty()) return;  // it was there
    for (const auto& [phase, seconds] : of_pass.phase_s) {
        const auto known = std::ranges::find(facts.phase_s, phase, &std::pair<std::string, double>::first);
        if (known == facts.phase_s.end())
            facts.phase_s.emplace_back(phase, seconds);
        else
            known->second += seconds;
    }
    facts.backend = of_pass.backend;
    facts.gpt_per_s = of_pass.gpt_per_s;
    facts.peak_memory_bytes = std::max(facts.peak_memory_bytes, of_pass.peak_memory_bytes);
    facts.device_bytes = std::max(facts.device_bytes, of_pass.device_bytes);
    facts.largest_observed_pressure = std::max(facts.largest_observed_pressure, of_pass.largest_observed_pressure);
    facts.shots = of_pass.shots;
}

}  // namespace onda
