#include "io/files/input_file.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "io/files/plain_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda {

std::uintmax_t input_file_size(const std::filesystem::path& file) {
    const auto refuse = [&](const std::string& why) -> std::uintmax_t {
        throw Error(ExitCode::missing_input, shown(file) + ": " + why);
    };
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (status.type() == std::filesystem::file_type::not_found) return refuse("no such file");
    if (error) return refuse(error.message());
    if (!std::filesystem::is_regular_file(status)) return refuse("not a plain file");
    if (::access(file.c_str(), R_OK) != 0) return refuse(std::strerror(errno));
    const auto size = std::filesystem::file_size(file, error);
    return error ? refuse(error.message()) : size;
}

namespace {

/// Whether there will never be anything to read from a pipe that has just given nothing.
bool is_at_end(const Descriptor& in, bool is_pipe, bool had_writer) {
    pollfd state{in.id(), POLLIN, 0};
    return !is_pipe || had_writer || (::poll(&state, 1, 0) == 1 && (state.revents & POLLHUP) != 0);
}

}  // namespace

std::string read_input_stream(const std::filesystem::path& file, std::size_t most) {
    using Clock = std::chrono::steady_clock;
    const Descriptor in(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat status {};
    if (in.id() < 0 || ::fstat(in.id(), &status) != 0)
        throw_system_fault(ExitCode::missing_input, file, "cannot open it for reading", errno);
    const bool is_pipe = S_ISFIFO(status.st_mode);
    const Clock::time_point until = Clock::now() + std::chrono::seconds(2);
    std::string text(most, '\0');
    std::size_t filled = 0;
    for (bool had_writer = false; filled < most;) {
        const ssize_t got = ::read(in.id(), text.data() + filled, most - filled);
        if (got < 0 && errno == EAGAIN) {
            had_writer = true;
            pollfd more{in.id(), POLLIN, 0};
            ::poll(&more, 1, -1);
        } else if (got < 0 && errno != EINTR) {
            throw_system_fault(ExitCode::io_error, file, "cannot read it", errno);
        } else if (got > 0) {
            had_writer = true;
            filled += static_cast<std::size_t>(got);
        } else if (got == 0 && is_at_end(in, is_pipe, had_writer)) {
            break;
        } else if (got == 0 && Clock::now() > until) {
            throw Error(ExitCode::missing_input,
                        shown(file) + ": is a pipe, and no program writes to it; start the one that does first");
        } else if (got == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    }
    text.resize(filled);
    return text;
}

std::ifstream open_input_file(const std::filesystem::path& file) {
    input_file_size(file);
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(ExitCode::missing_input, shown(file) + ": cannot open it for reading");
    return in;
}

std::string why_unread(const std::ifstream& in) {
    return in.bad() ? std::strerror(errno) : "it has become shorter meanwhile";
}

bool begins_as_hdf5(std::string_view bytes) {
    return bytes.starts_with(std::string_view{"\x89HDF\r\n\x1a\n", 8});
}

bool is_hdf5_file(const std::filesystem::path& file) {
    std::array<char, 8> start{};
    open_input_file(file).read(start.data(), start.size());
    return begins_as_hdf5({start.data(), start.size()});
}

}  // namespace onda
