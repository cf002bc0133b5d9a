// `onda data` tells what recorded traces are, finds their faults and what of a survey they lack, and draws them; files
// that are damaged end with a message.
// Takes 3 s.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "io/results/seismograms.hpp"
#include "tests/io/png_image.hpp"
#include "tests/program/program.hpp"

using namespace onda;
namespace fs = std::filesystem;

namespace {

const std::string kSurvey = R"(schema_version: 1
grid: {shape: [61, 41], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.3}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{type: line, first_m: [100, 20], last_m: [500, 20], count: 5}]
receivers: [{type: line, first_m: [40, 20], last_m: [560, 20], count: 14}]
output: {seismograms: {dt_s: 0.002}}
)";
constexpr std::size_t kHeads = 3600, kSamples = 151, kTrace = 240 + 4 * kSamples, kReceivers = 14, kShots = 5;

/// The results of a run, as seismograms.h5 and as line.sgy.
struct Line {
    Line() {
        write_text(path("survey.yaml"), kSurvey);
        const Outcome run = run_onda({"run", path("survey.yaml"), "--output", path("run"), "--set", "backend.name=cpu",
                                      "--set", "output.pictures=false", "--set", "output.report=false"});
        REQUIRE_MESSAGE(run.code == 0, run.err);
        REQUIRE(run_onda({"export", path("run"), "--segy", "-o", path("line.sgy")}).code == 0);
        bytes = text_of(path("line.sgy"));
        REQUIRE(bytes.size() == kHeads + kShots * kReceivers * kTrace);
    }
    [[nodiscard]] std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    /// onda data, with '@' for the folder.
    [[nodiscard]] Outcome data(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), "data");
        for (std::string& argument : arguments)
            if (argument.starts_with('@')) argument = path(argument.substr(1));
        return run_onda(arguments);
    }
    /// A copy of line.sgy with other bytes, as FILE.
    void write(const std::string& name, const std::string& changed) const {
        std::ofstream(path(name), std::ios::binary) << changed;
    }
    /// Where byte `at`, from 1, of the header of a trace, from 1, lies.
    static std::size_t header(std::size_t trace, std::size_t at) { return kHeads + (trace - 1) * kTrace + at - 1; }

    TemporaryFolder folder;
    std::string bytes;
};

/// The finding of this kind.
nlohmann::json finding(const nlohmann::json& verdict, const std::string& what) {
    for (const auto& entry : verdict.at("findings"))
        if (entry.at("what") == what) return entry;
    return {};
}

}  // namespace

TEST_CASE("info tells the geometry, fold and spectrum of SEG-Y, parts of a line, and a run") {
    const Line line;
    const Outcome told = line.data({"info", "@line.sgy"});
    CHECK(told.code == 0);
    CAPTURE(told.out);
    for (const char* words :
         {"SEG-Y, format 5 (IEEE floats), 70 traces of 151 samples", "every 0.002 s, over 0.3 s",
          "5 places of sources, 14 of receivers", "sources    x 100 to 500 m, y 0 m, z 20 m",
          "offsets    0 to 460 m, median 160 m", "in bins of 20 m along the line", "dead       none"})
        CHECK(contains(told.out, words));
    const Outcome json = line.data({"info", "@line.sgy", "--json"});
    const auto facts = nlohmann::json::parse(json.out);
    CHECK(facts["traces"] == 70);
    CHECK(facts["shots"].size() == 5);
    CHECK(facts["shots"][2]["number"] == 3);
    CHECK(facts["receivers_m"]["high_xyz"][0] == 560.);
    CHECK(facts["zero"].empty());
    CHECK(std::abs(facts["spectrum"]["peak_hz"].get<double>() - 15.) < 5.);
    const auto own = nlohmann::json::parse(line.data({"info", "@run", "--json"}).out);
    CHECK(own["files"][0]["format"] == "seismograms.h5");
    for (const char* same : {"traces", "shots", "receiver_places", "offsets_m", "fold", "rms", "spectrum"})
        CHECK_MESSAGE(own[same] == facts[same], same);
    // As an array of NumPy's, whose table has the places as they are.
    REQUIRE(run_onda({"export", line.path("run"), "--npy", "-o", line.path("line.npy")}).code == 0);
    const auto array = nlohmann::json::parse(line.data({"info", "@line.npy", "--json"}).out);
    CHECK(array["files"][0]["format"] == "NumPy array, float32");
    for (const char* same : {"traces", "shots", "receiver_places", "offsets_m", "fold", "rms", "spectrum"})
        CHECK_MESSAGE(array[same] == facts[same], same);
    CHECK(line.data({"check", "@line.npy", "--config", "@survey.yaml"}).code == 0);
    CHECK(line.data({"plot", "@line.npy"}).code == 0);
    // The line in two files.
    constexpr std::size_t half = kHeads + 2 * kReceivers * kTrace;
    line.write("a.sgy", line.bytes.substr(0, half));
    line.write("b.sgy", line.bytes.substr(0, kHeads) + line.bytes.substr(half));
    const auto parts = nlohmann::json::parse(line.data({"info", "@a.sgy", "@b.sgy", "--json"}).out);
    CHECK(parts["files"].size() == 2);
    for (const char* same : {"traces", "shots", "fold", "rms", "spectrum"})
        CHECK_MESSAGE(parts[same] == facts[same], same);
}

