#include "kernels/slabs/slab_state.hpp"

#include <algorithm>

#include "kernels/plan/state_parts.hpp"

namespace onda {
namespace {

/// What one slab holds of a part of the state. Planes are those of the whole part.
struct StateShare {
    Wavefield* slab;
    StatePart part;            ///< as the slab gives it, ghosts included
    std::int64_t first_plane;  ///< the slab's plane 0 of it
    Slab own;                  ///< its planes that are no ghosts
};

/// Asks a visitor for the planes of a part once each, in order, although two slabs need those beside a cut.
class AskedOnce {
public:
    AskedOnce(const StatePart& part, const StateVisitor& fill) : part_(part), fill_(fill) {}

    /// \param plane that the next slab begins with: what comes from there on, it needs again.
    void keep_from(std::int64_t plane) { keep_from_ = plane; }
    void fill(std::int64_t first, std::span<std::byte> planes) {
        const std::int64_t bytes = plane_bytes(part_);
        const std::int64_t known = std::min((next_ - first) * bytes, std::ssize(planes));
        std::copy_n(kept_.begin() + (first - first_kept_) * bytes, known, planes.begin());
        if (const std::span<std::byte> others = planes.subspan(static_cast<std::size_t>(known)); !others.empty()) {
            fill_(part_, next_, others);
            kept_.insert(kept_.end(), others.begin(), others.end());
            next_ += std::ssize(others) / bytes;
        }
        forget_before(std::min(keep_from_, first + std::ssize(planes) / bytes));
    }

private:
    void forget_before(std::int64_t plane) {
        const std::int64_t count = std::clamp<std::int64_t>(plane - first_kept_, 0, next_ - first_kept_);
        kept_.erase(kept_.begin(), kept_.begin() + count * plane_bytes(part_));
        first_kept_ += count;
    }

    const StatePart& part_;
    const StateVisitor& fill_;
    std::vector<std::byte> kept_;  ///< of planes [first_kept_, next_)
    std::int64_t first_kept_ = 0, next_ = 0, keep_from_ = 0;
};

std::vector<StateShare> shares_of(const SlabMap& map, SlabWavefields slabs, const std::string& name) {
    std::vector<StateShare> shares;
    std::int64_t next = 0;
    for (std::size_t s = 0; s < slabs.size(); ++s)
        for (const StatePart& share : slabs[s]->state_parts()) {
            if (share.name != name) continue;
            const Slab own = map.own_planes(s, share);
            shares.push_back({slabs[s].get(), share, next - own.first_plane, {next, own.planes}});
            next += own.planes;
        }
    return shares;
}

class SlabStates final : public SavedStates {
public:
    explicit SlabStates(SlabWavefields slabs) {
        for (const auto& slab : slabs) slabs_.push_back(slab->make_saved_states());
    }
    void save(std::int64_t number) override {
        for (const auto& slab : slabs_) slab->save(number);
    }
    void restore(std::int64_t number) override {
        for (const auto& slab : slabs_) slab->restore(number);
    }
    void discard(std::int64_t number) override {
        for (const auto& slab : slabs_) slab->discard(number);
    }

private:
    std::vector<std::unique_ptr<SavedStates>> slabs_;
};

}  // namespace

// The first slab lacks what is inside z_max, and the last one what is inside z_min: sorted, their order is that of an
// uncut grid.
std::vector<StatePart> state_parts_of(const SlabMap& map, const Problem& whole, SlabWavefields slabs) {
    std::vector<StatePart> parts;
    for (std::size_t s = 0; s < slabs.size(); ++s)
        for (StatePart share : slabs[s]->state_parts()) {
            share.extents[2] = map.own_planes(s, share).planes;
            const auto part = std::ranges::find(parts, share.name, &StatePart::name);
            if (part == parts.end())
                parts.push_back(share);
            else
                part->extents[2] += share.extents[2];
        }
    std::ranges::stable_sort(parts, {}, [&whole](const StatePart& part) { return place_in_state(whole, part); });
    return parts;
}

std::unique_ptr<SavedStates> make_slab_states(SlabWavefields slabs) {
    return std::make_unique<SlabStates>(slabs);
}

void read_state_of(const SlabMap& map, SlabWavefields slabs, int shot, const StatePart& part,
                   const StateVisitor& take) {
    const std::int64_t bytes = plane_bytes(part);
    for (const StateShare& share : shares_of(map, slabs, part.name))
        share.slab->read_state(
            shot, share.part, [&](const StatePart&, std::int64_t first_plane, std::span<std::byte> planes) {
                const std::int64_t first = share.first_plane + first_plane, end = first + std::ssize(planes) / bytes;
                const std::int64_t own = std::max(first, share.own.first_plane);
                const std::int64_t count = std::min(end, share.own.first_plane + share.own.planes) - own;
                if (count > 0)
                    take(part, own,
                         planes.subspan(static_cast<std::size_t>((own - first) * bytes),
                                        static_cast<std::size_t>(count * bytes)));
            });
}

void write_state_of(const SlabMap& map, SlabWavefields slabs, int shot, const StatePart& part,
                    const StateVisitor& fill) {
    AskedOnce asked(part, fill);
    const std::vector<StateShare> shares = shares_of(map, slabs, part.name);
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const StateShare& share = shares[i];
        asked.keep_from(i + 1 < shares.size() ? shares[i + 1].first_plane : part.extents[2]);
        share.slab->write_state(shot, share.part,
                                [&](const StatePart&, std::int64_t first_plane, std::span<std::byte> planes) {
                                    asked.fill(share.first_plane + first_plane, planes);
                                });
    }
}

}  // namespace onda
