/// \file
/// Every compiled instance of the CUDA kernels that can compute a set-up, on a GPU or on what stands in for it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <doctest/doctest.h>
#include <memory>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "kernels/cuda/cuda.hpp"
#include "tests/kernels/shots.hpp"

namespace onda::test {

/// A set-up that asks for one instance.
inline Setup with_instance(Setup setup, const cuda::Variant& variant) {
    setup.kernel = variant.kernel;
    setup.tile = variant.tile;
    setup.copy = variant.copy;
    return setup;
}

/// Whether an instance is another program for the same numbers: the twin computes no waves, and the kernels of the
/// thesis round in another order.
inline bool has_the_same_bits(const cuda::Variant& variant) {
    return variant.kernel != "twin" && !variant.kernel.starts_with("thesis-");
}

/// Checks that the instances give the expected results of a noisy shot, and hold what was predicted.
/// \param make_medium takes the set-up of an instance. \returns how many there are.
template <typename Make>
std::size_t compare_instances(const Setup& setup, const Case& c, const std::vector<double>& expected,
                              const Make& make_medium) {
    std::size_t compared = 0;
    for (const cuda::Variant& variant : cuda::variants(setup)) {
        if (!has_the_same_bits(variant)) continue;
        ++compared;
        const Setup chosen = with_instance(setup, variant);
        const auto wavefield = make_medium(chosen)->make_wavefield();
        CAPTURE(c.name);
        CAPTURE(setup.scheme.description());
        CAPTURE(setup.precision == Precision::float32 ? "float" : "double");
        CAPTURE(variant.kernel);
        CAPTURE(variant.tile);
        CAPTURE(variant.copy);
        CHECK(allocated_bytes(*wavefield) == cuda::allocations(chosen).bytes(Memory::device));
        start_and_advance(*wavefield, c);
        const bool same = results_of(*wavefield, c) == expected;
        CHECK(same);
        CHECK(allocated_bytes(*wavefield) <= cuda::allocations(chosen, 1, size_of_noisy_shot(c)).bytes(Memory::device));
    }
    return compared;
}

/// Checks that a shot whose first `half` steps one device makes goes on at the other, in the last place of a batch that
/// has made `before` steps, with the bits of the CPU: see check_state_goes_on().
inline void check_goes_on_elsewhere(const Setup& setup, const Case& c, bool from_gpu, std::int64_t half,
                                    std::int64_t before) {
    const MakeMedium gpu = cuda::make_medium, cpu = cpu::make_medium;
    const auto begun = make_noisy_medium(setup, from_gpu ? gpu : cpu)->make_wavefield();
    const auto whole = make_noisy_medium(setup, cpu)->make_wavefield();
    const int shots = std::min(3, cuda::most_shots(setup));
    const auto elsewhere = make_noisy_medium(setup, from_gpu ? cpu : gpu)->make_wavefield(shots);
    CAPTURE(from_gpu);
    check_state_goes_on(*begun, *whole, *elsewhere, shots - 1, c, half, before);
}

}  // namespace onda::test
