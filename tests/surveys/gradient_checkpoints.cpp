// Gradients and images whose shots are stopped or killed while adjoint fields step go on from there, however the
// forward field is kept, and leave the files of a run without a stop, byte for byte. Takes 40 s.
#include <algorithm>
#include <random>
#include <utility>

#include "io/results/image_file.hpp"
#include "tests/sanitized.hpp"
#include "tests/surveys/kept_steps.hpp"
#include "tests/surveys/result_bytes.hpp"

using namespace onda;

namespace {

/// Two shots with density and layers, whose gradients take a second or two together.
const std::string kTwoShots = R"(schema_version: 1
grid: {shape: [101, 71], spacing_m: 10}
time: {duration_s: 3}
boundary: {cpml_width: 10}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{type: line, first_m: [303, 55], last_m: [705, 55], count: 2}]
receivers: [{type: line, first_m: [20, 20], last_m: [980, 20], count: 30}]
backend: {threads: 1, batch: 2}
output: {pictures: false, report: false}
)";
const std::string kOneShotIn3d = R"(schema_version: 1
grid: {shape: [31, 27, 65], spacing_m: 10}
time: {duration_s: 0.4}
boundary: {cpml_width: 8}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{position_m: [153, 138, 55]}]
receivers: [{type: line, first_m: [20, 150, 20], last_m: [280, 150, 600], count: 30}]
backend: {threads: 1}
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

/// The gradient of all shots.
std::vector<float> gradient_in(const std::filesystem::path& out) {
    const auto shape = image_contents(out / "gradient.h5").nodes.geometry.shape;
    return read_image(out / "gradient.h5", kVpGradient, {0, 0, 0}, shape);
}

/// A survey with what it observes of another model, a task, and what this leaves of it without a stop.
struct StoppedPlace : SurveyPlace {
    StoppedPlace(const std::string& of, const std::vector<std::string>& settings, const std::string& survey = kTwoShots)
        : SurveyPlace(survey) {
        REQUIRE(run({"--set", "model=" + layers_with(2300)}, "true").code == 0);
        write_text(folder.path() / "survey.yaml", survey + kObserved + "model: " + layers_with(2200));
        task = of;
        more = set_all(settings);
        REQUIRE(finish().code == 0);
        expected = results_in(out());
        if (task == "gradient") gradient = gradient_in(out());
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
        for (const auto& entry : expected) {
            CAPTURE(entry.first);
            CHECK((results.contains(entry.first) && results.at(entry.first) == entry.second));
        }
        CHECK(!std::filesystem::exists(unfinished()));
    }
    std::vector<std::string> more;
    Contents expected;
    std::vector<float> gradient;
};

}  // namespace

TEST_CASE("adjoint fields that signals stop go on with other threads, batches and kernels, to the same bytes") {
    // Plain loops compute the forward field anew in seconds, so they meet one equation.
    const auto check = [](const std::string& task, const std::vector<std::string>& settings,
                          const std::string& kernel = "backend.kernel=vectorised") {
        for (const std::string& setting : settings) CAPTURE(setting);
        const StoppedPlace place(task, settings);
        place.stop({}, SIGTERM);
        place.stop({"backend.threads=2"}, SIGINT);
        place.stop({"backend.batch=1", kernel}, SIGTERM);
        place.check_the_end();
    };
    const std::string generic = "backend.isa=generic";
    SUBCASE("all levels") {
        // Sanitizers would look for minutes at kernels that other tests show them.
        check("gradient", {"imaging.storage=full"}, test::kSanitized ? "backend.kernel=vectorised" : generic);
    }
    if (test::kSanitized) return;  // minutes: by hand
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
        check("gradient", {"imaging.parameters=vp_and_rho", "imaging.storage=full", "scheme.precision=double"},
              "backend.kernel=reference");
    }
    SUBCASE("of density, from states") {
        check("gradient", {"imaging.parameters=vp_and_rho", "imaging.storage=checkpoints", "imaging.memory_gib=0.03"});
    }
    SUBCASE("of order 4 in time") {
        check("gradient", {"time.order=4", "model={type: constant, vp_m_s: 1800}"}, generic);
    }
    SUBCASE("of density, in a medium that absorbs, from states") {
        check("gradient",
              {"imaging.parameters=vp_and_rho", "imaging.storage=checkpoints", "imaging.memory_gib=0.04", "model.q=30"},
              generic);
    }
    SUBCASE("images with gathers of offsets") {
        check("rtm",
              {"imaging.image={condition: cross_correlation, offset_gathers: {every_m: 200, half_offset_m: 100}}"});
    }
}

