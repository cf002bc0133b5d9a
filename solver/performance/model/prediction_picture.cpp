#include "solver/performance/model/prediction_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "io/files/atomic_file.hpp"
#include "io/pictures/drawing.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

constexpr int kWidth = 760, kHeight = 800;
constexpr PageBox kPlot{100., 62., 620., 620.};
constexpr Font kLabelFont{14.}, kTitleFont{17., true};
constexpr Rgb kGrid{222, 222, 222};

std::string time_text(int exponent) {
    constexpr const char* units[] = {"s", "ms", "µs", "ns"};
    const int thousands = exponent >= 0 ? 0 : std::min(3, (2 - exponent) / 3);
    return fmt::format("{:g} {}", std::pow(10., exponent + 3 * thousands), units[thousands]);
}

class PredictionDrawing {
public:
    PredictionDrawing(SheetKind kind, std::span<const PredictionSeries> series) : drawing_(kind, kWidth, kHeight, 2.) {
        double least = 1e300, most = 0.;
        for (const PredictionSeries& each : series)
            for (const auto* values : {&each.predicted_s, &each.measured_s})
                for (const double value : *values) {
                    least = std::min(least, value);
                    most = std::max(most, value);
                }
        low_ = std::floor(std::log10(least));
        high_ = std::max(low_ + 1., std::ceil(std::log10(most)));
    }
    void draw(const std::string& title, std::span<const PredictionSeries> series) {
        drawing_.text({kWidth / 2., 30.}, title, kTitleFont, Align::centre);
        axes();
        {
            const Drawing::Clip clip(drawing_, kPlot);
            for (const double factor : {1., 1.25, 0.75}) equality(factor);
            for (const PredictionSeries& each : series)
                for (std::size_t i = 0; i < each.predicted_s.size(); ++i)
                    dot({x_of(std::log10(each.measured_s[i])), y_of(std::log10(each.predicted_s[i]))}, each.colour);
        }
        drawing_.stroke(kPlot, {1.2});
        double left = kPlot.left;
        for (const PredictionSeries& each : series) {
            dot({left + 5., kHeight - 32.}, each.colour);
            drawing_.text({left + 16., kHeight - 32.}, each.label, kLabelFont);
            left += 40. + text_width(each.label, kLabelFont);
        }
    }
    [[nodiscard]] std::string file() { return drawing_.file(); }

private:
    [[nodiscard]] double x_of(double exponent) const {
        return kPlot.left + kPlot.width * (exponent - low_) / (high_ - low_);
    }
    [[nodiscard]] double y_of(double exponent) const {
        return kPlot.bottom() - kPlot.height * (exponent - low_) / (high_ - low_);
    }
    void line(Point from, Point to, const Stroke& stroke) { drawing_.stroke(std::array{from, to}, stroke); }
    void axes() {
        for (int decade = static_cast<int>(low_); decade <= static_cast<int>(high_); ++decade) {
            const double x = x_of(decade), y = y_of(decade);
            line({x, kPlot.top}, {x, kPlot.bottom()}, {1., kGrid});
            line({kPlot.left, y}, {kPlot.right(), y}, {1., kGrid});
            drawing_.text({x, kPlot.bottom() + 16.}, time_text(decade), kLabelFont, Align::centre);
            drawing_.text({kPlot.left - 8., y}, time_text(decade), kLabelFont, Align::right);
        }
        drawing_.text({kPlot.left + kPlot.width / 2., kPlot.bottom() + 42.}, "measured time of a step", kLabelFont,
                      Align::centre);
        drawing_.text_upwards({22., kPlot.top + kPlot.height / 2.}, "predicted time of a step", kLabelFont);
    }
    void equality(double factor) {
        const double shift = std::log10(factor);
        line({x_of(low_), y_of(low_ + shift)}, {x_of(high_), y_of(high_ + shift)}, {1.2, kInk, factor != 1.});
    }
    void dot(Point at, Rgb colour) {
        constexpr double radius = 3.2;
        std::array<Point, 12> corners{};
        for (std::size_t i = 0; i < corners.size(); ++i) {
            const double angle = 2. * 3.14159265358979 * static_cast<double>(i) / static_cast<double>(corners.size());
            corners[i] = {at.x + radius * std::cos(angle), at.y + radius * std::sin(angle)};
        }
        drawing_.fill(corners, colour);
    }

    Drawing drawing_;
    double low_ = 0., high_ = 1.;  ///< exponents of both axes
};

SheetKind kind_of(const std::filesystem::path& file) {
    if (std::ranges::find(picture_extensions(), file.extension().string()) != picture_extensions().end())
        return sheet_kind_of(file);
    throw Error(ExitCode::usage,
                fmt::format("'{}': pictures are {}", shown(file), fmt::join(picture_extensions(), " or ")));
}

}  // namespace

void write_prediction_picture(const std::filesystem::path& file, const std::string& title,
                              std::span<const PredictionSeries> series, bool overwrite) {
    const SheetKind kind = kind_of(file);
    if (std::ranges::all_of(series, [](const PredictionSeries& each) { return each.predicted_s.empty(); }))
        throw Error(ExitCode::bad_data, "there is no step to draw a prediction of");
    PredictionDrawing picture(kind, series);
    picture.draw(title, series);
    write_text_file(file, picture.file(), overwrite);
}

}  // namespace onda
