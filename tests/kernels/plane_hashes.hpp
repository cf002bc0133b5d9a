/// \file
/// The hashes of planes that a device makes, compared with XXH3 of the values that it gives.
#pragma once

#include <cstdint>
#include <doctest/doctest.h>
#include <vector>
#include <xxhash.h>

#include "tests/kernels/kernel_cases.hpp"

namespace onda::test {

/// Whether every plane of a window has the hash of its downloaded values. \tparam T the precision of the run.
template <typename T>
void check_plane_hashes(const Wavefield& wavefield, const Window& window, int shot) {
    std::vector<T> values(static_cast<std::size_t>(window.points()));
    wavefield.download(window, std::span<T>(values), shot);
    const auto plane = static_cast<std::size_t>(window.count[0] * window.count[1]);
    std::vector<std::uint64_t> expected, hashes(static_cast<std::size_t>(window.count[2]));
    for (std::size_t z = 0; z < hashes.size(); ++z)
        expected.push_back(XXH3_64bits(values.data() + z * plane, plane * sizeof(T)));
    wavefield.fields().hash_planes(window, hashes, shot);
    CHECK(hashes == expected);
}

/// Checks the hashes of planes of the whole grid, of its interior, and of every other, third and second node from the
/// second on; of every shot.
template <typename T>
void check_windows(const Wavefield& wavefield) {
    const auto& n = wavefield.medium().setup().grid.n;
    Window inside, sparse;
    for (std::size_t a = 0; a < 3; ++a) {
        const std::int64_t first = std::min<std::int64_t>(1, n[a] - 1), step = a == 1 ? 3 : 2;
        inside.first[a] = sparse.first[a] = first;
        inside.count[a] = std::max<std::int64_t>(1, n[a] - 2);
        sparse.step[a] = step;
        sparse.count[a] = (n[a] - 1 - first) / step + 1;
    }
    for (int shot = 0; shot < wavefield.shots(); ++shot)
        for (const Window& window : {Window::whole(wavefield.medium().setup().grid), inside, sparse}) {
            CAPTURE(shot);
            CAPTURE(window.count);
            CAPTURE(window.step);
            check_plane_hashes<T>(wavefield, window, shot);
        }
}

/// Every row length to 70 nodes; planes of 240 bytes and of just as many as fill stripes of 64 and blocks of 1024, with
/// a node less and a node more; and of several rounds of 32 blocks, of which a kernel sums one at a time.
inline std::vector<Grid> hashed_grids() {
    std::vector<Grid> grids;
    const auto add = [&grids](int dimensions, std::array<std::int64_t, 3> n) {
        grids.push_back({dimensions, n, {10., 10., 10.}, {}});
    };
    for (std::int64_t nx = 1; nx <= 70; ++nx) add(3, {nx, 9, 2});
    for (const std::int64_t nodes : {30, 60, 64, 128, 256, 512, 8192})
        for (const std::int64_t more : {-1, 0, 1}) add(2, {nodes + more, 1, 3});
    add(3, {64, 8, 3});
    add(3, {64, 128, 2});
    add(3, {1, 400, 2});
    add(3, {151, 131, 2});
    return grids;
}

/// Hashes of noise on all these grids, in both precisions and of several shots, are those of the values.
inline void check_plane_hashes(const MakeMedium& make_medium) {
    for (const Grid& grid : hashed_grids())
        for (const Precision precision : {Precision::float32, Precision::float64}) {
            CAPTURE(grid.n);
            CAPTURE(precision);
            Setup setup;
            setup.grid = grid;
            setup.precision = precision;
            const int shots = grid.dimensions == 2 ? 3 : 1;
            const auto wavefield = make_medium(setup, {uniform(2000.f)}, 1e-3)->make_wavefield(shots);
            std::vector<double> p(static_cast<std::size_t>(grid.points()));
            for (int shot = 0; shot < shots; ++shot) {
                for (std::int64_t i = 0; i < grid.points(); ++i)
                    p[static_cast<std::size_t>(i)] = noise(i, static_cast<std::uint64_t>(shot)) - 0.5;
                wavefield->upload(p, p, shot);
            }
            if (precision == Precision::float32)
                check_windows<float>(*wavefield);
            else
                check_windows<double>(*wavefield);
        }
}

}  // namespace onda::test
