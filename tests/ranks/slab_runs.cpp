// A run whose grid is cut into slabs gives the bits of the uncut one - every ten steps, in seismograms, in saved states
// and gradients - whatever their number, with sources and receivers on, beside and between the cuts, or is refused by
// name; planes that come late change nothing, and planes that do not come are noticed.
// Takes 16 s.
#include <chrono>
#include <doctest/doctest.h>
#include <future>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <thread>

#include "kernels/shot/layer_sources.hpp"
#include "solver/outputs/wavefield_hash.hpp"
#include "solver/plan/names.hpp"
#include "solver/plan/slab_balance.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/planning/forecast.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/propagation/propagator.hpp"
#include "solver/run/in_memory.hpp"
#include "solver/run/simulation.hpp"
#include "solver/tasks/gradient_task.hpp"
#include "tests/io/files_support.hpp"
#include "tests/kernels/state.hpp"
#include "tests/ranks/imaged_run.hpp"
#include "tests/sanitized.hpp"
#include "tests/solver/quiet_run.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;
using namespace onda::test;

namespace {

const std::vector<int> kCounts{1, 2, 3, 5, 7};

using Overrides = std::vector<std::string>;

Plan slab_plan(const std::string& text, const Overrides& overrides = {}) {
    return make_plan(config_with_threads(2, text, overrides));
}

Overrides with(Overrides overrides, const std::string& more) {
    overrides.push_back(more);
    return overrides;
}

SurveyInMemory run_in_slabs(const std::string& text, const Overrides& overrides, const TaskRow* task = nullptr) {
    return run_quietly(config_with_threads(2, text, overrides), task);
}

void check_same(const SurveyInMemory& cut, const SurveyInMemory& whole) {
    REQUIRE(cut.shots.size() == whole.shots.size());
    CHECK(cut.facts.identity == whole.facts.identity);
    for (std::size_t i = 0; i < whole.shots.size(); ++i) {
        CHECK(cut.facts.shots[i].seismograms == whole.facts.shots[i].seismograms);
        CHECK(cut.facts.shots[i].wavefield == whole.facts.shots[i].wavefield);
        CHECK(cut.facts.shots[i].largest_observed_pressure == whole.facts.shots[i].largest_observed_pressure);
        CHECK(cut.shots[i].gather.pressure == whole.shots[i].gather.pressure);
        CHECK(cut.shots[i].frames.values == whole.shots[i].frames.values);
    }
}

void check_equal(const ShotImages& cut, const ShotImages& whole) {
    REQUIRE(std::ranges::any_of(whole.gradient_vp, [](float value) { return value != 0.f; }));
    CHECK(cut.gradient_vp == whole.gradient_vp);
    CHECK(cut.gradient_rho == whole.gradient_rho);
    CHECK(cut.illumination_source == whole.illumination_source);
    CHECK(cut.illumination_receiver == whole.illumination_receiver);
    CHECK(cut.misfit_of_trace == whole.misfit_of_trace);
}

/// Runs of every number of slabs that fits. \returns how many were compared.
int compare_slabs(const Overrides& overrides, const std::vector<int>& counts = kCounts) {
    const SurveyInMemory whole = run_in_slabs(kTall, overrides);
    REQUIRE(whole.plan->placement.slabs.size() == 1);
    REQUIRE(whole.facts.largest_observed_pressure > 0.);
    int compared = 0;
    for (const int count : counts) {
        if (count > most_slabs(whole.plan->setup)) continue;
        CAPTURE(count);
        const SurveyInMemory cut = run_in_slabs(kTall, with(overrides, "backend.slabs=" + std::to_string(count)));
        CHECK(cut.plan->placement.slabs.size() == static_cast<std::size_t>(count));
        check_same(cut, whole);
        ++compared;
    }
    return compared;
}

std::string slab_refusal(const std::string& text, const Overrides& overrides) {
    return message_of([&] { static_cast<void>(slab_plan(text, overrides)); });
}

/// A shot on a wavefield of its own, with an exchange of the caller's choice.
class Shooting {
public:
    explicit Shooting(const Overrides& overrides, const MakeExchange& make_exchange = make_local_exchange) {
        const Config config = config_with_threads(2, kTall, overrides);
        Plan draft = make_plan(config);
        const Model model = make_model(config.model, draft.setup.scheme.equation, draft.domain.grid, config.origin);
        plan = refine(std::move(draft), model);
        wavefield =
            make_medium(plan, medium_readers(model, plan.domain.computed, plan.domain.part), nullptr, make_exchange)
                ->make_wavefield();
        const Shot shot = plan.survey.shots[0];
        const Grid& grid = plan.setup.grid;
        const Sources plain = make_sources(shot, plan.survey, grid, plan.boundary.halos, plan.time);
        sources = with_filters_of_strips(wavefield->medium(), plain, plan.time.steps + 1);
        wavefield->set_sources(0, sources);
        wavefield->set_receivers(0,
                                 point_weights(shot.receivers.list(), grid, plan.boundary.halos, PointKind::receiver),
                                 plan.time.recorded_samples());
        wavefield->record(0);
    }
    /// The hash of p[n] after every ten of the steps up to `end`.
    std::vector<std::string> advance(std::int64_t end) {
        std::vector<std::string> hashes;
        for (; step < end; step += 10) {
            wavefield->advance(step, 10);
            hashes.push_back(fingerprint_wavefield(*wavefield, plan.domain.computed.inner(), 0));
        }
        return hashes;
    }

