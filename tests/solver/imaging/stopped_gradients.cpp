// Promise: a gradient run that is stopped after any step of its adjoint field goes on from what was kept with the bits
// of one without a stop, however its forward field is kept, with layers, sponges, density, order 4 in time,
// attenuation and VTI; what it computes again is counted. Takes 4 s.
#include <doctest/doctest.h>

#include "tests/solver/imaging/stopped_runs.hpp"

using namespace onda;
using namespace onda::test;

TEST_CASE("gradients that are stopped after any step of the adjoint field have the bits of one without a stop") {
    for (const StoppableGradient& of : stoppable_gradients()) {
        const verify::AdjointBox box(verify::box_of(verify::kAdjointCases[of.which], 2, Precision::float32), {});
        const std::shared_ptr<Medium> medium = box.make_medium();
        Medium* const one = medium.get();
        CAPTURE(verify::kAdjointCases[of.which].name);
        CAPTURE(of.plan.storage(box.time()));
        const std::vector<double> expected = images_with_stops(box, {&one, 1}, of, {});
        CHECK(are_numbers(expected));
        for (const std::vector<Stop>& stops : std::vector<std::vector<Stop>>{{{1}},
                                                                             {{2}, {3}, {40}},
                                                                             {{60}, {61}},
                                                                             {{20}, {80}, {141}},
                                                                             {{118}, {155}},
                                                                             {{159}},
                                                                             {{156}, {157}, {158}}}) {
            CAPTURE(stops.front().after);
            CHECK(images_with_stops(box, {&one, 1}, of, stops) == expected);
        }
    }
}

TEST_CASE(
    "gradients that are stopped while the forward field is computed again keep what the adjoint field has come to") {
    for (const StoppableGradient& of : stoppable_gradients()) {
        const verify::AdjointBox box(verify::box_of(verify::kAdjointCases[of.which], 2, Precision::float32), {});
        if (of.plan.segments(box.time()) == 1) continue;
        const std::shared_ptr<Medium> medium = box.make_medium();
        Medium* const one = medium.get();
        CAPTURE(verify::kAdjointCases[of.which].name);
        const std::vector<double> expected = images_with_stops(box, {&one, 1}, of, {});
        const std::vector<Stop> stops{{1, true}, {30, true}, {50}, {70, true}};
        CHECK(images_with_stops(box, {&one, 1}, of, stops) == expected);
    }
}

TEST_CASE("what was kept of other steps is refused") {
    const StoppableGradient of = stoppable_gradients()[8];
    const verify::AdjointBox box(verify::box_of(verify::kAdjointCases[of.which], 2, Precision::float32), {});
    const std::shared_ptr<Medium> medium = box.make_medium();
    GradientRun run(*medium, 1, box.time(), of.plan, of.sums);
    PhaseTimes times;
    verify::Onwards control;
    run.run(std::vector{box.points_of(box.source_signals())},
            [&](const Wavefield&) { return std::vector{box.adjoint_of(box.data(), true)}; }, {times, control});
    CHECK_THROWS_AS(run.set_recorded_before(0, std::vector<double>(7)), Error);
}
