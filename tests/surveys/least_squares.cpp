// `onda lsrtm` from observed data to a change of velocity: it fits what it says, its residual is that of the Born
// operator, it is sharper than an image, and has the same bits whoever computes it and however often it was ended.
// Takes 8 s.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <string>
#include <vector>

#include "io/config/config.hpp"
#include "io/results/image_file.hpp"
#include "io/results/seismograms.hpp"
#include "solver/plan/names.hpp"
#include "solver/plan/plan.hpp"
#include "solver/survey/encoding.hpp"
#include "solver/tasks/linear_tasks.hpp"
#include "tests/program/process.hpp"
#include "tests/sanitized.hpp"
#include "tests/solver/quiet_run.hpp"

using namespace onda;

namespace {

const std::string kShortLine = R"(schema_version: 1
grid: {shape: [101, 51], spacing_m: 10}
model: {type: constant, vp_m_s: 2000}
time: {duration_s: 0.5}
boundary: {cpml_width: 10}
wavelet: {type: ricker, peak_frequency_hz: 15}
sources: [{type: line, first_m: [200, 10], last_m: [800, 10], count: 3}]
receivers: [{type: line, first_m: [0, 10], last_m: [1000, 10], count: 51}]
backend: {name: cpu}
output: {pictures: false, report: false}
)";

/// A folder with observed data of a thin layer at 250 m, and a survey without it.
struct FittedPlace {
    FittedPlace() {
        write_text(folder.path() / "true.yaml", kShortLine);
        write_text(folder.path() / "smooth.yaml",
                   kShortLine +
                       "imaging: {observed: true/seismograms.h5, image: {direct_wave: subtract, mute_depth_m: "
                       "60}, lsrtm: {iterations: 3}}\n");
        const Outcome done = run_onda({"run", folder.path() / "true.yaml", "--output", folder.path() / "true", "--set",
                                       "model={type: layered, layers: [{top_m: 0, vp_m_s: 2000}, {top_m: 250, vp_m_s: "
                                       "2040}, {top_m: 260, vp_m_s: 2000}]}"});
        REQUIRE_MESSAGE(done.code == 0, done.err);
    }
    [[nodiscard]] Outcome fit(const std::string& name, const std::vector<std::string>& settings = {},
                              const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments{"lsrtm", folder.path() / "smooth.yaml", "--output", folder.path() / name};
        for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_onda(arguments);
    }
    [[nodiscard]] std::vector<float> change(const std::string& name) const {
        const std::filesystem::path file = folder.path() / name / "image.h5";
        return read_image(file, kVelocityChange, {}, image_contents(file).nodes.geometry.shape);
    }
    [[nodiscard]] std::vector<float> fitted(const std::string& name,
                                            const std::vector<std::string>& settings = {}) const {
        const Outcome done = fit(name, settings);
        REQUIRE_MESSAGE(done.code == 0, done.err);
        return change(name);
    }
    /// The second column of residuals.csv.
    [[nodiscard]] std::vector<double> residuals(const std::string& name) const {
        std::vector<double> values;
        std::ifstream file(folder.path() / name / "residuals.csv");
        std::string line;
        for (std::getline(file, line); std::getline(file, line);)
            values.push_back(std::stod(line.substr(line.find(',') + 1)));
        return values;
    }
    /// The norm of what a change does not explain of the data, as a part of theirs.
    [[nodiscard]] double residual_of(const std::vector<float>& change,
                                     const std::vector<std::string>& settings = {}) const;
    TemporaryFolder folder;
};

/// The sum of the observed shots with the codes of a supershot, or one of them.
std::vector<double> observed_shot(const std::filesystem::path& file, const Survey& survey, std::size_t i) {
    const auto shot = [&](std::int64_t id) { return read_gather(file, id).pressure; };
    if (!survey.encoding) {
        const std::vector<float> alone = shot(survey.shots.id(i));
        return {alone.begin(), alone.end()};
    }
    std::vector<double> sum;
    for (std::int64_t column = 0; column < survey.encoding->codes.columns(); ++column) {
        const std::vector<float> gather = shot(column + 1);
        sum.resize(gather.size());
        for (std::size_t at = 0; at < sum.size(); ++at)
            sum[at] += survey.encoding->codes.at(std::int64_t(i), column) * double(gather[at]);
    }
    return sum;
}

constexpr std::int64_t kWidth = 101;

/// Of all samples of some shots.
double norm_of(const std::vector<std::vector<double>>& shots) {
    double sum = 0.;
    for (const std::vector<double>& shot : shots)
        for (const double value : shot) sum += value * value;
    return std::sqrt(sum);
}

