#include "io/pictures/movie.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "io/files/interruption.hpp"
#include "io/pictures/gif.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

extern char** environ;

namespace onda {
namespace {

// Animated PNG -----------------------------------------------------------------------------------------------------

using Put = std::function<void(std::string_view)>;

std::string big_endian(std::uint32_t value, int bytes = 4) {
    std::string text;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xff);
    return text;
}

void put_chunk(const Put& put, const std::string& type, const std::string& data) {
    const std::string body = type + data;
    const uLong sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
    put(big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(static_cast<std::uint32_t>(sum)));
}

/// Pixels [left, right) x [top, bottom).
struct Part {
    int left, top, right, bottom;
};

/// The least part outside of which two frames are equal; a pixel where they are equal altogether.
Part changed_part(const Pixels& before, const Pixels& now) {
    Part part{now.width, now.height, 0, 0};
    for (int y = 0; y < now.height; ++y) {
        const auto row = static_cast<std::ptrdiff_t>(y) * now.width;
        const auto [a, b] =
            std::mismatch(now.argb.begin() + row, now.argb.begin() + row + now.width, before.argb.begin() + row);
        if (a == now.argb.begin() + row + now.width) continue;
        int last = now.width - 1;
        while (now.argb[static_cast<std::size_t>(row + last)] == before.argb[static_cast<std::size_t>(row + last)])
            --last;
        part.left = std::min(part.left, static_cast<int>(a - now.argb.begin() - row));
        part.right = std::max(part.right, last + 1);
        part.top = std::min(part.top, y);
        part.bottom = y + 1;
    }
    return part.right > 0 ? part : Part{0, 0, 1, 1};
}

/// The zlib stream of a part: rows of RGB, each as its difference from the row above (filter 2 of PNG).
std::string compressed(const Pixels& pixels, const Part& part) {
    const auto width = static_cast<std::size_t>(part.right - part.left) * 3;
    std::string rows, above(width, '\0'), row(width, '\0');
    for (int y = part.top; y < part.bottom; ++y) {
        for (int x = part.left; x < part.right; ++x) {
            const std::uint32_t pixel = pixels.argb[static_cast<std::size_t>(y) * pixels.width + x];
            for (int channel = 0; channel < 3; ++channel)
                row[static_cast<std::size_t>(x - part.left) * 3 + channel] =
                    static_cast<char>(pixel >> (16 - 8 * channel) & 0xff);
        }
        rows += '\2';
        for (std::size_t i = 0; i < width; ++i) rows += static_cast<char>(row[i] - above[i]);
        std::swap(row, above);
    }
    uLongf size = compressBound(static_cast<uLong>(rows.size()));
    std::string stream(size, '\0');
    if (compress2(reinterpret_cast<Bytef*>(stream.data()), &size, reinterpret_cast<const Bytef*>(rows.data()),
                  static_cast<uLong>(rows.size()), 6) != Z_OK)
        throw std::bad_alloc();
    stream.resize(size);
    return stream;
}

void put_animation(const Movie& movie, const Put& put) {
    std::uint32_t sequence = 0;
    Pixels before;
    for (std::size_t i = 0; i < movie.frames; ++i) {
        throw_if_interrupted();
        Pixels now = movie.frame(i);
        const auto width = static_cast<std::uint32_t>(now.width), height = static_cast<std::uint32_t>(now.height);
        if (i == 0) {
            put("\x89PNG\r\n\x1a\n");
            // 8 bits a channel, RGB, and the only kinds of compression, filter and interlacing that all readers have.
            put_chunk(put, "IHDR", big_endian(width) + big_endian(height) + std::string("\x08\x02\0\0\0", 5));
            put_chunk(put, "acTL", big_endian(static_cast<std::uint32_t>(movie.frames)) + big_endian(0));
        }
        const Part part = i == 0 ? Part{0, 0, now.width, now.height} : changed_part(before, now);
        const auto number = [](int value) { return big_endian(static_cast<std::uint32_t>(value)); };
        const auto delay_ms = static_cast<std::uint32_t>(std::lround(1000. / movie.frames_per_second));
        put_chunk(put, "fcTL",
                  big_endian(sequence++) + number(part.right - part.left) + number(part.bottom - part.top) +
                      number(part.left) + number(part.top) + big_endian(delay_ms, 2) + big_endian(1000, 2) +
                      std::string(2, '\0'));
        const std::string stream = compressed(now, part);
        if (i == 0)
            put_chunk(put, "IDAT", stream);
        else
            put_chunk(put, "fdAT", big_endian(sequence++) + stream);
        before = std::move(now);
    }
    put_chunk(put, "IEND", "");
}

// MP4 --------------------------------------------------------------------------------------------------------------

/// ffmpeg, which reads frames from its standard input. A socket, not a pipe: writing to one whose reader has gone ends
/// in an error, without a signal.
class Encoder {
public:
    Encoder(const std::filesystem::path& program, std::vector<std::string> arguments) {
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, frames_.data()) != 0 ||
            pipe2(messages_.data(), O_CLOEXEC) != 0)
            throw Error(ExitCode::io_error, "cannot start ffmpeg: " + std::string(std::strerror(errno)));
        arguments.insert(arguments.begin(), program.string());
        std::vector<char*> pointers;
        for (std::string& argument : arguments) pointers.push_back(argument.data());
        pointers.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, frames_[1], STDIN_FILENO);
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, messages_[1], STDERR_FILENO);
        const int fault = posix_spawn(&id_, program.c_str(), &actions, nullptr, pointers.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        close_end(frames_[1]);
        close_end(messages_[1]);
        if (fault != 0) id_ = -1;
        if (fault != 0) throw Error(ExitCode::io_error, "cannot start " + shown(program) + ": " + std::strerror(fault));
    }
    ~Encoder() {
        for (int* end : {&frames_[0], &frames_[1], &messages_[0], &messages_[1]}) close_end(*end);
        if (id_ < 0) return;
        kill(id_, SIGKILL);
        waitpid(id_, nullptr, 0);
    }
    Encoder(const Encoder&) = delete;
    Encoder& operator=(const Encoder&) = delete;

    /// \return false if ffmpeg does not read any more.
    bool write(const Pixels& pixels) {
        const char* data = reinterpret_cast<const char*>(pixels.argb.data());
        for (std::size_t left = pixels.argb.size() * sizeof(std::uint32_t); left > 0;) {
            const ssize_t sent = send(frames_[0], data, left, MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR) throw_if_interrupted();
            if (sent < 0 && errno != EINTR) return false;
            if (sent < 0) continue;
            data += sent;
            left -= static_cast<std::size_t>(sent);
        }
        return true;
    }

    /// Waits for the end of the encoder. \throws Error(io_error) with what it said.
    void finish(const std::filesystem::path& file) {
        close_end(frames_[0]);
        std::string said;
        std::array<char, 4096> piece{};
        for (ssize_t got = 0; (got = read(messages_[0], piece.data(), piece.size())) != 0;) {
            if (got < 0 && errno != EINTR) break;
            if (got < 0) throw_if_interrupted();
            if (got > 0 && said.size() < 2000) said.append(piece.data(), static_cast<std::size_t>(got));
        }
        int status = 0;
        while (waitpid(id_, &status, 0) < 0 && errno == EINTR) throw_if_interrupted();
        id_ = -1;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
        const auto end = said.find_last_not_of(" \n");
        said.resize(end == std::string::npos ? 0 : end + 1);
        throw Error(ExitCode::io_error, shown(file) + ": ffmpeg failed" + (said.empty() ? "" : ": " + said) +
                                            "; name a file that ends with .png for an animated PNG");
    }

