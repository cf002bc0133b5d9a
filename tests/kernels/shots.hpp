/// \file
/// What holds of shots on any device, whatever they are computed with: alone or in batches, in turn, from saved states.
#pragma once

#include <doctest/doctest.h>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "tests/kernels/kernel_cases.hpp"
#include "tests/kernels/state.hpp"

namespace onda::test {

/// What a kernel of the CPU gives of a shot with this seed.
inline std::vector<double> on_cpu(Setup setup, const Case& c, const char* kernel = "reference",
                                  std::uint64_t seed = 0) {
    setup.kernel = kernel;
    setup.tile = setup.copy = "auto";
    const auto wavefield = make_noisy_medium(setup, cpu::make_medium)->make_wavefield();
    start_noisy_shot(*wavefield, c, setup.precision, 1., 0, seed);
    wavefield->record(0);
    wavefield->advance(0, c.steps);
    return results_of(*wavefield, c);
}

/// Advances noisy shots, the number of each its seed.
inline void start_and_advance(Wavefield& wavefield, const Case& c) {
    for (int shot = 0; shot < wavefield.shots(); ++shot)
        start_noisy_shot(wavefield, c, wavefield.medium().setup().precision, 1., shot,
                         static_cast<std::uint64_t>(shot));
    wavefield.record(0);
    wavefield.advance(0, c.steps);
}

/// Each shot of a batch has the bits of the shot alone. \param alone takes a seed and gives the results of its shot.
template <typename Alone>
void check_batch(Wavefield& batch, const Case& c, const Alone& alone) {
    start_and_advance(batch, c);
    CAPTURE(c.name);
    for (int shot = 0; shot < batch.shots(); ++shot) {
        CAPTURE(shot);
        CHECK(results_of(batch, c, shot) == alone(static_cast<std::uint64_t>(shot)));
    }
}

/// Two wavefields on one medium whose steps are queued in turn give what each gives alone. \param alone as above.
template <typename Alone>
void check_in_turn(Medium& medium, const Case& c, const Alone& alone) {
    const auto first = medium.make_wavefield(), second = medium.make_wavefield();
    const std::array both{first.get(), second.get()};
    for (std::size_t i = 0; i < both.size(); ++i) {
        start_noisy_shot(*both[i], c, medium.setup().precision, 1., 0, i + 1);
        both[i]->record(0);
    }
    for (std::int64_t n = 0; n < c.steps; ++n)
        for (Wavefield* wavefield : both) wavefield->enqueue(n, 1);
    second->wait();
    first->wait();
    CAPTURE(c.name);
    CHECK(results_of(*first, c) == alone(1));
    CHECK(results_of(*second, c) == alone(2));
    CHECK(results_of(*first, c) != results_of(*second, c));
}

/// The state of `begun` after `half` steps goes on in one shot of `elsewhere`, whose shots are under way, as if `whole`
/// had computed it all. \param before how many steps those have made, an even number of leaps.
inline void check_state_goes_on(Wavefield& begun, Wavefield& whole, Wavefield& elsewhere, int shot, const Case& c,
                                std::int64_t half, std::int64_t before) {
    const Precision precision = whole.medium().setup().precision;
    for (Wavefield* wavefield : {&begun, &whole}) {
        start_noisy_shot(*wavefield, c, precision);
        wavefield->record(0);
    }
    begun.advance(0, half);
    whole.advance(0, c.steps);
    const State saved = save(begun);
    for (int each = 0; each < elsewhere.shots(); ++each) start_noisy_shot(elsewhere, c, precision, 1., each);
    elsewhere.advance(0, before);
    restore(elsewhere, saved, shot);
    CAPTURE(c.name);
    CHECK(save(elsewhere, shot) == saved);
    elsewhere.advance(half, c.steps - half);
    CHECK(save(elsewhere, shot) == save(whole));
}

/// Wavefields with strips and without share a medium, and have the bits and the memory of those on media of their own.
/// \param setup with strips.
inline void check_shared_medium(const Setup& setup, const Case& c, const MakeMedium& make_medium) {
    Setup bare = setup;
    bare.strips = {};
    CAPTURE(c.name);
    for (const Setup* own : {&setup, static_cast<const Setup*>(&bare)}) {
        const Setup& other = own == &setup ? bare : setup;
        const auto alone = make_noisy_medium(*own, make_medium)->make_wavefield();
        const auto shared = make_noisy_medium(other, make_medium)->make_wavefield(1, own->strips);
        CHECK(shared->state_parts() == alone->state_parts());
        CHECK(shared->allocated_bytes() == alone->allocated_bytes());
        for (Wavefield* wavefield : {alone.get(), shared.get()}) start_and_advance(*wavefield, c);
        CHECK(results_of(*shared, c) == results_of(*alone, c));
        CHECK(save(*shared) == save(*alone));
    }
}

}  // namespace onda::test
