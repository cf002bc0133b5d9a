// `onda bench` leaves every round, the machine and its state as JSON; `compare` and `roofline` read that, and say what
// is wrong with anything else.
// Takes 9 s.
#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "io/text/error.hpp"
#include "tests/program/program.hpp"
#include "tests/program/python.hpp"

namespace {

using Json = nlohmann::json;

/// A folder with the report of a small benchmark.
struct Measured {
    Measured() {
        const Outcome outcome = run_onda(
            {"bench",  "cpu",          "--shape",    "40",          "32",         "24",         "--order",  "2",
             "8",      "--kernel",     "vectorised", "reference",   "--threads",  "1",          "--rounds", "5",
             "--json", path("a.json"), "--csv",      path("a.csv"), "--roofline", path("a.png")});
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
        table = outcome.out;
        report = Json::parse(text_of(folder.path() / "a.json"));
    }
    [[nodiscard]] std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    /// Writes the report under a name, with its rates multiplied.
    std::string write(const std::string& name, double factor, double twin_factor = 1.) const {
        Json changed = report;
        for (Json& row : changed["rows"]) {
            for (Json& value : row["rounds"]) value = value.get<double>() * factor;
            for (Json& value : row["rival_rounds"]) value = value.get<double>() * twin_factor;
        }
        return write(name, changed);
    }
    std::string write(const std::string& name, const Json& json) const {
        write_text(folder.path() / name, json.dump());
        return path(name);
    }

    TemporaryFolder folder;
    std::string table;
    Json report;
};

}  // namespace

TEST_CASE("a report holds what repeats, compares and draws a benchmark") {
    const Measured measured;
    const Json& report = measured.report;
    CHECK(report["format"] == "onda-bench");
    CHECK(report["schema_version"] == 1);
    CHECK(report["bench"] == "cpu");
    CHECK(report["program"]["name"] == "onda");
    CHECK(contains(report["command_line"].get<std::string>(), "bench cpu --shape 40 32 24"));
    CHECK(!report["machine"]["cpu"].get<std::string>().empty());
    CHECK(report["conditions"]["looks"].get<int>() > 0);
    CHECK(report["peak"]["flops"].get<double>() > 1e8);
    REQUIRE(report["rows"].size() == 4);
    const Json& row = report["rows"][3];
    CHECK(row["problem"] == Json{{"operator", "star"},
                                 {"space_order", 8},
                                 {"precision", "float"},
                                 {"shape", {40, 32, 24}},
                                 {"boundary", "none"},
                                 {"shots", 1},
                                 {"receivers", 0}});
    CHECK(row["kernel"]["kernel"] == "reference");
    CHECK(row["kernel"]["threads"] == 1);
    CHECK(row["facts"]["bytes_per_point"] == 16.);
    CHECK(row["facts"]["operations_per_point"] == 45);
    CHECK(row["rival"] == "twin");
    auto rounds = row["rounds"].get<std::vector<double>>();
    REQUIRE(rounds.size() == 5);
    CHECK(row["rival_rounds"].size() == 5);
    std::ranges::sort(rounds);
    CHECK(row["summary"]["median"] == rounds[2]);
    CHECK(row["summary"]["min"] == rounds[0]);
    CHECK(row["summary"]["lower_quartile"] == rounds[1]);
    CHECK(contains(measured.table, "conditions: load average before "));
    CHECK(contains(text_of(measured.folder.path() / "a.csv"), "kernel,space_order,gpts_median"));
    CHECK(text_of(measured.folder.path() / "a.png").starts_with("\x89PNG"));
}

TEST_CASE("what gradients cost stands beside the forward runs that they contain") {
    const TemporaryFolder folder;
    const std::string json = (folder.path() / "imaging.json").string(), csv = (folder.path() / "imaging.csv").string();
    const Outcome outcome =
        run_onda({"bench",     "imaging",     "--backend", "cpu", "--shape", "40",          "36",    "--layer",  "5",
                  "--steps",   "60",          "--shots",   "1",   "3",       "--receivers", "7",     "--rounds", "2",
                  "--storage", "checkpoints", "--every",   "4",   "--json",  json,          "--csv", csv});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(contains(outcome.out, "40x36"));
    const Json report = Json::parse(text_of(json));
    CHECK(report["bench"] == "imaging");
    REQUIRE(report["rows"].size() == 2);
    const Json& row = report["rows"][1];
    CHECK(row["problem"]["shape"] == Json{40, 36});
    CHECK(row["problem"]["shots"] == 3);
    CHECK(row["problem"]["steps"] == 60);
    CHECK(row["problem"]["work"] == "gradient");
    CHECK(row["unit"] == "s");
    CHECK(row["rounds"].size() == 2);
    CHECK(row["rival"] == "forward");
    CHECK(row["facts"]["storage"] == "checkpoints");
    CHECK(row["facts"]["levels"] == 15);
    CHECK(row["facts"]["memory_bytes"].get<double>() > 0.);
    CHECK(row["facts"]["share_of_two_sweeps"].get<double>() > 0.);
    const std::string table = text_of(csv);
    CHECK(std::ranges::count(table, '\n') == 3);
    CHECK(contains(table, "40x36,3,60,5,8,checkpoints,4,15,"));
    const Outcome wrong = run_onda({"bench", "imaging", "--shape", "40", "36", "--storage", "tape"});
    CHECK(wrong.code == 64);
    CHECK(contains(wrong.err, "--storage"));
}