// d - J dv by the operators themselves.
double FittedPlace::residual_of(const std::vector<float>& change, const std::vector<std::string>& settings) const {
    const Config config = read_config(folder.path() / "smooth.yaml", vocabulary(), settings);
    GivenOperand operand;
    operand.change.vp.assign(change.begin(), change.end());
    const SurveyInMemory scattered = apply_quietly(config, kBornOperator, std::move(operand));
    const SurveyInMemory still = apply_quietly(config, kForwardOperator, {});
    std::vector<std::vector<double>> data, left;
    for (std::size_t i = 0; i < scattered.shots.size(); ++i) {
        std::vector<double> d = observed_shot(folder.path() / "true" / "seismograms.h5", still.plan->survey, i);
        for (std::size_t at = 0; at < d.size(); ++at) d[at] -= still.shots[i].rows.values[at];
        data.push_back(d);
        for (std::size_t at = 0; at < d.size(); ++at) d[at] -= scattered.shots[i].rows.values[at];
        left.push_back(d);
    }
    return norm_of(left) / norm_of(data);
}

}  // namespace

TEST_CASE("what least-squares migration leaves is what its change of velocity does not explain") {
    const FittedPlace place;
    const std::vector<float> change = place.fitted("fit");
    const std::vector<double> told = place.residuals("fit");
    REQUIRE(told.size() == 4);
    CHECK(told.front() == 1.);
    for (std::size_t i = 1; i < told.size(); ++i) CHECK(told[i] < told[i - 1]);
    CHECK(told.back() < 0.4);

    CHECK(place.residual_of(change) == doctest::Approx(told.back()).epsilon(2e-3));

    // Where it is, of the sign that it has; zero where the image is muted; sharper than the first step, which is an
    // image.
    const std::vector<float> image = place.fitted("image", {"imaging.lsrtm.iterations=1"});
    const auto column = [](const std::vector<float>& of, std::int64_t z) { return of[std::size_t(z * kWidth + 50)]; };
    const auto strongest = [&](const std::vector<float>& of) {
        std::int64_t at = 10;
        for (std::int64_t z = 10; z < 51; ++z)
            if (column(of, z) > column(of, at)) at = z;
        return at;
    };
    CHECK(strongest(change) == 25);
    CHECK(column(change, 25) > 10.F);
    CHECK(column(change, 25) < 45.F);
    CHECK(column(change, 25) > 1.5F * column(image, strongest(image)));
    for (std::int64_t z = 0; z < 6; ++z) CHECK(column(change, z) == 0.F);
}

TEST_CASE("least-squares migration fits data of VTI by its own scattered fields") {
    const FittedPlace place;
    const std::string medium = ", epsilon: 0.25, delta: 0.1";
    const Outcome done = run_onda(
        {"run", place.folder.path() / "true.yaml", "--output", place.folder.path() / "true", "--force", "--set",
         "model={type: layered, layers: [{top_m: 0, vp_m_s: 2000" + medium + "}, {top_m: 250, vp_m_s: 2040" + medium +
             "}, {top_m: 260, vp_m_s: 2000" + medium + "}]}"});
    REQUIRE_MESSAGE(done.code == 0, done.err);
    const std::vector<std::string> settings{"model={type: constant, vp_m_s: 2000" + medium + "}"};
    const std::vector<float> change = place.fitted("fit", settings);
    const std::vector<double> told = place.residuals("fit");
    REQUIRE(told.size() == 4);
    CHECK(told.back() < 0.5);
    CHECK(place.residual_of(change, settings) == doctest::Approx(told.back()).epsilon(2e-3));
    std::vector<std::string> isotropic = settings;
    isotropic.emplace_back("model.anisotropy=none");
    static_cast<void>(place.fitted("without", isotropic));
    CHECK(place.residuals("without").back() > 1.2 * told.back());
}

TEST_CASE("random codes are drawn again after so many iterations, and the iterations go on from what was found") {
    const FittedPlace place;
    const std::vector<std::string> codes{"survey.encoding=random", "survey.supershots=2"};
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> settings = codes;
        settings.insert(settings.end(), more.begin(), more.end());
        return settings;
    };
    const std::vector<std::string> whole = with({"imaging.lsrtm.iterations=4", "imaging.lsrtm.redraw_every=2"});
    const std::vector<float> change = place.fitted("drawn", whole);
    const std::filesystem::path folder = place.folder.path() / "drawn";
    const auto passes = [&] { return std::distance(std::filesystem::directory_iterator(folder / "iterations"), {}); };
    CHECK(passes() == 7);  // J'd, two iterations, J'd and J'J x by new codes, two iterations
    const std::vector<double> told = place.residuals("drawn");
    REQUIRE(told.size() == 5);
    CHECK(told[2] < told[1]);
    CHECK(told[4] < told[3]);
    // What is told of the last codes, the operators say of them, too.
    CHECK(place.residual_of(change, with({"survey.seed=2"})) == doctest::Approx(told.back()).epsilon(5e-3));
    const std::string table = text_of(folder / "residuals.csv");
    CHECK(contains(table, "iteration,residual,misfit,step,gradient,crosstalk\n"));
    const double crosstalk = std::stod(table.substr(table.rfind(',') + 1));
    CHECK(crosstalk > 0.01);
    CHECK(crosstalk < 10.);

    // Ended, and gone on with.
    for (const char* iterations : {"imaging.lsrtm.iterations=1", "imaging.lsrtm.iterations=2",
                                   "imaging.lsrtm.iterations=3", "imaging.lsrtm.iterations=4"})
        static_cast<void>(place.fitted("steps", with({iterations, "imaging.lsrtm.redraw_every=2"})));
    CHECK(place.change("steps") == change);
    for (const char* pass : {"004", "005", "006"}) std::filesystem::remove_all(folder / "iterations" / pass);
    for (const char* name : {"summary.json", "image.h5", "residuals.csv", "config.yaml"})
        std::filesystem::remove(folder / name);
    CHECK(place.fitted("drawn", whole) == change);
    CHECK(passes() == 7);

    // Results by codes that stay are others.
    const Outcome other = place.fit("drawn", with({"imaging.lsrtm.iterations=4"}));
    REQUIRE_MESSAGE(other.code == 0, other.err);
    CHECK(contains(other.err, "iteration 4 of 4"));
    CHECK(place.change("drawn") != change);

    // What new codes leave of the data may end it.
    static_cast<void>(place.fitted(
        "early", with({"imaging.lsrtm.iterations=9", "imaging.lsrtm.redraw_every=1", "imaging.lsrtm.residual=0.99"})));
    CHECK(place.residuals("early").size() == 2);
    const Outcome encoded = run_onda({"run", place.folder.path() / "true.yaml", "--output",
                                      place.folder.path() / "encoded", "--set", codes[0], "--set", codes[1]});
    REQUIRE_MESSAGE(encoded.code == 0, encoded.err);
    std::vector<std::string> of_supershots = whole;
    of_supershots.push_back("imaging.observed=encoded/seismograms.h5");
    const Outcome refused = place.fit("refused", of_supershots);
    CHECK(refused.code == static_cast<int>(ExitCode::config));
    CHECK(contains(refused.err, "codes can only be drawn again where the data are of single shots"));
}

