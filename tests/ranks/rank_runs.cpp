// A grid that several processes share has the bits of one that a single process computes - every ten steps, in
// seismograms, in snapshots that each of them writes, in saved states, in gradients - however late messages come; what
// is lost on the way, and what fails in another process, is noticed. Threads stand for the processes.
// Takes 9 s.
#include <doctest/doctest.h>
#include <fstream>
#include <future>
#include <iterator>
#include <thread>

#include "io/results/snapshots.hpp"
#include "io/text/error.hpp"
#include "kernels/shot/layer_sources.hpp"
#include "solver/outputs/output.hpp"
#include "solver/outputs/wavefield_hash.hpp"
#include "solver/plan/names.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/planning/make_plan.hpp"
#include "solver/propagation/devices.hpp"
#include "solver/ranks/launcher.hpp"
#include "solver/ranks/message.hpp"
#include "solver/ranks/ranks.hpp"
#include "solver/ranks/remote_part.hpp"
#include "solver/run/run_files.hpp"
#include "solver/shots/shot_table.hpp"
#include "solver/shots/workers.hpp"
#include "solver/tasks/gradient_task.hpp"
#include "tests/io/files_support.hpp"
#include "tests/kernels/silence.hpp"
#include "tests/kernels/state.hpp"
#include "tests/ranks/imaged_run.hpp"
#include "tests/ranks/thread_team.hpp"
#include "tests/sanitized.hpp"

using namespace onda;
using namespace onda::test;

namespace {

using Overrides = std::vector<std::string>;

/// Overrides for a run on so many ranks: cut into as many slabs unless they say otherwise, since the grid is too small
/// to be cut by itself.
Overrides for_ranks(Overrides overrides, int ranks) {
    const bool is_cut = std::ranges::any_of(overrides, [](const std::string& setting) {
        return setting.starts_with("backend.slabs") || setting.starts_with("backend.split");
    });
    if (!is_cut) overrides.push_back("backend.slabs=" + std::to_string(ranks));
    return overrides;
}

/// A run as one of its ranks sees it.
struct RankView {
    RankView(const Overrides& overrides, int rank, int ranks, const TaskRow* task = nullptr)
        : RankView(config_with_threads(1, kTall, overrides), rank, ranks, task) {}
    RankView(const Config& config, int rank, int ranks, const TaskRow* task = nullptr) {
        Plan draft = make_plan(config,
                               {.rank = rank,
                                .size = ranks,
                                .local_rank = rank,
                                .local_size = ranks,
                                .same_processors = ranks,
                                .is_connected = ranks > 1},
                               task);
        model = make_model(config.model, draft.setup.scheme.equation, draft.domain.grid, config.origin);
        plan = refine(std::move(draft), model);
    }
    [[nodiscard]] MediumReaders readers() const {
        return medium_readers(model, plan.domain.computed, plan.domain.part);
    }

    Model model;
    Plan plan;
};

/// A shot on a grid that so many ranks share; this thread is the first of them.
class SharedShot {
public:
    explicit SharedShot(const Overrides& wanted, int ranks = 1, int most_delay_us = 0, std::optional<int> lost = {})
        : view(for_ranks(wanted, ranks), 0, ranks), team_(mail_, 0, ranks) {
        mail_.most_delay_us = most_delay_us;
        mail_.lost = lost;
        for (int rank = 1; rank < ranks; ++rank)
            members_.push_back(std::async(std::launch::async, [this, wanted, rank, ranks] {
                const RankView own(for_ranks(wanted, ranks), rank, ranks);
                ThreadTeam team(mail_, rank, ranks);
                serve_part(team, [&own](const PartRequest& request) {
                    CHECK(request.part == own.plan.domain.part);
                    return make_own_medium(own.plan, request.slab, own.readers());
                });
            }));
        CHECK(view.plan.placement.ranks_per_grid == ranks);
        wavefield = make_medium(view.plan, view.readers(), &team_)->make_wavefield();
        const Shot shot = view.plan.survey.shots[0];
        const Grid& grid = view.plan.setup.grid;
        const FaceHalos& halos = view.plan.boundary.halos;
        const Sources plain = make_sources(shot, view.plan.survey, grid, halos, view.plan.time);
        sources = with_filters_of_strips(wavefield->medium(), plain, view.plan.time.steps + 1);
        wavefield->set_sources(0, sources);
        wavefield->set_receivers(0, point_weights(shot.receivers.list(), grid, halos, PointKind::receiver), samples());
        wavefield->record(0);
    }
    ~SharedShot() {
        wavefield.reset();
        dismiss(team_);
        for (auto& member : members_) member.get();
        CHECK(mail_.empty());
    }
    [[nodiscard]] std::int64_t samples() const { return view.plan.time.recorded_samples(); }
    /// The hash of p[n] after every ten of the steps up to `end`.
    std::vector<std::string> advance(std::int64_t end) {
        std::vector<std::string> hashes;
        for (; step < end; step += 10) {
            wavefield->advance(step, 10);
            hashes.push_back(fingerprint_wavefield(*wavefield, view.plan.domain.computed.inner(), 0));
        }
        return hashes;
    }
    [[nodiscard]] std::vector<double> traces() const {
        std::vector<double> values(static_cast<std::size_t>(view.plan.survey.shots[0].receivers.list().size()) *
                                   static_cast<std::size_t>(samples()));
        wavefield->download_traces(std::span(values));
        return values;
    }

