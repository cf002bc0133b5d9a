#include "solver/performance/thesis/tile_facts.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "solver/performance/device_description.hpp"

namespace onda {
namespace {

constexpr std::int64_t kElementBytes = 4, kSectorNodes = 32 / kElementBytes, kBanks = 32;

/// A rectangle in the tile frame, stored densely from element `offset` on. x runs along the fastest axis, the thesis'
/// z; y along the slowest.
struct Stored {
    std::int64_t x, y, width, height, offset;
    [[nodiscard]] bool holds(std::int64_t at_x, std::int64_t at_y) const {
        return at_x >= x && at_x < x + width && at_y >= y && at_y < y + height;
    }
};

std::vector<Stored> stored_rectangles(const LoadStrategy& strategy, std::int64_t tx, std::int64_t tz,
                                      std::int64_t radius) {
    std::vector<Stored> list;
    std::int64_t offset = 0;
    for (const Rectangle& each : strategy.rectangles()) {
        const std::int64_t x = position(each.x_begin, tz, radius), y = position(each.y_begin, tx, radius);
        list.push_back({x, y, position(each.x_end, tz, radius) - x, position(each.y_end, tx, radius) - y, offset});
        offset += list.back().width * list.back().height;
    }
    return list;
}

std::int64_t floor_divided(std::int64_t value, std::int64_t by) {
    return value >= 0 ? value / by : -((by - 1 - value) / by);
}

/// Sectors of one rectangle: thread t of a pass copies element t, column by column, as thesis_load() does.
std::int64_t sectors_of(const Stored& rectangle, std::int64_t threads) {
    const std::int64_t nodes = rectangle.width * rectangle.height;
    std::int64_t sectors = 0;
    for (std::int64_t pass = 0; pass < nodes; pass += threads)
        for (std::int64_t warp = pass; warp < std::min(pass + threads, nodes); warp += kWarpThreads) {
            std::set<std::pair<std::int64_t, std::int64_t>> asked;
            for (std::int64_t e = warp; e < std::min({warp + kWarpThreads, pass + threads, nodes}); ++e)
                asked.emplace(e % rectangle.height, floor_divided(rectangle.x + e / rectangle.height, kSectorNodes));
            sectors += static_cast<std::int64_t>(asked.size());
        }
    return sectors;
}

/// Cycles in which a warp has one element of the frame for each thread: as many as the busiest bank has elements.
std::int64_t cycles_of(const std::vector<std::int64_t>& elements) {
    std::map<std::int64_t, std::set<std::int64_t>> banks;
    for (const std::int64_t element : elements) banks[element % kBanks].insert(element);
    std::size_t most = 0;
    for (const auto& bank : banks) most = std::max(most, bank.second.size());
    return static_cast<std::int64_t>(most);
}

std::int64_t bank_cycles_of(const std::vector<Stored>& list, std::int64_t tx, std::int64_t tz, std::int64_t radius) {
    std::vector<std::pair<std::int64_t, std::int64_t>> star{{0, 0}};
    for (std::int64_t k = 1; k <= radius; ++k) star.insert(star.end(), {{-k, 0}, {k, 0}, {0, -k}, {0, k}});
    std::int64_t cycles = 0;
    for (std::int64_t warp = 0; warp < tx * tz; warp += kWarpThreads)
        for (const auto& [dx, dy] : star) {
            std::vector<std::int64_t> elements;
            for (std::int64_t thread = warp; thread < std::min(warp + kWarpThreads, tx * tz); ++thread) {
                const std::int64_t x = thread / tx + dx, y = thread % tx + dy;
                const auto in = std::ranges::find_if(list, [x, y](const Stored& each) { return each.holds(x, y); });
                elements.push_back(in->offset + (y - in->y) * in->width + x - in->x);
            }
            cycles += cycles_of(elements);
        }
    return cycles;
}

}  // namespace

TileFacts tile_facts(const LoadStrategy& strategy, std::int64_t tx, std::int64_t tz, int radius) {
    const std::vector<Stored> list = stored_rectangles(strategy, tx, tz, radius);
    const std::int64_t threads = tx * tz;
    TileFacts facts;
    for (const Stored& rectangle : list) {
        const std::int64_t nodes = rectangle.width * rectangle.height;
        facts.loaded += nodes;
        facts.passes += (nodes + threads - 1) / threads;
        facts.sectors += sectors_of(rectangle, threads);
    }
    facts.bank_cycles = bank_cycles_of(list, tx, tz, radius);
    facts.shared_bytes = (facts.loaded + 2 * radius * threads) * kElementBytes;
    return facts;
}

}  // namespace onda
