// Every kernel, strategy, tile and copy engine of the CUDA backend gives the bits of the CPU reference, every time; the
// thesis' kernels, which sum in another order, agree to rounding. Skipped where no GPU can compute.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "kernels/cpu/cpu.hpp"
#include "tests/gpu/gpu_support.hpp"
#include "tests/kernels/cuda_instances.hpp"

using namespace onda;
using namespace onda::test;

namespace {

std::uint64_t hash_of(const std::vector<double>& values) {
    return test::hash_of(std::span<const double>(values));
}

std::vector<double> run_on_cpu(const Case& c, Setup setup) {
    setup.kernel = "reference";
    return run_case(c, setup, cpu::make_medium);
}

/// Largest difference relative to the largest value.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0., apart = 0.;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(a[i]));
        apart = std::max(apart, std::isfinite(b[i]) ? std::abs(a[i] - b[i]) : INFINITY);
    }
    return apart / largest;
}

/// Tiles are run-time numbers of the thesis' kernels: the largest, the smallest and the best stand for all 36.
bool stands_for_others(const cuda::Variant& variant) {
    constexpr std::array tiles{"1x1", "32x1", "4x32", "8x8", "32x32"};
    return !variant.kernel.starts_with("thesis-") || std::ranges::find(tiles, variant.tile) != tiles.end();
}

/// Checks the instances that can compute the case against the reference; returns how many there are.
std::size_t compare_with_reference(const Case& c, int order, Precision precision, Equation equation = Equation::star) {
    const Setup setup = setup_of(c, order, precision, equation);
    const std::vector<double> expected = run_on_cpu(c, setup);
    const double rounding = precision == Precision::float32 ? 1e-5 : 1e-13;
    std::size_t compared = 0;
    for (const cuda::Variant& variant : cuda::variants(setup)) {
        if (variant.kernel == "twin" || !stands_for_others(variant)) continue;
        ++compared;
        const std::vector<double> result = run_case(c, with_instance(setup, variant), cuda::make_medium);
        const bool same = has_the_same_bits(variant) ? hash_of(result) == hash_of(expected)
                                                     : difference(expected, result) <= rounding;
        CHECK_MESSAGE(same, c.name << ", " << name(equation) << ", order " << order << ", " << variant.kernel << ", "
                                   << variant.tile << ", " << variant.copy << ", "
                                   << (precision == Precision::float32 ? "float" : "double") << ", difference "
                                   << difference(expected, result));
    }
    return compared;
}

/// The kernels that can compute a setup, without the twin and those of the thesis.
std::set<std::string> kernels_for(const Setup& setup) {
    std::set<std::string> kernels;
    for (const cuda::Variant& variant : cuda::variants(setup))
        if (has_the_same_bits(variant)) kernels.insert(variant.kernel);
    return kernels;
}

/// The calls of a time step one by one, as tools may make them: what a wavefield does not override.
void step_by_step(Wavefield& wavefield, std::int64_t steps) {
    wavefield.Wavefield::enqueue(0, steps);
    wavefield.wait();
}

}  // namespace

TEST_CASE("every compiled instance gives the bits of the reference") {
    need_gpu();
    std::size_t compared = 0;
    for (const Case& c : kCases)
        for (int order = 2; order <= 16; order += 2)
            for (const Precision precision : {Precision::float32, Precision::float64})
                compared += compare_with_reference(c, order, precision);
    CHECK(compared > kCases.size() * 8 * 2 * 10);
}

TEST_CASE("every compiled instance of the compact stencil gives the bits of the reference") {
    need_gpu();
    for (const Case& c : kCases)
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            // How many instances of a kernel there are depends on the build; every kernel must have one.
            const Case& equal = with_equal_spacings(c);
            const std::set<std::string> kernels = kernels_for(setup_of(equal, 2, precision, Equation::compact));
            CHECK(kernels.contains("inplane-full"));
            CHECK(kernels.contains("march-direct"));
            CHECK(compare_with_reference(equal, 2, precision, Equation::compact) >= kernels.size());
        }
}

