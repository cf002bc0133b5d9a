#include "solver/performance/thesis/tile_sweep.hpp"

#include <algorithm>
#include <iterator>
#include <spdlog/fmt/fmt.h>

#include "io/config/strict_yaml.hpp"
#include "io/files/input_file.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "solver/performance/reference_files.hpp"

namespace onda {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;
constexpr std::int64_t kMostNodes = 1'000'000;
constexpr double kShortestStep = 1e-9, kLongestStep = 1e9;  // seconds of a time step: rates made of them are numbers
/// What stands around the name of a sweep that comes with the program.
constexpr std::string_view kSweepBegin = "reference/", kSweepEnd = "_tile_sweep.csv";

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The parts of a text between separators, each trimmed; one more than there are separators.
std::vector<std::string_view> split_at(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.push_back(trimmed(text.substr(0, end)));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

bool is_time_of_step(double seconds) {
    return seconds >= kShortestStep && seconds <= kLongestStep;
}

/// One line of a table of numbers, for messages.
struct CsvLine {
    const std::string& name;
    int number = 0;
    std::vector<std::string_view> cells{};

    [[noreturn]] void refuse(const std::string& message) const {
        throw Error(ExitCode::bad_data, name + ":" + std::to_string(number) + ": " + message);
    }
    [[nodiscard]] double positive(std::size_t column, std::string_view heading) const {
        const auto value = finite_number(cells[column]);
        if (!value || *value <= 0.)
            refuse(fmt::format("column {}, {} = '{}': must be a number above 0", column + 1, heading,
                               printable(cells[column])));
        return *value;
    }
    [[nodiscard]] double seconds(std::size_t column, std::string_view heading) const {
        const double value = positive(column, heading);
        if (!is_time_of_step(value))
            refuse(fmt::format("column {}, {} = '{}': must be the seconds of a time step, 1e-9 to 1e9", column + 1,
                               heading, printable(cells[column])));
        return value;
    }
    [[nodiscard]] std::int64_t count(std::size_t column, std::string_view heading) const {
        const auto value = parse_integer(cells[column]);
        if (!value || *value < 1 || *value > kMostNodes)
            refuse(fmt::format("column {}, {} = '{}': must be a whole number, 1 to 1,000,000", column + 1, heading,
                               printable(cells[column])));
        return *value;
    }
};

/// Reads comment lines, the heading and the rows of a table, in their order.
class SweepReader {
public:
    SweepReader(std::string_view text, const std::string& name) {
        int number = 0;
        for (const std::string_view line : split_at(text, '\n')) {
            const CsvLine at{name, ++number, split_at(line, ',')};
            if (line.starts_with('#'))
                comment(at, trimmed(line.substr(1)));
            else if (!line.empty() && !headed_)
                heading(at);
            else if (!line.empty())
                row(at);
        }
        if (!headed_ || sweep_.tiles.empty())
            throw Error(ExitCode::bad_data,
                        name + ": no rows of a tile sweep; `onda bench thesis --from k40` shows its form");
    }
    [[nodiscard]] const TileSweep& sweep() const { return sweep_; }

private:
    void comment(const CsvLine& at, std::string_view text) {
        const auto colon = text.find(':');
        const std::string_view key = text.substr(0, colon);
        const std::string_view value = colon == std::string_view::npos ? "" : trimmed(text.substr(colon + 1));
        if (key == "device" && !value.empty())
            sweep_.device = printable(value);
        else if (key == "grid")
            grid(at, value);
        else if (key == "order" || key == "registers")
            number(at, key, value);
        else if (key == "kernel")
            kernel(at, value);
        else
            sweep_.notes.push_back(printable(text));
    }
    void grid(const CsvLine& at, std::string_view value) {
        const auto nodes = parse_extents(value, 3);
        if (!nodes)
            at.refuse("grid: " + printable(value) + ": must be the nodes along x, y and z, such as 512x256x512");
        std::ranges::copy(*nodes, sweep_.nodes.begin());
    }
    void number(const CsvLine& at, std::string_view key, std::string_view value) {
        const auto whole = parse_integer(value);
        const bool order = key == "order";
        if (!whole || *whole < 1 || *whole > (order ? 16 : 255) || (order && *whole % 2 != 0))
            at.refuse(fmt::format("{}: {}: must be {}", key, printable(value),
                                  order ? "even, 2 to 16" : "a whole number, 1 to 255"));
        if (order)
            sweep_.order = static_cast<int>(*whole);
        else
            sweep_.registers = *whole;
    }
    void kernel(const CsvLine& at, std::string_view value) {
        const auto parts = split_at(value, ',');
        const auto seconds = parts.size() == 4 ? finite_number(parts[3]) : std::nullopt;
        if (!seconds || !is_time_of_step(*seconds) || parts[0].empty())
            at.refuse("kernel: " + printable(value) + ": must be kernel,tile,copy,seconds, from 1e-9 to 1e9 of these");
        sweep_.others.push_back({printable(parts[0]), printable(parts[1]), printable(parts[2]), *seconds});
    }
    void heading(const CsvLine& at) {
        for (const std::string_view cell : at.cells) {
            const auto strategy = std::ranges::find_if(
                kLoadStrategies, [cell](const LoadStrategy& each) { return cell == std::string(each.name) + "_s"; });
            const auto index = static_cast<std::size_t>(strategy - kLoadStrategies.begin());
            if (cell != "tx" && cell != "tz" && strategy == kLoadStrategies.end())
                at.refuse("column '" + printable(cell) +
                          "' is unknown: there are tx, tz, full_s, vertical_s, horizontal_s, classic_s");
            if (std::ranges::count(at.cells, cell) > 1) at.refuse("column " + std::string(cell) + " is there twice");
            columns_.push_back(cell == "tx" ? kTx : cell == "tz" ? kTz : index);
        }
        for (const std::size_t needed : {kTx, kTz})
            if (std::ranges::find(columns_, needed) == columns_.end())
                at.refuse(std::string("there is no column ") + (needed == kTx ? "tx" : "tz"));
        headings_.assign(at.cells.begin(), at.cells.end());
        headed_ = true;
    }
    void row(const CsvLine& at) {
        if (at.cells.size() != columns_.size())
            at.refuse(fmt::format("{} cells where the heading has {}", at.cells.size(), columns_.size()));
        SweptTile tile;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (columns_[i] == kTx)
                tile.tx = at.count(i, "tx");
            else if (columns_[i] == kTz)
                tile.tz = at.count(i, "tz");
            else if (!at.cells[i].empty())
                tile.seconds[columns_[i]] = at.seconds(i, headings_[i]);
        }
        if (sweep_.find(tile.tx, tile.tz) != nullptr)
            at.refuse(fmt::format("tile {} x {} is there twice", tile.tx, tile.tz));
        sweep_.tiles.push_back(tile);
    }

    static constexpr std::size_t kTx = 100, kTz = 101;
    TileSweep sweep_;
    bool headed_ = false;
    std::vector<std::size_t> columns_;  ///< what each holds: kTx, kTz, or an index of kLoadStrategies
    std::vector<std::string> headings_;
};

}  // namespace

