// `onda gradient` from observed data to files: the same bits however the forward field is kept, whoever computes the
// shots and in which order; what allows no exact gradient is refused with what would do.
// Takes 25 s.
#include <algorithm>
#include <array>
#include <doctest/doctest.h>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "io/results/image_file.hpp"
#include "io/results/seismograms.hpp"
#include "tests/program/process.hpp"

using namespace onda;

namespace {

const std::string kFiveShots = R"(schema_version: 1
grid: {shape: [61, 41], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.35}
boundary: {top: free_surface, cpml_width: 8}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{type: line, first_m: [103, 24], last_m: [503, 24], count: 5}]
receivers: [{type: line, first_m: [43, 20], last_m: [563, 20], count: 21}]
output: {pictures: false, report: false}
)";

/// A folder with observed data of a medium with a fast body, and a survey of one without it.
struct GradientPlace {
    GradientPlace() {
        write_text(folder.path() / "true.yaml", kFiveShots);
        write_text(folder.path() / "survey.yaml", kFiveShots + "imaging: {observed: true/seismograms.h5}\n");
        const Outcome observed =
            run_onda({"run", folder.path() / "true.yaml", "--output", folder.path() / "true", "--set",
                      "backend.name=cpu", "--set",
                      "model={type: inclusions, vp_m_s: 2000, inclusions: [{shape: sphere, center_m: [300, 220], "
                      "radius_m: 60, vp_m_s: 2200}]}"});
        REQUIRE_MESSAGE(observed.code == 0, observed.err);
    }
    [[nodiscard]] Outcome gradient(const std::string& name, const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments{
            "gradient", folder.path() / "survey.yaml", "--output", folder.path() / name, "--set", "backend.name=cpu"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_onda(arguments);
    }
    [[nodiscard]] std::vector<float> image(const std::string& name, const StoredImageKind& kind = kVpGradient) const {
        return read_image(folder.path() / name / "gradient.h5", kind, {0, 0, 0}, {61, 1, 41});
    }
    [[nodiscard]] std::vector<float> image_of(const std::string& name, const std::vector<std::string>& settings) const {
        std::vector<std::string> more;
        for (const std::string& setting : settings) more.insert(more.end(), {"--set", setting});
        const Outcome done = gradient(name, more);
        REQUIRE_MESSAGE(done.code == 0, done.err);
        return image(name);
    }
    TemporaryFolder folder;
};

}  // namespace

TEST_CASE("a gradient has the same bits however it is computed") {
    const GradientPlace place;
    const std::vector<float> expected = place.image_of("full", {"imaging.storage=full", "backend.batch=1"});
    CHECK(std::ranges::any_of(expected, [](float g) { return g != 0.f; }));
    CHECK(place.image_of("states", {"imaging.storage=checkpoints"}) == expected);
    CHECK(place.image_of("batch", {"backend.batch=3"}) == expected);
    CHECK(place.image_of("reference", {"backend.kernel=reference", "backend.threads=1"}) == expected);
    CHECK(place.image_of("without", {"imaging.illumination=false"}) == expected);
    const std::vector<float> energy = place.image("full", kSourceIllumination);
    CHECK(std::ranges::all_of(energy, [](float e) { return e >= 0.f; }));
    CHECK(*std::ranges::max_element(energy) > 0.f);
    const std::vector<float> of_order_4 = place.image_of("order 4", {"time.order=4", "imaging.storage=full"});
    CHECK(of_order_4 != expected);
    CHECK(place.image_of("order 4, states", {"time.order=4", "imaging.storage=checkpoints"}) == of_order_4);
    CHECK(place.image_of("order 4, batch", {"time.order=4", "backend.batch=3"}) == of_order_4);
}

