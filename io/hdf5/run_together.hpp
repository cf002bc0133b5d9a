/// \file
/// Work that threads share where the number of them is no promise.
#pragma once

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace onda {

/// Runs `work` on so many threads, the caller's among them, and returns when all are done. OpenMP ends the program
/// where the system gives it no more threads; here there are fewer. \param work shares items among its calls by itself,
/// and throws nothing.
template <typename Work>
void run_together(std::size_t threads, const Work& work) {
    std::vector<std::jthread> helpers(threads - 1);
    try {
        for (std::jthread& helper : helpers) helper = std::jthread(work);
    } catch (const std::system_error&) {  // EAGAIN: those that there are do it
    }
    work();
}

}  // namespace onda
