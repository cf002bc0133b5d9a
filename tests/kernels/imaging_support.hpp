/// \file
/// Scattered fields and images of noisy shots, for comparing devices, slabs and batches by their bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <doctest/doctest.h>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/imaging/correlation.hpp"
#include "kernels/imaging/field_ring.hpp"
#include "kernels/imaging/flux_axes.hpp"
#include "kernels/imaging/flux_correlation.hpp"
#include "kernels/imaging/flux_scattering.hpp"
#include "kernels/imaging/scattering.hpp"
#include "kernels/shot_state.hpp"
#include "kernels/slabs/slabs.hpp"
#include "tests/kernels/kernel_cases.hpp"

namespace onda::test {

/// Rows of no multiple of anything, and every boundary that images know.
inline const std::vector<Case> kImagingCases{
    {"2-D, layers, free top",
     {2, {37, 1, 61}, {10., 10., 6.}, {}},
     {kZero, kZero, kZero, kZero, kFree, kZero},
     false,
     24,
     {5, 4, 0, 0, 0, 6}},
    {"2-D, sponge and free top",
     {2, {35, 1, 53}, {10., 10., 6.}, {}},
     {kZero, kZero, kZero, kZero, kFree, kZero},
     true,
     24},
    {"3-D, layers beside a wall",
     {3, {19, 12, 41}, {10., 9., 8.}, {}},
     {kZero, kRigid, kZero, kZero, kZero, kZero},
     false,
     12,
     {3, 0, 2, 3, 4, 3}},
    {"3-D, mirrors and a sponge",
     {3, {17, 8, 41}, {10., 8., 9.}, {}},
     {kZero, kRigid, kFree, kRigid, kFree, kZero},
     true,
     12},
};

/// Operators whose fields are scattered and make images.
inline constexpr std::array kImagedOperators{Equation::star, Equation::variable_density, Equation::vti,
                                             Equation::vti_of_gradients};

/// All images of the shots of a correlation, one after the other.
inline std::vector<double> images_of(const Correlation& correlation, const Grid& grid, int shots) {
    std::vector<double> all, image(static_cast<std::size_t>(grid.points()));
    for (int shot = 0; shot < shots; ++shot)
        for (const LevelSum sum : {LevelSum::products, LevelSum::forward_squares, LevelSum::adjoint_squares}) {
            correlation.download(sum, image, shot);
            all.insert(all.end(), image.begin(), image.end());
        }
    return all;
}

/// What images and scattering make of noisy shots: of each shot, by itself.
struct ImagingResults {
    std::vector<std::vector<double>> scattered;  ///< fields and traces
    std::vector<std::vector<double>> images;

