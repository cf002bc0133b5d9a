// The benchmarks of the companions: `onda bench cg` runs NAS CG, says whether zeta is the published one, and leaves
// table and report; ep, encode and correlate leave tables. Takes 4 s.
#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "io/text/error.hpp"
#include "tests/program/program.hpp"

namespace {

using Json = nlohmann::json;

}  // namespace

TEST_CASE("bench cg verifies zeta of class S for every product, and writes what it measured") {
    const TemporaryFolder folder;
    const std::string json = (folder.path() / "cg.json").string(), csv = (folder.path() / "cg.csv").string();
    const Outcome outcome = run_onda({"bench", "cg", "--backend", "cpu", "--class", "S", "--threads", "1", "--rounds",
                                      "2", "--json", json, "--csv", csv});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(contains(outcome.out, "8.59717750786"));
    CHECK_FALSE(contains(outcome.out, " NO\n"));
    const Json report = Json::parse(text_of(json));
    CHECK(report["bench"] == "cg");
    REQUIRE(report["rows"].size() >= 4);
    for (const Json& row : report["rows"]) {
        CHECK(row["problem"]["class"] == "S");
        CHECK(row["problem"]["elements"] == 78148);
        CHECK(row["rounds"].size() == 2);
        CHECK(row["facts"]["verified"] == true);
        CHECK(row["facts"]["relative_error"].get<double>() <= 1e-10);
        CHECK(row["facts"]["mop_s"].get<double>() > 0.);
    }
    CHECK(report["rows"][0]["kernel"] == Json{{"device", "cpu"}, {"kernel", "rows"}, {"threads", 1}});
    CHECK(text_of(csv).starts_with("class,rows,nonzeros,stored,device,matrix,"));
}

TEST_CASE("bench cg refuses a product or a class that there is not, with the names") {
    const Outcome product = run_onda({"bench", "cg", "--backend", "cpu", "--class", "S", "--matrix", "paded"});
    CHECK(product.code == static_cast<int>(onda::ExitCode::usage));
    CHECK(contains(product.err, "did you mean padded?"));
    const Outcome of = run_onda({"bench", "cg", "--class", "X"});
    CHECK(of.code == static_cast<int>(onda::ExitCode::usage));
    CHECK(contains(of.err, "S,W,A,B,C"));
}

namespace {

/// Runs a benchmark that writes a CSV, each line of which must have the columns of the heading.
std::string table_of_bench(std::vector<std::string> arguments, std::size_t rows) {
    const TemporaryFolder folder;
    const std::filesystem::path csv = folder.path() / "bench.csv";
    arguments.insert(arguments.begin(), "bench");
    arguments.insert(arguments.end(), {"--backend", "cpu", "--rounds", "1", "--csv", csv.string()});
    const Outcome done = run_onda(arguments);
    REQUIRE_MESSAGE(done.code == 0, done.err);
    const std::string text = text_of(csv);
    std::istringstream lines(text);
    std::string heading, line;
    std::getline(lines, heading);
    std::size_t found = 0;
    for (; std::getline(lines, line); ++found) CHECK(std::ranges::count(line, ',') == std::ranges::count(heading, ','));
    CHECK(found == rows);
    return text;
}

std::string refusal(const std::vector<std::string>& arguments) {
    const Outcome refused = run_onda(arguments);
    CHECK(refused.code == static_cast<int>(onda::ExitCode::usage));
    return refused.err;
}

}  // namespace

TEST_CASE("bench ep counts the pairs of class S, and knows its classes") {
    CHECK(table_of_bench({"ep", "--class", "S"}, 1).starts_with("class,"));
    CHECK(contains(refusal({"bench", "ep", "--class", "s"}), "did you mean S?"));
    CHECK(contains(refusal({"bench", "ep", "--class", "S", "--backend", "cpu", "--gpus", "2"}), "--gpus"));
}

TEST_CASE("bench encode multiplies by all variants that are named, and knows their names") {
    table_of_bench({"encode", "--size", "64", "--variant", "if", "look-up-4"}, 2);
    CHECK(contains(refusal({"bench", "encode", "--backend", "cpu", "--variant", "look-up-5"}), "look-up-"));
}

TEST_CASE("bench correlate turns, transforms and finds peaks") {
    table_of_bench({"correlate", "--grid", "16"}, 1);
}
