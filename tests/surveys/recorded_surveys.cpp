// Surveys whose sources and receivers are those of recorded traces: what was written as SEG-Y, SU, NumPy array or
// seismograms.h5 is computed again where it was recorded, with its numbers and bits, and compared with itself.
// Takes 3 s.
#include <cmath>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

#include "io/results/image_file.hpp"
#include "io/results/seismograms.hpp"
#include "solver/survey/recorded_survey.hpp"
#include "tests/program/process.hpp"

using namespace onda;

namespace {

const std::string kBase = R"(schema_version: 1
grid: {shape: [81, 41], spacing_m: 10}
model: {type: gradient, vp_m_s: 1800, gradient_per_s: 0.4}
time: {duration_s: 0.3}
boundary: {cpml_width: 8}
wavelet: {type: ricker, peak_frequency_hz: 15}
backend: {name: cpu}
)";
const std::string kOutput = "output: {pictures: false, report: false, seismograms: {segy: ieee, su: true}}\n";
const std::string kOfNumbers = "sources: [{position_m: [200, 20], shot: 7}, {position_m: [600, 30], shot: 3}]\n";
const std::string kFixed = "receivers: [{type: line, first_m: [0, 10], last_m: [800, 10], count: 21}]\n";
const std::string kStreamer =
    "receivers: [{type: line, relative_to: source, first_m: [-150, 0], last_m: [-50, 0], count: 6}]\n";

std::string survey_of(const std::string& file) {
    return "sources: [{type: file, file: " + file + "}]\nreceivers: [{type: file, file: " + file + "}]\n";
}

Outcome run(const TemporaryFolder& folder, const std::string& name, const std::string& text,
            const std::string& command = "run") {
    const std::filesystem::path config = folder.path() / (name + ".yaml");
    write_text(config, kBase + text);
    return run_onda({command, config, "--output", folder.path() / name, "--force"});
}

}  // namespace

TEST_CASE("a survey of recorded traces is that in which they were recorded") {
    for (const std::string& receivers : {kFixed, kStreamer}) {
        CAPTURE(receivers);
        const TemporaryFolder folder;
        REQUIRE(run(folder, "first", kOfNumbers + receivers + kOutput).code == 0);
        const std::filesystem::path expected = folder.path() / "first" / "seismograms.h5";
        REQUIRE(run_onda({"export", folder.path() / "first", "--npy"}).code == 0);
        for (const std::string name : {"seismograms.segy", "seismograms.su", "seismograms.npy", "seismograms.h5"}) {
            CAPTURE(name);
            const Outcome done = run(folder, "again", survey_of("first/" + name) + kOutput);
            REQUIRE_MESSAGE(done.code == 0, done.err);
            const std::filesystem::path found = folder.path() / "again" / "seismograms.h5";
            CHECK(list_shots(found) == std::vector<std::int64_t>{3, 7});
            for (const std::int64_t shot : {3, 7}) {
                const ShotGather a = read_gather(expected, shot), b = read_gather(found, shot);
                CHECK(b.sources_m == a.sources_m);
                REQUIRE(b.receivers_m.size() == a.receivers_m.size());
                for (std::size_t i = 0; i < a.receivers_m.size(); ++i)  // a line's places are rounded, headers not
                    CHECK(std::abs(b.receivers_m[i][0] - a.receivers_m[i][0]) <= 1e-9);
                CHECK(b.pressure == a.pressure);
            }
            // And the traces are found again by where they were recorded: they differ by nothing.
            const Outcome compared =
                run(folder, "gradient",
                    survey_of("first/" + name) + kOutput + "imaging: {observed: first/" + name + "}\n", "gradient");
            CHECK_MESSAGE(compared.code == 0, compared.err);
        }
    }
}

TEST_CASE(
    "shots have the numbers of their records, where these are those of shots, and receivers of all shots are there "
    "once") {
    const TemporaryFolder folder;
    REQUIRE(run(folder, "first", kOfNumbers + kFixed + kOutput).code == 0);
    const std::filesystem::path segy = folder.path() / "first" / "seismograms.segy";
    CHECK(tells_survey(segy));
    CHECK(tells_survey(folder.path() / "first" / "seismograms.h5"));
    CHECK_FALSE(tells_survey(folder.path() / "first.csv"));
    const RecordedSurvey survey = read_recorded_survey(segy);
    CHECK(survey.sources.shot == std::vector<std::int64_t>{3, 7});
    CHECK(survey.sources.position_m.front() == std::array<double, 3>{600., 0., 30.});
    CHECK(survey.sources.amplitude == std::vector<double>{1., 1.});
    CHECK(survey.receivers.shot.empty());
    CHECK(survey.receivers.position_m.size() == 21);
    TraceBytes without_numbers;
    without_numbers.record = 0;
    CHECK(read_recorded_survey(segy, without_numbers).sources.shot == std::vector<std::int64_t>{1, 2});
    const Outcome missing = run(folder, "missing", survey_of("first/nowhere.segy") + kOutput);
    CHECK(missing.code == static_cast<int>(ExitCode::missing_input));
    CHECK(contains(missing.err, "nowhere.segy"));
}