TEST_CASE("gradients in slabs go on in slabs that are cut at the same planes, and tell of others") {
    const StoppedPlace place("gradient", {"backend.slabs=2", "imaging.parameters=vp_and_rho"}, kOneShotIn3d);
    place.stop({}, SIGTERM);
    place.stop({}, SIGTERM);
    std::filesystem::copy(place.out(), place.out("others"), std::filesystem::copy_options::recursive);
    place.check_the_end();
    const Outcome other = place.run(place.all({"backend.slabs=3"}), "others");
    CHECK(contains(other.err, "is of a grid that was cut at other planes"));
    CHECK(!contains(other.err, "going on"));
    CHECK(gradient_in(place.out("others")) == place.gradient);
}

TEST_CASE("gradients that are killed at any moment go on from the last moment that was kept whole") {
    const int wanted = times_wanted("ONDA_KILLS", test::kSanitized ? 3 : 9);
    std::mt19937 random(21);
    const std::vector<std::vector<std::string>> storages{
        {"imaging.storage=full"}, {"imaging.storage=ring"}, {"imaging.storage=checkpoints", "imaging.memory_gib=0.02"}};
    int kills = 0, kept = 0;
    for (std::size_t which = 0; kills < wanted; which = (which + 1) % storages.size()) {
        const StoppedPlace place("gradient", storages[which]);
        for (int of_place = 0; of_place < 6 && kills < wanted && !shot_is_finished(place); ++of_place, ++kills) {
            const std::int64_t before = last_step_kept(place);
            Process process(place.command(place.all({})));
            if (kills % 3 != 0) wait_until([&] { return last_step_kept(place) > before || !process.running(); });
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 300'000));
            process.send(SIGKILL);
            process.wait();
            CHECK((last_step_kept(place) >= before || shot_is_finished(place)));
            kept += last_step_kept(place) > 0;
        }
        CHECK(place.finish().code == 0);
        CHECK(results_in(place.out()) == place.expected);
        CHECK(partial_files(place.out()).empty());
    }
    MESSAGE("killed ", kills, " times, after which there were checkpoints ", kept, " times");
}

TEST_CASE("of a shot whose adjoint field has not begun nothing is kept, and nothing is lost that was") {
    const StoppedPlace place("gradient", {});
    const auto stop_early = [&] {
        Process process(place.command(place.all({})));
        REQUIRE(wait_until([&] { return contains(text_of(place.out() / "onda.log"), "step ") || !process.running(); }));
        process.send(SIGTERM);
        const int signal = process.wait();
        return std::pair(signal, process.code());
    };
    CHECK(stop_early().first == SIGTERM);
    CHECK(!std::filesystem::exists(place.unfinished()));
    place.stop({}, SIGTERM);
    const std::vector<std::int64_t> before = steps_kept(place, 1);
    std::filesystem::remove(place.out() / "onda.log");
    CHECK(stop_early() == std::pair(0, 75));
    CHECK(steps_kept(place, 1) == before);
    std::vector<std::string> in_no_time = place.all({});
    in_no_time.insert(in_no_time.end(), {"--max-hours", "0.0000001"});
    CHECK(place.run(in_no_time).code == 75);
    CHECK(steps_kept(place, 1) == before);
    place.check_the_end();
}

TEST_CASE("a gradient keeps its shots when its time is over, and on request") {
    if (test::kSanitized) return;
    const StoppedPlace place("gradient", {});
    const std::string slow = "backend.kernel=reference";
    // Of more than a second, which writing has, until it suffices for the forward field.
    int attempts = 0;
    for (double hours = 0.0004; last_step_kept(place) == 0 && ++attempts < 100; hours *= 1.5) {
        std::vector<std::string> in_time = place.all({slow});
        in_time.insert(in_time.end(), {"--max-hours", std::to_string(hours)});
        CHECK(place.run(in_time).code == 75);
    }
    Process process(place.command(place.all({slow, "checkpoint.every_minutes=1000"})));
    wait_until([&] { return contains(text_of(place.out() / "onda.log"), "going on") || !process.running(); });
    process.send(SIGUSR1);
    CHECK(process.wait() == 0);
    CHECK(process.code() == 0);
    const std::string log = text_of(place.out() / "onda.log");
    CHECK(contains(log.substr(log.find("going on")), "checkpoint after step "));
    CHECK(gradient_in(place.out()) == place.gradient);
}

