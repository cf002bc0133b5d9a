#include "solver/commands/bench/bench_ep.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <numeric>
#include <omp.h>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "solver/commands/bench/bench_output.hpp"
#include "solver/companions/nas_ep.hpp"
#include "solver/performance/measurement.hpp"
#include "solver/program/threads.hpp"
#include "solver/ranks/ranks.hpp"

namespace onda {
namespace {

struct EpOptions {
    std::string backend = "auto";
    std::vector<std::string> classes;
    std::vector<int> threads, gpus;
    int rounds = 3;
    BenchOutput output;
};

/// What counts: threads or GPUs of this process, and of as many others as there are ranks.
struct EpCrew {
    bool on_gpus = false;
    int number = 1, ranks = 1;
    PairCounters counters;

    [[nodiscard]] std::string text() const {
        const char* const unit = on_gpus ? "GPU" : "thread";
        const std::string own = fmt::format("{} {}{}", number, unit, number == 1 ? "" : "s");
        return ranks == 1 ? own : fmt::format("{} ranks x {}", ranks, own);
    }
};

struct EpRow {
    const EpClass* of;
    PairSums sums;
    EpVerdict verdict;
    bool repeated = true;  ///< every round gave the same bits
    Sample seconds;

    [[nodiscard]] bool holds() const { return verdict.verified() && repeated; }
    [[nodiscard]] double mpairs_s() const { return 1e-6 * static_cast<double>(of->pairs()) / seconds.median(); }
    [[nodiscard]] const char* text() const {
        if (!verdict.sums_agree) return "SUMS DIFFER";
        if (!verdict.counts_agree) return "COUNTS DIFFER";
        return repeated ? "verified" : "ROUNDS DIFFER";
    }
};

std::vector<const EpClass*> ep_classes_of(const EpOptions& options, bool on_gpus) {
    std::vector<const EpClass*> chosen;
    for (const std::string& name : options.classes) chosen.push_back(&ep_class(name));
    constexpr int kLargestOnCpu = 28;  // class A: some seconds; B and C take minutes
    for (const EpClass& each : ep_classes())
        if (options.classes.empty() && (on_gpus || each.log2_pairs <= kLargestOnCpu)) chosen.push_back(&each);
    return chosen;
}

/// The numbers of threads or GPUs to measure: those asked for, or all.
std::vector<int> ep_crew_sizes(const EpOptions& options, const Device& device, const Ranks& ranks) {
    const bool on_gpus = device.has_own_memory();
    if (!on_gpus && !options.gpus.empty())
        throw Error(ExitCode::usage, "--gpus is for GPUs: leave it out, or take --backend cuda");
    if (on_gpus && !options.threads.empty())
        throw Error(ExitCode::usage, "--threads is for the CPU: leave it out, or take --backend cpu");
    if (!on_gpus) return options.threads.empty() ? std::vector{omp_get_max_threads()} : options.threads;
    const bool shared = ranks.team() != nullptr;
    const int most = shared ? 1 : device.count();
    for (const int asked : options.gpus)
        if (asked > most)
            throw Error(ExitCode::usage, fmt::format("--gpus {}: there {} {}{}", asked, most == 1 ? "is" : "are", most,
                                                     shared ? " for each of the ranks" : ""));
    return options.gpus.empty() ? std::vector{most} : options.gpus;
}

EpCrew make_ep_crew(const Device& device, int number, const Ranks& ranks) {
    EpCrew crew{device.has_own_memory(), number, ranks.team() == nullptr ? 1 : ranks.place().size, {}};
    if (!crew.on_gpus) {
        crew.counters = cpu_pair_counters(number);
        return crew;
    }
    std::vector<int> ordinals(static_cast<std::size_t>(number));
    std::iota(ordinals.begin(), ordinals.end(),
              ranks.team() == nullptr ? 0 : ranks.place().local_rank % device.count());
    crew.counters = gpu_pair_counters(ordinals);
    return crew;
}

EpRow measure_ep(const EpClass& of, const EpCrew& crew, const Ranks& ranks, int rounds, ConditionsWatch& watch) {
    using Clock = std::chrono::steady_clock;
    const PositionedRandom random = PositionedRandom::nas();
    EpRow row{&of, {}, {}, true, {}};
    std::vector<double> seconds;
    for (int round = 0; round < rounds; ++round) {
        ranks.all_or_none([] {});  // all begin together
        const Clock::time_point begin = Clock::now();
        const PairSums sums = count_on_ranks(random, of.batches(), crew.counters, ranks);
        seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
        watch.look();
        if (round == 0) row.sums = sums;
        row.repeated = row.repeated && sums == row.sums;
    }
    row.verdict = verdict_on(of, row.sums);
    row.seconds = Sample(seconds);
    return row;
}

std::string ep_heading() {
    return fmt::format("{:<5} {:>10}  {:<18} {:>11} {:<23} {:>9} {:>22} {:>22} {:>8} {:>8}\n", "class", "pairs",
                       "device", "seconds", "(min … max)", "Mpairs/s", "sx", "sy", "rel. sx", "rel. sy");
}

std::string text_of(const EpRow& row, const EpCrew& crew) {
    const std::string spread = fmt::format("({:.6f} … {:.6f})", row.seconds.min(), row.seconds.max());
    return fmt::format(
        "{:<5} {:>10}  {:<18} {:>11.6f} {:<23} {:>9.1f} {:>22.15e} {:>22.15e} {:>8.1e} {:>8.1e}  {}\n"
        "      accepted {}: {}\n",
        row.of->name, row.of->pairs(), crew.text(), row.seconds.median(), spread, row.mpairs_s(), row.sums.sx,
        row.sums.sy, row.verdict.sx_difference, row.verdict.sy_difference, row.text(), row.sums.accepted(),
        fmt::join(row.sums.counts, " "));
}

std::string csv_of(const EpRow& row, const EpCrew& crew) {
    return fmt::format("{},{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.17g},{:.17g},{:.3g},{:.3g},{},{}\n", row.of->name,
                       row.of->pairs(), crew.on_gpus ? "gpu" : "cpu", crew.number, crew.ranks, row.seconds.median(),
                       row.seconds.min(), row.seconds.max(), row.mpairs_s(), row.sums.sx, row.sums.sy,
                       row.verdict.sx_difference, row.verdict.sy_difference, fmt::join(row.sums.counts, ","),
                       row.holds() ? 1 : 0);
}
constexpr const char* kEpCsvHeading =
    "class,pairs,device,devices,ranks,s_median,s_min,s_max,mpairs_s,sx,sy,sx_difference,sy_difference,"
    "q0,q1,q2,q3,q4,q5,q6,q7,q8,q9,verified\n";

BenchRow report_of(const EpRow& row, const EpCrew& crew) {
    BenchRow result;
    result.problem = {{"work", "nas ep"}, {"class", row.of->name}, {"pairs", row.of->pairs()}};
    result.kernel = {{"program", "onda"}, {crew.on_gpus ? "gpus" : "threads", crew.number}, {"ranks", crew.ranks}};
    result.unit = "s";
    result.larger_is_better = false;
    result.rounds = row.seconds;
    result.facts = {{"sx", row.sums.sx},
                    {"sy", row.sums.sy},
                    {"sx_difference", row.verdict.sx_difference},
                    {"sy_difference", row.verdict.sy_difference},
                    {"counts", row.sums.counts},
                    {"mpairs_s", row.mpairs_s()},
                    {"verified", row.holds()}};
    return result;
}

/// Measures every class with every crew. \param take what each row is given to, on the first rank. \returns whether all
/// are verified.
template <typename Take>
bool measure_ep_rows(const EpOptions& options, const Device& device, const Ranks& ranks, ConditionsWatch& watch,
                     const Take& take) {
    const std::vector<const EpClass*> classes = ep_classes_of(options, device.has_own_memory());
    bool all_hold = true;
    for (const int number : ep_crew_sizes(options, device, ranks)) {
        const EpCrew crew = make_ep_crew(device, number, ranks);
        // Starts threads, contexts and clocks, which no round is to contain.
        count_on_ranks(PositionedRandom::nas(), ep_classes().front().batches(), crew.counters, ranks);
        for (const EpClass* of : classes) {
            const EpRow row = measure_ep(*of, crew, ranks, options.rounds, watch);
            all_hold = all_hold && row.holds();
            if (ranks.is_first()) take(row, crew);
        }
    }
    return all_hold;
}

/// \returns whether all are verified.
bool bench_ep_on_first(const EpOptions& options, const Device& device, const Ranks& ranks) {
    BenchReport report = begin_bench_report("ep", &device);
    ConditionsWatch watch(device);
    std::ostream& out = options.output.table();
    out << circumstances(report) << '\n'
        << fmt::format(
               "backend {}; seconds from idle devices to sums and counts on the host, median of {} rounds; "
               "published sums to {:.0e}, counts exactly\n",
               device.name, options.rounds, kEpTolerance)
        << ep_heading() << std::flush;
    std::string csv = kEpCsvHeading;
    const bool all_hold = measure_ep_rows(options, device, ranks, watch, [&](const EpRow& row, const EpCrew& crew) {
        out << text_of(row, crew) << std::flush;
        csv += csv_of(row, crew);
        report.rows.push_back(report_of(row, crew));
    });
    finish_bench(options.output, report, watch.conditions(), csv);
    return all_hold;
}

int bench_ep(const EpOptions& options) {
    const Ranks ranks = Ranks::join();
    if (ranks.team() == nullptr && !ranks.is_first()) return 0;  // the first one does it all
    share_processors(ranks.place().same_processors);
    BackendConfig wanted;
    wanted.name = options.backend;
    const Device& device = ranks.all_or_none([&] {
        check_threads(options.threads.empty() ? 0 : *std::ranges::max_element(options.threads), "--threads");
        const Device* chosen = choose_device(wanted).device;
        ep_classes_of(options, chosen->has_own_memory());
        ep_crew_sizes(options, *chosen, ranks);
        if (ranks.is_first()) check_writable(options.output);
        return std::cref(*chosen);
    });
    bool all_hold = false;
    if (ranks.is_first()) {
        all_hold = bench_ep_on_first(options, device, ranks);
    } else {
        ConditionsWatch watch(device);
        all_hold = measure_ep_rows(options, device, ranks, watch, [](const EpRow&, const EpCrew&) {});
    }
    if (!all_hold) ranks.end_together();
    return static_cast<int>(all_hold ? ExitCode::ok : ExitCode::verify_failed);
}

}  // namespace

Command add_bench_ep(CLI::App& bench) {
    CLI::App* command = add_command(
        bench, "ep",
        "NAS EP with the random numbers of the program; it ends with 1 if a result is not the published one",
        "onda bench ep --backend cpu --class S W A --threads 1 2\n"
        "onda bench ep --backend cuda --class A B C --gpus 1 2\n"
        "mpirun -n 4 onda bench ep --backend cpu --class A");
    const auto options = std::make_shared<EpOptions>();
    std::vector<std::string> names;
    for (const EpClass& each : ep_classes()) names.emplace_back(each.name);
    add_bench_backend(*command, options->backend);
    command
        ->add_option("--class", options->classes,
                     "Classes of NPB, 2^24, 2^25, 2^28, 2^30, 2^32 pairs (default: S W A; on GPUs all)")
        ->check(offered(names));
    command->add_option("--threads", options->threads, "Numbers of CPU threads of each process (default: all)")
        ->check(CLI::Range(1, kMostThreads));
    command->add_option("--gpus", options->gpus, "Numbers of GPUs (default: all; of each of several processes one)")
        ->check(CLI::Range(1, 1024));
    add_bench_rounds(*command, options->rounds);
    add_bench_output(*command, options->output);
    return [options] { return bench_ep(*options); };
}

}  // namespace onda