    RankView view;
    Sources sources;  ///< as the wavefield has them
    std::unique_ptr<Wavefield> wavefield;
    std::int64_t step = 0;

private:
    Mailboxes mail_;
    ThreadTeam team_;
    std::vector<std::future<void>> members_;
};

/// Nobody watches.
struct Untold : Progress {
    void begin(std::int64_t, std::int64_t) override {}
    void update(std::int64_t, std::int64_t, std::int64_t, double, double) override {}
    void clear() override {}
};

void compare_ranks(const Overrides& overrides, const std::vector<int>& counts, std::int64_t steps = 30) {
    SharedShot whole(overrides);
    const std::vector<std::string> expected = whole.advance(steps);
    const std::vector<double> traces = whole.traces();
    REQUIRE(std::ranges::any_of(traces, [](double value) { return value != 0.; }));
    for (const int ranks : counts) {
        CAPTURE(ranks);
        SharedShot shared(overrides, ranks);
        CHECK(shared.advance(steps) == expected);
        CHECK(shared.traces() == traces);
        CHECK(shared.wavefield->extremum().max_abs == whole.wavefield->extremum().max_abs);
        CHECK(shared.wavefield->extremum().node == whole.wavefield->extremum().node);
    }
}

}  // namespace

TEST_CASE("2, 3 and 5 ranks have the bits of one, at every order") {
    for (const int order : kSanitized ? std::vector{8} : std::vector{2, 4, 8, 12, 16}) {
        CAPTURE(order);
        compare_ranks({"scheme.space_order=" + std::to_string(order)},
                      order > 8 ? std::vector{2, 3} : std::vector{2, 3, 5});
    }
}

TEST_CASE("with every kind of face, equation, precision and storage, and with more slabs than ranks") {
    std::vector<Overrides> cases = kTallKinds;
    cases.insert(cases.end(),
                 {{"time.stepping=leap", "backend.slabs=4"}, {"backend.slabs=5"}, {"backend.split=[20, 30, 20, 37]"}});
    for (const Overrides& overrides : cases) {
        CAPTURE(overrides.front());
        compare_ranks(overrides, kSanitized ? std::vector{2} : std::vector{2, 3});
    }
}

TEST_CASE("in the silence ahead of a wave ranks have the bits of one") {
    if (kSanitized) return;  // the code of the case above with other numbers, which sanitizers do not look at
    for (Overrides overrides : kTallKinds) {
        CAPTURE(overrides.front());
        const bool is_double = std::ranges::count(overrides, "scheme.precision=double") > 0;
        std::int64_t seen = 0;
        for (const char* const amplitude : {"1e-4", "1e-14", "1e-24"}) {
            CAPTURE(amplitude);
            overrides.push_back("sources=[{position_m: [83, 71, 327], amplitude: " + std::string(amplitude) + "}]");
            SharedShot whole(overrides), shared(overrides, 2);
            CHECK(shared.advance(30) == whole.advance(30));
            CHECK(shared.traces() == whole.traces());
            seen += faint(whole.traces(), whole.view.plan.setup.precision);
            overrides.pop_back();
        }
        if (!is_double) CHECK(seen > 0);
    }
}

