// The module that connects processes by MPI (solver/ranks/world.hpp). Device memory never comes here: the MPI libraries
// of Debian and Ubuntu know none.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <algorithm>
#include <chrono>
#include <mpi.h>
#include <sched.h>
#include <thread>

#include "solver/ranks/world.hpp"

namespace onda {
namespace {

/// MPI counts in int.
constexpr std::size_t kPiece = std::size_t{1} << 30;

/// Waits for a request without blocking inside MPI, which would keep a core busy and notice no signal: others that
/// share the core come first, and after a while it sleeps.
void wait_for(MPI_Request& request, WhileWaiting while_waiting) {
    constexpr auto patience = std::chrono::milliseconds(5);
    constexpr auto nap = std::chrono::microseconds(50);
    const auto start = std::chrono::steady_clock::now();
    int done = 0;
    for (int tests = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0; ++tests) {
        if (tests % 64 != 63) continue;
        sched_yield();
        if (std::chrono::steady_clock::now() - start < patience) continue;
        while_waiting();
        std::this_thread::sleep_for(nap);
    }
}

class MpiTransfer final : public Transfer {
public:
    MpiTransfer(MPI_Request request, WhileWaiting while_waiting) : request_(request), while_waiting_(while_waiting) {}
    void wait() override { wait_for(request_, while_waiting_); }

private:
    MPI_Request request_;
    WhileWaiting while_waiting_;
};

class MpiWorld final : public World {
public:
    explicit MpiWorld(WhileWaiting while_waiting) : while_waiting_(while_waiting) {
        MPI_Comm_dup(MPI_COMM_WORLD, &all_);
        MPI_Comm_rank(all_, &rank_);
        MPI_Comm_size(all_, &size_);
        MPI_Comm host = MPI_COMM_NULL;
        MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host);
        MPI_Comm_rank(host, &local_rank_);
        MPI_Comm_size(host, &local_size_);
        MPI_Comm_free(&host);
    }
    int rank() const override { return rank_; }
    int size() const override { return size_; }
    int local_rank() const override { return local_rank_; }
    int local_size() const override { return local_size_; }

    // The length goes first, then pieces of the message. No call begins once a signal has been noticed: messages that
    // were under way then have lost their bytes.
    void send(int to, Topic topic, std::span<const std::byte> bytes) override {
        while_waiting_();
        const auto length = static_cast<unsigned long long>(bytes.size());
        wait_for_sent(&length, 1, MPI_UNSIGNED_LONG_LONG, to, topic);
        for (std::size_t at = 0; at < bytes.size(); at += kPiece)
            wait_for_sent(bytes.data() + at, static_cast<int>(std::min(kPiece, bytes.size() - at)), MPI_BYTE, to,
                          topic);
    }
    std::vector<std::byte> receive(int from, Topic topic) override {
        while_waiting_();
        unsigned long long length = 0;
        wait_for_received(&length, 1, MPI_UNSIGNED_LONG_LONG, from, topic);
        std::vector<std::byte> bytes(static_cast<std::size_t>(length));
        for (std::size_t at = 0; at < bytes.size(); at += kPiece)
            wait_for_received(bytes.data() + at, static_cast<int>(std::min(kPiece, bytes.size() - at)), MPI_BYTE, from,
                              topic);
        return bytes;
    }
    std::unique_ptr<Transfer> start_send(int to, Topic topic, std::span<const std::byte> bytes) override {
        while_waiting_();
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(bytes.data(), floats_in(bytes.size()), MPI_FLOAT, to, static_cast<int>(topic), all_, &request);
        return std::make_unique<MpiTransfer>(request, while_waiting_);
    }
    std::unique_ptr<Transfer> start_receive(int from, Topic topic, std::span<std::byte> bytes) override {
        while_waiting_();
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(bytes.data(), floats_in(bytes.size()), MPI_FLOAT, from, static_cast<int>(topic), all_, &request);
        return std::make_unique<MpiTransfer>(request, while_waiting_);
    }

    void leave() override { MPI_Finalize(); }
    void abort(int exit_code) override { MPI_Abort(MPI_COMM_WORLD, exit_code); }

private:
    /// Planes may have more bytes than int counts; they consist of floats or doubles.
    static int floats_in(std::size_t bytes) { return static_cast<int>(bytes / sizeof(float)); }
    void wait_for_sent(const void* data, int count, MPI_Datatype type, int to, Topic topic) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(data, count, type, to, static_cast<int>(topic), all_, &request);
        wait_for(request, while_waiting_);
    }
    void wait_for_received(void* data, int count, MPI_Datatype type, int from, Topic topic) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(data, count, type, from, static_cast<int>(topic), all_, &request);
        wait_for(request, while_waiting_);
    }

    WhileWaiting while_waiting_;
    MPI_Comm all_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1;
};

}  // namespace
}  // namespace onda

/// The function of the module that is looked up by the name kJoinWorld (solver/ranks/world.hpp).
extern "C" onda::World* onda_join_world(onda::WhileWaiting while_waiting) {
    int is_there = 0, provided = 0;
    MPI_Initialized(&is_there);
    if (is_there == 0 && MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return nullptr;
    static onda::MpiWorld world(while_waiting);
    return &world;
}