TEST_CASE(
    "a gradient from rings is that of all levels to rounding, has bits of its own and is never mixed with others") {
    const GradientPlace place;
    const auto with = [](const std::vector<std::string>& more) {
        std::vector<std::string> settings{"imaging.storage=ring", "model.rho=gardner"};
        settings.insert(settings.end(), more.begin(), more.end());
        return settings;
    };
    const auto difference = [](const std::vector<float>& a, const std::vector<float>& b) {
        double worst = 0., largest = 0.;
        for (std::size_t i = 0; i < a.size(); ++i) {
            worst = std::max(worst, std::abs(double(a[i]) - double(b[i])));
            largest = std::max(largest, std::abs(double(b[i])));
        }
        return worst / largest;
    };
    const std::vector<float> exact =
        place.image_of("exact", {"imaging.storage=full", "model.rho=gardner", "scheme.precision=double"});
    const std::vector<float> rebuilt = place.image_of("ring", with({}));
    CHECK(difference(rebuilt, exact) <= 1e-5);
    const std::vector<float> energy = place.image("ring", kSourceIllumination);
    CHECK(difference(energy, place.image("exact", kSourceIllumination)) <= 1e-5);
    const std::filesystem::path scratch = place.folder.path() / "scratch";
    std::filesystem::create_directory(scratch);
    const std::string on_disk = "imaging.ring_folder=" + scratch.string();
    for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
             {"imaging.ring=host"}, {"backend.batch=3"}, {"imaging.ring=disk", on_disk}}) {
        CAPTURE(more.front());
        CHECK(place.image_of("other", with(more)) == rebuilt);
        std::filesystem::remove_all(place.folder.path() / "other");
    }
    CHECK(std::filesystem::is_empty(scratch));
    const auto of_density = [&](const std::string& name, const std::string& storage) {
        static_cast<void>(place.image_of(name, {"imaging.parameters=vp_and_rho", "model.rho=gardner",
                                                "imaging.storage=" + storage, "scheme.precision=double"}));
        return place.image(name, kRhoGradient);
    };
    CHECK(difference(of_density("rho rebuilt", "ring"), of_density("rho", "full")) <= 1e-6);  // as the files hold it
    const std::vector<float> of_16_bits = place.image_of("coded", with({"imaging.ring_values=16bit"}));
    CHECK(of_16_bits != rebuilt);
    CHECK(difference(of_16_bits, exact) <= 1e-4);
    const std::vector<float> thinned = place.image_of("thinned", with({"imaging.ring_every=2"}));
    CHECK(thinned != rebuilt);
    CHECK(difference(thinned, exact) <= 1e-4);
    const std::vector<std::string> rho{"--set", "model.rho=gardner"}, ring{"--set", "imaging.storage=ring"};
    CHECK(place.gradient("parts", {"--shots", "4,2", rho[0], rho[1], ring[0], ring[1]}).code == 0);
    const Outcome mixed = place.gradient("parts", rho);
    CHECK(mixed.code != 0);
    CHECK(contains(mixed.err, "imaging.storage"));
    CHECK(place.gradient("parts", {rho[0], rho[1], ring[0], ring[1], "--set", "imaging.ring=host"}).code == 0);
    CHECK(place.image("parts") == rebuilt);
}

TEST_CASE("rings are taken where not all levels fit and states cost more steps") {
    const GradientPlace place;
    const auto history = [&](const std::vector<std::string>& settings) {
        std::vector<std::string> arguments{
            "check", place.folder.path() / "survey.yaml", "--gradient", "--no-trial", "--set", "backend.name=cpu",
            "--set", "imaging.illumination=false"};
        for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
        const Outcome checked = run_onda(arguments);
        CHECK_MESSAGE(checked.code == 0, checked.err);
        return checked.out;
    };
    CHECK(contains(history({"imaging.storage=ring"}), "rebuilt backward, once, from 4 planes"));
    CHECK(contains(history({"imaging.storage=ring", "scheme.space_order=2"}), "from 1 plane "));
    CHECK(contains(history({"imaging.storage=ring", "imaging.ring_values=16bit"}), "time steps, in 16 bits"));
    CHECK(contains(history({"imaging.storage=ring", "imaging.ring_every=4"}),
                   "time steps, every 4th, between which others are interpolated"));
    // On a large grid levels are large beside what lies along faces.
    const auto chosen = [&](const std::string& gib) {
        return history({"grid.shape=[1001, 1001]", "backend.batch=1", "imaging.memory_gib=" + gib});
    };
    CHECK(contains(chosen("0.09"), "states in"));
    CHECK(contains(chosen("0.04"), "rebuilt backward"));
    CHECK(contains(chosen("0.025"), "states in"));  // no room for rings
}

