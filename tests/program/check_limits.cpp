// Whatever a configuration asks for, `onda check` answers with a code of its own, in little memory, and with numbers.
// Takes 20 s.
#include <algorithm>
#include <cmath>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <omp.h>
#include <regex>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/boundaries/cpml.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/program/threads.hpp"
#include "tests/program/program.hpp"
#include "tests/sanitized.hpp"

using namespace onda;

namespace {

constexpr double kMostMegabytes = 200.;

struct Answer {
    int code = -1;
    double megabytes = 0.;
    std::string text;  ///< stdout and stderr
};

/// Whether `onda check` tries steps out, which takes a second: where what is asked for is within what is tried. What
/// the others ask for is counted alone, and each is tried in another of them.
enum class Trial { no, yes };

/// `onda check`, with the largest memory of the child itself.
Answer check(const std::filesystem::path& config, Trial trial) {
    const TemporaryFolder folder;
    const auto said = folder.path() / "said";
    const pid_t child = fork();
    if (child == 0) {
        const int file = open(said.c_str(), O_CREAT | O_WRONLY, 0600);
        dup2(file, STDOUT_FILENO);
        dup2(file, STDERR_FILENO);
        execl(ONDA_PROGRAM, ONDA_PROGRAM, "check", config.c_str(), trial == Trial::no ? "--no-trial" : nullptr,
              static_cast<char*>(nullptr));
        _exit(127);
    }
    int status = 0;
    rusage used{};
    REQUIRE(wait4(child, &status, 0, &used) == child);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            static_cast<double>(used.ru_maxrss) * 1024e-6, text_of(said)};
}

bool speaks_of_no_number(const std::string& text) {
    static const std::regex no_number(R"((^|[^A-Za-z_])-?(nan|inf|NaN|Infinity)([^A-Za-z_]|$))");
    return std::regex_search(text, no_number);
}

struct Demand {
    std::string title;
    std::vector<std::pair<std::string, std::string>> sections;  ///< in place of those below
    std::vector<int> codes;
    Trial trial = Trial::no;
};

std::string config_text(const Demand& demand) {
    std::vector<std::pair<std::string, std::string>> sections{
        {"grid", "{shape: [301, 201], spacing_m: 10}"},
        {"model", "{type: constant, vp_m_s: 2000}"},
        {"time", "{duration_s: 1.5}"},
        {"wavelet", "{type: ricker, peak_frequency_hz: 12}"},
        {"sources", "[{position_m: [1500, 20]}]"},
        {"receivers", "[{type: line, first_m: [500, 20], last_m: [2500, 20], count: 101}]"},
        {"backend", "{name: cpu, threads: 2}"}};
    for (const auto& section : demand.sections) {
        const auto same = std::ranges::find(sections, section.first, &std::pair<std::string, std::string>::first);
        if (same == sections.end())
            sections.push_back(section);
        else
            same->second = section.second;
    }
    std::string text = "schema_version: 1\n";
    for (const auto& [key, value] : sections) text += key + ": " + value + "\n";
    return text;
}