TEST_CASE("a damaged checkpoint of a gradient is told and not used: the one before is, or none") {
    const StoppedPlace place("gradient", {});
    place.stop({}, SIGTERM);
    place.stop({}, SIGTERM);
    const std::vector<std::int64_t> steps = steps_kept(place, 2);
    REQUIRE(steps.size() == 2);
    const auto last = place.unfinished() / checkpoint_name(2), before = place.unfinished() / earlier_checkpoint_name(2);
    flip_byte(last, static_cast<std::streamoff>(std::filesystem::file_size(last)) / 2);
    SUBCASE("the last one") {
        const Outcome run = place.finish();
        CHECK(contains(run.err, "is damaged: its hash is another than was written"));
        CHECK(contains(run.err, "going on  shots 1 to 2 from the checkpoint after step "));
    }
    SUBCASE("both") {
        std::filesystem::resize_file(before, std::filesystem::file_size(before) / 2);
        CHECK(!contains(place.finish().err, "going on"));
    }
    CHECK(results_in(place.out()) == place.expected);
}

TEST_CASE("iterations that signals stop go on within their shots, to the same bytes") {
    const auto checkpoints_in = [](const std::filesystem::path& out) {
        std::map<std::string, std::int64_t> steps;
        std::error_code none;
        for (auto at = std::filesystem::recursive_directory_iterator(out, none);
             at != std::filesystem::recursive_directory_iterator(); at.increment(none))
            try {
                if (is_checkpoint(at->path().filename().string()))
                    steps[at->path()] = CheckpointReader(at->path()).record().step;
            } catch (const Error&) {
                continue;
            }
        return steps;
    };
    const auto check = [&](const std::string& task, const std::string& table,
                           const std::vector<std::string>& settings) {
        const StoppedPlace place(task, settings);
        int stopped = 0, went_on = 0;
        for (int attempt = 0; stopped < 3 && !std::filesystem::exists(place.out() / "summary.json"); ++attempt) {
            const auto before = checkpoints_in(place.out());
            const std::vector<std::string> two_threads{"backend.threads=2"};
            Process process(place.command(place.all(attempt % 2 == 0 ? std::vector<std::string>() : two_threads)));
            wait_until([&] {
                const auto now = checkpoints_in(place.out());
                return (!now.empty() && now != before) || !process.running();
            });
            std::this_thread::sleep_for(std::chrono::milliseconds(20 * attempt));
            process.send(SIGTERM);
            process.wait();
            stopped += process.code() == 75 && !checkpoints_in(place.out()).empty();
        }
        CHECK(stopped > 0);
        CHECK(place.finish().code == 0);
        for (const auto& entry : std::filesystem::recursive_directory_iterator(place.out()))
            if (entry.path().filename() == "onda.log") went_on += contains(text_of(entry.path()), "going on  shot");
        CHECK(went_on > 0);
        const Contents results = results_in(place.out());
        for (const std::string& name : {table, task == "fwi" ? std::string("model.h5") : std::string("image.h5")}) {
            CAPTURE(name);
            REQUIRE(place.expected.contains(name));
            CHECK(results.at(name) == place.expected.at(name));
        }
    };
    SUBCASE("of an inversion") {
        check("fwi", "iterations.csv", {"inversion={vp_m_s: {min: 1400, max: 2400}, stages: [{iterations: 2}]}"});
    }
    if (test::kSanitized) return;
    SUBCASE("of an inversion in double precision") {
        check("fwi", "iterations.csv",
              {"inversion={vp_m_s: {min: 1400, max: 2400}, stages: [{iterations: 1}]}", "scheme.precision=double"});
    }
    SUBCASE("of least-squares migration") {
        check("lsrtm", "residuals.csv", {"imaging.lsrtm={iterations: 2}"});
    }
}
