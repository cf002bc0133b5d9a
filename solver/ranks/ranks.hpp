/// \file
/// The processes of one run: who this one is, what they agree on, and how they end.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/text/error.hpp"
#include "solver/ranks/message.hpp"
#include "solver/ranks/rank_place.hpp"
#include "solver/ranks/team.hpp"

namespace onda {

/// Ends a process quietly, with this code: the first rank tells why.
struct ToldByFirstRank {
    ExitCode code = ExitCode::internal;
};

/// This process among those that a launcher has started; alone where none has.
///
/// Connected by MPI, ranks agree before they begin, can share a grid, and end together. A program without MPI, or where
/// it is not installed, computes shots beside the others as processes do that were started by hand, through the table
/// of shots in the folder of the run.
class Ranks {
public:
    /// A process that is alone.
    Ranks() = default;
    /// Joins the others that the launcher has started. They leave in leave_ranks(). \throws Error(usage) as
    /// launched_rank() does.
    static Ranks join();

    [[nodiscard]] const RankPlace& place() const { return place_; }
    /// The place of this rank, counted among those that see the same devices. Collective. \param seen what
    /// devices_seen() says here.
    [[nodiscard]] RankPlace place_among_devices(const std::string& seen) const;
    [[nodiscard]] bool is_first() const { return place_.rank == 0; }
    /// Whether this one decides, for all that are connected: those that are not decide for themselves.
    [[nodiscard]] bool decides() const { return is_first() || team_ == nullptr; }
    /// The team of all ranks; null if they are not connected.
    [[nodiscard]] Team* team() const { return team_; }
    /// What there is to say about how they were started; empty for one that is alone.
    [[nodiscard]] const std::string& note() const { return note_; }

    /// Does the same work everywhere. \throws what it threw here, if this is the first rank or they are not connected;
    /// on the first rank, Error with the number of a rank where it failed; on others ToldByFirstRank if it failed
    /// anywhere.
    template <typename Work>
    auto all_or_none(const Work& work) const {
        if constexpr (std::is_void_v<decltype(work())>) {
            all_or_none([&] {
                work();
                return true;
            });
        } else {
            std::optional<decltype(work())> result;
            std::exception_ptr failure;
            try {
                result.emplace(work());
            } catch (const Error&) {
                failure = std::current_exception();
            }
            agree(failure);
            return std::move(*result);
        }
    }
    /// What the first rank wrote, on all of them. \param message is sent by the first rank alone.
    [[nodiscard]] Incoming from_first(const Outgoing& message) const;
    /// Lets this one end with an error that the others need not be ended for: they are at their ends too.
    void end_together() const;

private:
    void agree(const std::exception_ptr& failure) const;
    void compare_processors();
    /// What each of the connected ranks says.
    [[nodiscard]] std::vector<std::string> hear_all(const std::string& own) const;

    RankPlace place_;
    Team* team_ = nullptr;
    std::string note_;
};

/// Where one stands among those that say the same.
struct Peers {
    int rank = 0, size = 0;
};
/// \param said by each rank.
Peers peers_of(const std::vector<std::string>& said, int rank);

/// The last that a process does among others, if it is: ends them after a failure that they do not know of; waits for
/// them otherwise.
void leave_ranks(int exit_code) noexcept;
/// Whether another one tells what ends this one: the first of connected ranks.
bool is_told_by_first_rank();
/// "rank 3: " of ranks beside the first, for messages.
std::string rank_prefix();

}  // namespace onda
