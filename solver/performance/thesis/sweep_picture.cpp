#include "solver/performance/thesis/sweep_picture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <spdlog/fmt/fmt.h>
#include <string>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/pictures/drawing.hpp"

namespace onda {
namespace {

constexpr double kCellWidth = 58., kCellHeight = 30., kGap = 26., kLeft = 76., kMargin = 22.;
constexpr double kTitleHeight = 50., kHeadHeight = 34., kAxisHeight = 52., kBarWidth = 420., kBarHeight = 14.;
constexpr double kFooterHeight = 64.;
constexpr Font kSweepLabelFont{14.}, kPanelFont{15., true}, kSweepTitleFont{17., true};
constexpr Rgb kMissing{225, 225, 225}, kBest{220, 30, 30};

/// The fastest of all tiles and strategies.
double best_seconds(const TileSweep& sweep) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < kLoadStrategies.size(); ++s)
        if (const SweptTile* tile = sweep.best(s)) best = std::min(best, *tile->seconds[s]);
    return best;
}

double slowest_over_best(const TileSweep& sweep) {
    double slowest = 0.;
    for (const SweptTile& tile : sweep.tiles)
        for (const auto& seconds : tile.seconds) slowest = std::max(slowest, seconds.value_or(0.));
    return slowest / best_seconds(sweep);
}

/// Colours of times over the device's best, from bright for 1 to dark for the largest.
struct Colours {
    double largest;
    [[nodiscard]] Rgb at(double over_best) const {
        return kViridis.at(1. - std::log(over_best) / std::log(std::max(largest, 1.01)));
    }
};

Rgb ink_on(Rgb colour) {
    const bool bright = 0.299 * colour.r + 0.587 * colour.g + 0.114 * colour.b > 120.;
    return bright ? kInk : kWhite;
}

std::string cell_text(double seconds) {
    const double ms = 1e3 * seconds;
    return fmt::format("{:.{}f}", ms, ms < 10. ? 2 : ms < 100. ? 1 : 0);
}

/// The tiles of a panel: columns of tx, rows of tz.
struct Cells {
    std::vector<std::int64_t> tx, tz;
    [[nodiscard]] double width() const { return kCellWidth * static_cast<double>(tx.size()); }
    [[nodiscard]] double height() const { return kCellHeight * static_cast<double>(tz.size()); }
};

Cells cells_of(const SweepPair& pair) {
    std::set<std::int64_t> tx, tz;
    for (const SweptTile& tile : pair.here.tiles) {
        tx.insert(tile.tx);
        tz.insert(tile.tz);
    }
    return {{tx.begin(), tx.end()}, {tz.begin(), tz.end()}};
}

class SweepDrawing {
public:
    SweepDrawing(SheetKind kind, const SweepPair& pair)
        : cells_(cells_of(pair)),
          colours_{std::max(slowest_over_best(pair.here), pair.thesis ? slowest_over_best(*pair.thesis) : 1.)},
          rows_(pair.thesis ? 2 : 1),
          drawing_(kind, static_cast<int>(width()), static_cast<int>(height())) {
        const TileSweep& here = pair.here;
        drawing_.text({width() / 2., kMargin + 10.},
                      fmt::format("One time step [ms] by load strategy and tile: {} x {} x {} nodes, order {}, fp32",
                                  here.nodes[0], here.nodes[1], here.nodes[2], here.order),
                      kSweepTitleFont, Align::centre);
        sweep(here, 0);
        if (pair.thesis) sweep(*pair.thesis, 1);
        bar();
    }
    [[nodiscard]] std::string file() { return drawing_.file(); }

private:
    [[nodiscard]] double width() const {
        return kLeft + static_cast<double>(kThesisColumns.size()) * (cells_.width() + kGap) - kGap + kMargin;
    }
    [[nodiscard]] double row_height() const { return kHeadHeight + cells_.height() + kAxisHeight; }
    [[nodiscard]] double height() const {
        return kTitleHeight + static_cast<double>(rows_) * row_height() + kFooterHeight;
    }

