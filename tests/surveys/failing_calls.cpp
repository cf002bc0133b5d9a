// Whatever call that changes a file fails, or call of HDF5, once or from then on, and wherever a disk becomes full: a
// run ends with a message and an exit code of its own, or goes on if only a checkpoint or the log is lost; what has a
// final name is whole; and the same command completes the run later, to the same files. Takes 25 s.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "io/files/atomic_file.hpp"
#include "solver/run/run_files.hpp"
#include "solver/run/unfinished.hpp"
#include "solver/tasks/checkpoint_file.hpp"
#include "tests/sanitized.hpp"
#include "tests/surveys/kept_steps.hpp"
#include "tests/surveys/survey_place.hpp"

using namespace onda;

namespace {

struct TriedSurvey {
    std::string config;
    std::int64_t shots;
};

/// In two batches, with results of all kinds.
const TriedSurvey kVariedResults{R"(schema_version: 1
grid: {shape: [41, 31], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 200, vp_m_s: 2200}]}
time: {duration_s: 4}
boundary: {cpml_width: 6}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{type: line, first_m: [40, 50], last_m: [360, 50], count: 3}]
receivers: [{type: line, first_m: [20, 20], last_m: [380, 20], count: 9}]
output: {snapshots: {every_s: 0.5}, seismograms: {dt_s: 0.01, segy: ieee}}
backend: {threads: 1, batch: 2, kernel: vectorised}
)",
                                 3};

/// With so few calls of HDF5 that every one can be tried.
const TriedSurvey kFewCalls{R"(schema_version: 1
grid: {shape: [21, 17], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}]}
time: {duration_s: 0.2}
boundary: {cpml_width: 6}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{position_m: [40, 50]}]
receivers: [{position_m: [100, 20]}]
output: {pictures: false, report: false, snapshots: {times_s: [0.1]}}
backend: {threads: 1, kernel: vectorised}
)",
                            1};

