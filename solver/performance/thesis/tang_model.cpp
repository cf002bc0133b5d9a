#include "solver/performance/thesis/tang_model.hpp"

#include <cmath>
#include <stdexcept>

namespace onda {
namespace {

constexpr std::int64_t kElementBytes = 4;
/// What nvcc gave a thread of the thesis' kernels. Their order is a run-time number: it is the same for all orders.
constexpr std::int64_t kThreadRegisters = 31;

std::int64_t parts(std::int64_t nodes, std::int64_t size) {
    return (nodes + size - 1) / size;
}

double rounded(double value, double unit) {
    return std::round(value / unit) * unit;
}

/// The halos and both queues of r planes. The thesis counts neither the core nor the corners, which leaves no
/// difference between the strategies.
std::int64_t shared_bytes(const TangCase& what) {
    const std::int64_t r = what.radius, tx = what.tx, tz = what.tz;
    return (2 * r * tx + 2 * r * tz + 2 * r * tx * tz) * kElementBytes;
}

/// What the strategy loads, and the plane that is stored. The text has the strategy full, with its corners; those of
/// the others follow from what they load.
std::int64_t bytes(const TangCase& what) {
    std::int64_t loaded = 0;
    for (const Rectangle& each : what.strategy->rectangles()) {
        const auto length = [&what](Edge begin, Edge end, std::int64_t tile) {
            return position(end, tile, what.radius) - position(begin, tile, what.radius);
        };
        loaded += length(each.x_begin, each.x_end, what.tz) * length(each.y_begin, each.y_end, what.tx);
    }
    return (loaded + what.tx * what.tz) * kElementBytes;
}

/// 33 at order 8, as Tang et al. count: centre 1; for each of the r distances four additions of the plane, one of the
/// planes behind and a multiplication, and an addition and a multiplication for the planes that wait.
std::int64_t operations(const TangCase& what) {
    return 8 * what.radius + 1;
}

void fill_blocks(TangPrediction& p, const DeviceDescription& device, const TangCase& what) {
    const std::int64_t threads = what.tx * what.tz;
    p.block_registers = kThreadRegisters * threads;
    p.block_shared_bytes = shared_bytes(what);
    p.block_bytes = bytes(what);
    p.block_warps = static_cast<double>(parts(threads, kWarpThreads));
    p.operations = operations(what);
    p.blocks = parts(what.lx, what.tx) * parts(what.lz, what.tz);
    const Residency resident = residency(device, threads, p.block_registers, p.block_shared_bytes);
    if (resident.blocks == 0)
        throw std::invalid_argument("a block of " + std::to_string(what.tx) + "x" + std::to_string(what.tz) + " = " +
                                    std::to_string(threads) + " threads with " + std::to_string(p.block_registers) +
                                    " registers and " + std::to_string(p.block_shared_bytes) +
                                    " bytes of shared memory does not fit " + device.name + ": its limit of " +
                                    resident.bound);
    p.active_blocks = resident.blocks;
    p.active_bound = resident.bound;
    const std::int64_t at_a_time = device.multiprocessors * p.active_blocks;
    p.stages = parts(p.blocks, at_a_time);
    p.remaining_blocks = parts(p.blocks - (p.stages - 1) * at_a_time, device.multiprocessors);
}

}  // namespace

TangPrediction tang_prediction(const DeviceDescription& device, const TangCase& what, TangDigits digits) {
    TangPrediction p;
    fill_blocks(p, device, what);
    const double clock_hz = 1e6 * device.clock_mhz, active = static_cast<double>(p.active_blocks),
                 remaining = static_cast<double>(p.remaining_blocks);
    const double bytes_s = 1e9 * device.memory_bandwidth_gb_s / static_cast<double>(device.multiprocessors);
    double latency_s = device.memory_latency_cycles / clock_hz;
    double transfer_s = static_cast<double>(p.block_bytes) / bytes_s;
    p.compute_s = active * static_cast<double>(p.operations) * p.block_warps / clock_hz;
    if (digits == TangDigits::as_printed) {
        latency_s = rounded(latency_s, 1e-9);
        transfer_s = rounded(transfer_s, 1e-10);
        p.compute_s = rounded(p.compute_s, 1e-10);
    }
    p.memory_s = latency_s + transfer_s;
    // T_c has the resident blocks already; both sources multiply by them again, and the thesis' numbers need it.
    p.stage_s = what.overlap->f(active) * p.memory_s + active * p.compute_s;
    p.last_stage_s = what.overlap->f(remaining) * p.memory_s + remaining * p.compute_s;
    const double plane_s = p.stage_s * static_cast<double>(p.stages - 1) + p.last_stage_s;
    p.step_s = plane_s * static_cast<double>(what.ly);
    p.gpts = 1e-9 * static_cast<double>(what.lx * what.lz) / plane_s;
    return p;
}

}  // namespace onda