TEST_CASE("planes that come late leave every bit, and those of one step that get lost are noticed") {
    SharedShot whole({});
    // Sources in layers become several rows.
    REQUIRE(whole.sources.nodes.rows() > std::ssize(whole.view.plan.survey.shots.sources(0)));
    const std::vector<std::string> expected = whole.advance(60);
    for (const int ranks : {2, 3}) {
        CAPTURE(ranks);
        CHECK(SharedShot({}, ranks, 2000).advance(60) == expected);
        const std::vector<std::string> lost = SharedShot({}, ranks, 0, 34).advance(60);
        CHECK(std::equal(lost.begin(), lost.begin() + 3, expected.begin()));
        for (std::size_t i = 3; i < lost.size(); ++i) CHECK(lost[i] != expected[i]);
    }
}

TEST_CASE("a state saved on three ranks is that of one, and goes on on one and on five") {
    for (const Overrides& overrides : kTallStates) {
        CAPTURE(overrides);
        SharedShot whole(overrides), three(overrides, 3);
        const std::vector<std::string> first = whole.advance(30);
        const State saved = save(*whole.wavefield);
        CHECK(three.advance(30) == first);
        CHECK(save(*three.wavefield) == saved);
        const std::vector<std::string> expected = whole.advance(60);
        for (const int ranks : {1, 5}) {
            SharedShot other(overrides, ranks);
            restore(*other.wavefield, saved);
            other.step = 30;
            CHECK(other.advance(60) == expected);
            CHECK(save(*other.wavefield) == save(*whole.wavefield));
        }
    }
}

TEST_CASE("a state moves between ranks with several slabs each, and values uploaded come back") {
    const Overrides leaps{"time.stepping=leap", "scheme.space_order=4"};
    const auto in_slabs = [&leaps](const char* slabs) {
        Overrides overrides = leaps;
        overrides.push_back("backend.slabs=" + std::string(slabs));
        return overrides;
    };
    SharedShot four(in_slabs("4"), 2), three(in_slabs("6"), 3);
    four.advance(30);
    restore(*three.wavefield, save(*four.wavefield));
    three.step = 30;
    CHECK(three.advance(60) == four.advance(60));
    const Window all = Window::whole(three.view.plan.setup.grid);
    std::vector<double> p(static_cast<std::size_t>(all.points())), p_previous(p), back(p);
    for (std::size_t i = 0; i < p.size(); ++i) {
        p[i] = static_cast<double>(i % 1000);
        p_previous[i] = -p[i];
    }
    three.wavefield->upload(p, p_previous);
    three.wavefield->download(all, std::span(back), 0);
    CHECK(back == p);
    three.wavefield->fields().download(all, std::span(back), 0, kPreviousLevel);
    CHECK(back == p_previous);
}

namespace {

/// The files of a survey's shots, by as many ranks, and in `results`, if it is named, those of the survey.
/// \returns the table's lines.
std::vector<ShotRecord> shoot(const Overrides& wanted, int ranks, const std::filesystem::path& folder,
                              const std::filesystem::path& results = {}, const TaskRow* task = nullptr) {
    Mailboxes mail;
    Overrides overrides = for_ranks(wanted, ranks);
    overrides.insert(overrides.end(), {"output.pictures=false", "output.report=false"});
    std::vector<std::future<void>> members;
    for (int rank = 1; rank < ranks; ++rank)
        members.push_back(std::async(std::launch::async, [&mail, overrides, rank, ranks, task] {
            const RankView own(overrides, rank, ranks, task);
            ThreadTeam team(mail, rank, ranks);
            serve_part(team, [&own](const PartRequest& request) {
                const Plan of_part = plan_of_part(own.plan, request.part);
                return make_own_medium(of_part, request.slab,
                                       medium_readers(own.model, of_part.domain.computed, of_part.domain.part));
            });
        }));
    ThreadTeam team(mail, 0, ranks);
    const auto end = [&] {
        dismiss(team);
        for (auto& member : members) member.get();
    };
    RankView first(overrides, 0, ranks, task);
    const RunOutputs outputs(first.plan, first.model);
    std::filesystem::create_directories(folder);
    ShotTable::create(folder / "shots.csv", first.plan.survey.shots);
    ShotTable table(folder / "shots.csv");
    try {
        Workers workers(first.plan, std::make_shared<const Model>(std::move(first.model)), ranks > 1 ? &team : nullptr);
        const ShotFiles files(outputs, folder, {});
        PhaseTimes times;
        Untold untold;
        static_cast<void>(workers.run({files, table, times, untold}, {}, SurveyRun::Clock::time_point::max()));
        for (const ShotRecord& record : table.all_finished())
            CHECK_FALSE(files.fault_of(record, LookAt::contents).has_value());
        if (!results.empty()) {
            std::filesystem::create_directories(results);
            const std::vector<ShotRecord> shots = table.all_finished();
            const Provenance none;
            for (AtomicFile& file : outputs.assemble(
                     {first.plan, shots, folder, results, none, false, assembly_of(first.plan, first.plan.placement)}))
                file.rename();
        }
    } catch (...) {
        end();
        throw;
    }
    end();
    CHECK(mail.empty());
    return table.all_finished();
}

std::vector<std::string> names_in(const std::filesystem::path& folder, const std::string& part) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (contains(entry.path().filename().string(), part)) names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

const std::string kFile = "00001.snapshots.h5";

std::string part(int number) {
    return "00001.snapshots.part_" + std::to_string(number) + ".h5";
}

}  // namespace

