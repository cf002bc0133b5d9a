// A library to preload: all of the program and its libraries is in memory from the start. What of them the system maps
// otherwise depends on what has run, on the page cache and on the sizes of its pages, and differs by megabytes.
//   ONDA_RESIDENT_FILES  a file that the bytes of them in memory (RssFile) are written to when the process ends by
//   exit()
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <sys/mman.h>

#ifndef MADV_POPULATE_READ  // Linux 5.14
#define MADV_POPULATE_READ 22
#endif

namespace {

/// Nothing where not all could be mapped. Static objects are made after map_everything() and gone before
/// tell_resident().
char* result = nullptr;

__attribute__((constructor)) void map_everything() {
    const char* wanted = getenv("ONDA_RESIDENT_FILES");
    char* file = wanted == nullptr ? nullptr : strdup(wanted);
    // Not for programs that this one starts.
    unsetenv("ONDA_RESIDENT_FILES");
    unsetenv("LD_PRELOAD");
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        char *dash = nullptr, *end = nullptr;
        const unsigned long first = std::strtoul(line.c_str(), &dash, 16), last = std::strtoul(dash + 1, &end, 16);
        if (line.find('/') == std::string::npos || end[1] != 'r') continue;
        // Not every system can.
        if (madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_READ) != 0) return;
    }
    result = file;
}

__attribute__((destructor)) void tell_resident() {
    if (result == nullptr) return;
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("RssFile:")) std::ofstream(result) << std::stoll(line.substr(8)) * 1024 << '\n';
}

}  // namespace
