#include "solver/planning/forecast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "io/text/saturating.hpp"
#include "solver/outputs/shot_files.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/planning/memory_of_run.hpp"
#include "solver/program/build.hpp"
#include "solver/program/host_memory.hpp"
#include "solver/shots/shot_table.hpp"

namespace onda {
namespace {

using Items = std::vector<MemoryForecast::Item>;

std::int64_t total(const Items& items) {
    return std::accumulate(
        items.begin(), items.end(), std::int64_t{0},
        [](std::int64_t sum, const MemoryForecast::Item& item) { return saturating_sum(sum, item.bytes); });
}

std::int64_t shots_of(const Survey& survey) {
    return static_cast<std::int64_t>(survey.shots.size());
}

/// Adds the rows of a stretch to their items, in the order of the list.
void add_items(Items& items, const Allocations& list, Memory where, Owner stretch) {
    for (const Allocation& row : list.rows()) {
        if (row.where != where || row.owner != stretch) continue;
        const std::string what = row.name.substr(0, row.name.find(": "));
        auto item = std::ranges::find(items, what, &MemoryForecast::Item::what);
        if (item == items.end()) item = items.insert(items.end(), {what, 0});
        item->bytes = saturating_sum(item->bytes, row.total_bytes());
    }
}

/// The largest of what is needed for a moment while shots are computed.
std::int64_t temporary_bytes(const Allocations& list, bool pipelined) {
    const auto of = [&list](Owner stretch) { return list.bytes(Memory::host, stretch); };
    const std::int64_t gathers =
        saturating_sum(of(held::gathers), std::max({of(held::resampling), of(held::writing), of(held::drawing)}));
    // Beside the steps of others, the last shots are written and drawn while snapshots of the next are.
    const std::int64_t files =
        pipelined ? saturating_sum(of(held::frame), gathers) : std::max(of(held::frame), gathers);
    return std::max(of(held::set_up), files);
}

}  // namespace

std::int64_t MemoryForecast::peak_bytes() const {
    return total(items);
}
std::int64_t MemoryForecast::device_peak_bytes() const {
    return total(device_items);
}

std::int64_t available_device_bytes(const BackendConfig& backend, const Setup& setup, const Placement& placement) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    const std::vector<int> devices = devices_of(setup, placement);
    for (const int device : devices) least = std::min(least, placement.device->available_bytes(device));
    return share_one_gpu(backend, placement) ? least / placement.ranks.same_devices : least;
}

std::int64_t available_host_bytes(const RankPlace& ranks) {
    return available_memory_bytes() / ranks.local_size;
}

MemoryForecast forecast_memory(const Plan& plan) {
    const Allocations list = memory_of_run(plan);
    // On a device with the host's memory the velocity, 4 bytes a node, has gone when the first shot touches the
    // wavefields, 8 bytes a node and more: it is more only where a model takes much to make. On one with memory of its
    // own it is often the largest of all.
    const std::int64_t temporary = temporary_bytes(list, is_pipelined(plan.placement, plan.survey));
    const bool loading =
        list.bytes(Memory::host, held::model) > saturating_sum(list.bytes(Memory::host, held::survey), temporary);
    MemoryForecast forecast;
    add_items(forecast.items, list, Memory::host, held::whole_run);
    add_items(forecast.items, list, Memory::host, loading ? held::model : held::survey);
    add_items(forecast.items, list, Memory::host, held::outputs);
    if (!loading)
        forecast.items.push_back({"temporary, to set up shots, write snapshots or seismograms, or draw", temporary});
    for (const Owner& stretch : {held::survey, held::whole_run})
        add_items(forecast.device_items, list, Memory::device, stretch);
    for (Items* items : {&forecast.items, &forecast.device_items})
        std::erase_if(*items, [](const auto& item) { return item.bytes == 0; });
    return forecast;
}

namespace {

/// What files of their own add to that: the heads of the files, their links, and their lines in the table.
std::int64_t bytes_of_own_files(const Plan& plan) {
    std::int64_t bytes = ShotTable::bytes_of_shot();
    for (const OutputFormat* format : output_formats())
        if (format->has_shot_files() && format->is_wanted(plan)) bytes += format->own_file_bytes();
    return saturating_sum(saturating_product(shots_of(plan.survey), bytes), bytes_of_shots_alone(plan));
}

}  // namespace

std::int64_t forecast_output_bytes(const Plan& plan) {
    const std::int64_t bytes = bytes_of_survey_files(plan, plan.placement);
    return keeps_shot_files(plan, plan.placement) ? saturating_sum(bytes, bytes_of_own_files(plan)) : bytes;
}

namespace {

/// Puts a set-up on a grid of other extents.
void resize(Setup& setup, const std::array<std::int64_t, 3>& n) {
    setup.grid.n = n;
    setup.strips.change_each([&n](const Strip& strip) { return strip.resized(n); });
}

/// Puts a plan on a grid of the same proportions with `longest` nodes along its longest axis, as far as its memory
/// depends on it.
void rescale(Plan& scaled, const Plan& plan, std::int64_t longest) {
    const double factor =
        static_cast<double>(longest) / static_cast<double>(*std::ranges::max_element(plan.domain.grid.n));
    for (std::size_t a = 0; a < 3; ++a) {
        const auto scale = [factor](std::int64_t count, std::int64_t least) {
            return std::max(least, static_cast<std::int64_t>(std::llround(factor * static_cast<double>(count))));
        };
        if (!plan.domain.grid.has_axis(static_cast<int>(a))) continue;
        scaled.domain.grid.n[a] = scale(plan.domain.grid.n[a], 2);
        scaled.snapshots.window.count[a] = scale(plan.snapshots.window.count[a], 1);
    }
    scaled.domain.computed = plan.domain.computed.around(scaled.domain.grid);
    scaled.setup.strips = plan.setup.strips;
    resize(scaled.setup, scaled.domain.computed.grid().n);
    cut_again(scaled.setup, scaled.placement);
}

}  // namespace

std::optional<Grid> largest_grid(const Plan& plan, Memory memory, std::int64_t available) {
    constexpr double kLeastBytesPerNode = 4.;
    if (plan.domain.aperture) return std::nullopt;  // its parts are as large as its spreads, not as its grid
    Plan scaled = plan;
    const auto fits = [&](std::int64_t longest) {
        rescale(scaled, plan, longest);
        const MemoryForecast forecast = forecast_memory(scaled);
        return (memory == Memory::host ? forecast.peak_bytes() : forecast.device_peak_bytes()) <= available;
    };
    const double nodes = static_cast<double>(available) / kLeastBytesPerNode;
    const double growth = std::pow(nodes / static_cast<double>(plan.domain.grid.points()),
                                   1. / static_cast<double>(plan.domain.grid.dimensions));
    std::int64_t low = 2;
    auto high = low + static_cast<std::int64_t>(
                          growth * static_cast<double>(*std::ranges::max_element(plan.domain.grid.n)));  // does not fit
    if (!fits(low)) return std::nullopt;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (fits(middle) ? low : high) = middle;
    }
    rescale(scaled, plan, low);
    return scaled.domain.grid;
}

}  // namespace onda