TEST_CASE("each rank writes the snapshots of its slabs, which read as those of one") {
    struct Case {
        Overrides overrides;
        int ranks;
        std::vector<std::string> parts;
    };
    // Two ranks are cut between planes 52 and 53, at 520 and 530 m; three have planes 35 to 70 in the middle.
    const std::string low = "output.snapshots.window_min_m=", high = "output.snapshots.window_max_m=",
                      step = "output.snapshots.decimation=";
    const std::vector<Case> cases{
        {{step + "[1, 2, 3]"}, 2, {part(1), part(2)}},
        {{step + "[2, 3, 4]"}, 3, {part(1), part(2), part(3)}},
        {{step + "[1, 1, 5]", "backend.slabs=7"}, 5, {part(1), part(2), part(3), part(4), part(5)}},
        {{low + "[20, 30, 490]", high + "[120, 130, 560]", step + "[1, 1, 3]"}, 2, {part(1), part(2)}},
        {{low + "[0, 0, 500]", high + "[160, 140, 520]"}, 2, {}},
        {{low + "[0, 0, 500]", high + "[160, 140, 530]"}, 2, {part(1), part(2)}},
        {{low + "[0, 0, 530]"}, 2, {part(1)}},
        {{low + "[0, 0, 400]", high + "[160, 140, 600]"}, 3, {part(1)}},
        {{low + "[0, 0, 20]", high + "[160, 140, 1000]", step + "[1, 1, 49]"}, 5, {part(1), part(2), part(3)}},
        {{"scheme.precision=double", "boundary.placement=outside"}, 3, {part(1), part(2), part(3)}},
        {{"time.stepping=leap"}, 2, {part(1), part(2)}},
    };
    for (const Case& each : cases) {
        CAPTURE(each.overrides.front());
        CAPTURE(each.ranks);
        const TemporaryFolder folder;
        const auto one = folder.path() / "one", shared = folder.path() / "shared";
        const auto expected = shoot(each.overrides, 1, one), found = shoot(each.overrides, each.ranks, shared);
        REQUIRE(found.size() == 1);
        CHECK(found[0].wavefield == expected[0].wavefield);
        CHECK(names_in(shared, ".part_") == each.parts);
        CHECK(names_in(one, ".part_").empty());
        const ShotFrames of_one = read_frames(one / kFile, 1), of_all = read_frames(shared / kFile, 1);
        CHECK(of_all.times_s == of_one.times_s);
        CHECK(of_all.values == of_one.values);
        CHECK(std::ranges::any_of(of_one.values, [](float value) { return value != 0.f; }));
    }
}

TEST_CASE("so do those of shots with apertures, and of several shots in a batch") {
    const Overrides shots{"sources=[{type: line, first_m: [40, 70, 500], last_m: [120, 70, 500], count: 3}]",
                          "receivers=[{type: point, position_m: [80, 70, 530]}]", "boundary.placement=outside"};
    for (const std::string more : {"survey.limit_m=20", "backend.batch=2"}) {
        CAPTURE(more);
        Overrides all = shots;
        all.push_back(more);
        const TemporaryFolder folder;
        const auto one = folder.path() / "one", shared = folder.path() / "shared";
        static_cast<void>(shoot(all, 1, one));
        const auto found = shoot(all, 3, shared);
        REQUIRE(found.size() == 3);
        CHECK(names_in(shared, ".part_").size() == 9);
        for (const ShotRecord& record : found) {
            const std::string& name = record.files[1].name;
            CHECK(read_frames(shared / name, record.shot).values == read_frames(one / name, record.shot).values);
        }
    }
}

