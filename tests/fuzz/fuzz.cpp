// What libFuzzer calls, and what lets it see processes that readers start: the branches that these take, and reports of
// sanitizers in them.
#include "tests/fuzz/fuzz.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <fstream>
#include <span>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

extern "C" {
// The counters of the branches, in a section of their own (LLVM, SanitizerCoverage: inline-8bit-counters).
extern char __start___sancov_cntrs, __stop___sancov_cntrs;
}

namespace onda::fuzz {
namespace {

/// Whether a report in a process that reads HDF5 is about code of Onda: memory of all processes.
bool* report_in_child = nullptr;
pid_t parent = 0;

void* shared_memory(void* address, std::size_t bytes) {
    const int fixed = address == nullptr ? 0 : MAP_FIXED;
    void* const memory = mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | fixed, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("cannot share memory with processes that read");
    return memory;
}

/// Lets the counters of child processes be those of this one, but for the ends of the section, which share pages with
/// other data.
void share_counters() {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = (reinterpret_cast<std::uintptr_t>(&__start___sancov_cntrs) + page - 1) / page * page,
               end = reinterpret_cast<std::uintptr_t>(&__stop___sancov_cntrs) / page * page;
    if (begin >= end) return;
    char* const counters = reinterpret_cast<char*>(begin);
    const std::string before(counters, end - begin);
    shared_memory(counters, before.size());
    std::memcpy(counters, before.data(), before.size());
}

/// Whether the HDF5 library is at work: that it fails on damaged files is why another process calls it.
bool is_within_hdf5() {
    std::array<void*, 64> frames{};
    const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
    for (void* const frame : std::span(frames).first(static_cast<std::size_t>(count))) {
        Dl_info library{};
        if (dladdr(frame, &library) != 0 && std::strstr(library.dli_fname, "libhdf5") != nullptr) return true;
    }
    return false;
}

void note_report() {
    if (report_in_child != nullptr && getpid() != parent && !is_within_hdf5()) *report_in_child = true;
}

struct Folder {
    std::filesystem::path path;
    Folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "onda-fuzz-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
        path = pattern;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
};

}  // namespace

const std::filesystem::path& folder() {
    static const Folder folder;
    return folder.path;
}

std::filesystem::path file_with(std::string_view bytes, std::string_view name) {
    std::filesystem::path file = folder() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) throw std::runtime_error("cannot write " + file.string());
    return file;
}

}  // namespace onda::fuzz

// Where memory ends, HDF5 gets null, as it does elsewhere, and goes on.
extern "C" const char* __asan_default_options() {
    return "allocator_may_return_null=1:detect_stack_use_after_return=0:strict_string_checks=1";
}
extern "C" void __asan_on_error() {
    onda::fuzz::note_report();
}
extern "C" void __ubsan_on_report() {
    onda::fuzz::note_report();
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    onda::fuzz::parent = getpid();
    static_cast<void>(onda::fuzz::is_within_hdf5());  // loads what backtrace() needs: a child may open no file
    onda::fuzz::report_in_child = static_cast<bool*>(onda::fuzz::shared_memory(nullptr, sizeof(bool)));
    onda::fuzz::share_counters();
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    onda::fuzz::read_input({reinterpret_cast<const char*>(data), size});
    if (*onda::fuzz::report_in_child) onda::fuzz::report_finding("a process that reads has failed: see above");
    return 0;
}