TEST_CASE("check finds what is wrong with traces by their numbers, and what fits a survey") {
    const Line line;
    const Outcome good = line.data({"check", "@line.sgy", "--config", "@survey.yaml"});
    CAPTURE(good.out);
    CHECK(good.code == 0);
    CHECK(good.err.empty());
    CHECK(contains(good.out, "ok        each of the 70 receivers of 5 shots has one trace within 0.01 m"));
    CHECK(contains(good.out, "ok        all shots can be read as the run's 151 samples every 0.002 s"));
    CHECK(!contains(good.out, "bad"));
    CHECK(line.data({"check", "@run", "--config", "@survey.yaml"}).code == 0);

    std::string bytes = line.bytes;
    bytes[Line::header(3, 30)] = 2;  // dead
    for (std::size_t i = 0; i < 4 * kSamples; ++i) bytes[Line::header(9, 241) + i] = 0;
    for (const std::size_t trace : {20, 21, 22}) bytes.replace(Line::header(trace, 241), 4, "\x7f\xc0\x01\x01");  // NaN
    line.write("bad.sgy", bytes + bytes.substr(Line::header(40, 1), kTrace));
    const Outcome bad = line.data({"check", "@bad.sgy"});
    CAPTURE(bad.out);
    CHECK(bad.code == 65);
    CHECK(contains(bad.err, "bad.sgy: 2 errors, listed as bad"));
    CHECK(contains(bad.out, "bad       3 traces with samples that are not finite: 20 to 22"));
    CHECK(contains(bad.out, "bad       1 trace shot and received where an earlier one was: 71 (as 40)"));
    CHECK(contains(bad.out, "note      1 trace marked as dead, which count for nothing: 3"));
    CHECK(contains(bad.out, "note      1 trace not marked as dead whose samples are all 0: 9"));
}

TEST_CASE("check tells which shots and receivers of a survey have no trace, and which traces have no receiver") {
    const Line line;
    std::string bytes = line.bytes.substr(0, Line::header(29, 1)) + line.bytes.substr(Line::header(43, 1));  // shot 3
    bytes = bytes.substr(0, Line::header(5, 1)) + bytes.substr(Line::header(8, 1));  // receivers 5 to 7 of shot 1
    bytes.replace(Line::header(1, 81), 4, std::string("\0\x98\x96\x80", 4));  // receiver 1 of shot 1 goes far away
    line.write("less.sgy", bytes);
    const Outcome told = line.data({"check", "@less.sgy", "--config", "@survey.yaml", "--json"});
    CHECK(told.code == 65);
    const auto verdict = nlohmann::json::parse(told.out);
    CHECK(verdict["errors"] == 2);
    CHECK(finding(verdict, "shots_without_traces")["shots"] == nlohmann::json{3});
    const auto receivers = finding(verdict, "receivers_without_trace");
    CHECK(receivers["shots"] == nlohmann::json{1});
    CHECK(contains(receivers["text"].get<std::string>(), "4 receivers without a trace: 1, 5 to 7"));
    CHECK(finding(verdict, "unused")["traces"] == nlohmann::json{1});
    CHECK(finding(verdict, "outside")["traces"] == nlohmann::json{1});
    // Another survey, and another sampling.
    const auto of = [&](const std::string& setting) {
        return line.data({"check", "@line.sgy", "--config", "@survey.yaml", "--set", setting});
    };
    CHECK(contains(of("output.seismograms.dt_s=0.004").out, "every 0.004 s: data will be resampled"));
    const Outcome longer = of("time.duration_s=0.4");
    CHECK(longer.code == 65);
    CHECK(contains(longer.out, "trace 1 ends at 0.3 s, the record of this run at 0.4 s: shorten time.duration_s"));
    CHECK(contains(of("receivers=[{position_m: [40, 20]}]").out, "note      65 traces of no shot and receiver"));
}