TEST_CASE("SEG-Y and SU of a survey that ranks share are those of one") {
    const Overrides survey{"sources=[{type: line, first_m: [40, 70, 500], last_m: [120, 70, 500], count: 3}]",
                           "output.seismograms={segy: ibm, su: true, dt_s: 0.001}"};
    const TemporaryFolder folder;
    const auto bytes_of = [&](const std::string& name, int ranks) {
        static_cast<void>(shoot(survey, ranks, folder.path() / (name + " shots"), folder.path() / name));
        std::string bytes;
        for (const char* file : {"seismograms.segy", "seismograms.su"}) bytes += text_of(folder.path() / name / file);
        return bytes;
    };
    const std::string expected = bytes_of("one", 1);
    CHECK(expected.size() > 3600 + 2 * 3 * 18 * 240);
    CHECK(bytes_of("three", 3) == expected);
}

TEST_CASE("gradients on a grid that ranks share are those of one, bit for bit") {
    const TemporaryFolder folder;
    const std::string observed =
        observe_tall_run(folder.path(), [](const Overrides& wanted) { return config_with_threads(1, kTall, wanted); });
    int number = 0;
    const auto files_of = [&](Overrides overrides, int ranks, const Overrides& more = {}) {
        for (const Overrides* list : {&kFewSteps, &more}) overrides.insert(overrides.end(), list->begin(), list->end());
        overrides.push_back(observed);
        std::vector<std::vector<FileRecord>> files;
        for (const ShotRecord& record :
             shoot(overrides, ranks, folder.path() / std::to_string(++number), {}, &kGradientTask))
            files.push_back(record.files);
        CHECK(files.size() == 2);
        return files;
    };
    const std::vector<Overrides> kinds = imaged_kinds();
    const std::vector<std::pair<int, Overrides>> ways{{2, {"backend.batch=2", "imaging.storage=checkpoints"}},
                                                      {3, {"backend.slabs=5"}},
                                                      {2, {"survey.limit_m=60"}},
                                                      {3, {"imaging.storage=checkpoints"}}};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        CAPTURE(kinds[i].front());
        const auto& [ranks, more] = ways[i];
        const auto expected = files_of(kinds[i], 1, i == 2 ? more : Overrides{});
        CHECK(std::ranges::any_of(expected.front(), [](const auto& file) { return contains(file.name, "gradient"); }));
        CHECK(files_of(kinds[i], ranks, more) == expected);
    }
    CHECK(contains(message_of([&] { static_cast<void>(files_of(kinds[2], 2, {"imaging.storage=ring"})); }),
                   "ring: no field with slabs of several processes is rebuilt: use full or checkpoints"));
}

TEST_CASE("a part that a member cannot write ends the run, with its number and file; another cut leaves none behind") {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.path() / part(2));
    const std::string why =
        message_of([&] { static_cast<void>(shoot({}, 3, folder.path())); }, ExitCode::cannot_create);
    CHECK(contains(why, "rank 1 of this grid: "));
    CHECK(contains(why, part(2) + ": exists and is a folder"));
    CHECK_FALSE(std::filesystem::exists(folder.path() / kFile));
    std::filesystem::remove(folder.path() / part(2));
    CHECK(names_in(folder.path(), ".partial-").empty());
    static_cast<void>(shoot({}, 3, folder.path()));
    CHECK(names_in(folder.path(), ".part_") == std::vector{part(1), part(2), part(3)});
    const ShotFrames of_three = read_frames(folder.path() / kFile, 1);
    static_cast<void>(shoot({}, 2, folder.path()));
    CHECK(names_in(folder.path(), ".part_") == std::vector{part(1), part(2)});
    static_cast<void>(shoot({}, 1, folder.path()));
    CHECK(names_in(folder.path(), ".part_").empty());
    CHECK(read_frames(folder.path() / kFile, 1).values == of_three.values);
}