    Plan plan;
    Sources sources;  ///< as the wavefield has them
    std::unique_ptr<Wavefield> wavefield;
    std::int64_t step = 0;
};

/// Fills the planes beyond cuts with NaN, and brings those that belong there at some time before they are waited for.
/// The planes of step `lost` never arrive.
class UnsteadyExchange final : public Exchange {
public:
    UnsteadyExchange(std::vector<Wavefield*> slabs, std::int64_t lost)
        : slabs_(std::move(slabs)),
          halo_(slabs_[0]->problem().scheme.halo()),
          lost_(lost),
          exchange_(make_local_exchange(slabs_)) {
        const std::vector<double> nan(static_cast<std::size_t>(slabs_[0]->medium().setup().grid.points()),
                                      std::numeric_limits<double>::quiet_NaN());
        poison_ = make_wavefield();
        poison_->upload(nan, nan);
    }
    void post() override {
        for (std::size_t i = 0; i < slabs_.size(); ++i) {
            if (i > 0) slabs_[i]->fields().copy_planes(poison_->fields(), 0, -halo_, halo_);
            if (i + 1 < slabs_.size())
                slabs_[i]->fields().copy_planes(poison_->fields(), 0, slabs_[i]->medium().setup().grid.nz(), halo_);
        }
        const bool is_lost = step_++ == lost_;
        const auto delay = std::chrono::microseconds(std::uniform_int_distribution(0, 2000)(random_));
        under_way_ = std::async(std::launch::async, [this, delay, is_lost] {
            std::this_thread::sleep_for(delay);
            if (!is_lost) exchange_->post();
        });
    }
    void wait() override {
        under_way_.get();
        exchange_->wait();
    }

private:
    [[nodiscard]] std::unique_ptr<Wavefield> make_wavefield() const {
        return std::const_pointer_cast<Medium>(slabs_[0]->medium().shared_from_this())->make_wavefield();
    }

    std::vector<Wavefield*> slabs_;
    std::int64_t halo_, lost_, step_ = 0;
    std::unique_ptr<Exchange> exchange_;
    std::unique_ptr<Wavefield> poison_;
    std::future<void> under_way_;
    std::minstd_rand random_{1};
};

MakeExchange unsteady(std::int64_t lost = -1) {
    return [lost](std::vector<Wavefield*> slabs) -> std::unique_ptr<Exchange> {
        return std::make_unique<UnsteadyExchange>(std::move(slabs), lost);
    };
}

}  // namespace

TEST_CASE("runs of 1, 2, 3, 5 and 7 slabs have the bits of the uncut grid, at every order") {
    for (const int order : kSanitized ? std::vector{8} : std::vector{2, 4, 6, 8, 10, 12, 14, 16}) {
        CAPTURE(order);
        CHECK(compare_slabs({"scheme.space_order=" + std::to_string(order)}) >= (order <= 8 ? 5 : 3));
    }
}

TEST_CASE("with every kind of face, equation, precision and storage") {
    std::vector<Overrides> cases = kTallKinds;
    cases.insert(
        cases.end(),
        {
            {"time.stepping=leap",
             "boundary={x_min: zero, x_max: zero, y_min: zero, y_max: zero, z_min: zero, z_max: zero}",
             "model.storage=16bit"},
            {"time.stepping=leap",
             "boundary={x_min: sponge, x_max: sponge, y_min: sponge, y_max: rigid, z_min: sponge, z_max: sponge}",
             "boundary.sponge_width=5"},
            {"time.stepping=leap", "scheme.space_order=2"},
            {"time.order=4", "boundary.top=free_surface"},
            {"time.order=4", "scheme.space_order=12"},
            {"survey.limit_m=40", "boundary.placement=outside"},
        });
    for (const Overrides& overrides : cases) {
        CAPTURE(overrides.front());
        CHECK(compare_slabs(overrides, kSanitized ? std::vector{3} : std::vector{2, 3, 5}) >= (kSanitized ? 1 : 2));
    }
}