TEST_CASE("SPS and P1/90 are the surveys that their places and relations describe") {
    const TemporaryFolder folder;
    const auto write = [&](const char* name, const std::string& text) {
        std::ofstream(folder.path() / name, std::ios::binary) << text;
    };
    const auto padded = [](const std::string& text, std::size_t width) {
        return std::string(width - text.size(), ' ') + text;
    };
    // Shots 5 and 9 at x = 200 m and 600 m, 20 m deep; shot 9 has the second and third of three receivers alone.
    const auto point = [&](char kind, int number, int x, const std::string& depth) {
        return std::string(1, kind) + "1               " + padded(std::to_string(number), 8) + "1V1   0" +
               padded(depth, 4) + "   0 0   0" + padded(std::to_string(x), 9) + padded("0", 10) + padded("0", 6) + "\n";
    };
    const auto relation = [&](int record, int source, int channels, int from, int to) {
        return "X1     " + padded(std::to_string(record), 4) + "111               " +
               padded(std::to_string(source), 8) + "1   1" + padded(std::to_string(channels), 4) + "11               " +
               padded(std::to_string(from), 8) + padded(std::to_string(to), 8) + "1\n";
    };
    write("a.sps", point('S', 1, 200, "20.0") + point('S', 2, 600, "20.0"));
    write("a.rps", point('R', 1, 100, "10") + point('R', 2, 300, "10") + point('R', 3, 500, "10"));
    write("a.xps", relation(5, 1, 3, 1, 3) + relation(9, 2, 2, 2, 3));
    const auto group = [&](int number, int x) {
        return padded(std::to_string(number), 4) + padded(std::to_string(x), 9) + padded("0", 9) + "10.0";
    };
    const auto shot = [&](int number, int x) {
        return "SLINE-1" + padded(std::to_string(number), 18) + std::string(21, ' ') + padded(std::to_string(x), 9) +
               padded("0", 9) + "\n";
    };
    write("a.p190", shot(5, 200) + "R" + group(1, 100) + group(2, 300) + group(3, 500) + "\n" + shot(9, 600) + "R" +
                        group(2, 300) + group(3, 500) + "\n");
    const std::string output = "output: {pictures: false, report: false}\n";
    REQUIRE(run(folder, "plain",
                "sources: [{position_m: [200, 20], shot: 5}, {position_m: [600, 20], shot: 9}]\nreceivers:\n"
                "  - {position_m: [100, 10], shot: 5}\n  - {position_m: [300, 10]}\n  - {position_m: [500, 10]}\n" +
                    output)
                .code == 0);
    const std::filesystem::path wanted = folder.path() / "plain" / "seismograms.h5";
    const std::string p190 =
        "sources: [{type: file, file: a.p190, depth_m: 20}]\nreceivers: [{type: file, file: a.p190}]\n";
    for (const std::string& survey : {survey_of("a.sps"), survey_of("a.rps"), p190}) {
        CAPTURE(survey);
        const Outcome done = run(folder, "field", survey + output);
        REQUIRE_MESSAGE(done.code == 0, done.err);
        const std::filesystem::path found = folder.path() / "field" / "seismograms.h5";
        CHECK(list_shots(found) == std::vector<std::int64_t>{5, 9});
        for (const std::int64_t number : {5, 9}) {
            const ShotGather a = read_gather(wanted, number), b = read_gather(found, number);
            CHECK(b.sources_m == a.sources_m);
            CHECK(b.receivers_m == a.receivers_m);
            CHECK(b.pressure == a.pressure);
        }
    }
    const auto refusal = [&](const std::string& sources) {
        const Outcome refused =
            run(folder, "refused", "sources: [{type: file, " + sources + "}]\nreceivers: [{position_m: [300, 10]}]\n");
        CHECK(refused.code != 0);
        return refused.err;
    };
    CHECK(contains(refusal("file: a.p190"), "does not tell how deep sources are, as no P1/90 file does: give depth_m"));
    CHECK(contains(refusal("file: a.sps, depth_m: 20"), "is of P1/90; this file tells how deep its sources are"));
    write("b.sps", point('R', 1, 100, "10"));
    CHECK(contains(refusal("file: b.sps"), "b.sps: has no sources"));
    // An unfinished survey is not that of another relation.
    const std::string survey = survey_of("a.sps") + output;
    write_text(folder.path() / "part.yaml", kBase + survey);
    const auto some = [&] {
        return run_onda({"run", folder.path() / "part.yaml", "--output", folder.path() / "part", "--shots", "5"});
    };
    REQUIRE(some().code == 0);
    write("a.xps", relation(5, 1, 3, 1, 3) + relation(9, 2, 3, 1, 3));
    const Outcome other = some();
    CHECK(other.code != 0);
    CHECK(contains(other.err, ".xps"));
}

