// Supershots: all shots fired together with codes of +1 and -1. What a complete Hadamard matrix encodes is decoded to
// rounding through whole runs, and the gradients of its supershots add up to those of the shots.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "io/results/image_file.hpp"
#include "io/results/seismograms.hpp"
#include "kernels/companions/packed_codes.hpp"
#include "solver/plan/plan.hpp"
#include "solver/survey/encoding.hpp"
#include "solver/tasks/gradient_task.hpp"
#include "solver/tasks/linear_tasks.hpp"
#include "tests/program/process.hpp"
#include "tests/solver/quiet_run.hpp"

using namespace onda;

namespace {

/// Five shots, so that eight supershots encode them.
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
const std::string kFastBody =
    "model={type: inclusions, vp_m_s: 2000, inclusions: [{shape: sphere, center_m: [300, 220], radius_m: 60, vp_m_s: "
    "2200}]}";

Config with_observed(const std::filesystem::path& observed, std::vector<std::string> overrides) {
    overrides.push_back("imaging={observed: " + observed.string() + "}");
    return cpu_config(kFiveShots, overrides);
}

/// The observed data of the shots, and of all supershots of Hadamard codes, in files.
struct SupershotPlace {
    SupershotPlace() {
        write_text(folder.path() / "survey.yaml", kFiveShots);
        run("shots", {});
        run("encoded", {"survey.encoding=hadamard"});
    }
    void run(const std::string& name, const std::vector<std::string>& settings) const {
        std::vector<std::string> arguments{"run",      folder.path() / "survey.yaml",
                                           "--output", folder.path() / name,
                                           "--set",    "backend.name=cpu",
                                           "--set",    kFastBody};
        for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
        const Outcome done = run_onda(arguments);
        REQUIRE_MESSAGE(done.code == 0, done.err);
    }
    [[nodiscard]] std::filesystem::path observed(const std::string& name) const {
        return folder.path() / name / "seismograms.h5";
    }
    TemporaryFolder folder;
};

/// The largest |E'Y / supershots - D| over the largest |D|.
template <typename T>
double decoding_error(const PackedCodes& codes, const std::vector<T>& supershots, const std::vector<T>& shots) {
    std::vector<T> decoded(shots.size());
    multiply<T>(codes.transposed(), supershots, std::ssize(shots) / codes.columns(), decoded);
    double error = 0., largest = 0.;
    for (std::size_t i = 0; i < shots.size(); ++i) {
        const double here = std::abs(double(decoded[i]) / double(codes.rows()) - double(shots[i]));
        if (!std::isnan(error) && !(here <= error)) error = here;
        largest = std::max(largest, std::abs(double(shots[i])));
    }
    REQUIRE(largest > 0.);
    return error / largest;
}

std::vector<float> gathers_of(const SurveyInMemory& survey) {
    std::vector<float> values;
    for (const ShotInMemory& shot : survey.shots)
        values.insert(values.end(), shot.gather.pressure.begin(), shot.gather.pressure.end());
    return values;
}

std::vector<double> rows_of(const SurveyInMemory& survey) {
    std::vector<double> values;
    for (const ShotInMemory& shot : survey.shots)
        values.insert(values.end(), shot.rows.values.begin(), shot.rows.values.end());
    return values;
}

std::string refusal_of(const std::vector<std::string>& overrides, const TaskRow* task = nullptr) {
    try {
        static_cast<void>(run_quietly(cpu_config(kFiveShots, overrides), task));
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("supershots of a complete Hadamard matrix decode to the shots, through whole runs") {
    const SurveyInMemory shots = run_quietly(cpu_config(kFiveShots, {kFastBody}));
    const SurveyInMemory encoded = run_quietly(cpu_config(kFiveShots, {kFastBody, "survey.encoding=hadamard"}));
    REQUIRE(shots.shots.size() == 5);
    REQUIRE(encoded.shots.size() == 8);
    const auto encoding = encoded.plan->survey.encoding;
    REQUIRE(encoding);
    CHECK(encoding->undoes);
    CHECK(encoded.shots[3].gather.sources_m.size() == 5);
    CHECK(decoding_error(encoding->codes, gathers_of(encoded), gathers_of(shots)) <= 1e-6);

    const std::vector<std::string> settings{kFastBody, "scheme.precision=double"};
    const std::vector<double> exact = rows_of(apply_quietly(cpu_config(kFiveShots, settings), kForwardOperator, {}));
    std::vector<std::string> more = settings;
    more.push_back("survey.encoding=hadamard");
    const std::vector<double> coded = rows_of(apply_quietly(cpu_config(kFiveShots, more), kForwardOperator, {}));
    CHECK(decoding_error(encoding->codes, coded, exact) <= 1e-14);
}

TEST_CASE("gradients of all supershots of a Hadamard matrix add up to those of the shots") {
    const SupershotPlace place;
    const auto gradient = [&](const std::string& observed, const std::vector<std::string>& settings) {
        return misfit_of(run_quietly(with_observed(place.observed(observed), settings), &kGradientTask));
    };
    const auto difference = [](const std::vector<double>& a, double factor, const std::vector<double>& b) {
        double error = 0., all = 0.;
        for (std::size_t i = 0; i < b.size(); ++i) {
            error += std::pow(a[i] - factor * b[i], 2.);
            all += std::pow(factor * b[i], 2.);
        }
        return std::sqrt(error / all);
    };
    const MisfitInMemory shots = gradient("shots", {"scheme.precision=double"});
    const MisfitInMemory encoded = gradient("shots", {"scheme.precision=double", "survey.encoding=hadamard"});
    // The files have single precision, and so have the sums over them.
    CHECK(difference(encoded.gradient_vp, 8., shots.gradient_vp) <= 2e-6);
    CHECK(std::abs(encoded.value / (8. * shots.value) - 1.) <= 1e-6);
    // Observed as supershots: the same but for the rounding of their runs.
    const MisfitInMemory observed = gradient("encoded", {"scheme.precision=double", "survey.encoding=hadamard"});
    CHECK(difference(observed.gradient_vp, 8., shots.gradient_vp) <= 1e-5);
    // One row alone is the shots with much crosstalk.
    const MisfitInMemory one = gradient("shots", {"survey.encoding=hadamard", "survey.supershots=1"});
    CHECK(difference(one.gradient_vp, 1., shots.gradient_vp) > 0.3);
    const auto other = with_observed(place.observed("encoded"), {"survey.encoding=random", "survey.supershots=8"});
    CHECK_THROWS_WITH_AS(static_cast<void>(run_quietly(other, &kGradientTask)),
                         doctest::Contains("it was encoded with other codes (survey.encoding)"), Error);
}

TEST_CASE("random codes are a function of seed and place, and codes come from files") {
    const auto codes_of = [](const std::vector<std::string>& overrides) {
        return plan_in_memory(cpu_config(kFiveShots, overrides), {}, kForwardOperator)->survey.encoding->codes;
    };
    const PackedCodes four = codes_of({"survey.encoding=random", "survey.supershots=4", "survey.seed=7"});
    const PackedCodes two = codes_of({"survey.encoding=random", "survey.supershots=2", "survey.seed=7"});
    for (std::int64_t shot = 0; shot < 5; ++shot)
        for (const std::int64_t row : {0, 1}) CHECK(four.at(row, shot) == two.at(row, shot));
    CHECK(four != codes_of({"survey.encoding=random", "survey.supershots=4", "survey.seed=8"}));
    CHECK(codes_of({"survey.encoding=random"}).rows() == 1);

    const TemporaryFolder folder;
    const auto file = [&](const std::string& text) {
        write_text(folder.path() / "codes.csv", "supershot,shot,code\n" + text);
        return std::vector<std::string>{"survey.encoding=file",
                                        "survey.codes=" + (folder.path() / "codes.csv").string()};
    };
    const std::string row = "1,1,1\n1,2,-1\n1,3,1\n1,4,1\n1,5,-1\n";
    const PackedCodes read = codes_of(file(row));
    CHECK(read.rows() == 1);
    CHECK(read.at(0, 0) == 1);
    CHECK(read.at(0, 4) == -1);
    CHECK(contains(refusal_of(file("1,1,1\n1,2,0.5\n")), "codes.csv:3:1: code = 0.5: must be 1 or -1"));
    CHECK(contains(refusal_of(file("1,1,1\n1,6,1\n")), "codes.csv:3: there is no shot 6; the survey has 5, 1 to 5"));
    CHECK(contains(refusal_of(file("1,1,1\n1,1,1\n")), "codes.csv:3: a second code of shot 1 in supershot 1"));
    CHECK(contains(refusal_of(file("1,1,1\n")), "codes.csv: has no code of shot 2 in supershot 1"));
}

TEST_CASE("what cannot be encoded is refused") {
    CHECK(contains(refusal_of({"survey.encoding=hadamrd"}), "hadamard"));
    CHECK(contains(refusal_of({"survey.encoding=hadamard", "survey.supershots=9"}),
                   "Hadamard codes of 5 shots have 8 rows"));
    CHECK(contains(refusal_of({"survey.encoding=random", "survey.supershots=500000"}),
                   "500000 supershots of 5 sources each have 2500000; the most is 1000000"));
    CHECK(contains(refusal_of({"survey.encoding=random", "survey.supershots=150000",
                               "sources=[{position_m: [103, 24], shot: 1}, {position_m: [113, 24], shot: 1}, "
                               "{position_m: [203, 24], shot: 2}, {position_m: [213, 24], shot: 2}, "
                               "{position_m: [303, 24], shot: 2}, {position_m: [313, 24], shot: 2}, "
                               "{position_m: [403, 24], shot: 2}]"}),
                   "150000 supershots of 7 sources each have 1050000; the most is 1000000"));
    CHECK(contains(refusal_of({"survey.encoding=random", "sources=[{position_m: [103, 24]}]"}),
                   "the survey has one shot, and nothing to fire it together with"));
    CHECK(contains(refusal_of({"survey.encoding=random", "receivers=[{position_m: [100, 20], shot: 1}]"}),
                   "record at the same receivers"));
    const SupershotPlace place;
    for (const std::string key : {"imaging.offset_m={max: 300}", "imaging.top_mute={t0_s: 0.1}"}) {
        const std::string error =
            refusal_of({"imaging={observed: " + place.observed("shots").string() + "}", "survey.encoding=random", key},
                       &kGradientTask);
        CHECK_MESSAGE(contains(error, "traces of supershots (survey.encoding) have no offset"), error);
    }
}
