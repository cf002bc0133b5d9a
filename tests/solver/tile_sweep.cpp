// Tables of tiles are read as they were written, errors are told at their place, and what a block does is counted
// right.
// Takes less than a second.
#include "solver/performance/thesis/tile_sweep.hpp"

#include <algorithm>
#include <doctest/doctest.h>

#include "io/text/error.hpp"
#include "solver/performance/thesis/sweep_report.hpp"
#include "solver/performance/thesis/tile_facts.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

const std::string kHeading = "tx,tz,full_s,vertical_s,horizontal_s,classic_s\n";

std::string sweep_refusal(const std::string& text) {
    try {
        parse_tile_sweep(text, "times.csv");
    } catch (const Error& fault) {
        CHECK(fault.code() == ExitCode::bad_data);
        return fault.what();
    }
    return "accepted";
}

const LoadStrategy& strategy(std::string_view name) {
    return *std::ranges::find(kLoadStrategies, name, &LoadStrategy::name);
}

}  // namespace

TEST_CASE("the thesis' times: 36 tiles, the best 8 x 8 for all, classic before horizontal, vertical and full") {
    const TileSweep k40 = k40_tile_sweep();
    CHECK(k40.tiles.size() == 36);
    CHECK(k40.device == "NVIDIA Tesla K40");
    CHECK(k40.registers == 31);
    double before = 0.;
    for (const char* name : {"classic", "horizontal", "vertical", "full"}) {
        const auto index = static_cast<std::size_t>(&strategy(name) - kLoadStrategies.data());
        const SweptTile* best = k40.best(index);
        REQUIRE(best != nullptr);
        CHECK(best->tx == 8);
        CHECK(best->tz == 8);
        CHECK(*best->seconds[index] > before);
        before = *best->seconds[index];
    }
    CHECK(before == 0.2836);
}

TEST_CASE("what is written is read again") {
    TileSweep sweep = k40_tile_sweep();
    sweep.device = "NVIDIA H200";
    sweep.nodes = {128, 64, 32};
    sweep.order = 4;
    sweep.tiles[3].seconds[0].reset();
    sweep.others = {{"inplane-full", "128x32r4", "tma", 0.25}, {"direct", "32x4x2", "", 0.5}};
    const TileSweep again = parse_tile_sweep(csv_of(sweep), "again.csv");
    CHECK(csv_of(again) == csv_of(sweep));
    CHECK(again.nodes == sweep.nodes);
    CHECK(again.order == 4);
    CHECK(again.others[1].seconds == 0.5);
    CHECK(!again.tiles[3].seconds[0]);
    CHECK(again.tiles[3].seconds[1] == sweep.tiles[3].seconds[1]);
}

TEST_CASE("a table without keys is one of the thesis' task; columns may stand in any order") {
    const TileSweep sweep = parse_tile_sweep("# measured by hand\r\ntz,classic_s,tx\r\n4,0.5,2\r\n", "times.csv");
    CHECK(sweep.nodes == std::array<std::int64_t, 3>{512, 256, 512});
    CHECK(sweep.notes == std::vector<std::string>{"measured by hand"});
    CHECK(sweep.tiles[0].tx == 2);
    CHECK(sweep.tiles[0].seconds[0] == 0.5);
    CHECK(!sweep.tiles[0].seconds[3]);
}

