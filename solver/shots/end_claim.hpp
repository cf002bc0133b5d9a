/// \file
/// Which process ends a survey where the file system has no locks.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace onda {

/// The name of the file that claims the end of a survey, in the survey's folder.
inline constexpr const char* kEndName = "ending";

/// The claim of one process to end a survey: a file that only one of them can make. It goes with this. One that a
/// killed process left is taken over: at once if that process ran on this machine, after an hour in which nobody has
/// renewed it if it is unknown.
class EndClaim {
public:
    /// \returns nothing if another process has it, or the folder has gone. \throws Error(cannot_create | io_error).
    [[nodiscard]] static std::optional<EndClaim> take(const std::filesystem::path& folder);
    EndClaim(EndClaim&& other) noexcept;
    EndClaim& operator=(EndClaim&&) = delete;
    ~EndClaim();

    /// Tells others that this process still works, which whoever needs longer than an hour has to do now and then. May
    /// be called by several threads at once.
    void renew() const;

private:
    EndClaim(std::filesystem::path file, std::string text) : file_(std::move(file)), text_(std::move(text)) {}

    std::filesystem::path file_;  ///< empty once moved from
    std::string text_;            ///< what tells this process' claim from those of others
};

}  // namespace onda