/// "[" item(0), item(1), … "]".
template <typename Item>
std::string list_of(int count, Item&& item) {
    std::string text = "[";
    for (int i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + item(i);
    return text + "]";
}

std::vector<Demand> demands() {
    const std::pair<std::string, std::string> source_3d{"sources", "[{position_m: [1505, 1005, 20]}]"},
        receivers_3d{"receivers", "[{type: line, first_m: [500, 20, 20], last_m: [2500, 20, 20], count: 101}]"},
        huge{"grid", "{shape: [200000, 200000, 200000], spacing_m: 10}"},
        million_shots{"sources", "[{type: line, first_m: [500, 20], last_m: [2500, 20], count: 1000000}]"};
    return {
        {"a million receivers for each of a million shots",
         {million_shots, {"receivers", "[{type: line, first_m: [500, 20], last_m: [2500, 20], count: 1000000}]"}},
         {71, 74},
         Trial::yes},
        {"more receivers than a number holds",
         {source_3d,
          {"grid", "{shape: [301, 201, 151], spacing_m: 10}"},
          {"receivers",
           "[{type: grid, first_m: [500, 20, 20], last_m: [2500, 900, 900], "
           "count: [1000000, 1000000, 1000000]}]"}},
         {71}},
        {"receivers of shots among those of all",
         {million_shots,
          {"receivers", list_of(4000,
                                [](int i) {
                                    return "{position_m: [" + std::to_string(i % 3000) +
                                           ", 20]}, {shot: " + std::to_string(1 + i) + ", position_m: [500, 30]}";
                                })}},
         {71, 74}},
        {"many long lines",
         {{"receivers", list_of(3000,
                                [](int i) {
                                    return "{type: line, first_m: [500, 20], last_m: [2500, " +
                                           std::to_string(20 + i % 900) + "], count: 1000000}";
                                })}},
         {71}},
        {"more sources than a run takes",
         {{"sources", list_of(3,
                              [](int) {
                                  return std::string(
                                      "{type: line, first_m: [500, 20], last_m: [2500, 20], count: 400000}");
                              })}},
         {78}},
        {"eight hundred million snapshots",
         {{"time", "{duration_s: 100000, dt_s: 0.000125}"}, {"output", "{snapshots: {every_steps: 1}}"}},
         {71, 74}},
        {"a record of a billion steps",
         {{"time", "{duration_s: 100000, dt_s: 0.0001001}"}, {"output", "{seismograms: {dt_s: 5}}"}},
         {0, 71}},
        {"more steps than a run takes", {{"time", "{duration_s: 1000000, dt_s: 0.0001}"}}, {78}},
        {"ninety thousand times",
         {{"output",
           "{snapshots: {times_s: " + list_of(90000, [](int i) { return std::to_string(1.5 * i / 90000); }) + "}}"}},
         {0, 74},
         Trial::yes},
        {"a wavelet of years", {{"wavelet", "{type: ormsby, corner_frequencies_hz: [0.00000001, 10, 20, 30]}"}}, {78}},
        {"thousands of wavelets",
         {{"sources", list_of(3000,
                              [](int i) {
                                  return "{position_m: [500, 20], wavelet: {type: ricker, peak_frequency_hz: " +
                                         std::to_string(5. + 0.001 * i) + "}}";
                              })}},
         {0, 71},
         Trial::yes},
        {"thousands of long wavelets",
         {{"sources", list_of(3000,
                              [](int i) {
                                  return "{position_m: [500, 20], wavelet: {type: ormsby, corner_frequencies_hz: [" +
                                         std::to_string(0.01 + 0.0001 * i) + ", 3, 20, 25]}}";
                              })}},
         {78}},
        {"the largest grid", {huge, source_3d, receivers_3d, {"boundary", "{cpml_width: 10000}"}}, {71}},
        {"the largest random medium",
         {huge, source_3d, receivers_3d, {"model", "{type: von_karman, vp_m_s: 2000, correlation_length_m: 100}"}},
         {71},
         Trial::yes},
        {"the largest geology", {huge, source_3d, receivers_3d, {"model", "{type: geology}"}}, {71}},
        {"a long thin random medium",
         {{"grid", "{shape: [200000, 5], spacing_m: 10}"},
          {"model", "{type: von_karman, vp_m_s: 2000, correlation_length_m: 100}"},
          {"boundary", "{top: rigid, bottom: zero}"}},
         {0, 71},
         Trial::yes},
        {"thousands of bodies",
         {{"grid", "{shape: [1000, 1000], spacing_m: 10}"},
          {"model", "{type: inclusions, vp_m_s: 2000, inclusions: " +
                        list_of(3000,
                                [](int i) {
                                    return "{center_m: [" + std::to_string(i) +
                                           ", 500], radius_m: 300, vp_m_s: " + std::to_string(1500 + i % 900) + "}";
                                }) +
                        "}"}},
         {0, 71},
         Trial::yes},
        {"double precision, density and layers",
         {source_3d,
          receivers_3d,
          {"grid", "{shape: [801, 401, 301], spacing_m: 10}"},
          {"model", "{type: gradient, vp_m_s: 1500, gradient_per_s: 0.5, rho: gardner}"},
          {"scheme", "{precision: double, space_order: 16}"}},
         {0, 71},
         Trial::yes},
        {"more nodes than a grid has", {{"grid", "{shape: [3000000, 3000000, 3000000], spacing_m: 10}"}}, {78}},
        {"thousands of faults",
         {{"receivers", list_of(15000, [](int i) { return "{positon_m: [" + std::to_string(i) + ", 20]}"; })}},
         {78}},
    };
}

}  // namespace

TEST_CASE("everything that a configuration can ask for is answered in little memory") {
    for (const Demand& demand : demands()) {
        const TemporaryFolder folder;
        const auto config = folder.path() / "run.yaml";
        write_text(config, config_text(demand));
        const Answer answer = check(config, demand.trial);
        MESSAGE(demand.title, ": code ", answer.code, ", ", answer.megabytes, " MB");
        CAPTURE(demand.title);
        CAPTURE(answer.text.substr(0, 2000));
        CHECK_MESSAGE(std::ranges::find(demand.codes, answer.code) != demand.codes.end(), answer.code);
        CHECK(!speaks_of_no_number(answer.text));
        if (!test::kSanitized) CHECK(answer.megabytes < kMostMegabytes);
    }
}