const SweptTile* TileSweep::find(std::int64_t tx, std::int64_t tz) const {
    const auto tile =
        std::ranges::find_if(tiles, [tx, tz](const SweptTile& each) { return each.tx == tx && each.tz == tz; });
    return tile == tiles.end() ? nullptr : &*tile;
}

const SweptTile* TileSweep::best(std::size_t strategy) const {
    const SweptTile* fastest = nullptr;
    for (const SweptTile& tile : tiles)
        if (tile.seconds[strategy] && (fastest == nullptr || *tile.seconds[strategy] < *fastest->seconds[strategy]))
            fastest = &tile;
    return fastest;
}

std::string csv_of(const TileSweep& sweep) {
    std::string text;
    for (const std::string& note : sweep.notes) text += "# " + note + "\n";
    if (!sweep.device.empty()) text += "# device: " + sweep.device + "\n";
    text += fmt::format("# grid: {}x{}x{}\n# order: {}\n", sweep.nodes[0], sweep.nodes[1], sweep.nodes[2], sweep.order);
    if (sweep.registers > 0) text += fmt::format("# registers: {}\n", sweep.registers);
    for (const SweptKernel& other : sweep.others)
        text += fmt::format("# kernel: {},{},{},{:.6g}\n", other.kernel, other.tile, other.copy, other.seconds);
    text += "tx,tz";
    for (const std::size_t strategy : kThesisColumns) text += fmt::format(",{}_s", kLoadStrategies[strategy].name);
    text += "\n";
    for (const SweptTile& tile : sweep.tiles) {
        text += fmt::format("{},{}", tile.tx, tile.tz);
        for (const std::size_t strategy : kThesisColumns)
            text += tile.seconds[strategy] ? fmt::format(",{:.6g}", *tile.seconds[strategy]) : ",";
        text += "\n";
    }
    return text;
}

TileSweep parse_tile_sweep(std::string_view text, const std::string& name) {
    return SweepReader(text, name).sweep();
}

std::vector<std::string> known_tile_sweeps() {
    std::vector<std::string> names;
    for (const EmbeddedFile& file : reference_files())
        if (file.name.starts_with(kSweepBegin) && file.name.ends_with(kSweepEnd))
            names.emplace_back(
                file.name.substr(kSweepBegin.size(), file.name.size() - kSweepBegin.size() - kSweepEnd.size()));
    return names;
}

TileSweep tile_sweep(const std::string& name_or_file) {
    if (std::ranges::count(known_tile_sweeps(), name_or_file) > 0) {
        const std::string name = std::string(kSweepBegin) + name_or_file + std::string(kSweepEnd);
        return parse_tile_sweep(embedded_text(reference_files(), name), name);
    }
    if (input_file_size(name_or_file) > kMostBytes)
        throw Error(ExitCode::bad_data, shown(name_or_file) + ": a tile sweep has at most 1 MiB");
    std::ifstream in = open_input_file(name_or_file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    return parse_tile_sweep(text, shown(name_or_file));
}

TileSweep k40_tile_sweep() {
    return tile_sweep("k40");
}

std::vector<ModelCheck> k40_model_check() {
    const std::string name = "reference/k40_model_check.csv";
    std::vector<ModelCheck> rows;
    int number = 0;
    for (const std::string_view line : split_at(embedded_text(reference_files(), name), '\n')) {
        const CsvLine at{name, ++number, split_at(line, ',')};
        if (line.empty() || line.starts_with('#') || line.starts_with("tx")) continue;
        if (at.cells.size() != 5) at.refuse("must have five cells");
        rows.push_back({at.count(0, "tx"), at.count(1, "tz"), at.positive(2, "measured_s"), at.positive(3, "model_s"),
                        at.positive(4, "error_percent")});
    }
    return rows;
}

}  // namespace onda
