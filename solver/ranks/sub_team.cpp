#include "solver/ranks/sub_team.hpp"

#include "solver/ranks/message.hpp"

namespace onda {

std::shared_ptr<PlaneLink> SubTeam::link(int neighbour, const PlanePort* port) {
    const bool is_low = rank() < neighbour;
    const Topic out = is_low ? Topic::planes_up : Topic::planes_down,
                in = is_low ? Topic::planes_down : Topic::planes_up;
    const std::string here = port == nullptr || !links_devices_ ? std::string() : port->place();
    send(neighbour, out, Outgoing().put(here).bytes());
    const std::string there = Incoming(receive(neighbour, in)).get_text();
    if (here.empty() || there.empty() || here == there) return nullptr;
    std::shared_ptr<PlaneLink>& link = links_[{neighbour, here, there}];
    if (link != nullptr) return link;
    std::vector<std::byte> id;
    if (is_low) {
        id = port->make_link_id();
        send(neighbour, out, id);
    } else {
        id = receive(neighbour, in);
    }
    return link = port->connect(id, is_low ? 0 : 1);
}

}  // namespace onda
