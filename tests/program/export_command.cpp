// `onda export` makes of a finished run what the run would have written of itself, to the byte, and further formats
// with the same numbers; from its folder or seismograms.h5 alone, of all shots or some, in bounded memory. What a
// format does not hold is refused; nothing is replaced without --force, or left half written.
// Takes 15 s.
#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/hdf5/hdf5.hpp"
#include "io/results/gather_export.hpp"
#include "io/results/image_file.hpp"
#include "io/results/seismograms.hpp"
#include "io/results/trace_file.hpp"
#include "tests/program/program.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;
using Json = nlohmann::json;
using Path = std::filesystem::path;

namespace {

/// Two shots in 2-D, of seven receivers of a line and two of a table with names and numbers of stations.
struct StationRun {
    std::string text = kSmall2d;
    std::string wells = "name,x,z,station\nA1,420,0,1007\n\xc3\x98st,440,8,\n";
    StationRun() {
        text.replace(text.find("output:"), 0, "  - {type: file, file: wells.csv}\n");
        text.replace(text.find("small run in 2-D"), 16, "\"S\xc3\xbc\xc3\x9f, \\\"small\\\" run\"");
    }
};

/// A run in the folder `name`.
Path run(const TemporaryFolder& folder, const std::string& name, const std::string& text,
         const std::vector<std::string>& settings = {}) {
    write_text(folder.path() / "run.yaml", text);
    write_text(folder.path() / "wells.csv", StationRun().wells);
    const Path out = folder.path() / name;
    std::vector<std::string> arguments{"run",      (folder.path() / "run.yaml").string(),
                                       "--output", out.string(),
                                       "--set",    "backend.name=cpu",
                                       "--set",    "output.pictures=false",
                                       "--set",    "output.report=false"};
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    const Outcome outcome = run_onda(arguments);
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    return out;
}

Outcome export_of(const Path& what, std::vector<std::string> more) {
    more.insert(more.begin(), {"export", what.string()});
    return run_onda(more);
}

void check_export(const Path& what, const std::vector<std::string>& more) {
    const Outcome outcome = export_of(what, more);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(outcome.err.empty());
}

/// The floats behind the header of a file.
std::vector<float> floats_behind(const std::string& bytes, std::size_t header) {
    REQUIRE(bytes.size() >= header);
    std::vector<float> values((bytes.size() - header) / sizeof(float));
    std::memcpy(values.data(), bytes.data() + header, values.size() * sizeof(float));
    return values;
}

/// All samples of a survey, by shot and receiver.
std::vector<float> samples_of(const Path& file) {
    std::vector<float> samples;
    for (const std::int64_t shot : list_shots(file)) {
        const ShotGather gather = read_gather(file, shot);
        samples.insert(samples.end(), gather.pressure.begin(), gather.pressure.end());
    }
    return samples;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

std::vector<std::string> csv_lines(const Path& file) {
    std::vector<std::string> lines;
    std::istringstream in(text_of(file));
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::vector<std::string> sorted_names(const Path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

/// 3-D: receivers on a grid, so that midpoints have inline and crossline numbers.
const std::string kReceiverGrid = R"(schema_version: 1
grid: {shape: [24, 20, 12], spacing_m: 10, origin_m: [-30, 10, 0]}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.02}
boundary: {cpml_width: 4, placement: inside}
wavelet: {type: gaussian, peak_frequency_hz: 10}
sources: [{position_m: [80, 100, 50]}, {position_m: [95, 110, 50]}]
receivers: [{type: grid, first_m: [40, 60, 50], last_m: [100, 120, 50], count: [4, 3, 1]}]
)";

/// A file of seismograms with one shot of a line of receivers, without a configuration.
Path write_seismograms(const Path& file, std::int64_t receivers, std::int64_t samples, double dt_s) {
    ShotGather gather{1, {{100., 0., 5.}}, {}, dt_s, samples, {}};
    for (std::int64_t r = 0; r < receivers; ++r) gather.receivers_m.push_back({10. * double(r), 0., 1.});
    gather.pressure.assign(static_cast<std::size_t>(receivers * samples), 0.5f);
    SeismogramWriter writer(file, {}, true);
    writer.write(gather);
    writer.commit();
    return file;
}

}  // namespace

TEST_CASE("SEG-Y and SU have the bytes that the run would have written") {
    for (const std::string& text : {StationRun().text, kSmall3d, kManyShots, kReceiverGrid}) {
        const TemporaryFolder folder;
        const Path with = run(folder, "with", text, {"output.seismograms.segy=ibm", "output.seismograms.su=true"});
        const Path without = run(folder, "without", text);
        REQUIRE_FALSE(std::filesystem::exists(without / "seismograms.segy"));
        check_export(without, {"--segy", "--samples", "ibm"});
        check_export(without, {"--su"});
        REQUIRE(text_of(with / "seismograms.segy").size() > 3600);
        CHECK(text_of(without / "seismograms.segy") == text_of(with / "seismograms.segy"));
        CHECK(text_of(without / "seismograms.su") == text_of(with / "seismograms.su"));
        // IEEE floats, from the file alone, in a folder of its own.
        const Path ieee = run(folder, "ieee", text, {"output.seismograms.segy=ieee"});
        check_export(without / "seismograms.h5", {"-o", (folder.path() / "line.sgy").string()});
        CHECK(text_of(folder.path() / "line.sgy") == text_of(ieee / "seismograms.segy"));
        CHECK(text_of(folder.path() / "line.sgy") != text_of(with / "seismograms.segy"));
    }
}

TEST_CASE("particle motion has files of its own, which an export makes with the same bytes, and tells what it is") {
    const TemporaryFolder folder;
    const std::vector<std::string> motion{"output.seismograms.particle_motion=[velocity_x, acceleration_z]",
                                          "output.seismograms.rho_kg_m3=1000"};
    const Path with = run(folder, "with", kReceiverGrid,
                          {motion[0], motion[1], "output.seismograms.segy=ieee", "output.seismograms.su=true"});
    const Path without = run(folder, "without", kReceiverGrid, motion);
    for (const std::string name : {"velocity_x", "acceleration_z"}) {
        for (const std::string format : {"segy", "su"}) {
            check_export(without, {"--" + format, "--quantity", name});
            const std::string file = "seismograms." + name + "." + format;
            CHECK(text_of(without / file) == text_of(with / file));
        }
        const std::string segy = text_of(with / ("seismograms." + name + ".segy"));
        const bool is_velocity = name == "velocity_x";
        CHECK(int(segy[3600 + 29]) == (is_velocity ? 14 : 12));  // inline, vertical
        CHECK(int(segy[3600 + 203]) == (is_velocity ? 6 : 7));   // m/s, m/s2
        CHECK(int(segy[3257]) == 0);
        CHECK(segy.size() == text_of(with / "seismograms.segy").size());
    }
    check_export(without, {"--npy", "--quantity", "velocity_x"});
    std::vector<float> samples;
    for (const std::int64_t shot : {1, 2}) {
        const ShotGather gather = read_gather(without / "seismograms.h5", shot);
        samples.insert(samples.end(), gather.motion[0].values.begin(), gather.motion[0].values.end());
    }
    CHECK(same_bits(floats_behind(text_of(without / "seismograms.velocity_x.npy"), 128), samples));
    check_export(without, {"--csv", "--quantity", "velocity_x"});
    CHECK(contains(text_of(without / "seismograms.velocity_x.csv"), "particle velocity along x in m/s;"));

    const Outcome absent = export_of(without, {"--su", "--quantity", "velocity_z"});
    CHECK(absent.code == 65);
    CHECK(
        contains(absent.err, "shot 1 has no velocity_z: runs record it where output.seismograms.particle_motion asks"));
    const Outcome unknown = export_of(without, {"--su", "--quantity", "velocity"});
    CHECK(unknown.code == 64);
    CHECK(contains(unknown.err, "receivers record no velocity, but pressure, velocity_x, "));
}

TEST_CASE("where the grid is that of a model file, an export tells it as the run does") {
    const TemporaryFolder folder;
    const Path model = folder.path() / "vp.h5";
    const std::vector<float> vp(std::size_t{21} * 21, 2000.f);
    write_text(folder.path() / "vp.f32", {reinterpret_cast<const char*>(vp.data()), vp.size() * sizeof(float)});
    REQUIRE(run_onda({"convert", (folder.path() / "vp.f32").string(), model.string(), "--shape", "21", "21", "--axes",
                      "zx", "--spacing-m", "10", "--no-pictures"})
                .code == 0);
    std::string text = kManyShots;
    const std::string grid = "grid: {shape: [21, 21], spacing_m: 10}\n";
    text.erase(text.find(grid), grid.size());
    const std::string constant = "{type: constant, vp_m_s: 2000}";
    text.replace(text.find(constant), constant.size(), "{type: file, file: " + model.string() + "}");
    const Path with = run(folder, "with", text, {"output.seismograms.segy=ieee"});
    const Path without = run(folder, "without", text);
    check_export(without, {"--segy"});
    CHECK(text_of(without / "seismograms.segy") == text_of(with / "seismograms.segy"));
}

TEST_CASE("a shot's own file gives the traces that the survey has of it") {
    const TemporaryFolder folder;
    const Path out = run(folder, "out", kManyShots);
    const auto of_shot = folder.path() / "a.segy", selected = folder.path() / "b.segy";
    check_export(out / "shots" / "00042.seismograms.h5", {"--segy", "-o", of_shot.string()});
    check_export(out, {"--segy", "--shots", "42", "-o", selected.string()});
    // All but the title, which the files of shots do not have.
    CHECK(text_of(of_shot).substr(3200) == text_of(selected).substr(3200));
    CHECK(std::filesystem::file_size(selected) ==
          static_cast<std::uintmax_t>(
              trace_file_bytes(TraceFormat::segy_ieee, 5, read_gather(out / "seismograms.h5", 42).samples)));
}

TEST_CASE("some shots are the traces of those shots, numbered from 1") {
    const TemporaryFolder folder;
    const Path out = run(folder, "out", kManyShots);
    check_export(out, {"--su", "--shots", "101,3-7"});
    const std::string bytes = text_of(out / "seismograms_shots_3-7_101.su");
    const std::int64_t samples = read_gather(out / "seismograms.h5", 1).samples;
    const std::size_t trace = 240 + 4 * static_cast<std::size_t>(samples);
    REQUIRE(bytes.size() == 30 * trace);
    for (std::size_t i = 0; i < 30; ++i) {
        std::int32_t sequence = 0, shot = 0;
        std::memcpy(&sequence, bytes.data() + i * trace, 4);
        std::memcpy(&shot, bytes.data() + i * trace + 8, 4);
        CHECK(sequence == static_cast<std::int32_t>(i) + 1);
        CHECK(shot == (i < 25 ? 3 + static_cast<std::int32_t>(i) / 5 : 101));
    }
    const Outcome none = export_of(out, {"--segy", "--shots", "102"});
    CHECK(none.code == 64);
    CHECK(contains(none.err, "there is no shot 102: the survey has 101 shots, numbered 1 to 101"));
    CHECK_FALSE(std::filesystem::exists(out / "seismograms.segy"));
}

TEST_CASE(
    "NumPy's array is [shot][receiver][time], or [trace][time] where shots differ, beside a table of its traces") {
    const TemporaryFolder folder;
    const Path out = run(folder, "out", StationRun().text);
    check_export(out, {"--npy"});
    const std::string bytes = text_of(out / "seismograms.npy");
    CHECK(bytes.starts_with(std::string("\x93NUMPY\x01\x00", 8)));
    CHECK(contains(bytes.substr(0, 128), "'descr': '<f4', 'fortran_order': False, 'shape': (2, 9, 151), }"));
    CHECK(bytes[127] == '\n');
    CHECK(same_bits(floats_behind(bytes, 128), samples_of(out / "seismograms.h5")));
    const auto lines = csv_lines(out / "seismograms_traces.csv");
    REQUIRE(lines.size() == 19);
    CHECK(lines[0] ==
          "trace,shot,receiver,source_x_m,source_y_m,source_z_m,receiver_x_m,receiver_y_m,receiver_z_m,"
          "offset_m,dt_s,name,station");
    CHECK(lines[1] == "1,1,1,400,0,24,203,0,20,-197,0.002,,");
    CHECK(lines[8] == "8,1,8,400,0,24,420,0,0,20,0.002,A1,1007");
    CHECK(lines[18] == "18,2,9,603,0,30,440,0,8,-163,0.002,\xc3\x98st,");

    const Path uneven = run(folder, "uneven", kUnequalShots);
    check_export(uneven, {"--npy"});
    const std::string of_traces = text_of(uneven / "seismograms.npy");
    CHECK(contains(of_traces.substr(0, 128), "'shape': (506, "));
    CHECK(same_bits(floats_behind(of_traces, 128), samples_of(uneven / "seismograms.h5")));
    CHECK(csv_lines(uneven / "seismograms_traces.csv").size() == 507);
}

TEST_CASE("RSF has the axes of the survey, and its numbers behind the header") {
    const TemporaryFolder folder;
    const Path out = run(folder, "out", kSmall2d);
    check_export(out, {"--rsf"});
    const std::string bytes = text_of(out / "seismograms.rsf");
    const std::size_t end = bytes.find("\x0c\x0c\x04");
    REQUIRE(end != std::string::npos);
    const std::string header = bytes.substr(0, end);
    for (const char* words :
         {R"(n1=151 o1=0 d1=0.002 label1="Time" unit1="s")", R"(n2=7 o2=203 d2=100 label2="Receiver x" unit2="m")",
          R"(n3=2 o3=1 d3=1 label3="Shot" unit3="")",  // their sources are not equally deep
          R"(label="Pressure" unit="Pa" title="small run in 2-D")",
          R"(data_format="native_float" esize=4 in="stdin")"}) {
        CAPTURE(words);
        CHECK(contains(header, words));
    }
    CHECK(same_bits(floats_behind(bytes, end + 3), samples_of(out / "seismograms.h5")));
    CHECK(std::filesystem::exists(out / "seismograms_traces.csv"));
    // Sources on a line; and receivers that move with them are at the same offsets.
    const Path line = run(folder, "line", kManyShots);
    check_export(line, {"--rsf"});
    CHECK(contains(text_of(line / "seismograms.rsf"), R"(n3=101 o3=50 d3=1 label3="Source x" unit3="m")"));
}

TEST_CASE("RSF says the offsets of receivers that move with the source") {
    const TemporaryFolder folder;
    GatherSurvey survey{{"0.1.0", "", {}}, {4, 6, 8}, [](std::int64_t shot) {
                            const double x = 0.1 * double(shot);
                            OpenGather gather;
                            gather.header = {shot, {{x, 0., 5.}}, {}, 0.001, 3, {}};
                            for (int r = 0; r < 4; ++r)
                                gather.header.receivers_m.push_back({x + 100. + 12.5 * r, 0., 8.});
                            gather.read = [](std::size_t, std::size_t count) {
                                return std::vector<float>(3 * count, 1.f);
                            };
                            return gather;
                        }};
    export_gathers(survey, {gather_format("rsf"), {folder.path() / "a.rsf", "", false}, survey.shots, {}});
    const std::string bytes = text_of(folder.path() / "a.rsf");
    CHECK(contains(bytes, R"(n2=4 o2=100 d2=12.5 label2="Offset" unit2="m")"));
    CHECK(contains(bytes, R"(n3=3 o3=0.4 d3=0.2 label3="Source x" unit3="m")"));
}

TEST_CASE("CSV tells units in its first lines, and every sample as it is") {
    const TemporaryFolder folder;
    const Path out = run(folder, "out", StationRun().text);
    check_export(out, {"--csv"});
    const auto lines = csv_lines(out / "seismograms.csv");
    REQUIRE(lines.size() == 3 + 1 + 18);
    CHECK(contains(lines[0], "S\xc3\xbc\xc3\x9f, \"small\" run"));
    CHECK(contains(lines[2], "pressure in Pa"));
    CHECK(contains(lines[3], "offset_m,dt_s,name,station,0,0.002,0.004,"));
    std::vector<float> values;
    for (std::size_t i = 4; i < lines.size(); ++i) {
        std::istringstream fields(lines[i]);
        std::string field;
        for (int column = 0; std::getline(fields, field, ','); ++column)
            if (column >= 13) values.push_back(std::stof(field));
    }
    CHECK(same_bits(values, samples_of(out / "seismograms.h5")));
}

TEST_CASE("some shots take no complete file's place, and only complete files are listed as the run's") {
    const TemporaryFolder folder;
    const Path out = run(folder, "out", kManyShots, {"output.seismograms.segy=ieee"});
    const std::string whole = text_of(out / "seismograms.segy"), summary = text_of(out / "summary.json");
    for (int i = 0; i < 2; ++i) check_export(out, {"--segy", "--shots", "3", "--force"});
    check_export(out, {"--npy", "--shots", "3,4,7"});
    std::string odd;
    for (int shot = 1; shot <= 101; shot += 2) odd += (shot == 1 ? "" : ",") + std::to_string(shot);
    check_export(out, {"--csv", "--shots", odd});
    for (const char* name : {"seismograms_shots_3.segy", "seismograms_shots_3-4_7.npy",
                             "seismograms_shots_3-4_7_traces.csv", "seismograms_51_shots.csv"}) {
        CAPTURE(name);
        CHECK(std::filesystem::exists(out / name));
    }
    CHECK(text_of(out / "seismograms.segy") == whole);
    CHECK(text_of(out / "summary.json") == summary);
    check_export(out, {"--su", "--shots", "1-101"});
    CHECK(contains(text_of(out / "summary.json"), "\"seismograms.su\""));
}

TEST_CASE("what is there stays, unless --force says otherwise; then a later --force of the run replaces it, too") {
    const TemporaryFolder folder;
    const Path out = run(folder, "out", kSmall2d, {"output.seismograms.segy=ieee"});
    const Outcome there = export_of(out, {"--segy"});
    CHECK(there.code == 73);
    CHECK(contains(there.err, "seismograms.segy exists already"));
    check_export(out, {"--segy", "--samples", "ibm", "--force"});
    check_export(out, {"--su"});
    const Json summary = Json::parse(text_of(out / "summary.json"));
    for (const char* name : {"seismograms.segy", "seismograms.su"}) {
        CAPTURE(name);
        CHECK(std::ranges::any_of(summary["files"], [&](const Json& file) {
            return file["name"] == name && file["bytes"] == std::filesystem::file_size(out / name);
        }));
    }
    const Outcome again = run_onda({"run", (folder.path() / "run.yaml").string(), "--output", out.string(), "--force"});
    CAPTURE(again.err);
    CHECK(again.code == 0);
    CHECK_FALSE(std::filesystem::exists(out / "seismograms.su"));
    // A table that is there stops the array that it belongs to.
    write_text(out / "seismograms_traces.csv", "mine");
    CHECK(export_of(out, {"--npy"}).code == 73);
    CHECK_FALSE(std::filesystem::exists(out / "seismograms.npy"));
    CHECK(text_of(out / "seismograms_traces.csv") == "mine");
}

TEST_CASE("wrong command lines") {
    const TemporaryFolder folder;
    const Path file = write_seismograms(folder.path() / "seismograms.h5", 2, 5, 0.002);
    const auto refusal = [&](const std::vector<std::string>& more) {
        const Outcome outcome = export_of(file, more);
        CHECK(outcome.code == 64);
        CHECK(sorted_names(folder.path()) == std::vector<std::string>{"seismograms.h5"});
        return outcome.err;
    };
    CHECK(contains(refusal({}), "a format is needed: one of --segy, --su, --rsf, --npy, --csv"));
    CHECK(contains(refusal({"--segy", "--su"}), "one format at a time"));
    CHECK(contains(refusal({"-o", (folder.path() / "a.dat").string()}), "its extension does not identify the format"));
    CHECK(contains(refusal({"--su", "-o", (folder.path() / "a.segy").string()}), "su files are .su"));
    CHECK(contains(refusal({"--segy", "--samples", "int16"}), "samples 'int16': segy files have ieee, ibm"));
    CHECK(contains(refusal({"--npy", "--samples", "ibm"}), "npy files have no choice of them"));
    CHECK(contains(refusal({"--segy", "--shots", "a"}), "'a' is neither a shot number nor a range"));
    CHECK(contains(refusal({"--segz"}), "did you mean '--segy'?"));
    const Outcome absent = export_of(folder.path() / "nowhere", {"--segy"});
    CHECK(absent.code == 66);
}

TEST_CASE("what SEG-Y and SU do not hold is refused in their words, and other formats take it") {
    const TemporaryFolder folder;
    const auto refusal = [&](std::int64_t samples, double dt_s, const std::string& format) {
        const Path file = write_seismograms(folder.path() / "seismograms.h5", 2, samples, dt_s);
        const Outcome outcome = export_of(file, {format});
        CHECK(sorted_names(folder.path()) == std::vector<std::string>{"seismograms.h5"});
        CHECK(outcome.code == 65);
        return outcome.err;
    };
    CHECK(contains(
        refusal(5, 0.0015004, "--segy"),
        "the sample interval of the seismograms is 0.0015004 s, but SEG-Y rev 1 stores whole microseconds from "
        "1 to 32767"));
    CHECK(contains(refusal(5, 1e-7, "--su"), "but SU stores whole microseconds"));
    CHECK(contains(refusal(32768, 0.001, "--segy"), "32768 samples per trace, but SEG-Y rev 1 stores at most 32767"));
    CHECK(contains(refusal(65536, 0.001, "--su"), "65536 samples per trace, but SU stores at most 65535"));
    const Path file = write_seismograms(folder.path() / "seismograms.h5", 2, 65536, 1e-7);
    for (const char* format : {"--rsf", "--npy", "--csv"}) check_export(file, {format, "--force"});
}

TEST_CASE("files that are none, damaged ones and unfinished runs are refused by name") {
    const TemporaryFolder folder;
    const Path file = write_seismograms(folder.path() / "seismograms.h5", 3, 50, 0.002);
    const std::string whole = text_of(file);
    write_text(file, "no HDF5");
    CHECK(export_of(file, {"--segy"}).code == 65);
    for (std::size_t cut = 512; cut < whole.size(); cut += whole.size() / 7) {
        write_text(file, whole.substr(0, cut));
        CHECK(export_of(file, {"--segy"}).code == 65);
    }
    // A bit in every 331st byte, told or of no consequence to the traces; damaged_hdf5 changes more of them.
    for (std::size_t at = 40; at < whole.size(); at += 331) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 4);
        write_text(file, damaged);
        const Outcome outcome = export_of(file, {"--segy", "--force"});
        CAPTURE(at);
        CAPTURE(outcome.err);
        CHECK((outcome.code == 65 || outcome.code == 0));
    }
    std::filesystem::remove(folder.path() / "seismograms.segy");
    CHECK(sorted_names(folder.path()) == std::vector<std::string>{"seismograms.h5"});
    std::filesystem::create_directories(folder.path() / "begun" / "unfinished");
    const Outcome begun = export_of(folder.path() / "begun", {"--segy"});
    CHECK(begun.code == 66);
    CHECK(contains(begun.err, "is not complete"));
}

