#include "solver/performance/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include "solver/performance/cache_folder.hpp"
#include "solver/program/build.hpp"
#include "solver/program/hash.hpp"

namespace onda {
namespace {

using Json = nlohmann::json;

/// Version of the layout of what is kept.
constexpr int kVersion = 1;
/// Most shots of a batch that is tried: larger ones were no faster on any device.
constexpr int kMostTried = 64;
/// By how much the model must prefer another way to the rule's, which was measured. Of in-plane kernels and tiles on a
/// grid that keeps a GPU busy it knows better which is the fastest than how fast they are: 512^3 and 256^3 on an H200.
/// Between kernels of other kinds it errs by up to a third, as in 2-D at order 16, and on small grids, where latencies
/// count, and on CPUs, which others use, by more than their differences.
double believed(const TuningCase& of, const Candidate& rule, const Candidate& best) {
    const bool small = of.asked.grid.points() < 10'000'000, own_memory = of.device->has_own_memory();
    if (small) return own_memory ? 1.15 : INFINITY;
    const auto in_plane = [](const Candidate& each) { return each.choice.kernel.starts_with("inplane-"); };
    if (!own_memory) return 1.1;
    return in_plane(rule) && in_plane(best) ? 1.02 : 1.35;
}

std::string name_of(const Json& key) {
    return "tuning-" + hash_of(key.dump());
}

/// Shots of a wavefield that are worth a trial.
std::vector<int> batches_of(const TuningCase& of, const KernelChoice& choice, int rule) {
    Candidate candidate{choice};
    const int most = std::min(of.most_shots, of.device->most_shots(candidate.setup(of)));
    if (of.shots > 0) return {std::min(of.shots, most)};
    std::vector<int> batches;
    for (int shots = 1; shots <= std::min(most, kMostTried); shots *= 2) batches.push_back(shots);
    if (rule <= most && std::ranges::find(batches, rule) == batches.end()) batches.push_back(rule);
    return batches;
}

/// One of each kernel in turn: the first of all, then the second.
void deal(std::vector<Candidate>& list) {
    std::map<std::string, int> seen;
    std::vector<std::pair<int, Candidate>> rounds;
    for (Candidate& each : list) rounds.emplace_back(seen[each.choice.kernel]++, std::move(each));
    std::ranges::stable_sort(rounds, {}, [](const auto& each) { return each.first; });
    std::ranges::transform(rounds, list.begin(), [](auto& each) { return std::move(each.second); });
}

Json describe_strips(const Setup& setup) {
    Json strips = Json::array();
    for (const auto& strip : setup.strips)
        strips.push_back({{"kind", strip->name()}, {"work", strip->work(setup.grid)}});
    return strips;
}

Json json_of(const Candidate& c) {
    return {{"kernel", c.choice.kernel}, {"isa", c.choice.isa},   {"threads", c.choice.threads},
            {"tile", c.choice.tile},     {"copy", c.choice.copy}, {"shots", c.shots}};
}

/// \returns none for what the case does not leave, or this program does not have.
std::optional<Candidate> candidate_in(const Json& kept, const TuningCase& of) {
    for (const KernelChoice& choice : of.device->choices(of.asked)) {
        Candidate candidate{choice, kept.at("shots").get<int>()};
        if (json_of(candidate) != kept) continue;
        const int most = std::min(of.most_shots, of.device->most_shots(candidate.setup(of)));
        if (candidate.shots >= 1 && candidate.shots <= most && (of.shots == 0 || candidate.shots <= of.shots))
            return candidate;
    }
    return std::nullopt;
}

}  // namespace

Setup Candidate::setup(const TuningCase& of) const {
    Setup setup = of.asked;
    static_cast<KernelChoice&>(setup) = choice;
    return setup;
}

bool Candidate::same_way(const Candidate& other) const {
    return json_of(*this) == json_of(other);
}

std::vector<Candidate> candidates(const TuningCase& of, const Candidate& rule, const StepModel* model) {
    std::vector<Candidate> list{rule};
    for (const KernelChoice& choice : of.device->choices(of.asked))
        for (const int shots : batches_of(of, choice, rule.shots))
            if (const Candidate next{choice, shots}; !next.same_way(rule)) list.push_back(next);
    if (model == nullptr) {
        deal(list);
        return list;
    }
    for (Candidate& each : list) each.predicted_s = model->step(each.setup(of), each.shots).seconds / each.shots;
    std::ranges::stable_sort(list, {}, [](const Candidate& each) { return *each.predicted_s; });
    return list;
}

Json tuning_key(const TuningCase& of) {
    const Setup& setup = of.asked;
    Setup resolved = setup;
    of.device->resolve(resolved);
    std::vector<Json> choices;
    for (const KernelChoice& choice : of.device->choices(setup)) choices.push_back(json_of({choice}));
    return {{"program", build().version + " " + build().git_commit},
            {"kernels", hash_of(Json(choices).dump())},
            {"device",
             {of.device->name, of.device->hardware(resolved), of.device->instruction_set(resolved),
              of.device->circumstances()}},
            {"nodes", setup.grid.n},
            {"dimensions", setup.grid.dimensions},
            {"operator", name(setup.scheme.equation)},
            {"stepping", setup.stepping == Stepping::leap ? "leap" : "single"},
            {"storage", name(setup.medium.storage)},
            {"order", setup.scheme.space_order},
            {"time_order", setup.scheme.time_order},
            {"bytes", setup.element_bytes()},
            {"faces", setup.halos},
            {"strips", describe_strips(setup)},
            {"asked", json_of({setup, of.shots})},
            {"most_shots", std::min(of.most_shots, kMostTried)}};
}

std::optional<Tuned> kept_tuning(const TuningCase& of, std::vector<std::string>& warnings) {
    const Json key = tuning_key(of);
    const auto kept = read_cache(name_of(key), kVersion, &warnings);
    if (!kept) return std::nullopt;
    try {
        if (kept->at("key") != key) return std::nullopt;
        const auto candidate = candidate_in(kept->at("choice"), of);
        if (!candidate) return std::nullopt;
        return Tuned{*candidate, kept->at("seconds").get<double>(), kept->at("measured_utc").get<std::string>()};
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

std::filesystem::path keep_tuning(const TuningCase& of, const Tuned& tuned) {
    const Json key = tuning_key(of);
    return write_cache(name_of(key), kVersion,
                       {{"key", key},
                        {"choice", json_of(tuned.candidate)},
                        {"seconds", tuned.seconds},
                        {"measured_utc", tuned.measured_utc}});
}

Chosen choose(const TuningCase& of, const Candidate& rule, const StepModel* model, bool use_kept,
              std::vector<std::string>& warnings) {
    if (use_kept)
        if (const auto tuned = kept_tuning(of, warnings))
            return {tuned->candidate, "onda tune, measured " + tuned->measured_utc};
    if (model != nullptr) {
        const double of_rule = model->step(rule.setup(of), rule.shots).seconds / rule.shots;
        const Candidate best = candidates(of, rule, model).front();
        if (of_rule > believed(of, rule, best) * *best.predicted_s)
            return {best, "the model of the device, " + model->source()};
    }
    return {rule, "default for this grid size"};
}

std::string describe(const TuningCase& of, const Candidate& candidate) {
    const KernelChoice& choice = candidate.choice;
    std::string text = choice.kernel;
    if (of.device->understands("isa")) text += fmt::format(" {}", choice.isa);
    if (of.device->understands("tile"))
        text += fmt::format(" {}{}{}", choice.tile, choice.copy.empty() ? "" : " ", choice.copy);
    if (candidate.shots > 1) text += fmt::format(", {} shots at a time", candidate.shots);
    return text;
}

}  // namespace onda
