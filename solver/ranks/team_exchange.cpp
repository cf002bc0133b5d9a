#include "solver/ranks/team_exchange.hpp"

#include <array>
#include <vector>

namespace onda {
namespace {

constexpr int kBuffersIn = 2;

/// One of the cuts of a slab: its planes next to it go out, those of the neighbour beyond it come in.
class Cut {
public:
    Cut(Team& team, Wavefield& slab, int neighbour)
        : team_(team),
          slab_(slab),
          neighbour_(neighbour),
          is_low_(neighbour < team.rank()),
          planes_(slab.problem()),
          out_(slab.make_plane_buffer(planes_.count)) {
        for (auto& buffer : in_) buffer = slab.make_plane_buffer(planes_.count);
    }

    void post() {
        // The device may still copy from the buffer of the step before.
        now_ = (now_ + 1) % kBuffersIn;
        arriving_ =
            team_.start_receive(neighbour_, is_low_ ? Topic::planes_up : Topic::planes_down, in_[now_]->bytes());
        if (slab_.copy_out(is_low_ ? planes_.own_low() : planes_.own_high(), *out_))
            send();
        else
            is_copying_ = true;
    }
    /// Sends what the device has copied meanwhile.
    void send_copied() {
        if (!is_copying_) return;
        is_copying_ = false;
        slab_.await_copies_out();
        send();
    }
    /// What came from the neighbour shows that it is ready for what goes there.
    void take() {
        arriving_->wait();
        sent_->wait();
        slab_.copy_in(is_low_ ? planes_.beyond_low() : planes_.beyond_high(), *in_[now_]);
    }

private:
    void send() {
        sent_ = team_.start_send(neighbour_, is_low_ ? Topic::planes_down : Topic::planes_up, out_->bytes());
    }

    Team& team_;
    Wavefield& slab_;
    int neighbour_;
    bool is_low_;
    CutPlanes planes_;
    std::unique_ptr<PlaneBuffer> out_;
    std::array<std::unique_ptr<PlaneBuffer>, kBuffersIn> in_;
    std::size_t now_ = 0;
    std::unique_ptr<Transfer> arriving_, sent_;
    bool is_copying_ = false;
};

class TeamExchange final : public Exchange {
public:
    TeamExchange(Team& team, Wavefield& slab) : slab_(slab) {
        cuts_.reserve(2);
        if (team.rank() > 0) cuts_.emplace_back(team, slab, team.rank() - 1);
        if (team.rank() + 1 < team.size()) cuts_.emplace_back(team, slab, team.rank() + 1);
    }
    void post() override {
        for (Cut& cut : cuts_) cut.post();
    }
    void wait() override {
        for (Cut& cut : cuts_) cut.send_copied();
        for (Cut& cut : cuts_) cut.take();
        slab_.await_planes();
    }

private:
    Wavefield& slab_;
    std::vector<Cut> cuts_;
};

}  // namespace

std::unique_ptr<Exchange> make_team_exchange(Team& team, Wavefield& slab) {
    return std::make_unique<TeamExchange>(team, slab);
}

MakeExchange exchange_in(Team& team) {
    return [&team](const std::vector<Wavefield*>& here) { return make_team_exchange(team, *here.front()); };
}

std::int64_t team_exchange_bytes(const Problem& slab, std::int64_t shots, int cuts) {
    return cuts * (1 + kBuffersIn) * plane_buffer_bytes(slab, CutPlanes(slab).count, shots);
}

}  // namespace onda