TEST_CASE("faults of a table are told with line and column") {
    CHECK(sweep_refusal(kHeading + "8,8,1,1,1,1\n") == "accepted");
    CHECK(contains(sweep_refusal(kHeading + "8,8,1,1,soon,1\n"),
                   "times.csv:2: column 5, horizontal_s = 'soon': must be a number above 0"));
    CHECK(contains(sweep_refusal(kHeading + "8,8,1,1,-1,1\n"), "must be a number above 0"));
    CHECK(contains(sweep_refusal(kHeading + "8,8,1,1,nan,1\n"), "must be a number above 0"));
    CHECK(contains(sweep_refusal(kHeading + "8.5,8,1,1,1,1\n"), "times.csv:2: column 1, tx = '8.5'"));
    CHECK(contains(sweep_refusal(kHeading + "8,8,1\n"), "times.csv:2: 3 cells where the heading has 6"));
    CHECK(contains(sweep_refusal(kHeading + "8,8,1,1,1,1\n8,8,1,1,1,1\n"), "times.csv:3: tile 8 x 8 is there twice"));
    CHECK(contains(sweep_refusal("tx,tz,diagonal_s\n"), "times.csv:1: column 'diagonal_s' is unknown"));
    CHECK(contains(sweep_refusal("tx,full_s\n8,1\n"), "there is no column tz"));
    CHECK(contains(sweep_refusal("tx,tz,tx\n"), "column tx is there twice"));
    CHECK(contains(sweep_refusal("# grid: 5x5\n" + kHeading), "times.csv:1: grid: 5x5: must be the nodes"));
    CHECK(contains(sweep_refusal("# order: 7\n" + kHeading), "order: 7: must be even, 2 to 16"));
    CHECK(contains(sweep_refusal("# kernel: full\n" + kHeading), "kernel: full: must be kernel,tile,copy,seconds"));
    CHECK(contains(sweep_refusal(""), "no rows of a tile sweep"));
}

TEST_CASE("what a block does in a plane, counted by hand for 8 x 8 threads at order 8") {
    // Warps of 32 copy column by column of a rectangle. Full: 16 x 16 nodes, 8 instructions of two columns, which lie
    // in one sector, on 16 rows. Classic: two instructions of four columns on 8 rows for the core, one each for the
    // halos.
    const TileFacts full = tile_facts(strategy("full"), 8, 8, 4), classic = tile_facts(strategy("classic"), 8, 8, 4);
    CHECK(full.loaded == 256);
    CHECK(full.passes == 4);
    CHECK(full.sectors == 8 * 16);
    CHECK(full.shared_bytes == (256 + 2 * 4 * 64) * 4);
    CHECK(classic.loaded == 64 + 4 * 32);
    CHECK(classic.passes == 5);
    CHECK(classic.sectors == 2 * 8 + 8 + 8 + 4 + 4);
    const TileFacts vertical = tile_facts(strategy("vertical"), 8, 8, 4);
    CHECK(vertical.sectors == 4 * 16 + 8 + 8);
    // One thread asks for each of its values alone.
    const TileFacts one = tile_facts(strategy("full"), 1, 1, 4);
    CHECK(one.sectors == 81);
    CHECK(one.bank_cycles == 17);
    // Rows of 32 nodes: all threads of a warp, which lie below each other, read the same bank.
    CHECK(tile_facts(strategy("classic"), 32, 32, 1).bank_cycles >= 32 * 32);
}

TEST_CASE("the report tells the best tiles, and what speaks for the winner of each device") {
    TileSweep mine = k40_tile_sweep();
    mine.device = "NVIDIA H200";
    for (SweptTile& tile : mine.tiles)
        for (std::size_t s = 0; s < tile.seconds.size(); ++s)
            *tile.seconds[s] = 1e-3 * static_cast<double>(tile_facts(kLoadStrategies[s], tile.tx, tile.tz, 4).passes);
    const SweepPair pair = beside_thesis(mine);
    REQUIRE(pair.thesis.has_value());
    const std::string text = sweep_findings(pair, device_description("h200"));
    CHECK(contains(text, "NVIDIA Tesla K40: classic 126.1 ms (8x8"));
    CHECK(contains(text, "passes of the threads order the times best"));
    CHECK(contains(text, "sectors asked for order the times best: 0.62 a node and plane with classic, 2.00 with full"));
    CHECK(!beside_thesis(k40_tile_sweep()).thesis);
    mine.order = 4;
    CHECK(!beside_thesis(mine).thesis);
}
