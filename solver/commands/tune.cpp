#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/commands.hpp"
#include "solver/performance/tuner.hpp"
#include "solver/planning/choice.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/build.hpp"
#include "solver/program/json_text.hpp"
#include "solver/program/progress.hpp"

namespace onda {
namespace {

struct TuneOptions {
    ConfigOptions config;
    double seconds = 50.;
    int rounds = 7;
    bool rank_only = false, json = false, keep = true;
};

/// What was found, and where it lies.
struct Finding {
    TuningCase of;
    std::string model;  ///< where predictions come from; empty: there are none
    Candidate rule;
    std::vector<Trial> trials;
    std::filesystem::path file;  ///< empty: nothing was kept
};

double gpts(const TuningCase& of, double seconds) {
    return 1e-9 * static_cast<double>(of.asked.grid.points()) / seconds;
}

std::string heading(const Finding& f) {
    std::string text = fmt::format("{:>4} {:<19}", "rank", "kernel");
    if (f.of.device->understands("isa")) text += fmt::format(" {:<10} {:>7}", "isa", "threads");
    if (f.of.device->understands("tile")) text += fmt::format(" {:<10} {:<5}", "tile", "copy");
    return text + fmt::format(" {:>5} {:>10} {:>10} {:>10} … {:<10} {:>8}", "shots", "predicted", "measured", "(min",
                              "max)", "Gpt/s");
}

/// Times are milliseconds of a step of one shot.
std::string text_of(const Finding& f, std::size_t rank) {
    const Trial& trial = f.trials[rank];
    const KernelChoice& choice = trial.candidate.choice;
    std::string text = fmt::format("{:>4} {:<19}", rank + 1, choice.kernel);
    if (f.of.device->understands("isa")) text += fmt::format(" {:<10} {:>7}", choice.isa, choice.threads);
    if (f.of.device->understands("tile"))
        text += fmt::format(" {:<10} {:<5}", choice.tile, choice.copy.empty() ? "-" : choice.copy);
    const auto& predicted = trial.candidate.predicted_s;
    text += fmt::format(" {:>5} {:>10}", trial.candidate.shots,
                        predicted ? fmt::format("{:.4g}", *predicted * 1e3) : std::string("-"));
    if (!trial.seconds) return text + (trial.not_measured.empty() ? "" : "  " + trial.not_measured);
    const Sample& s = *trial.seconds;
    text += fmt::format(" {:>10.4g} {:>10.4g} … {:<10.4g} {:>8.3f}", s.median() * 1e3, s.min() * 1e3, s.max() * 1e3,
                        gpts(f.of, s.median()));
    return text + (trial.candidate.same_way(f.rule) ? "  the rule's" : "");
}

nlohmann::ordered_json json_of(const Finding& f, const Trial& trial) {
    const KernelChoice& choice = trial.candidate.choice;
    nlohmann::ordered_json json{{"kernel", choice.kernel}};
    if (f.of.device->understands("isa")) json.update({{"isa", choice.isa}, {"threads", choice.threads}});
    if (f.of.device->understands("tile")) json.update({{"tile", choice.tile}, {"copy", choice.copy}});
    json["shots"] = trial.candidate.shots;
    json["of_rule"] = trial.candidate.same_way(f.rule);
    if (trial.candidate.predicted_s) json["predicted_s"] = *trial.candidate.predicted_s;
    if (trial.seconds)
        json["measured_s"] = {{"median", trial.seconds->median()},
                              {"min", trial.seconds->min()},
                              {"max", trial.seconds->max()},
                              {"rounds", trial.seconds->rounds().size()}};
    if (!trial.not_measured.empty()) json["not_measured"] = trial.not_measured;
    return json;
}

nlohmann::ordered_json json_of(const Finding& f) {
    const Grid& grid = f.of.asked.grid;
    nlohmann::ordered_json json{{"device", f.of.device->name},
                                {"computed_shape_xyz", grid.n},
                                {"order", f.of.asked.scheme.space_order},
                                {"most_shots", f.of.most_shots},
                                {"model", nullptr},
                                {"file", nullptr}};
    if (!f.model.empty()) json["model"] = f.model;
    if (!f.file.empty()) json["file"] = shown(f.file);
    for (const Trial& trial : f.trials) json["candidates"].push_back(json_of(f, trial));
    return json;
}

void print(const Finding& f) {
    const Grid& grid = f.of.asked.grid;
    Setup resolved = f.of.asked;
    f.of.device->resolve(resolved);
    std::cout << fmt::format("{} nodes with the absorbing zones, {}, order {}, {}; predictions: {}\n", shape_text(grid),
                             name(f.of.asked.scheme.equation), f.of.asked.scheme.space_order,
                             f.of.device->hardware(resolved), f.model.empty() ? "none, in the rule's order" : f.model)
              << "milliseconds of a step of one shot, the median of rounds\n"
              << heading(f) << '\n';
    for (std::size_t i = 0; i < f.trials.size(); ++i) std::cout << text_of(f, i) << '\n';
    if (!f.file.empty())
        std::cout << fmt::format("kept      {}: {}\n          runs of this grid take it where backend leaves it open\n",
                                 shown(f.file), describe(f.of, winner(f.trials, f.rule).candidate));
}

Finding find(const TuneOptions& options, Plan& plan) {
    Finding found{tuning_case(plan), {}, rule_of(plan), {}, {}};
    const auto model = calibrated_model(*plan.placement.device, plan.setup.ordinal);
    if (model) found.model = model->source();
    std::vector<Candidate> ranked = candidates(found.of, found.rule, model.get());
    std::erase_if(ranked, [&](const Candidate& each) {
        static_cast<KernelChoice&>(plan.setup) = each.choice;
        return each.shots > 1 && !fits(plan, each.shots) && !each.same_way(found.rule);
    });
    if (options.rank_only) {
        for (const Candidate& each : ranked) found.trials.push_back({each});
        return found;
    }
    TunerOptions tuner{.budget_s = options.seconds,
                       .rounds = options.rounds,
                       .receivers = std::min<std::int64_t>(plan.survey.size.most_receivers, plan.domain.grid.nx())};
    const bool shows = !options.json && stderr_is_terminal();
    tuner.progress = [&, done = std::size_t{0}](const Trial& trial) mutable {
        ++done;
        if (shows && trial.seconds)
            std::cerr << fmt::format("\r\033[K{}/{} {}", done, ranked.size(), describe(found.of, trial.candidate));
    };
    found.trials = measure_candidates(found.of, ranked, found.rule, tuner);
    if (shows) std::cerr << "\r\033[K";
    return found;
}

int tune(const TuneOptions& options) {
    const Config config = read_config(options.config);
    Plan plan = make_plan(config);
    Finding found = find(options, plan);
    if (!options.rank_only && !found.trials.front().seconds)
        throw Error(ExitCode::out_of_memory, "nothing could be measured: no wavefield of this grid fits the memory");
    std::optional<Error> fault;
    if (!options.rank_only && options.keep) try {
            const Trial& best = winner(found.trials, found.rule);
            found.file = keep_tuning(found.of, {best.candidate, best.seconds->median(), utc_now()});
        } catch (const Error& error) {
            fault = error;  // what was measured is told all the same
        }
    if (options.json)
        std::cout << json_text(json_of(found)) << '\n';
    else
        print(found);
    if (fault) throw Error(*fault);
    return 0;
}

}  // namespace

Command add_tune(CLI::App& app) {
    CLI::App* command =
        add_command(app, "tune", "Find the fastest kernel for a configuration on this machine, and keep it",
                    "onda tune survey.yaml\n"
                    "onda tune survey.yaml --set scheme.space_order=4 --seconds 20\n"
                    "onda tune survey.yaml --rank-only --json");
    const auto options = std::make_shared<TuneOptions>();
    add_config_options(*command, options->config);
    command
        ->add_option("--seconds", options->seconds,
                     "Time for all measurements; two candidates are measured however long they take")
        ->check(CLI::Range(0.1, 86400.))
        ->capture_default_str();
    command->add_option("--rounds", options->rounds, "Rounds of each of the fastest")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    CLI::Option* const rank = command->add_flag("--rank-only", options->rank_only, "List the candidates; measure none");
    command->add_flag("!--no-cache", options->keep, "Do not keep the fastest for later runs")->excludes(rank);
    command->add_flag("--json", options->json, "Print as JSON");
    return [options] { return tune(*options); };
}

}  // namespace onda