TEST_CASE("least-squares migration goes on where it ended, to the same bits") {
    const FittedPlace place;
    const std::vector<float> expected = place.fitted("whole");
    CHECK(place.fitted("steps", {"imaging.lsrtm.iterations=1"}) != expected);
    CHECK(place.fitted("steps", {"imaging.lsrtm.iterations=2"}) != expected);
    CHECK(place.fitted("steps") == expected);
    CHECK(place.residuals("steps") == place.residuals("whole"));
    // Files are read in processes of their own: one that is forked while another thread allocates waits for ever under
    // the allocator of AddressSanitizer (LLVM 14), which knows nothing of forks.
    if (!test::kSanitized) CHECK(place.fitted("devices", {"backend.devices=[0, 1]", "backend.batch=1"}) == expected);

    // Killed in the second iteration.
    const std::filesystem::path folder = place.folder.path() / "steps";
    std::filesystem::remove_all(folder / "iterations" / "002");
    std::filesystem::remove_all(folder / "iterations" / "003");
    std::filesystem::remove(folder / "summary.json");
    for (const char* name : {"image.h5", "residuals.csv", "config.yaml"}) std::filesystem::remove(folder / name);
    CHECK(place.fit("steps", {}, {"--max-hours", "1e-9"}).code == static_cast<int>(ExitCode::time_limit));
    CHECK(place.fitted("steps") == expected);
    const Outcome again = place.fit("steps");
    CHECK(again.code == 0);
    CHECK(contains(again.err, "nothing is left to do"));

    // Of another configuration nothing is mixed in.
    const Outcome other = place.fit("steps", {"imaging.image.floor=0.1"});
    CHECK(other.code == static_cast<int>(ExitCode::cannot_create));
    CHECK(contains(other.err, "imaging.image.floor: 0.01 there, 0.1 now"));
    const Outcome replaced = place.fit("steps", {"imaging.image.floor=0.1", "imaging.lsrtm.residual=0.9"}, {"--force"});
    CHECK(replaced.code == 0);
    CHECK(place.change("steps") != expected);
    CHECK(place.residuals("steps").size() <= 3);  // by its residual
    // What another configuration has left in later iterations is replaced.
    CHECK(place.fitted("steps", {"imaging.image.floor=0.1"}).size() == expected.size());
    CHECK(place.residuals("steps").size() == 4);
}

TEST_CASE("what least-squares migration cannot fit is refused by name") {
    const FittedPlace place;
    const auto refusal = [&](const std::string& setting) {
        const Outcome done = place.fit("refused", {setting});
        CHECK(done.code == static_cast<int>(ExitCode::config));
        CHECK_FALSE(std::filesystem::exists(place.folder.path() / "refused"));
        return done.err;
    };
    CHECK(contains(refusal("imaging.misfit=envelope"), "imaging.misfit = envelope: least-squares migration fits"));
    CHECK(contains(refusal("imaging.parameters=vp_and_rho"), "imaging.parameters = vp_and_rho"));
    CHECK(contains(refusal("imaging.parameters=vp_and_q"), "least-squares migration changes the velocity alone"));
    CHECK(contains(refusal("imaging.lsrtm.iterations=0"), "must be in [1, 10000]"));
    const Outcome priced = run_onda({"check", place.folder.path() / "smooth.yaml", "--lsrtm", "--no-trial"});
    CHECK(priced.code == 0);
    CHECK(contains(priced.out, "scattered field"));
    CHECK(contains(priced.out, "forward field kept for gradients"));
}
