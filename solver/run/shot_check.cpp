#include "solver/run/shot_check.hpp"

#include <algorithm>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <string>
#include <vector>

#include "io/files/interruption.hpp"
#include "io/text/bytes_text.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "solver/program/loop_failure.hpp"
#include "solver/run/run_files.hpp"
#include "solver/run/unfinished.hpp"
#include "solver/tasks/shot_in_progress.hpp"

namespace onda {
namespace {

struct Looked {
    std::size_t shot;
    ShotRecord record;
    std::optional<std::string> fault;
};

std::int64_t bytes_of(const std::vector<Looked>& shots) {
    std::int64_t bytes = 0;
    for (const Looked& shot : shots)
        for (const FileRecord& file : shot.record.files) bytes += file.bytes;
    return bytes;
}

/// The numbers of shots as --shots takes them: "2,5-9". \param ids in ascending order.
std::string selection_of(const std::vector<std::int64_t>& ids) {
    std::string text;
    for (std::size_t first = 0, next = 0; first < ids.size(); first = next) {
        for (next = first + 1; next < ids.size() && ids[next] == ids[next - 1] + 1;) ++next;
        text += (text.empty() ? "" : ",") + std::to_string(ids[first]);
        if (next - first > 1) text += "-" + std::to_string(ids[next - 1]);
    }
    return text;
}

}  // namespace

void refuse_damaged_results(const std::filesystem::path& folder) {
    if (!EarlierRun(folder).proves(kKeptTableName)) return;
    const RunOutputs none({});
    const ShotFiles files(none, folder / kShotsName, {});
    const ShotTable table(folder / kKeptTableName, ShotTable::Access::read);
    std::string first;
    std::vector<std::int64_t> shots;
    for (const ShotRecord& record : table.all_finished()) {
        const auto fault = files.fault_of(record, LookAt::sizes);
        if (!fault) continue;
        if (shots.empty()) first = *fault;
        shots.push_back(record.shot);
    }
    if (shots.empty()) return;
    std::ranges::sort(shots);
    const std::string all = selection_of(shots);
    std::string advice = "move what is damaged away and compute all shots again with --force";
    if (shots.size() < table.size())  // or the other folder would hold a complete survey, too
        advice = fmt::format(
            "run the same command with --shots {} and another folder as --output, and copy the files of these shots "
            "from "
            "its folder {} to {}; or {}",
            all, kUnfinishedName, shown(folder / kShotsName), advice);
    throw Error(
        ExitCode::bad_data,
        fmt::format("{}: the results of this run were complete, but {}/{}\n  shots of which files are missing or "
                    "damaged: {}\n  {}",
                    shown(folder), kShotsName, first, all, advice));
}

std::size_t ShotCheck::forget_lost() {
    return forget(LookAt::sizes, {});
}

std::size_t ShotCheck::forget_damaged(bool anew) {
    std::set<std::size_t> known;
    for (std::size_t i = 0; i < table_.size() && !anew; ++i)
        if (intact_.contains(i) || table_.finished_here(i)) known.insert(i);
    return forget(LookAt::contents, known);
}

std::size_t ShotCheck::forget(LookAt look, const std::set<std::size_t>& but) {
    constexpr std::int64_t long_bytes = 2'000'000'000;  // seconds of reading
    std::vector<Looked> shots;
    for (std::size_t i = 0; i < table_.size(); ++i)
        if (!but.contains(i))
            if (auto record = table_.finished(i)) shots.push_back({i, std::move(*record), {}});
    if (const std::int64_t bytes = bytes_of(shots); look == LookAt::contents && bytes > long_bytes)
        log_.info(fmt::format("checking  the files of {} finished shots, {}", shots.size(), bytes_text(bytes)));
    if (shots.empty()) return 0;
    LoopFailure failure;
#pragma omp parallel for schedule(dynamic) num_threads(finishing_threads(std::ssize(shots)))
    for (std::size_t i = 0; i < shots.size(); ++i)
        failure.guard([&] {
            throw_if_interrupted();
            table_.renew_end();
            shots[i].fault = files_.fault_of(shots[i].record, look);
        });
    failure.rethrow();
    std::size_t forgotten = 0;
    for (const Looked& shot : shots) {
        if (!shot.fault) {
            if (look == LookAt::contents) intact_.insert(shot.shot);
            continue;
        }
        intact_.erase(shot.shot);
        table_.renew_end();
        if (!table_.forget(shot.shot, shot.record, [&] { return files_.fault_of(shot.record, look).has_value(); })) {
            if (look == LookAt::contents) intact_.insert(shot.shot);
            continue;
        }
        ++forgotten;
        log_.warn(fmt::format("{}: shot {} is to be computed again", *shot.fault, shot.record.shot));
    }
    return forgotten;
}

}  // namespace onda
