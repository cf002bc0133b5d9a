// A survey that is stopped within its shots goes on with a longer record, and leaves what a run of that record leaves;
// or it is refused before anything is lost. Takes 25 s.
#include <random>

#include "tests/surveys/kept_steps.hpp"
#include "tests/surveys/result_bytes.hpp"

using namespace onda;

namespace {

const std::string kShortRecord = R"(schema_version: 1
grid: {shape: [121, 91], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500, rho_kg_m3: 1000}, {top_m: 500, vp_m_s: 2200, rho_kg_m3: 2100}]}
time: {duration_s: 6}
boundary: {cpml_width: 10}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{type: line, first_m: [303, 55], last_m: [905, 55], count: 2}]
receivers: [{type: line, first_m: [20, 20], last_m: [1180, 20], count: 30}]
output: {pictures: false, report: false, snapshots: {every_s: 0.1}, seismograms: {segy: ieee}}
backend: {threads: 1, batch: 2}
)";

/// Which can be cut into slabs.
const std::string kVolume = R"(schema_version: 1
grid: {shape: [41, 37, 45], spacing_m: 10}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500, rho_kg_m3: 1000}, {top_m: 250, vp_m_s: 2200, rho_kg_m3: 2100}]}
time: {duration_s: 1.5}
boundary: {cpml_width: 8}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{type: line, first_m: [203, 188, 55], last_m: [253, 188, 55], count: 2}]
receivers: [{type: line, first_m: [20, 150, 20], last_m: [380, 150, 400], count: 30}]
output: {pictures: false, report: false, snapshots: {every_s: 0.5}, seismograms: {segy: ieee}}
backend: {threads: 1}
)";

using Arguments = std::vector<std::string>;

Arguments longer_by(Arguments more) {
    more.insert(more.begin(), {"--set", "time.duration_s=9"});
    return more;
}

const LeftOfRun& of_the_longer_record() {
    static const LeftOfRun left = [] {
        const SurveyPlace place(kShortRecord);
        REQUIRE(place.run(longer_by({})).code == 0);
        return left_in(place.out(), 2);
    }();
    return left;
}

}  // namespace

TEST_CASE("shots go on with a longer record, other threads, batches and kernels, to the bits of a run without a stop") {
    const SurveyPlace place(kShortRecord);
    REQUIRE(stop_on_the_way(place, {}, SIGTERM));
    const std::int64_t step = last_step_kept(place);
    Outcome last;
    SUBCASE("at once") {
        last = place.run(longer_by({"--set", "backend.batch=1"}));
        CHECK(contains(last.err, "going on  shot 1 from the checkpoint after step " + std::to_string(step) + " of"));
        CHECK(contains(last.err, "the record is longer than that of the run before"));
    }
    SUBCASE("and stopped once more") {
        CHECK(
            stop_on_the_way(place, longer_by({"--set", "backend.isa=generic", "--set", "backend.threads=2"}), SIGINT));
        CHECK(last_step_kept(place) > step);
        last = place.run(longer_by({}));
        CHECK(contains(last.err, "going on  shot"));
        CHECK(!contains(last.err, "the record is longer"));
    }
    CHECK(last.code == 0);
    CHECK(!contains(last.err, "not used"));
    CHECK(left_in(place.out(), 2) == of_the_longer_record());
}

TEST_CASE(
    "what slabs and other kernels, threads and batches have kept goes on to the files of a longer run, byte for byte") {
    Arguments longer;
    std::vector<Arguments> before;
    std::string survey = kVolume;
    SUBCASE("from slabs to one grid") {
        longer = {"--set", "time.duration_s=2"};
        before = {{"--set", "backend.slabs=2"}, {"--set", "backend.slabs=3", "--set", "backend.threads=2"}};
    }
    SUBCASE("from one grid to slabs") {
        longer = {"--set", "time.duration_s=2", "--set", "backend.slabs=3"};
        before = {{}, {"--set", "backend.slabs=2"}};
    }
    SUBCASE("from other kernels") {
        survey = kShortRecord;
        longer = longer_by({});
        before = {{"--set", "backend.batch=1", "--set", "backend.kernel=reference"},
                  {"--set", "backend.isa=generic", "--set", "backend.threads=2"}};
    }
    const SurveyPlace place(survey);
    REQUIRE(place.run(longer).code == 0);
    const Contents whole = results_in(place.out());
    std::filesystem::remove_all(place.out());
    for (const Arguments& stopped : before) REQUIRE(stop_on_the_way(place, stopped, SIGTERM));
    const Outcome last = place.run(longer);
    CHECK(contains(last.err, "going on  shot"));
    CHECK(!contains(last.err, "not used"));
    CHECK(results_in(place.out()) == whole);
}