TEST_CASE("header fields may lie elsewhere") {
    const Line line;
    const auto source_x = [&](const std::string& bytes) {
        const Outcome told = line.data({"info", "@line.sgy", "--json", "--bytes", bytes});
        CAPTURE(told.err);
        REQUIRE(told.code == 0);
        return nlohmann::json::parse(told.out)["sources_m"]["high_xyz"][0].get<double>();
    };
    CHECK(source_x("source_x=73") == 500.);
    CHECK(source_x("source_x=81,receiver_x=73") == 560.);
    CHECK(source_x("sx=81") == 560.);
    CHECK(source_x("source_x=0") == 0.);
    const auto refused = [&](const std::string& bytes, const std::string& words) {
        const Outcome told = line.data({"info", "@line.sgy", "--bytes", bytes});
        CHECK(told.code == 64);
        CAPTURE(told.err);
        CHECK(contains(told.err, words));
    };
    refused("source_z=3", "there is no such field; did you mean 'source_x'?");
    refused("source_x", "give FIELD=BYTE");
    refused("source_x=238", "begins at byte 1 to 237");
    refused("source_x=7.5", "begins at byte 1 to 237");
    // A survey whose configuration says where.
    std::string bytes = line.bytes;
    for (std::size_t trace = 1; trace <= kShots * kReceivers; ++trace)
        for (std::size_t i = 0; i < 4; ++i)
            std::swap(bytes[Line::header(trace, 73 + i)], bytes[Line::header(trace, 201 + i)]);
    line.write("moved.sgy", bytes);
    CHECK(line.data({"check", "@moved.sgy", "--config", "@survey.yaml"}).code == 65);
    CHECK(line.data({"check", "@moved.sgy", "--config", "@survey.yaml", "--bytes", "sx=201"}).code == 0);
    CHECK(
        line.data({"check", "@moved.sgy", "--config", "@survey.yaml", "--set", "imaging={segy_bytes: {source_x: 201}}"})
            .code == 0);
}

TEST_CASE("plot draws map, fold, spectrum and a gather") {
    const Line line;
    const Outcome drawn = line.data({"plot", "@line.sgy"});
    CAPTURE(drawn.err);
    CHECK(drawn.code == 0);
    CHECK(drawn.out == line.path("line_data.png") + "\n");
    CHECK(read_png(line.path("line_data.png")).width > 1000);
    CHECK(line.data({"plot", "@line.sgy"}).code == 73);
    CHECK(line.data({"plot", "@line.sgy", "--shot", "5", "--width", "900", "-o", "@p.png"}).code == 0);
    CHECK(read_png(line.path("p.png")).width == 900);
    CHECK(line.data({"plot", "@run", "-o", "@p.pdf"}).code == 0);
    CHECK(text_of(line.path("p.pdf")).starts_with("%PDF"));
    const Outcome absent = line.data({"plot", "@line.sgy", "--shot", "9", "-o", "@q.png"});
    CHECK(absent.code == 64);
    CHECK(contains(absent.err, "--shot 9: there is no such shot in"));
    // Without a single live trace there is still a map.
    std::string bytes = line.bytes;
    for (std::size_t trace = 1; trace <= kShots * kReceivers; ++trace) bytes[Line::header(trace, 30)] = 2;
    line.write("dead.sgy", bytes);
    CHECK(line.data({"plot", "@dead.sgy"}).code == 0);
    CHECK(line.data({"info", "@dead.sgy"}).code == 0);
}

TEST_CASE("files that are none, or damaged, end with a message") {
    const Line line;
    CHECK(line.data({"info", "@absent.sgy"}).code == 66);
    line.write("text.sgy", "no traces");
    CHECK(line.data({"info", "@text.sgy"}).code == 65);
    line.write("text.h5", "no traces");
    CHECK(line.data({"check", "@text.h5"}).code == 65);
    CHECK(line.data({"info"}).code == 64);
    CHECK(line.data({"inof", "@line.sgy"}).code == 64);
    REQUIRE(run_onda({"export", line.path("run"), "--npy", "-o", line.path("m.npy")}).code == 0);
    const std::vector<std::pair<std::string, std::string>> files{
        {"m.h5", text_of(fs::path(line.path("run")) / "seismograms.h5")},
        {"m.sgy", line.bytes},
        {"m.npy", text_of(line.path("m.npy"))}};
    std::mt19937 draw(2);
    for (int i = 0; i < 15; ++i) {
        std::string name = files[i % 3].first, bytes = files[i % 3].second;
        for (int change = 0; change < (name == "m.npy" ? 2 : 20); ++change)
            bytes[draw() % std::min<std::size_t>(bytes.size(), 12'000)] = char(draw());
        line.write(name, bytes);
        for (const char* command : {"info", "check", "plot"}) {
            std::vector<std::string> arguments{command, "@" + name};
            if (std::string(command) == "plot") arguments.insert(arguments.end(), {"--force", "-o", "@m.png"});
            const Outcome outcome = line.data(arguments);
            CAPTURE(outcome.err);
            CHECK((outcome.code == 0 || outcome.code == 65));
            CHECK((outcome.code == 0) == outcome.err.empty());
        }
    }
}
