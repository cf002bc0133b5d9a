// A run leaves report.html as one of its proven files, and `onda report` makes the page of any finished run from what
// is in its folder; what is not there, the page says.
// Takes 15 s.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/program/program.hpp"
#include "tests/program/reported_run.hpp"

using Json = nlohmann::json;

namespace {

Json element(const std::string& page, const std::string& tag, std::size_t index = 0) {
    std::size_t at = page.find(tag);
    for (; index > 0; --index) at = page.find(tag, at + 1);
    REQUIRE(at != std::string::npos);
    const std::size_t begin = at + tag.size();
    return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

Json facts_of(const std::string& page) {
    return element(page, R"(<script type="application/json" id="report">)");
}
Json shot_of(const std::string& page, std::size_t index) {
    return element(page, R"(<script type="application/json" class="shot">)", index);
}

bool lists(const std::filesystem::path& folder, const std::string& name) {
    const Json summary = Json::parse(text_of(folder / "summary.json"));
    for (const Json& file : summary["files"])
        if (file["name"] == name) return file.contains("hash");
    return false;
}

bool notes(const Json& facts, const std::string& text) {
    for (const Json& note : facts["notes"])
        if (note.get<std::string>().find(text) != std::string::npos) return true;
    return false;
}

}  // namespace

TEST_CASE("a run leaves its report, and --force replaces it with the other files") {
    const TemporaryFolder folder;
    const auto out = run_reported(folder.path());
    CHECK(lists(out, "report.html"));
    const std::string page = text_of(out / "report.html");
    CHECK(page.size() < 1'500'000);
    const Json facts = facts_of(page), first = shot_of(page, 0);
    CHECK(facts["summary"]["run_id"] == Json::parse(text_of(out / "summary.json"))["run_id"]);
    CHECK(facts["summary"]["performance"]["gpt_per_s"] > 0.);
    CHECK(facts["config_yaml"] == text_of(out / "config.yaml"));
    CHECK(facts["planes"][0]["parameters"][0]["min"] == 1500.);
    CHECK(facts["planes"][0]["sides"][2]["kind"] == "free_surface");
    CHECK(facts["planes"][0]["sides"][3]["beyond_m"] == 200.);
    CHECK(facts["survey"]["sources_m"].size() == 2);
    CHECK(facts["survey"]["receivers_m"].size() == 51);
    CHECK(first["gather"]["samples"] == 301);
    CHECK(first["gather"]["receivers"] == 51);
    CHECK(first["movies"][0]["times_s"].size() == 96);
    CHECK(first["wavelets"][0]["type"] == "ricker");
    CHECK(shot_of(page, 1)["shot"] == 2);
    run_reported(folder.path(), {"--force", "--set", "output.report=false"});
    CHECK(!std::filesystem::exists(out / "report.html"));
    CHECK(!lists(out, "report.html"));
}

TEST_CASE("onda report makes the page of a finished run, which a later run may replace") {
    const TemporaryFolder folder;
    const auto out = run_reported(folder.path(), {"--set", "output.report=false"});
    const Outcome made = run_onda({"report", out.string()});
    CAPTURE(made.err);
    REQUIRE(made.code == 0);
    CHECK(made.out == (out / "report.html").string() + "\n");
    const std::string page = text_of(out / "report.html");
    const Json facts = facts_of(page), second = shot_of(page, 1);
    CHECK(facts["planes"][0]["parameters"][0]["max"] == 2500.);
    CHECK(second["gather"]["samples"] == 301);
    CHECK(second["movies"][0]["times_s"].size() == 4);
    CHECK(second["movies"][0]["plane"]["parameters"][0]["name"] == "vp");
    CHECK(second["wavelets"][0]["signal"]["count"] > 10);
    CHECK(lists(out, "report.html"));

    CHECK(run_onda({"report", out.string()}).code == 73);
    CHECK(run_onda({"report", out.string(), "--force"}).code == 0);
    const auto elsewhere = folder.path() / "elsewhere.html";
    CHECK(run_onda({"report", out.string(), "-o", elsewhere.string()}).code == 0);
    CHECK(shot_of(text_of(elsewhere), 1) == second);
    run_reported(folder.path(), {"--force", "--set", "output.report=false"});
    CHECK(!std::filesystem::exists(out / "report.html"));
}

TEST_CASE("a run with its report has the same gathers on it as onda report reads from its files") {
    const TemporaryFolder folder;
    const auto out = run_reported(folder.path());
    const std::string from_run = text_of(out / "report.html");
    REQUIRE(run_onda({"report", out.string(), "--force"}).code == 0);
    const std::string from_files = text_of(out / "report.html");
    const auto traces = [](const std::string& page) {
        const std::string id = shot_of(page, 1)["gather"]["traces"]["block"];
        const std::size_t begin = page.find("id=\"" + id + "\">");
        return page.substr(begin, page.find("</script>", begin) - begin).substr(id.size());
    };
    CHECK(shot_of(from_run, 1)["gather"] != Json());
    CHECK(traces(from_run).size() > 1000);
    CHECK(traces(from_run).substr(traces(from_run).find('>')) ==
          traces(from_files).substr(traces(from_files).find('>')));
}

TEST_CASE("what a finished run no longer has is named on the page") {
    const TemporaryFolder folder;
    const auto out = run_reported(folder.path(), {"--set", "output.report=false"});
    std::string config = text_of(out / "config.yaml");
    config.replace(config.find("type: layered"), 13, "type: nonsense");
    write_text(out / "config.yaml", config);
    std::filesystem::remove(out / "snapshots.h5");
    const Outcome made = run_onda({"report", out.string()});
    CAPTURE(made.err);
    REQUIRE(made.code == 0);
    const std::string page = text_of(out / "report.html");
    CHECK(notes(facts_of(page), "the model is not shown: it could not be made again from config.yaml"));
    CHECK(facts_of(page)["planes"].empty());
    CHECK(shot_of(page, 0)["movies"].empty());
    CHECK(shot_of(page, 0)["gather"]["samples"] == 301);
}

TEST_CASE("of a survey of many shots the page shows some, evenly, at the end of the run and afterwards") {
    const TemporaryFolder folder;
    const auto config = folder.path() / "survey.yaml", out = folder.path() / "out";
    write_text(config, R"(schema_version: 1
grid: {shape: [61, 41, 31], spacing_m: 10}
model: {type: gradient, vp_m_s: 1500, gradient_per_s: 1}
time: {duration_s: 0.02}
survey: {limit_m: 100}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{type: line, first_m: [100, 200, 50], last_m: [500, 200, 50], count: 103}]
receivers: [{type: line, relative_to: source, first_m: [-40, 0, 0], last_m: [40, 0, 0], count: 9}]
output: {pictures: false, snapshots: {times_s: [0.01, 0.02]}}
backend: {name: cpu}
)");
    const Outcome run = run_onda({"run", config.string(), "--output", out.string()});
    CAPTURE(run.err);
    REQUIRE(run.code == 0);
    for (const bool again : {false, true}) {
        CAPTURE(again);
        if (again) REQUIRE(run_onda({"report", out.string(), "--force"}).code == 0);
        const std::string page = text_of(out / "report.html");
        const Json facts = facts_of(page);
        CHECK(notes(facts, "the gathers of 24 of 103 shots are shown"));
        CHECK(notes(facts, "the wavefields of 3 of 103 shots are shown"));
        CHECK(facts["planes"].size() == 3);
        CHECK(shot_of(page, 23)["shot"] == 103);
        CHECK(shot_of(page, 23)["movies"].size() == 3);
        CHECK(shot_of(page, 22)["movies"].empty());
        CHECK(shot_of(page, 22)["gather"]["receivers"] == 9);
        // Each shot has a part of the grid, and the part has a model.
        CHECK(shot_of(page, 23)["movies"][0]["plane"]["parameters"][0]["name"] == "vp");
    }
}

TEST_CASE("what is no finished run is refused with what is meant") {
    const TemporaryFolder folder;
    const Outcome empty = run_onda({"report", folder.path().string()});
    CHECK(empty.code == 66);
    CHECK(empty.err.find("holds no summary.json: name the folder that onda run wrote") != std::string::npos);
    const Outcome absent = run_onda({"report", (folder.path() / "absent").string()});
    CHECK(absent.code == 66);
    CHECK(absent.err.find("no such folder") != std::string::npos);
    const auto out = run_reported(folder.path(), {"--shots", "1"});
    const Outcome unfinished = run_onda({"report", out.string()});
    CHECK(unfinished.code == 66);
    CHECK(unfinished.err.find("its run is not complete; run the same command again to resume it") != std::string::npos);
    write_text(folder.path() / "summary.json", "{}");
    CHECK(run_onda({"report", folder.path().string()}).code == 65);
}
