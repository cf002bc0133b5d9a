// On file systems without locks, processes that share a survey may compute a shot twice, and no more: each of them ends
// with 0, and the results are those of one process, also where the clock jumps and what others make is seen late.
// Takes 35 s.
#include <sys/file.h>

#include "tests/sanitized.hpp"
#include "tests/surveys/survey_place.hpp"

using namespace onda;

namespace {

constexpr int kProcesses = 4;  // each of which may compute all shots
constexpr int kRounds = 2;

std::string survey_of(int shots) {
    std::string text = kSurvey;
    const std::string count = "count: 101";
    return text.replace(text.find(count), count.size(), "count: " + std::to_string(shots));
}

/// Puts a process on an odd system (odd_system.cpp).
std::function<void()> on_a_system_with(const std::map<std::string, std::string>& oddities) {
    return [oddities] {
        setenv("LD_PRELOAD", ONDA_ODD_SYSTEM, 1);
        for (const auto& [name, value] : oddities) setenv(name.c_str(), value.c_str(), 1);
    };
}

const std::function<void()> without_locks = on_a_system_with({{"ONDA_NO_LOCKS", "1"}});

/// Lets processes share the survey of a place. \param stagger_ms between their beginnings.
void share(const SurveyPlace& place, int stagger_ms, const std::vector<std::string>& more = {},
           const std::function<void()>& prepare = without_locks) {
    std::vector<std::string> arguments{"--set", "backend.batch=4", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::vector<std::unique_ptr<Process>> processes;
    std::vector<int> logs;
    for (int i = 0; i < kProcesses; ++i) {
        logs.push_back(open(place.out("err_" + std::to_string(i)).c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0666));
        processes.push_back(std::make_unique<Process>(place.command(arguments), logs.back(), prepare));
        std::this_thread::sleep_for(std::chrono::milliseconds(stagger_ms));
    }
    for (int i = 0; i < kProcesses; ++i) {
        const auto& process = processes[static_cast<std::size_t>(i)];
        CHECK(process->wait() == 0);
        INFO(text_of(place.out("err_" + std::to_string(i))));
        CHECK(process->code() == 0);
        close(logs[static_cast<std::size_t>(i)]);
    }
    CHECK(partial_files(place.out()).empty());
}

Outcome run_without_locks(const SurveyPlace& place, const std::vector<std::string>& more = {}) {
    return place.run(more, "out", "env LD_PRELOAD=" + quoted(ONDA_ODD_SYSTEM) + " ONDA_NO_LOCKS=1");
}

}  // namespace

TEST_CASE("the locks that the test takes away are missed") {
    if (test::kSanitized) return;
    const SurveyPlace place(survey_of(2));
    const int folder = open(place.folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    std::filesystem::create_directory(place.out());
    const int out = open(place.out().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    REQUIRE(flock(out, LOCK_EX) == 0);
    CHECK(run_without_locks(place).code == 0);  // with locks it would wait, and give up
    close(out);
    close(folder);
}

TEST_CASE("processes without locks all end with 0, with the results of one") {
    if (test::kSanitized) return;  // their library has to come first
    for (int round = 0; round < kRounds; ++round) {
        CAPTURE(round);
        const SurveyPlace place;
        share(place, round * 14);
        place.check_complete(uninterrupted());
        CHECK(contains(run_without_locks(place).err, "nothing is left to do"));
    }
}

TEST_CASE("so do those of a survey whose shots are copied into one file") {
    if (test::kSanitized) return;
    const SurveyPlace one(survey_of(6));
    REQUIRE(one.run().code == 0);
    for (int round = 0; round < kRounds; ++round) {
        CAPTURE(round);
        const SurveyPlace place(survey_of(6));
        share(place, round * 22);
        place.check_complete(6);
        for (int shot = 1; shot <= 6; ++shot)
            CHECK(read_gather(place.out() / "seismograms.h5", shot).pressure ==
                  read_gather(one.out() / "seismograms.h5", shot).pressure);
        CHECK(contains(run_without_locks(place).err, "nothing is left to do"));
    }
}

TEST_CASE("so do those that resume a survey, and those that find one of another configuration without a shot") {
    if (test::kSanitized) return;
    for (int round = 0; round < kRounds; ++round) {
        CAPTURE(round);
        const SurveyPlace place;
        const bool resumes = round % 2 == 0;
        if (resumes) {
            REQUIRE(run_without_locks(place, {"--shots", "1-40"}).code == 0);
        } else {
            Process other(place.command({"--set", "time.duration_s=3000"}), -1, without_locks);
            REQUIRE(wait_until([&] { return std::filesystem::exists(place.unfinished()); }));
            other.send(SIGKILL);
            other.wait();
        }
        share(place, 0);
        place.check_complete(uninterrupted());
    }
}

TEST_CASE("clocks that jump, and names that are seen late, disturb no processes that share a survey") {
    if (test::kSanitized) return;
    for (const bool has_locks : {true, false})
        for (const std::string name : {"ONDA_CLOCK_JUMPS", "ONDA_LATE_MS"}) {
            CAPTURE(has_locks);
            CAPTURE(name);
            std::map<std::string, std::string> oddities{{name, "400"}};
            if (!has_locks) oddities["ONDA_NO_LOCKS"] = "1";
            const SurveyPlace place;
            share(place, 14, {"--set", "checkpoint.every_minutes=0.0001"}, on_a_system_with(oddities));
            place.check_complete(uninterrupted());
        }
}

TEST_CASE("a claim to end a survey that a killed process left is taken over") {
    if (test::kSanitized) return;
    const SurveyPlace place(survey_of(6));
    REQUIRE(run_without_locks(place, {"--shots", "1-5"}).code == 0);
    const auto claim = place.unfinished() / "ending";
    // A claim of another machine, just now: it may be alive.
    write_text(claim, "0123abcd 1 2 3\n");
    CHECK(contains(run_without_locks(place).err, "another process ends the survey"));
    CHECK(std::filesystem::exists(claim));
    std::filesystem::last_write_time(claim, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
    CHECK(run_without_locks(place).code == 0);
    place.check_complete(6);
}

TEST_CASE("a claim that its process renews is young, and one of another process is not renewed") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "ending";
    const auto claim = EndClaim::take(folder.path());
    REQUIRE(claim);
    const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
    const auto is_old = [&] { return std::filesystem::last_write_time(file) < long_ago + std::chrono::hours(1); };
    std::filesystem::last_write_time(file, long_ago);
    REQUIRE(is_old());
    claim->renew();
    CHECK(!is_old());
    write_text(file, "0123abcd 1 2 3\n");
    std::filesystem::last_write_time(file, long_ago);
    claim->renew();
    CHECK(is_old());
}