TEST_CASE("every compiled instance of variable density gives the bits of the reference") {
    need_gpu();
    for (const Case& c : kCases)
        for (int order = 2; order <= 16; order += 2)
            for (const Precision precision : {Precision::float32, Precision::float64})
                CHECK(compare_with_reference(c, order, precision, Equation::variable_density) >= 2);
}

TEST_CASE("every compiled instance of media that absorb and of anisotropic ones gives the bits of the reference") {
    need_gpu();
    for (const Equation equation : kFurtherOperators)
        for (const Case& c : kCases)
            for (const int order : {2, 4, 8, 12, 16})
                for (const Precision precision : {Precision::float32, Precision::float64})
                    CHECK(compare_with_reference(c, order, precision, equation) >= 2);
}

// What compute-sanitizer runs (tests/CMakeLists.txt), which takes a thousand times longer.
TEST_CASE("a few steps of every instance on small grids") {
    need_gpu();
    const Case small{
        "small",
        {3, {21, 18, 11}, {10., 8., 9.}, {}},
        {Halo::zero, Halo::mirror_positive, Halo::mirror_negative, Halo::zero, Halo::mirror_negative, Halo::zero},
        true,
        2};
    Case flat = kCases[7];
    flat.steps = 2;
    for (const Case& c : {small, flat})
        for (const int order : {4, 16})
            for (const Precision precision : {Precision::float32, Precision::float64})
                for (const Equation equation : kAllOperators)
                    CHECK(compare_with_reference(c, order, precision, equation) > 0);
    for (const Precision precision : {Precision::float32, Precision::float64}) {
        CHECK(compare_with_reference(flat, 2, precision) > 0);
        for (const Case& c : {small, flat})
            CHECK(compare_with_reference(with_equal_spacings(c), 2, precision, Equation::compact) > 0);
    }
}

TEST_CASE("520 steps with sources, receivers and every boundary: the bits of the CPU, and the same every time") {
    need_gpu();
    const Case c{
        "long",
        {3, {53, 31, 27}, {10., 8., 9.}, {}},
        {Halo::zero, Halo::mirror_positive, Halo::zero, Halo::mirror_negative, Halo::mirror_negative, Halo::zero},
        true,
        520};
    for (const Scheme& scheme :
         {make_scheme(Equation::star, 2), make_scheme(Equation::star, 8), make_scheme(Equation::star, 16),
          make_scheme(Equation::compact, 2), make_scheme(Equation::variable_density, 8)}) {
        const bool compact = scheme.equation == Equation::compact;
        const Case& of = compact ? with_equal_spacings(c) : c;
        Setup setup = setup_of(of, scheme.space_order, Precision::float32, scheme.equation);
        const std::uint64_t expected = hash_of(run_on_cpu(of, setup));
        for (const std::string& kernel : kernels_for(setup)) {
            setup.kernel = kernel;
            CAPTURE(name(scheme.equation));
            CAPTURE(scheme.space_order);
            CAPTURE(setup.kernel);
            CHECK(hash_of(run_case(of, setup, cuda::make_medium)) == expected);
            CHECK(hash_of(run_case(of, setup, cuda::make_medium)) == expected);
            CHECK(hash_of(run_case(of, setup, cuda::make_medium, 1., step_by_step)) == expected);
        }
    }
}

TEST_CASE("traces of many receivers pass through several batches unharmed") {
    need_gpu();
    const Case c{"many receivers", {3, {120, 90, 20}, {10., 10., 10.}, {}}, {}, false, 155};  // 216,000 receivers
    const Setup setup = setup_of(c, 4, Precision::float32);
    CHECK(hash_of(run_case(c, setup, cuda::make_medium)) == hash_of(run_on_cpu(c, setup)));
}

