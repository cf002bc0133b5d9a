#include "solver/performance/model/step_cases.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <spdlog/fmt/fmt.h>
#include <stdexcept>
#include <tuple>

#include "io/text/error.hpp"
#include "kernels/cuda/cuda.hpp"
#include "kernels/cuda/step_facts.hpp"
#include "solver/model/random_numbers.hpp"
#include "solver/performance/measurement.hpp"

namespace onda {
namespace {

struct Extents {
    std::int64_t nx, ny, nz;
};

/// What a kernel is timed with beside its tile.
struct TimedProblem {
    std::string_view equation;
    int dimensions, order;
    std::string_view precision;
    std::string_view stepping = "single", storage = "float";
};

std::vector<TimedProblem> all_problems() {
    std::vector<TimedProblem> list;
    for (const int dimensions : {3, 2})
        for (const std::string_view precision : {"float", "double"}) {
            for (int order = 2; order <= 16; order += 2) list.push_back({"star", dimensions, order, precision});
            list.push_back({"compact27", dimensions, 2, precision});
            for (int order = 2; order <= 16; order += 2) {
                list.push_back({"variable_density", dimensions, order, precision});
                list.push_back({"star", dimensions, order, precision, "leap"});
            }
        }
    for (int order = 2; order <= 16; order += 2)
        for (const std::string_view stepping : {"single", "leap"})
            for (const std::string_view storage : {"16bit", "table"})
                list.push_back({"star", 3, order, "float", stepping, storage});
    return list;
}

KernelCase case_with(const TimedProblem& problem, const cuda::Variant& variant, const Extents& extents, int shots = 1) {
    KernelCase what;
    what.kernel = variant.kernel;
    what.tile = variant.tile;
    what.copy = variant.copy;
    what.equation = problem.equation;
    what.precision = problem.precision;
    what.stepping = problem.stepping;
    what.storage = problem.storage;
    what.order = problem.order;
    what.dimensions = problem.dimensions;
    std::tie(what.nx, what.ny, what.nz) = std::tuple(extents.nx, extents.ny, extents.nz);
    what.shots = shots;
    return what;
}

/// The product kernels of a problem on this GPU with all their tiles: not the twin, and not those of the thesis, which
/// have a table of their own.
std::vector<cuda::Variant> variants_of(const TimedProblem& problem, int ordinal) {
    KernelCase what = case_with(problem, {"auto", "auto", "auto"}, {64, problem.dimensions == 3 ? 64 : 1, 64});
    Setup setup = setup_of(what);
    setup.ordinal = ordinal;
    std::vector<cuda::Variant> list = cuda::variants(setup);
    std::erase_if(list, [](const cuda::Variant& v) { return v.kernel == "twin" || v.kernel.starts_with("thesis-"); });
    return list;
}

/// The first tile of each kernel and copy engine: what "auto" takes.
std::vector<cuda::Variant> first_tiles(const std::vector<cuda::Variant>& all) {
    std::vector<cuda::Variant> first;
    for (const cuda::Variant& variant : all)
        if (std::ranges::none_of(first, [&](const cuda::Variant& known) {
                return known.kernel == variant.kernel && known.copy == variant.copy;
            }))
            first.push_back(variant);
    return first;
}

class Draw {
public:
    explicit Draw(std::uint64_t seed) : seed_(seed) {}
    template <typename List>
    const auto& from(const List& list) {
        const double u = RandomStream(seed_, next_++).uniform(0., 1.);
        return list[std::min(std::size(list) - 1, static_cast<std::size_t>(u * static_cast<double>(std::size(list))))];
    }

private:
    std::uint64_t seed_, next_ = 0;
};

/// What distinguishes cases, as a key.
std::string key_of(const KernelCase& what) {
    return what.text();
}

/// Whether boundary, operator, kernel and batch go together on this GPU.
bool can_be_computed(const KernelCase& what, int ordinal) {
    try {
        Setup setup = setup_of(what);
        setup.ordinal = ordinal;
        cuda::check_setup(setup);
        return what.shots <= cuda::most_shots(setup);
    } catch (const std::invalid_argument&) {
        return false;
    } catch (const Error&) {
        return false;
    }
}

/// The boundaries that a case is also timed with: strips are the same kernels beside any other, but the fused one
/// computes some itself, and a sponge is the same for every operator.
std::vector<const char*> boundaries_with(const TimedProblem& problem, const cuda::Variant& variant, bool far) {
    const bool single = problem.precision == "float";
    if (variant.kernel == "direct") {
        const bool with_sponge = problem.equation == "star" && (problem.order == 2 || problem.order == 8);
        return with_sponge ? std::vector{"cpml", "sponge"} : std::vector{"cpml"};
    }
    if (problem.storage != "float") return {};
    if (problem.equation == "star" && single && problem.order == 8 && far && variant.copy != "async") return {"cpml"};
    return {};
}

}  // namespace

std::vector<KernelCase> calibration_cases(int ordinal) {
    struct Grids {
        Extents near, between, far;
    };
    constexpr Grids in_space{{80, 72, 76}, {152, 140, 132}, {280, 240, 200}};
    constexpr Grids in_a_plane{{1400, 1, 450}, {600, 1, 550}, {3700, 1, 3100}};
    std::vector<KernelCase> list;
    for (const TimedProblem& problem : all_problems()) {
        const Grids& grids = problem.dimensions == 3 ? in_space : in_a_plane;
        const bool single = problem.precision == "float", compact = problem.equation == "compact27";
        std::vector<Extents> on;
        if (single && (compact || problem.order == 8 || problem.order == 14)) on = {grids.near, grids.far};
        if (single && problem.order == 2) on.insert(on.end(), {grids.between, grids.far});
        if (single && (problem.order == 4 || problem.order == 12)) on = {grids.between};
        if (single && problem.order == 16) on = {grids.near};
        if (!single && problem.order == 2) on = {grids.between};
        if (!single && (compact || problem.order == 6)) on = {grids.far};
        if (!single && problem.order == 14) on = {grids.near, grids.far};
        if (problem.storage != "float" && on.size() > 1) on = {grids.far};
        if (on.empty()) continue;
        const std::vector<cuda::Variant> all = variants_of(problem, ordinal);
        const bool all_tiles = single && problem.order == 4 && problem.storage == "float";
        for (const cuda::Variant& variant : all_tiles ? all : first_tiles(all))
            for (const Extents& extents : on) {
                list.push_back(case_with(problem, variant, extents));
                for (const char* boundary : boundaries_with(problem, variant, extents.nx == grids.far.nx)) {
                    KernelCase with_strips = case_with(problem, variant, extents);
                    with_strips.boundary = boundary;
                    if (can_be_computed(with_strips, ordinal)) list.push_back(with_strips);
                }
            }
    }
    return list;
}

std::vector<KernelCase> validation_cases(int ordinal, std::size_t count, std::uint64_t seed) {
    constexpr std::array<Extents, 8> in_space{{{64, 64, 64},
                                               {96, 96, 96},
                                               {128, 128, 128},
                                               {201, 161, 111},
                                               {192, 192, 192},
                                               {256, 256, 256},
                                               {300, 200, 150},
                                               {384, 320, 256}}};
    constexpr std::array<Extents, 6> in_a_plane{
        {{512, 1, 512}, {1201, 1, 301}, {1601, 1, 401}, {2048, 1, 2048}, {3000, 1, 1500}, {4096, 1, 4096}}};
    constexpr std::array batches{1, 1, 2, 4, 8};
    constexpr std::int64_t most_points = 40'000'000;
    const std::vector<TimedProblem> problems = all_problems();
    std::set<std::string> taken;
    for (const KernelCase& known : calibration_cases(ordinal)) taken.insert(key_of(known));
    std::vector<KernelCase> list;
    Draw draw(seed);
    for (std::size_t tries = 0; list.size() < count && tries < 100 * count; ++tries) {
        const TimedProblem& problem = draw.from(problems);
        const std::vector<cuda::Variant> variants = variants_of(problem, ordinal);
        if (variants.empty()) continue;
        const cuda::Variant& variant = draw.from(variants);
        const Extents& extents = problem.dimensions == 3 ? draw.from(in_space) : draw.from(in_a_plane);
        const int shots = draw.from(batches);
        KernelCase what = case_with(problem, variant, extents, shots);
        constexpr std::array boundaries{"none", "none", "none", "cpml", "sponge"};
        what.boundary = draw.from(boundaries);
        if (shots * extents.nx * extents.ny * extents.nz > most_points) continue;
        if (!can_be_computed(what, ordinal)) continue;
        if (!taken.insert(key_of(what)).second) continue;
        list.push_back(std::move(what));
    }
    return list;
}

std::vector<GpuObservation> measure_gpu(std::span<const KernelCase> cases, int ordinal, int rounds,
                                        const CasesDone& done) {
    const Device& device = usable_device("cuda", ordinal);
    std::int64_t most = 0;
    for (const KernelCase& what : cases) most = std::max(most, what.nx * what.ny * what.nz);
    const std::vector<double> field = random_field(most);
    std::vector<GpuObservation> observations;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const KernelCase& what = cases[i];
        done(i, cases.size(), what.text());
        Setup setup = setup_of(what);
        setup.ordinal = ordinal;
        device.resolve(setup);
        if (device.predicted_bytes(setup, what.shots) > device.available_bytes(ordinal)) continue;
        Load load;
        load.shots = what.shots;
        Contender contender(device, setup, field, load);
        std::vector<double> seconds;
        for (int round = 0; round < rounds; ++round) seconds.push_back(contender.seconds_per_step());
        const cuda::StepFacts facts = cuda::step_facts(setup, what.shots);
        observations.push_back({what, facts, facts.steps * Sample(seconds).median()});
    }
    done(cases.size(), cases.size(), "done");
    return observations;
}

