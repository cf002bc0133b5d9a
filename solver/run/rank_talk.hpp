/// \file
/// What the ranks of a run say to each other, from the plan to the end. Of a process that is alone all of it is said
/// to itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "solver/model/model.hpp"
#include "solver/ranks/rank_place.hpp"
#include "solver/ranks/ranks.hpp"
#include "solver/ranks/sub_team.hpp"

namespace onda {

struct Plan;

/// The plan that each rank makes, on the slabs that the first one has chosen, balanced by what the ranks of the first
/// group measure. \param backend the name of the device that the configuration asks for. \param make makes the plan of
/// a place among the ranks. \throws what Ranks::all_or_none() throws.
Plan agree_on_plan(const Ranks& ranks, const std::string& backend, const std::function<Plan(const RankPlace&)>& make);

/// Lets ranks that share grids keep as many levels and states of the forward field as the one with least memory.
void agree_on_history(Plan& plan, const Ranks& ranks);

/// \throws Error(config), on the first rank, if another rank computes another run.
void check_same_run(const std::string& identity, const Ranks& ranks);

/// What the first rank finds, on all of them. \throws what Ranks::all_or_none() throws.
bool first_finds(const Ranks& ranks, const std::function<bool()>& find);

/// The ranks that compute one grid, this one among them: it alone where the grid is whole.
class GridRanks {
public:
    GridRanks(const Plan& plan, const Ranks& ranks);

    /// Whether this one draws shots from the queue. Others serve().
    [[nodiscard]] bool leads() const { return leads_; }
    /// The team of ranks that compute this grid; null where the rank is alone.
    [[nodiscard]] Team* team() { return team_ ? &*team_ : nullptr; }
    /// Computes slabs of grids whose other slabs other ranks have, for as long as the one that leads needs them; of
    /// ranks that are too few for another grid, nothing. \param model goes when its medium has been made, unless each
    /// shot has a part of its own.
    void serve(const Plan& plan, Model model);
    /// Ends serve() of the ranks that this one leads.
    void dismiss();

private:
    std::optional<SubTeam> team_;
    bool leads_ = true;
};

/// What a rank has done of a run.
struct Computed {
    std::int64_t nodes = 0;
    bool ran_out_of_time = false;
    int signal = 0;  ///< that it was sent; 0: none
};

/// What the ranks of a run that lead workers tell each other, of which the first one begins and ends the survey.
class LeadingRanks {
public:
    LeadingRanks(const Ranks& ranks, int ranks_per_grid) : ranks_(ranks), per_grid_(ranks_per_grid) {}

    /// Lets the other ranks join the survey that the first one has begun.
    void begin() const;
    void wait_for_begin() const;
    /// Returns, on the first one, when all have computed what they could. \param own what this one has.
    /// \returns that of all, on the first one.
    [[nodiscard]] Computed end(Computed own) const;
    [[nodiscard]] bool are_connected() const { return ranks_.team() != nullptr; }
    /// Whether this process may publish the survey.
    [[nodiscard]] bool may_publish() const { return ranks_.decides(); }

private:
    template <typename Body>
    void for_others(const Body& body) const;

    const Ranks& ranks_;
    int per_grid_;
};

}  // namespace onda
