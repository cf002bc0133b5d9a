// onda_judge, the program for those who work on Onda, measures what Onda predicts and chooses, and leaves nothing
// behind; users of `onda` do not meet it.
// Takes 19 s.
#include <cstdlib>
#include <doctest/doctest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/program/program.hpp"

namespace {

/// What `onda_judge` says to a command line of words that need no quotes.
Outcome judge(const std::string& words) {
    const TemporaryFolder folder;
    const auto out = folder.path() / "out", err = folder.path() / "err";
    const int status = std::system(
        (quoted(ONDA_JUDGE) + " " + words + " >" + quoted(out.string()) + " 2>" + quoted(err.string()) + " </dev/null")
            .c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(out), text_of(err)};
}

/// The cells of the only row of a table, by its heading.
std::map<std::string, std::string> only_row(const std::filesystem::path& file) {
    std::istringstream lines(text_of(file));
    std::string heading, row, more;
    std::getline(lines, heading);
    std::getline(lines, row);
    CHECK(!std::getline(lines, more));
    std::map<std::string, std::string> cells;
    std::istringstream names(heading), values(row);
    for (std::string name, value; std::getline(names, name, ',');) {
        REQUIRE(std::getline(values, value, ','));
        cells[name] = value;
    }
    CHECK(!std::getline(values, more, ','));
    return cells;
}

}  // namespace

TEST_CASE("the stages of `onda check` are timed over every configuration") {
    const Outcome outcome = judge("check --rounds 1 --json -");
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    const auto report = nlohmann::json::parse(outcome.out);
    CHECK(report["bench"] == "check");
    REQUIRE(report["rows"].size() == 48);
    for (const auto& row : report["rows"]) {
        CAPTURE(row["problem"]);
        CHECK(row["summary"]["median"].get<double>() > 0.);
        CHECK(row["facts"]["peak_bytes"].get<std::int64_t>() > 1'000'000);
    }
    CHECK(contains(outcome.err, "conditions: "));
}

TEST_CASE("a forecast of a run's time is put beside the time that it takes, and its results are removed") {
    const TemporaryFolder folder, results;
    const Outcome outcome = judge("forecast --case '2-D, pictures' --backend cpu --folder " + results.path().string() +
                                  " --csv " + (folder.path() / "forecast.csv").string());
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(contains(outcome.out, "of 1 runs"));
    CHECK(std::filesystem::is_empty(results.path()));
    CHECK(text_of(folder.path() / "forecast.csv")
              .starts_with("case,forecast_s,run_s,error,others,processors\n\"2-D, pictures\","));
}

TEST_CASE("what `auto` chooses is put beside the best fixed choice") {
    const TemporaryFolder folder;
    const Outcome outcome =
        judge("auto --backend cpu --grid 48x40 --order 2 --shots 1 --seconds 0.1 --rounds 2 --csv " +
              (folder.path() / "auto.csv").string());
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(contains(outcome.out, "rule   takes at most "));
    auto row = only_row(folder.path() / "auto.csv");
    CHECK(row["grid"] == "48x40");
    CHECK(std::stoi(row["candidates"]) >= std::stoi(row["measured"]));
    for (const char* way : {"rule", "tuned"}) {
        CHECK(std::stod(row[std::string(way) + "_seconds"]) >= std::stod(row["best_seconds"]));
        CHECK(std::stod(row[std::string(way) + "_ratio"]) >= 1.);
    }
}

TEST_CASE("faults have exit codes and messages") {
    const Outcome unknown = judge("guess");
    CHECK(unknown.code == 64);
    const Outcome grid = judge("auto --backend cpu --grid 48");
    CHECK(grid.code == 64);
    CHECK(contains(grid.err, "error: --grid '48': give nodes along x and z"));
    CHECK(judge("auto --seconds nan").code == 64);
}

TEST_CASE("users of `onda bench` do not meet it") {
    for (const char* name : {"check", "forecast", "auto"}) {
        CAPTURE(name);
        const Outcome outcome = run_onda({"bench", name});
        CHECK(outcome.code == 64);
        CHECK(contains(outcome.err, std::string("unknown command '") + name + "'"));
    }
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"--help"}, {"bench", "--help"}, {"man"}, {"completion", "bash"}}) {
        const Outcome said = run_onda(command);
        CHECK(said.code == 0);
        CHECK(!contains(said.out, "judge"));
        CHECK(!contains(said.out, "forecast"));
    }
}