TEST_CASE("files of parts are known by their names") {
    CHECK(part_file_name("unfinished/00012.snapshots.h5", 3) == "00012.snapshots.part_3.h5");
    CHECK(is_shot_file_name("00012.snapshots.part_13.h5"));
    CHECK(is_result_name("snapshots.part_2.h5"));
    for (const char* const other :
         {"00012.snapshots.part_0.h5", "00012.snapshots.part_.h5", "00012.snapshots.part_1a.h5",
          "00012.seismograms.part_1.h5", "00012.snapshots.part_1.h"})
        CHECK_FALSE(is_shot_file_name(other));
    CHECK_FALSE(is_result_name("snapshots.part_02.h5"));
    CHECK_FALSE(is_result_name("snapshots.parts.h5"));
}

TEST_CASE("what another rank cannot do is told by the first one, and the rank goes on serving") {
    Mailboxes mail;
    const Overrides overrides{"backend.slabs=2"};
    std::future<void> member = std::async(std::launch::async, [&mail, overrides] {
        ThreadTeam team(mail, 1, 2);
        int asked = 0;
        const RankView own(overrides, 1, 2);
        serve_part(team, [&](const PartRequest& request) {
            if (++asked == 1) throw Error(ExitCode::out_of_memory, "no room for the slab");
            return make_own_medium(own.plan, request.slab, own.readers());
        });
    });
    ThreadTeam team(mail, 0, 2);
    const RankView first(overrides, 0, 2);
    const auto make = [&] { return make_medium(first.plan, first.readers(), &team); };
    CHECK(message_of([&] { static_cast<void>(make()); }, ExitCode::out_of_memory) ==
          "rank 1 of this grid: no room for the slab");
    CHECK(contains(make()->description(), "2 slabs"));
    dismiss(team);
    member.get();
}

TEST_CASE("the first rank chooses the slabs; a survey with faults is told of as on one rank") {
    RankPlace place{.rank = 1, .size = 2, .local_rank = 1, .local_size = 2, .is_connected = true};
    CHECK(contains(message_of([&] {
                       static_cast<void>(
                           make_plan(config_with_threads(1, kTall, {"sources=[{position_m: [83, 71, 9999]}]"}), place));
                   }),
                   "sources[0].position_m"));
    place.slabs_of_first = {{0, 60}, {60, 47}};
    place.ranks_per_grid = 2;
    const Plan plan = make_plan(config_with_threads(1, kTall, {}), place);
    CHECK(plan.placement.slabs_by == "the first process");
    CHECK(plan.placement.slabs[0].planes == 60);
    CHECK(own_slabs(plan.placement).first == 1);
}

TEST_CASE("ranks take a share of the slabs, and each its own memory") {
    const RankView alone(Overrides{}, 0, 1);
    CHECK(alone.plan.placement.slabs.size() == 1);
    for (int rank = 0; rank < 3; ++rank) {
        const RankView view({"backend.slabs=7"}, rank, 3);
        CHECK(view.plan.placement.slabs.size() == 7);
        CHECK(view.plan.placement.ranks_per_grid == 3);
        const SlabRange own = own_slabs(view.plan.placement);
        CHECK(own.first == static_cast<std::size_t>(rank * 7 / 3));
        CHECK(own.count == static_cast<std::size_t>((rank + 1) * 7 / 3 - rank * 7 / 3));
        CHECK(view.plan.placement.workers == std::vector<std::vector<int>>{std::vector<int>(own.count, 0)});
    }
    // As many shots as ranks: each has a grid to itself.
    const RankView shots({"sources[1].shot=2"}, 1, 2);
    CHECK(shots.plan.placement.slabs.size() == 1);
    CHECK(shots.plan.placement.ranks_per_grid == 1);
    // Two of five have a grid, and so have two others.
    const RankView groups({"backend.slabs=2"}, 4, 5);
    CHECK(groups.plan.placement.ranks_per_grid == 2);
    CHECK(contains(describe(groups.plan),
                   "ranks     5, 2 for each grid, which draw shots from one queue; 1 of them has "
                   "nothing to do"));
}

