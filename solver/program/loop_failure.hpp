/// \file
/// Exceptions out of parallel loops: OpenMP lets none pass, and one that tries ends the program.
#pragma once

#include <atomic>
#include <exception>

namespace onda {

/// Keeps the first exception of a parallel loop, for the thread that began it to throw.
class LoopFailure {
public:
    /// Runs `body`, unless an iteration failed before.
    template <typename Body>
    void guard(Body&& body) noexcept {
        if (failed_.load(std::memory_order_relaxed)) return;
        try {
            body();
        } catch (...) {
            if (!failed_.exchange(true)) first_ = std::current_exception();
        }
    }
    /// Throws the exception that was kept, if there is one: for after the loop.
    void rethrow() const {
        if (first_) std::rethrow_exception(first_);
    }

private:
    std::atomic<bool> failed_{false};
    std::exception_ptr first_;
};

}  // namespace onda