TEST_CASE("a window that was started to download is that of its step, whatever is computed meanwhile") {
    need_gpu();
    const Case& c = kCases[3];
    const Setup setup = setup_of(c, 8, Precision::float32);
    const auto wavefield = make_uniform_wavefield(setup, cuda::make_medium);
    std::vector<double> p(c.grid.points());
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = noise(i) - 0.5;
    wavefield->upload(p, p);
    const Window window{{3, 1, 2}, {40, 30, 4}, {3, 2, 2}};
    std::vector<std::vector<float>> expected;
    std::vector<std::unique_ptr<Download>> downloads;
    for (int frame = 0; frame < 5; ++frame) {
        expected.emplace_back(window.points());
        wavefield->download(window, std::span<float>(expected.back()));
        downloads.push_back(wavefield->fields().start_download(window));
        wavefield->advance(frame * 7, 7);
        if (frame == 0) continue;
        const std::span<const float> arrived = downloads.front()->wait();
        CHECK(std::ranges::equal(arrived, expected[static_cast<std::size_t>(frame - 1)]));
        downloads.erase(downloads.begin());
    }
}

TEST_CASE("the extremum is the largest value, the first of equal ones, and the first NaN") {
    need_gpu();
    check_extremum(*make_uniform_wavefield(setup_of(kCases[0], 4, Precision::float32), cuda::make_medium));
}

TEST_CASE("what is held is what was predicted, and little") {
    need_gpu();
    for (const Case& c : kCases)
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            const Setup setup = setup_of(c, 8, precision);
            CHECK(allocated_bytes(*make_uniform_wavefield(setup, cuda::make_medium)) ==
                  cuda::allocations(setup).bytes(Memory::device));
        }
    for (int order = 2; order <= 16; order += 2) {
        Setup large = setup_of(kCases[0], order, Precision::float32);
        large.grid.n = {1024, 1024, 1024};
        const double bytes_a_node = static_cast<double>(cuda::allocations(large).bytes(Memory::device)) /
                                    static_cast<double>(large.grid.points());
        CAPTURE(order);
        CHECK(bytes_a_node <= (order < 16 ? 12.5 : 12.6));  // the widest halo takes 12.52
    }
}

TEST_CASE("the GPU has as much less free memory as was predicted") {
    need_gpu();
    Setup setup = setup_of(kCases[0], 8, Precision::float32);
    setup.grid.n = {400, 300, 300};
    make_uniform_wavefield(setup, cuda::make_medium);  // loads the kernels
    const std::int64_t before = cuda::available_bytes();
    const auto wavefield = make_uniform_wavefield(setup, cuda::make_medium);
    const auto taken = static_cast<double>(before - cuda::available_bytes());
    const auto predicted = static_cast<double>(cuda::allocations(setup).bytes(Memory::device));
    MESSAGE("predicted ", predicted * 1e-6, " MB, taken ", taken * 1e-6, " MB");
    constexpr double granularity = 64 << 20;  // of what the driver hands out
    CHECK(std::abs(taken - predicted) <= 0.03 * predicted + granularity);
}

TEST_CASE("kernels, tiles and copy engines that do not exist are refused with the list of what there is") {
    need_gpu();
    const auto refusal = [](Setup setup) {
        try {
            cuda::check_setup(setup);
        } catch (const SetupFault& fault) {
            return fault.key + ": " + fault.what();
        }
        return std::string("accepted");
    };
    Setup setup = setup_of(kCases[0], 8, Precision::float32);
    CHECK(refusal(setup) == "accepted");
    setup.kernel = "vectorised";
    CHECK(refusal(setup).starts_with("kernel: kernel 'vectorised' is not among the CUDA kernels: use auto, inplane-"));
    setup.kernel = "inplane-full";
    setup.tile = "7x7";
    CHECK(refusal(setup).starts_with("tile: tile '7x7' of kernel inplane-full at order 8 in 3-D is not compiled in"));
    setup.tile = "auto";
    setup.copy = "carrier pigeon";
    CHECK(refusal(setup).starts_with("copy: copy engine 'carrier pigeon' of kernel inplane-full"));
}