TEST_CASE("shots of headers have the signals of their numbers, alone and with the others") {
    const TemporaryFolder folder;
    for (const int shot : {3, 7}) {
        std::ofstream file(folder.path() / ("near_" + std::to_string(shot) + ".csv"));
        file.precision(17);
        file << "time_s,amplitude\n";
        for (int n = 0; n <= 200; ++n) {
            const double a = std::pow(std::numbers::pi * 15. * (0.001 * n - 0.1), 2);
            file << 0.001 * n << ',' << (shot == 7 ? -2. : 1.) * (1. - 2. * a) * std::exp(-a) << '\n';
        }
    }
    const auto with = [&](const std::string& name, const std::string& signal, const std::string& text,
                          const std::string& command = "run") {
        const std::filesystem::path config = folder.path() / (name + ".yaml");
        std::string base = kBase;
        const std::string ricker = "{type: ricker, peak_frequency_hz: 15}";
        base.replace(base.find(ricker), ricker.size(), "{type: file, file: '" + signal + "'}");
        write_text(config, base + text);
        return run_onda({command, config, "--output", folder.path() / name});
    };
    const std::string by_shot = "near_{shot}.csv";
    const auto pressure = [&](const std::string& name, std::int64_t shot) {
        return read_gather(folder.path() / name / "seismograms.h5", shot).pressure;
    };
    const Outcome one = with("one", "near_3.csv", kOfNumbers + kStreamer + kOutput),
                  own = with("own", by_shot, kOfNumbers + kStreamer + kOutput),
                  recorded = with("recorded", by_shot, survey_of("own/seismograms.segy") + kOutput);
    for (const Outcome* done : {&one, &own, &recorded}) REQUIRE_MESSAGE(done->code == 0, done->err);
    CHECK(contains(own.err, "near_{shot}.csv of 2 shots, spectrum's peak at "));
    CHECK(pressure("own", 3) == pressure("one", 3));
    std::vector<float> scaled = pressure("one", 7);
    for (float& value : scaled) value *= -2.f;
    CHECK(pressure("own", 7) == scaled);
    for (const std::int64_t shot : {3, 7}) CHECK(pressure("recorded", shot) == pressure("own", shot));

    // A shot alone is what it is with the others, and takes the signals of all.
    const auto comparing = [](const std::string& shots) {
        return kOfNumbers + kStreamer + "imaging: {observed: one/seismograms.h5, shots: " + shots + "}\n";
    };
    const std::string alone = comparing("7");
    const auto misfits = [&](const std::string& name, const std::string& text) {
        const Outcome compared = with(name, by_shot, text, "gradient");
        REQUIRE_MESSAGE(compared.code == 0, compared.err);
        return image_contents(folder.path() / name / "gradient.h5").misfits;
    };
    const std::vector<ListedMisfit> of_all = misfits("compared", comparing("[3, 7]")), of_one = misfits("alone", alone);
    REQUIRE(of_all.size() == 2);
    REQUIRE(of_one.size() == 1);
    CHECK(of_one.front().shot == 7);
    CHECK(of_one.front().value == of_all.back().value);
    CHECK(of_all.front().value < 1e-9 * of_all.back().value);
    std::filesystem::remove(folder.path() / "near_3.csv");
    const Outcome missing = with("missing", by_shot, alone, "gradient");
    CHECK(missing.code == static_cast<int>(ExitCode::missing_input));
    CHECK(contains(missing.err, "near_3.csv"));
    CHECK(contains(missing.err, "the signal of shot 3, by wavelet.file"));
    std::filesystem::remove(folder.path() / "near_7.csv");
    const Outcome none = with("none", by_shot, alone, "gradient");
    CHECK(none.code == static_cast<int>(ExitCode::missing_input));
    CHECK(contains(none.err, "no such file of any shot"));
}