namespace {

/// The CPU kernels of a problem, resolved.
std::vector<Setup> cpu_setups(const TimedProblem& problem, const Extents& extents, int threads) {
    std::vector<Setup> list;
    KernelCase what = case_with(problem, {"auto", "auto", "auto"}, extents);
    const Setup asked = setup_of(what);
    for (const std::string& kernel : cpu::kernels_of(asked.scheme.equation, asked.stepping, asked.medium.storage)) {
        what.kernel = kernel;
        Setup setup = setup_of(what);
        setup.isa = "auto";
        setup.tile = setup.copy = "auto";
        setup.threads = threads;
        usable_device("cpu").resolve(setup);
        list.push_back(std::move(setup));
    }
    return list;
}

}  // namespace

std::vector<CpuCase> cpu_calibration_cases(int threads) {
    constexpr Extents in_space[]{{56, 48, 52}, {200, 176, 168}}, in_a_plane[]{{420, 1, 300}, {2600, 1, 2200}};
    std::vector<CpuCase> list;
    for (const TimedProblem& problem : all_problems()) {
        const bool single = problem.precision == "float", compact = problem.equation == "compact27";
        const bool wanted = single ? compact || problem.order == 2 || problem.order == 8 || problem.order == 14
                                   : compact || problem.order == 6;
        if (!wanted || (problem.storage != "float" && problem.order != 8)) continue;
        for (const Extents& extents : problem.dimensions == 3 ? in_space : in_a_plane) {
            for (Setup& setup : cpu_setups(problem, extents, threads)) list.push_back({std::move(setup)});
            if (!single || problem.order != 8 || threads == 1) continue;
            for (Setup& setup : cpu_setups(problem, extents, 1)) list.push_back({std::move(setup)});
        }
    }
    return list;
}