TEST_CASE("finished shots are computed again, which is told") {
    const SurveyPlace place(kShortRecord);
    REQUIRE(place.run({"--set", "backend.batch=1", "--shots", "1"}).code == 0);
    REQUIRE(place.finished() == 1);
    const Arguments alone{"--set", "backend.batch=1", "--set", kEveryMoment};
    Process process(place.command(alone));
    REQUIRE(wait_until([&] { return !steps_kept(place, 2).empty() || !process.running(); }));
    process.send(SIGTERM);
    process.wait();
    REQUIRE(process.code() == 75);
    const Outcome last = place.run(longer_by({}));
    CHECK(last.code == 0);
    CHECK(contains(last.err, "1 shot that was finished, whose last wavefields are not kept, is computed again"));
    CHECK(left_in(place.out(), 2) == of_the_longer_record());
}

TEST_CASE("a run that is killed while its survey becomes longer loses no checkpoint") {
    const SurveyPlace place(kShortRecord);
    REQUIRE(stop_on_the_way(place, {}, SIGTERM));
    const std::int64_t step = last_step_kept(place);
    std::mt19937 random(3);
    for (int attempt = 0; attempt < 8; ++attempt) {
        Process process(place.command(longer_by({"--set", "checkpoint.every_minutes=60"})));
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 120'000));
        process.send(SIGKILL);
        process.wait();
        CHECK((last_step_kept(place) == step || shot_is_finished(place)));
    }
    CHECK(place.run(longer_by({})).code == 0);
    CHECK(left_in(place.out(), 2) == of_the_longer_record());
}

TEST_CASE("pictures and a report that have taken wavefields are refused before anything is lost") {
    const SurveyPlace place(kShortRecord);
    const Arguments shown{"--set", "output.pictures=true", "--set", "output.report=true"};
    REQUIRE(stop_on_the_way(place, shown, SIGTERM));
    const std::int64_t step = last_step_kept(place);
    const std::string survey = text_of(place.unfinished() / "survey.json");
    const Outcome refused = place.run(longer_by(shown));
    CHECK(refused.code == 73);
    CHECK(contains(refused.err, "time.duration_s: 6 there, 9 now"));
    CHECK(contains(refused.err, "--set output.pictures=false --set output.report=false"));
    CHECK(last_step_kept(place) == step);
    CHECK(text_of(place.unfinished() / "survey.json") == survey);
    const Outcome last = place.run(longer_by({"--set", "output.pictures=false", "--set", "output.report=false"}));
    CHECK(last.code == 0);
    CHECK(contains(last.err, "going on  shot"));
    CHECK(left_in(place.out(), 2) == of_the_longer_record());
}

TEST_CASE("a signal that the longer record has more of is told, and its shots begin anew") {
    const SurveyPlace place(kShortRecord);
    const auto late = [](const std::string& duration) {
        return Arguments{"--set", "wavelet.peak_frequency_hz=0.5", "--set", "time.duration_s=" + duration};
    };
    REQUIRE(stop_on_the_way(place, late("2"), SIGTERM));
    const Outcome last = place.run(late("9"));
    CHECK(last.code == 0);
    CHECK(contains(last.err, "is of a record of another length, for which there are other source signals"));
    CHECK(!contains(last.err, "going on"));
    REQUIRE(place.run(late("9"), "whole").code == 0);
    CHECK(left_in(place.out(), 2) == left_in(place.out("whole"), 2));
}

TEST_CASE("a shorter record, and one that differs in more than its length, are another run") {
    const SurveyPlace place(kShortRecord);
    REQUIRE(stop_on_the_way(place, {}, SIGTERM));
    const std::int64_t step = last_step_kept(place);
    for (const Arguments& other :
         {Arguments{"--set", "time.duration_s=5"}, longer_by({"--set", "wavelet.peak_frequency_hz=11"}),
          longer_by({"--set", "output.report=true"})}) {
        const Outcome refused = place.run(other);
        CHECK(refused.code == 73);
        CHECK(contains(refused.err, "restore what differs to resume it"));
    }
    CHECK(last_step_kept(place) == step);
    CHECK(place.run().code == 0);
}