    /// The panels of one device.
    void sweep(const TileSweep& sweep, int row) {
        const double top = kTitleHeight + static_cast<double>(row) * row_height() + kHeadHeight;
        for (std::size_t column = 0; column < kThesisColumns.size(); ++column) {
            const Point corner{kLeft + static_cast<double>(column) * (cells_.width() + kGap), top};
            const std::size_t strategy = kThesisColumns[column];
            drawing_.text({corner.x + cells_.width() / 2., top - 14.},
                          fmt::format("{}, {}", sweep.device, kLoadStrategies[strategy].name), kPanelFont,
                          Align::centre);
            panel(sweep, strategy, corner);
            for (std::size_t i = 0; i < cells_.tx.size(); ++i)
                drawing_.text({corner.x + kCellWidth * (static_cast<double>(i) + 0.5), top + cells_.height() + 13.},
                              std::to_string(cells_.tx[i]), kSweepLabelFont, Align::centre);
            drawing_.text({corner.x + cells_.width() / 2., top + cells_.height() + 32.}, "tx", kSweepLabelFont,
                          Align::centre);
        }
        for (std::size_t j = 0; j < cells_.tz.size(); ++j)
            drawing_.text({kLeft - 8., top + kCellHeight * (static_cast<double>(j) + 0.5)},
                          std::to_string(cells_.tz[j]), kSweepLabelFont, Align::right);
        drawing_.text_upwards({kMargin + 10., top + cells_.height() / 2.}, "tz", kSweepLabelFont);
    }

    void panel(const TileSweep& sweep, std::size_t strategy, Point corner) {
        const double best = best_seconds(sweep);
        PageBox best_box;
        for (std::size_t i = 0; i < cells_.tx.size(); ++i)
            for (std::size_t j = 0; j < cells_.tz.size(); ++j) {
                const PageBox box{corner.x + kCellWidth * static_cast<double>(i),
                                  corner.y + kCellHeight * static_cast<double>(j), kCellWidth, kCellHeight};
                const SweptTile* tile = sweep.find(cells_.tx[i], cells_.tz[j]);
                const auto seconds = tile == nullptr ? std::nullopt : tile->seconds[strategy];
                const Rgb colour = seconds ? colours_.at(*seconds / best) : kMissing;
                drawing_.fill(box, colour);
                drawing_.text({box.left + kCellWidth / 2., box.top + kCellHeight / 2.},
                              seconds ? cell_text(*seconds) : "-", {12., false, ink_on(colour)}, Align::centre);
                if (seconds && tile == sweep.best(strategy)) best_box = box;
            }
        constexpr double width = 3.;
        if (best_box.width > 0.)
            drawing_.stroke(PageBox{best_box.left + width / 2., best_box.top + width / 2., best_box.width - width,
                                    best_box.height - width},
                            {width, kBest, false});
    }

    /// What the colours mean.
    void bar() {
        const PageBox box{(width() - kBarWidth) / 2., height() - kFooterHeight + 4., kBarWidth, kBarHeight};
        drawing_.image(box, 256, 1,
                       [](std::size_t i) { return argb(kViridis.at(1. - static_cast<double>(i) / 255.)); });
        drawing_.stroke(box, {1., kInk, false});
        for (double over_best = 1.; over_best <= colours_.largest; over_best *= 10.)
            for (const double tick : {over_best, 2. * over_best, 5. * over_best}) {
                if (tick > colours_.largest) break;
                const double x = box.left + box.width * std::log(tick) / std::log(std::max(colours_.largest, 1.01));
                drawing_.text({x, box.bottom() + 12.}, fmt::format("{:g}", tick), kSweepLabelFont, Align::centre);
            }
        drawing_.text({width() / 2., box.bottom() + 32.},
                      "times the best of the same device; red: the best tile of a strategy", kSweepLabelFont,
                      Align::centre);
    }

    Cells cells_;
    Colours colours_;
    int rows_;
    Drawing drawing_;
};

}  // namespace

void write_sweep_picture(const std::filesystem::path& file, const SweepPair& pair, bool overwrite) {
    SweepDrawing drawing(sheet_kind_of(file), pair);
    write_text_file(file, drawing.file(), overwrite);
}

}  // namespace onda
