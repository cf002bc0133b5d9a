/// \file
/// Every compiled instance of the CUDA kernels that can compute a set-up, on a GPU or on what stands in for it.
#pragma once

#include <doctest/doctest.h>
#include <memory>
#include <vector>

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

}  // namespace onda::test
