// A shot that is finished stays finished: however often a survey is killed, stopped, limited or shared, its results are
// those of one run from beginning to end, byte for byte.
// Takes 22 s.
#include <random>
#include <span>

#include "io/results/seismograms.hpp"
#include "io/results/snapshots.hpp"
#include "solver/run/run_files.hpp"
#include "solver/shots/shot_selection.hpp"
#include "tests/sanitized.hpp"
#include "tests/surveys/survey_place.hpp"

using namespace onda;
using Workplace = SurveyPlace;

namespace {

int computed_in(const std::string& log) {
    int runs = 0;
    for (std::size_t at = 0; (at = log.find(" info done ", at)) != std::string::npos; ++at) ++runs;
    return runs;
}

}  // namespace

TEST_CASE("a survey of many shots is read as one file, and its table tells what xxhsum tells") {
    const Workplace place;
    REQUIRE(place.run({"--set", "backend.batch=1"}).code == 0);  // and no shot depends on those beside it
    place.check_complete(uninterrupted());
    const auto records = ShotTable(place.out() / "shots" / "shots.csv").all_finished();
    REQUIRE(records.size() == kShots);
    for (const ShotRecord& record : records) {
        REQUIRE(record.files.size() == 5);  // of seismograms and snapshots; a run has no gradients, misfits and images
        for (const FileRecord& file : std::span(record.files).first(2))
            CHECK(record_of(place.out() / "shots" / file.name, file.name) == file);
        CHECK(record.files[2].name.empty());
        CHECK(record.files[3].name.empty());
        CHECK(record.files[4].name.empty());
        CHECK(record.largest_observed_pressure > 0.);
    }
    // Through the links, as in the file of the shot itself.
    const ShotGather linked = read_gather(place.out() / "seismograms.h5", 77);
    const ShotGather own = read_gather(place.out() / "shots" / "00077.seismograms.h5", 77);
    CHECK(linked.pressure == own.pressure);
    CHECK(linked.sources_m == own.sources_m);
    CHECK(read_frames(place.out() / "snapshots.h5", 77).values ==
          read_frames(place.out() / "shots" / "00077.snapshots.h5", 77).values);
    CHECK(contains(text_of(place.out() / "snapshots.xdmf"), "snapshots.h5:/shots/101/pressure"));
}

TEST_CASE("no shot depends on the shots beside it") {
    const Workplace place;  // one by one they are computed above
    REQUIRE(place.run({"--set", "backend.batch=7"}).code == 0);
    place.check_complete(uninterrupted());
}

TEST_CASE("a survey that is killed again and again ends as if it had not been") {
    const Workplace place;
    std::mt19937 random(7);
    std::size_t finished = 0;
    bool complete = false;  // before it could be killed
    int kills = 0;
    for (; !complete && kills < (test::kSanitized ? 5 : 20); ++kills) {
        Process process(place.command({"--set", "backend.batch=2", "--threads", "1"}));
        std::this_thread::sleep_for(std::chrono::milliseconds(20 + random() % 120));
        process.send(SIGKILL);  // it may have ended by itself
        process.wait();
        complete = std::filesystem::exists(place.out() / "shots");
        if (complete) continue;
        const std::size_t now = place.finished();
        CHECK(now >= finished);
        finished = now;
    }
    MESSAGE("killed ", kills, " times; ", complete ? kShots : finished, " shots were finished then");
    const Outcome last = place.run();
    if (!complete && finished > 0 && finished < kShots)
        CHECK(contains(last.err, std::to_string(finished) + " of 101 shots are finished"));
    place.check_complete(uninterrupted());
    CHECK(partial_files(place.out()).empty());
}

TEST_CASE("a signal leaves what is finished for the next run") {
    const Workplace place;
    Process process(place.command({"--set", "backend.batch=1"}));
    REQUIRE(wait_until([&] { return place.finished() >= 5 || !process.running(); }));
    process.send(SIGTERM);
    process.wait();
    // On a very busy machine the signal may come too late.
    if (process.code() == 75) {
        CHECK(place.finished() >= 5);
        CHECK(partial_files(place.out()).empty());
    }
    CHECK(place.run().code == 0);
    place.check_complete(uninterrupted());
}

TEST_CASE("parts of a survey in any order, the last of them ends it") {
    const Workplace place;
    CHECK(contains(place.run({"--shots", "71-101"}).err, "31 of 101 shots are done"));
    CHECK(place.finished() == 31);
    CHECK(!std::filesystem::exists(place.out() / "seismograms.h5"));
    CHECK(contains(place.run({"--shots", "1,5-7,90"}).err, "35 of 101 shots are done"));
    CHECK(place.run({"--shots", "1-70"}).code == 0);
    place.check_complete(uninterrupted());
    // Nothing is left to do, and nothing is done.
    const std::string log = text_of(place.out() / "onda.log");
    CHECK(contains(place.run().err, "nothing is left to do"));
    CHECK(text_of(place.out() / "onda.log") == log);
}

TEST_CASE("processes that share a survey compute every shot once") {
    const Workplace place;
    {
        std::vector<std::unique_ptr<Process>> processes;
        for (int i = 0; i < 4; ++i)
            processes.push_back(
                std::make_unique<Process>(place.command({"--set", "backend.batch=2", "--threads", "1"})));
        for (const auto& process : processes) {
            CHECK(process->wait() == 0);
            CHECK(process->code() == 0);
        }
    }
    place.check_complete(uninterrupted());
    CHECK(computed_in(text_of(place.out() / "onda.log")) >= 1);
}

