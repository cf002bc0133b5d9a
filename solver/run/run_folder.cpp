#include "solver/run/run_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "io/files/interruption.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/program/log.hpp"

namespace onda {
namespace {

[[noreturn]] void refuse_folder(const std::filesystem::path& folder, const std::string& why,
                                ExitCode code = ExitCode::cannot_create) {
    throw Error(code, "cannot write results to " + shown(folder) + ": " + why);
}

[[noreturn]] void refuse_folder(const std::filesystem::path& folder, int error) {
    refuse_folder(folder, std::strerror(error), creation_fault(error));
}

bool is_partial_result(std::string_view name) {
    const auto final_name = final_name_of(name);
    return final_name && is_result_name(*final_name);
}

/// Files of results that nobody has finished, and a log, do not make a folder taken.
void refuse_anything_in(const std::filesystem::path& folder) {
    std::error_code fault;
    for (std::filesystem::directory_iterator entry(folder, fault), end; !fault && entry != end;
         entry.increment(fault)) {
        const std::string name = entry->path().filename().string();
        if (name == kLogName)
            refuse_foreign_log(entry->path());
        else if (!is_partial_result(name))
            refuse_folder(folder, "it holds " + printable(name) +
                                      "\n  choose another folder with --output, or replace an earlier run with "
                                      "--force");
    }
    if (fault) refuse_folder(folder, fault.value());
}

}  // namespace

std::filesystem::path nearest_existing(std::filesystem::path path) {
    std::error_code unseen;
    path = std::filesystem::absolute(path).lexically_normal();
    while (!std::filesystem::exists(path, unseen) && path.has_relative_path()) path = path.parent_path();
    return path;
}

std::filesystem::path default_folder(const Config& config) {
    if (!config.output.directory.empty()) return config.output.directory;
    return std::filesystem::path("results") / config.origin.file.stem();
}

void refuse_taken_folder(const std::filesystem::path& folder, bool overwrite) {
    const std::filesystem::path existing = nearest_existing(folder);
    std::error_code unseen;
    if (!std::filesystem::is_directory(existing, unseen)) refuse_folder(folder, shown(existing) + " is not a folder");
    if (faccessat(AT_FDCWD, existing.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
        refuse_folder(folder,
                      "no permission to write in " + shown(existing) + " (" + std::string(std::strerror(errno)) + ")",
                      creation_fault(errno));
    // File systems of the kernel's own, such as /proc: root may write anywhere, but not create anything there.
    if (const auto space = std::filesystem::space(existing, unseen); !unseen && space.capacity == 0)
        refuse_folder(folder, shown(existing) + " is on a file system that holds no files");
    if (!std::filesystem::exists(folder, unseen)) return;
    if (overwrite)
        EarlierRun(folder).refuse_foreign_files();
    else
        refuse_anything_in(folder);
}

RunFolder::RunFolder(std::filesystem::path path, bool overwrite) : path_(std::move(path)), overwrite_(overwrite) {
    refuse_taken_folder(path_, overwrite_);
    std::error_code fault;
    std::filesystem::create_directories(path_, fault);
    if (fault) refuse_folder(path_, fault.value());
    lock_ = Descriptor(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (lock_.id() < 0) refuse_folder(path_, errno);
    // File systems without locks answer with another error than EWOULDBLOCK; a run goes on there, unprotected.
    if (flock(lock_.id(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        refuse_folder(path_, "another run is writing there");
    remove_abandoned_files(path_, is_result_name);
}

std::vector<FileRecord> RunFolder::publish(std::vector<AtomicFile> files,
                                           const std::function<std::string(const FileList&)>& summary) const {
    FileList list;
    for (const AtomicFile& file : files) {
        throw_if_interrupted();
        list.files.push_back(record_of(file.temporary(), file.path().filename().string()));
    }
    list.files.insert(list.files.end(), {{kLogName, 0, ""}, {kSummaryName, 0, ""}});
    // Looked at again: hours may have passed.
    const EarlierRun earlier(path_);
    if (overwrite_) earlier.refuse_foreign_files();
    std::vector<std::string> surplus;
    for (const FileRecord& record : earlier.records())
        if (std::ranges::find(list.files, record.name, &FileRecord::name) == list.files.end() &&
            earlier.proves(record.name))
            surplus.push_back(record.name);

    const FileList unfinished{false, list.files, earlier.records()};
    AtomicFile first = stage_text_file(path_ / kSummaryName, sealed(summary(unfinished)), overwrite_);
    AtomicFile last = stage_text_file(path_ / kSummaryName, sealed(summary(list)), true);  // over the first one
    throw_if_interrupted();

    const Uninterrupted together;
    first.rename();
    sync_folder(path_);
    for (AtomicFile& file : files) file.rename();
    for (const std::string& name : surplus)
        if (::unlink((path_ / name).c_str()) != 0 && errno != ENOENT)
            throw_system_fault(creation_fault(errno), path_ / name, "cannot remove what an earlier run left", errno);
    sync_folder(path_);
    last.rename();
    sync_folder(path_);
    return list.files;
}

}  // namespace onda
