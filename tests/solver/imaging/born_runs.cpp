// Promise: Born and gradient runs record and report what they say beside their main result: the background's traces,
// hooks, illuminations; on slabs, with density, they have the bits of the uncut grid; and values of the inner grid go
// to the computed one by the transpose of how derivatives return. Takes 1 s.
#include <doctest/doctest.h>

#include "kernels/slabs/slabs.hpp"
#include "solver/imaging/born_run.hpp"
#include "solver/imaging/vp_gradient.hpp"
#include "solver/verify/adjoint_box.hpp"

using namespace onda;
using namespace onda::verify;

namespace {

/// A box with layers, a free surface and a wall.
struct Fixture {
    AdjointBox box{box_of(kAdjointCases[1], 2, Precision::float64), {}};
    std::shared_ptr<Medium> medium = box.make_medium();
    PhaseTimes times;
    Onwards control;

    [[nodiscard]] std::vector<ShotPoints> shot() const { return {box.points_of(box.source_signals())}; }
    /// J' y of so many levels, with squares.
    [[nodiscard]] Illumination illumination(std::vector<double> y, double scale, const HistoryPlan& plan,
                                            NodeValues* image = nullptr) {
        for (double& value : y) value *= scale;
        GradientRun run(*medium, 1, box.time(), plan, {.illuminates = true});
        run.run(shot(), [&](const Wavefield&) { return std::vector{box.adjoint_of(y, false)}; }, {times, control});
        if (image != nullptr) *image = run.image(0);
        return run.illumination(0);
    }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a Born run gives the background's traces where they are asked for, and acts on its hooks") {
    const std::vector<double> expected = box.forward(*medium, box.source_signals());
    BornRun run(*medium, 1, box.time());
    std::vector<double> largest;
    const StepHook hook{"look", [](std::int64_t step) { return (step / 50 + 1) * 50; },
                        [&] { largest.push_back(run.background_field().extremum().max_abs); }};
    run.run(shot(), {times, control, {hook}}, true);
    CHECK(box.traces_of(run.background_field(), kReceivers.size()) == expected);
    CHECK(largest.size() == 3);
    CHECK(std::ranges::all_of(largest, [](double value) { return value > 0.; }));
    const std::vector<double> nothing = box.traces_of(run.scattered_field(), kReceivers.size());
    CHECK(std::ranges::all_of(nothing, [](double value) { return value == 0.; }));

