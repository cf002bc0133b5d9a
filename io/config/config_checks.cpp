// Faults that only several values together show.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "io/config/config_reader.hpp"

namespace onda {
namespace {

/// The grid's axes as the text counts them: x, z or x, y, z. Empty if the grid itself is faulty.
struct Axis {
    char name;
    std::int64_t nodes;
    double first_m, last_m, spacing_m;
};

std::vector<Axis> grid_axes(const GridConfig& grid, const Reading& reading) {
    std::vector<Axis> axes;
    if (!reading.sound("grid") || !reading.sound("grid.shape") || !reading.sound("grid.spacing_m") ||
        !reading.sound("grid.origin_m") || grid.spacing_m.empty())
        return axes;
    for (std::size_t i = 0; i < grid.shape.size(); ++i) {
        const double spacing = grid.spacing_m[grid.spacing_m.size() == 1 ? 0 : i];
        const double first = grid.origin_m.empty() ? 0. : grid.origin_m[i];
        axes.push_back({grid.shape.size() == 2 ? "xz"[i] : "xyz"[i], grid.shape[i], first,
                        first + double(grid.shape[i] - 1) * spacing, spacing});
    }
    return axes;
}

class Checks {
public:
    Checks(const Config& config, Reading& reading)
        : config_(config), reading_(reading), axes_(grid_axes(config.grid, reading)) {}

    void all() {
        compact_stencil();
        grid_holds_stencil();
        nodes_are_distinct();
        layers_descend();
        wavelet(config_.wavelet, "wavelet");
        for (std::size_t i = 0; i < config_.sources.size(); ++i) source(config_.sources[i], indexed("sources", i));
        for (std::size_t i = 0; i < config_.receivers.size(); ++i)
            receiver(config_.receivers[i], indexed("receivers", i));
        wavelet_there();
        shots_exist();
        snapshots();
        sampling();
        something_recorded();
    }

private:
    static std::string indexed(const std::string& list, std::size_t i) { return list + "[" + std::to_string(i) + "]"; }
    [[nodiscard]] bool usable(const std::string& path) const { return reading_.given(path) && reading_.sound(path); }

    void compact_stencil() {
        const SchemeConfig& scheme = config_.scheme;
        if (!reading_.sound("scheme.stencil") || scheme.stencil != "compact27") return;
        if (reading_.sound("scheme.space_order") && scheme.space_order != 2)
            reading_.fault("scheme.space_order", "scheme.stencil: compact27 has order 2: use 2, or leave it out");
        if (reading_.sound("scheme.coefficients") && scheme.coefficients != "taylor")
            reading_.fault(
                "scheme.coefficients",
                "scheme.stencil: compact27 has one set of weights: leave it out, or use scheme.stencil: star");
        for (const Axis& axis : axes_)
            if (axis.spacing_m != axes_.front().spacing_m)
                return reading_.fault("grid.spacing_m",
                                      "scheme.stencil: compact27 needs the same spacing along every axis");
    }

    void grid_holds_stencil() {
        if (!reading_.sound("scheme.space_order")) return;
        const auto least = config_.scheme.space_order / 2 + 1;
        for (const Axis& axis : axes_)
            if (axis.nodes < least)
                return reading_.fault("grid.shape", "scheme.space_order " + std::to_string(config_.scheme.space_order) +
                                                        " needs at least " + std::to_string(least) +
                                                        " nodes along each axis; " + axis.name + " has " +
                                                        std::to_string(axis.nodes));
    }

    /// Positions are compared to a millionth of a spacing: they must be represented that finely.
    void nodes_are_distinct() {
        constexpr double most = 1e-6 / std::numeric_limits<double>::epsilon();
        for (const Axis& axis : axes_) {
            const double farthest = std::max(std::fabs(axis.first_m), std::fabs(axis.last_m));
            if (farthest <= most * axis.spacing_m) continue;
            return reading_.fault(usable("grid.origin_m") ? "grid.origin_m" : "grid.spacing_m",
                                  std::string(1, axis.name) + " reaches " + number_text(farthest) +
                                      " m, too far from 0 to tell positions " + number_text(axis.spacing_m) +
                                      " m apart; choose an origin nearer to 0");
        }
    }

    /// What the face of an axis does.
    [[nodiscard]] const std::string& kind(char axis, bool high) const {
        const BoundaryConfig& boundary = config_.boundary;
        if (axis == 'x') return high ? boundary.x_max : boundary.x_min;
        if (axis == 'y') return high ? boundary.y_max : boundary.y_min;
        return high ? boundary.z_max : boundary.z_min;
    }

    void layers_descend() {
        const auto& layers = config_.model.layers;
        for (std::size_t i = 1; i < layers.size(); ++i) {
            const std::string path = indexed("model.layers", i) + ".top_m";
            const std::string above = indexed("model.layers", i - 1) + ".top_m";
            if (usable(path) && usable(above) && !(layers[i].top_m > layers[i - 1].top_m))
                reading_.fault(path, "must lie below the top of the layer above, " + number_text(layers[i - 1].top_m));
        }
    }

    void wavelet(const WaveletConfig& wavelet, const std::string& path) {
        const std::string corners = path + ".corner_frequencies_hz";
        if (!usable(corners)) return;
        const auto& hz = wavelet.corner_frequencies_hz;
        for (std::size_t i = 1; i < hz.size(); ++i)
            if (!(hz[i] > hz[i - 1])) return reading_.fault(corners, "must ascend: f1 < f2 < f3 < f4");
    }