TEST_CASE("time that is over ends a run with its code, and the next goes on") {
    const Workplace place;
    const Outcome limited = place.run({"--max-hours", "1e-5", "--set", "backend.batch=1"});
    CAPTURE(limited.err);
    CHECK(limited.code == 75);
    CHECK(contains(limited.err, "of 101 shots are done; run the same command again for the others"));
    CHECK(place.run({"--max-hours", "1e300"}).code == 0);  // more than a clock can count
    place.check_complete(uninterrupted());
}

TEST_CASE("shots of another configuration are not mixed in: what differs is named") {
    const Workplace place;
    REQUIRE(place.run({"--shots", "1-10"}).code == 0);
    for (const auto& [setting, name] : std::map<std::string, std::string>{
             {"time.duration_s=0.2", "time.duration_s: 0.15 there, 0.2 now"},
             {"model.layers[1].vp_m_s=2300", "model.layers[1].vp_m_s: 2200 there, 2300 now"},
             {"model.storage=16bit", "model.storage: float there, \"16bit\" now"},
             {"sources[0].amplitude=2", "sources[0].amplitude: 1 there, 2 now"}}) {
        const Outcome other = place.run({"--set", setting});
        CHECK(other.code == 73);
        CHECK_MESSAGE(contains(other.err, name), other.err);
        CHECK(place.finished() == 10);
    }
    // What changes no bit is no difference.
    CHECK(
        place.run({"--shots", "11-12", "--threads", "1", "--set", "title=another", "--set", "backend.kernel=reference"})
            .code == 0);
    CHECK(place.finished() == 12);
    CHECK(place.run({"--set", "sources[0].amplitude=2", "--shots", "3", "--force"}).code == 0);
    CHECK(place.finished() == 1);
}

TEST_CASE("a shot whose files have gone is computed again") {
    const Workplace place;
    REQUIRE(place.run({"--shots", "1-20"}).code == 0);
    std::filesystem::remove(place.out() / "unfinished" / "00007.seismograms.h5");
    write_text(place.out() / "unfinished" / "00009.snapshots.h5", "cut");
    const Outcome last = place.run();
    CHECK(contains(last.err, "00007.seismograms.h5 is no longer there: shot 7 is to be computed again"));
    CHECK(contains(last.err, "00009.snapshots.h5 is damaged: it has 3 bytes, and had "));
    place.check_complete(uninterrupted());
}

TEST_CASE("--force replaces a survey with its shots, and refuses shots that were changed") {
    const Workplace place;
    REQUIRE(place.run().code == 0);
    const auto shot = place.out() / "shots" / "00011.seismograms.h5";
    const std::string before = text_of(shot);
    write_text(shot, before + "x");
    const Outcome refused = place.run({"--force", "--set", "sources[0].count=3"});
    CHECK(refused.code == 73);
    CHECK(contains(refused.err, "shots/00011.seismograms.h5"));
    write_text(shot, before);
    CHECK(place.run({"--force", "--set", "sources[0].count=3"}).code == 0);
    CHECK(!std::filesystem::exists(place.out() / "shots"));
    CHECK(list_shots(place.out() / "seismograms.h5").size() == 3);
}

TEST_CASE("a table with a line that was half written has one shot less") {
    const Workplace place;
    REQUIRE(place.run({"--shots", "1-3"}).code == 0);
    const auto table = place.out() / "unfinished" / "shots.csv";
    std::string text = text_of(table);
    const std::size_t line = text.size() / (kShots + 1);
    text.replace(2 * line + 20, 9, "         ");
    write_text(table, text);
    CHECK(place.finished() == 2);
    CHECK(place.run().code == 0);
    place.check_complete(uninterrupted());
}

TEST_CASE("a list of shots that cannot be is refused with what there is") {
    const Workplace place;
    for (const std::string text : {"x", "3-", "5-3", "1,,2", "-1", "1-2-3", "", "1-9:", "1-9:0", "4:2"}) {
        CAPTURE(text);
        CHECK(place.run({"--shots", text}).code == 64);
        CHECK_THROWS_AS(ShotSelection{text}, Error);
    }
    const Outcome none = place.run({"--shots", "3,102"});
    CHECK(none.code == 64);
    CHECK(contains(none.err, "there is no shot 102: the survey has 101 shots, numbered 1 to 101"));
    CHECK(!std::filesystem::exists(place.out()));
    const ShotSelection some("3-7,12");
    for (const int shot : {3, 5, 7, 12}) CHECK(some.contains(shot));
    for (const int shot : {1, 2, 8, 11, 13}) CHECK(!some.contains(shot));
    const ShotSelection stepped("2-10:4, 20");
    CHECK(stepped.among({1, 2, 3, 4, 6, 8, 9, 10, 20}) == std::vector<std::int64_t>{2, 6, 10, 20});
    CHECK(ShotSelection("1-100:33").among({1, 34, 67, 100}).size() == 4);
    CHECK(ShotSelection("1-9:5").among({1, 6}).size() == 2);  // 9 is not meant
}
