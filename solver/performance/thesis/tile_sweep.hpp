/// \file
/// The tables of the thesis (Ribero Figueroa 2016, 4 to 9 and 12) as data: the time of a step of its four load
/// strategies over tiles, as it was measured on some GPU, and the CSV that holds it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/load_strategy.hpp"

namespace onda {

/// The sizes of tiles that the thesis measured, along both axes.
inline constexpr std::array<std::int64_t, 6> kThesisTileSizes{1, 2, 4, 8, 16, 32};
/// The strategies as the thesis' tables have their columns: indices of kLoadStrategies.
inline constexpr std::array<std::size_t, 4> kThesisColumns{3, 1, 2, 0};

/// One tile of tx x tz threads, the thesis' axes: its x is the slowest axis, Onda's z, and its z the fastest, Onda's x.
struct SweptTile {
    std::int64_t tx = 0, tz = 0;
    /// Time of one step [s], by the indices of kLoadStrategies; absent where the tile was not or could not be measured.
    std::array<std::optional<double>, kLoadStrategies.size()> seconds{};
};

/// A kernel that was measured beside those of the thesis.
struct SweptKernel {
    std::string kernel, tile, copy;  ///< as backend.kernel, .tile and .copy have them
    double seconds = 0.;             ///< of one time step
};

struct TileSweep {
    std::string device;                                ///< as its driver names it
    std::array<std::int64_t, 3> nodes{512, 256, 512};  ///< along Onda's x, y, z
    int order = 8;
    std::int64_t registers = 0;  ///< of a thread, as the compiler says; 0: not known
    std::vector<SweptTile> tiles;
    std::vector<SweptKernel> others;
    std::vector<std::string> notes;  ///< comment lines of the CSV that are for readers alone

    /// The tile of these sizes, null if there is none.
    [[nodiscard]] const SweptTile* find(std::int64_t tx, std::int64_t tz) const;
    /// The fastest tile of a strategy, null if none was measured. \param strategy index of kLoadStrategies.
    [[nodiscard]] const SweptTile* best(std::size_t strategy) const;
    [[nodiscard]] double points() const { return static_cast<double>(nodes[0] * nodes[1] * nodes[2]); }
    /// Whether times of both are those of one task: grid and order are the same.
    [[nodiscard]] bool comparable(const TileSweep& other) const { return nodes == other.nodes && order == other.order; }
};

/// The form of the thesis' tables: comment lines with a key each, `tx,tz,full_s,vertical_s,horizontal_s,classic_s`, and
/// a line for each tile, cells empty where there is no time.
std::string csv_of(const TileSweep& sweep);
/// Reads that form. Keys are device, grid, order, registers and, many times, kernel; other comments become notes.
/// Without keys, grid and order are the thesis'. \param name of the text in messages.
/// \throws Error(bad_data) naming line and column.
TileSweep parse_tile_sweep(std::string_view text, const std::string& name);
/// The names of the sweeps that come with the program: "k40", the thesis' own, and those of other GPUs.
std::vector<std::string> known_tile_sweeps();
/// The sweep of this name, or in the file of this path. \throws Error(missing_input); what parse_tile_sweep throws.
TileSweep tile_sweep(const std::string& name_or_file);
/// What the thesis measured on a Tesla K40.
TileSweep k40_tile_sweep();

/// A row of the thesis' table 12: the model of Tang et al. for the strategy full beside the time measured.
struct ModelCheck {
    std::int64_t tx = 0, tz = 0;
    double measured_s = 0., model_s = 0., error_percent = 0.;
};
/// All rows, in the order of the table: 512 x 256 x 512, order 8, on the K40.
std::vector<ModelCheck> k40_model_check();

}  // namespace onda