TEST_CASE("the gradient of density comes beside that of velocity, with the same bits however it is computed") {
    const GradientPlace place;
    const std::vector<std::string> density{
        "imaging.parameters=vp_and_rho",
        "model={type: inclusions, vp_m_s: 2000, rho_kg_m3: 1800, inclusions: "
        "[{shape: sphere, center_m: [200, 300], radius_m: 60, vp_m_s: 2000, rho_kg_m3: 2300}]}"};
    const auto with = [&](const std::string& more) {
        std::vector<std::string> settings = density;
        settings.push_back(more);
        return settings;
    };
    const std::vector<float> of_vp = place.image_of("full", with("imaging.storage=full"));
    const std::vector<float> of_rho = place.image("full", kRhoGradient);
    CHECK(std::ranges::any_of(of_rho, [](float g) { return g != 0.f; }));
    CHECK(place.image_of("alone", {density[1]}) == of_vp);
    CHECK(image_contents(place.folder.path() / "alone" / "gradient.h5").kinds.size() == 3);
    CHECK(image_contents(place.folder.path() / "full" / "gradient.h5").kinds.size() == 4);
    for (const std::string setting : {"imaging.storage=checkpoints", "backend.batch=3", "backend.threads=1"}) {
        CAPTURE(setting);
        CHECK(place.image_of("other", with(setting)) == of_vp);
        CHECK(place.image("other", kRhoGradient) == of_rho);
        std::filesystem::remove_all(place.folder.path() / "other");
    }
    // A survey goes on as what it began.
    CHECK(place.gradient("parts", {"--shots", "4,2", "--set", density[0], "--set", density[1]}).code == 0);
    CHECK(place.gradient("parts", {"--set", density[1]}).code != 0);
    CHECK(place.gradient("parts", {"--set", density[0], "--set", density[1]}).code == 0);
    CHECK(place.image("parts", kRhoGradient) == of_rho);
}

TEST_CASE("a gradient in a medium that absorbs has the same bits however it is computed, and is another") {
    const GradientPlace place;
    const auto with = [](const std::vector<std::string>& more) {
        std::vector<std::string> settings{"model.q=20"};
        settings.insert(settings.end(), more.begin(), more.end());
        return settings;
    };
    const std::vector<float> expected = place.image_of("full", with({"imaging.storage=full", "backend.batch=1"}));
    CHECK(std::ranges::any_of(expected, [](float g) { return g != 0.f; }));
    CHECK(place.image_of("states", with({"imaging.storage=checkpoints"})) == expected);
    CHECK(place.image_of("batch", with({"backend.batch=3"})) == expected);
    CHECK(place.image_of("reference", with({"backend.kernel=reference", "backend.threads=1"})) == expected);
    CHECK(place.image_of("one memory field", with({"attenuation.mechanisms=2"})) != expected);
    const std::vector<float> lossless = place.image_of("without loss", {"imaging.storage=full"});
    CHECK(lossless != expected);
    CHECK(place.image_of("rule", with({"model.q_rule=none"})) == lossless);
    const std::vector<float> of_vp =
        place.image_of("density", with({"imaging.parameters=vp_and_rho", "model.rho=gardner"}));
    CHECK(std::ranges::any_of(place.image("density", kRhoGradient), [](float g) { return g != 0.f; }));
    CHECK(place.image_of("density alone", with({"model.rho=gardner", "imaging.storage=checkpoints"})) == of_vp);
}

TEST_CASE(
    "the gradient of the quality factor comes beside that of velocity, with the same bits however it is computed") {
    const GradientPlace place;
    const std::string of_both = "imaging.parameters=vp_and_q";
    const auto images = [&](const std::string& name, const std::vector<std::string>& more) {
        std::vector<std::string> settings{of_both, "model.q=20"};
        settings.insert(settings.end(), more.begin(), more.end());
        const std::vector<float> of_vp = place.image_of(name, settings);
        return std::pair(of_vp, place.image(name, kQGradient));
    };
    const auto expected = images("full", {"imaging.storage=full", "backend.batch=1"});
    CHECK(std::ranges::any_of(expected.second, [](float g) { return g != 0.f; }));
    CHECK(place.image_of("alone", {"model.q=20"}) == expected.first);
    CHECK(image_contents(place.folder.path() / "full" / "gradient.h5").kinds.size() == 4);
    CHECK(images("states", {"imaging.storage=checkpoints"}) == expected);
    CHECK(images("batch", {"backend.batch=3"}) == expected);
    CHECK(images("one thread", {"backend.threads=1"}) == expected);
    CHECK(images("with densities", {"model.rho=gardner"}).second != expected.second);
    const Outcome lossless = place.gradient("lossless", {"--set", of_both});
    CHECK(lossless.code == 78);
    CHECK(contains(lossless.err,
                   "imaging.parameters = vp_and_q: the model has no quality factor, or is taken without it"));
}