TEST_CASE("a full disk leaves nothing") {
    const TemporaryFolder folder;
    const Path file = write_seismograms(folder.path() / "seismograms.h5", 40, 2000, 0.002);
    for (const char* format : {"--segy", "--su", "--rsf", "--npy", "--csv"}) {
        const Outcome outcome = run_onda({"export", file.string(), format}, "ulimit -f 100");
        CAPTURE(outcome.err);
        CHECK(outcome.code == 74);
        CHECK(sorted_names(folder.path()) == std::vector<std::string>{"seismograms.h5"});
    }
}

TEST_CASE("traces are read a few at a time, however large a shot is") {
    const TemporaryFolder folder;
    constexpr std::int64_t receivers = 10, samples = 2'500'000;  // 100 MB
    std::size_t most = 0;
    GatherSurvey survey{{"", "", {}}, {1}, [&most](std::int64_t shot) {
                            OpenGather gather;
                            gather.header = {shot, {{0., 0., 5.}}, {}, 1e-6, samples, {}};
                            for (int r = 0; r < receivers; ++r) gather.header.receivers_m.push_back({10. * r, 0., 8.});
                            gather.read = [&most](std::size_t first, std::size_t count) {
                                most = std::max(most, count);
                                return std::vector<float>(count * samples, static_cast<float>(first));
                            };
                            return gather;
                        }};
    std::int64_t told = 0;
    export_gathers(survey, {gather_format("npy"),
                            {folder.path() / "a.npy", "", false},
                            {1},
                            [&told](std::int64_t written, std::int64_t) { told = written; }});
    CHECK(most * samples * sizeof(float) <= std::size_t{64} << 20);
    CHECK(told == receivers);
    CHECK(std::filesystem::file_size(folder.path() / "a.npy") == 128 + receivers * samples * 4);
}