struct Reason {
    std::string name;
    int error;
};
const Reason kReasons[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EDQUOT", EDQUOT}, {"EROFS", EROFS}};

struct Fault {
    Reason reason = kReasons[0];
    long call = 0;    ///< from 1; 0: none by its number
    bool on = false;  ///< all later calls fail, too
    long disk_bytes = -1;
    bool report = true;
    std::string kind{}, name{};  ///< of the calls that count, and in the paths of their files
    bool of_hdf5 = false;        ///< calls of the HDF5 library, which tells no reason
    const TriedSurvey* survey = &kVariedResults;
};

struct Met {
    Outcome outcome;
    long calls = 0;
    std::string call;            ///< the first one that failed
    std::filesystem::path path;  ///< its file; empty where none failed
};

std::vector<std::string> varied_command(const Fault& fault) {
    std::vector<std::string> more{"--set", "checkpoint.every_minutes=0.0001"};
    if (!fault.report) more.insert(more.end(), {"--set", "output.report=false"});
    return more;
}

Met run_with(const SurveyPlace& place, const Fault& fault, const std::vector<std::string>& more = {}) {
    const TemporaryFolder told;
    const std::string count = told.path() / "count", where = told.path() / "where";
    std::string under =
        "timeout -s KILL 120 env LD_PRELOAD=" + quoted(fault.of_hdf5 ? ONDA_FAILING_HDF5 : ONDA_FAILING_DISK) +
        " ONDA_FAIL_IN=" + quoted(place.folder.path()) + " ONDA_FAIL_COUNT=" + quoted(count) +
        " ONDA_FAIL_WHERE=" + quoted(where) + " ONDA_FAIL_WITH=" + fault.reason.name +
        " ONDA_FAIL_AT=" + std::to_string(fault.call);
    if (fault.on) under += " ONDA_FAIL_ON=1";
    if (fault.disk_bytes >= 0) under += " ONDA_DISK_BYTES=" + std::to_string(fault.disk_bytes);
    if (!fault.kind.empty()) under += " ONDA_FAIL_CALL=" + fault.kind;
    if (!fault.name.empty()) under += " ONDA_FAIL_NAME=" + fault.name;
    std::vector<std::string> arguments = varied_command(fault);
    arguments.insert(arguments.end(), more.begin(), more.end());
    Met met;
    met.outcome = place.run(arguments, "out", under);
    if (std::filesystem::exists(count)) met.calls = std::stol(text_of(count));
    if (!std::filesystem::exists(where)) return met;
    const std::string call = text_of(where);
    if (fault.of_hdf5) {
        met.call = call;
        return met;
    }
    met.call = call.substr(0, call.find(' '));
    met.path = call.substr(call.find(' ') + 1);
    return met;
}

std::string final_name_in(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    return std::string(final_name_of(name).value_or(name));
}

/// What a run can do without. Where a log cannot be opened, no result could be.
bool is_dispensable(const Met& met) {
    const std::string name = final_name_in(met.path);
    return name.empty() || (name == kLogName && met.call != "open") || is_checkpoint_name(name);
}

/// That a run has left what one without faults leaves.
void check_left(const SurveyPlace& place, const TriedSurvey& survey) {
    static std::map<const TriedSurvey*, LeftOfRun> without_faults;
    if (!without_faults.contains(&survey)) {
        const SurveyPlace undisturbed(survey.config);
        REQUIRE(undisturbed.run().code == 0);
        without_faults[&survey] = left_in(undisturbed.out(), survey.shots);
    }
    CHECK(left_in(place.out(), survey.shots) == without_faults[&survey]);
}

/// Results under their final names are those that the summary lists, and nobody has left a file that is not whole.
void check_names(const SurveyPlace& place) {
    CHECK(partial_files(place.folder.path()).empty());
    if (!std::filesystem::exists(place.out())) return;
    const EarlierRun run(place.out());
    for (const auto& entry : std::filesystem::directory_iterator(place.out())) {
        const std::string name = entry.path().filename();
        if (name == kLogName || name == kUnfinishedName || name == "summary.json") continue;
        CHECK_MESSAGE(run.proves(name), name);
    }
    if (!run.has_identity()) return;
    for (const FileRecord& file : run.records()) CHECK_MESSAGE(run.proves(file.name), file.name);
}

/// HDF5 sets itself up without a file, and what fails then is taken for want of memory.
void check_hdf5_fault(const SurveyPlace& place, const Met& met, const TriedSurvey& survey) {
    if (met.outcome.code == 0) return check_left(place, survey);
    CHECK(!met.call.empty());
    const std::size_t error = met.outcome.err.find("error: ");
    REQUIRE(error != std::string::npos);
    const std::string message = met.outcome.err.substr(error);
    CHECK(contains(message, met.outcome.code == 71 ? "cannot set up the HDF5 library" : place.out().string()));
}

/// \returns the exit code.
int check_fault(const Fault& fault) {
    const SurveyPlace place(fault.survey->config);
    const Met met = run_with(place, fault);
    const int code = met.outcome.code;
    INFO(fault.reason.name << " at call " << fault.call << std::string(fault.on ? " and after, " : ", ")
                           << fault.disk_bytes << " bytes, report " << fault.report << "; first: " << met.call << " "
                           << met.path.string() << ", exit code " << code << "\n"
                           << met.outcome.err);
    CHECK((code == 0 || code == 73 || code == 74 || (code == 71 && fault.of_hdf5)));
    check_names(place);
    if (fault.of_hdf5) {
        check_hdf5_fault(place, met, *fault.survey);
    } else if (code == 0) {
        check_left(place, *fault.survey);
        if (is_checkpoint_name(final_name_in(met.path))) CHECK(contains(met.outcome.err, "no checkpoint: "));
        if (final_name_in(met.path) == kLogName) CHECK(contains(met.outcome.err, "the log ends here: "));
    } else {
        CHECK(!met.path.empty());
        CHECK((fault.on || fault.disk_bytes >= 0 || !is_dispensable(met)));
        const std::size_t error = met.outcome.err.find("error: ");
        REQUIRE(error != std::string::npos);
        const std::string message = met.outcome.err.substr(error);
        CHECK(contains(message, std::strerror(fault.reason.error)));
        CHECK(contains(message, place.out().string()));
        if (!fault.on && fault.disk_bytes < 0) CHECK(contains(message, final_name_in(met.path)));
    }
    const Outcome later = place.run(varied_command(fault));
    CAPTURE(later.err);
    CHECK(later.code == 0);
    check_left(place, *fault.survey);
    CHECK(!std::filesystem::exists(place.unfinished()));
    check_names(place);
    return code;
}

void check_without_checkpoints(const Fault& fault) {
    const SurveyPlace place(fault.survey->config);
    const Met met = run_with(place, fault, {"--shots", "1-2"});
    INFO(fault.kind << " " << fault.call << std::string(fault.on ? " and after" : "") << " of " << fault.name
                    << "; first: " << met.path.string() << "\n"
                    << met.outcome.err);
    CHECK(met.outcome.code == 0);
    CHECK(!met.path.empty());
    CHECK(contains(met.outcome.err, "no checkpoint: " + place.unfinished().string()));
    CHECK(contains(met.outcome.err, std::strerror(fault.reason.error)));
    for (const auto& entry : std::filesystem::directory_iterator(place.unfinished()))
        CHECK_MESSAGE(!is_checkpoint_name(final_name_in(entry.path())), entry.path().string());
    CHECK(place.run(varied_command(fault)).code == 0);
    check_left(place, *fault.survey);
}

/// From one call that is tried to the next: with ONDA_EVERY_CALL=1 all are, with 10 every tenth.
long stride_of(long calls, long tried) {
    const char* const every = std::getenv("ONDA_EVERY_CALL");
    return every != nullptr ? std::max(1L, std::atol(every)) : calls / tried + 1;
}

void tell_codes(const std::string& what, const std::map<int, int>& codes) {
    std::string text;
    for (const auto& [code, times] : codes) text += " " + std::to_string(times) + " x " + std::to_string(code);
    MESSAGE(what, ", by exit code:", text);
}

void try_calls(bool on, long tried, bool of_hdf5 = false, const TriedSurvey& survey = kVariedResults) {
    const SurveyPlace place(survey.config);
    Fault none;
    none.of_hdf5 = of_hdf5;
    none.survey = &survey;
    const Met whole = run_with(place, none);
    REQUIRE(whole.outcome.code == 0);
    REQUIRE(whole.calls > 300);
    std::map<int, int> codes;
    const long stride = stride_of(whole.calls, tried);
    for (long n = 1; n <= whole.calls; n += stride) {
        const long turn = n / stride;
        ++codes[check_fault({kReasons[static_cast<std::size_t>(turn) % std::size(kReasons)],
                             n,
                             on,
                             -1,
                             turn % 3 != 0,
                             {},
                             {},
                             of_hdf5,
                             &survey})];
    }
    tell_codes(
        std::to_string(whole.calls) + " calls" + (of_hdf5 ? " of HDF5" : "") + (on ? ", each and all after it" : ""),
        codes);
}

}  // namespace