private:
    static void close_end(int& end) {
        if (end >= 0) close(end);
        end = -1;
    }
    std::array<int, 2> frames_{-1, -1}, messages_{-1, -1};
    pid_t id_ = -1;
};

std::vector<std::string> ffmpeg_arguments(const Pixels& first, double frames_per_second,
                                          const std::filesystem::path& file) {
    return {"-nostdin", "-hide_banner", "-loglevel", "error", "-f", "rawvideo", "-pixel_format", "bgra", "-video_size",
            std::to_string(first.width) + "x" + std::to_string(first.height), "-framerate",
            number_text(frames_per_second), "-i", "pipe:0",
            // Players want half as many colours as pixels each way, hence an even number of these.
            "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white", "-pix_fmt", "yuv420p", "-fflags", "+bitexact",
            "-flags:v", "+bitexact", "-movflags", "+faststart", "-y", "-f", "mp4",
            // However the name begins, it is no option and no protocol.
            "file:" + file.string()};
}

AtomicFile stage_mp4(const std::filesystem::path& file, const Movie& movie, bool overwrite) {
    const std::filesystem::path ffmpeg = find_ffmpeg();
    if (ffmpeg.empty())
        throw Error(ExitCode::cannot_create, shown(file) +
                                                 ": MP4 is made by ffmpeg, which is not on the PATH: install "
                                                 "it, or name a file that ends with .png or .gif for an animated one");
    AtomicFile output(file, overwrite);
    Pixels frame = movie.frame(0);
    Encoder encoder(ffmpeg, ffmpeg_arguments(frame, movie.frames_per_second, output.temporary()));
    for (std::size_t i = 0; encoder.write(frame) && ++i < movie.frames;) {
        throw_if_interrupted();
        frame = movie.frame(i);
    }
    encoder.finish(file);
    output.finish();
    return output;
}

}  // namespace

std::filesystem::path find_ffmpeg() {
    const char* const folders = std::getenv("PATH");
    std::istringstream list(folders == nullptr ? "" : folders);
    for (std::string folder; std::getline(list, folder, ':');) {
        const auto program = std::filesystem::path(folder) / "ffmpeg";
        std::error_code ignored;
        const bool is_file = !folder.empty() && std::filesystem::is_regular_file(program, ignored);
        if (is_file && access(program.c_str(), X_OK) == 0) return program;
    }
    return {};
}

AtomicFile stage_movie(const std::filesystem::path& file, const Movie& movie, bool overwrite) {
    if (file.extension() == ".mp4") return stage_mp4(file, movie, overwrite);
    if (file.extension() == ".gif") return stage_gif(file, movie, overwrite);
    return stage_text_file(
        file, [&movie](const Put& put) { put_animation(movie, put); }, overwrite);
}

}  // namespace onda
