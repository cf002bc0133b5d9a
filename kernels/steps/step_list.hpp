/// \file
/// A time step as a list of operations: the one place that says which come, in which order, and what each reads and
/// makes. Devices may queue, fuse or capture them, never change their order.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "kernels/setup.hpp"

namespace onda {

/// An operation of a time step on every field of a wavefield.
enum class Operation {
    fill_halos,        ///< the halo of p[n], by the rules of Problem::halos
    send_planes,       ///< the planes of p[n] beside cuts to the neighbours; nothing where nothing is cut
    step_inside,       ///< p[n+1] = 2 p[n] - p[n-1] + k L(p[n]) over p[n-1], where no plane beyond a cut is read
    await_planes,      ///< the planes of p[n] beyond cuts have come
    step_beside_cuts,  ///< the rest of the step; all of it where nothing is cut and step_inside does nothing
    step_twice,  ///< where k L is applied twice: p[n+2] over p[n-2] of leaps, p[n+1] of order 4 in time, inside the
                 ///< shell, and in it p[n+1] of leaps, u = A p[n] + f[n] of order 4 in time
    step_shell,  ///< from these the next level of the shell
    absorb,      ///< perfectly matched layers, then the sponge, on p[n+1] and p[n]
    inject,      ///< adds the sample of every source to p[n+1]
    swap,        ///< p[n+1] becomes p[n]
    record,      ///< a sample of every trace, from p[n]
};
inline constexpr std::size_t kOperations = 11;

/// What an operation reads, makes, or makes void.
enum Part : unsigned {
    level = 1,           ///< p[n]
    halo = 2,            ///< of p[n], beyond the faces
    sent = 4,            ///< planes of p[n] on their way
    beyond_cuts = 8,     ///< planes of p[n] beyond cuts
    next_inside = 16,    ///< p[n+1] but for sources and strips, where no plane beyond a cut is read
    next_beside = 32,    ///< and elsewhere
    next = 16 + 32,      ///< both
    complete_next = 64,  ///< p[n+1], sources and strips included
    odd = 128            ///< in the shell, p[n+1] of leaps, or u
};

/// An operation's name, and the parts that it reads, makes and makes void.
struct OperationRow {
    Operation operation;
    std::string_view name;
    unsigned reads, makes, voids = 0;
};
inline constexpr std::array<OperationRow, kOperations> kOperationRows{{
    {Operation::fill_halos, "fill halos", level, halo},
    {Operation::send_planes, "send planes", level, sent},
    {Operation::step_inside, "step inside", level | halo, next_inside},
    {Operation::await_planes, "await planes", sent, beyond_cuts, sent},
    {Operation::step_beside_cuts, "step beside cuts", level | halo | beyond_cuts, next_beside},
    // Ghosts stand for what is beyond cuts.
    {Operation::step_twice, "step twice", level | halo, next_inside | odd},
    {Operation::step_shell, "step shell", level | halo | odd, next_beside, odd},
    {Operation::absorb, "absorb", level | halo | next, next},
    {Operation::inject, "inject", next, complete_next},
    {Operation::swap, "swap", complete_next, level, halo | sent | beyond_cuts | next | complete_next},
    {Operation::record, "record", level, 0},
}};

using StepList = std::span<const Operation>;

/// A step where k L is applied once. Halos are filled first, so that planes beside cuts take those along x and y with
/// them; under the exchange goes on what does not need it.
inline constexpr std::array kSingleStep{Operation::fill_halos,
                                        Operation::send_planes,
                                        Operation::step_inside,
                                        Operation::await_planes,
                                        Operation::step_beside_cuts,
                                        Operation::absorb,
                                        Operation::inject,
                                        Operation::swap,
                                        Operation::record};
/// A leap over two steps. Its strips are those of the passes over the shell (kernels/plan/strip_turns.hpp). Ghosts are
/// overwritten as soon as their owners have them.
inline constexpr std::array kLeap{Operation::fill_halos,   Operation::step_twice, Operation::step_shell,
                                  Operation::inject,       Operation::swap,       Operation::send_planes,
                                  Operation::await_planes, Operation::record};
/// A step of order 4 in time, whose shell has strips in its passes, too; what acts on the complete p[n+1] does so once.
inline constexpr std::array kFourthOrderStep{Operation::fill_halos,  Operation::step_twice,   Operation::step_shell,
                                             Operation::absorb,      Operation::inject,       Operation::swap,
                                             Operation::send_planes, Operation::await_planes, Operation::record};

/// Whether each operation finds what it reads, over and over again, and no level is stepped from twice.
constexpr bool is_in_order(StepList list) {
    unsigned made = level;
    for (int time = 0; time < 2; ++time)
        for (const Operation operation : list) {
            const OperationRow& row = kOperationRows[static_cast<std::size_t>(operation)];
            if (row.operation != operation || (made & row.reads) != row.reads) return false;
            made = (made & ~row.voids) | row.makes;
        }
    return true;
}
static_assert(is_in_order(kSingleStep) && is_in_order(kLeap) && is_in_order(kFourthOrderStep));
// Samples come last, so that whoever drives whole updates may take some of them afterwards, as slabs do.
static_assert(kSingleStep.back() == Operation::record && kLeap.back() == Operation::record &&
              kFourthOrderStep.back() == Operation::record);

/// Whether a device may perform the operations of a list in this order: the same one, but that `record`, which changes
/// nothing, comes wherever it finds p[n]; before `swap` it takes the sample that the update before has left.
constexpr bool is_order_of(StepList order, StepList list) {
    std::size_t at = 0;
    const auto skip_record = [&] {
        if (at < list.size() && list[at] == Operation::record) ++at;
    };
    for (const Operation operation : order) {
        if (operation == Operation::record) continue;
        skip_record();
        if (at == list.size() || list[at++] != operation) return false;
    }
    skip_record();
    return at == list.size() && order.size() == list.size() && is_in_order(order);
}

/// The operations of an update of a problem: a step, or a leap.
constexpr StepList step_list(const Problem& problem) {
    if (problem.stepping == Stepping::leap) return kLeap;
    return problem.applications() == Applications::twice ? StepList(kFourthOrderStep) : StepList(kSingleStep);
}

/// Performs time steps first … first + count - 1, of leaps both even, on whatever performs operations: on a wavefield,
/// on one shot of it, on slabs. The second argument of perform() counts updates; that of `record` samples, of which
/// update u gives number u + 1.
template <typename Field>
void advance_in_order(Field& field, std::int64_t first, std::int64_t count) {
    const StepList list = step_list(field.problem());
    const std::int64_t stride = field.problem().stride();
    for (std::int64_t update = first / stride; update < (first + count) / stride; ++update)
        for (const Operation operation : list)
            field.perform(operation, operation == Operation::record ? update + 1 : update);
}

}  // namespace onda
