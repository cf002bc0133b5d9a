#include "solver/ranks/ranks.hpp"

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
#include "solver/ranks/world.hpp"

namespace onda {
namespace {

/// Of this process, once it has joined.
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
    return join == nullptr ? nullptr : join([] { throw_if_interrupted(); });
}

/// What ranks of a host may have in common: "host", its processors "0-15", what CUDA may see "0,1".
struct Surroundings {
    std::string host, processors, devices;
};

Surroundings surroundings() {
    utsname names{};
    uname(&names);
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    Surroundings here{names.nodename, {}, {}};
    for (int processor = 0; processor < CPU_SETSIZE; ++processor)
        here.processors += CPU_ISSET(processor, &allowed) ? '1' : '0';
    if (const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES")) here.devices = visible;
    return here;
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
                    .same_processors = is_bound() ? 1 : launched->local_size,
                    .shares_devices = !has_devices_of_its_own()};
    notice_signals();
    World* const world = launched->may_connect ? join_world() : nullptr;
    if (world != nullptr && world->size() == launched->size) {
        ranks.team_ = world;
        ranks.place_.rank = world->rank();
        ranks.place_.local_rank = world->local_rank();
        ranks.place_.local_size = world->local_size();
        ranks.place_.is_connected = true;
        ranks.compare_places();
        ranks.note_ = fmt::format("{} processes of {}, connected by MPI", launched->size, launched->launcher);
        session().world = world;
        session().is_connected = true;
    } else {
        if (world != nullptr) world->leave();  // its MPI does not know this launcher
        ranks.note_ = fmt::format(
            "{} processes of {} that are not connected (this program or this machine has no MPI that understands the "
            "launcher): each computes shots of its own",
            launched->size, launched->launcher);
    }
    session().rank = ranks.place_.rank;
    return ranks;
}

/// Finds out what this one shares with others of its host.
void Ranks::compare_places() {
    const Surroundings here = surroundings();
    Outgoing all;
    if (!is_first())
        team_->send(0, Topic::agreement, Outgoing().put(here.host).put(here.processors).put(here.devices).bytes());
    all.put(here.host).put(here.processors).put(here.devices);
    for (int rank = 1; is_first() && rank < place_.size; ++rank) {
        Incoming other(team_->receive(rank, Topic::agreement));
        for (int i = 0; i < 3; ++i) all.put(other.get_text());
    }
    Incoming everyone = from_first(all);
    place_.same_processors = 0;
    for (int rank = 0; rank < place_.size; ++rank) {
        const std::string host = everyone.get_text(), processors = everyone.get_text(), devices = everyone.get_text();
        if (host != here.host) continue;
        place_.same_processors += processors == here.processors ? 1 : 0;
        place_.shares_devices = place_.shares_devices && devices == here.devices;
    }
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

void leave_ranks(int exit_code) noexcept {
    World* const world = std::exchange(session().world, nullptr);
    if (world == nullptr) return;
    if (exit_code == 0 || session().all_know)
        world->leave();
    else
        world->abort(exit_code);
}

bool is_told_by_first_rank() {
    return session().is_connected && session().rank > 0;
}

std::string rank_prefix() {
    return session().rank > 0 ? fmt::format("rank {}: ", session().rank) : std::string();
}

}  // namespace onda
