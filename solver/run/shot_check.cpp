#include "solver/run/shot_check.hpp"

#include <optional>
#include <spdlog/fmt/fmt.h>
#include <string>
#include <vector>

#include "io/files/interruption.hpp"
#include "solver/plan/forecast.hpp"
#include "solver/program/loop_failure.hpp"
#include "solver/run/survey_run.hpp"

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

}  // namespace

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
        if (!table_.forget(shot.shot, shot.record)) continue;
        ++forgotten;
        log_.warn(fmt::format("{}: shot {} is to be computed again", *shot.fault, shot.record.shot));
    }
    return forgotten;
}

}  // namespace onda
