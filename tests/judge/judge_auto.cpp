#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>
#include <memory>
#include <spdlog/fmt/fmt.h>
#include <sstream>

#include "io/files/atomic_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/performance/tuner.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/choice.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/threads.hpp"
#include "tests/judge/judge.hpp"

namespace onda {
namespace {

struct AutoOptions {
    std::string backend = "auto", csv;
    std::vector<std::string> grids{"64x64x64",    "96x96x96",    "128x128x128", "192x192x192", "256x256x256",
                                   "384x384x384", "512x512x512", "401x301",     "1601x401",    "4001x3001"};
    std::vector<int> orders{2, 4, 8, 12, 16}, shots{1, 32};
    double seconds = 6.;
    int rounds = 9;
    bool force = false;
};

struct AutoCase {
    std::string grid;
    int order, shots;
};

/// "[64, 64, 64]" of "64x64x64".
std::string shape_of(const std::string& grid) {
    const std::string wrong = fmt::format(
        "--grid '{}': give nodes along x and z, or x, y and z, such as 1601x401 or "
        "128x128x128",
        printable(grid));
    std::string text = "[";
    int axes = 0;
    for (const char *at = grid.data(), *const end = at + grid.size();; ++at) {
        std::int64_t nodes = 0;
        const auto [next, fault] = std::from_chars(at, end, nodes);
        if (fault != std::errc() || nodes < 32 || nodes > 100'000 || ++axes > 3) throw Error(ExitCode::usage, wrong);
        text += fmt::format("{}{}", axes > 1 ? ", " : "", nodes);
        at = next;
        if (at == end) break;
        if (*at != 'x') throw Error(ExitCode::usage, wrong);
    }
    if (axes < 2) throw Error(ExitCode::usage, wrong);
    return text + "]";
}

/// A survey on a grid of 10 m with perfectly matched layers beyond all faces, and a hundred receivers.
Plan plan_of(const AutoCase& timed, const std::string& backend) {
    const bool plane = std::ranges::count(timed.grid, 'x') == 1;
    const auto at = [plane](int x, int z) {
        return plane ? fmt::format("[{}, {}]", x, z) : fmt::format("[{}, 160, {}]", x, z);
    };
    const std::string sources = timed.shots == 1 ? fmt::format("{{position_m: {}}}", at(160, 100))
                                                 : fmt::format("{{type: line, first_m: {}, last_m: {}, count: {}}}",
                                                               at(100, 100), at(200, 100), timed.shots);
    const std::string text = fmt::format(R"(schema_version: 1
grid: {{shape: {}, spacing_m: 10}}
model: {{type: constant, vp_m_s: 2000}}
time: {{duration_s: 1, dispersion_correction: false}}
scheme: {{space_order: {}}}
boundary: {{x_min: cpml, x_max: cpml, {}z_min: cpml, z_max: cpml, cpml_width: 20}}
wavelet: {{type: ricker, peak_frequency_hz: 8}}
sources: [{}]
receivers: [{{type: line, first_m: {}, last_m: {}, count: 100}}]
backend: {{name: {}, tuning: 'off'}}
)",
                                         shape_of(timed.grid), timed.order,
                                         plane ? std::string() : std::string("y_min: cpml, y_max: cpml, "), sources,
                                         at(50, 150), at(300, 150), backend);
    return make_plan(read_config_text(text, "judge.yaml", vocabulary()));
}

/// One of the ways that are compared, with what it takes.
struct Way {
    std::string name;  ///< "rule", "model", "tuned", or empty
    Candidate candidate;
    std::optional<Sample> seconds = {};
};

struct AutoRow {
    AutoCase timed;
    TuningCase of;
    std::vector<Way> ways;      ///< rule, model where there is one, tuned, and the fastest others
    std::vector<Trial> trials;  ///< of every candidate
    std::size_t tried = 0;

