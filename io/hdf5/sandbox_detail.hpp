/// \file
/// The life of a child and what its answers look like: shared by the sandbox*.cpp files only.
#pragma once

#include "io/hdf5/sandbox.hpp"

namespace onda::sandbox::detail {

/// The header before every answer. `code` is 0 or the ExitCode of an Error, whose message is the answer.
struct AnswerHeader {
    std::uint64_t code, bytes;
};

/// The child's ends of what connects it with its parent.
struct Ends {
    int requests;  ///< a socket that keeps messages apart
    int lifeline;  ///< a pipe whose other end is the parent's alone: hangs up when that is gone
};

/// The child's whole life, with every signal blocked at its beginning.
[[noreturn]] void live(Ends ends, Bytes window, const Serve& serve, const Limits& limits);

/// Forbids every system call but those that reading takes; does nothing where that cannot be done.
void filter_system_calls();

}  // namespace onda::sandbox::detail