    bool operator==(const ImagingResults&) const = default;
};

/// dk/k of up to 10 %, another at every node; none at some.
inline std::vector<double> noisy_perturbation(const Grid& grid) {
    std::vector<double> ratio;
    for (std::int64_t i = 0; i < grid.points(); ++i) ratio.push_back(i % 11 == 0 ? 0. : 0.2 * noise(i, 9) - 0.1);
    return ratio;
}

/// Step n of a scattered field, with what the same step of its background has added: of order 4 in time in two places.
inline void step_scattered(Scattering& scattering, const Wavefield& background, Wavefield& scattered, std::int64_t n) {
    scattering.scatter(background.fields(), scattered.fields());
    if (!scattered.problem().keeps_applied) return scattered.enqueue(n, 1);
    for (const Operation operation : step_list(scattered.problem())) {
        scattered.perform(operation, operation == Operation::record ? n + 1 : n);
        if (operation == Operation::step_twice) scattering.scatter_applied(background.fields(), scattered.fields());
    }
}

/// Of order 4 in time, with A p for images.
inline Setup with_applied(Setup setup) {
    setup.scheme.time_order = 4;
    setup.keeps_applied = true;
    return setup;
}

/// Two lines, one so near to a face that some of its offsets lie beyond it.
inline OffsetLines test_lines(const Grid& grid) {
    const bool along_y = grid.dimensions == 3;
    const std::int64_t y = grid.ny() / 2;
    return {along_y ? 1 : 0, 3, {{grid.nx() / 3, y}, {grid.nx() - 2, std::min<std::int64_t>(y + 1, grid.ny() - 1)}}};
}

/// Shots with seeds first_seed, first_seed + 1, …: a background that scatters and is kept every second step, and then
/// another field that meets it from the last step on, and so is A p where it is there. Nothing waits in between.
/// \param make_wavefield of so many shots.
template <typename MakeWavefield>
ImagingResults imaging_results(const Case& c, Precision precision, const MakeWavefield& make_wavefield, int shots = 1,
                               std::uint64_t first_seed = 0) {
    const std::unique_ptr<Wavefield> background = make_wavefield(shots), scattered = make_wavefield(shots),
                                     adjoint = make_wavefield(shots);
    const std::int64_t slots = c.steps / 2;
    const EquationRow& equation = *background->problem().scheme.equation;
    const auto correlation = background->fields().make_correlation(slots, correlated_differences(equation, true));
    const auto pressures =
        background->fields().make_correlation(slots, correlated_pressures(equation, true), test_lines(c.grid));
    const auto applied = background->problem().keeps_applied
                             ? background->fields().make_correlation(slots, Correlated::applied)
                             : nullptr;
    const auto scattering = background->fields().make_scattering();
    scattering->set_perturbation(noisy_perturbation(c.grid));
    for (int shot = 0; shot < shots; ++shot) {
        const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(shot);
        start_noisy_shot(*background, c, precision, 1., shot, seed);
        start_noisy_shot(*scattered, c, precision, 0.01, shot, seed + 50);
        start_noisy_shot(*adjoint, c, precision, 1., shot, seed + 100);
    }
    for (Wavefield* wavefield : {background.get(), scattered.get(), adjoint.get()}) wavefield->record(0);
    for (std::int64_t n = 0; n < c.steps; ++n) {
        background->enqueue(n, 1);
        for (Correlation* each : {correlation.get(), pressures.get(), applied.get()})
            if (each != nullptr && n % 2 == 1) each->keep(background->fields(), n / 2);
        step_scattered(*scattering, *background, *scattered, n);
    }
    // Levels are met every second step, unless layers want to see each.
    for (std::int64_t n = 0, met = 0; n < c.steps; ++n) {
        const std::int64_t level = c.steps - 1 - n;
        const std::int64_t most = std::min(correlation->most_steps(), applied ? applied->most_steps() : kAnySteps);
        if (const bool is_kept = level % 2 == 1; is_kept || n - met >= most) {
            for (Correlation* each : {correlation.get(), pressures.get(), applied.get()})
                if (each != nullptr)
                    each->meet(adjoint->fields(), is_kept ? level / 2 : -1, std::max<std::int64_t>(n - met, 1));
            met = n;
        }
        adjoint->enqueue(n, 1);
    }
    for (Wavefield* wavefield : {background.get(), scattered.get(), adjoint.get()}) wavefield->wait();
    ImagingResults results;
    const auto of_shot = static_cast<std::ptrdiff_t>(3 * c.grid.points());
    results.images.resize(static_cast<std::size_t>(shots));
    for (const Correlation* each : {correlation.get(), pressures.get()}) {
        const std::vector<double> images = images_of(*each, c.grid, shots);
        for (int shot = 0; shot < shots; ++shot) {
            auto& of_its = results.images[static_cast<std::size_t>(shot)];
            of_its.insert(of_its.end(), images.begin() + shot * of_shot, images.begin() + (shot + 1) * of_shot);
        }
    }
    for (int shot = 0; shot < shots; ++shot) {
        results.scattered.push_back(results_of(*scattered, c, shot));
        auto& of_its = results.images[static_cast<std::size_t>(shot)];
        std::vector<double> offsets(static_cast<std::size_t>(test_lines(c.grid).sums_of_plane() * c.grid.nz()));
        pressures->download_offsets(0, offsets, shot);
        of_its.insert(of_its.end(), offsets.begin(), offsets.end());
        if (!applied) continue;
        std::vector<double> image(static_cast<std::size_t>(c.grid.points()));
        applied->download(LevelSum::products, image, shot);
        of_its.insert(of_its.end(), image.begin(), image.end());
    }
    return results;
}

/// Buoyancies between nodes that change by up to 10 % of what they are in the order of, another at every half node,
/// with a k for each node of the order of what kernels have.
inline FluxPerturbation noisy_flux_perturbation(const Problem& problem) {
    FluxPerturbation perturbation;
    for (std::int64_t i = 0; i < problem.grid.points(); ++i) perturbation.k.push_back(1e3 * (1. + noise(i, 4)));
    for (const FluxAxis& flux : flux_axes(problem, HalfNodes::reached))
        for (std::int64_t i = 0; i < flux.points(); ++i)
            perturbation.buoyancy[static_cast<std::size_t>(flux.axis)].push_back(1e-4 * (noise(i, 5) - 0.5));
    return perturbation;
}

inline void append_fluxes(std::vector<double>& images, const FluxCorrelation& correlation, const Setup& setup,
                          int shot) {
    for (const FluxAxis& flux : flux_axes(setup)) {
        std::vector<double> image(static_cast<std::size_t>(flux.points()));
        correlation.download(flux.axis, image, shot);
        images.insert(images.end(), image.begin(), image.end());
    }
}

/// As imaging_results(), of the fluxes of variable density alone: images on half nodes, axis after axis.
template <typename MakeWavefield>
ImagingResults flux_results(const Case& c, const Setup& setup, const MakeWavefield& make_wavefield, int shots = 1,
                            std::uint64_t first_seed = 0) {
    const std::unique_ptr<Wavefield> background = make_wavefield(shots), scattered = make_wavefield(shots),
                                     adjoint = make_wavefield(shots);
    const auto correlation = background->fields().make_flux_correlation(c.steps / 2);
    const auto scattering = background->fields().make_flux_scattering();
    scattering->set_perturbation(noisy_flux_perturbation(setup));
    for (int shot = 0; shot < shots; ++shot) {
        const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(shot);
        start_noisy_shot(*background, c, setup.precision, 1., shot, seed);
        start_noisy_shot(*scattered, c, setup.precision, 0.01, shot, seed + 50);
        start_noisy_shot(*adjoint, c, setup.precision, 1., shot, seed + 100);
    }
    for (Wavefield* wavefield : {background.get(), scattered.get(), adjoint.get()}) wavefield->record(0);
    for (std::int64_t n = 0; n < c.steps; ++n) {
        background->enqueue(n, 1);
        scattering->scatter(background->fields(), scattered->fields());
        if (n % 2 == 1) correlation->keep(background->fields(), n / 2);
        scattered->enqueue(n, 1);
    }
    for (std::int64_t n = 0; n < c.steps; ++n) {
        const std::int64_t level = c.steps - 1 - n;
        correlation->meet(adjoint->fields(), level % 2 == 1 ? level / 2 : -1);
        adjoint->enqueue(n, 1);
    }
    for (Wavefield* wavefield : {background.get(), scattered.get(), adjoint.get()}) wavefield->wait();
    ImagingResults results;
    for (int shot = 0; shot < shots; ++shot) {
        results.scattered.push_back(results_of(*scattered, c, shot));
        append_fluxes(results.images.emplace_back(), *correlation, setup, shot);
    }
    return results;
}
/// The same on a medium that is made for it.
inline ImagingResults flux_results_on(const Case& c, const Setup& setup, const MakeMedium& make_medium, int shots = 1) {
    const auto medium = make_noisy_medium(setup, make_medium);
    return flux_results(
        c, setup, [&medium](int count) { return medium->make_wavefield(count); }, shots);
}

/// Imaging results on a medium that is made for the case.
inline ImagingResults imaging_results(const Case& c, const Setup& setup, const MakeMedium& make_medium, int shots = 1) {
    const auto medium = make_noisy_medium(setup, make_medium);
    return imaging_results(
        c, setup.precision, [&medium](int count) { return medium->make_wavefield(count); }, shots);
}

/// What start_noisy_shot() injects, on the way back.
inline Sources noisy_sources_in_reverse(const Case& c, std::uint64_t seed) {
    Sources sources = make_test_sources(c.grid, 1. + 0.1 * static_cast<double>(seed));
    for (std::vector<double>& signal : sources.signal) {
        signal.resize(static_cast<std::size_t>(c.steps));
        std::ranges::reverse(signal);
    }
    return sources;
}

/// Where rings lie, how they hold values, and of which levels.
struct RingKind {
    RingPlace place = RingPlace::device;
    RingValues values = RingValues::full;
    std::int64_t every = 1;
};
inline constexpr RingKind kRingKinds[] = {
    {RingPlace::device, RingValues::full},        {RingPlace::host, RingValues::full},
    {RingPlace::file, RingValues::full},          {RingPlace::device, RingValues::of_16_bits},
    {RingPlace::host, RingValues::of_16_bits, 2}, {RingPlace::file, RingValues::of_16_bits, 3},
    {RingPlace::device, RingValues::full, 2}};

inline RingSize ring_size(std::int64_t levels, std::int64_t slots, const RingKind& kind, bool pressures = false) {
    const RingLevels kept(levels, kind.every);
    return {kept.slots(),   slots, kind.place, kind.values, pressures, std::filesystem::temp_directory_path(),
            kept.together()};
}

/// Shots as those of imaging_results() whose background is not kept but rebuilt from rings. \returns
/// images, with the opposite sign of the products, after those of fluxes where density varies, and where fields should
/// be scattered the first levels that were rebuilt.
template <typename MakeWavefield>
ImagingResults ring_results(const Case& c, Precision precision, const MakeWavefield& make_wavefield,
                            const RingKind& kind, int shots = 1, std::uint64_t first_seed = 0) {
    const std::unique_ptr<Wavefield> background = make_wavefield(shots), adjoint = make_wavefield(shots);
    const std::unique_ptr<Wavefield> rebuilt =
        const_cast<Medium&>(background->medium()).make_wavefield(shots, StripList{});
    const auto correlation = background->fields().make_correlation(1, Correlated::differences_and_squares);
    const Setup& setup = background->medium().setup();
    const bool of_density = setup.scheme.equation == Equation::variable_density;
    const auto fluxes = of_density ? background->fields().make_flux_correlation(1) : nullptr;
    const RingLevels kept(c.steps - 1, kind.every);
    const auto ring = background->fields().make_ring(ring_size(c.steps - 1, c.steps / 2, kind, of_density));
    for (int shot = 0; shot < shots; ++shot) {
        const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(shot);
        start_noisy_shot(*background, c, precision, 1., shot, seed);
        start_noisy_shot(*adjoint, c, precision, 1., shot, seed + 100);
        rebuilt->set_sources(shot, noisy_sources_in_reverse(c, seed));
    }
    for (Wavefield* wavefield : {background.get(), adjoint.get()}) wavefield->record(0);
    for (std::int64_t n = 1; n <= c.steps; ++n) {
        background->enqueue(n - 1, 1);
        if (n < c.steps && kept.keeps(n - 1)) ring->save(background->fields(), kept.slot_of(n - 1));
        if (n % 2 == 0) ring->keep(background->fields(), n / 2 - 1);
        if (n % 2 == 1 && n < c.steps && of_density) ring->keep_pressure(background->fields(), n / 2);
    }
    ring->turn_back(background->fields(), rebuilt->fields());
    background->enqueue(c.steps, 1);  // it may be used for something else
    for (std::int64_t level = c.steps; level > 0; --level) {
        if (level < c.steps) {
            ring->load(rebuilt->fields(), kept.of(level - 1));
            rebuilt->enqueue(c.steps - 1 - level, 1);
        }
        const bool is_kept = level % 2 == 0;
        if (is_kept) {
            ring->place(rebuilt->fields(), level / 2 - 1);
            correlation->keep(rebuilt->fields(), 0);
            if (of_density) {
                ring->place_pressure(rebuilt->fields(), level / 2 - 1);
                fluxes->keep(rebuilt->fields(), 0);
            }
        }
        correlation->meet(adjoint->fields(), is_kept ? 0 : -1, 1);
        if (of_density) fluxes->meet(adjoint->fields(), is_kept ? 0 : -1);
        adjoint->enqueue(c.steps - level, 1);
    }
    for (Wavefield* wavefield : {background.get(), rebuilt.get(), adjoint.get()}) wavefield->wait();
    ImagingResults results;
    const std::vector<double> images = images_of(*correlation, c.grid, shots);
    const auto of_shot = static_cast<std::ptrdiff_t>(3 * c.grid.points());
    for (int shot = 0; shot < shots; ++shot) {
        std::vector<double>& level = results.scattered.emplace_back(static_cast<std::size_t>(c.grid.points()));
        rebuilt->download(Window::whole(c.grid), level, shot);
        results.images.emplace_back(images.begin() + shot * of_shot, images.begin() + (shot + 1) * of_shot);
        if (of_density) append_fluxes(results.images.back(), *fluxes, setup, shot);
    }
    return results;
}
/// The same on a medium that is made for it.
inline ImagingResults ring_results_on(const Case& c, const Setup& setup, const MakeMedium& make_medium,
                                      const RingKind& kind, int shots = 1) {
    const auto medium = make_noisy_medium(setup, make_medium);
    return ring_results(
        c, setup.precision, [&medium](int count) { return medium->make_wavefield(count); }, kind, shots);
}

/// The state of shots, part by part, one shot after the other.
inline std::vector<std::byte> bytes_of_state(const ShotState& state, int shots) {
    std::vector<std::byte> bytes;
    for (int shot = 0; shot < shots; ++shot)
        state.visit(shot, [&](const StatePart&, std::int64_t, std::span<const std::byte> planes) {
            bytes.insert(bytes.end(), planes.begin(), planes.end());
        });
    return bytes;
}
inline void restore_state(ShotState& state, const std::vector<std::byte>& bytes, int shots) {
    auto from = bytes.begin();
    for (int shot = 0; shot < shots; ++shot)
        state.restore(shot, [&](const StatePart&, std::int64_t, std::span<std::byte> planes) {
            std::copy_n(from, planes.size(), planes.begin());
            from += std::ssize(planes);
        });
    CHECK((from == bytes.end()));
}

/// Sums half way, as a checkpoint has them, and in the end.
struct SumsOnTheWay {
    std::vector<std::byte> half_way, in_the_end;
    bool operator==(const SumsOnTheWay&) const = default;
};

/// Noisy shots whose levels are kept and met every second step, as differences, pressures and A p, or as fluxes where
/// density varies. \param goes_wrong whether sums go wrong half way and are given their state back.
inline SumsOnTheWay sums_on_the_way(const Case& c, const Setup& setup, const MakeMedium& make_medium, int shots,
                                    bool goes_wrong) {
    const auto medium = make_noisy_medium(setup, make_medium);
    const std::unique_ptr<Wavefield> forward = medium->make_wavefield(shots), adjoint = medium->make_wavefield(shots);
    const std::int64_t slots = c.steps / 2;
    std::vector<std::unique_ptr<Correlation>> levels;
    const EquationRow& equation = *setup.scheme.equation;
    levels.push_back(forward->fields().make_correlation(slots, correlated_differences(equation, true)));
    levels.push_back(
        forward->fields().make_correlation(slots, correlated_pressures(equation, false), test_lines(c.grid)));
    for (const Correlated what : correlated_beside(equation, true))
        levels.push_back(forward->fields().make_correlation(slots, what));
    if (setup.keeps_applied) levels.push_back(forward->fields().make_correlation(slots, Correlated::applied));
    const auto fluxes =
        setup.scheme.equation == Equation::variable_density ? forward->fields().make_flux_correlation(slots) : nullptr;
    JoinedStates sums;
    for (std::size_t i = 0; i < levels.size(); ++i) sums.add(std::to_string(i), *levels[i]);
    if (fluxes) sums.add("fluxes", *fluxes);
    for (int shot = 0; shot < shots; ++shot) {
        start_noisy_shot(*forward, c, setup.precision, 1., shot, static_cast<std::uint64_t>(shot));
        start_noisy_shot(*adjoint, c, setup.precision, 1., shot, static_cast<std::uint64_t>(shot) + 100);
    }
    for (std::int64_t n = 0; n < c.steps; ++n) {
        forward->enqueue(n, 1);
        if (n % 2 == 0) continue;
        for (const auto& each : levels) each->keep(forward->fields(), n / 2);
        if (fluxes) fluxes->keep(forward->fields(), n / 2);
    }
    const auto meet = [&](std::int64_t slot, std::int64_t steps) {
        for (const auto& each : levels) each->meet(adjoint->fields(), slot, steps);
        if (fluxes) fluxes->meet(adjoint->fields(), slot);
    };
    std::int64_t most = kAnySteps;
    for (const auto& each : levels) most = std::min(most, each->most_steps());
    if (fluxes && fluxes->remembers()) most = 1;
    SumsOnTheWay result;
    const std::int64_t half = c.steps / 2;
    for (std::int64_t step = 1, met = 0; step <= c.steps; ++step) {
        adjoint->enqueue(step - 1, 1);
        const std::int64_t level = c.steps - step, steps = step - met;
        const bool is_kept = level % 2 == 1;
        if (is_kept || steps >= (met == half ? 1 : most) || step == half || step == c.steps) {
            meet(is_kept ? level / 2 : -1, steps);
            met = step;
        }
        if (step != half) continue;
        result.half_way = bytes_of_state(sums, shots);
        if (!goes_wrong) continue;
        meet(0, 1);
        CHECK(bytes_of_state(sums, shots) != result.half_way);
        restore_state(sums, result.half_way, shots);
    }
    for (Wavefield* wavefield : {forward.get(), adjoint.get()}) wavefield->wait();
    result.in_the_end = bytes_of_state(sums, shots);
    return result;
}

/// Of every case, in both precisions: order 2 and 4 in time, and fluxes. \param check takes case, set-up.
template <typename Check>
void for_sums_on_the_way(const Check& check) {
    for (const Case& c : kImagingCases)
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            check(c, setup_of(c, 8, precision));
            check(c, with_applied(setup_of(c, 8, precision)));
            check(c, setup_of(c, 2, precision, Equation::variable_density));
            check(c, setup_of(c, 8, precision, Equation::vti_of_gradients));
        }
}