TEST_CASE("gradients of epsilon and delta come beside that of velocity, with the same bits however they are computed") {
    const GradientPlace place;
    const std::vector<std::string> model{
        "model={type: layered, layers: [{top_m: 0, vp_m_s: 2000}, {top_m: 120, vp_m_s: 2000, epsilon: 0.2, delta: "
        "0.1}]}"};
    const auto images = [&](const std::string& name, const std::vector<std::string>& more) {
        std::vector<std::string> settings = model;
        settings.push_back("imaging.parameters=vp_epsilon_and_delta");
        settings.insert(settings.end(), more.begin(), more.end());
        const std::vector<float> of_vp = place.image_of(name, settings);
        return std::array{of_vp, place.image(name, kEpsilonGradient), place.image(name, kDeltaGradient)};
    };
    const auto expected = images("full", {"imaging.storage=full", "backend.batch=1"});
    for (const std::vector<float>& image : expected)
        CHECK(std::ranges::any_of(image, [](float g) { return g != 0.f; }));
    CHECK(place.image_of("alone", model) == expected[0]);
    CHECK(image_contents(place.folder.path() / "full" / "gradient.h5").kinds.size() == 5);
    CHECK(images("states", {"imaging.storage=checkpoints"}) == expected);
    CHECK(images("batch", {"backend.batch=3"}) == expected);
    CHECK(images("reference", {"backend.kernel=reference", "backend.threads=1"}) == expected);
    const auto refusal = [&](const std::vector<std::string>& settings) {
        std::vector<std::string> more;
        for (const std::string& setting : settings) more.insert(more.end(), {"--set", setting});
        const Outcome done = place.gradient("refused", more);
        CHECK(done.code == 78);
        return done.err;
    };
    CHECK(contains(refusal({"imaging.parameters=vp_epsilon_and_delta"}), "the model has no epsilon and delta"));
    CHECK(contains(refusal({model[0], "imaging.storage=ring"}), "no field with further fields beside it is rebuilt"));
}

TEST_CASE("a gradient in a medium that absorbs has the same bits in slabs") {
    const GradientPlace place;
    const std::filesystem::path& folder = place.folder.path();
    const std::string survey = R"(schema_version: 1
grid: {shape: [25, 21, 41], spacing_m: 10}
model: {type: constant, vp_m_s: 2000, q: 20}
time: {duration_s: 0.2}
boundary: {top: free_surface, cpml_width: 6}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{position_m: [123, 98, 55]}]
receivers: [{type: line, first_m: [20, 100, 20], last_m: [220, 100, 360], count: 15}]
output: {pictures: false, report: false}
backend: {name: cpu}
)";
    write_text(folder / "faster.yaml", survey);
    write_text(folder / "volume.yaml", survey + "imaging: {observed: faster/seismograms.h5}\n");
    REQUIRE(
        run_onda({"run", folder / "faster.yaml", "--output", folder / "faster", "--set", "model.vp_m_s=2100"}).code ==
        0);
    const auto images = [&](const std::string& name, const std::string& setting) {
        const Outcome done = run_onda({"gradient", folder / "volume.yaml", "--output", folder / name, "--set", setting,
                                       "--set", "model.rho=gardner", "--set", "imaging.parameters=vp_and_rho"});
        REQUIRE_MESSAGE(done.code == 0, done.err);
        const auto of = [&](const StoredImageKind& kind) {
            return read_image(folder / name / "gradient.h5", kind, {0, 0, 0}, {25, 21, 41});
        };
        return std::pair(of(kVpGradient), of(kRhoGradient));
    };
    const auto expected = images("whole", "backend.slabs=1");
    CHECK(std::ranges::any_of(expected.first, [](float g) { return g != 0.f; }));
    CHECK(images("slabs", "backend.slabs=2") == expected);
}

TEST_CASE("in media that absorb neither rings rebuild fields nor are any scattered") {
    const GradientPlace place;
    const Outcome ring = place.gradient("ring", {"--set", "model.q=20", "--set", "imaging.storage=ring"});
    CHECK(ring.code == 78);
    CHECK(contains(ring.err,
                   "imaging.storage: ring: no field with attenuation (waves would grow backward) is rebuilt: use full "
                   "or checkpoints"));
    const Outcome scattered =
        run_onda({"lsrtm", place.folder.path() / "survey.yaml", "--output", place.folder.path() / "lsrtm", "--set",
                  "backend.name=cpu", "--set", "imaging.lsrtm={iterations: 2}", "--set", "model.q=20"});
    CHECK(scattered.code == 78);
    CHECK(contains(scattered.err,
                   "model: scattered fields are those of media without loss so far: take model.q_rule: none"));
}

