#include "cuda_on_host_machine.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/cpu/denormals.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define ONDA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ONDA_ASAN 1
#endif
#endif
#if defined(ONDA_ASAN)
#include <sanitizer/common_interface_defs.h>
#endif

namespace onda::cuda {
namespace {

// Touched only as far as it is used. Not a power of two: the stacks of a block, which take turns, would lie in the same
// sets of the caches, and every switch would miss them.
constexpr std::size_t kStackBytes = 512 * 1024 + 17 * 64 + 4096;
constexpr int kLargestGrid = 65535;

struct Cancelled {};  // unwinds the stack of a thread that will never go on

// AddressSanitizer must know on which stack we are, and follows no jumps between stacks but those of contexts. Without
// it the stacks are left and entered by jumps: swapcontext asks the system for the signal mask, which took more of the
// time than the kernels.
#if defined(ONDA_ASAN)
[[gnu::noinline]] void change_stack(StackPlace& from, StackPlace& to) {
    swapcontext(&from.context, &to.context);
}
// Contexts have their own rule for denormals each: that of a thread is set by itself.
using RuleOfThread = cpu::FlushDenormals<float>;
struct RuleOfLaunch {};
void before_switch(void** fake_stack, const void* stack, std::size_t bytes) {
    __sanitizer_start_switch_fiber(fake_stack, stack, bytes);
}
void after_switch(void* fake_stack, const void** stack, std::size_t* bytes) {
    __sanitizer_finish_switch_fiber(fake_stack, stack, bytes);
}
#else
[[gnu::noinline]] void go_to(StackPlace& place) {
    if (place.was_left) __builtin_longjmp(place.jump, 1);
    setcontext(&place.context);
}
[[gnu::noinline]] void change_stack(StackPlace& from, StackPlace& to) {
    from.was_left = true;
#if defined(__x86_64__)
    // A jump out of a function that was called leaves the processor's own stack of return addresses one call too deep,
    // and it mispredicts every return that follows. This one leaves from where the other stack was left. Frame pointer,
    // address and stack pointer are kept as __builtin_setjmp keeps them, since either may have left a stack.
    if (to.was_left) {
        void **from_jump = from.jump, **to_jump = to.jump;
        asm volatile(
            "leaq 1f(%%rip), %%rcx\n\t"
            "movq %%rbp, 0(%%rax)\n\t"
            "movq %%rcx, 8(%%rax)\n\t"
            "movq %%rsp, 16(%%rax)\n\t"
            "movq 0(%%rdx), %%rbp\n\t"
            "movq 16(%%rdx), %%rsp\n\t"
            "jmpq *8(%%rdx)\n"
            "1:"
            : "+a"(from_jump), "+d"(to_jump)
            :
            : "rbx", "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc");
        return;
    }
#endif
    if (__builtin_setjmp(from.jump) == 0) go_to(to);
}
// A jump takes the rule for denormals along: it is that of the launch, also where a stack is entered for the first
// time.
struct RuleOfThread {};
using RuleOfLaunch = cpu::FlushDenormals<float>;
void before_switch(void**, const void*, std::size_t) {}
void after_switch(void*, const void**, std::size_t*) {}
#endif

std::string triple(const dim3& i) {
    return "(" + std::to_string(i.x) + ", " + std::to_string(i.y) + ", " + std::to_string(i.z) + ")";
}

}  // namespace

Machine::~Machine() {
    ending_ = true;
    for (Fibre& fibre : fibres_) resume(fibre);
}

void Machine::fail(const std::string& message) const {
    throw DeviceFault("block " + triple(blockIdx) + ", thread " + triple(current_->thread) + ": " + message);
}

// The first and only call on a stack; one turn of the loop is one thread of a kernel.
void Machine::enter() {
    Machine& m = machine();
    m.arrive(nullptr);
    while (!m.ending_) {
        Fibre& self = *m.current_;
        try {
            if (!m.cancelling_) m.run_thread();
        } catch (const Cancelled&) {
        } catch (const std::exception& error) {
            m.fault_ = error.what();
        }
        self.wait = Wait::finished;
        m.leave();
        if (!m.begin_next_here()) m.suspend(false);
    }
    m.suspend(true);
}

void Machine::run_thread() const {
    std::optional<RuleOfThread> flush;
    if (launch_->flush_denormals) flush.emplace();
    (*thread_)();
}

Fibre& Machine::in_turn(std::size_t turn) {
    return fibres_[launch_->turns == Turns::forward ? turn : threads_ - 1 - turn];
}

// The thread after the current one in this pass, or null: then the scheduler decides.
Fibre* Machine::next_in_turn() {
    if (cancelling_ || ending_ || !fault_.empty()) return nullptr;
    while (++turn_ < threads_)
        if (can_go_on(in_turn(turn_))) return &in_turn(turn_);
    return nullptr;
}

void Machine::make_current(Fibre& fibre) {
    current_ = &fibre;
    fibre.has_begun = true;
    threadIdx = fibre.thread;
}

void Machine::arrive(void* fake_stack) {
    if (std::exchange(from_scheduler_, false))
        after_switch(fake_stack, &scheduler_stack_, &scheduler_stack_bytes_);
    else
        after_switch(fake_stack, nullptr, nullptr);
}

void Machine::resume(Fibre& fibre) {
    make_current(fibre);
    from_scheduler_ = true;
    before_switch(&scheduler_fake_stack_, fibre.stack->memory.get(), kStackBytes);
    change_stack(scheduler_, fibre.stack->place);
    after_switch(scheduler_fake_stack_, nullptr, nullptr);
}

// Goes on with the next thread, by way of the scheduler only where there is none: every switch of stacks costs as much
// as what a thread does between two barriers.
void Machine::suspend(bool for_ever) {
    Stack& self = *current_->stack;
    Fibre* const next = next_in_turn();
    if (next != nullptr) {
        make_current(*next);
        before_switch(&self.fake_stack, next->stack->memory.get(), kStackBytes);
        change_stack(self.place, next->stack->place);
    } else {
        before_switch(for_ever ? nullptr : &self.fake_stack, scheduler_stack_, scheduler_stack_bytes_);
        change_stack(self.place, scheduler_);
    }
    arrive(self.fake_stack);
}

// Where a thread has ended and the next one has not begun, that one takes over the stack: kernels without barriers
// never change it.
bool Machine::begin_next_here() {
    const std::size_t turn = turn_ + 1;
    if (cancelling_ || ending_ || !fault_.empty() || turn >= threads_) return false;
    Fibre& next = in_turn(turn);
    if (next.has_begun) return false;
    turn_ = turn;
    std::swap(current_->stack, next.stack);
    make_current(next);
    return true;
}

void Machine::wait(Wait reason) {
    if (cancelling_) throw Cancelled{};
    current_->wait = reason;
    suspend(false);
    if (cancelling_) throw Cancelled{};
}

void Machine::syncthreads() {
    ++waiting_;
    current_->wait = Wait::syncthreads;
    release();
    if (current_->wait != Wait::nothing || cancelling_) wait(Wait::syncthreads);
}

// The last thread to arrive releases the others; threads that have ended count as arrived, as on sm_70 and newer.
void Machine::release() {
    if (waiting_ < running_) return;
    waiting_ = 0;
    for (std::size_t i = 0; i < threads_; ++i)
        if (fibres_[i].wait == Wait::syncthreads) fibres_[i].wait = Wait::nothing;
}

void Machine::leave() {
    --running_;
    release();
    if (running_ == 0 && fault_.empty() && !pending_.empty())
        fault_ = "block " + triple(blockIdx) + " ended while a copy into its shared memory was under way";
}

bool Machine::can_go_on(const Fibre& fibre) const {
    return fibre.wait == Wait::nothing || (fibre.wait == Wait::barrier && phase(*fibre.barrier) != fibre.parity);
}

// Gives every thread that can go on one turn; false if none could.
bool Machine::pass() {
    bool any = false;
    for (turn_ = 0; turn_ < threads_ && fault_.empty(); ++turn_) {
        Fibre& fibre = in_turn(turn_);
        if (!can_go_on(fibre)) continue;
        any = true;
        resume(fibre);
    }
    return any;
}

void Machine::take_turns() {
    while (running_ > 0 && fault_.empty()) {
        if (pass()) continue;
        if (pending_.empty()) {
            fault_ = deadlock();
            break;
        }
        // Hardware promises no order among copies: the last first.
        const BoxCopy copy = pending_.back();
        pending_.pop_back();
        try {
            perform(copy);
        } catch (const DeviceFault& fault) {
            fault_ = fault.what();
        }
    }
    if (!fault_.empty()) cancel();
}

std::string Machine::deadlock() const {
    const auto waits = [](const Fibre& fibre) { return fibre.wait != Wait::finished; };
    const Fibre& fibre = *std::find_if(fibres_.begin(), fibres_.end(), waits);
    std::string where = "in __syncthreads";
    if (fibre.wait == Wait::barrier)
        where = "for parity " + std::to_string(fibre.parity) + " of the barrier at shared byte " +
                std::to_string(reinterpret_cast<const unsigned char*>(fibre.barrier) - shared()) + " (" +
                std::to_string(fibre.barrier->arrivals_left) + " arrivals and " +
                std::to_string(fibre.barrier->bytes_left >> 1) + " bytes missing)";
    return "deadlock: block " + triple(blockIdx) + ", thread " + triple(fibre.thread) + " waits " + where;
}

// Unwinds every thread that is still waiting.
void Machine::cancel() {
    cancelling_ = true;
    for (std::size_t i = 0; i < threads_; ++i)
        if (fibres_[i].wait != Wait::finished) resume(fibres_[i]);
    cancelling_ = false;
    pending_.clear();
}

std::unique_ptr<Stack> Machine::make_stack() {
    auto stack = std::make_unique<Stack>();
    stack->memory.reset(new unsigned char[kStackBytes]);
    ucontext_t& context = stack->place.context;
    getcontext(&context);
    context.uc_stack.ss_sp = stack->memory.get();
    context.uc_stack.ss_size = kStackBytes;
    makecontext(&context, enter, 0);
    context.uc_stack = {};  // or else AddressSanitizer clears the shadow of the whole stack at every switch
    return stack;
}

void Machine::prepare(const dim3& block) {
    blockIdx = block;
    while (fibres_.size() < threads_) {
        fibres_.emplace_back();
        fibres_.back().stack = make_stack();
    }
    running_ = threads_;
    waiting_ = 0;
    const dim3 n = launch_->block;
    dim3 thread{0, 0, 0};
    for (std::size_t i = 0; i < threads_; ++i) {
        Fibre& fibre = fibres_[i];
        fibre.thread = thread;
        if (++thread.x == n.x) thread = {0, thread.y + 1, thread.z};
        if (thread.y == n.y) thread = {0, 0, thread.z + 1};
        fibre.wait = Wait::nothing;
        fibre.has_begun = false;
        fibre.copies.clear();
        fibre.groups.clear();
    }
    std::memset(shared(), 0xFF, static_cast<std::size_t>(launch_->shared_bytes));
}

void Machine::check_launch() const {
    const dim3 grid = launch_->grid, block = launch_->block;
    const auto require = [](bool holds, const char* what) {
        if (!holds) throw DeviceFault(std::string("launch: ") + what);
    };
    require(grid.x > 0 && grid.y > 0 && grid.z > 0, "a grid needs blocks");
    require(grid.y <= kLargestGrid && grid.z <= kLargestGrid, "too many blocks along y or z");
    require(block.x * block.y * block.z > 0 && block.x * block.y * block.z <= 1024, "a block has 1 to 1024 threads");
    require(launch_->shared_bytes >= 0 && launch_->shared_bytes <= 227 * 1024, "a block has up to 227 KiB");
}

void Machine::run(const HostLaunch& launch, const std::function<void()>& thread) {
    launch_ = &launch;
    thread_ = &thread;
    check_launch();
    fault_.clear();
    gridDim = launch.grid;
    blockDim = launch.block;
    threads_ = std::size_t{launch.block.x} * launch.block.y * launch.block.z;
    // Exactly as large as asked for, so that AddressSanitizer notices what lies beyond.
    void* memory = nullptr;
    if (posix_memalign(&memory, 1024, static_cast<std::size_t>(std::max<std::int64_t>(launch.shared_bytes, 1))) != 0)
        throw std::bad_alloc();
    shared_.reset(static_cast<unsigned char*>(memory));
    std::optional<RuleOfLaunch> flush;
    if (launch.flush_denormals) flush.emplace();
    for (unsigned z = 0; z < launch.grid.z; ++z)
        for (unsigned y = 0; y < launch.grid.y; ++y)
            for (unsigned x = 0; x < launch.grid.x; ++x) {
                prepare({x, y, z});
                take_turns();
                if (!fault_.empty()) throw DeviceFault(fault_);
            }
}

void Machine::check_inside(const void* address, std::int64_t bytes, const char* what) const {
    const std::int64_t offset = static_cast<const unsigned char*>(address) - shared();
    if (offset < 0 || offset + bytes > launch_->shared_bytes)
        fail(std::string(what) + " is not inside the shared memory of the block");
}

void Machine::start(const BoxCopy& copy) {
    if (launch_->copies == Copies::early)
        perform(copy);
    else
        pending_.push_back(copy);
}

}  // namespace onda::cuda
