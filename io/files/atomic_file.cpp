#include "io/files/atomic_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <linux/magic.h>
#include <mutex>
#include <set>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "io/files/atomic_stream.hpp"
#include "io/files/interruption.hpp"
#include "io/files/plain_file.hpp"
#include "io/files/random_hex.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

constexpr std::string_view kMark = ".partial-";
constexpr std::size_t kTag = 8;  ///< digits of the boot, and of the random part
constexpr std::string_view kNoBoot = "00000000";

std::filesystem::path folder_of(const std::filesystem::path& path) {
    return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

bool is_hex(std::string_view text) {
    return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// A lock of the open file, not of the process: it ends with the last descriptor, and differs from the flock that HDF5
/// takes. \returns 0, EAGAIN if another descriptor has it, or why there are no locks.
int lock(const Descriptor& file, short type) {
    struct flock whole {};
    whole.l_type = type;
    whole.l_whence = SEEK_SET;
    if (::fcntl(file.id(), F_OFD_SETLK, &whole) == 0) return 0;
    return errno == EACCES ? EAGAIN : errno;
}

void refuse_existing(const std::filesystem::path& path, bool overwrite) {
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return;
    if (!overwrite)
        throw Error(ExitCode::cannot_create, shown(path) +
                                                 ": exists already; --force overwrites it, or choose "
                                                 "another name");
    if (const std::string kind = special_kind(path); !kind.empty())
        throw Error(ExitCode::cannot_create,
                    shown(path) + ": exists and is " + kind + ", not a plain file; choose another name");
}

/// Atomic without overwrite where the file system can, by RENAME_NOREPLACE or a second name; a check just before where
/// it can neither.
void rename_into_place(const std::filesystem::path& from, const std::filesystem::path& to, bool overwrite) {
    if (!overwrite) {
        if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return;
        const int error = errno;
        refuse_existing(to, false);
        if (error != EEXIST && error != EINVAL && error != ENOSYS)
            throw_system_fault(creation_fault(error), to, "cannot give the file its name", error);
        if (::link(from.c_str(), to.c_str()) == 0) {
            ::unlink(from.c_str());
            return;
        }
        refuse_existing(to, false);
    }
    refuse_existing(to, true);
    if (std::rename(from.c_str(), to.c_str()) != 0)
        throw_system_fault(creation_fault(errno), to, "cannot give the file its name", errno);
}

/// File systems of this machine; another one may still write there through it.
bool on_own_disk(const Descriptor& file) {
    struct statfs system {};
    if (::fstatfs(file.id(), &system) != 0) return false;
    constexpr long xfs = 0x58465342, zfs = 0x2fc12fc1;
    const auto type = static_cast<long>(system.f_type);
    return type == EXT4_SUPER_MAGIC || type == xfs || type == BTRFS_SUPER_MAGIC || type == F2FS_SUPER_MAGIC ||
           type == TMPFS_MAGIC || type == OVERLAYFS_SUPER_MAGIC || type == zfs;
}

/// Before this start of the machine: whoever wrote it here is gone, and another machine has not touched it since.
bool last_written_before_boot(const struct stat& status) {
    timespec now{}, running{};
    if (::clock_gettime(CLOCK_REALTIME, &now) != 0 || ::clock_gettime(CLOCK_BOOTTIME, &running) != 0) return false;
    return status.st_mtim.tv_sec < now.tv_sec - running.tv_sec;
}

void remove_if_abandoned(const std::filesystem::path& path, std::string_view boot) {
    if (!special_kind(path).empty()) return;
    const Descriptor file(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.id() < 0 || lock(file, F_WRLCK) != 0) return;
    const bool same_start = boot != kNoBoot && boot == boot_tag();
    struct stat opened {
    }, named{};
    const bool same_file = ::fstat(file.id(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
                           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
    if (S_ISREG(opened.st_mode) && same_file && (same_start || (last_written_before_boot(opened) && on_own_disk(file))))
        ::unlink(path.c_str());
}

}  // namespace

struct AtomicFile::State {
    std::filesystem::path path, temporary;
    bool overwrite = false, synced = false, renamed = false;
    bool second_name = false;  ///< of a file that is not this one's to empty
    std::optional<RemovedOnSignal> doomed;
    Descriptor file;  ///< holds the lock

    void choose_temporary() {
        doomed.reset();
        temporary = temporary_path(path);
        doomed.emplace(temporary.c_str());
    }
    /// \returns whether the second name is there, locked.
    bool link(const std::filesystem::path& existing) {
        choose_temporary();
        if (::link(existing.c_str(), temporary.c_str()) != 0) return false;
        second_name = true;
        file = Descriptor(::open(temporary.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
        if (file.id() < 0) {
            const int error = errno;
            ::unlink(temporary.c_str());
            throw_system_fault(ExitCode::io_error, path, "cannot open it under its new name", error);
        }
        lock(file, F_RDLCK);
        return true;
    }
    void copy(const std::filesystem::path& existing) const {
        std::error_code fault;
        std::filesystem::copy_file(existing, temporary, std::filesystem::copy_options::overwrite_existing, fault);
        if (fault)
            throw_system_fault(ExitCode::io_error, path, "cannot copy " + shown(existing) + " to it", fault.value());
    }
    /// \returns whether the file is there, locked and under its name.
    bool create() {
        choose_temporary();
        file = Descriptor(::open(temporary.c_str(), O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0666));
        if (file.id() < 0 && errno == EEXIST) return false;
        if (file.id() < 0)
            throw_system_fault(creation_fault(errno), path, "cannot create a file in folder " + shown(folder_of(path)),
                               errno);
        // Shared, for it is read back while it is locked. Somebody who cleans up may have been faster.
        struct stat status {};
        if (lock(file, F_RDLCK) != EAGAIN && ::fstat(file.id(), &status) == 0 && status.st_nlink > 0) return true;
        ::unlink(temporary.c_str());
        return false;
    }
    /// Removes the file from a folder that has got another name.
    void remove_where_it_is() const {
        std::error_code unseen;
        const auto now = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file.id()), unseen);
        if (!unseen && now.filename() == temporary.filename()) ::unlink(now.c_str());
    }
    ~State() {
        if (renamed || file.id() < 0) return;
        if (::unlink(temporary.c_str()) != 0 && errno == ENOENT) remove_where_it_is();
        if (second_name) return;
        // Gives the space back even while a library that failed to write still holds the file open.
        [[maybe_unused]] const int ignored = ::ftruncate(file.id(), 0);
    }
};

namespace {

std::mutex folders_taken_care_of_mutex;
std::set<std::filesystem::path> folders_taken_care_of;

bool is_taken_care_of(const std::filesystem::path& folder) {
    const std::lock_guard lock(folders_taken_care_of_mutex);
    return folders_taken_care_of.contains(folder);
}

}  // namespace

void take_care_of_abandoned_files(const std::filesystem::path& folder) {
    const std::lock_guard lock(folders_taken_care_of_mutex);
    folders_taken_care_of.insert(folder);
}

AtomicFile::AtomicFile(std::filesystem::path path, bool overwrite) : state_(std::make_unique<State>()) {
    refuse_existing(path, overwrite);
    const std::string own_name = path.filename().string();
    if (!is_taken_care_of(folder_of(path)))
        remove_abandoned_files(folder_of(path), [&](std::string_view name) { return name == own_name; });
    state_->path = std::move(path);
    state_->overwrite = overwrite;
    for (int attempt = 0; attempt < 100; ++attempt)
        if (state_->create()) return;
    throw_system_fault(ExitCode::io_error, state_->path, "cannot create a temporary file for it", EBUSY);
}

AtomicFile::AtomicFile() : state_(std::make_unique<State>()) {}

AtomicFile AtomicFile::of(const std::filesystem::path& existing, std::filesystem::path path, bool overwrite) {
    AtomicFile second;
    refuse_existing(path, overwrite);
    second.state_->path = path;
    second.state_->overwrite = overwrite;
    if (second.state_->link(existing)) return second;
    AtomicFile copy(std::move(path), overwrite);
    copy.state_->copy(existing);
    copy.finish();
    return copy;
}

AtomicFile::~AtomicFile() = default;
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;

const std::filesystem::path& AtomicFile::path() const {
    return state_->path;
}

const std::filesystem::path& AtomicFile::temporary() const {
    return state_->temporary;
}

namespace {

thread_local std::int64_t unsynced_up_to = UnsyncedFiles::kNone;  ///< bytes

void sync(const Descriptor& file, const std::filesystem::path& path) {
    // EINVAL: a file system that has nothing to sync.
    if (::fsync(file.id()) != 0 && errno != EINVAL)
        throw_system_fault(ExitCode::io_error, path, "cannot sync it to disk", errno);
}

}  // namespace

UnsyncedFiles::UnsyncedFiles(std::int64_t most_bytes) : before_(std::exchange(unsynced_up_to, most_bytes)) {}

UnsyncedFiles::~UnsyncedFiles() {
    unsynced_up_to = before_;
}

void AtomicFile::finish() {
    if (state_->synced) return;
    if (unsynced_up_to != UnsyncedFiles::kNone && bytes_of_file(state_->file, state_->path) <= unsynced_up_to) return;
    sync(state_->file, state_->path);
    state_->synced = true;
}

void sync_file(const std::filesystem::path& path) {
    sync(open_plain_file(path, O_RDONLY), path);
}

void AtomicFile::rename() {
    rename_into_place(state_->temporary, state_->path, state_->overwrite);
    // rename() leaves both names of a file that had the name already.
    if (state_->second_name) ::unlink(state_->temporary.c_str());
    state_->renamed = true;
}

void AtomicFile::commit() {
    finish();
    rename();
    sync_folder(folder_of(state_->path));
}

void sync_folder(const std::filesystem::path& folder) {
    const Descriptor open_folder(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (open_folder.id() < 0 && errno == EACCES) return;  // may be written, but not looked into: nothing can be synced
    if (open_folder.id() < 0)
        throw_system_fault(ExitCode::io_error, folder, "cannot open it to sync it to disk", errno);
    if (::fsync(open_folder.id()) != 0 && errno != EINVAL)
        throw_system_fault(ExitCode::io_error, folder, "cannot sync it to disk", errno);
}

namespace {

/// \param tried for messages.
AtomicFile stage(const std::filesystem::path& path, const std::string& tried, const TextSource& text, bool overwrite) {
    AtomicStream stream(path, overwrite, tried);
    text([&stream](std::string_view piece) { stream.put(piece); });
    return stream.finish();
}

}  // namespace

AtomicFile stage_text_file(const std::filesystem::path& path, std::string_view text, bool overwrite) {
    return stage(
        path, "cannot write its " + std::to_string(text.size()) + " bytes", [text](const auto& put) { put(text); },
        overwrite);
}

AtomicFile stage_text_file(const std::filesystem::path& path, const TextSource& text, bool overwrite) {
    return stage(path, "cannot write it", text, overwrite);
}

void write_text_file(const std::filesystem::path& path, std::string_view text, bool overwrite) {
    stage_text_file(path, text, overwrite).commit();
}

std::string boot_tag() {
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    return id.size() < kTag ? std::string(kNoBoot) : id.substr(0, kTag);
}

std::filesystem::path temporary_path(const std::filesystem::path& path) {
    std::filesystem::path temporary = path;
    temporary += std::string(kMark) + boot_tag() + "-" + random_hex(kTag / 2);
    return temporary;
}

std::optional<std::string_view> final_name_of(std::string_view temporary_name) {
    const std::size_t mark = temporary_name.rfind(kMark);
    if (mark == std::string_view::npos || mark == 0) return {};
    const std::string_view tags = temporary_name.substr(mark + kMark.size());
    if (tags.size() != 2 * kTag + 1 || tags[kTag] != '-') return {};
    if (!is_hex(tags.substr(0, kTag)) || !is_hex(tags.substr(kTag + 1))) return {};
    return temporary_name.substr(0, mark);
}

void remove_abandoned_files(const std::filesystem::path& folder, const std::function<bool(std::string_view)>& wanted) {
    std::error_code fault;
    for (std::filesystem::directory_iterator entry(folder, fault), end; !fault && entry != end;
         entry.increment(fault)) {
        const std::string name = entry->path().filename().string();
        const auto final_name = final_name_of(name);
        if (!final_name || !wanted(*final_name)) continue;
        const std::string_view boot = std::string_view(name).substr(final_name->size() + kMark.size(), kTag);
        remove_if_abandoned(entry->path(), boot);
    }
}

}  // namespace onda