TEST_CASE("a survey of gradients goes on where it ended, and a run is no gradient") {
    const GradientPlace place;
    const std::vector<float> expected = place.image_of("whole", {});
    CHECK(place.gradient("parts", {"--shots", "4,2"}).code == 0);
    CHECK(!std::filesystem::exists(place.folder.path() / "parts" / "gradient.h5"));
    CHECK(place.gradient("parts").code == 0);
    CHECK(place.image("parts") == expected);
    const Outcome again = place.gradient("parts");
    CHECK(again.code == 0);
    CHECK(contains(again.err, "nothing is left to do"));
    const Outcome run =
        run_onda({"run", place.folder.path() / "survey.yaml", "--output", place.folder.path() / "parts"});
    CHECK(run.code != 0);
    // The shots that gradients leave are those of a run.
    const ShotGather synthetic = read_gather(place.folder.path() / "whole" / "seismograms.h5", 3);
    REQUIRE(run_onda({"run", place.folder.path() / "survey.yaml", "--output", place.folder.path() / "run", "--set",
                      "backend.name=cpu", "--set", "time.stepping=single"})
                .code == 0);
    CHECK(read_gather(place.folder.path() / "run" / "seismograms.h5", 3).pressure == synthetic.pressure);
}

TEST_CASE("observed data may be traces of other programs, which are found by their places, once each") {
    const GradientPlace place;
    const std::filesystem::path& folder = place.folder.path();
    const std::vector<float> expected = place.image_of("own", {});
    REQUIRE(run_onda({"export", folder / "true", "--segy", "--output", folder / "true.sgy"}).code == 0);

    // The last trace first; the second one dead.
    std::string bytes = text_of(folder / "true.sgy");
    constexpr std::size_t heads = 3600, traces = 5 * 21;
    const std::size_t length = (bytes.size() - heads) / traces;
    std::string other =
        bytes.substr(0, heads) + bytes.substr(bytes.size() - length) + bytes.substr(heads, (traces - 1) * length);
    std::ofstream(folder / "other.sgy", std::ios::binary) << other;
    CHECK(place.image_of("other", {"imaging.observed=other.sgy"}) == expected);
    other[heads + length + 29] = 2;  // bytes 29-30 of the second trace
    std::ofstream(folder / "dead.sgy", std::ios::binary) << other;
    CHECK(place.image_of("dead", {"imaging.observed=dead.sgy"}) != expected);
    CHECK(contains(text_of(folder / "dead" / "misfit.csv"), ",21,1,0"));

    const auto refused = [&](const std::vector<std::string>& settings, const std::string& words) {
        std::vector<std::string> more;
        for (const std::string& setting : settings) more.insert(more.end(), {"--set", setting});
        const Outcome outcome = place.gradient("refused", more);
        std::filesystem::remove_all(folder / "refused");
        CAPTURE(outcome.err);
        CHECK(outcome.code == 65);
        CHECK(contains(outcome.err, words));
    };
    std::ofstream(folder / "twice.sgy", std::ios::binary) << bytes << bytes.substr(heads, length);
    refused({"imaging.observed=twice.sgy"},
            "shot 1: receiver 1 of 21 at (43, 0, 20) m has 2 traces, trace 1 and trace 106 among them");
    std::ofstream(folder / "less.sgy", std::ios::binary) << bytes.substr(0, bytes.size() - length);
    refused({"imaging.observed=less.sgy"}, "shot 5: receiver 21 of 21 at (563, 0, 20) m has no trace within 0.01 m");
    refused({"imaging.observed=true.sgy", "sources=[{position_m: [93, 24]}]"},
            "has no trace of shot 1, whose source is at (93, 0, 24) m");
    other = bytes;
    other[heads + 109] = 4;  // bytes 109-110: 4 ms
    std::ofstream(folder / "late.sgy", std::ios::binary) << other;
    refused({"imaging.observed=late.sgy"},
            "trace 1 starts 0.004 s after the source: what it would have recorded before is not known");
    // Where nothing counts before, it may.
    for (std::size_t trace = 0; trace < traces; ++trace) other[heads + trace * length + 109] = 4;
    std::ofstream(folder / "late.sgy", std::ios::binary) << other;
    const std::string window = "imaging.time_window_s={min: 0.004, max: 0.2}";
    CHECK(place.image_of("late", {"imaging.observed=late.sgy", window}) != expected);
}