TEST_CASE("with a source and a receiver on, beside and between the planes of a cut") {
    for (const double planes : {-5., -4.5, -4., -3., -2., -1., -0.5, 0., 0.3, 1., 2., 3., 4., 4.5, 5.}) {
        if (kSanitized && planes != 0.3) continue;
        const std::string z = std::to_string(530. + 10. * planes);
        CAPTURE(planes);
        compare_slabs({"sources=[{position_m: [83, 71, " + z + "]}]", "receivers=[{position_m: [72, 76, " + z + "]}]",
                       "time.duration_s=0.03"},
                      {2});
    }
}

TEST_CASE("with receivers in the silence ahead of the wave") {
    const std::string still = R"(schema_version: 1
grid: {shape: [9, 9, 101], spacing_m: 10}
model: {type: constant, vp_m_s: 2500}
time: {duration_s: 0.1}
boundary: {z_min: free_surface, cpml_width: 5}
wavelet: {type: ricker, peak_frequency_hz: 12}
sources: [{position_m: [43, 41, 122]}]
receivers: [{type: line, first_m: [35, 35, 500], last_m: [35, 35, 990], count: 99}]
)";
    for (const Overrides& overrides :
         std::vector<Overrides>{{},
                                {"scheme.space_order=2"},
                                {"scheme.stencil=compact27", "scheme.space_order=2"},
                                {"model={type: layered, layers: [{top_m: 0, vp_m_s: 2500, rho_kg_m3: 1000}, "
                                 "{top_m: 600, vp_m_s: 2500, rho_kg_m3: 1800}]}"},
                                {"model.storage=16bit"},
                                {"time.stepping=leap"},
                                {"time.order=4"},
                                {"scheme.precision=double"}}) {
        CAPTURE(overrides);
        const SurveyInMemory whole = run_in_slabs(still, overrides);
        for (const char* const cut : {"backend.slabs=2", "backend.slabs=5", "backend.split=[80, 26]"})
            check_same(run_in_slabs(still, with(overrides, cut)), whole);
    }
}

TEST_CASE("with slabs of the planes that the configuration lists") {
    const SurveyInMemory whole = run_in_slabs(kTall, {});
    for (const char* const split : {"[13, 94]", "[94, 13]", "[14, 4, 4, 72, 13]"}) {
        CAPTURE(split);
        check_same(run_in_slabs(kTall, {"backend.split=" + std::string(split)}), whole);
    }
    // Beyond a wall there are images of as many planes as the operator reaches, but for that of the wall.
    const Overrides wall{"boundary.top=rigid", "sources[0].position_m=[83, 71, 27]"};
    check_same(run_in_slabs(kTall, with(wall, "backend.split=[5, 102]")), run_in_slabs(kTall, wall));
    CHECK(contains(slab_refusal(kTall, with(wall, "backend.split=[4, 103]")), "a slab of 4 planes: here it needs 5"));
}

TEST_CASE("batches and resumed surveys, on other numbers of slabs than before") {
    const Overrides shots{
        "sources=[{position_m: [83, 71, 527]}, {position_m: [80, 70, 300]}, {position_m: [60, 70, 20]}]"};
    const SurveyInMemory whole = run_in_slabs(kTall, shots);
    check_same(run_in_slabs(kTall, with(with(shots, "backend.slabs=3"), "backend.batch=2")), whole);
    const TemporaryFolder folder;
    Log log([](Log::Level, const std::string&) {});
    RunOptions options{folder.path() / "out", false, "test"};
    options.shots = ShotSelection("2");
    static_cast<void>(run_simulation(config_with_threads(2, kTall, with(shots, "backend.slabs=3")), options, log));
    options.shots = {};
    const RunFacts facts = run_simulation(config_with_threads(2, kTall, with(shots, "backend.slabs=5")), options, log);
    REQUIRE(facts.shots.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(facts.shots[i].wavefield == whole.facts.shots[i].wavefield);
        CHECK(facts.shots[i].seismograms == whole.facts.shots[i].seismograms);
    }
}

