/// \file
/// Messages to the user: stderr and, once a run has its folder, its onda.log.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace onda {

/// The messages of the program go to stderr: stdout belongs to results. Colour only on a terminal and without NO_COLOR.
/// Messages may have several lines; whatever else a terminal would obey is escaped (io/text/printable.hpp).
class Log {
public:
    enum class Level { info, warning };
    /// Gets messages in the place of stderr, as they are.
    using Listener = std::function<void(Level level, const std::string& message)>;

    Log();
    explicit Log(Listener listener);
    ~Log();
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    void info(const std::string& message);
    void warn(const std::string& message);
    /// Writes to the file alone: progress while stderr stays quiet, and errors that main prints.
    void note(const std::string& message);
    void note_error(const std::string& message);
    /// Appends to `file`, beginning with everything said so far. \throws Error(cannot_create) if it is there and not a
    /// log of Onda; Error(io_error) if the disk is full.
    void open_file(const std::filesystem::path& file);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Refuses a file that is no log of Onda. \throws Error(cannot_create) if `file` is there and is neither empty nor
/// begins as a log of Onda does, or is no plain file.
void refuse_foreign_log(const std::filesystem::path& file);

/// Whether messages and progress may use colour and move the cursor: stderr is a terminal that can do it.
bool stderr_is_terminal();
/// Whether NO_COLOR (no-color.org) is set and not empty.
bool colour_refused();

}  // namespace onda
