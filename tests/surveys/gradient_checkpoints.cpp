// Gradients and images whose shots are stopped or killed while adjoint fields step go on from there, however the
// forward field is kept, and leave the files of a run without a stop, byte for byte. Takes 60 s.
#include <algorithm>
#include <random>

#include "tests/sanitized.hpp"
#include "tests/surveys/kept_steps.hpp"

using namespace onda;

namespace {

/// Two shots with density and layers, whose gradients take a second or two together.
const std::string kTwoShots = R"(schema_version: 1
grid: {shape: [121, 91], spacing_m: 10}
time: {duration_s: 6}
boundary: {cpml_width: 10}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{type: line, first_m: [303, 55], last_m: [905, 55], count: 2}]
receivers: [{type: line, first_m: [20, 20], last_m: [1180, 20], count: 30}]
backend: {threads: 1, batch: 2}
output: {pictures: false, report: false}
)";
const std::string kObserved = "imaging: {observed: true/seismograms.h5}\n";

std::string layers_with(int vp_m_s) {
    return "{type: layered, layers: [{top_m: 0, vp_m_s: 1500, rho_kg_m3: 1000}, {top_m: 500, vp_m_s: " +
           std::to_string(vp_m_s) + ", rho_kg_m3: 2100}]}";
}

std::vector<std::string> set_all(const std::vector<std::string>& settings) {
    std::vector<std::string> arguments;
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    return arguments;
}

/// Without the checksums of what HDF5 files hold of attributes, the name of the run among them.
std::string without_checksums(std::string file) {
    constexpr std::size_t before = 18, checksum = 4;
    for (std::size_t at = 0; (at = file.find("FHDB", at)) != std::string::npos; ++at)
        if (at + before + checksum < file.size()) file.replace(at + before, checksum, "----");
    return file;
}

/// The text without a part of it that names the run.
std::string without(std::string text, const std::string& part) {
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;) text.replace(at, part.size(), "-");
    return text;
}

/// What a complete run has left, byte for byte, but for the log and what names the run.
Contents results_in(const std::filesystem::path& out) {
    const auto summary = nlohmann::json::parse(text_of(out / "summary.json"));
    Contents contents{{"hashes", summary["hashes"].dump()},
                      {"largest", summary["largest_observed_pressure_pa"].dump()}};
    for (const auto& entry : std::filesystem::directory_iterator(out))
        if (const std::string name = entry.path().filename(); name != "onda.log" && name != "summary.json")
            contents[name] =
                without_checksums(without(without(text_of(entry.path()), summary["run_id"]), summary["started_utc"]));
    return contents;
}

/// A survey with what it observes of another model, a task, and what this leaves of it without a stop.
struct StoppedPlace : SurveyPlace {
    explicit StoppedPlace(const std::string& of, const std::vector<std::string>& settings) : SurveyPlace(kTwoShots) {
        REQUIRE(run({"--set", "model=" + layers_with(2300)}, "true").code == 0);
        write_text(folder.path() / "survey.yaml", kTwoShots + kObserved + "model: " + layers_with(2200));
        task = of;
        more = set_all(settings);
        REQUIRE(finish().code == 0);
        expected = results_in(out());
        std::filesystem::remove_all(out());
    }
    /// Begins the run or lets it go on, to its end.
    [[nodiscard]] Outcome finish(const std::vector<std::string>& settings = {}) const { return run(all(settings)); }
    [[nodiscard]] std::vector<std::string> all(const std::vector<std::string>& settings) const {
        std::vector<std::string> arguments{"--set", kEveryMoment};
        arguments.insert(arguments.end(), more.begin(), more.end());
        for (const std::string& argument : set_all(settings)) arguments.push_back(argument);
        return arguments;
    }
    /// Stops the run on its way, wherever it is computed.
    void stop(const std::vector<std::string>& settings, int signal) const {
        const std::int64_t before = last_step_kept(*this);
        std::vector<std::string> arguments = more;
        for (const std::string& argument : set_all(settings)) arguments.push_back(argument);
        CHECK(stop_on_the_way(*this, arguments, signal));
        CHECK(last_step_kept(*this) > before);
    }
    void check_the_end() const {
        const Outcome last = finish();
        CHECK(last.code == 0);
        CHECK(contains(last.err, "going on  shot"));
        CHECK(contains(last.err, "of the adjoint field; computed again: the forward field"));
        const Contents results = results_in(out());
        CHECK(results.size() == expected.size());
        for (const auto& [name, content] : expected) {
            CAPTURE(name);
            CHECK((results.contains(name) && results.at(name) == content));
        }
        CHECK(!std::filesystem::exists(unfinished()));
    }
    std::vector<std::string> more;
    Contents expected;
};

}  // namespace

TEST_CASE("adjoint fields that signals stop go on with other threads, batches and kernels, to the same bytes") {
    const auto check = [](const std::string& task, const std::vector<std::string>& settings) {
        for (const std::string& setting : settings) CAPTURE(setting);
        const StoppedPlace place(task, settings);
        place.stop({}, SIGTERM);
        place.stop({"backend.threads=2"}, SIGINT);
        place.stop({"backend.batch=1", "backend.isa=generic"}, SIGTERM);
        place.check_the_end();
    };
    SUBCASE("all levels") {
        check("gradient", {"imaging.storage=full"});
    }
    SUBCASE("rings") {
        check("gradient", {"imaging.storage=ring"});
    }
    SUBCASE("coded rings, every level") {
        check("gradient",
              {"imaging.storage=ring", "imaging.ring_values=16bit", "imaging.ring=host", "imaging.every=1"});
    }
    SUBCASE("states") {
        check("gradient", {"imaging.storage=checkpoints", "imaging.memory_gib=0.02"});
    }
    SUBCASE("of density, in double precision") {
        check("gradient", {"imaging.parameters=vp_and_rho", "imaging.storage=full", "scheme.precision=double"});
    }
    SUBCASE("of density, from states") {
        check("gradient", {"imaging.parameters=vp_and_rho", "imaging.storage=checkpoints", "imaging.memory_gib=0.03"});
    }
    SUBCASE("of order 4 in time") {
        check("gradient", {"time.order=4", "model={type: constant, vp_m_s: 1800}"});
    }
    SUBCASE("images with gathers of offsets") {
        check("rtm",
              {"imaging.image={condition: cross_correlation, offset_gathers: {every_m: 200, half_offset_m: 100}}"});
    }
}