/// Whether numbers were made: finite ones, not all of them zero.
inline bool are_numbers(const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); }) &&
           std::ranges::any_of(values, [](double value) { return value != 0.; });
}

/// What gradients take beside differences, of memory fields or of a strain: of a background that is kept every second
/// step, with another field that meets it from the last step on. Of each shot, one after the other.
template <typename MakeWavefield>
std::vector<std::vector<double>> images_beside(const MakeWavefield& make_wavefield, const Case& c, Precision precision,
                                               int shots, std::uint64_t first_seed = 0) {
    const std::unique_ptr<Wavefield> background = make_wavefield(shots), adjoint = make_wavefield(shots);
    const std::int64_t slots = c.steps / 2;
    std::vector<std::unique_ptr<Correlation>> all;
    for (const Correlated what : correlated_beside(*background->problem().scheme.equation, true))
        all.push_back(background->fields().make_correlation(slots, what));
    for (int shot = 0; shot < shots; ++shot) {
        const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(shot);
        start_noisy_shot(*background, c, precision, 1., shot, seed);
        start_noisy_shot(*adjoint, c, precision, 1., shot, seed + 100);
    }
    for (Wavefield* wavefield : {background.get(), adjoint.get()}) wavefield->record(0);
    for (std::int64_t n = 0; n < c.steps; ++n) {
        background->enqueue(n, 1);
        for (const auto& each : all)
            if (n % 2 == 1) each->keep(background->fields(), n / 2);
    }
    for (std::int64_t n = 0; n < c.steps; ++n) {
        const std::int64_t level = c.steps - 1 - n;
        for (const auto& each : all) each->meet(adjoint->fields(), level % 2 == 1 ? level / 2 : -1, 1);
        adjoint->enqueue(n, 1);
    }
    for (Wavefield* wavefield : {background.get(), adjoint.get()}) wavefield->wait();
    std::vector<std::vector<double>> of_shots(static_cast<std::size_t>(shots));
    for (int shot = 0; shot < shots; ++shot)
        for (const auto& each : all) {
            std::vector<double> image(static_cast<std::size_t>(c.grid.points()));
            each->download(LevelSum::products, image, shot);
            of_shots[static_cast<std::size_t>(shot)].insert(of_shots[static_cast<std::size_t>(shot)].end(),
                                                            image.begin(), image.end());
        }
    return of_shots;
}

}  // namespace onda::test
