/// \file
/// The scheduler behind cuda_on_host.hpp: runs the threads of a block as fibres and keeps the copies that wait for
/// their moment.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <ucontext.h>
#include <vector>

#include "kernels/cuda/primitives.hpp"

namespace onda::cuda {

struct Copy16 {
    void* shared;
    const void* global;
};

struct BoxCopy {
    TensorMap map;  // by value: a kernel's parameters live on its fibre's stack
    std::int64_t x, y, z;
    unsigned char* shared;
    Barrier* barrier;
};

enum class Wait { nothing, syncthreads, barrier, finished };

/// Where a stack goes on.
struct StackPlace {
    ucontext_t context{};
    void* jump[5] = {};  ///< of __builtin_setjmp, once it was left
    bool was_left = false;
};

struct Stack {
    StackPlace place;
    std::unique_ptr<unsigned char[]> memory;
    void* fake_stack = nullptr;
};

struct Fibre {
    std::unique_ptr<Stack> stack;  ///< exchanged with that of another fibre where a thread follows one that has ended
    bool has_begun = false;
    dim3 thread;
    Wait wait = Wait::finished;
    const Barrier* barrier = nullptr;
    int parity = 0;
    std::vector<Copy16> copies;       ///< that wait, the oldest first
    std::vector<std::size_t> groups;  ///< how many copies there are up to the end of each group
};

struct Free {
    void operator()(unsigned char* memory) const { std::free(memory); }
};

/// Runs one block after another. One for the whole program: stacks are used again.
class Machine {
public:
    ~Machine();
    void run(const HostLaunch& launch, const std::function<void()>& thread);

    // What threads call.
    Fibre& self() { return *current_; }
    const HostLaunch& launch() const { return *launch_; }
    void wait(Wait reason);
    void syncthreads();
    [[noreturn]] void fail(const std::string& message) const;
    unsigned char* shared() const { return shared_.get(); }
    void check_inside(const void* address, std::int64_t bytes, const char* what) const;
    void start(const BoxCopy& copy);

private:
    static void enter();
    static std::unique_ptr<Stack> make_stack();
    void prepare(const dim3& block);
    void run_thread() const;
    void take_turns();
    bool pass();
    Fibre& in_turn(std::size_t turn);
    Fibre* next_in_turn();
    void make_current(Fibre& fibre);
    void arrive(void* fake_stack);
    void resume(Fibre& fibre);
    void suspend(bool for_ever);
    bool begin_next_here();
    void leave();
    void release();
    [[nodiscard]] bool can_go_on(const Fibre& fibre) const;
    [[nodiscard]] std::string deadlock() const;
    void cancel();
    void check_launch() const;

    const HostLaunch* launch_ = nullptr;
    const std::function<void()>* thread_ = nullptr;
    std::vector<Fibre> fibres_;
    std::size_t threads_ = 0;                // of this block
    std::size_t running_ = 0, waiting_ = 0;  // of them; of these, in __syncthreads
    std::unique_ptr<unsigned char, Free> shared_;
    std::vector<BoxCopy> pending_;
    Fibre* current_ = nullptr;
    std::size_t turn_ = 0;  // of the pass, that of current_
    bool from_scheduler_ = false;
    StackPlace scheduler_;
    void* scheduler_fake_stack_ = nullptr;
    const void* scheduler_stack_ = nullptr;
    std::size_t scheduler_stack_bytes_ = 0;
    std::string fault_;
    bool cancelling_ = false, ending_ = false;
};

inline Machine the_machine;
inline Machine& machine() {
    return the_machine;
}

// What the scheduler must know of barriers and copies.
inline int phase(const Barrier& b) {
    return b.bytes_left & 1;
}
void perform(const BoxCopy& copy);

}  // namespace onda::cuda
