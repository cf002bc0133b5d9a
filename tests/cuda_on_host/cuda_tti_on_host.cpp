// The march of tilted transverse isotropy, run on the host from its own source, gives the bits of the direct kernel and
// writes nothing but the nodes, under every schedule that copies and threads are free to choose.
// Takes 1 s.
#include "kernels/cuda/tti/march_tti.hpp"
#include "tests/cuda_on_host/cuda_worlds.hpp"

using namespace onda;
using namespace onda::cuda;
using namespace onda::cuda::test;

namespace {

/// Noise on nodes and halo, NaN beyond, where no kernel has any business.
Array<float> noisy(const Layout& layout, int which, double least, double most) {
    Array<float> array(layout.size);
    std::int64_t i = 0;
    for (std::int64_t z = -layout.halo[2]; z < layout.n[2] + layout.halo[2]; ++z)
        for (std::int64_t y = -layout.halo[1]; y < layout.n[1] + layout.halo[1]; ++y)
            for (std::int64_t x = -layout.halo[0]; x < layout.n[0] + layout.halo[0]; ++x)
                array.data()[layout.at(x, y, z)] = static_cast<float>(least + (most - least) * noise(i++, which));
    return array;
}

Layout layout_of(const Grid& grid, int halo) {
    return {grid, {halo, halo, halo}, sizeof(float)};
}

/// Both stresses of two levels, the medium, and what a step of the direct kernel leaves.
template <int R>
struct TiltedWorld {
    Layout field, axis, model;
    Array<float> p, q, p_before, q_before, n_x, n_y, n_z, k, e, d;
    TiltArguments<float> a;

    explicit TiltedWorld(const Grid& grid)
        : field(layout_of(grid, 2 * R)),
          axis(layout_of(grid, R)),
          model(layout_of(grid, 0)),
          p(noisy(field, 1, -1., 1.)),
          q(noisy(field, 2, -1., 1.)),
          p_before(noisy(field, 3, -1., 1.)),
          q_before(noisy(field, 4, -1., 1.)),
          n_x(noisy(axis, 5, -1., 1.)),
          n_y(noisy(axis, 6, -1., 1.)),
          n_z(noisy(axis, 7, -1., 1.)),
          k(noisy(model, 8, 0.1, 0.2)),
          e(noisy(model, 9, 1., 1.5)),
          d(noisy(model, 10, 1., 1.2)) {
        a.p = p.data() + field.origin;
        a.vertical = q.data() + field.origin;
        a.k = k.data() + model.origin;
        a.e = e.data() + model.origin;
        a.d = d.data() + model.origin;
        a.n[0] = n_x.data() + axis.origin;
        a.n[1] = n_y.data() + axis.origin;
        a.n[2] = n_z.data() + axis.origin;
        a.nx = static_cast<int>(grid.nx());
        a.ny = static_cast<int>(grid.ny());
        a.nz = static_cast<int>(grid.nz());
        a.y_halo = 2 * R;
        a.pitch = field.pitch;
        a.plane = field.plane;
        a.k_pitch = model.pitch;
        a.k_plane = model.plane;
        a.n_pitch = axis.pitch;
        a.n_plane = axis.plane;
        a.stencil = make_stencil<float>(make_scheme(Equation::tti, 2 * R), grid.spacing_m, 3);
        for (int i = 0; i < 3; ++i)
            for (int m = 1; m <= R; ++m) a.first[i][m] = static_cast<float>(noise(3 * m + i, 11) - 0.5);
    }
    void step_directly() {
        Array<float> g_p(field.size), g_q(field.size);
        a.g_p = g_p.data() + field.origin;
        a.g_q = g_q.data() + field.origin;
        overwrite(*this);
        HostLaunch launch;
        launch.block = {8, 2, 1};
        launch.grid = {blocks(a.nx + 2 * R, 8), blocks(a.ny + 2 * R, 2), static_cast<unsigned>(a.nz + 2 * R)};
        launch_on_host(launch, tilted_derivatives<float, 3, R>, a);
        launch_on_host(launch, direct_tti_step<float, 3, R>, a);
    }
    template <typename Tile>
    void march(HostLaunch launch, const Case& c) {
        a.g_p = a.g_q = nullptr;
        overwrite(*this);
        a.chunks = chunks_of(c, a.nz);
        launch.block = {Tile::threads, 1, 1};
        launch.grid = {blocks(a.nx, Tile::width), blocks(a.ny, Tile::height), chunk_count(a)};
        launch.shared_bytes = Tile::shared_bytes;
        launch_on_host(launch, tti_march_step<Tile>, a);
    }

private:
    static void overwrite(TiltedWorld& w) {
        w.a.q = w.p_before.data() + w.field.origin;
        w.a.vertical_next = w.q_before.data() + w.field.origin;
    }
};

template <int R, int BX, int BY>
void compare_march(const Case& c) {
    TiltedWorld<R> expected(c.grid);
    expected.step_directly();
    for (const Copies copies : {Copies::early, Copies::late})
        for (const Turns turns : {Turns::forward, Turns::backward}) {
            INFO(c.name << ", order " << 2 * R << ", " << (copies == Copies::early ? "early" : "late")
                        << " copies, threads " << (turns == Turns::forward ? "forward" : "backward"));
            HostLaunch launch;
            launch.copies = copies;
            launch.turns = turns;
            TiltedWorld<R> world(c.grid);
            REQUIRE_NOTHROW((world.template march<TiltTile<float, R, BX, BY>>(launch, c)));
            CHECK(world.p_before.same_bits(expected.p_before));
            CHECK(world.q_before.same_bits(expected.q_before));
        }
}

}  // namespace

TEST_CASE("the march of TTI gives the bits of the direct kernel") {
    for (const Case& c : kCases) {
        if (c.grid.dimensions == 2) continue;
        compare_march<1, 8, 12>(c);
        compare_march<4, 8, 4>(c);
#if !defined(ONDA_SANITIZED)
        compare_march<2, 4, 8>(c);
        compare_march<3, 16, 2>(c);
        compare_march<5, 16, 2>(c);
#endif
    }
}
