// SEG-Y and SU of a survey hold the traces of seismograms.h5, ordered by shot and receiver, in one file, however many
// and large the shots are. A run leaves the same bytes whenever, and by whomever, it is computed.
// Takes 7 s.
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "io/results/seismograms.hpp"
#include "io/results/trace_file.hpp"
#include "tests/program/program.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;
using Json = nlohmann::json;

namespace {

using Path = std::filesystem::path;

void run_with_traces(const Path& folder, const std::string& text, const std::vector<std::string>& more = {}) {
    if (!std::filesystem::exists(folder / "run.yaml")) write_text(folder / "run.yaml", text);  // others may read it
    std::vector<std::string> arguments{"run",      (folder / "run.yaml").string(),
                                       "--output", (folder / "out").string(),
                                       "--set",    "backend.name=cpu",
                                       "--set",    "output.seismograms.segy=ieee",
                                       "--set",    "output.seismograms.su=true",
                                       "--set",    "output.pictures=false",
                                       "--set",    "output.report=false"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_onda(arguments);
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
}

/// Whether a file of traces holds those of a shot from its n-th trace on.
void check_traces(const Path& file, TraceFormat format, const ShotGather& gather, std::int64_t first) {
    CAPTURE(file.string());
    const std::string bytes = text_of(file);
    const bool big_endian = format != TraceFormat::su;
    const auto word_at = [&](std::int64_t offset) {
        std::uint32_t word = 0;
        std::memcpy(&word, bytes.data() + offset, sizeof word);
        return big_endian ? __builtin_bswap32(word) : word;
    };
    for (std::int64_t r = 0; r < std::ssize(gather.receivers_m); ++r) {
        const std::int64_t trace = trace_file_bytes(format, first + r, gather.samples);
        REQUIRE(std::ssize(bytes) >= trace + 240 + 4 * gather.samples);
        CHECK(word_at(trace) == first + r + 1);
        CHECK(word_at(trace + 4) == first + r + 1);
        CHECK(word_at(trace + 8) == gather.shot);
        CHECK(word_at(trace + 12) == r + 1);
        bool equal = true;
        for (std::int64_t n = 0; n < gather.samples; ++n) {
            std::uint32_t wanted = 0;
            std::memcpy(&wanted, &gather.pressure[static_cast<std::size_t>(r * gather.samples + n)], sizeof wanted);
            equal = equal && word_at(trace + 240 + 4 * n) == wanted;
        }
        CHECK(equal);
    }
}

void check_survey(const Path& out) {
    std::int64_t before = 0, samples = 0;
    for (const std::int64_t shot : list_shots(out / "seismograms.h5")) {
        const ShotGather gather = read_gather(out / "seismograms.h5", shot);
        check_traces(out / "seismograms.segy", TraceFormat::segy_ieee, gather, before);
        check_traces(out / "seismograms.su", TraceFormat::su, gather, before);
        before += std::ssize(gather.receivers_m);
        samples = gather.samples;
    }
    const auto bytes_of = [&](const char* name) { return std::int64_t(std::filesystem::file_size(out / name)); };
    CHECK(bytes_of("seismograms.segy") == trace_file_bytes(TraceFormat::segy_ieee, before, samples));
    CHECK(bytes_of("seismograms.su") == trace_file_bytes(TraceFormat::su, before, samples));
}

/// The names that a summary lists with their hashes.
std::set<std::string> listed_in(const Path& out) {
    std::set<std::string> names;
    const Json summary = Json::parse(text_of(out / "summary.json"));
    for (const Json& file : summary["files"])
        if (file.contains("hash")) names.insert(file["name"]);
    return names;
}

struct TraceFiles {
    explicit TraceFiles(const Path& out)
        : segy(text_of(out / "seismograms.segy")), su(text_of(out / "seismograms.su")) {}
    bool operator==(const TraceFiles&) const = default;
    std::string segy, su;
};

}  // namespace

TEST_CASE("a run of one shot and one of two leave the traces of their seismograms, and the same bytes again") {
    for (const std::string& text : {kSmall2d, kSmall3d}) {
        const TemporaryFolder folder;
        run_with_traces(folder.path(), text);
        const Path out = folder.path() / "out";
        check_survey(out);
        const std::string segy = text_of(out / "seismograms.segy"), su = text_of(out / "seismograms.su");
        CHECK(listed_in(out).contains("seismograms.segy"));
        CHECK(listed_in(out).contains("seismograms.su"));
        run_with_traces(folder.path(), text, {"--force", "--threads", "1"});
        CHECK(text_of(out / "seismograms.segy") == segy);
        CHECK(text_of(out / "seismograms.su") == su);
        // Without them they go: the summary proves that they are Onda's.
        run_with_traces(folder.path(), text, {"--force", "--set", "output.seismograms.su=false"});
        CHECK_FALSE(std::filesystem::exists(out / "seismograms.su"));
        CHECK(std::filesystem::exists(out / "seismograms.segy"));
    }
}

TEST_CASE("of many shots there is one file, the same when the survey is resumed in batches, or shared") {
    const TemporaryFolder whole, resumed, shared;
    run_with_traces(whole.path(), kUnequalShots);
    const Path out = whole.path() / "out";
    check_survey(out);
    CHECK(std::filesystem::exists(out / "shots" / "00003.seismograms.h5"));
    for (const auto& entry : std::filesystem::directory_iterator(out / "shots"))
        CHECK((entry.path().extension() == ".h5" || entry.path().filename() == "shots.csv"));
    CHECK(listed_in(out).contains("seismograms.segy"));
    CHECK(listed_in(out).contains("seismograms.su"));
    CHECK(contains(text_of(out / "onda.log"), "seismograms.segy"));
    const TraceFiles wanted(out);

    run_with_traces(resumed.path(), kUnequalShots, {"--shots", "1-9"});
    REQUIRE(std::filesystem::remove(resumed.path() / "out" / "unfinished" / "00003.seismograms.h5"));
    run_with_traces(resumed.path(), kUnequalShots, {"--set", "backend.batch=7", "--threads", "2"});
    CHECK(TraceFiles(resumed.path() / "out") == wanted);

    std::thread other([&] { run_with_traces(shared.path(), kUnequalShots, {"--threads", "1"}); });
    run_with_traces(shared.path(), kUnequalShots, {"--threads", "1"});
    other.join();
    CHECK(TraceFiles(shared.path() / "out") == wanted);
}

TEST_CASE("of shots with large snapshots there is one file, too") {
    const TemporaryFolder folder;
    run_with_traces(folder.path(), R"(schema_version: 1
grid: {shape: [601, 501], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.08, dt_s: 0.002}
wavelet: {type: ricker, peak_frequency_hz: 10}
sources: [{type: line, first_m: [500, 100], last_m: [1500, 100], count: 2}]
receivers: [{type: line, first_m: [100, 50], last_m: [5900, 50], count: 81}]
output: {pictures: false, report: false, snapshots: {every_steps: 1}}
)");
    const Path out = folder.path() / "out";
    CHECK(std::filesystem::exists(out / "shots" / "00002.snapshots.h5"));
    check_survey(out);
}

TEST_CASE("a sampling that was changed is that of all files") {
    const TemporaryFolder folder;
    run_with_traces(folder.path(), kSmall2d,
                    {"--set", "output.seismograms.dt_s=0.0015004", "--set", "output.seismograms.unfit_dt=resample"});
    CHECK(read_gather(folder.path() / "out" / "seismograms.h5", 1).dt_s == 0.0015);
    check_survey(folder.path() / "out");
}
