// A run stores its model as model.storage says, or is refused with the reason; a table and "auto" give the bits of
// float, 16 bits what their change of the velocities is worth; `onda check` says how much that is.
// Takes less than a second.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "solver/plan/names.hpp"
#include "solver/plan/storage.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/run/in_memory.hpp"
#include "tests/io/files_support.hpp"
#include "tests/solver/quiet_run.hpp"
#include "tests/solver/small_run.hpp"

using namespace onda;

namespace {

Config stored_config(const std::string& text, const std::string& storage, const std::vector<std::string>& overrides) {
    std::vector<std::string> all{"backend.name=cpu", "model.storage=" + storage};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return read_config_text(text, "run.yaml", vocabulary(), all);
}

SurveyInMemory run_stored(const std::string& text, const std::string& storage,
                          const std::vector<std::string>& overrides = {}) {
    return run_quietly(stored_config(text, storage, overrides));
}

/// A model of more velocities than a table has room for.
const std::string kRough = "model={type: von_karman, vp_m_s: 2000, correlation_length_m: 60, deviation_percent: 8}";

Plan stored_plan(const std::string& text, const std::string& storage, const std::vector<std::string>& overrides = {}) {
    return make_plan(stored_config(text, storage, overrides));
}

std::string storage_refusal(const std::string& text, const std::string& storage,
                            const std::vector<std::string>& overrides = {}) {
    return message_of([&] { static_cast<void>(run_stored(text, storage, overrides)); });
}

}  // namespace

TEST_CASE("tables and auto give the bits of float") {
    for (const std::string stepping : {"single", "leap"}) {
        const std::vector<std::string> more{"time.stepping=" + stepping, "output.snapshots={times_s: [0.1]}"};
        const SurveyInMemory full = run_stored(kSmall2d, "float", more);
        for (const std::string storage : {"table", "auto"}) {
            CAPTURE(storage);
            const SurveyInMemory coded = run_stored(kSmall2d, storage, more);
            CHECK(coded.plan->setup.medium.storage == Storage::table);
            REQUIRE(coded.shots.size() == full.shots.size());
            for (std::size_t i = 0; i < full.shots.size(); ++i)
                CHECK(coded.shots[i].gather.pressure == full.shots[i].gather.pressure);
            REQUIRE(!full.shots[0].frames.values.empty());
            CHECK(coded.shots[0].frames.values == full.shots[0].frames.values);
        }
    }
    CHECK(run_stored(kSmall3d, "auto", {kRough, "model.storage=auto"}).plan->setup.medium.storage == Storage::full);
    CHECK(run_stored(kSmall2d, "auto", {"scheme.precision=double"}).plan->setup.medium.storage == Storage::full);
    CHECK(run_stored(kSmall2d, "auto", {"backend.kernel=inplane-full"}).plan->setup.medium.storage == Storage::full);
    CHECK(run_stored(kSmall2d, "float").plan->setup.medium.storage == Storage::full);
}

TEST_CASE("16 bits change seismograms by no more than the change of travel times is worth") {
    const SurveyInMemory full = run_stored(kSmall3d, "float"), coded = run_stored(kSmall3d, "16bit");
    const StorageChange change = change_of_storage(coded.plan->experiment(), coded.plan->computation());
    CHECK(coded.plan->setup.medium.storage == Storage::codes);
    CHECK(change.of_velocity > 0.);
    CHECK(change.of_velocity < 2e-5);
    CHECK(change.travel_time_periods < 1e-3);
    const double apart = largest_difference(coded.shots[0].gather.pressure, full.shots[0].gather.pressure);
    CHECK(apart > 0.);
    CHECK(apart < 2. * 3.14159 * change.travel_time_periods);
}

TEST_CASE("check says what 16 bits change") {
    const Plan plan = stored_plan(kSmall3d, "16bit");
    CHECK(contains(describe(plan), "storage   in 16 bits: changes velocities by at most 0.0"));
    const nlohmann::ordered_json json = storage_json(plan, plan);
    CHECK(json["model"] == "16bit");
    CHECK(json["bytes_per_node"] == 2);
    CHECK(json["largest_change"]["velocity_percent"] > 0.);
    CHECK(json["largest_change"]["travel_time_periods"] > 0.);
    CHECK(contains(describe(stored_plan(kSmall2d, "table")), "storage   as a table: exact"));
    CHECK(contains(describe(stored_plan(kSmall2d, "auto")), "storage   as a table if the model has no more than 255"));
    const Plan as_numbers = stored_plan(kSmall2d, "float");
    CHECK(storage_json(as_numbers, as_numbers)["bytes_per_node"] == 4);
}

TEST_CASE("what cannot be stored is refused by name") {
    CHECK(contains(storage_refusal(kSmall3d, "table", {kRough, "model.storage=table"}),
                   "model.storage = table: the model has more than 255 different velocities"));
    CHECK(contains(storage_refusal(kSmall3d, "16bit", {"scheme.precision=double"}),
                   "model.storage = 16bit: is not available in double precision"));
    CHECK(contains(storage_refusal(kSmall3d, "table", {"scheme.stencil=compact27", "scheme.space_order=2"}),
                   "model.storage = table: is not available for the equation compact27"));
    CHECK(contains(storage_refusal(kSmall3d, "16bit", {"backend.kernel=inplane-full"}),
                   "with a model stored as codes: use auto, reference, vectorised"));
    CHECK(contains(storage_refusal(kSmall3d, "16bits"), "did you mean '16bit'"));
}