TEST_CASE("shots that are sampled in different ways are refused, and so is a pressure that is no number") {
    const TemporaryFolder folder;
    double dt_of_second = 0.002;
    float value = 1.f;
    GatherSurvey survey{
        {"", "", {}}, {1, 2}, [&](std::int64_t shot) {
            OpenGather gather;
            gather.header = {shot, {{0., 0., 5.}}, {{9., 0., 1.}}, shot == 1 ? 0.001 : dt_of_second, 3, {}};
            gather.read = [value](std::size_t, std::size_t) { return std::vector<float>{1.f, 2.f, value}; };
            return gather;
        }};
    const auto refusal = [&] {
        const std::string message = message_of(
            [&] {
                export_gathers(survey, {gather_format("segy"), {folder.path() / "a.segy", "ieee", false}, {1, 2}, {}});
            },
            ExitCode::bad_data);
        CHECK(sorted_names(folder.path()).empty());
        return message;
    };
    CHECK(contains(refusal(), "shot 2 has 3 samples, 0.002 s apart, but shot 1 has 3 samples, 0.001 s apart"));
    dt_of_second = 0.001;
    value = std::numeric_limits<float>::quiet_NaN();
    CHECK(contains(refusal(),
                   "shot 1, receiver 1 of 1 at (9, 0, 1) m, t = 0.002 s: the pressure is not a finite number"));
}

