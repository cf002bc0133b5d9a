#include "solver/performance/thesis/sweep_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <spdlog/fmt/fmt.h>
#include <vector>

#include "solver/performance/thesis/tile_facts.hpp"

namespace onda {
namespace {

constexpr std::size_t kStrategies = kLoadStrategies.size();
/// Times that differ by less count as equal.
constexpr double kEqualTimes = 0.01;
/// Least tau at which a fact is said to order the times.
constexpr double kTells = 0.2;

/// Milliseconds with four digits.
std::string ms_text(const std::optional<double>& seconds) {
    if (!seconds) return "-";
    const double ms = 1e3 * *seconds;
    return fmt::format("{:.{}f}", ms, ms < 10. ? 3 : ms < 100. ? 2 : 1);
}

std::string columns_of(const SweptTile* tile) {
    std::string text;
    for (const std::size_t strategy : kThesisColumns)
        text += fmt::format(" {:>10}", ms_text(tile == nullptr ? std::nullopt : tile->seconds[strategy]));
    return text;
}

std::string headings() {
    std::string text;
    for (const std::size_t strategy : kThesisColumns) text += fmt::format(" {:>10}", kLoadStrategies[strategy].name);
    return text;
}

double gpts(const TileSweep& sweep, double seconds) {
    return 1e-9 * sweep.points() / seconds;
}

/// The strategies that were measured, the fastest first.
std::vector<std::size_t> ranking(const TileSweep& sweep) {
    std::vector<std::size_t> order;
    for (std::size_t strategy = 0; strategy < kStrategies; ++strategy)
        if (sweep.best(strategy) != nullptr) order.push_back(strategy);
    std::ranges::sort(order, {}, [&sweep](std::size_t s) { return *sweep.best(s)->seconds[s]; });
    return order;
}

/// "classic 0.1261 s (8x8) < horizontal …".
std::string ranking_text(const TileSweep& sweep) {
    std::string text;
    for (const std::size_t s : ranking(sweep)) {
        const SweptTile& best = *sweep.best(s);
        text += fmt::format("{}{} {} ms ({}x{}, {:.3g} Gpt/s)", text.empty() ? "" : " < ", kLoadStrategies[s].name,
                            ms_text(best.seconds[s]), best.tx, best.tz, gpts(sweep, *best.seconds[s]));
    }
    return text;
}

/// What a block of each strategy does in a plane at its best tile.
std::string facts_text(const TileSweep& sweep, const std::optional<DeviceDescription>& device) {
    std::string text = fmt::format("\nA block of Onda's kernels in one plane, at the best tile on the {}\n{:<10} {:>6}",
                                   sweep.device, "strategy", "tile");
    for (const TileFactRow& row : kTileFactRows) text += fmt::format(" {:>22}", row.name);
    text += fmt::format(" {:>8} {:>9} {:>9}\n", "shared B", "blocks/SM", "ms");
    for (const std::size_t s : ranking(sweep)) {
        const SweptTile& best = *sweep.best(s);
        const TileFacts facts = tile_facts(kLoadStrategies[s], best.tx, best.tz, sweep.order / 2);
        text += fmt::format("{:<10} {:>6}", kLoadStrategies[s].name, fmt::format("{}x{}", best.tx, best.tz));
        for (const TileFactRow& row : kTileFactRows) text += fmt::format(" {:>22}", facts.*row.value);
        std::string resident = "-";
        if (device && sweep.registers > 0) {
            const std::int64_t threads = best.tx * best.tz;
            const Residency of = residency(*device, threads, sweep.registers * threads, facts.shared_bytes);
            resident = fmt::format("{}", of.blocks);
        }
        text += fmt::format(" {:>8} {:>9} {:>9}\n", facts.shared_bytes, resident, ms_text(best.seconds[s]));
    }
    return text;
}

/// The facts of every tile of a sweep, by the indices of kLoadStrategies.
using SweepFacts = std::vector<std::array<TileFacts, kStrategies>>;

SweepFacts facts_of(const TileSweep& sweep) {
    SweepFacts facts(sweep.tiles.size());
    for (std::size_t i = 0; i < facts.size(); ++i)
        for (std::size_t s = 0; s < kStrategies; ++s)
            facts[i][s] = tile_facts(kLoadStrategies[s], sweep.tiles[i].tx, sweep.tiles[i].tz, sweep.order / 2);
    return facts;
}

/// Pairs of strategies on the same tile whose times differ: of how many the one with more of a fact is the slower, the
/// faster, and in how many both have as much.
struct Agreement {
    int slower = 0, faster = 0, equal = 0;
    /// Kendall's tau-a: 1 where more of it always means more time, 0 where it tells nothing.
    [[nodiscard]] double tau() const {
        const int pairs = slower + faster + equal;
        return pairs > 0 ? static_cast<double>(slower - faster) / pairs : 0.;
    }
};

Agreement agreement(const TileSweep& sweep, const SweepFacts& facts, const TileFactRow& fact) {
    Agreement found;
    for (std::size_t i = 0; i < facts.size(); ++i)
        for (std::size_t a = 0; a < kStrategies; ++a)
            for (std::size_t b = 0; b < a; ++b) {
                const auto& seconds = sweep.tiles[i].seconds;
                if (!seconds[a] || !seconds[b]) continue;
                const double difference = std::log(*seconds[a] / *seconds[b]);
                if (std::abs(difference) < kEqualTimes) continue;
                const std::int64_t more = facts[i][a].*fact.value - facts[i][b].*fact.value;
                int& count = more == 0 ? found.equal : (difference > 0.) == (more > 0) ? found.slower : found.faster;
                ++count;
            }
    return found;
}

/// The fastest and the slowest strategy, and how much each has of the fact that orders the times best.
std::string winner_text(const TileSweep& sweep, const TileFactRow& fact, double tau) {
    const std::vector<std::size_t> order = ranking(sweep);
    const std::size_t first = order.front(), last = order.back();
    const SweptTile &fast = *sweep.best(first), &slow = *sweep.best(last);
    std::string text = fmt::format("  {} wins, {:.2f} times as fast as {}", kLoadStrategies[first].name,
                                   *slow.seconds[last] / *fast.seconds[first], kLoadStrategies[last].name);
    if (tau < kTells) return text + "; nothing that is counted here orders the times\n";
    const auto a_node = [&sweep, &fact](std::size_t s, const SweptTile& tile) {
        return static_cast<double>(tile_facts(kLoadStrategies[s], tile.tx, tile.tz, sweep.order / 2).*fact.value) /
               static_cast<double>(tile.tx * tile.tz);
    };
    return text + fmt::format("; {} order the times best: {:.2f} a node and plane with {}, {:.2f} with {}\n", fact.name,
                              a_node(first, fast), kLoadStrategies[first].name, a_node(last, slow),
                              kLoadStrategies[last].name);
}

/// How often more of a fact goes with more time.
std::string reasons_text(const TileSweep& sweep) {
    std::string text = fmt::format(
        "\nOn the {}, pairs of strategies on one tile: the one with more of it is\n{:<24} {:>7} {:>7} {:>10} {:>7}\n",
        sweep.device, "", "slower", "faster", "as much", "tau");
    const SweepFacts facts = facts_of(sweep);
    const TileFactRow* best = nullptr;
    double best_tau = -2.;
    for (const TileFactRow& row : kTileFactRows) {
        const Agreement found = agreement(sweep, facts, row);
        text += fmt::format("  {:<22} {:>7} {:>7} {:>10} {:>7.2f}\n", row.name, found.slower, found.faster, found.equal,
                            found.tau());
        if (found.tau() > best_tau) {
            best_tau = found.tau();
            best = &row;
        }
    }
    return ranking(sweep).size() < 2 ? text : text + winner_text(sweep, *best, best_tau);
}

std::string others_text(const TileSweep& sweep) {
    const std::vector<std::size_t> order = ranking(sweep);
    if (sweep.others.empty() || order.empty()) return "";
    const double best = *sweep.best(order.front())->seconds[order.front()];
    std::string text = fmt::format("\n{:<20} {:>10} {:>6} {:>10} {:>8} {:>26}\n", "product kernel", "tile", "copy",
                                   "ms", "Gpt/s", "times the best of thesis-…");
    for (const SweptKernel& other : sweep.others)
        text += fmt::format("{:<20} {:>10} {:>6} {:>10} {:>8.1f} {:>26.2f}\n", other.kernel, other.tile,
                            other.copy.empty() ? "-" : other.copy, ms_text(other.seconds), gpts(sweep, other.seconds),
                            best / other.seconds);
    return text;
}

/// The thesis' table of this tz: 4 is that of 1, 9 that of 32.
std::string table_text(std::int64_t tz) {
    const auto at = std::ranges::find(kThesisTileSizes, tz);
    if (at == kThesisTileSizes.end()) return fmt::format("tz = {}", tz);
    return fmt::format("tz = {}: table {} of the thesis", tz, 4 + (at - kThesisTileSizes.begin()));
}

}  // namespace

SweepPair beside_thesis(TileSweep here) {
    TileSweep thesis = k40_tile_sweep();
    SweepPair pair{std::move(here), std::nullopt};
    if (pair.here.device != thesis.device && pair.here.comparable(thesis)) pair.thesis = std::move(thesis);
    return pair;
}

std::string sweep_heading(const SweepPair& pair) {
    const TileSweep& here = pair.here;
    std::string text = fmt::format("{}: {} x {} x {} nodes, order {}, fp32, one time step [ms]\n", here.device,
                                   here.nodes[0], here.nodes[1], here.nodes[2], here.order);
    constexpr int width = 44;
    if (pair.thesis) text += fmt::format("{:>8}{:^{}} |{:^{}}\n", "", here.device, width, pair.thesis->device, width);
    return text + fmt::format("{:>3} {:>3} {}", "tx", "tz", headings()) +
           (pair.thesis ? fmt::format(" |{}", headings()) : "") + "\n";
}

std::string sweep_row(const SweepPair& pair, const SweptTile& tile, const SweptTile* before) {
    std::string text;
    if (before == nullptr || before->tz != tile.tz) text += table_text(tile.tz) + "\n";
    text += fmt::format("{:>3} {:>3} {}", tile.tx, tile.tz, columns_of(&tile));
    if (pair.thesis) text += fmt::format(" |{}", columns_of(pair.thesis->find(tile.tx, tile.tz)));
    return text + "\n";
}

std::string sweep_findings(const SweepPair& pair, const std::optional<DeviceDescription>& device) {
    std::string text = "\nThe best tile of each strategy\n";
    text += fmt::format("  {}: {}\n", pair.here.device, ranking_text(pair.here));
    if (pair.thesis) text += fmt::format("  {}: {}\n", pair.thesis->device, ranking_text(*pair.thesis));
    text += others_text(pair.here);
    text += facts_text(pair.here, device);
    if (pair.thesis) text += facts_text(*pair.thesis, description_of(pair.thesis->device));
    text += reasons_text(pair.here);
    if (pair.thesis) text += reasons_text(*pair.thesis);
    return text;
}

}  // namespace onda
