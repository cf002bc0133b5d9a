#include "solver/ranks/remote_state.hpp"

#include <algorithm>
#include <stdexcept>

namespace onda {
namespace {

/// Sends what `write` puts about planes, before the answer that says that there are no more.
template <typename Write>
void send_planes(Team& team, std::int64_t first_plane, const Write& write) {
    Outgoing part;
    part.put(true).put(true).put(first_plane);
    write(part);
    team.send(0, Topic::reply, part.bytes());
}

}  // namespace

void reply_about_state(Team& team, ShotState& state, Order order, Incoming& message, Outgoing& reply) {
    if (order == Order::state_parts) {
        const std::vector<StatePart> parts = state.state_parts();
        reply.put(parts.size());
        for (const StatePart& part : parts) put(reply, part);
        return;
    }
    const auto shot = message.get<int>();
    const StatePart wanted = get_part(message);
    if (order == Order::read_state)
        state.read_state(shot, wanted, [&](const StatePart&, std::int64_t first_plane, std::span<std::byte> planes) {
            send_planes(team, first_plane, [&](Outgoing& part) { part.put_all(std::span<const std::byte>(planes)); });
        });
    else
        state.write_state(shot, wanted, [&](const StatePart&, std::int64_t first_plane, std::span<std::byte> planes) {
            send_planes(team, first_plane, [&](Outgoing& part) { part.put(planes.size()); });
            const std::vector<std::byte> bytes = team.receive(0, Topic::order);
            if (bytes.size() != planes.size()) throw std::logic_error("planes of a state of another size");
            std::ranges::copy(bytes, planes.begin());
        });
    reply.put(false);  // no more planes
}

}  // namespace onda
