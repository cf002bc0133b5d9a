#include "solver/ranks/ranks.hpp"

#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <spdlog/fmt/fmt.h>
#include <system_error>
#include <utility>

#include "io/files/interruption.hpp"
#include "solver/program/failure.hpp"
#include "solver/ranks/launcher.hpp"
#include "solver/ranks/world.hpp"

namespace onda {
namespace {

/// Of this process, once it has joined.
struct Session {
    World* world = nullptr;
    int rank = 0, size = 1;
    bool all_know = false;  ///< that the run has failed
};
Session& session() {
    static Session session;
    return session;
}

/// The module beside the program, as it is built, or where it is installed.
void* open_module() {
    std::error_code unknown;
    const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
    for (const std::filesystem::path& place : std::array{folder, folder / "../lib/onda"})
        // Open MPI loads modules of its own, which look for its symbols among the global ones.
        if (void* const module = dlopen((place / kWorldModule).c_str(), RTLD_NOW | RTLD_GLOBAL)) return module;
    return nullptr;
}

World* join_world() {
    void* const module = open_module();
    if (module == nullptr) return nullptr;
    const auto join = reinterpret_cast<JoinWorld>(dlsym(module, kJoinWorld));
    return join == nullptr ? nullptr : join([] { throw_if_interrupted(); });
}

struct Verdict {
    bool failed = false;
    ExitCode code = ExitCode::ok;
};

}  // namespace

Ranks Ranks::join() {
    Ranks ranks;
    const std::optional<LaunchedRank> launched = launched_rank();
    if (!launched || launched->size == 1) return ranks;
    ranks.place_ = {launched->rank, launched->size, launched->local_rank, launched->local_size, false};
    notice_signals();
    World* const world = launched->may_connect ? join_world() : nullptr;
    if (world != nullptr && world->size() == launched->size) {
        ranks.team_ = world;
        ranks.place_ = {world->rank(), world->size(), world->local_rank(), world->local_size(), true};
        ranks.note_ = fmt::format("{} processes of {}, connected by MPI", launched->size, launched->launcher);
        session().world = world;
    } else {
        if (world != nullptr) world->leave();  // its MPI does not know this launcher
        ranks.note_ = fmt::format(
            "{} processes of {} that are not connected (this program or this machine has no MPI that understands the "
            "launcher): each computes shots of its own",
            launched->size, launched->launcher);
    }
    session().rank = ranks.place_.rank;
    session().size = ranks.place_.size;
    return ranks;
}

Incoming Ranks::from_first(const Outgoing& message) const {
    if (team_ == nullptr) return Incoming({message.bytes().begin(), message.bytes().end()});
    if (!is_first()) return Incoming(team_->receive(0, Topic::agreement));
    for (int rank = 1; rank < team_->size(); ++rank) team_->send(rank, Topic::agreement, message.bytes());
    return Incoming({message.bytes().begin(), message.bytes().end()});
}

void Ranks::agree(const std::exception_ptr& failure) const {
    const Failure own = failure ? describe_failure(failure) : Failure{ExitCode::ok, {}};
    if (team_ == nullptr) {
        if (failure) std::rethrow_exception(failure);
        return;
    }
    if (!is_first())
        team_->send(0, Topic::agreement, Outgoing().put(bool(failure)).put(own.code).put(own.message).bytes());
    Verdict verdict{bool(failure), own.code};
    std::string message;
    for (int rank = 1; is_first() && rank < team_->size(); ++rank) {
        Incoming outcome(team_->receive(rank, Topic::agreement));
        const bool failed = outcome.get<bool>();
        const auto code = outcome.get<ExitCode>();
        if (!failed || verdict.failed) continue;
        verdict = {true, code};
        message = fmt::format("rank {}: {}", rank, outcome.get_text());
    }
    verdict = from_first(Outgoing().put(verdict)).get<Verdict>();
    if (!verdict.failed) return;
    session().all_know = true;
    if (!is_first()) throw ToldByFirstRank{verdict.code};
    if (failure) std::rethrow_exception(failure);
    throw Error(verdict.code, message);
}

void leave_ranks(int exit_code) noexcept {
    World* const world = std::exchange(session().world, nullptr);
    if (world == nullptr) return;
    if (exit_code == 0 || session().all_know)
        world->leave();
    else
        world->abort(exit_code);
}

std::string rank_prefix() {
    return session().rank > 0 ? fmt::format("rank {}: ", session().rank) : std::string();
}

}  // namespace onda
