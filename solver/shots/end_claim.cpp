#include "solver/shots/end_claim.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "io/files/atomic_file.hpp"
#include "io/files/plain_file.hpp"

namespace onda {
namespace {

constexpr std::size_t kMostText = 256;
constexpr std::time_t kUnknownFor_s = 3600;

/// When a process started, in clock ticks since boot: its number may be that of another one later. Empty if there is
/// none of this number.
std::string start_of(pid_t process) {
    const std::string file = fmt::format("/proc/{}/stat", process);
    const Descriptor stat(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    std::string text;
    if (stat.id() < 0 || read_some(stat, 0, 4096, text) != 0) return {};
    // The name of the program, in parentheses, may hold anything; the start is the 20th word after it.
    std::istringstream words(text.substr(text.rfind(')') + 1));
    std::string word;
    for (int i = 0; i < 20; ++i) words >> word;
    return word;
}

/// The machine, from its start on, and the namespace in which processes have their numbers.
std::string this_machine() {
    struct stat processes {};
    ::stat("/proc/self/ns/pid", &processes);
    return fmt::format("{} {}", boot_tag(), processes.st_ino);
}

std::string own_text() {
    return fmt::format("{} {} {}\n", this_machine(), ::getpid(), start_of(::getpid()));
}

std::optional<std::string> claim_in(const std::filesystem::path& file) {
    const Descriptor claim(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    std::string text;
    if (claim.id() < 0 || read_some(claim, 0, kMostText, text) != 0) return std::nullopt;
    return text;
}

/// Whether the process that made a claim is known to be gone, or has been unknown for so long that it is taken for it.
bool is_abandoned(const std::filesystem::path& file, const std::string& text) {
    const std::string machine = this_machine() + " ";
    if (text.starts_with(machine)) {
        pid_t process = 0;
        const char* const end = text.data() + text.size();
        const auto read = std::from_chars(text.data() + machine.size(), end, process);
        if (read.ec == std::errc{} && process > 0) {
            if (::kill(process, 0) != 0 && errno == ESRCH) return true;
            return std::string(read.ptr, end) != fmt::format(" {}\n", start_of(process));
        }
    }
    struct stat status {};
    return ::lstat(file.c_str(), &status) == 0 && std::time(nullptr) - status.st_mtim.tv_sec > kUnknownFor_s;
}

/// Takes an abandoned claim away. Of several processes that try one succeeds; should it meet a claim that was made in
/// the meantime, that one is put back.
void take_away(const std::filesystem::path& file, const std::string& text) {
    const std::filesystem::path aside = temporary_path(file);
    if (std::rename(file.c_str(), aside.c_str()) != 0) return;
    // Where it cannot be put back, a third process has claimed the same, and that claim stands.
    [[maybe_unused]] const int put_back = claim_in(aside) == text ? 0 : ::link(aside.c_str(), file.c_str());
    ::unlink(aside.c_str());
}

}  // namespace

std::optional<EndClaim> EndClaim::take(const std::filesystem::path& folder) {
    const std::filesystem::path file = folder / kEndName;
    for (int attempt = 0; attempt < 3; ++attempt) {
        const Descriptor made(::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0666));
        if (made.id() >= 0) {
            EndClaim claim(file, own_text());
            if (const int error = write_all(made, claim.text_)) {
                ::unlink(file.c_str());
                throw_system_fault(ExitCode::io_error, file, "cannot write it", error);
            }
            return claim;
        }
        if (errno == ENOENT) return std::nullopt;
        if (errno != EEXIST) throw_system_fault(creation_fault(errno), file, "cannot create it", errno);
        const std::optional<std::string> theirs = claim_in(file);
        if (theirs && !is_abandoned(file, *theirs)) return std::nullopt;
        if (theirs) take_away(file, *theirs);
    }
    return std::nullopt;
}

void EndClaim::renew() const {
    const Descriptor claim(::open(file_.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (claim.id() >= 0 && claim_in(file_) == text_) static_cast<void>(::futimens(claim.id(), nullptr));
}

EndClaim::EndClaim(EndClaim&& other) noexcept
    : file_(std::exchange(other.file_, {})), text_(std::exchange(other.text_, {})) {}

EndClaim::~EndClaim() {
    if (!file_.empty() && claim_in(file_) == text_) ::unlink(file_.c_str());
}

}  // namespace onda