TEST_CASE("a report on standard output leaves the table to standard error") {
    const Outcome outcome = run_onda({"bench", "survey", "--backend", "cpu", "--grid", "70x50", "--batch", "1", "2",
                                      "--steps", "5", "--receivers", "3", "--rounds", "2", "--json", "-"});
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    const Json report = Json::parse(outcome.out);
    CHECK(report["bench"] == "survey");
    CHECK(report["rows"].size() == 2);
    CHECK(contains(outcome.err, "conditions: "));
}

TEST_CASE("files that exist are refused before anything is measured") {
    const TemporaryFolder folder;
    write_text(folder.path() / "there.json", "mine");
    const Outcome outcome =
        run_onda({"bench", "cpu", "--rounds", "1000000", "--json", (folder.path() / "there.json").string()}, "true",
                 "timeout 60");
    CHECK(outcome.code == 73);
    CHECK(contains(outcome.err, "there.json"));
    CHECK(text_of(folder.path() / "there.json") == "mine");
}

TEST_CASE("rooflines that cannot be drawn are refused before anything is measured") {
    const auto refused = [](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"bench", "cpu", "--rounds", "1000000", "--roofline"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run_onda(arguments, "true", "timeout 60");
        CHECK(outcome.code == 64);
        return outcome.err;
    };
    CHECK(contains(refused({"roofline.jpg"}), "--roofline roofline.jpg: pictures are .png or .pdf or .svg"));
    CHECK(contains(refused({"roofline.png", "--boundary", "cpml"}), "leave out --boundary"));
}

TEST_CASE("codes of k are refused where there are none, before anything is measured") {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"bench", "cpu", "--operator", "variable_density"},
          {"bench", "cpu", "--precision", "double"},
          {"predict", "--model", "calibrated", "--device", "cpu", "--operator", "variable_density"}}) {
        std::vector<std::string> arguments = command;
        arguments.insert(arguments.end(), {"--storage", "16bit"});
        const Outcome outcome = run_onda(arguments);
        CHECK(outcome.code == static_cast<int>(onda::ExitCode::usage));
        CHECK(contains(outcome.err, "storage 16bit is for the operator star in single precision: use float"));
    }
}

TEST_CASE("comparisons have a verdict and an exit code") {
    const Measured measured;
    const std::string a = measured.path("a.json");
    const Outcome same = run_onda({"bench", "compare", a, a});
    CHECK(same.code == 0);
    CHECK(contains(same.out, "B against A: no difference: 0 faster, 0 slower, 4 no difference"));
    const Outcome faster = run_onda({"bench", "compare", a, measured.write("fast.json", 1000.), "--json", "-"});
    CHECK(faster.code == 0);
    const Json verdict = Json::parse(faster.out);
    CHECK(verdict["verdict"] == "faster");
    CHECK(std::abs(verdict["mean_speed"].get<double>() / 1000. - 1.) < 0.5);
    CHECK(verdict["rows"][0]["speed"]["low"].get<double>() > 1.);
    CHECK(contains(faster.err, "B against A: faster: 4 faster"));
    const Outcome slower = run_onda({"bench", "compare", a, measured.write("slow.json", 0.001)});
    CHECK(slower.code == 1);
    CHECK(contains(slower.out, "4 slower"));
    const Outcome machine = run_onda({"bench", "compare", a, measured.write("machine.json", 0.001, 0.001)});
    CHECK(machine.code == 0);
    CHECK(contains(machine.out, "4 no difference"));
}

TEST_CASE("what cannot be compared is said") {
    const Measured measured;
    const std::string a = measured.path("a.json");
    Json other = measured.report;
    other["machine"]["cpu"] = "Another CPU";
    const std::string b = measured.write("b.json", other);
    const Outcome refused = run_onda({"bench", "compare", a, b});
    CHECK(refused.code == 64);
    CHECK(contains(refused.err, "the machines differ: A "));
    CHECK(contains(refused.err, "B Another CPU"));
    CHECK(run_onda({"bench", "compare", a, b, "--anyway"}).code == 0);
    CHECK(run_onda({"bench", "compare", a, measured.path("absent.json")}).code == 66);
}

