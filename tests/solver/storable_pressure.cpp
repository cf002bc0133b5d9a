// No file of a run holds anything but numbers: what single precision cannot hold is an error with place and time.
// Takes 1 s.
#include <algorithm>
#include <limits>

#include "io/hdf5/hdf5.hpp"
#include "io/results/seismograms.hpp"
#include "io/results/snapshots.hpp"
#include "io/results/stored_pressure.hpp"
#include "tests/program/process.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN(),
                kLargest = std::numeric_limits<float>::max();

/// Runs kSmall2d in `precision` with an amplitude and more settings.
struct ProgramRun {
    ProgramRun(const std::string& precision, const std::string& amplitude, const std::vector<std::string>& settings) {
        write_text(folder.path() / "small.yaml", kSmall2d);
        std::vector<std::string> arguments{
            "run",   folder.path() / "small.yaml",    "--output", out(),
            "--set", "scheme.precision=" + precision, "--set",    "sources[0].amplitude=" + amplitude};
        for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
        outcome = run_onda(arguments);
    }
    [[nodiscard]] std::filesystem::path out() const { return folder.path() / "out"; }
    void check_refused(const std::vector<std::string>& parts) const {
        CAPTURE(outcome.err);
        CHECK(outcome.code == 77);
        for (const std::string& part : parts) CHECK_MESSAGE(contains(outcome.err, part), part);
        for (const auto& entry : std::filesystem::directory_iterator(out()))
            CHECK(entry.path().filename() == "onda.log");
        CHECK(contains(text_of(out() / "onda.log"), "lower sources[].amplitude"));
    }
    TemporaryFolder folder;
    Outcome outcome;
};

const std::string kOnlySeismograms = "output={pictures: false}",
                  kOnlySnapshots = "output={pictures: false, snapshots: {times_s: [0.1, 0.2]}}",
                  kOnlyPictures = "output={pictures: true}";

}  // namespace

TEST_CASE("the first value that cannot be stored is told, wherever it is") {
    for (const float bad : {kInfinity, -kInfinity, kNan})
        for (const std::size_t size : {1u, 7u, 64u, 1001u})
            for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
                std::vector<float> values(size, kLargest);
                CHECK(storable(std::span<const float>(values)));
                values[at] = bad;
                CHECK(!storable(std::span<const float>(values)));
                values.back() = at == size - 1 ? bad : kNan;
                const auto place = [](std::size_t index) { return "value " + std::to_string(index); };
                const Error fault = fault_of([&] { require_storable(std::span<const float>(values), place); });
                CHECK(fault.code() == ExitCode::unstable);
                CHECK(contains(fault.what(), "value " + std::to_string(at) + ": the pressure is "));
            }
    const std::vector<double> exact{1e-300, -3.4028234e38, 3.5e38};
    CHECK(storable(std::span(exact).first(2)));
    CHECK(contains(message_of([&] { require_storable(std::span(exact), [](std::size_t) { return "x"; }); }),
                   "3.5e+38 Pa, and single precision ends at 3.4028235e+38"));
}

TEST_CASE("a gather with a sample that cannot be stored is refused with shot, receiver and time") {
    const TemporaryFolder folder;
    ShotGather gather{4, {{1., 2., 3.}}, {{10., 0., 5.}, {20., 0., 5.}}, 0.002, 100, std::vector<float>(200, kLargest)};
    SeismogramWriter(folder.path() / "good.h5", {}, false).write(gather);
    for (const float bad : {kInfinity, -kInfinity, kNan}) {
        gather.pressure[150] = bad;
        SeismogramWriter writer(folder.path() / "s.h5", {}, false);
        const Error fault = fault_of([&] { writer.write(gather); });
        CHECK(fault.code() == ExitCode::unstable);
        CHECK(contains(fault.what(), "shot 4, receiver 2 of 2 at (20, 0, 5) m, t = 0.1 s: the pressure is "));
    }
}

TEST_CASE("a snapshot with a value that cannot be stored is refused with shot, time and position") {
    const TemporaryFolder folder;
    const FileGeometry geometry{3, {5, 4, 3}, {2., 3., 5.}, {100., 200., 300.}};
    std::vector<float> values(60, -kLargest);
    SnapshotWriter writer(folder.path() / "s.h5", geometry, {}, false);
    writer.begin_shot(7, 2);
    writer.write(0., values);
    values[2 * 20 + 1 * 5 + 4] = -kInfinity;
    const Error fault = fault_of([&] { writer.write(0.25, values); });
    CHECK(fault.code() == ExitCode::unstable);
    CHECK(contains(fault.what(), "shot 7, snapshot at t = 0.25 s, (108, 203, 310) m: the pressure is -inf Pa"));
}

TEST_CASE("double precision with an amplitude beyond single precision ends with place, time and value") {
    const ProgramRun seismograms("double", "1e40", {kOnlySeismograms});
    seismograms.check_refused(
        {"shot 1, receiver ", " of 7 at (", " m, t = 0.", "e+38 Pa, and single precision ends at 3.4028235e+38"});
    CHECK(!contains(seismograms.outcome.err, "inf Pa"));  // the value itself, which double precision has
    ProgramRun("double", "1e40", {kOnlySnapshots}).check_refused({"shot 1, snapshot at t = 0.1", "the pressure is "});
    ProgramRun("double", "1e40", {kOnlyPictures}).check_refused({"shot 1, picture of the plane xz at t = 0.1", " m: "});
    ProgramRun("double", "1e300", {kOnlySeismograms}).check_refused({"the pressure is "});
    // Without the correction and at the time step of the run.
    ProgramRun("double", "1e40", {"output={pictures: false}", "time.dispersion_correction=false"})
        .check_refused({"shot 1, receiver "});
}

TEST_CASE("single precision with such an amplitude is not told to take double") {
    const ProgramRun run("float", "1e39", {kOnlySeismograms});
    run.check_refused({"likely cause: the source amplitudes may exceed what single precision holds"});
    CHECK(contains(run.outcome.err, "scheme.precision: double does not help"));
}

TEST_CASE("amplitudes up to what single precision holds are stored, in either precision") {
    for (const char* precision : {"float", "double"}) {
        const ProgramRun run(precision, "1e36", {kOnlySeismograms});
        CAPTURE(run.outcome.err);
        REQUIRE(run.outcome.code == 0);
        for (const std::int64_t shot : {1, 2}) {
            const ShotGather gather = read_gather(run.out() / "seismograms.h5", shot);
            CHECK(storable(std::span<const float>(gather.pressure)));
            CHECK(*std::ranges::max_element(gather.pressure) > 0.f);
        }
    }
}

TEST_CASE("pressure too small for single precision is warned of, on the screen and in the summary") {
    const ProgramRun faint("double", "1e-44", {kOnlySeismograms, "sources[1].amplitude=1e-44"});
    CAPTURE(faint.outcome.err);
    CHECK(faint.outcome.code == 0);
    CHECK(contains(faint.outcome.err, "warning: the largest |p| observed is "));
    CHECK(contains(text_of(faint.out() / "summary.json"), "loses digits of pressures below 1.2e-38 Pa"));
    CHECK(!contains(ProgramRun("double", "1e-30", {kOnlySeismograms, "sources[1].amplitude=1e-30"}).outcome.err,
                    "the largest |p|"));
}