TEST_CASE("each call that fails ends a run with its reason, or is told, and the run completes later") {
    if (test::kSanitized) return;  // their library has to come first
    try_calls(false, 16);
}

TEST_CASE("so do all calls from one on") {
    if (test::kSanitized) return;
    try_calls(true, 8);
}

TEST_CASE("each call of the HDF5 library that fails does, too, and all from one on") {
    if (test::kSanitized) return;
    try_calls(false, 16, true);
    try_calls(true, 4, true);
}

TEST_CASE("each call of the HDF5 library in a small run") {
    if (test::kSanitized) return;
    try_calls(false, 6, true, kFewCalls);
}

TEST_CASE("all calls of the HDF5 library from one on, in a small run") {
    if (test::kSanitized) return;
    try_calls(true, 3, true, kFewCalls);
}

TEST_CASE("so does a disk of any size") {
    if (test::kSanitized) return;
    constexpr long sizes = 64, step = 18'000;  // a run writes a megabyte
    std::map<int, int> codes;
    for (long i = 0; i < sizes; i += stride_of(sizes, 6))
        ++codes[check_fault({kReasons[i % 4 == 2 ? 2 : 0], 0, false, i * step + i * i % 4096, i % 3 != 0})];
    tell_codes("disks", codes);
}

namespace {

/// With a model, receivers and a wavelet of files.
const std::string kReadFromFiles = R"(schema_version: 1
grid: {shape: [41, 31], spacing_m: 10}
model: {type: file, file: vp.h5}
time: {duration_s: 1}
boundary: {cpml_width: 6}
wavelet: {type: file, file: signal.csv}
sources: [{type: line, first_m: [40, 50], last_m: [90, 50], count: 2}]
receivers: [{type: file, file: receivers.csv}]
output: {pictures: false, report: false, snapshots: {every_s: 0.1}}
backend: {threads: 1, batch: 2, kernel: vectorised}
)";

/// A survey that was stopped, and the folder that holds it then.
struct StoppedSurvey : SurveyPlace {
    StoppedSurvey() : SurveyPlace(kReadFromFiles) {
        const std::filesystem::path& here = folder.path();
        const std::vector<float> vp(41 * 31, 2000.f);
        write_text(here / "vp.f32", std::string(reinterpret_cast<const char*>(vp.data()), vp.size() * sizeof(float)));
        REQUIRE(run_onda({"convert", here / "vp.f32", here / "vp.h5", "--shape", "41", "31", "--axes", "xz",
                          "--spacing-m", "10"})
                    .code == 0);
        write_text(here / "receivers.csv", "x,z\n100,20\n200,20\n300,20\n");
        std::string signal = "time_s,amplitude\n";
        for (int n = 0; n <= 100; ++n) {
            const double t = 0.002 * n, a = 12. * 3.14159265 * (t - 0.1);
            signal += std::to_string(t) + "," + std::to_string((1. - 2. * a * a) * std::exp(-a * a)) + "\n";
        }
        write_text(here / "signal.csv", signal);
        REQUIRE(run({}, "whole").code == 0);
        REQUIRE(stop_on_the_way(*this, {"--set", "checkpoint.every_minutes=0.00001"}, SIGTERM));
        std::filesystem::copy(out(), out("stopped"), std::filesystem::copy_options::recursive);
    }
    void go_back() const {
        std::filesystem::remove_all(out());
        std::filesystem::copy(out("stopped"), out(), std::filesystem::copy_options::recursive);
    }
};

}  // namespace

