/// \file
/// Gradient runs that are stopped after steps of their adjoint field, and go on from what was kept of them in memory.
#pragma once

#include <cstddef>
#include <doctest/doctest.h>
#include <span>
#include <vector>

#include "solver/verify/adjoint_box.hpp"
#include "tests/kernels/imaging_support.hpp"

namespace onda::test {

/// Ends a run that is stopped.
struct StoppedRun {};

/// Where a run stops.
struct Stop {
    std::int64_t after = 0;   ///< a step of the adjoint field; 0: nowhere
    bool in_forward = false;  ///< when the forward field is computed again, next after that step
};

/// Keeps what a run has after a step of its adjoint field, and lets another one go on from it.
class KeptInMemory final : public AdjointKeeper {
public:
    void attach(GradientRun& run, Stop stop) {
        run_ = &run;
        stop_ = stop;
        seen_ = 0;
    }
    [[nodiscard]] std::int64_t begins_after() const override { return step_; }
    void restore() override {
        restore_state(run_->adjoint_state(), state_, 1);
        run_->set_recorded_before(0, recorded_);
    }
    [[nodiscard]] bool is_due() override {
        seen_ = run_->adjoint().step();
        return !stop_.in_forward && seen_ == stop_.after;
    }
    void keep() override {
        state_ = bytes_of_state(run_->adjoint_state(), 1);
        recorded_ = run_->recorded(0);
        step_ = run_->adjoint().step();
        throw StoppedRun{};
    }
    [[nodiscard]] bool wants_to_end() override { return stop_.in_forward && seen_ >= stop_.after; }
    void end() override { FAIL("what the adjoint field has come to is lost"); }

private:
    GradientRun* run_ = nullptr;
    Stop stop_;
    std::int64_t step_ = 0, seen_ = 0;  ///< the latter of the run that is attached
    std::vector<std::byte> state_;
    std::vector<double> recorded_;
};

/// Lets a run stop after every step, and checks that its steps are counted to the last.
class EveryStep final : public StepControl {
public:
    std::int64_t begin_stretch() override { return 1; }
    void end_stretch(std::int64_t, double) override {}
    void begin_at(std::int64_t step) override {
        CHECK(step >= 0);
        last = step;
    }
    void tell(std::int64_t step, double, double) override {
        CHECK(step > last);
        last = step;
    }
    std::int64_t last = 0;
};

/// A gradient of one shot in a box, kept in some way.
struct StoppableGradient {
    std::size_t which;  ///< of kAdjointCases
    HistoryPlan plan;
    ImageSums sums;
};

/// With images of everything. Rings hold pressures.
inline std::vector<StoppableGradient> stoppable_gradients() {
    const ImageSums all{.differences = true, .pressures = true, .illuminates = true};
    ImageSums of_density = all;
    of_density.density = true;
    const ImageSums of_anisotropy{.illuminates = true, .anisotropy = true};
    HistoryPlan ring{3, 1, 0, RingPlace::device}, coded = ring;
    ring.ring_pressures = coded.ring_pressures = true;
    coded.ring_values = RingValues::of_16_bits;
    coded.ring_every = 2;
    const HistoryPlan every_level{1, 160, 0}, every_third{3, 53, 0}, states{3, 5, 2}, no_states{4, 7, 0};
    return {{1, every_level, all},
            {1, every_third, {}},
            {1, states, all},
            {1, ring, all},
            {0, coded, {}},
            {4, every_third, all},
            {4, ring, all},
            {2, states, all},
            {6, every_third, of_density},
            {6, states, of_density},
            {6, ring, of_density},
            {9, no_states, of_density},
            {12, every_third, all},
            {12, states, {}},
            {16, every_third, all},
            {16, states, {}},
            {17, states, all},
            {18, no_states, of_density},
            {19, states, of_anisotropy},
            {20, every_third, of_anisotropy}};
}

/// Every image of a run that has ended.
inline std::vector<double> all_images(const GradientRun& run, const ImageSums& sums) {
    const NodeValues image = run.image(0);
    std::vector<double> all(image.begin(), image.end());
    const auto add = [&all](const auto& values) { all.insert(all.end(), values.begin(), values.end()); };
    if (sums.pressures) {
        NodeValues of_pressures(image.size());
        run.download_pressures(0, 0, of_pressures);
        add(of_pressures);
    }
    if (sums.illuminates) {
        const Illumination illumination = run.illumination(0);
        add(illumination.forward);
        add(illumination.adjoint);
    }
    if (sums.anisotropy) {
        const AnisotropyImages images = run.anisotropy_images(0);
        add(images.strain);
        add(images.mixed);
    }
    if (!sums.density) return all;
    const DensityImages images = run.density_images(0);
    for (const std::vector<double>& fluxes : images.fluxes) add(fluxes);
    for (const NodeValue& source : images.sources) all.push_back(source.value);
    return all;
}

/// The images of a gradient that is stopped here and there, each time on the next of some media.
inline std::vector<double> images_with_stops(const verify::AdjointBox& box, std::span<Medium* const> media,
                                             const StoppableGradient& of, std::span<const Stop> stops) {
    PhaseTimes times;
    KeptInMemory kept;
    const auto run_on = [&](Medium& medium, Stop stop) {
        GradientRun run(medium, 1, box.time(), of.plan, of.sums);
        EveryStep control;
        kept.attach(run, stop);
        run.run(
            std::vector{box.points_of(box.source_signals())},
            [&](const Wavefield& field) {
                return std::vector{box.adjoint_of(box.traces_of(field, verify::kReceivers.size()), of.sums.density)};
            },
            {times, control, {}, nullptr, {}, &kept});
        CHECK(control.last == run.steps());
        return all_images(run, of.sums);
    };
    for (std::size_t i = 0; i < stops.size(); ++i)
        CHECK_THROWS_AS(static_cast<void>(run_on(*media[i % media.size()], stops[i])), StoppedRun);
    return run_on(*media[stops.size() % media.size()], {});
}

}  // namespace onda::test