TEST_CASE("observed data may lie in several files, be sampled otherwise, and be prepared") {
    const GradientPlace place;
    const std::filesystem::path& folder = place.folder.path();
    const std::vector<float> expected = place.image_of("own", {});
    REQUIRE(run_onda({"export", folder / "true", "--segy", "--output", folder / "true.sgy"}).code == 0);
    const std::string bytes = text_of(folder / "true.sgy");
    constexpr std::size_t heads = 3600, half = 50;  // traces: the third shot lies in both
    const std::size_t length = (bytes.size() - heads) / 105;
    std::ofstream(folder / "a.sgy", std::ios::binary) << bytes.substr(0, heads + half * length);
    std::ofstream(folder / "b.sgy", std::ios::binary) << bytes.substr(0, heads) << bytes.substr(heads + half * length);
    CHECK(place.image_of("parts", {"imaging.observed=[a.sgy, b.sgy]"}) == expected);
    // One of them an array beside its table.
    REQUIRE(run_onda({"export", folder / "true", "--npy", "--shots", "1-2", "--output", folder / "a.npy"}).code == 0);
    REQUIRE(run_onda({"export", folder / "true", "--segy", "--shots", "3-5", "--output", folder / "c.sgy"}).code == 0);
    CHECK(place.image_of("mixed", {"imaging.observed=[a.npy, c.sgy]"}) == expected);

    // What is subtracted from itself is nothing, and nothing is compared with it.
    const std::vector<float> none = place.image_of("none", {"imaging.subtract=true.sgy"});
    CHECK(std::ranges::all_of(none, [](float x) { return x == 0.f; }));
    CHECK(contains(text_of(folder / "none" / "misfit.csv"), ",21,21,0"));

    // Sampled half as often as the run, and more often.
    const auto largest = [](const std::vector<float>& image) {
        float most = 0.f;
        for (const float x : image) most = std::max(most, std::abs(x));
        return most;
    };
    const auto difference = [&](const std::vector<float>& a, const std::vector<float>& b) {
        std::vector<float> left = a;
        for (std::size_t i = 0; i < left.size(); ++i) left[i] -= b[i];
        return largest(left) / largest(b);
    };
    const std::vector<float> finer = place.image_of("finer", {"output.seismograms.dt_s=0.001"});
    CHECK(finer != expected);
    CHECK(difference(finer, expected) < 0.01);
    CHECK(difference(place.image_of("coarser", {"output.seismograms.dt_s=0.005"}), expected) < 0.02);

    // Both sides are filtered: the normalised misfit of a shifted band is another, of the whole band the same.
    const std::vector<float> whole =
        place.image_of("whole", {"imaging.band_pass={low_hz: 0.01, high_hz: 120, order: 8}"});
    CHECK(difference(whole, expected) < 0.02);
    CHECK(difference(place.image_of("low", {"imaging.band_pass={high_hz: 8, phase: minimum}"}), expected) > 0.3);
    CHECK(difference(place.image_of("gain", {"imaging.gain={time_power: 0}"}), expected) == 0.f);
    CHECK(place.image_of("grown", {"imaging.gain={}"}) != expected);
}

TEST_CASE("observed data may be an array of NumPy's, which a run knows by its table, too") {
    const GradientPlace place;
    const std::filesystem::path& folder = place.folder.path();
    const std::vector<float> expected = place.image_of("own", {});
    REQUIRE(run_onda({"export", folder / "true", "--npy", "--output", folder / "line.npy"}).code == 0);
    CHECK(place.image_of("array", {"imaging.observed=line.npy"}) == expected);
    const std::vector<float> none = place.image_of("none", {"imaging.subtract=line.npy"});
    CHECK(std::ranges::all_of(none, [](float x) { return x == 0.f; }));
    CHECK(place.image_of("itself", {"imaging.observed=line.npy", "receivers=[{type: file, file: line.npy}]",
                                    "sources=[{type: file, file: line.npy}]"}) == expected);

    // Shots are found by their places; a table whose places were changed is that of another run.
    const std::string table = text_of(folder / "line_traces.csv");
    const std::vector<std::string> array{"--set", "imaging.observed=line.npy"};
    CHECK(place.gradient("begun", {"--shots", "2", array[0], array[1]}).code == 0);
    std::string changed = table;
    changed.replace(changed.rfind(",563,"), 5, ",560,");
    write_text(folder / "line_traces.csv", changed);
    const Outcome mixed = place.gradient("begun", array);
    CHECK(mixed.code != 0);
    CHECK(contains(mixed.err, "imaging.observed, table of traces"));
    const Outcome elsewhere = place.gradient("elsewhere", array);
    CHECK(elsewhere.code == 65);
    CHECK(contains(elsewhere.err, "shot 5: receiver 21 of 21 at (563, 0, 20) m has no trace within 0.01 m"));
    std::filesystem::remove(folder / "line_traces.csv");
    const Outcome absent = place.gradient("absent", array);
    CHECK(absent.code == 66);
    CHECK(contains(absent.err, "line_traces.csv: no such file: line.npy needs a table of its traces"));
}

