// Inputs that are no plain files, or hold what is well formed and cannot be, are refused with the code of inputs and
// never waited for; a configuration may come through a pipe.
// Takes 11 s.
#include <algorithm>

#include "tests/program/program.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;

namespace {

struct InputPlace {
    InputPlace() { write("small.yaml", kSmall2d); }
    [[nodiscard]] std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    void write(const std::string& name, const std::string& text) const { write_text(folder.path() / name, text); }
    [[nodiscard]] Outcome run() const {
        return run_onda({"run", path("small.yaml"), "--output", path("out"), "--set", "output.pictures=false"});
    }
    TemporaryFolder folder;
};

}  // namespace

TEST_CASE("65: numbers in JSON that no double holds, and values of another kind") {
    const InputPlace place;
    const Outcome measured = run_onda({"bench", "cpu", "--shape", "32", "32", "--order", "2", "--kernel", "reference",
                                       "--rounds", "1", "--json", "-"});
    REQUIRE(measured.code == 0);
    const std::size_t at = measured.out.find("\"rounds\": [");
    REQUIRE(at != std::string::npos);
    place.write("good.json", measured.out);
    std::string bad = measured.out;
    place.write("bad.json", bad.insert(at, "\"more\": [1, -1e400],\n"));
    const auto line = std::to_string(1 + std::count(bad.begin(), bad.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"bench", "compare", place.path("good.json"), place.path("bad.json")},
          {"bench", "compare", place.path("bad.json"), place.path("good.json")},
          {"bench", "roofline", place.path("bad.json"), "-o", place.path("roofline.png")}}) {
        const Outcome outcome = run_onda(arguments);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 65);
        CHECK(contains(outcome.err, "bad.json: line " + line + ", column "));
        CHECK(contains(outcome.err, "-1e400: no double holds it"));
    }
    REQUIRE(place.run().code == 0);
    const std::string summary = text_of(place.path("out/summary.json"));
    for (const auto& [from, to] :
         std::vector<std::pair<std::string, std::string>>{{"\"format\": \"onda-summary\"", "\"format\": 1e400"},
                                                          {"\"format\": \"onda-summary\"", "\"format\": 5"},
                                                          {"\"state\": \"complete\"", "\"state\": [1]"}}) {
        std::string text = summary;
        REQUIRE(contains(text, from));
        write_text(place.path("out/summary.json"), text.replace(text.find(from), from.size(), to));
        const Outcome outcome = run_onda({"report", place.path("out"), "-o", place.path("page.html")});
        CAPTURE(outcome.err);
        CHECK(outcome.code == 65);
        CHECK(contains(outcome.err, "summary.json"));
    }
}

TEST_CASE("66: a pipe that nobody writes to, as any input") {
    const InputPlace place;
    REQUIRE(std::system(("mkfifo " + quoted(place.path("pipe"))).c_str()) == 0);
    const std::string pipe = place.path("pipe");
    const std::string source = "sources=[{type: file, file: " + pipe + "}]";
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"run", pipe},
             {"check", pipe},
             {"init", "--like", pipe},
             {"predict", pipe},
             {"bench", "compare", pipe, pipe},
             {"bench", "roofline", pipe},
             {"convert", pipe, place.path("vp.h5"), "--shape", "2", "2", "--axes", "xz", "--spacing-m", "10"},
             {"plot", "gather", pipe},
             {"check", place.path("small.yaml"), "--set", "model={type: file, file: " + pipe + "}"},
             {"check", place.path("small.yaml"), "--set", source}}) {
        const Outcome outcome = run_onda(arguments, "true", "timeout 60");
        CAPTURE(arguments);
        CAPTURE(outcome.err);
        CHECK((outcome.code == 66 || outcome.code == 78 || outcome.code == 65 || outcome.code == 64));
        CHECK(contains(outcome.err, "error: "));
        if (arguments.front() == "run") CHECK(contains(outcome.err, "pipe: is a pipe, and no program writes to it"));
    }
}

TEST_CASE("0: a configuration from a pipe that somebody writes to, soon or slowly") {
    const InputPlace place;
    const std::string check = quoted(ONDA_PROGRAM) + " check --no-trial ", config = quoted(place.path("small.yaml")),
                      pipe = quoted(place.path("pipe"));
    REQUIRE(std::system(("mkfifo " + pipe).c_str()) == 0);
    for (const std::string& command :
         {check + "<(cat " + config + ")", check + "<(sleep 0.3; cat " + config + ")", check + "/dev/stdin < " + config,
          "cat " + config + " | " + check + "/dev/stdin",
          "(sleep 0.5; cat " + config + ") > " + pipe + " & " + check + pipe,
          check + pipe + " & sleep 0.5; cat " + config + " > " + pipe + "; wait $!",
          "(head -c 100 " + config + "; sleep 3; tail -c +101 " + config + ") | " + check + "/dev/stdin"}) {
        CAPTURE(command);
        CHECK(std::system(("timeout 60 bash -c " + quoted(command) + " > /dev/null 2>&1").c_str()) == 0);
    }
}
