// The gradients of shots are summed in the order of the shots, each at its part of the grid and in double precision, so
// that gradient.h5 has the same bytes whatever finished first; few shots and many leave the same sums, and files,
// memory and disk space are forecast. Takes 2 s.
#include "solver/outputs/gradient_output.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <numeric>
#include <sstream>

#include "io/hdf5/hdf5.hpp"
#include "io/results/image_file.hpp"
#include "solver/outputs/shot_files.hpp"
#include "solver/outputs/shot_sums.hpp"
#include "solver/plan/names.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/run/run_files.hpp"
#include "tests/io/files_support.hpp"
#include "tests/io/png_image.hpp"
#include "tests/io/result_file_checks.hpp"
#include "tests/sanitized.hpp"

using namespace onda;
using test::kSanitized;

namespace {

using Path = std::filesystem::path;

/// The plan of a survey of so many shots whose gradients are computed.
Plan plan_of(int shots, const std::string& shape, const std::string& more = "") {
    const std::string y = std::ranges::count(shape, ',') == 2 ? " 50," : "";
    Plan plan = make_plan(read_config_text(R"(schema_version: 1
title: gradients of the tests
grid: {shape: [)" + shape + R"(], spacing_m: 10, origin_m: [)" +
                                               (y.empty() ? "0, 0" : "0, 0, 0") +
                                               R"(]}
model: {type: constant, vp_m_s: 1500, rho: gardner}
time: {duration_s: 0.02}
wavelet: {type: ricker, peak_frequency_hz: 12}
boundary: {cpml_width: 6}
sources: [{type: line, first_m: [40,)" + y + R"( 50], last_m: [360,)" +
                                               y + R"( 50], count: )" + std::to_string(shots) + R"(}]
receivers: [{type: line, first_m: [20,)" + y + R"( 20], last_m: [380,)" +
                                               y + R"( 20], count: 9}]
output: {report: false, seismograms: {dt_s: 0.002}}
backend: {name: cpu}
)" + more,
                                           "survey.yaml", vocabulary(), {}));
    plan.imaging.emplace().reverses = true;
    plan.imaging->sums.illuminates = true;
    plan.imaging->sums.density = true;
    return plan;
}

/// The images of a shot, which follow from its number; of different magnitudes, so that the order of a sum shows.
ShotImages images_of(const Plan& plan, std::size_t shot) {
    ShotImages images;
    images.shot = plan.survey.shots.id(shot);
    images.part = plan_of_shot(plan, shot).domain.part;
    const double scale = std::pow(10., double(shot % 7) - 3.);
    for (std::int64_t i = 0; i < images.part.points(); ++i) {
        images.gradient_vp.push_back(float(scale * std::sin(double(i) + 0.7 * double(shot))));
        images.gradient_rho.push_back(float(scale * std::cos(double(i) - 0.3 * double(shot))));
        images.illumination_source.push_back(float(scale * double(i % 11)));
        images.illumination_receiver.push_back(float(1. / (1. + double(i % 13) + double(shot))));
    }
    for (int trace = 0; trace < 9; ++trace) images.misfit_of_trace.push_back(scale / (1. + trace));
    images.misfit = std::accumulate(images.misfit_of_trace.begin(), images.misfit_of_trace.end(), 0.);
    images.dead = std::int64_t(shot % 2);
    images.excluded = 2;
    return images;
}

using MayBegin = std::function<bool(std::size_t)>;

/// The whole of a run that has these shots, finished in this order; `change` what they leave, before all is assembled.
/// \param expected those that were expected; null: nothing was said.
struct Assembled {
    Assembled(const Plan& plan, const Path& folder, std::vector<std::size_t> order,
              const std::function<void()>& change = {}, const MayBegin& expected = {})
        : results(folder) {
        const Path unfinished = folder / "unfinished";
        std::filesystem::create_directories(unfinished);
        std::vector<RunOutputs::Entry> entries;
        entries.push_back({&kGradientFormat, kGradientFormat.make(plan, {})});
        const RunOutputs outputs(std::move(entries));
        if (expected) outputs.expect(expected);
        const ShotFiles files(outputs, unfinished, sample_provenance(2450));
        std::vector<ShotRecord> records(order.size());
        for (const std::size_t i : order) {
            const Shot shot = plan.survey.shots[i];
            ShotOutputs begun = files.begin(shot, i);
            ShotImages images = images_of(plan, i);
            begun.take_images(images);
            records[i].shot = shot.id;
            records[i].files = files.finish(begun);
        }
        if (change) change();
        const Provenance provenance = sample_provenance();
        const FinishedSurvey survey{
            plan, records, unfinished, results, provenance, true, assembly_of(plan, plan.placement)};
        for (AtomicFile& file : outputs.assemble(survey)) file.commit();
        if (survey.assembly == Assembly::links)
            std::filesystem::rename(unfinished, results / kShotsName);
        else
            std::filesystem::remove_all(unfinished);
    }
    [[nodiscard]] Path file() const { return results / kGradientName; }

    Path results;
};

std::vector<std::size_t> in_order(std::size_t shots) {
    std::vector<std::size_t> order(shots);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

/// The sum that is expected: node by node, shot by shot.
std::vector<float> expected_sum(const Plan& plan, UnsetVector<float> ShotImages::*image) {
    const Grid& grid = plan.domain.grid;
    std::vector<double> sum(static_cast<std::size_t>(grid.points()));
    for (std::size_t shot = 0; shot < plan.survey.shots.size(); ++shot) {
        const ShotImages images = images_of(plan, shot);
        const Window& part = images.part;
        for (std::int64_t i = 0; i < part.points(); ++i) {
            const std::int64_t x = part.first[0] + i % part.count[0];
            const std::int64_t y = part.first[1] + i / part.count[0] % part.count[1];
            const std::int64_t z = part.first[2] + i / part.count[0] / part.count[1];
            sum[static_cast<std::size_t>(grid.at(x, y, z))] += double((images.*image)[static_cast<std::size_t>(i)]);
        }
    }
    return {sum.begin(), sum.end()};
}

void check_sums(const Plan& plan, const Assembled& survey) {
    const auto& shape = plan.domain.grid.n;
    CHECK(read_image(survey.file(), kVpGradient, {}, shape) == expected_sum(plan, &ShotImages::gradient_vp));
    CHECK(read_image(survey.file(), kRhoGradient, {}, shape) == expected_sum(plan, &ShotImages::gradient_rho));
    CHECK(read_image(survey.file(), kSourceIllumination, {}, shape) ==
          expected_sum(plan, &ShotImages::illumination_source));
    CHECK(read_image(survey.file(), kReceiverIllumination, {}, shape) ==
          expected_sum(plan, &ShotImages::illumination_receiver));
    CHECK(image_contents(survey.file()).nodes.first == std::array<std::int64_t, 3>{});
}

std::uintmax_t bytes_in(const Path& folder) {
    std::uintmax_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && entry.path().extension() != ".png") bytes += entry.file_size();
    return bytes;
}

}  // namespace

TEST_CASE("the sum has the same bytes whatever order shots finish in, and their misfits are listed") {
    const TemporaryFolder folder;
    const Plan plan = plan_of(7, "41, 31");
    const Assembled survey(plan, folder.path() / "a", in_order(7));
    check_sums(plan, survey);
    const Assembled other(plan, folder.path() / "b", {6, 2, 0, 5, 1, 4, 3});
    CHECK(text_of(survey.file()) == text_of(other.file()));
    CHECK(text_of(survey.results / kMisfitTableName) == text_of(other.results / kMisfitTableName));

    std::istringstream table(text_of(survey.results / kMisfitTableName));
    std::string line;
    std::getline(table, line);
    CHECK(line == "shot,misfit,traces,dead,excluded");
    for (std::size_t shot = 0; shot < 7; ++shot) {
        const ShotImages images = images_of(plan, shot);
        const ShotMisfit misfit = read_misfit(survey.file(), images.shot);
        CHECK(misfit.value == images.misfit);
        CHECK(misfit.of_trace == images.misfit_of_trace);
        std::getline(table, line);
        const auto comma = line.find(',');
        CHECK(line.substr(0, comma) == std::to_string(shot + 1));
        CHECK(std::stod(line.substr(comma + 1)) == images.misfit);
        CHECK(line.ends_with("9," + std::to_string(shot % 2) + ",2"));
    }
    CHECK_FALSE(std::getline(table, line));
}

TEST_CASE("sums that grow while shots are computed have the same bytes, whichever shots are computed") {
    const TemporaryFolder folder;
    const Plan plan = plan_of(7, "41, 31");
    const std::vector<std::size_t> order{6, 2, 0, 5, 1, 4, 3};
    const std::string of_files = text_of(Assembled(plan, folder.path() / "files", order).file());
    int run = 0;
    for (const MayBegin& expected : {MayBegin([](std::size_t) { return true; }),
                                     MayBegin([](std::size_t i) { return i > 2; }),  // the others were there before
                                     MayBegin([](std::size_t i) { return i < 4; }),  // the others come later
                                     MayBegin([](std::size_t i) { return i % 2 == 0; })}) {
        CAPTURE(run);
        CHECK(text_of(Assembled(plan, folder.path() / std::to_string(run++), order, {}, expected).file()) == of_files);
    }
    const Plan limited = plan_of(17, "41, 21, 31", "survey: {limit_m: 20}\n");
    check_sums(limited,
               Assembled(limited, folder.path() / "parts", in_order(17), {}, [](std::size_t) { return true; }));
}

TEST_CASE("a running sum has the first shots, as far as they have come") {
    const Plan plan = plan_of(5, "41, 31");
    RunningSum sum(plan, 4);
    const auto add = [&](std::size_t shot) {
        ShotImages images = images_of(plan, shot);
        sum.add(shot, images);
    };
    const std::vector<std::int64_t> all{1, 2, 3, 4, 5}, without_second{1, 3, 4, 5};
    add(0);  // nothing was expected
    CHECK(sum.leading(all) == 0);
    sum.expect([](std::size_t i) { return i != 4; });
    add(2);
    CHECK(sum.leading(all) == 0);
    add(0);
    CHECK(sum.leading(all) == 1);
    CHECK(sum.of(kVpGradient)[5] == double(images_of(plan, 0).gradient_vp[5]));
    CHECK(sum.of(kImageStack).empty());
    sum.pass_over(1);
    CHECK(sum.leading(without_second) == 2);
    CHECK(sum.leading(all) == 0);
    add(0);  // once more
    add(4);  // not expected
    add(3);
    CHECK(sum.leading(without_second) == 3);
    RunningSum of_the_rest(plan, 4);
    of_the_rest.expect([](std::size_t i) { return i != 2; });
    for (const std::size_t shot : {4, 3, 0, 1}) {
        ShotImages images = images_of(plan, shot);
        of_the_rest.add(shot, images);
    }
    CHECK(of_the_rest.leading(all) == 2);  // those before what was there
    CHECK(sum.of(kVpGradient)[5] == double(images_of(plan, 0).gradient_vp[5]) +
                                        double(images_of(plan, 2).gradient_vp[5]) +
                                        double(images_of(plan, 3).gradient_vp[5]));
}

TEST_CASE("the file of the only shot is that of the survey, unless it covers a part of the grid") {
    const TemporaryFolder folder;
    const Plan plan = plan_of(1, "41, 31");
    check_sums(plan, Assembled(plan, folder.path() / "whole", {0}));
    Plan limited = plan_of(1, "41, 21, 31", "survey: {limit_m: 20}\n");
    REQUIRE(plan_of_shot(limited, 0).domain.part != Window::whole(limited.domain.grid));
    check_sums(limited, Assembled(limited, folder.path() / "part", {0}));
}

TEST_CASE("many shots, each on its part of the grid, keep their files, which the survey's links to") {
    const TemporaryFolder folder;
    const Plan plan = plan_of(101, "41, 21, 31", "survey: {limit_m: 20}\n");
    std::vector<std::size_t> order = in_order(101);
    std::rotate(order.begin(), order.begin() + 40, order.end());
    const Assembled survey(plan, folder.path(), order);
    check_sums(plan, survey);
    const Path file = survey.results / kShotsName / "00101.gradient.h5";
    const ImageNodes nodes = image_contents(file).nodes;
    const Window part = plan_of_shot(plan, 100).domain.part;
    CHECK(nodes.first == part.first);
    CHECK(nodes.geometry.shape == part.count);
    CHECK(nodes.geometry.origin_m[1] == doctest::Approx(10. * double(part.first[1])));
    CHECK(std::ranges::equal(read_image(file, kVpGradient, {}, part.count), images_of(plan, 100).gradient_vp));
    CHECK(hdf5::File::open(survey.file()).open_group("shots").linked_file("101") == "shots/00101.gradient.h5");
}

TEST_CASE("few large shots keep their files, too") {
    CHECK(assembly_of(plan_of(4, "41, 31"), {}) == Assembly::copies);
    CHECK(assembly_of(plan_of(4, "1001, 1501"), {}) == Assembly::links);
    Plan without = plan_of(4, "1001, 1501");
    without.imaging.reset();
    CHECK(assembly_of(without, without.placement) == Assembly::copies);
}

TEST_CASE("a damaged file of a shot ends the run with an error that names it") {
    const TemporaryFolder folder;
    const Plan plan = plan_of(3, "41, 31");
    const Path shot = folder.path() / "unfinished" / "00002.gradient.h5";
    const auto cut = [&] { std::filesystem::resize_file(shot, std::filesystem::file_size(shot) / 2); };
    const std::string message =
        message_of([&] { Assembled(plan, folder.path(), in_order(3), cut); }, ExitCode::bad_data);
    CHECK(contains(message, "00002.gradient.h5"));
    CHECK_FALSE(std::filesystem::exists(folder.path() / kGradientName));
}

TEST_CASE("its bytes are forecast") {
    const auto check = [](const Plan& plan, std::size_t shots) {
        Plan forecast = plan;
        const TemporaryFolder folder;
        Assembled(plan, folder.path() / "out", in_order(shots));
        const auto written = double(bytes_in(folder.path() / "out"));
        // What this format adds to a run: that of the test has no table of shots and no seismograms.
        const double with = double(forecast_output_bytes(forecast));
        const bool links = keeps_shot_files(plan, plan.placement);
        forecast.imaging.reset();
        const double without =
            keeps_shot_files(forecast, forecast.placement) == links ? double(forecast_output_bytes(forecast)) : 0.;
        CAPTURE(shots);
        CAPTURE(written - (with - without));
        CHECK(std::abs(written - (with - without)) <= 0.02 * written + 2000. + 400. * double(shots));
    };
    check(plan_of(1, "41, 31"), 1);
    check(plan_of(7, "41, 31"), 7);
    const int many = kSanitized ? 17 : 101;
    check(plan_of(many, "41, 31"), std::size_t(many));
    check(plan_of(many, "41, 21, 31", "survey: {limit_m: 20}\n"), std::size_t(many));
}

TEST_CASE("what it holds of the memory is forecast") {
    const auto bytes = [](const Plan& plan) {
        std::int64_t sum = 0;
        for (const MemoryForecast::Item& item : forecast_memory(plan).items) sum += item.bytes;
        return sum;
    };
    Plan plan = plan_of(2, "401, 301, 101");
    const std::int64_t with = bytes(plan);
    plan.imaging.reset();
    // The sum of 4 million nodes and fewer in double precision, with a shot beside it.
    CHECK(with - bytes(plan) >= 12 * 401 * 301 * 30);
}

TEST_CASE("its names are those of results, and a picture shows both signs") {
    for (const char* name : {"gradient.h5", "misfit.csv", "gradient.png"}) CHECK(is_result_name(name));
    CHECK(is_shot_file_name("00012.gradient.h5"));
    CHECK_FALSE(is_result_name("gradient.csv"));
    const TemporaryFolder folder;
    for (const char* shape : {"41, 31", "41, 21, 31"}) {
        Plan plan = plan_of(2, shape);
        const Assembled survey(plan, folder.path() / std::to_string(plan.domain.grid.dimensions), in_order(2));
        const Image picture = read_png(survey.results / kGradientPictureName);
        const auto shows = [&](double place) {
            const Rgb colour = kBlueRed.at(place);
            for (int row = 0; row < picture.height; ++row)
                for (int column = 0; column < picture.width; ++column)
                    if (picture.at(column, row) == colour) return true;
            return false;
        };
        CHECK(shows(0.));
        CHECK(shows(1.));
        plan.config.output.pictures = false;
        const Assembled plain(plan, folder.path() / "plain", in_order(2));
        CHECK_FALSE(std::filesystem::exists(plain.results / kGradientPictureName));
    }
}