std::vector<CpuCase> cpu_validation_cases(int threads, std::size_t count, std::uint64_t seed) {
    constexpr std::array<Extents, 5> in_space{
        {{64, 64, 64}, {96, 96, 96}, {128, 128, 128}, {201, 161, 111}, {256, 192, 160}}};
    constexpr std::array<Extents, 4> in_a_plane{{{512, 1, 512}, {1201, 1, 301}, {1601, 1, 401}, {3000, 1, 1500}}};
    const std::vector<TimedProblem> problems = all_problems();
    const std::array<int, 4> batches{1, 1, 2, 4};
    const std::array<int, 3> thread_counts{1, threads, threads};
    std::vector<CpuCase> list;
    std::set<std::string> taken;
    Draw draw(seed);
    for (std::size_t tries = 0; list.size() < count && tries < 100 * count; ++tries) {
        const TimedProblem& problem = draw.from(problems);
        const Extents& extents = problem.dimensions == 3 ? draw.from(in_space) : draw.from(in_a_plane);
        const std::vector<Setup> setups = cpu_setups(problem, extents, draw.from(thread_counts));
        CpuCase what{draw.from(setups), draw.from(batches)};
        if (what.shots * what.setup.grid.points() > 10'000'000 || !taken.insert(text_of(what)).second) continue;
        list.push_back(std::move(what));
    }
    return list;
}

std::string text_of(const CpuCase& what) {
    KernelCase named = case_of(what.setup, what.shots);
    named.kernel += " " + what.setup.isa;
    named.tile = named.copy = "";
    return named.text() + fmt::format(", {} thread{}", what.setup.threads, what.setup.threads == 1 ? "" : "s");
}

std::vector<CpuObservation> measure_cpu(std::span<const CpuCase> cases, int rounds, const CasesDone& done) {
    const Device& device = usable_device("cpu");
    std::int64_t most = 0;
    for (const CpuCase& what : cases) most = std::max(most, what.setup.grid.points());
    const std::vector<double> field = random_field(most);
    std::vector<CpuObservation> observations;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        done(i, cases.size(), text_of(cases[i]));
        Load load;
        load.shots = cases[i].shots;
        Contender contender(device, cases[i].setup, field, load);
        std::vector<double> seconds;
        for (int round = 0; round < rounds; ++round) seconds.push_back(contender.seconds_per_step());
        observations.push_back({cpu_step_facts(cases[i].setup, cases[i].shots), Sample(seconds).median()});
    }
    done(cases.size(), cases.size(), "done");
    return observations;
}

}  // namespace onda