TEST_CASE("gradients and images have the bits of the uncut grid, however the forward field is kept") {
    const TemporaryFolder folder;
    const std::string observed =
        observe_tall_run(folder.path(), [](const Overrides& wanted) { return config_with_threads(2, kTall, wanted); });
    const auto imaged = [&](Overrides overrides, const Overrides& more, const TaskRow& task) {
        for (const Overrides* list : {&kFewSteps, &more}) overrides.insert(overrides.end(), list->begin(), list->end());
        return run_in_slabs(kTall, with(std::move(overrides), observed), &task);
    };
    const auto gradient = [&](const Overrides& overrides, const Overrides& more) {
        return imaged(overrides, more, kGradientTask);
    };
    const Overrides two{"backend.slabs=2", "backend.batch=2"}, three{"backend.slabs=3", "imaging.storage=checkpoints"};
    const std::vector<std::vector<Overrides>> cuts{{two, three}, {three}, {two}, {three}};
    const std::vector<Overrides> kinds = imaged_kinds();
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        CAPTURE(kinds[kind].front());
        const SurveyInMemory whole = gradient(kinds[kind], {});
        for (const Overrides& cut : cuts[kind]) {
            CAPTURE(cut.front());
            const SurveyInMemory found = gradient(kinds[kind], cut);
            check_same(found, whole);
            for (std::size_t i = 0; i < whole.shots.size(); ++i)
                check_equal(found.shots[i].images, whole.shots[i].images);
        }
    }
    const Overrides ring{"imaging.storage=ring"};
    const SurveyInMemory rebuilt = gradient(kinds[2], ring), cut = gradient(kinds[2], with(ring, "backend.slabs=2"));
    for (std::size_t i = 0; i < rebuilt.shots.size(); ++i) check_equal(cut.shots[i].images, rebuilt.shots[i].images);
    const Overrides tomographic{"imaging.image.condition=tomographic"};
    const SurveyInMemory image = imaged(kinds[2], tomographic, kMigrationTask),
                         of_slabs = imaged(kinds[2], with(tomographic, "backend.slabs=3"), kMigrationTask);
    for (std::size_t i = 0; i < image.shots.size(); ++i) {
        REQUIRE(std::ranges::any_of(image.shots[i].images.image, [](float value) { return value != 0.F; }));
        CHECK(of_slabs.shots[i].images.image == image.shots[i].images.image);
        CHECK(of_slabs.shots[i].images.illumination_source == image.shots[i].images.illumination_source);
    }
    const Error refused = fault_of([&] {
        static_cast<void>(gradient(kinds[2], {ring[0], "imaging.ring_values=16bit", "backend.slabs=2"}));
    });
    CHECK(std::string(refused.what()).find("ring_values of 16bit on slabs") != std::string::npos);
}

TEST_CASE("slabs split by measurement take equally long, and have the bits of the uncut grid") {
    using Planes = std::vector<std::int64_t>;
    const auto slabs_of = [](const std::vector<SlabCost>& costs, Planes fewest = {4, 4, 4}) {
        Planes planes;
        for (const Slab& slab : balanced_slabs(100, fewest, costs)) {
            CHECK(slab.first_plane == std::accumulate(planes.begin(), planes.end(), std::int64_t{0}));
            planes.push_back(slab.planes);
        }
        return planes;
    };
    CHECK(slabs_of({{1., 0., 0.}, {1., 0., 0.}}) == Planes{50, 50});
    CHECK(slabs_of({{1., 0., 0.}, {3., 0., 0.}}) == Planes{75, 25});
    // The zones at the ends take as long as 8 and 16 planes.
    CHECK(slabs_of({{1., 8., 16.}, {1., 8., 16.}}) == Planes{54, 46});
    CHECK(slabs_of({{1., 11., 11.}, {1., 11., 11.}, {1., 11., 11.}}) == Planes{30, 40, 30});
    // One so slow that it has the fewest planes.
    CHECK(slabs_of({{1., 0., 0.}, {1000., 0., 0.}}) == Planes{96, 4});
    CHECK(slabs_of({{1000., 0., 0.}, {1., 0., 0.}, {1000., 0., 0.}}, {21, 4, 22}) == Planes{21, 57, 22});
    const SurveyInMemory whole = run_in_slabs(kTall, {});
    const SurveyInMemory cut = run_in_slabs(kTall, {"backend.slabs=3", "backend.split=measured"});
    CHECK(contains(cut.plan->placement.slabs_by, "split by measurement"));
    check_same(cut, whole);
    // Where thirds of the grid cannot be measured, slabs stay equal.
    Plan thick =
        slab_plan(kTall, {"backend.slabs=2", "backend.split=measured", "boundary.cpml_width=40", "boundary.left=zero",
                          "boundary.right=zero", "boundary.front=zero", "boundary.back=zero"});
    balance_slabs(thick.config.backend, thick.setup, thick.placement);
    CHECK(thick.placement.slabs[0].planes == 54);
    CHECK(thick.placement.slabs[1].planes == 53);
}

