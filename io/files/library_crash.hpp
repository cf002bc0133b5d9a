/// \file
/// Crashes of libraries that do not check their own allocations.
#pragma once

#include <cstddef>

namespace onda {

/// Lets a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) in the scope of a LibraryAtWork, or while
/// failed_new_unwinds(), remove the temporary files and end the program with the code out_of_memory and a message of
/// ours. All other crashes stay as they are: those of our own instructions too, such as a function that the library
/// calls back; and all under a sanitizer, which has its own words for them. For the beginning of a program, after
/// watch_signals().
void watch_crashes_of_libraries() noexcept;

/// For the program's new handler: operator new failed in this thread.
void note_failed_new() noexcept;
/// Whether an exception is under way in this thread in which operator new failed before: presumably for want of memory.
/// nlohmann-json's values, left half made by it, crash where they are destroyed; and noexcept functions of libstdc++
/// (std::filesystem::directory_iterator) end the program without telling what was thrown. A thread stays under this
/// presumption: what its operator new failed at may have been survived, and another exception be under way.
[[nodiscard]] bool failed_new_unwinds() noexcept;

/// A stretch in which this thread is in a library that crashes where it gets no memory, as HDF5 1.10 and fontconfig do.
/// Scopes may lie within each other. They have room for the handler of a stack that overflows, which is how an error
/// report without end stops.
class LibraryAtWork {
public:
    /// \param name of the library for the message; lives for ever.
    explicit LibraryAtWork(const char* name) noexcept;
    ~LibraryAtWork();
    LibraryAtWork(const LibraryAtWork&) = delete;
    LibraryAtWork& operator=(const LibraryAtWork&) = delete;

private:
    const char* outer_;
    void* stack_ = nullptr;  ///< for the handler, of the outermost scope
};

}  // namespace onda
