/// \file
/// Work on bytes that nobody can vouch for, done by a child process: whatever they make a library do (crash, loop,
/// allocate without end, be taken over), the program gets an error. fork() without exec: the same for the program, the
/// tests and whoever links the library.
///
/// The child has no files but its own, no terminal, a limit of memory, and where libseccomp and the kernel allow it a
/// list of system calls: it reads files, it does not write, connect, start or signal anything. It dies with its parent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace onda::sandbox {

/// The limits of what a child may take.
struct Limits {
    /// Address space beyond what the process has at the fork. The greediest file that is read has chunks of 1 GiB (the
    /// most that hdf5.hpp accepts): such a chunk as stored, zlib's buffer that doubles until it holds it (up to 2 GiB),
    /// and the chunk before it, kept in HDF5's cache.
    std::int64_t memory_bytes = std::int64_t{4} << 30;
    /// CPU time of one request, and how many bytes of file must be dealt with in each further second: a twentieth of
    /// what zlib and two checksums reach on a slow core. Time that is spent waiting for a disk does not count.
    double cpu_seconds = 5., bytes_per_cpu_second = 5e6;
    std::size_t window_bytes = std::size_t{32} << 20;  ///< the largest answer
};

using Bytes = std::span<std::byte>;
using ConstBytes = std::span<const std::byte>;

/// The work of a child: answers `request` by filling the beginning of `window`, returns how many bytes it filled. An
/// Error that it throws travels to whoever asked. May keep state from one request to the next.
using Serve = std::function<std::size_t(ConstBytes request, Bytes window)>;

/// A child process that answers requests, one at a time. Several threads may ask. Ends with the object.
class Child {
public:
    static constexpr std::size_t most_request_bytes = 4096;

    /// \param subject the file that is read, for messages; \param worker what reads it ("HDF5").
    /// \throws Error(out_of_memory) if no process can be started.
    Child(std::string subject, std::string worker, Serve serve, const Limits& limits = {});
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// Waits for the answer and hands it to `take`, which must copy before it checks: the child can still write there.
    /// \param file_bytes that the child must deal with for it: more CPU time is given for more of them.
    /// \throws Error as the child threw it; Error(bad_data) if it crashed, took too much, or answered nonsense, now and
    /// for every later request; Error(out_of_memory) if somebody else killed it.
    void ask(ConstBytes request, double file_bytes, const std::function<void(ConstBytes answer)>& take);

    /// Whether it has neither crashed nor been ended.
    [[nodiscard]] bool lives() const;
    /// Names another file that it reads from now on. Nobody asks meanwhile.
    void set_subject(std::string subject);

    [[nodiscard]] std::size_t window_bytes() const;
    [[nodiscard]] int process_id() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Lets the system find the pages of a part of a window before the first write to it, which would end the process with
/// SIGBUS where it finds none: no damage of a file. Without effect where the kernel cannot (Linux before 5.14).
/// \throws Error(internal) if there are none.
void provide_pages(Bytes part);

/// Whether system calls are filtered as well, if the kernel agrees.
bool has_filter();

}  // namespace onda::sandbox