TEST_CASE("a state saved from three slabs is that of one piece, and goes on there and in five") {
    for (const Overrides& overrides : kTallStates) {
        CAPTURE(overrides);
        Shooting whole(overrides), three(with(overrides, "backend.slabs=3"));
        const std::vector<std::string> first = whole.advance(30);
        const State saved = save(*whole.wavefield);
        CHECK(three.advance(30) == first);
        CHECK(save(*three.wavefield) == saved);
        const std::vector<std::string> expected = whole.advance(60);
        for (const char* const count : {"1", "5"}) {
            CAPTURE(count);
            Shooting other(with(overrides, "backend.slabs=" + std::string(count)));
            restore(*other.wavefield, saved);
            other.step = 30;
            CHECK(other.advance(60) == expected);
            CHECK(save(*other.wavefield) == save(*whole.wavefield));
        }
    }
}

TEST_CASE("planes that come late leave every bit, and those of one step that do not come are noticed") {
    Shooting whole({});
    // Sources in layers become several rows.
    REQUIRE(whole.sources.nodes.rows() > std::ssize(whole.plan.survey.shots.sources(0)));
    const std::vector<std::string> expected = whole.advance(60);
    for (const char* const count : {"2", "3", "7"}) {
        CAPTURE(count);
        const Overrides cut{"backend.slabs=" + std::string(count)};
        CHECK(Shooting(cut, unsteady()).advance(60) == expected);
        const std::vector<std::string> lost = Shooting(cut, unsteady(34)).advance(60);
        CHECK(std::equal(lost.begin(), lost.begin() + 3, expected.begin()));
        for (std::size_t i = 3; i < lost.size(); ++i) CHECK(lost[i] != expected[i]);
    }
}

TEST_CASE("the forecast of each slab is what it takes, and plan and JSON say the slabs") {
    for (const Overrides& overrides : {Overrides{"backend.slabs=5"}, Overrides{"backend.split=[20, 67, 20]"}}) {
        const Shooting shooting(overrides);
        std::int64_t bytes = 0;
        for (const std::int64_t of_slab : slab_bytes(shooting.plan.setup, shooting.plan.placement)) bytes += of_slab;
        const std::unique_ptr<Wavefield> fresh =
            std::const_pointer_cast<Medium>(shooting.wavefield->medium().shared_from_this())->make_wavefield();
        CHECK(fresh->allocated_bytes() + fresh->medium().allocated_bytes() == bytes);
    }
    const Plan plan = slab_plan(kTall, {"backend.slabs=3"});
    CHECK(contains(describe(plan), "slabs     3 along z, of 35, 36, 36 planes, on the CPU; 4 are exchanged"));
    CHECK(slabs_json(plan.placement)["planes"] == std::vector<int>{35, 36, 36});
    CHECK(!contains(describe(slab_plan(kTall)), "slabs"));
    CHECK(contains(run_in_slabs(kTall, {"backend.slabs=3"}).facts.backend, "3 slabs"));
}

TEST_CASE("what cannot be cut is refused by name") {
    CHECK(contains(slab_refusal(kTall, {"backend.slabs=20"}),
                   "backend.slabs = 20: a slab of 5 planes: here it needs 13 at least; use fewer slabs\n"
                   "  the 107 planes of the computed grid can be cut into 8 equal slabs at most"));
    CHECK(contains(slab_refusal(kTall, {"backend.split=[103, 4]"}), "backend.split = [103, 4]: a slab of 4 planes"));
    CHECK(contains(slab_refusal(kTall, {"backend.split=[50, 50]"}), "slabs of 100 planes do not cover a grid of 107"));
    CHECK(contains(slab_refusal(kTall, {"backend.split=[50, 57]", "backend.slabs=3"}),
                   "backend.split: 2 numbers of planes for 3 slabs"));
    CHECK(contains(slab_refusal(kSmall2d, {"backend.slabs=2"}), "backend.slabs = 2: 2-D grids are not cut into slabs"));
    // Where k L is applied twice, ghosts and the shells at both ends need room.
    CHECK(contains(slab_refusal(kTall, {"backend.slabs=20", "time.stepping=leap"}), "can be cut into"));
    CHECK(contains(slab_refusal(kTall, {"backend.slabs=20", "time.order=4"}), "can be cut into"));
    CHECK(contains(slab_refusal(kTall, {"backend.slabs=all"}), "backend.slabs = all: must be auto, or an integer"));
    CHECK(contains(slab_refusal(kTall, {"backend.split=7"}),
                   "backend.split = 7: must be equal, measured, or a list of integers"));
}