TEST_CASE("shots and receivers that are selected are all that count") {
    const GradientPlace place;
    const std::filesystem::path& folder = place.folder.path();
    const std::string two_shots = "sources=[{position_m: [203, 24], shot: 2}, {position_m: [403, 24], shot: 4}]";
    const std::vector<float> expected = place.image_of("two", {two_shots});
    CHECK(place.image_of("selected", {"imaging.shots=2,4"}) == expected);
    CHECK(place.image_of("stepped", {"imaging.shots=[2-5:2]"}) == expected);
    CHECK(list_shots(folder / "selected" / "seismograms.h5") == std::vector<std::int64_t>{2, 4});
    const Outcome priced = run_onda({"check", folder / "survey.yaml", "--gradient", "--set", "imaging.shots=2,4",
                                     "--set", "imaging.receivers=1-3", "--set", "backend.name=cpu"});
    CHECK_MESSAGE(priced.code == 0, priced.err);
    CHECK(contains(priced.out, "imaging.shots: 2,4 of the survey"));
    CHECK(contains(priced.out, "imaging.receivers: 1-3 of each shot"));
    for (const std::string command : {"rtm", "lsrtm"}) {
        CAPTURE(command);
        const auto image = [&](const std::string& name, const std::string& setting) {
            const Outcome done =
                run_onda({command, folder / "survey.yaml", "--output", folder / name, "--set", "backend.name=cpu",
                          "--set", "imaging.lsrtm={iterations: 2}", "--set", setting});
            REQUIRE_MESSAGE(done.code == 0, done.err);
            const StoredImageKind& kind = *image_contents(folder / name / "image.h5").kinds.front();
            return read_image(folder / name / "image.h5", kind, {0, 0, 0}, {61, 1, 41});
        };
        CHECK(image(command + " selected", "imaging.shots=2,4") == image(command + " two", two_shots));
    }

    // Surveys go on as what they began, and --shots are among those selected.
    const auto settings = [](const std::string& shots, const std::vector<std::string>& more = {}) {
        std::vector<std::string> all{"--set", "imaging.shots=" + shots};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    CHECK(place.gradient("parts", settings("2,4", {"--shots", "4"})).code == 0);
    const Outcome other = place.gradient("parts", settings("2-4"));
    CHECK(other.code != 0);
    CHECK(contains(other.err, "imaging.shots"));
    const Outcome outside = place.gradient("parts", settings("2,4", {"--shots", "3"}));
    CHECK(outside.code == 64);
    CHECK(contains(outside.err, "there is no shot 3: imaging.shots leaves 2 shots, numbered 2 to 4"));
    CHECK(place.gradient("parts", settings("2,4")).code == 0);
    CHECK(place.image("parts") == expected);
    const Outcome none = place.gradient("none", settings("2,9"));
    CHECK(none.code == 78);
    CHECK(contains(none.err, "there is no shot 9: the survey has 5 shots, numbered 1 to 5"));

    // Receivers that do not count are as dead ones, and need not be there.
    REQUIRE(run_onda({"export", folder / "true", "--segy", "--output", folder / "true.sgy"}).code == 0);
    const std::string whole = text_of(folder / "true.sgy");
    constexpr std::size_t heads = 3600, receivers = 21, first_left_out = 12;
    const std::size_t length = (whole.size() - heads) / (5 * receivers);
    std::string dead = whole, without = whole.substr(0, heads);
    for (std::size_t trace = 0; trace < 5 * receivers; ++trace) {
        if (trace % receivers < first_left_out) without += whole.substr(heads + trace * length, length);
        if (trace % receivers >= first_left_out) dead[heads + trace * length + 29] = 2;  // bytes 29-30
    }
    std::ofstream(folder / "dead.sgy", std::ios::binary) << dead;
    std::ofstream(folder / "without.sgy", std::ios::binary) << without;
    const std::vector<float> of_some = place.image_of("dead", {"imaging.observed=dead.sgy"});
    CHECK(place.image_of("some", {"imaging.receivers=1-12"}) == of_some);
    CHECK(place.image_of("without", {"imaging.receivers=1-12", "imaging.observed=without.sgy"}) == of_some);
    CHECK(contains(text_of(folder / "some" / "misfit.csv"), ",21,0,9"));
    const Outcome checked = run_onda({"data", "check", folder / "without.sgy", "--config", folder / "survey.yaml",
                                      "--set", "imaging.receivers=1-12"});
    CHECK_MESSAGE(checked.code == 0, checked.out);
    const Outcome too_many = place.gradient("many", {"--set", "imaging.receivers=20-22"});
    CHECK(too_many.code == 78);
    CHECK(contains(too_many.err, "there is no receiver 22: no shot has more than 21"));
}

TEST_CASE("mutes may be picked trace by trace") {
    const GradientPlace place;
    const std::filesystem::path& folder = place.folder.path();
    std::string at_offsets = "offset_m,time_s\n", of_traces = "receiver,shot,time_s\n";
    for (int offset = 0; offset <= 520; ++offset)
        at_offsets += std::to_string(offset) + "," + std::to_string(0.101 + 0.0005 * offset) + "\n";
    for (int shot = 1; shot <= 5; ++shot)
        for (int receiver = 21; receiver >= 1; --receiver)
            of_traces += std::to_string(receiver) + "," + std::to_string(shot) + "," +
                         std::to_string(0.101 + 0.0005 * std::abs(26 * receiver + 17 - 100 * shot - 3)) + "\n";
    write_text(folder / "offsets.csv", at_offsets);
    write_text(folder / "traces.csv", of_traces);
    const std::vector<float> expected = place.image_of("offsets", {"imaging.top_mute={picks: offsets.csv}"});
    CHECK(place.image_of("traces", {"imaging.top_mute={picks: traces.csv}"}) == expected);
    CHECK(expected != place.image_of("own", {}));

    const std::string last = of_traces.substr(of_traces.rfind('\n', of_traces.size() - 2) + 1);
    write_text(folder / "traces.csv", of_traces.substr(0, of_traces.size() - last.size()));
    const Outcome refused = place.gradient("refused", {"--set", "imaging.top_mute={picks: traces.csv}"});
    CHECK(refused.code == 65);
    CHECK(contains(refused.err, "traces.csv: has no pick of shot 5, receiver 1: give every trace one"));
    CHECK(
        place.gradient("left out", {"--set", "imaging.top_mute={picks: traces.csv}", "--set", "imaging.receivers=2-21"})
            .code == 0);
    CHECK(place.gradient("other shots", {"--set", "imaging.top_mute={picks: traces.csv}", "--set", "imaging.shots=1-4"})
              .code == 0);
}

TEST_CASE("what allows no exact gradient is refused, with what would do") {
    const GradientPlace place;
    const auto refused = [&](const std::vector<std::string>& settings, const std::string& words) {
        std::vector<std::string> more;
        for (const std::string& setting : settings) more.insert(more.end(), {"--set", setting});
        const Outcome outcome = place.gradient("refused", more);
        CAPTURE(outcome.err);
        CHECK((outcome.code == 78 || outcome.code == 65));
        CHECK(contains(outcome.err, words));
        CHECK(!std::filesystem::exists(place.folder.path() / "refused" / "gradient.h5"));
    };
    refused({"time.stepping=leap"}, "use auto or single");
    refused({"time.order=4", "imaging.storage=ring"},
            "ring: no field with steps of order 4 in time is rebuilt: use full or checkpoints");
    refused({"model.storage=16bit"}, "use auto or float");
    refused({"scheme.stencil=compact27", "scheme.space_order=2"}, "cpml across one axis only");
    refused({"imaging.storage=full", "imaging.memory_gib=1e-6"}, "use checkpoints");
    refused({"imaging.storage=ring", "imaging.memory_gib=1e-6"}, "use checkpoints");
    refused({"imaging.storage=ring", "imaging.ring=disk"}, "a disk of which folder? Add imaging.ring_folder");
    refused({"imaging.storage=ring", "imaging.ring=disk", "imaging.ring_folder=/nowhere"},
            "is not a folder: rings are kept in one that exists");
    refused({"imaging.parameters=vp_and_rho"}, "has no densities");
    refused({"imaging.parameters=rho"}, "must be one of vp, vp_and_rho");
    refused({"imaging.misfit=l3"}, "must be one of l2, normalised_l2");
    refused({"receivers=[]"}, "receivers");
    refused({"receivers=[{type: line, first_m: [53, 20], last_m: [563, 20], count: 21}]"}, "receiver 1 of 21 is at");
    refused({"sources=[{type: line, first_m: [103, 24], last_m: [503, 24], count: 6}]"}, "has no shot 6");
    refused({"output.seismograms.dt_s=0.025"},
            "% of the energy lies above 18 Hz, which samples every 0.025 s do not hold (every 0.002 s there)");
    refused({"time.duration_s=0.4", "output.seismograms.dt_s=0.002"}, "shorten time.duration_s");
    const Outcome missing = run_onda({"gradient", place.folder.path() / "true.yaml"});
    CHECK(missing.code == 78);
    CHECK(contains(missing.err, "imaging"));
}