TEST_CASE("ranks that say the same are peers") {
    const std::vector<std::string> said{"0,1", "", "0,1", "2,3", "0,1", "2,3"};
    const auto peers = [&](int rank) {
        const Peers found = peers_of(said, rank);
        return std::pair(found.rank, found.size);
    };
    CHECK(peers(0) == std::pair(0, 3));
    CHECK(peers(1) == std::pair(0, 1));
    CHECK(peers(3) == std::pair(0, 2));
    CHECK(peers(4) == std::pair(2, 3));
    CHECK(peers(5) == std::pair(1, 2));
    CHECK(devices_seen("cpu").empty());
}

TEST_CASE("messages hold what was put into them, and end where they end") {
    const std::vector<std::vector<double>> signals{{1., 2.}, {}, {3.}};
    Outgoing out;
    out.put(7).put(std::string("text")).put(signals).put(std::vector<std::int64_t>{}).put(true);
    Incoming in({out.bytes().begin(), out.bytes().end()});
    CHECK(in.get<int>() == 7);
    CHECK(in.get_text() == "text");
    CHECK(in.get_all<std::vector<double>>() == signals);
    CHECK(in.get_all<std::int64_t>().empty());
    CHECK(in.get<bool>());
    CHECK_THROWS_AS(static_cast<void>(in.get<char>()), std::logic_error);
    std::vector<double> two(2);
    Incoming other({out.bytes().begin() + 4, out.bytes().end()});
    CHECK_THROWS_AS(other.get_all_into(std::span(two)), std::logic_error);
}

TEST_CASE("launchers are known by their variables, and numbers that make no sense are refused") {
    const std::vector<const char*> all{"OMPI_COMM_WORLD_RANK",
                                       "OMPI_COMM_WORLD_SIZE",
                                       "OMPI_COMM_WORLD_LOCAL_RANK",
                                       "OMPI_COMM_WORLD_LOCAL_SIZE",
                                       "PMI_RANK",
                                       "PMI_SIZE",
                                       "MPI_LOCALRANKID",
                                       "MPI_LOCALNRANKS",
                                       "SLURM_PROCID",
                                       "SLURM_STEP_NUM_TASKS",
                                       "SLURM_LOCALID",
                                       "SLURM_STEP_TASKS_PER_NODE",
                                       "PMIX_RANK"};
    const auto launched = [&all](const std::vector<std::pair<const char*, const char*>>& variables) {
        for (const char* name : all) unsetenv(name);
        for (const auto& [name, value] : variables) setenv(name, value, 1);
        const auto rank = launched_rank();
        for (const char* name : all) unsetenv(name);
        return rank;
    };
    CHECK_FALSE(launched({}));
    // A batch script of Slurm has the variables of the allocation.
    CHECK_FALSE(launched({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}));
    const auto slurm = launched({{"SLURM_PROCID", "5"},
                                 {"SLURM_STEP_NUM_TASKS", "8"},
                                 {"SLURM_LOCALID", "1"},
                                 {"SLURM_STEP_TASKS_PER_NODE", "4(x2)"}});
    REQUIRE(slurm);
    CHECK(slurm->launcher == "Slurm");
    CHECK(slurm->rank == 5);
    CHECK(slurm->size == 8);
    CHECK(slurm->local_rank == 1);
    CHECK(slurm->local_size == 4);
    CHECK_FALSE(slurm->may_connect);
    const auto open_mpi = launched({{"OMPI_COMM_WORLD_RANK", "1"},
                                    {"OMPI_COMM_WORLD_SIZE", "2"},
                                    {"PMIX_RANK", "1"},
                                    {"SLURM_PROCID", "0"},
                                    {"SLURM_STEP_NUM_TASKS", "1"}});
    REQUIRE(open_mpi);
    CHECK(open_mpi->launcher == "Open MPI");
    CHECK(open_mpi->local_size == 1);
    CHECK(open_mpi->may_connect);
    CHECK(contains(message_of(
                       [&] {
                           launched({{"PMI_RANK", "3"}, {"PMI_SIZE", "3"}});
                       },
                       ExitCode::usage),
                   "PMI_RANK=3 is not below PMI_SIZE=3"));
    CHECK(contains(message_of(
                       [&] {
                           launched({{"PMI_RANK", "one"}, {"PMI_SIZE", "3"}});
                       },
                       ExitCode::usage),
                   "PMI_RANK=one is not a number"));
    unsetenv("PMI_RANK");
    unsetenv("PMI_SIZE");
}