    const std::vector<double> dm(static_cast<std::size_t>(box.points()), 1.);
    run.set_perturbation(relative_change_of_k(dm, box.setup(), box.readers()));
    run.run(shot(), {times, control});
    const std::vector<double> once = box.traces_of(run.scattered_field(), kReceivers.size());
    CHECK(std::ranges::any_of(once, [](double value) { return value != 0.; }));
    run.run(shot(), {times, control});
    CHECK(box.traces_of(run.scattered_field(), kReceivers.size()) == once);
}

TEST_CASE_FIXTURE(Fixture,
                  "illuminations bound the image, grow with the square of the data, and do not depend on checkpoints") {
    const HistoryPlan all{1, box.time().steps, 0};
    NodeValues image;
    const Illumination one = illumination(box.data(), 1., all, &image);
    double largest = 0.;
    for (std::size_t i = 0; i < image.size(); ++i) {
        CHECK(image[i] * image[i] <= (1. + 1e-9) * one.forward[i] * one.adjoint[i]);
        largest = std::max(largest, image[i] * image[i] / (one.forward[i] * one.adjoint[i]));
    }
    CHECK(largest > 0.01);  // at a source and at a receiver the two are no strangers
    const Illumination eightfold = illumination(box.data(), 8., all);
    CHECK(eightfold.forward == one.forward);
    for (std::size_t i = 0; i < image.size(); ++i) CHECK(eightfold.adjoint[i] == 64. * one.adjoint[i]);
    const Illumination again = illumination(box.data(), 1., {1, 30, 1});
    CHECK(again.forward == one.forward);
    CHECK(again.adjoint == one.adjoint);
    // Every second level stands for two.
    const Illumination every_second = illumination(box.data(), 1., {2, box.time().steps, 0});
    double sum = 0., of_second = 0.;
    for (std::size_t i = 0; i < image.size(); ++i) {
        sum += one.forward[i];
        of_second += every_second.forward[i];
    }
    CHECK(std::abs(of_second / sum - 1.) < 0.2);
    GradientRun dark(*medium, 1, box.time(), all);
    dark.run(shot(), [&](const Wavefield&) { return std::vector{box.adjoint_of(box.data(), false)}; },
             {times, control});
    CHECK(dark.image(0) == image);
    CHECK_THROWS_AS(static_cast<void>(dark.illumination(0)), std::logic_error);
}

TEST_CASE_FIXTURE(Fixture, "a run that rebuilds its field holds what is planned, runs again, and takes part in J'J") {
    const HistoryPlan ring{3, 1, 0, RingPlace::device}, all{3, box.time().steps, 0};
    const Setup& setup = box.setup();
    Setup without_layers = setup;
    without_layers.strips = {};
    GradientRun run(*medium, 1, box.time(), ring);
    CHECK(run.steps() == 3 * box.time().steps);
    std::int64_t planned = cpu::correlation_allocations(setup, 1, 1, Correlated::differences).bytes(Memory::host) +
                           cpu::ring_allocations(setup, 1, ring.ring_size(box.time())).bytes(Memory::host);
    for (const Setup* each : {&setup, static_cast<const Setup*>(&without_layers)})
        planned += cpu::allocations(*each, 1).bytes(Memory::host, Owner::wavefield);
    CHECK(run.allocated_bytes() == planned);
    const auto image_of = [&](GradientRun& of) {
        of.run(shot(), [&](const Wavefield&) { return std::vector{box.adjoint_of(box.data(), false)}; },
               {times, control});
        return of.image(0);
    };
    const NodeValues once = image_of(run);
    CHECK(image_of(run) == once);

    const std::vector<double> dm(static_cast<std::size_t>(box.points()), 1.);
    std::vector<NodeValues> products;
    for (const HistoryPlan& plan : {all, ring}) {
        GaussNewtonRun both(*medium, 1, box.time(), plan);
        both.set_perturbation(relative_change_of_k(dm, setup, box.readers()));
        both.run(shot(),
                 [&](const Wavefield& scattered) {
                     return std::vector{box.adjoint_of(box.traces_of(scattered, kReceivers.size()), false)};
                 },
                 {times, control});
        products.push_back(both.gradient().image(0));
    }
    double worst = 0., largest = 0.;
    for (std::size_t i = 0; i < products[0].size(); ++i) {
        worst = std::max(worst, std::abs(products[1][i] - products[0][i]));
        largest = std::max(largest, std::abs(products[0][i]));
    }
    CHECK(largest > 0.);
    CHECK(worst <= 1e-12 * largest);
    CHECK_THROWS_AS(GradientRun(*medium, 1, box.time(), ring, {.density = true}),
                    std::logic_error);  // without pressures
}

TEST_CASE(
    "scattered fields of density and their images have the bits of the uncut grid, from checkpoints and from all "
    "levels") {
    for (const std::size_t number : {6U, 8U}) {
        const AdjointBox box(box_of(kAdjointCases[number], 2, Precision::float32), {});
        const Setup& setup = box.setup();
        const auto points = static_cast<std::size_t>(box.points());
        const MediumPerturbation perturbation = perturbation_of(
            std::vector<double>(points, 20.), noise(box.points(), 3), setup, box.readers(), box.time().dt_s);
        PhaseTimes times;
        Onwards control;
        const auto results_on = [&](Medium& medium, const HistoryPlan& plan) {
            GaussNewtonRun run(medium, 1, box.time(), plan, {.density = true});
            run.set_perturbation(perturbation);
            std::vector<double> results;
            run.run(std::vector{box.points_of(box.source_signals())},
                    [&](const Wavefield& scattered) {
                        results = box.traces_of(scattered, kReceivers.size());
                        return std::vector{box.adjoint_of(results, true)};
                    },
                    {times, control});
            const DensityImages images = run.gradient().density_images(0);
            const NodeValues image = run.gradient().image(0);
            results.insert(results.end(), image.begin(), image.end());
            for (const std::vector<double>& fluxes : images.fluxes)
                results.insert(results.end(), fluxes.begin(), fluxes.end());
            for (const NodeValue& source : images.sources) results.push_back(source.value);
            return results;
        };
        const HistoryPlan all{2, box.time().steps, 0}, states{2, 9, 1};
        const std::vector<double> whole = results_on(*box.make_medium(), all);
        CHECK(std::ranges::all_of(whole, [](double value) { return std::isfinite(value); }));
        CHECK(whole.front() != whole.back());
        CAPTURE(kAdjointCases[number].name);
        const auto cut = make_slab_medium(setup, box.readers(), box.time().dt_s, equal_slabs(setup.grid.nz(), 2),
                                          [](std::size_t, const Setup& part, const MediumReaders& its, double dt) {
                                              return cpu::make_medium(part, its, dt);
                                          });
        for (const HistoryPlan& plan : {all, states}) CHECK(results_on(*cut, plan) == whole);
    }
}

TEST_CASE("values go from the inner grid to the computed one by the transpose of how derivatives come back") {
    const Grid inner{3, {5, 4, 6}, {10., 10., 10.}, {}};
    const ComputedGrid computed(inner, {3, 2, 0, 4, 1, 0});
    const std::vector<double> values = noise(inner.points(), 1), gradient = noise(computed.grid().points(), 2);
    const std::vector<double> extended = extend_from_inner(values, computed, inner);
    CHECK(std::abs(dot(extended, gradient) - dot(values, fold_to_inner<double>(gradient, computed, inner))) <= 1e-13);
    CHECK(extended[0] == values[0]);
    CHECK(extended.back() == values.back());
    const Grid& grid = computed.grid();
    CHECK(extended[static_cast<std::size_t>(grid.at(3 + 2, 1, 1 + 4))] ==
          values[static_cast<std::size_t>(inner.at(2, 1, 4))]);
}