TEST_CASE("a damaged report is refused by where it is wrong") {
    const Measured measured;
    const auto message = [&](const Json& json) {
        const Outcome outcome =
            run_onda({"bench", "roofline", measured.write("bad.json", json), "-o", measured.path("r.png")});
        CHECK(outcome.code == 65);
        return outcome.err;
    };
    Json json = measured.report;
    json["rows"][1]["rounds"][2] = -1;
    CHECK(contains(message(json), "bad.json: rows[1].rounds[2]: -1: must be a number above zero"));
    json = measured.report;
    json["rows"][0].erase("problem");
    CHECK(contains(message(json), "bad.json: rows[0].problem: is missing: it is an object"));
    json = measured.report;
    json["schema_version"] = 7;
    CHECK(contains(message(json), "bad.json: schema_version: 7: this Onda reads 1"));
    json = measured.report;
    json["rows"][2]["rival_rounds"].erase(0);
    CHECK(contains(message(json), "bad.json: rows[2].rival_rounds: has 4 numbers: `rounds` has 5"));
    json = measured.report;
    json.erase("peak");
    CHECK(contains(message(json), "bad.json: the peak of arithmetic (peak.flops) is missing"));
    json = measured.report;
    json["rows"] = Json::array();
    CHECK(contains(message(json), "there is no bare kernel with bytes, operations and the twin"));
    CHECK(contains(message(Json::array()), "bad.json: format: is missing"));
    write_text(measured.folder.path() / "bad.json", "{\"format\":\n \"onda-bench\" \"x\"}");
    const Outcome outcome = run_onda({"bench", "compare", measured.path("bad.json"), measured.path("a.json")});
    CHECK(outcome.code == 65);
    CHECK(contains(outcome.err, "bad.json: line 2, column "));
    CHECK(!std::filesystem::exists(measured.path("r.png")));
}

TEST_CASE("what examples/measure_peers.py writes is compared with Onda on the same problem") {
    const std::string python = python_with("import numpy");
    if (python.empty()) return;
    const Measured measured;
    // Stands in for PyTorch and Deepwave: a step takes a millisecond.
    write_text(measured.folder.path() / "torch.py", R"(
import contextlib
__version__ = "0"
no_grad = contextlib.nullcontext
class Tensor:
    def to(self, device): return self
    def __sub__(self, other): return self
def from_numpy(array): return Tensor()
def rand(shape, device): return Tensor()
def get_num_threads(): return 3
)");
    write_text(measured.folder.path() / "deepwave.py", R"(
import time
def scalar(*arguments, nt, **others): time.sleep(1e-3 * nt)
)");
    std::filesystem::create_directory(measured.folder.path() / "deepwave-7.0.dist-info");
    write_text(measured.folder.path() / "deepwave-7.0.dist-info" / "METADATA", "Name: deepwave\nVersion: 7.0\n");
    const auto measure = [&](const std::string& arguments) {
        return exit_status("cd " + shell_quoted(measured.folder.path().string()) + " && PYTHONPATH=. " +
                           shell_quoted(python) + " " ONDA_SOURCE_DIR "/examples/measure_peers.py deepwave " +
                           arguments + " 2>said");
    };
    CHECK(measure("--shape 30 30 30 --boundary cpml") == 2);
    CHECK(contains(text_of(measured.folder.path() / "said"),
                   "--shape [30, 30, 30]: give two or three numbers, each above 56"));
    REQUIRE(measure("--shape 40 32 24 --order 8 --steps 50 --rounds 5 --json peer.json") == 0);
    CHECK(measure("--shape 40 32 24 --json peer.json") == 2);  // it exists
    const Json report = Json::parse(text_of(measured.folder.path() / "peer.json"));
    CHECK(report["program"]["version"] == "7.0");
    CHECK(report["rows"][0]["kernel"]["threads"] == 3);
    // A step sleeps for a millisecond; a busy machine wakes it later, in the shorter call or in the longer one.
    auto gpts = report["rows"][0]["rounds"].get<std::vector<double>>();
    std::ranges::sort(gpts);
    CHECK(gpts[2] < 2. * 40 * 32 * 24 * 1e-6);
    CHECK(gpts[2] > 40 * 32 * 24 * 1e-8);
    const Outcome outcome =
        run_onda({"bench", "compare", measured.path("peer.json"), measured.path("a.json"), "--best", "--json", "-"});
    CAPTURE(outcome.err);
    const Json compared = Json::parse(outcome.out);
    REQUIRE(compared["rows"].size() == 1);
    CHECK(compared["rows"][0]["problem"]["space_order"] == 8);
    CHECK(contains(outcome.err, "deepwave.scalar, "));
}

TEST_CASE("a roofline is drawn from a report") {
    const Measured measured;
    const Outcome outcome = run_onda({"bench", "roofline", measured.path("a.json"), "-o", measured.path("r.pdf")});
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(text_of(measured.folder.path() / "r.pdf").starts_with("%PDF-1."));
    CHECK(run_onda({"bench", "roofline", measured.path("a.json"), "-o", measured.path("r.pdf")}).code == 73);
}
