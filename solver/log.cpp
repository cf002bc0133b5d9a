#include "solver/log.hpp"

#include <cstdlib>
#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "io/error.hpp"

namespace onda {

bool stderr_is_terminal() {
    const char* terminal = std::getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

bool colour_refused() {
    const char* value = std::getenv("NO_COLOR");
    return value != nullptr && *value != '\0';
}

struct Log::Impl {
    struct Line {
        spdlog::log_clock::time_point time;
        spdlog::level::level_enum level;
        std::string message;
    };
    std::shared_ptr<spdlog::sinks::stderr_color_sink_st> screen;
    std::shared_ptr<spdlog::sinks::basic_file_sink_st> file;
    std::vector<Line> before_file;

    void write(spdlog::level::level_enum level, const std::string& message, bool to_screen) {
        const auto now = spdlog::log_clock::now();
        const auto line = [&](spdlog::sinks::sink& sink) {
            sink.log(spdlog::details::log_msg(now, {}, "onda", level, message));
            sink.flush();
        };
        if (to_screen) line(*screen);
        if (file)
            line(*file);
        else
            before_file.push_back({now, level, message});
    }
};

Log::Log() : impl_(std::make_unique<Impl>()) {
    const bool colour = stderr_is_terminal() && !colour_refused();
    impl_->screen = std::make_shared<spdlog::sinks::stderr_color_sink_st>(colour ? spdlog::color_mode::always
                                                                                 : spdlog::color_mode::never);
    impl_->screen->set_pattern("%v");
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
    try {
        impl_->file = std::make_shared<spdlog::sinks::basic_file_sink_st>(file.string(), false);
    } catch (const spdlog::spdlog_ex& error) {
        throw Error(ExitCode::cannot_create, "cannot write the log " + file.string() + ": " + error.what());
    }
    impl_->file->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    for (const Impl::Line& line : impl_->before_file)
        impl_->file->log(spdlog::details::log_msg(line.time, {}, "onda", line.level, line.message));
    impl_->before_file.clear();
    impl_->file->flush();
}

}  // namespace onda
