#include "solver/ranks/team_exchange.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "solver/program/host_memory.hpp"

namespace onda {
namespace {

constexpr int kBuffersIn = 2, kBuffersOfLink = 2;

/// One of the cuts of a slab: its planes next to it go out, those of the neighbour beyond it come in.
class Cut {
public:
    virtual ~Cut() = default;
    /// Sends planes, or begins to.
    virtual void post() = 0;
    /// Sends what the device has copied meanwhile.
    virtual void send_copied() {}
    /// Takes the planes that come.
    virtual void take() {}
};

/// The planes of a slab at a cut.
struct Side {
    Side(const Wavefield& slab, bool is_low)
        : planes(slab.problem()),
          own(is_low ? planes.own_low() : planes.own_high()),
          beyond(is_low ? planes.beyond_low() : planes.beyond_high()) {}
    CutPlanes planes;
    std::int64_t own, beyond;
};

/// A cut whose planes go through memory of the host.
class HostCut final : public Cut {
public:
    HostCut(Team& team, Wavefield& slab, int neighbour)
        : team_(team),
          slab_(slab),
          neighbour_(neighbour),
          is_low_(neighbour < team.rank()),
          side_(slab, is_low_),
          out_(make_buffer()),
          in_{make_buffer(), make_buffer()} {}

    void post() override {
        // The device may still copy from the buffer of the step before.
        now_ = (now_ + 1) % kBuffersIn;
        arriving_ = team_.start_receive(neighbour_, is_low_ ? Topic::planes_up : Topic::planes_down, in_[now_].bytes());
        if (slab_.fields().pack(side_.own, out_))
            send();
        else
            is_copying_ = true;
    }
    void send_copied() override {
        if (!is_copying_) return;
        is_copying_ = false;
        slab_.fields().await_packed();
        send();
    }
    /// What came from the neighbour shows that it is ready for what goes there.
    void take() override {
        arriving_->wait();
        sent_->wait();
        slab_.fields().unpack(side_.beyond, in_[now_]);
    }

private:
    [[nodiscard]] PlaneBuffer make_buffer() const { return slab_.fields().make_plane_buffer(side_.planes.count); }
    void send() { sent_ = team_.start_send(neighbour_, is_low_ ? Topic::planes_down : Topic::planes_up, out_.bytes()); }

    Team& team_;
    Wavefield& slab_;
    int neighbour_;
    bool is_low_;
    Side side_;
    PlaneBuffer out_;
    std::array<PlaneBuffer, kBuffersIn> in_;
    std::size_t now_ = 0;
    std::unique_ptr<Transfer> arriving_, sent_;
    bool is_copying_ = false;
};

/// A cut whose planes go from device to device.
class LinkedCut final : public Cut {
public:
    LinkedCut(std::unique_ptr<PlanePort> port, std::shared_ptr<PlaneLink> link)
        : port_(std::move(port)), link_(std::move(link)) {}
    void post() override { port_->exchange(*link_); }

private:
    std::unique_ptr<PlanePort> port_;
    std::shared_ptr<PlaneLink> link_;
};

std::unique_ptr<Cut> make_cut(Team& team, Wavefield& slab, int neighbour) {
    const Side side(slab, neighbour < team.rank());
    std::unique_ptr<PlanePort> port = slab.fields().make_plane_port(side.planes.count, side.own, side.beyond);
    if (std::shared_ptr<PlaneLink> link = team.link(neighbour, port.get()))
        return std::make_unique<LinkedCut>(std::move(port), std::move(link));
    return std::make_unique<HostCut>(team, slab, neighbour);
}

class TeamExchange final : public Exchange {
public:
    TeamExchange(Team& team, Wavefield& slab) : team_(team), slab_(slab) {}
    void post() override {
        if (cuts_.empty()) make_cuts();
        for (const auto& cut : cuts_) cut->post();
    }
    void wait() override {
        for (const auto& cut : cuts_) cut->send_copied();
        for (const auto& cut : cuts_) cut->take();
        slab_.fields().await_planes();
    }

private:
    // Not before the first exchange: then all members are there. A device carries out the messages of its two cuts one
    // after the other; were the lower cut the first everywhere, each would wait for the one below.
    void make_cuts() {
        std::vector<int> lower_members;
        if (team_.rank() > 0) lower_members.push_back(team_.rank() - 1);
        if (team_.rank() + 1 < team_.size()) lower_members.push_back(team_.rank());
        std::ranges::sort(lower_members, {}, [](int member) { return member % 2; });
        for (const int lower : lower_members)
            cuts_.push_back(make_cut(team_, slab_, lower == team_.rank() ? lower + 1 : lower));
    }

    Team& team_;
    Wavefield& slab_;
    std::vector<std::unique_ptr<Cut>> cuts_;
};

}  // namespace

std::unique_ptr<Exchange> make_team_exchange(Team& team, Wavefield& slab) {
    return std::make_unique<TeamExchange>(team, slab);
}

MakeExchange exchange_in(Team& team) {
    return [&team](const std::vector<Wavefield*>& here) { return make_team_exchange(team, *here.front()); };
}

void add_exchange_memory(Allocations& list, const RankPlace& place, int ranks_per_grid, const Setup& setup,
                         int wavefields, int batch, bool linked) {
    // What Open MPI 4.1 holds for 2 to 5 processes of one host: 6 to 9 MB.
    if (place.is_connected) list.add(host_row("MPI", held::whole_run, 7'500'000, 1));
    if (ranks_per_grid == 1) return;
    const int member = place.rank % ranks_per_grid;
    const std::int64_t cuts = wavefields * ((member > 0 ? 1 : 0) + (member + 1 < ranks_per_grid ? 1 : 0));
    const std::int64_t planes = PlaneShape(setup, CutPlanes(setup).count, batch).bytes();
    // Where the devices at all cuts are linked, the host has none of them.
    Allocation row = host_row("planes for other processes", held::whole_run, planes, 1,
                              cuts * (linked ? kBuffersOfLink : 1 + kBuffersIn));
    if (linked) row.where = Memory::device;
    list.add(std::move(row));
}

}  // namespace onda
