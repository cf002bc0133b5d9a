/// \file
/// What a leader orders of the members of its team (solver/ranks/remote_part.hpp).
#pragma once

#include <array>
#include <cstdint>

#include "kernels/shot/shot.hpp"
#include "kernels/wavefield.hpp"
#include "solver/ranks/message.hpp"

namespace onda {

/// What members are told to do. Orders from make_medium on are answered: with true and what was asked for, or with
/// false, an exit code and a message. Those about a wavefield or images begin with its number.
enum class Order : int {
    leave,
    drop_medium,
    drop_wavefield,
    enqueue,
    record,
    exchange_planes,
    save_state,
    restore_state,
    discard_state,
    drop_states,
    drop_images,
    reset_images,
    keep_level,
    meet_level,
    make_medium,
    values_at,
    make_wavefield,
    reset,
    set_sources,
    set_receivers,
    wait,
    extrema,
    download_floats,
    download_doubles,
    hash_planes,
    upload,
    trace_floats,
    trace_doubles,
    sample,
    state_parts,
    read_state,
    write_state,
    make_correlation,
    make_flux_correlation,
    image,
    begin_snapshots,
    take_snapshots,
    settle_snapshots,
    read_snapshot,
    give_snapshot_back,
    finish_snapshots
};

constexpr bool is_answered(Order order) {
    return order >= Order::make_medium;
}

inline Outgoing& put(Outgoing& message, const NodeWeights& nodes) {
    return message.put(nodes.first).put(nodes.node).put(nodes.weight);
}
inline NodeWeights get_nodes(Incoming& message) {
    NodeWeights nodes;
    nodes.first = message.get_all<std::int64_t>();
    nodes.node = message.get_all<std::int64_t>();
    nodes.weight = message.get_all<double>();
    return nodes;
}

inline Outgoing& put(Outgoing& message, const StatePart& part) {
    return message.put(part.name).put(part.extents).put(part.element_bytes);
}
inline StatePart get_part(Incoming& message) {
    StatePart part;
    part.name = message.get_text();
    part.extents = message.get<std::array<std::int64_t, 3>>();
    part.element_bytes = message.get<std::int64_t>();
    return part;
}

}  // namespace onda
