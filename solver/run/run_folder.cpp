#include "solver/run/run_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

#include "io/files/interruption.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/outputs/output.hpp"
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

/// Files of results that nobody has finished, unfinished surveys, iterations and a log do not make a folder taken.
void refuse_anything_in(const std::filesystem::path& folder) {
    std::error_code fault;
    for (std::filesystem::directory_iterator entry(folder, fault), end; !fault && entry != end;
         entry.increment(fault)) {
        const std::string name = entry->path().filename().string();
        if (name == kLogName)
            refuse_foreign_log(entry->path());
        else if (!is_partial_result(name) && name != kUnfinishedName && name != kIterationsName &&
                 !UnfinishedSurvey::is_temporary_name(name))
            refuse_folder(folder, "it holds " + printable(name) +
                                      "\n  choose another folder with --output, or replace an earlier run with "
                                      "--force");
    }
    if (fault) refuse_folder(folder, fault.value());
}

void refuse_results(const std::filesystem::path& folder, bool overwrite) {
    if (overwrite)
        EarlierRun(folder).refuse_foreign_files();
    else
        refuse_anything_in(folder);
}

/// A lock of the folder, waited for as long as another process may take to begin a survey.
bool lock_shared(const Descriptor& folder) {
    for (int attempt = 0; attempt < 1000; ++attempt) {
        if (flock(folder.id(), LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

constexpr const char* kAnotherRun = "another run is writing there";
/// For so long network file systems may remember that a name was not there (acdirmax of NFS, unless it is mounted with
/// another one).
constexpr std::chrono::seconds kNamesAreSeenWithin{60};

Descriptor open_folder(const std::filesystem::path& path) {
    return Descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// What close_survey() had not yet done when it was killed. Where the folder cannot be written, or another process
/// works in it, what can be done without is left; the folder of shots cannot. \throws Error(cannot_create | io_error)
/// if it does not get its name, for which a process that may be at it is waited for.
void close_rest(const std::filesystem::path& folder, bool keeps_shots) {
    const Descriptor lock = open_folder(folder);
    if (lock.id() < 0 && !keeps_shots) return;
    const UnfinishedSurvey rest(folder);
    for (int attempt = 0; flock(lock.id(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; ++attempt) {
        if (!keeps_shots || !rest.exists()) return;
        if (attempt == 100) refuse_folder(folder, kAnotherRun);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    try {
        if (rest.exists() && keeps_shots)
            rest.keep_shots_as(folder / kShotsName);
        else if (rest.exists())
            rest.remove();
        UnfinishedSurvey::remove_rest(folder / kShotsName);
    } catch (const Error&) {
        if (keeps_shots && rest.exists()) throw;
    }
}

}  // namespace

void refuse_another_run(const std::filesystem::path& folder, const Identity& wanted) {
    const std::optional<Identity> there = EarlierRun(folder).identity();
    const std::string unlike = there ? differences(*there, wanted) : "";
    if (!unlike.empty())
        refuse_folder(folder, "it holds the results of another configuration:\n" + unlike +
                                  "\n  choose another folder with --output, or replace them with --force");
}

bool holds_complete_run(const std::filesystem::path& folder, const std::string& identity) {
    const EarlierRun earlier(folder);
    if (!earlier.is_of(identity)) return false;
    const UnfinishedSurvey rest(folder);
    const std::optional<Beginning> begun = rest.beginning();
    if (begun && begun->run_id != earlier.run_id()) return false;
    bool keeps_shots = false;
    for (const FileRecord& file : earlier.records()) {
        if (earlier.proves(file.name)) continue;
        keeps_shots = file.name == kKeptTableName && earlier.lists(file.name, rest.table());
        if (!keeps_shots) return false;
    }
    if (rest.exists() || UnfinishedSurvey::has_rest(folder / kShotsName)) close_rest(folder, keeps_shots);
    return true;
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
    // Whether shots or results that are there are those of this run is told by its identity: begin_or_join().
    if (!std::filesystem::exists(folder, unseen) || UnfinishedSurvey(folder).beginning()) return;
    if (overwrite || !EarlierRun(folder).has_identity()) refuse_results(folder, overwrite);
}

RunFolder::RunFolder(std::filesystem::path path, bool overwrite)
    : path_(std::move(path)), overwrite_(overwrite), unfinished_(path_) {
    refuse_taken_folder(path_, overwrite_);
    std::error_code fault;
    std::filesystem::create_directories(path_, fault);
    if (fault) refuse_folder(path_, fault.value());
    lock_ = open_folder(path_);
    if (lock_.id() < 0) refuse_folder(path_, errno);
    // File systems without locks answer with another error than EWOULDBLOCK; a run goes on there, unprotected.
    const bool locked = flock(lock_.id(), LOCK_EX | LOCK_NB) == 0;
    alone_ = locked || errno != EWOULDBLOCK;
    if (!alone_ && !lock_shared(lock_)) refuse_folder(path_, kAnotherRun);
    if (locked) UnfinishedSurvey::remove_abandoned(path_);
    remove_abandoned_files(path_, is_result_name);
    // What programs that are killed later leave there goes with the survey.
    remove_abandoned_files(unfinished_.folder(), UnfinishedSurvey::is_own_name);
    take_care_of_abandoned_files(unfinished_.folder());
}

Beginning RunFolder::begin_or_join(const Beginning& wanted, const Shots& shots) {
    std::optional<Beginning> found;
    const auto seen_by = std::chrono::steady_clock::now() + kNamesAreSeenWithin;
    // Again where another process is faster, which locks prevent where they work.
    for (bool joined = false; !joined;) {
        found = unfinished_.beginning();
        const bool same = found && found->identity == wanted.identity;
        if (!found && !overwrite_ && holds_complete_run(path_, hash_of(wanted.identity))) return wanted;
        if (!same && !alone_) {
            // The survey of those that share the folder may only not be seen yet.
            if (found || std::chrono::steady_clock::now() > seen_by) refuse_folder(path_, kAnotherRun);
            throw_if_interrupted();
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            continue;
        }
        if (found && !same && lengthens(*found, wanted, shots)) continue;
        if (found && !same) refuse_another_survey(*found, wanted.identity);
        // The results of a survey may already be there in part: its last process was killed while it gave them their
        // names.
        if (same && EarlierRun(path_).run_id() == found->run_id) overwrite_ = true;
        try {
            if (!overwrite_) refuse_another_run(path_, wanted.identity);
            refuse_results(path_, overwrite_);
        } catch (const Error&) {
            // Results that were not there a moment ago: another process ends the survey just now.
            if (same &&
                (!unfinished_.is_there(found->run_id) || (!overwrite_ && EarlierRun(path_).run_id() == found->run_id)))
                continue;
            throw;
        }
        joined = same;
        if (same || (unfinished_.exists() && !unfinished_.remove_if_still(found))) continue;
        if (alone_) UnfinishedSurvey::remove_rest(path_ / kShotsName);
        found = wanted;
        joined = unfinished_.begin(wanted, shots);
    }
    came_first_ = alone_;
    if (alone_) share();
    return *found;
}

/// Makes the survey that is there the wanted one if that has a longer record, and shots of it have checkpoints.
/// \returns whether it is. \throws Error(cannot_create) if pictures or the report would miss what they have not taken.
bool RunFolder::lengthens(const Beginning& found, const Beginning& wanted, const Shots& shots) {
    if (overwrite_ || !is_longer_record(found.identity, wanted.identity)) return false;
    const std::vector<CheckpointRecord> kept = unfinished_.checkpoints();
    if (kept.empty()) return false;
    std::string without;
    for (const char* key : {kPicturesKey, kReportKey})
        if (wanted.identity.at(key) != "false") without += fmt::format(" --set {}=false", key);
    if (!without.empty() && std::ranges::any_of(kept, [](const auto& record) { return record.wavefields > 0; }))
        refuse_folder(
            path_, fmt::format("it holds the unfinished survey of a shorter record, begun {}:\n{}\n  pictures and "
                               "report take wavefields at times that depend on the length: go on from its checkpoints "
                               "with{}, choose another folder with --output, or begin anew with --force",
                               found.started_utc, differences(found.identity, wanted.identity), without));
    refuse_another_run(path_, wanted.identity);
    refuse_results(path_, overwrite_);
    const std::size_t finished = ShotTable(unfinished_.table()).all_finished().size();
    unfinished_.begin_again_with_checkpoints(wanted, shots);
    lengthened_ = "the record is longer than that of the run before, whose checkpoints shots go on from";
    if (finished > 0)
        lengthened_ += fmt::format("; {} finished, whose last wavefields are not kept, {} computed again",
                                   finished == 1 ? "1 shot that was" : fmt::format("{} shots that were", finished),
                                   finished == 1 ? "is" : "are");
    return true;
}

void RunFolder::refuse_another_survey(const Beginning& found, const Identity& wanted) const {
    if (!overwrite_ && unfinished_.holds_work())
        refuse_folder(
            path_,
            fmt::format("it holds the unfinished survey of another configuration, begun {}:\n{}\n  restore what "
                        "differs to resume it, choose another folder with --output, or drop its shots with --force",
                        found.started_utc, differences(found.identity, wanted)));
}

/// Lets processes in that compute the same survey.
void RunFolder::share() {
    const auto before = unfinished_.beginning();
    if (!lock_shared(lock_)) refuse_folder(path_, kAnotherRun);
    // A lock is changed by giving it up for a moment. A survey that has gone by now was ended by another process.
    const auto now = unfinished_.beginning();
    if (before && now && now->run_id != before->run_id) refuse_folder(path_, kAnotherRun);
    alone_ = false;
}

void RunFolder::give_up() noexcept {
    try {
        if (flock(lock_.id(), LOCK_EX | LOCK_NB) == 0 && !unfinished_.holds_work()) unfinished_.remove();
    } catch (...) {
        return;  // it stays, and is no obstacle to a later run
    }
}

void RunFolder::close_survey(bool keeps_shots) const {
    if (keeps_shots) {
        unfinished_.sync_shots();
        unfinished_.keep_shots_as(path_ / kShotsName);
    } else
        unfinished_.remove();
    sync_folder(path_);
}

std::vector<FileRecord> RunFolder::publish(std::vector<AtomicFile> files,
                                           const std::function<std::string(const FileList&)>& summary,
                                           const std::vector<FileRecord>& kept,
                                           const std::function<std::vector<AtomicFile>(const std::string&)>& tell) {
    FileList list;
    const auto add = [&list](AtomicFile& file) {
        throw_if_interrupted();
        file.finish();  // files of shots need not have been synced
        list.files.push_back(record_of(file.temporary(), file.path().filename().string()));
    };
    for (AtomicFile& file : files) add(file);
    if (tell)
        for (AtomicFile& file : tell(summary(list))) {
            add(file);
            files.push_back(std::move(file));
        }
    list.files.insert(list.files.end(), kept.begin(), kept.end());
    list.files.insert(list.files.end(), {{kLogName, 0, ""}, {kSummaryName, 0, ""}});
    // Looked at again: hours may have passed.
    const EarlierRun earlier(path_);
    if (overwrite_) earlier.refuse_foreign_files();
    std::vector<std::string> surplus = earlier.proven_shot_files();
    const auto is_new = [&files](const FileRecord& record) {
        return std::ranges::any_of(files,
                                   [&](const AtomicFile& file) { return file.path().filename() == record.name; });
    };
    for (const FileRecord& record : earlier.records())
        if (!is_new(record) && earlier.proves(record.name)) surplus.push_back(record.name);

    const FileList unfinished{false, list.files, earlier.records()};
    AtomicFile first = stage_text_file(path_ / kSummaryName, sealed(summary(unfinished)), overwrite_);
    AtomicFile last = stage_text_file(path_ / kSummaryName, sealed(summary(list)), true);  // over the first one
    throw_if_interrupted();

    const Uninterrupted together;
    publishes_ = true;
    first.rename();
    sync_folder(path_);
    for (AtomicFile& file : files) file.rename();
    for (const std::string& name : surplus)
        if (::unlink((path_ / name).c_str()) != 0 && errno != ENOENT)
            throw_system_fault(creation_fault(errno), path_ / name, "cannot remove what an earlier run left", errno);
    ::rmdir((path_ / kShotsName).c_str());  // if nothing is left in it
    sync_folder(path_);
    last.rename();
    sync_folder(path_);
    return list.files;
}

}  // namespace onda