    void wavelet_there() {
        if (reading_.given("wavelet") || !reading_.sound("sources")) return;
        for (std::size_t i = 0; i < config_.sources.size(); ++i)
            if (!reading_.given(indexed("sources", i) + ".wavelet"))
                return reading_.faults.add(
                    {0, {1, 1}}, "missing key 'wavelet': sources[" + std::to_string(i) + "] has none of its own");
    }

    /// \return whether the position is known and inside the grid.
    bool inside(const std::vector<double>& position_m, const std::string& path) {
        if (!usable(path) || axes_.empty() || position_m.size() != axes_.size()) return false;
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            const Axis& axis = axes_[i];
            const double slack = 1e-6 * axis.spacing_m;  // the last node's position is rounded
            if (position_m[i] >= axis.first_m - slack && position_m[i] <= axis.last_m + slack) continue;
            reading_.fault(path, std::string(1, axis.name) + " = " + number_text(position_m[i]) +
                                     " is outside the grid, which spans " + number_text(axis.first_m) + " to " +
                                     number_text(axis.last_m) + " m");
            return false;
        }
        return true;
    }

    /// A source on a free surface, where pressure is zero, would radiate nothing.
    void source_at(const std::vector<double>& position_m, const std::string& path) {
        if (!inside(position_m, path)) return;
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            const Axis& axis = axes_[i];
            for (const bool high : {false, true}) {
                const double distance = std::fabs(position_m[i] - (high ? axis.last_m : axis.first_m));
                if (kind(axis.name, high) != "free_surface" || distance > 1e-6 * axis.spacing_m) continue;
                return reading_.fault(path, std::string("lies on the free surface ") + axis.name +
                                                (high ? "_max" : "_min") +
                                                ", where pressure is zero: it would radiate nothing; move it inwards");
            }
        }
    }

    void source(const SourceConfig& source, const std::string& path) {
        source_at(source.position_m, path + ".position_m");
        source_at(source.first_m, path + ".first_m");
        source_at(source.last_m, path + ".last_m");
        if (source.wavelet) wavelet(*source.wavelet, path + ".wavelet");
    }

    void receiver(const ReceiverConfig& receiver, const std::string& path) {
        inside(receiver.position_m, path + ".position_m");
        inside(receiver.first_m, path + ".first_m");
        inside(receiver.last_m, path + ".last_m");
        if (!usable(path + ".count")) return;
        const auto axes = static_cast<std::size_t>(config_.grid.dimensions());
        if (receiver.type == "line" && receiver.count.size() != 1)
            reading_.fault(path + ".count", "a line takes one number; type grid takes one per axis");
        if (receiver.type == "grid" && reading_.sound("grid.shape") && receiver.count.size() != axes)
            reading_.fault(path + ".count", "a grid takes one number per axis, " + std::to_string(axes) + " in all");
    }

    void shots_exist() {
        std::set<std::int64_t> shots;
        for (std::size_t i = 0; i < config_.sources.size(); ++i) {
            const SourceConfig& source = config_.sources[i];
            if (source.type != "point" || !reading_.sound(indexed("sources", i) + ".shot")) return;
            shots.insert(source.shot.value_or(1));
        }
        for (std::size_t i = 0; i < config_.receivers.size() && !shots.empty(); ++i) {
            const auto shot = config_.receivers[i].shot;
            if (shot && shots.count(*shot) == 0)
                reading_.fault(indexed("receivers", i) + ".shot", "no source fires in this shot");
        }
    }

    void snapshots() {
        const SnapshotConfig& snapshots = config_.output.snapshots;
        const std::string path = "output.snapshots";
        if (!usable(path)) return;
        const bool asked = reading_.given(path + ".every_steps") || reading_.given(path + ".times_s");
        if (!asked)
            reading_.faults.add(reading_.keys.at(path),
                                path + ": no snapshots are asked for: give every_steps or times_s");
        if (usable(path + ".times_s")) snapshot_times(snapshots.times_s, path + ".times_s");
        const bool low = inside(snapshots.window_min_m, path + ".window_min_m");
        const bool high = inside(snapshots.window_max_m, path + ".window_max_m");
        if (low && high)
            for (std::size_t i = 0; i < axes_.size(); ++i)
                if (snapshots.window_min_m[i] > snapshots.window_max_m[i])
                    return reading_.fault(path + ".window_max_m",
                                          std::string("must not lie below window_min_m along ") + axes_[i].name);
    }

    void snapshot_times(const std::vector<double>& times_s, const std::string& path) {
        for (std::size_t i = 0; i < times_s.size(); ++i) {
            if (i > 0 && !(times_s[i] > times_s[i - 1])) return reading_.fault(path, "must ascend");
            if (usable("time.duration_s") && times_s[i] > config_.time.duration_s)
                return reading_.fault(path, number_text(times_s[i]) + " s is after the end, time.duration_s = " +
                                                number_text(config_.time.duration_s));
        }
    }

    void sampling() {
        if (!usable("time.duration_s")) return;
        for (const std::string path : {"time.dt_s", "output.seismograms.dt_s"}) {
            const auto dt_s = path == "time.dt_s" ? config_.time.dt_s : config_.output.seismograms.dt_s;
            if (usable(path) && dt_s && *dt_s > config_.time.duration_s)
                reading_.fault(path, "is longer than time.duration_s = " + number_text(config_.time.duration_s));
        }
    }

    void something_recorded() {
        if (!reading_.given("receivers") && !reading_.given("output.snapshots") && reading_.sound("output"))
            reading_.faults.add({0, {1, 1}}, "nothing would be recorded: give receivers or output.snapshots");
    }

    const Config& config_;
    Reading& reading_;
    std::vector<Axis> axes_;
};

}  // namespace

void check_together(const Config& config, Reading& reading) {
    Checks(config, reading).all();
}

}  // namespace onda