TEST_CASE("without a trial nothing is computed: no run time is told, and the rest is the same") {
    const TemporaryFolder folder;
    const std::string config = (folder.path() / "run.yaml").string();
    write_text(config, config_text({"", {}, {}}));
    const auto told = [&](const std::vector<std::string>& options) {
        std::vector<std::string> arguments{"check", config, "--json"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome outcome = run_onda(arguments);
        CAPTURE(outcome.err);
        REQUIRE(outcome.code == 0);
        return nlohmann::json::parse(outcome.out);
    };
    nlohmann::json with = told({}), without = told({"--no-trial"});
    CHECK(with["run_time"]["seconds"] > 0.);
    CHECK(without["run_time"].is_null());
    with.erase("run_time");
    without.erase("run_time");
    CHECK(with == without);
    const Outcome text = run_onda({"check", config, "--no-trial"});
    CHECK(contains(text.out, "memory    "));
    CHECK(!contains(text.out, "run time"));
    const Outcome priced = run_onda({"check", config, "--no-trial", "--devices", "2"});
    CHECK(priced.code == 64);
    CHECK(contains(priced.err, "--no-trial leaves open what a device does: give --device-gpts"));
    const Outcome given = run_onda({"check", config, "--no-trial", "--devices", "2", "--device-gpts", "100"});
    CHECK(given.code == 0);
    CHECK(contains(given.out, "machine   1 host with 2 devices each, of 100 Gpt/s"));
}

TEST_CASE("every number of a configuration can be nonsense: it is refused, or makes numbers") {
    const std::vector<std::string> keys{"grid.spacing_m",
                                        "grid.origin_m[0]",
                                        "model.vp_m_s",
                                        "model.gradient_per_s",
                                        "model.layers[0].vp_m_s",
                                        "model.layers[0].rho_kg_m3",
                                        "model.layers[1].top_m",
                                        "model.rho_kg_m3",
                                        "model.dip_deg",
                                        "model.inclusions[0].radius_m",
                                        "model.inclusions[0].center_m[1]",
                                        "model.inclusions[0].rho_kg_m3",
                                        "model.correlation_length_m",
                                        "model.hurst_exponent",
                                        "model.deviation_percent",
                                        "time.duration_s",
                                        "time.dt_s",
                                        "time.cfl_fraction",
                                        "scheme.min_points_per_wavelength",
                                        "boundary.cpml_reflection",
                                        "boundary.cpml_frequency_hz",
                                        "boundary.sponge_reflection",
                                        "wavelet.peak_frequency_hz",
                                        "wavelet.t0_s",
                                        "wavelet.corner_frequencies_hz[3]",
                                        "sources[0].position_m[0]",
                                        "receivers[0].last_m[1]",
                                        "output.seismograms.dt_s",
                                        "output.snapshots.every_steps",
                                        "output.snapshots.window_min_m[0]"};
    const std::vector<std::string> models{
        "{type: constant, vp_m_s: 2000}", "{type: gradient, vp_m_s: 2000, gradient_per_s: 1}",
        "{type: layered, layers: [{top_m: 0, vp_m_s: 2000, rho_kg_m3: 1000}, {top_m: 50, vp_m_s: 2100}], "
        "rho_kg_m3: 1200, dip_deg: 10}",
        "{type: inclusions, vp_m_s: 2000, rho_kg_m3: 1000, inclusions: [{center_m: [100, 100], radius_m: 20, "
        "vp_m_s: 2100, rho_kg_m3: 1100}]}",
        "{type: von_karman, vp_m_s: 2000, correlation_length_m: 100, hurst_exponent: 0.5, deviation_percent: 5}"};
    const std::vector<std::string> wavelets{"{type: ricker, peak_frequency_hz: 12, t0_s: 0.1}",
                                            "{type: ormsby, corner_frequencies_hz: [2, 5, 15, 25]}"};
    const std::vector<std::string> values{"0",     "-0.0", "1e-308", "-1e-308", "1e-300", "1e-45",  "1e-40",
                                          "1e-20", "1e-8", "1e-3",   "-1",      "1e6",    "1e8",    "1e12",
                                          "1e20",  "1e38", "1e40",   "1e154",   "1e300",  "-1e300", "1.7e308"};
    int refused = 0, planned = 0;
    const auto attempt = [&](const std::string& model, const std::string& wavelet, const std::string& key,
                             const std::string& value) {
        const std::string text =
            "schema_version: 1\ngrid: {shape: [31, 31], spacing_m: 10, origin_m: [0, 0]}\nmodel: " + model +
            "\ntime: {duration_s: 0.5}\nboundary: {cpml_width: 6, bottom: sponge, "
            "sponge_width: 6}\nwavelet: " +
            wavelet +
            "\nsources: [{position_m: [100, 100]}]\nreceivers: [{type: line, first_m: [50, 50], "
            "last_m: [200, 50], count: 5}]\noutput: {snapshots: {window_min_m: [0, 0], "
            "window_max_m: [300, 300], every_steps: 10}, seismograms: {dt_s: 0.01}}\nbackend: "
            "{name: cpu, threads: 1}\n";
        CAPTURE(model);
        CAPTURE(key);
        CAPTURE(value);
        try {
            const Plan plan = make_plan(read_config_text(text, "run.yaml", vocabulary(), {key + "=" + value}));
            const Model made =
                make_model(plan.config.model, plan.setup.scheme.equation, plan.domain.grid, plan.config.origin);
            for (const ParameterValues& parameter : made.parameters)
                CHECK(std::ranges::all_of(parameter.values, [](float at) { return std::isnormal(at) && at > 0.f; }));
            std::string said = describe(plan) + plan.sampling.message;
            for (const std::string& warning : plan.warnings) said += "\n" + warning;
            for (const Wavelet& made_wavelet : plan.survey.wavelets) said += "\n" + made_wavelet.description;
            CHECK_MESSAGE(!speaks_of_no_number(said), said);
            CHECK(std::isnormal(plan.time.dt_s));
            CHECK(plan.time.steps >= 1);
            for (const CpmlFace& face : plan.setup.strips.get<Cpml>().face)
                for (const auto* part : {&face.a_psi, &face.b_psi, &face.a_zeta, &face.b_zeta})
                    CHECK(std::ranges::all_of(*part, [](double x) { return std::isfinite(x); }));
            CHECK(forecast_memory(plan).peak_bytes() > 0);
            CHECK(forecast_output_bytes(plan) > 0);
            ++planned;
        } catch (const Error& error) {
            CHECK(error.code() == ExitCode::config);
            const std::string message = error.what();
            CHECK_MESSAGE(!speaks_of_no_number(message.substr(0, message.find('\n'))), message);
            ++refused;
        }
    };
    for (const std::string& key : keys)
        for (const std::string& value : values)
            for (const std::string& model : models)
                for (const std::string& wavelet : wavelets) {
                    const bool of_model = key.starts_with("model."), of_wavelet = key.starts_with("wavelet.");
                    if ((!of_model && &model != &models.front()) || (!of_wavelet && &wavelet != &wavelets.front()))
                        continue;
                    attempt(model, wavelet, key, value);
                }
    MESSAGE(planned, " planned, ", refused, " refused");
    CHECK(planned > 50);
    CHECK(refused > 300);
}

TEST_CASE("threads that the system does not start are refused with place and number") {
    CHECK(startable_threads(1) == 1);
    CHECK(startable_threads(8) == 8);
    if (test::kSanitized) return;  // address space is what sanitizers take most of
    const TemporaryFolder folder;
    const auto config = folder.path() / "run.yaml";
    write_text(config, config_text({"", {{"backend", "{name: cpu, threads: 4096}"}}, {}}));
    const std::string room = "ulimit -v 2000000";  // of stacks of 8 MB: some 200
    for (const char* command : {"check", "run"}) {
        const Outcome outcome = run_onda({command, config.string()}, "ulimit -s 8192; " + room);
        CAPTURE(outcome.err);
        CHECK(outcome.code == 78);
        CHECK(
            contains(outcome.err, "run.yaml:8:31: backend.threads: 4096 threads: the system lets this program start"));
    }
    const Outcome set = run_onda({"check", config.string(), "--threads", "3000"}, "ulimit -s 8192; " + room);
    CAPTURE(set.err);
    CHECK(set.code == 78);
    CHECK(contains(set.err, "--set backend.threads=3000: backend.threads: 3000 threads"));
    const Outcome few = run_onda({"check", config.string(), "--threads", "4"}, "ulimit -s 8192; " + room);
    CHECK(few.code == 0);

    const std::string plain = config_text({"", {{"backend", "{name: cpu}"}}, {}});
    write_text(config, plain);
    const Outcome inherited =
        run_onda({"check", config.string()}, "export OMP_NUM_THREADS=3000; ulimit -s 8192; " + room);
    CAPTURE(inherited.err);
    CHECK(inherited.code == 78);
    CHECK(contains(inherited.err, "as many as OMP_NUM_THREADS ask for"));
    const Outcome stacks = run_onda({"check", config.string()}, "export OMP_NUM_THREADS=4 OMP_STACKSIZE=1g; " + room);
    CHECK(stacks.code == 78);
    const Outcome bench =
        run_onda({"bench", "cpu", "--shape", "64", "64", "--threads", "3000"}, "ulimit -s 8192; " + room);
    CAPTURE(bench.err);
    CHECK(bench.code == 64);
    CHECK(contains(bench.err, "--threads: 3000 threads"));
}