TEST_CASE("each read that fails is told, and the run completes then or later") {
    if (test::kSanitized) return;
    const StoppedSurvey place;
    const LeftOfRun whole = left_in(place.out("whole"), 2);
    const auto run = [&](long call) {
        const auto where = place.folder.path() / "where", count = place.folder.path() / "count";
        std::filesystem::remove(where);
        Met met;
        met.outcome = place.run({}, "out",
                                "timeout -s KILL 120 env LD_PRELOAD=" + quoted(ONDA_FAILING_DISK) +
                                    " ONDA_FAIL_IN=" + quoted(place.folder.path()) + " ONDA_FAIL_CALL=read" +
                                    " ONDA_FAIL_AT=" + std::to_string(call) + " ONDA_FAIL_WHERE=" + quoted(where) +
                                    " ONDA_FAIL_COUNT=" + quoted(count));
        met.calls = std::stol(text_of(count));
        if (std::filesystem::exists(where)) met.path = text_of(where).substr(std::string("read ").size());
        return met;
    };
    const long calls = run(0).calls;
    REQUIRE(calls > 20);
    std::map<int, int> codes;
    for (long n = 1; n <= calls; n += stride_of(calls, 16)) {
        place.go_back();
        const Met met = run(n);
        const int code = met.outcome.code;
        INFO("read " << n << " of " << met.path.string() << ": exit code " << code << "\n" << met.outcome.err);
        ++codes[code];
        CHECK((code == 0 || code == 74));
        // The process that reads HDF5 files may write none, so as to tell where it was.
        if (code != 0)
            CHECK(contains(met.outcome.err, met.path.empty() ? std::strerror(EIO) : final_name_in(met.path)));
        CHECK(partial_files(place.out()).empty());
        if (code != 0) CHECK(place.run({}).code == 0);
        CHECK(left_in(place.out(), 2) == whole);
        CHECK(!std::filesystem::exists(place.unfinished()));
    }
    tell_codes(std::to_string(calls) + " reads", codes);
}

TEST_CASE("a file system that cannot rename without replacing gives second names instead") {
    if (test::kSanitized) return;
    const Reason unknown{"EINVAL", EINVAL};
    const auto fault_of_init = [&](bool on) {
        const TemporaryFolder folder;
        const Outcome outcome = run_onda(
            {"init", "-o", folder.path() / "first.yaml"}, "true",
            "env LD_PRELOAD=" + quoted(ONDA_FAILING_DISK) + " ONDA_FAIL_IN=" + quoted(folder.path()) +
                " ONDA_FAIL_CALL=rename ONDA_FAIL_AT=1 ONDA_FAIL_WITH=" + unknown.name + (on ? " ONDA_FAIL_ON=1" : ""));
        CHECK(partial_files(folder.path()).empty());
        CHECK(std::filesystem::exists(folder.path() / "first.yaml") == (outcome.code == 0));
        return outcome;
    };
    CHECK(fault_of_init(false).code == 0);
    const Outcome none = fault_of_init(true);
    CHECK((none.code == 73 || none.code == 74));
    CHECK(contains(none.err, "first.yaml: cannot give the file its name"));
    CHECK(contains(none.err, std::strerror(EINVAL)));
}

TEST_CASE("a second name that cannot be opened goes again") {
    if (test::kSanitized) return;
    CHECK(check_fault({kReasons[3], 1, false, -1, true, "open", "/out/gather.png"}) == 74);
}

TEST_CASE("a checkpoint that fails ends no run, and leaves no file when its shots are finished") {
    if (test::kSanitized) return;
    const auto check = [](const std::string& kind, const std::string& name, long call, bool on) {
        check_without_checkpoints({kReasons[static_cast<std::size_t>(call)], call, on, -1, true, kind, name});
    };
    for (const std::string kind : {"open", "write", "sync", "rename"}) check(kind, ".checkpoint", 1, true);
    check("rename", ".checkpoint", 2, false);  // the first shot of the batch has its file, the second has none
    for (const std::string kind : {"open", "write", "sync"}) check(kind, ".frames", 1, true);
}