TEST_CASE("images are written as columns of SEG-Y with the places of their nodes, and as arrays") {
    const TemporaryFolder folder;
    const FileGeometry geometry{3, {4, 3, 5}, {12.5, 25., 10.}, {100., -50., 20.}};
    std::vector<float> values(60);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(i) - 17.5f;
    ImageWriter writer(folder.path() / "image.h5", {geometry, {}}, {}, true);
    writer.write(kMigratedImage, 0, values);
    writer.write({.shot = 1, .value = 1., .of_trace = {1.}});
    writer.commit();
    check_export(folder.path() / "image.h5", {"--segy"});
    const std::vector<char> segy = bytes_of(folder.path() / "image.segy");
    REQUIRE(segy.size() == 3600 + 12 * (240 + 5 * 4));
    const auto number = [&](std::size_t at, int bytes) {  // big endian, of two's complement
        std::uint32_t value = 0;
        for (int i = 0; i < bytes; ++i)
            value = value << 8 | static_cast<unsigned char>(segy[at + static_cast<std::size_t>(i)]);
        return bytes == 2 ? std::int64_t(std::int16_t(value)) : std::int64_t(std::int32_t(value));
    };
    CHECK(number(3216, 2) == 10000);  // mm, where other files have microseconds
    CHECK(number(3220, 2) == 5);
    CHECK(number(3224, 2) == 5);
    for (std::int64_t y = 0; y < 3; ++y)
        for (std::int64_t x = 0; x < 4; ++x) {
            const auto at = static_cast<std::size_t>(3600 + (y * 4 + x) * 260);
            CHECK(number(at + 20, 4) == y * 4 + x + 1);
            const auto parts = double(-number(at + 70, 2));
            CHECK(double(number(at + 180, 4)) / parts == 100. + 12.5 * double(x));
            CHECK(double(number(at + 184, 4)) / parts == -50. + 25. * double(y));
            CHECK(number(at + 188, 4) == y + 1);
            CHECK(number(at + 192, 4) == x + 1);
            for (std::int64_t z = 0; z < 5; ++z) {
                const auto bits = static_cast<std::uint32_t>(number(at + 240 + static_cast<std::size_t>(4 * z), 4));
                CHECK(std::bit_cast<float>(bits) == values[static_cast<std::size_t>((z * 3 + y) * 4 + x)]);
            }
        }
    check_export(folder.path() / "image.h5", {"--npy"});
    const std::vector<char> npy = bytes_of(folder.path() / "image.npy");
    REQUIRE(npy.size() == 128 + 240);
    CHECK(contains(std::string(npy.begin(), npy.begin() + 128), "'shape': (5, 3, 4)"));
    CHECK(std::memcmp(npy.data() + 128, values.data(), 240) == 0);
    const Outcome again = export_of(folder.path() / "image.h5", {"--npy"});
    CHECK(again.code == 73);
    const Outcome other = export_of(folder.path() / "image.h5", {"--csv"});
    CHECK(other.code == 64);
    CHECK(contains(other.err, "images are written with --segy or --npy"));
    CHECK(export_of(folder.path() / "image.h5", {"--segy", "--shots", "1"}).code == 64);
}
