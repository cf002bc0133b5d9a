#include "solver/performance/model/tang_of_kernels.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "solver/performance/thesis/tang_model.hpp"

namespace onda {
namespace {

/// A tile as its name tells it: "256x16r4".
struct KernelTile {
    std::int64_t width = 0, height = 0;
};

std::optional<KernelTile> tile_of(const std::string& name) {
    KernelTile tile;
    const char* const end = name.data() + name.size();
    const auto [cross, fault] = std::from_chars(name.data(), end, tile.width);
    if (fault != std::errc() || cross == end || *cross != 'x') return {};
    if (std::from_chars(cross + 1, end, tile.height).ec != std::errc()) return {};
    return tile;
}

}  // namespace

std::optional<double> tang_seconds(const DeviceDescription& device, const KernelCase& what,
                                   const cuda::StepFacts& facts) {
    const auto tile = tile_of(what.tile);
    if (!tile || !what.kernel.starts_with("inplane-") || what.dimensions != 3 || what.equation != "star" ||
        what.precision != "float" || what.boundary != "none")
        return {};
    TangCase small;
    small.radius = what.order / 2;
    const auto operations = static_cast<double>(tang_prediction(device, small).operations);
    const double nodes = static_cast<double>(tile->width * tile->height), halo = what.order;
    const double clock_hz = 1e6 * device.clock_mhz, multiprocessors = static_cast<double>(device.multiprocessors);
    const double loaded =
        (static_cast<double>(tile->width) + halo) * (static_cast<double>(tile->height) + halo) + nodes;
    // The letters of the model: Blks, ActBlks, Stages, RemBlks, T_m, T_c, T_s, T_l.
    const double blocks = static_cast<double>(what.nx * what.ny) / nodes;
    const double active = std::max(1, facts.compiled.blocks_per_multiprocessor);
    const double stages = std::ceil(blocks / (multiprocessors * active));
    const double remaining = std::ceil((blocks - (stages - 1.) * active * multiprocessors) / multiprocessors);
    const double memory =
        device.memory_latency_cycles / clock_hz + 4. * loaded / (1e9 * device.memory_bandwidth_gb_s / multiprocessors);
    const double compute = active * operations * nodes / static_cast<double>(kWarpThreads) / clock_hz;
    const double stage = active * memory + active * compute, last = remaining * memory + remaining * compute;
    return (stage * (stages - 1.) + last) * static_cast<double>(what.nz);
}

}  // namespace onda
