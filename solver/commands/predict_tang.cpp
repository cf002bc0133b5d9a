#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <stdexcept>
#include <vector>

#include "io/config/strict_yaml.hpp"
#include "io/files/atomic_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/predict.hpp"
#include "solver/performance/device_description.hpp"
#include "solver/performance/thesis/tang_model.hpp"
#include "solver/performance/thesis/tile_sweep.hpp"
#include "solver/program/json_text.hpp"

namespace onda {
namespace {

using Json = nlohmann::ordered_json;

struct TangOptions {
    std::vector<std::string> tiles;
    std::string strategy{kFullStrategy.name}, overlap{kTangOverlaps[0].name};
    std::string measured;  ///< a sweep that the model is compared with: as tile_sweep() takes it; empty: none
};

/// One tile: what was predicted or why it cannot be, and what was measured.
struct TangRow {
    TangCase what;
    std::optional<TangPrediction> model;
    std::string problem;
    std::optional<double> measured_s;
    std::optional<ModelCheck> thesis;  ///< what the thesis printed of this tile

    [[nodiscard]] std::string tile() const { return fmt::format("{}x{}", what.tx, what.tz); }
    /// |model - measured| / measured in percent.
    [[nodiscard]] std::optional<double> error_percent() const {
        if (!model || !measured_s) return std::nullopt;
        return 100. * std::abs(model->step_s - *measured_s) / *measured_s;
    }
};

/// A column of the tables: one value of the model.
struct TangColumn {
    std::string_view name, unit;
    double scale;  ///< of the value in the unit
    int decimals;
    double (*value)(const TangPrediction&);
};
constexpr TangColumn kColumns[] = {
    {"K_R", "", 1., 0, [](const TangPrediction& p) { return static_cast<double>(p.block_registers); }},
    {"K_S", "B", 1., 0, [](const TangPrediction& p) { return static_cast<double>(p.block_shared_bytes); }},
    {"BytesBlk", "B", 1., 0, [](const TangPrediction& p) { return static_cast<double>(p.block_bytes); }},
    {"WarpBlk", "", 1., 0, [](const TangPrediction& p) { return p.block_warps; }},
    {"Ops", "", 1., 0, [](const TangPrediction& p) { return static_cast<double>(p.operations); }},
    {"Blks", "", 1., 0, [](const TangPrediction& p) { return static_cast<double>(p.blocks); }},
    {"ActBlks", "", 1., 0, [](const TangPrediction& p) { return static_cast<double>(p.active_blocks); }},
    {"Stages", "", 1., 0, [](const TangPrediction& p) { return static_cast<double>(p.stages); }},
    {"RemBlks", "", 1., 0, [](const TangPrediction& p) { return static_cast<double>(p.remaining_blocks); }},
    {"T_m", "us", 1e6, 4, [](const TangPrediction& p) { return p.memory_s; }},
    {"T_c", "us", 1e6, 4, [](const TangPrediction& p) { return p.compute_s; }},
    {"T_s", "us", 1e6, 3, [](const TangPrediction& p) { return p.stage_s; }},
    {"T_l", "us", 1e6, 3, [](const TangPrediction& p) { return p.last_stage_s; }},
    {"T_total", "s", 1., 4, [](const TangPrediction& p) { return p.step_s; }},
    {"Gpt/s", "", 1., 3, [](const TangPrediction& p) { return p.gpts; }},
};

std::string heading(const TangColumn& column) {
    return std::string(column.name) + (column.unit.empty() ? "" : fmt::format(" [{}]", column.unit));
}

/// Times far below what a column shows keep four digits.
std::string value_text(const TangColumn& column, const TangPrediction& p) {
    const double value = column.scale * column.value(p);
    const bool small = column.decimals > 0 && value < 10. * std::pow(10., -column.decimals);
    return small ? fmt::format("{:.4g}", value) : fmt::format("{:.{}f}", value, column.decimals);
}

std::string name_of(const TangColumn& column) {
    if (column.name == "Gpt/s") return "gpts";
    return std::string(column.name) + (column.unit.empty() ? "" : "_" + std::string(column.unit));
}

const LoadStrategy& strategy_of(const std::string& name) {
    return *std::ranges::find(kLoadStrategies, name, &LoadStrategy::name);
}

const TangOverlap& overlap_of(const std::string& name) {
    return *std::ranges::find(kTangOverlaps, name, &TangOverlap::name);
}

/// The sweep that the model is compared with, and whether it is the thesis' own.
struct Measured {
    std::optional<TileSweep> sweep;
    bool of_thesis = false;
};

Measured measured_of(const PredictOptions& options, const TangOptions& tang) {
    if (tang.measured.empty()) return {};
    Measured measured{tile_sweep(tang.measured), tang.measured == "k40"};
    const TileSweep& sweep = *measured.sweep;
    if ((options.grid_given && grid_of(options) != sweep.nodes) ||
        (options.order_given && options.order != sweep.order))
        throw Error(ExitCode::usage,
                    fmt::format("--measured {} is of {}x{}x{} nodes and order {}: leave --grid and "
                                "--order out",
                                shown(tang.measured), sweep.nodes[0], sweep.nodes[1], sweep.nodes[2], sweep.order));
    return measured;
}

DeviceDescription device_of(const PredictOptions& options, const Measured& measured) {
    if (!options.device.empty()) return device_description(options.device);
    if (!measured.sweep) throw Error(ExitCode::usage, "--device is needed: onda predict --list names what there is");
    if (const auto known = description_of(measured.sweep->device)) return *known;
    throw Error(ExitCode::usage, "--device is needed: no description comes with Onda for '" + measured.sweep->device +
                                     "', on which this was measured");
}

/// The tiles that are asked for; where there are none those of the thesis' table 12, or its best.
std::vector<std::pair<std::int64_t, std::int64_t>> tiles_of(const TangOptions& tang) {
    std::vector<std::pair<std::int64_t, std::int64_t>> tiles;
    for (const std::string& text : tang.tiles) {
        const auto tile = parse_extents(text, 2);
        if (!tile)
            throw Error(ExitCode::usage, "--tile '" + printable(text) + "': give threads along tx and tz, such as 8x8");
        tiles.emplace_back((*tile)[0], (*tile)[1]);
    }
    if (tiles.empty() && tang.measured.empty()) tiles.emplace_back(8, 8);
    if (tiles.empty())
        for (const ModelCheck& row : k40_model_check()) tiles.emplace_back(row.tx, row.tz);
    return tiles;
}

std::vector<TangRow> rows_of(const PredictOptions& options, const TangOptions& tang, const DeviceDescription& device,
                             const Measured& measured) {
    const auto nodes = measured.sweep ? measured.sweep->nodes : grid_of(options);
    const int order = measured.sweep ? measured.sweep->order : options.order;
    const LoadStrategy& strategy = strategy_of(tang.strategy);
    const bool as_thesis = measured.of_thesis && &strategy == &kFullStrategy && tang.overlap == kTangOverlaps[0].name;
    std::vector<TangRow> rows;
    for (const auto& [tx, tz] : tiles_of(tang)) {
        // The thesis' x is the slowest axis of the grid, Onda's z, and its z the fastest.
        TangRow row{
            {nodes[2], nodes[1], nodes[0], tx, tz, order / 2, &strategy, &overlap_of(tang.overlap)}, {}, "", {}, {}};
        try {
            row.model = tang_prediction(device, row.what);
        } catch (const std::invalid_argument& fault) {
            row.problem = fault.what();
        }
        if (measured.sweep)
            if (const SweptTile* tile = measured.sweep->find(tx, tz))
                row.measured_s = tile->seconds[static_cast<std::size_t>(&strategy - kLoadStrategies.data())];
        if (as_thesis)
            for (const ModelCheck& check : k40_model_check())
                if (check.tx == tx && check.tz == tz) row.thesis = check;
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string csv_of(const std::vector<TangRow>& rows) {
    std::string text = "tx,tz";
    for (const TangColumn& column : kColumns) text += "," + name_of(column);
    text += ",measured_s,error_percent\n";
    for (const TangRow& row : rows) {
        text += fmt::format("{},{}", row.what.tx, row.what.tz);
        for (const TangColumn& column : kColumns)
            text += row.model ? fmt::format(",{:.8g}", column.scale * column.value(*row.model)) : ",";
        text += row.measured_s ? fmt::format(",{:.8g}", *row.measured_s) : ",";
        text += row.error_percent() ? fmt::format(",{:.8g}\n", *row.error_percent()) : ",\n";
    }
    return text;
}

Json json_of(const DeviceDescription& device, const std::vector<TangRow>& rows) {
    const TangCase& first = rows.front().what;
    Json json{{"model", "tang"},
              {"device", device.name},
              {"grid", {first.lz, first.ly, first.lx}},
              {"space_order", 2 * first.radius},
              {"strategy", first.strategy->name},
              {"overlap", first.overlap->name},
              {"tiles", Json::array()}};
    for (const TangRow& row : rows) {
        Json entry{{"tx", row.what.tx}, {"tz", row.what.tz}};
        if (!row.model) entry["problem"] = row.problem;
        if (row.model) {
            for (const TangColumn& column : kColumns) entry[name_of(column)] = column.scale * column.value(*row.model);
            entry["bound_of_ActBlks"] = row.model->active_bound;
        }
        if (row.measured_s) entry["measured_s"] = *row.measured_s;
        if (row.error_percent()) entry["error_percent"] = *row.error_percent();
        if (row.thesis)
            entry["thesis"] = {{"model_s", row.thesis->model_s}, {"error_percent", row.thesis->error_percent}};
        json["tiles"].push_back(std::move(entry));
    }
    return json;
}

std::string title_of(const DeviceDescription& device, const TangCase& what) {
    return fmt::format(
        "Tang et al. (2013) as the thesis applied it: {}, {} x {} x {} nodes, order {}, fp32, strategy {}, "
        "overlap {}\n",
        device.name, what.lz, what.ly, what.lx, 2 * what.radius, what.strategy->name, what.overlap->name);
}

std::string values_text(const std::vector<TangRow>& rows) {
    std::string text = fmt::format("{:>6}", "tile");
    for (const TangColumn& column : kColumns)
        text += fmt::format(" {:>{}}", heading(column), std::max<std::size_t>(8, heading(column).size()));
    text += "  ActBlks bound by\n";
    for (const TangRow& row : rows) {
        text += fmt::format("{:>6}", row.tile());
        if (!row.model) {
            text += "  " + row.problem + "\n";
            continue;
        }
        for (const TangColumn& column : kColumns)
            text += fmt::format(" {:>{}}", value_text(column, *row.model),
                                std::max<std::size_t>(8, heading(column).size()));
        text += "  " + row.model->active_bound + "\n";
    }
    return text;
}

std::string seconds_text(const std::optional<double>& seconds) {
    if (!seconds) return "-";
    return *seconds < 0.01 ? fmt::format("{:.4g}", *seconds) : fmt::format("{:.4f}", *seconds);
}

/// Measured beside predicted, and the range of the errors.
std::string comparison_text(const std::vector<TangRow>& rows) {
    const bool as_thesis = std::ranges::any_of(rows, [](const TangRow& row) { return row.thesis.has_value(); });
    std::string text = fmt::format("\n{:>6} {:>13} {:>10} {:>9}", "tile", "measured [s]", "model [s]", "error [%]");
    if (as_thesis) text += fmt::format(" | {:>16} {:>9}", "thesis' model [s]", "error [%]");
    text += "\n";
    std::vector<double> errors;
    double apart = 0.;
    for (const TangRow& row : rows) {
        const auto error = row.error_percent();
        if (error) errors.push_back(*error);
        text +=
            fmt::format("{:>6} {:>13} {:>10} {:>9}", row.tile(), seconds_text(row.measured_s),
                        row.model ? seconds_text(row.model->step_s) : "-", error ? fmt::format("{:.2f}", *error) : "-");
        if (row.thesis) {
            text += fmt::format(" | {:>17.4f} {:>9.2f}", row.thesis->model_s, row.thesis->error_percent);
            if (row.model) apart = std::max(apart, std::abs(row.model->step_s / row.thesis->model_s - 1.));
        }
        text += "\n";
    }
    if (errors.empty()) return text + "none of these tiles was both measured and predicted\n";
    std::ranges::sort(errors);
    text += fmt::format("the model is off by {:.1f} to {:.1f} % of what was measured\n", errors.front(), errors.back());
    if (as_thesis) text += fmt::format("it is within {:.2f} % of the thesis' own values of it\n", 100. * apart);
    return text;
}

/// The tile whose values the thesis prints one by one, with all digits and with those that it went on with.
std::string worked_case_text(const DeviceDescription& device, const TangCase& what) {
    const TangPrediction all = tang_prediction(device, what);
    const TangPrediction printed = tang_prediction(device, what, TangDigits::as_printed);
    std::string text = "\nthe thesis' worked case, tile 8x8\n";
    text += fmt::format("{:>14} {:>12} {:>40}\n", "", "all digits", "with the digits that the thesis kept");
    for (const TangColumn& column : kColumns)
        text += fmt::format("{:>14} {:>12} {:>40}\n", heading(column), value_text(column, all),
                            value_text(column, printed));
    return text;
}

int predict_tang(const PredictOptions& options, const TangOptions& tang) {
    const Measured measured = measured_of(options, tang);
    const DeviceDescription device = device_of(options, measured);
    const std::vector<TangRow> rows = rows_of(options, tang, device, measured);
    if (!options.csv.empty()) write_text_file(options.csv, csv_of(rows), options.force);
    if (options.json) {
        std::cout << json_text(json_of(device, rows)) << '\n';
    } else {
        std::cout << title_of(device, rows.front().what) << values_text(rows);
        if (measured.sweep) std::cout << comparison_text(rows);
        const auto worked =
            std::ranges::find_if(rows, [](const TangRow& row) { return row.thesis && row.tile() == "8x8"; });
        if (worked != rows.end()) std::cout << worked_case_text(device, worked->what);
    }
    const bool any = std::ranges::any_of(rows, [](const TangRow& row) { return row.model.has_value(); });
    if (!any) throw Error(ExitCode::usage, rows.front().problem);
    return static_cast<int>(ExitCode::ok);
}

}  // namespace

Predict add_predict_tang(CLI::App& command) {
    const auto tang = std::make_shared<TangOptions>();
    command.add_option("--tile", tang->tiles, "tang: threads along the thesis' x and z, one or several (default: 8x8)")
        ->type_name("TXxTZ");
    std::vector<std::string> strategies, overlaps;
    for (const LoadStrategy& strategy : kLoadStrategies) strategies.emplace_back(strategy.name);
    for (const TangOverlap& overlap : kTangOverlaps) overlaps.emplace_back(overlap.name);
    command.add_option("--strategy", tang->strategy, "tang: how blocks load")
        ->check(CLI::IsMember(strategies))
        ->capture_default_str();
    command
        .add_option("--overlap", tang->overlap,
                    "tang: of the blocks of a multiprocessor: worst, f(a) = a; perfect, f(a) = 1")
        ->check(CLI::IsMember(overlaps))
        ->capture_default_str();
    command
        .add_option("--measured", tang->measured,
                    "tang: times to compare the model with: k40, the thesis' own, or a CSV of `onda bench thesis`")
        ->type_name("FILE");
    return [tang](const PredictOptions& options) { return predict_tang(options, *tang); };
}

}  // namespace onda
