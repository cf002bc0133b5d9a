#include "solver/ranks/ranks.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <omp.h>
#include <sched.h>
#include <spdlog/fmt/fmt.h>
#include <sys/utsname.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "io/files/interruption.hpp"
#include "solver/program/failure.hpp"
#include "solver/ranks/launcher.hpp"
#include "solver/ranks/signs_of_life.hpp"
#include "solver/ranks/world.hpp"

namespace onda {
namespace {

/// The state of this process as a rank, once it has joined.
struct Session {
    World* world = nullptr;
    int rank = 0;
    bool is_connected = false;
    bool all_know = false;  ///< that the run has failed, or are at their ends
};
Session& session() {
    static Session session;
    return session;
}

/// Whether this process may use some of the processors only: its launcher has shared them out.
bool is_bound() {
    return omp_get_num_procs() < sysconf(_SC_NPROCESSORS_ONLN);
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
    return join == nullptr ? nullptr : join([] {
        throw_if_interrupted();
        throw_if_one_is_silent();
    });
}

/// The processors that this process may use, as a text that is the same in all processes that may use the same ones.
std::string processors_allowed() {
    utsname names{};
    uname(&names);
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    std::string processors = std::string(names.nodename) + " ";
    for (int processor = 0; processor < CPU_SETSIZE; ++processor)
        processors += CPU_ISSET(processor, &allowed) ? '1' : '0';
    return processors;
}

/// Slurm binds the GPUs of each task to it where they are asked for by task.
bool has_devices_of_its_own() {
    return std::getenv("SLURM_GPUS_PER_TASK") != nullptr || std::getenv("SLURM_TRES_PER_TASK") != nullptr;
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
    ranks.place_ = {.rank = launched->rank,
                    .size = launched->size,
                    .local_rank = launched->local_rank,
                    .local_size = launched->local_size,
                    .same_processors = is_bound() ? 1 : launched->local_size};
    notice_signals();
    World* const world = launched->may_connect ? join_world() : nullptr;
    if (world != nullptr && world->size() == launched->size) {
        ranks.team_ = world;
        ranks.place_.rank = world->rank();
        ranks.place_.local_rank = world->local_rank();
        ranks.place_.local_size = world->local_size();
        ranks.place_.is_connected = true;
        ranks.compare_processors();
        ranks.note_ = fmt::format("{} processes of {}, connected by MPI", launched->size, launched->launcher);
        session().world = world;
        session().is_connected = true;
    } else {
        if (world != nullptr) world->leave();  // its MPI does not know this launcher
        if (!has_devices_of_its_own()) {
            ranks.place_.device_rank = launched->local_rank;
            ranks.place_.same_devices = launched->local_size;
        }
        ranks.note_ = fmt::format(
            "{} processes of {} that are not connected (this program or this machine has no MPI that understands the "
            "launcher): each computes shots of its own",
            launched->size, launched->launcher);
    }
    session().rank = ranks.place_.rank;
    return ranks;
}

std::vector<std::string> Ranks::hear_all(const std::string& own) const {
    if (!is_first()) team_->send(0, Topic::agreement, Outgoing().put(own).bytes());
    Outgoing all;
    all.put(own);
    for (int rank = 1; is_first() && rank < place_.size; ++rank)
        all.put(Incoming(team_->receive(rank, Topic::agreement)).get_text());
    Incoming everyone = from_first(all);
    std::vector<std::string> said;
    for (int rank = 0; rank < place_.size; ++rank) said.push_back(everyone.get_text());
    return said;
}

void Ranks::compare_processors() {
    place_.same_processors = peers_of(hear_all(processors_allowed()), place_.rank).size;
}

RankPlace Ranks::place_among_devices(const std::string& seen) const {
    RankPlace place = place_;
    if (team_ == nullptr) return place;
    const Peers peers = peers_of(hear_all(seen), place.rank);
    if (seen.empty()) return place;
    place.device_rank = peers.rank;
    place.same_devices = peers.size;
    return place;
}

void Ranks::end_together() const {
    session().all_know = true;
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

Peers peers_of(const std::vector<std::string>& said, int rank) {
    const auto own = said.begin() + rank;
    return {static_cast<int>(std::count(said.begin(), own, *own)),
            static_cast<int>(std::count(said.begin(), said.end(), *own))};
}

void leave_ranks(int exit_code) noexcept {
    World* const world = std::exchange(session().world, nullptr);
    if (world == nullptr) return;
    if (exit_code == 0 || session().all_know)
        world->leave();
    else
        world->abort(exit_code);
}

bool is_told_by_first_rank() {
    return session().is_connected && session().rank > 0 && silent_rank() != 0;
}

std::string rank_prefix() {
    return session().rank > 0 ? fmt::format("rank {}: ", session().rank) : std::string();
}

}  // namespace onda
