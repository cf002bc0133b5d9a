#include "solver/outputs/wavefield_hash.hpp"

#include <algorithm>
#include <vector>

#include "solver/program/hash.hpp"
#include "solver/program/loop_failure.hpp"

namespace onda {
namespace {

template <typename T>
std::string hash_planes(const Wavefield& wavefield, const Window& window, int shot) {
    const std::int64_t plane = window.count[0] * window.count[1], planes = window.count[2];
    const std::int64_t most =
        std::clamp<std::int64_t>(kHashedTogetherBytes / (plane * static_cast<std::int64_t>(sizeof(T))), 1, planes);
    std::vector<T> values(static_cast<std::size_t>(most * plane));
    std::vector<std::uint64_t> hashes(static_cast<std::size_t>(planes));
    for (std::int64_t first = 0; first < planes; first += most) {
        const std::int64_t count = std::min(most, planes - first);
        Window part = window;
        part.first[2] += first * window.step[2];
        part.count[2] = count;
        wavefield.download(part, std::span(values.data(), static_cast<std::size_t>(count * plane)), shot);
        LoopFailure failure;
#pragma omp parallel for schedule(static)
        for (std::int64_t i = 0; i < count; ++i)
            failure.guard([&] {
                Fingerprint hash;
                hash.add(std::span<const T>(values.data() + i * plane, static_cast<std::size_t>(plane)));
                hashes[static_cast<std::size_t>(first + i)] = hash.value();
            });
        failure.rethrow();
    }
    return combined_hash(hashes);
}

}  // namespace

std::string fingerprint_wavefield(const Wavefield& wavefield, const Window& window, Precision precision, int shot) {
    return precision == Precision::float64 ? hash_planes<double>(wavefield, window, shot)
                                           : hash_planes<float>(wavefield, window, shot);
}

}  // namespace onda
