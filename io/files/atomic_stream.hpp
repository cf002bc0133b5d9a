/// \file
/// Long files that are written piece by piece under a temporary name.
#pragma once

#include <string>
#include <string_view>

#include "io/files/atomic_file.hpp"
#include "io/files/plain_file.hpp"

namespace onda {

/// The writer of an AtomicFile. Without finish() nothing is left of it.
class AtomicStream {
public:
    /// \param tried for messages, such as "cannot write it". \throws Error(cannot_create | io_error).
    AtomicStream(const std::filesystem::path& path, bool overwrite, std::string tried = "cannot write it");
    /// Appends bytes. \throws Error(io_error).
    void put(std::string_view bytes);
    /// The finished file, ready for its name. \throws Error(io_error).
    AtomicFile finish();

private:
    void flush();
    [[noreturn]] void fail(int error) const;

    AtomicFile target_;
    std::string tried_;
    Descriptor file_;
    std::string buffer_;
};

}  // namespace onda