    [[nodiscard]] const Way& best() const {
        return *std::ranges::min_element(ways, {},
                                         [](const Way& way) { return way.seconds ? way.seconds->median() : INFINITY; });
    }
    [[nodiscard]] const Way* find(const std::string& name) const {
        const auto way = std::ranges::find(ways, name, &Way::name);
        return way == ways.end() || !way->seconds ? nullptr : &*way;
    }
    /// What a way takes of the time of the best fixed choice.
    [[nodiscard]] double ratio(const Way& way) const { return way.seconds->median() / best().seconds->median(); }
};

/// Every candidate is looked at; then rule's, model's and tuning's choices and the three fastest take turns on
/// wavefields of their own.
AutoRow measure(const AutoCase& timed, const AutoOptions& options) {
    Plan plan = plan_of(timed, options.backend);
    AutoRow row{timed, tuning_case(plan), {}, {}};
    const Candidate rule = rule_of(plan);
    const auto model = calibrated_model(*plan.placement.device, plan.setup.ordinal);
    const TunerOptions tuner{.budget_s = options.seconds,
                             .rounds = options.rounds,
                             .promising = INFINITY,
                             .receivers = plan.survey.size.most_receivers};
    row.trials = measure_candidates(row.of, candidates(row.of, rule, model.get()), rule, tuner);
    row.ways.push_back({"rule", rule});
    std::vector<std::string> warnings;
    if (model) row.ways.push_back({"model", choose(row.of, rule, model.get(), false, warnings).candidate});
    row.ways.push_back({"tuned", winner(row.trials, rule).candidate});
    for (const Trial& trial : row.trials)
        if (trial.seconds && row.tried++ < 3) row.ways.push_back({"", trial.candidate});
    std::vector<Candidate> again;
    for (const Way& way : row.ways)
        if (std::ranges::none_of(again, [&](const Candidate& each) { return each.same_way(way.candidate); }))
            again.push_back(way.candidate);
    const auto samples = take_turns(row.of, again, field_of(row.of), tuner);
    for (Way& way : row.ways)
        for (std::size_t i = 0; i < again.size(); ++i)
            if (again[i].same_way(way.candidate)) way.seconds = samples[i];
    return row;
}

constexpr const char* kWays[] = {"rule", "model", "tuned"};

std::string text_of(const AutoRow& row) {
    std::string text = fmt::format("{:<13} {:>5} {:>5}", row.timed.grid, row.timed.order, row.timed.shots);
    for (const char* name : kWays) {
        const Way* way = row.find(name);
        text += way == nullptr ? fmt::format(" {:>6}", "-") : fmt::format(" {:>6.3f}", row.ratio(*way));
    }
    const double points = 1e-9 * static_cast<double>(row.of.asked.grid.points());
    return text + fmt::format(" {:>9.3f}  {:<40} {:<40} {}/{}", points / row.best().seconds->median(),
                              describe(row.of, row.best().candidate), describe(row.of, row.ways.front().candidate),
                              row.tried, row.trials.size());
}

std::string csv_of(const std::vector<AutoRow>& rows) {
    std::ostringstream text;
    text << "grid,order,shots,computed_points,candidates,measured";
    for (const char* name : kWays)
        for (const char* column : {"kernel", "tile", "copy", "isa", "threads", "batch", "seconds", "ratio"})
            text << ',' << name << '_' << column;
    text << ",best_kernel,best_tile,best_copy,best_isa,best_threads,best_batch,best_seconds\n";
    const auto put = [&text](const Way* way) {
        if (way == nullptr) {
            text << ",,,,,,,";
            return;
        }
        const KernelChoice& choice = way->candidate.choice;
        text << ',' << choice.kernel << ',' << choice.tile << ',' << choice.copy << ',' << choice.isa << ','
             << choice.threads << ',' << way->candidate.shots << ',' << way->seconds->median();
    };
    for (const AutoRow& row : rows) {
        text << row.timed.grid << ',' << row.timed.order << ',' << row.timed.shots << ',' << row.of.asked.grid.points()
             << ',' << row.trials.size() << ',' << row.tried;
        for (const char* name : kWays) {
            const Way* way = row.find(name);
            put(way);
            text << ',' << (way == nullptr ? std::string() : fmt::format("{:.4f}", row.ratio(*way)));
        }
        put(&row.best());
        text << '\n';
    }
    return text.str();
}

/// The worst of each way, and how often it is within 3 % of the best.
void conclude(const std::vector<AutoRow>& rows) {
    for (const char* name : kWays) {
        double worst = 0.;
        std::size_t within = 0, of = 0;
        std::string where;
        for (const AutoRow& row : rows) {
            const Way* way = row.find(name);
            if (way == nullptr) continue;
            ++of;
            const double ratio = row.ratio(*way);
            within += ratio <= 1.03 ? 1 : 0;
            if (ratio <= worst) continue;
            worst = ratio;
            where = fmt::format("{}, order {}, {} shots", row.timed.grid, row.timed.order, row.timed.shots);
        }
        if (of > 0)
            std::cout << fmt::format(
                "{:<6} takes at most {:.3f} of the best fixed choice's time ({}); within 1.03 in {} "
                "of {} cases\n",
                name, worst, where, within, of);
    }
}

int judge_auto(const AutoOptions& options) {
    check_threads(0, "");
    std::cout << fmt::format(
                     "time of a step over that of the best fixed choice; layers of 20 nodes beyond all faces, "
                     "{} s a case\n{:<13} {:>5} {:>5} {:>6} {:>6} {:>6} {:>9}  {:<40} {:<40} tried",
                     options.seconds, "grid", "order", "shots", "rule", "model", "tuned", "Gpt/s", "best", "the rule's")
              << std::endl;
    std::vector<AutoRow> rows;
    for (const std::string& grid : options.grids)
        for (const int order : options.orders)
            for (const int shots : options.shots) try {
                    rows.push_back(measure({grid, order, shots}, options));
                    std::cout << text_of(rows.back()) << std::endl;
                } catch (const Error& error) {
                    if (error.code() != ExitCode::out_of_memory) throw;
                    std::cerr << fmt::format("note: {} is left out: {}\n", grid, error.what());
                }
    conclude(rows);
    if (!options.csv.empty()) write_text_file(options.csv, csv_of(rows), options.force);
    return 0;
}

}  // namespace

Command add_judge_auto(CLI::App& app) {
    CLI::App* command =
        add_command(app, "auto", "How near `backend.kernel: auto` comes to the best fixed choice",
                    "onda_judge auto --backend cuda --csv auto.csv\n"
                    "onda_judge auto --backend cpu --grid 64x64x64 401x301 --order 8 --shots 1 8 --seconds 5");
    const auto options = std::make_shared<AutoOptions>();
    command->add_option("--backend", options->backend, "What computes")->capture_default_str();
    command->add_option("--grid", options->grids, "Nodes, such as 1601x401 or 128x128x128")->capture_default_str();
    command->add_option("--order", options->orders, "Space orders, even, 2 to 16")->capture_default_str();
    command->add_option("--shots", options->shots, "Shots of the survey")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    command->add_option("--seconds", options->seconds, "Time for the trials of each case")
        ->check(CLI::Range(0.1, 86400.))
        ->capture_default_str();
    command->add_option("--rounds", options->rounds, "Rounds of each of the fastest")
        ->check(CLI::Range(2, 1000))
        ->capture_default_str();
    command->add_option("--csv", options->csv, "Also write the table to this file")->type_name("FILE");
    command->add_flag("--force", options->force, "Overwrite the CSV file if it exists");
    return [options] { return judge_auto(*options); };
}

}  // namespace onda
