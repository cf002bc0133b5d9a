#include "kernels/imaging/level_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace onda {
namespace {

/// A descriptor of a file that no folder lists; -1 with errno.
int open_without_name(const std::filesystem::path& folder) {
    const int unnamed = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (unnamed >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return unnamed;
    std::string name = (folder / ".onda-ring-XXXXXX").string();  // file systems that know named files only
    const int named = mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0) unlink(name.c_str());
    return named;
}

}  // namespace

// What an exception leaves is closed: the default constructor has ended by then.
LevelFile::LevelFile(const std::filesystem::path& folder, std::int64_t levels, std::int64_t level_bytes) : LevelFile() {
    folder_ = folder;
    level_bytes_ = level_bytes;
    descriptor_ = open_without_name(folder);
    if (descriptor_ < 0) fail("no file for rings of the forward field can be made there", errno);
    if (levels * level_bytes == 0 || fallocate(descriptor_, 0, 0, levels * level_bytes) == 0) return;
    if (errno == EOPNOTSUPP || errno == ENOSYS) return;  // what is missing is found when it is written
    const int error = errno;
    fail("rings of the forward field take " + std::to_string(levels * level_bytes) + " bytes", error);
}

LevelFile::LevelFile(LevelFile&& other) noexcept
    : folder_(std::move(other.folder_)),
      level_bytes_(other.level_bytes_),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

LevelFile& LevelFile::operator=(LevelFile&& other) noexcept {
    std::swap(folder_, other.folder_);
    std::swap(level_bytes_, other.level_bytes_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

LevelFile::~LevelFile() {
    if (is_open()) close(descriptor_);
}

void LevelFile::write(std::int64_t level, std::int64_t first, const void* from, std::int64_t bytes) const {
    const char* at = static_cast<const char*>(from);
    for (std::int64_t done = 0; done < bytes;) {
        const ssize_t written =
            pwrite(descriptor_, at + done, static_cast<std::size_t>(bytes - done), level * level_bytes_ + first + done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail("rings of the forward field cannot be written", errno);
        done += written;
    }
}

void LevelFile::read(std::int64_t level, std::int64_t first, void* to, std::int64_t bytes) const {
    char* at = static_cast<char*>(to);
    for (std::int64_t done = 0; done < bytes;) {
        const ssize_t taken =
            pread(descriptor_, at + done, static_cast<std::size_t>(bytes - done), level * level_bytes_ + first + done);
        if (taken < 0 && errno == EINTR) continue;
        if (taken <= 0) fail("rings of the forward field cannot be read", taken == 0 ? EIO : errno);
        done += taken;
    }
}

void LevelFile::expect(std::int64_t level) const {
    if (level >= 0) posix_fadvise(descriptor_, level * level_bytes_, level_bytes_, POSIX_FADV_WILLNEED);
}

void LevelFile::fail(const std::string& what, int error) const {
    throw std::filesystem::filesystem_error(what, folder_, std::error_code(error, std::generic_category()));
}

}  // namespace onda
