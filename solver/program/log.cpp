#include "solver/program/log.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fcntl.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "io/files/plain_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda {

bool stderr_is_terminal() {
    const char* terminal = std::getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

bool colour_refused() {
    const char* value = std::getenv("NO_COLOR");
    return value != nullptr && *value != '\0';
}

namespace {

/// Writes each line as it comes: nothing waits in a buffer when the program is killed.
class FileSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
public:
    explicit FileSink(Descriptor file) : file_(std::move(file)) {}

private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        spdlog::memory_buf_t text;
        formatter_->format(message, text);
        if (const int error = write_all(file_, {text.data(), text.size()}))
            throw spdlog::spdlog_ex("it cannot be written", error);
    }
    void flush_() override {}

    Descriptor file_;
};

/// How every log begins, with 9 for a digit and ~ for a sign: the time, and version_line().
constexpr std::string_view kFirstLine = "9999-99-99T99:99:99.999~99:99 info onda ";

void refuse_foreign_start(const Descriptor& log, const std::filesystem::path& file) {
    std::string start;
    if (const int error = read_some(log, 0, kFirstLine.size(), start))
        throw_system_fault(ExitCode::io_error, file, "cannot read it", error);
    const auto as_pattern = [](char c) {
        return std::isdigit(static_cast<unsigned char>(c)) != 0 ? '9' : c == '+' ? '~' : c;
    };
    constexpr std::size_t sign = kFirstLine.find('~');
    if (start.size() > sign && start[sign] == '-') start[sign] = '+';  // of the time zone
    if (start.empty() || std::ranges::equal(start, kFirstLine, {}, as_pattern)) return;
    throw Error(ExitCode::cannot_create, shown(file) +
                                             ": is not a log of Onda, and is left alone; move it away, or choose "
                                             "another folder with --output");
}

}  // namespace

void refuse_foreign_log(const std::filesystem::path& file) {
    std::error_code ignored;
    if (std::filesystem::exists(std::filesystem::symlink_status(file, ignored)))
        refuse_foreign_start(open_plain_file(file, O_RDONLY), file);
}

struct Log::Impl {
    struct Line {
        spdlog::log_clock::time_point time;
        spdlog::level::level_enum level;
        std::string message;
    };
    std::shared_ptr<spdlog::sinks::stderr_color_sink_st> screen;
    Listener listener;
    std::shared_ptr<FileSink> file;
    bool opened = false;
    std::vector<Line> before_file;

    static void put(spdlog::sinks::sink& sink, const Line& line) {
        sink.log(spdlog::details::log_msg(line.time, {}, "onda", line.level, line.message));
        sink.flush();
    }
    /// A full disk is reported where results are written; the log must not hide that report behind its own.
    void put_in_file(const Line& line) {
        if (!file) return;
        try {
            put(*file, line);
        } catch (const spdlog::spdlog_ex& error) {
            file.reset();
            const std::string message = std::string("the log ends here: ") + error.what();
            if (listener)
                tell_listener(spdlog::level::warn, message);
            else
                put(*screen, {line.time, spdlog::level::warn, message});
        }
    }
    void tell_listener(spdlog::level::level_enum level, const std::string& message) const {
        listener(level == spdlog::level::info ? Level::info : Level::warning, message);
    }
    void write(spdlog::level::level_enum level, const std::string& message, bool to_screen) {
        if (to_screen && listener) tell_listener(level, message);
        std::istringstream text(message);
        for (Line line{spdlog::log_clock::now(), level, {}}; std::getline(text, line.message);) {
            line.message = printable_lines(line.message);
            if (to_screen && !listener) put(*screen, line);
            if (opened)
                put_in_file(line);
            else
                before_file.push_back(line);
        }
    }
};

Log::Log() : impl_(std::make_unique<Impl>()) {
    const bool colour = stderr_is_terminal() && !colour_refused();
    impl_->screen = std::make_shared<spdlog::sinks::stderr_color_sink_st>(colour ? spdlog::color_mode::always
                                                                                 : spdlog::color_mode::never);
    impl_->screen->set_pattern("%v");
}
Log::Log(Listener listener) : Log() {
    impl_->listener = std::move(listener);
}
Log::~Log() = default;

void Log::info(const std::string& message) {
    impl_->write(spdlog::level::info, message, true);
}
void Log::warn(const std::string& message) {
    impl_->screen->set_pattern("%^warning:%$ %v");
    impl_->write(spdlog::level::warn, message, true);
    impl_->screen->set_pattern("%v");
}
void Log::note(const std::string& message) {
    impl_->write(spdlog::level::info, message, false);
}
void Log::note_error(const std::string& message) {
    impl_->write(spdlog::level::err, message, false);
}

void Log::open_file(const std::filesystem::path& file) {
    Descriptor opened = open_plain_file(file, O_RDWR | O_APPEND | O_CREAT);
    refuse_foreign_start(opened, file);
    impl_->file = std::make_shared<FileSink>(std::move(opened));
    impl_->file->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    impl_->opened = true;
    for (const Impl::Line& line : impl_->before_file) impl_->put_in_file(line);
    impl_->before_file.clear();
}

}  // namespace onda
