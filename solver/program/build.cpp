#include "solver/program/build.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <dirent.h>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sched.h>
#include <spdlog/fmt/fmt.h>
#include <spdlog/version.h>
#include <string_view>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <xxhash.h>

#include "build_info.hpp"
#include "io/hdf5/versions.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

/// The rest of the first line of `file` that begins with `key`, without the colon and blanks around it.
std::string value_of(const char* file, const std::string& key) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        if (line.compare(0, key.size(), key) != 0) continue;
        const auto begin = line.find_first_not_of(" \t:", key.size());
        return begin == std::string::npos ? std::string() : line.substr(begin);
    }
    return {};
}

std::optional<std::int64_t> leading_integer(const std::string& text) {
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc()) return std::nullopt;
    return value;
}

/// A "NNN kB" entry of a file under /proc, in bytes.
std::optional<std::int64_t> kilobytes_entry(const char* file, const std::string& key) {
    const auto value = leading_integer(value_of(file, key));
    return value ? std::optional(*value * 1024) : std::nullopt;
}

/// What the memory limit of this process's control group (version 2) leaves; nothing where there is no limit.
std::optional<std::int64_t> control_group_room() {
    const auto read = [](const std::string& path) { return leading_integer(value_of(path.c_str(), "")); };
    const std::string group = value_of("/proc/self/cgroup", "0::");
    const std::string folder = "/sys/fs/cgroup" + (group == "/" ? std::string() : group);
    const auto limit = read(folder + "/memory.max");
    if (!limit) return std::nullopt;
    return std::max<std::int64_t>(0, *limit - read(folder + "/memory.current").value_or(0));
}

std::string distribution() {
    std::string name = value_of("/etc/os-release", "PRETTY_NAME=");
    std::erase(name, '"');
    return name;
}

int count_numa_nodes() {
    // std::filesystem::directory_iterator ends the program where it finds no memory for the next entry.
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/sys/devices/system/node"), closedir);
    int nodes = 0;
    while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
        const std::string_view name = entry->d_name;
        if (name.starts_with("node") && leading_integer(std::string(name.substr(4)))) ++nodes;
    }
    return std::max(1, nodes);
}

}  // namespace

const Build& build() {
    static const Build info{ONDA_VERSION, ONDA_GIT_COMMIT, ONDA_COMPILER, ONDA_BUILD_TYPE, ONDA_FLAGS};
    return info;
}

std::string version_line() {
    const Build& b = build();
    return fmt::format("onda {} ({}, {}, {})", b.version, b.git_commit, b.compiler, b.build_type);
}

std::vector<std::pair<std::string, std::string>> library_versions() {
    auto versions = io_library_versions();
    versions.emplace_back("dygraphs", ONDA_DYGRAPHS_VERSION);
    versions.emplace_back("kissfft", ONDA_KISSFFT_VERSION);
    versions.emplace_back("fmt",
                          fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100));
    versions.emplace_back("nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                                       NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH));
    versions.emplace_back("spdlog", fmt::format("{}.{}.{}", SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH));
    const unsigned xxhash = XXH_versionNumber();
    versions.emplace_back("xxhash", fmt::format("{}.{}.{}", xxhash / 10000, xxhash / 100 % 100, xxhash % 100));
    std::sort(versions.begin(), versions.end());
    return versions;
}

Host host() {
    Host result;
    utsname names{};
    if (uname(&names) == 0) {
        result.name = names.nodename;
        result.system = std::string(names.sysname) + " " + names.release + " " + names.machine;
    }
    if (const std::string name = distribution(); !name.empty()) result.system = name + ", " + result.system;
    result.cpu = value_of("/proc/cpuinfo", "model name");
    if (result.cpu.empty()) result.cpu = names.machine;
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) result.processors = std::max(1, CPU_COUNT(&allowed));
    result.numa_nodes = count_numa_nodes();
    result.memory_bytes = kilobytes_entry("/proc/meminfo", "MemTotal").value_or(0);
    return result;
}

std::int64_t available_memory_bytes() {
    std::int64_t room =
        kilobytes_entry("/proc/meminfo", "MemAvailable").value_or(std::numeric_limits<std::int64_t>::max());
    if (const auto group = control_group_room()) room = std::min(room, *group);
    rlimit address_space{};
    if (getrlimit(RLIMIT_AS, &address_space) == 0 && address_space.rlim_cur != RLIM_INFINITY) {
        const auto used = kilobytes_entry("/proc/self/status", "VmSize").value_or(0);
        room = std::min(room, std::max<std::int64_t>(0, static_cast<std::int64_t>(address_space.rlim_cur) - used));
    }
    return room;
}

std::int64_t peak_memory_bytes() {
    return kilobytes_entry("/proc/self/status", "VmHWM").value_or(0);
}

namespace {
/// As bash, zsh and ksh quote what cannot be shown.
std::string dollar_quoted(const std::string& argument) {
    std::string escaped;
    for (const char c : argument) escaped += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
    return "$'" + printable_whole(escaped) + "'";
}
}  // namespace

std::string command_line() {
    constexpr const char* kSpecial = " \t\n'\"\\$`*?[](){}<>|&;#!~";
    std::ifstream in("/proc/self/cmdline", std::ios::binary);
    std::string line;
    for (std::string argument; std::getline(in, argument, '\0');) {
        if (!line.empty()) line += ' ';
        if (const std::string clean = printable_whole(argument); clean != argument) {
            line += dollar_quoted(argument);
            continue;
        }
        if (!argument.empty() && argument.find_first_of(kSpecial) == std::string::npos) {
            line += argument;
            continue;
        }
        line += '\'';
        for (const char c : argument) line += c == '\'' ? std::string_view("'\\''") : std::string_view(&c, 1);
        line += '\'';
    }
    return line;
}

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

}  // namespace onda
