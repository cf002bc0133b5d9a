#include "solver/run/rank_talk.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "io/text/error.hpp"
#include "solver/plan/plan.hpp"
#include "solver/plan/slab_balance.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/planning/history.hpp"
#include "solver/ranks/remote_part.hpp"

namespace onda {
namespace {

/// Takes the slabs of the first rank. \param plan that all ranks have made, each by what it sees.
void take_slabs_of_first(Plan& plan, const Ranks& ranks) {
    Incoming of_first = ranks.from_first(Outgoing().put(plan.placement.slabs).put(plan.placement.ranks_per_grid));
    std::vector<Slab> slabs = of_first.get_all<Slab>();
    take_slabs(plan, std::move(slabs), of_first.get<int>());
}

/// Cuts the grid by what the ranks of the first group measure on their devices, each of its own.
void balance_over_ranks(Plan& plan, const Ranks& ranks) {
    Team& team = *ranks.team();
    if (team.rank() < plan.placement.ranks_per_grid) {
        std::vector<SlabCost> costs = measure_own_slabs(plan.setup, plan.placement);
        if (!team.leads()) team.send(0, Topic::agreement, Outgoing().put(costs).bytes());
        for (int member = 1; team.leads() && member < plan.placement.ranks_per_grid; ++member) {
            const auto others = Incoming(team.receive(member, Topic::agreement)).get_all<SlabCost>();
            costs.insert(costs.end(), others.begin(), others.end());
        }
        if (team.leads()) balance_slabs(plan.setup, plan.placement, costs);
    }
    take_slabs_of_first(plan, ranks);
}

/// The least of what all ranks say.
std::int64_t least_of_all(std::int64_t own, const Ranks& ranks) {
    Team& team = *ranks.team();
    if (!ranks.is_first()) team.send(0, Topic::agreement, Outgoing().put(own).bytes());
    for (int rank = 1; ranks.is_first() && rank < team.size(); ++rank)
        own = std::min(own, Incoming(team.receive(rank, Topic::agreement)).get<std::int64_t>());
    return ranks.from_first(Outgoing().put(own)).get<std::int64_t>();
}

}  // namespace

Plan agree_on_plan(const Ranks& ranks, const std::string& backend, const std::function<Plan(const RankPlace&)>& make) {
    RankPlace place = ranks.place_among_devices(devices_seen(backend));
    std::optional<Plan> own;
    ranks.all_or_none([&] {
        if (ranks.decides()) own = make(place);
    });
    if (ranks.team() != nullptr) {
        Outgoing choice;
        if (own) choice.put(own->placement.slabs).put(own->placement.ranks_per_grid);
        Incoming of_first = ranks.from_first(choice);
        place.slabs_of_first = of_first.get_all<Slab>();
        place.ranks_per_grid = of_first.get<int>();
        ranks.all_or_none([&] {
            if (!ranks.decides()) own = make(place);
        });
    }
    Plan plan = std::move(*own);
    if (!ranks.note().empty()) plan.placement.notes.push_back(ranks.note());
    if (plan.placement.ranks_per_grid == 1)
        balance_slabs(plan.config.backend, plan.setup, plan.placement);
    else if (wants_balance(plan.config.backend, plan.placement))
        balance_over_ranks(plan, ranks);
    return plan;
}

void agree_on_history(Plan& plan, const Ranks& ranks) {
    if (plan.placement.ranks_per_grid == 1 || !plan.imaging) return;
    HistoryPlan& history = plan.imaging->history;
    limit_history(plan, least_of_all(history.slots, ranks));
    history.checkpoints = least_of_all(history.checkpoints, ranks);
}

void check_same_run(const std::string& identity, const Ranks& ranks) {
    const std::string expected = ranks.from_first(Outgoing().put(identity)).get_text();
    ranks.all_or_none([&] {
        if (identity != expected)
            throw Error(ExitCode::config,
                        "it computes another run than the first rank does: configuration, model and Onda itself must "
                        "be the same on all hosts");
    });
}

bool first_finds(const Ranks& ranks, const std::function<bool()>& find) {
    const bool found = ranks.all_or_none([&] { return ranks.decides() && find(); });
    return ranks.from_first(Outgoing().put(found)).get<bool>();
}

GridRanks::GridRanks(const Plan& plan, const Ranks& ranks) {
    const int per_grid = plan.placement.ranks_per_grid, first = plan.placement.ranks.rank / per_grid * per_grid;
    if (per_grid == 1) return;
    leads_ = plan.placement.ranks.rank == first && first + per_grid <= plan.placement.ranks.size;
    if (first + per_grid <= plan.placement.ranks.size)
        team_.emplace(*ranks.team(), first, per_grid, plan.config.backend.exchange != "host");
}

void GridRanks::serve(const Plan& plan, Model model) {
    if (!team_) return;
    std::optional<Model> kept = std::move(model);
    serve_part(*team_, [&](const PartRequest& request) {
        const Plan of_part = plan_of_part(plan, request.part);
        auto medium =
            make_own_medium(of_part, request.slab, medium_readers(*kept, of_part.domain.computed, of_part.domain.part));
        if (!plan.domain.aperture) kept.reset();
        return medium;
    });
}

void GridRanks::dismiss() {
    if (team_) onda::dismiss(*team_);
}

template <typename Body>
void LeadingRanks::for_others(const Body& body) const {
    if (ranks_.team() == nullptr || !ranks_.is_first()) return;
    for (int other = per_grid_; other + per_grid_ <= ranks_.place().size; other += per_grid_) body(other);
}

void LeadingRanks::begin() const {
    for_others([&](int other) { ranks_.team()->send(other, Topic::agreement, {}); });
}

void LeadingRanks::wait_for_begin() const {
    if (!may_publish()) static_cast<void>(ranks_.team()->receive(0, Topic::agreement));
}

Computed LeadingRanks::end(Computed own) const {
    if (!may_publish()) ranks_.team()->send(0, Topic::agreement, Outgoing().put(own).bytes());
    for_others([&](int other) {
        const auto computed = Incoming(ranks_.team()->receive(other, Topic::agreement)).get<Computed>();
        own.nodes += computed.nodes;
        own.ran_out_of_time = own.ran_out_of_time || computed.ran_out_of_time;
        if (own.signal == 0) own.signal = computed.signal;
    });
    return own;
}

}  // namespace onda
