// Planes that go from the GPU of one process to that of another by NCCL give the bits of the CPU, in images, too; where
// one side is no GPU, or both are the same, they go through the host.
#include <doctest/doctest.h>
#include <future>
#include <utility>
#include <vector>

#include "kernels/cpu/cpu.hpp"
#include "kernels/cuda/cuda.hpp"
#include "kernels/cuda/links/nccl.hpp"
#include "kernels/slabs/slabs.hpp"
#include "nccl_on_host.hpp"
#include "solver/ranks/remote_part.hpp"
#include "solver/ranks/sub_team.hpp"
#include "solver/ranks/team_exchange.hpp"
#include "tests/kernels/imaging_support.hpp"
#include "tests/ranks/thread_team.hpp"

using namespace onda;
using namespace onda::test;

namespace {

constexpr int kCpu = -1;

/// Threads that share a grid as processes do, each with a slab on every one of its devices. This one leads.
class LinkedRanks {
public:
    /// \param devices of the ranks: GPUs, or kCpu.
    explicit LinkedRanks(std::vector<std::vector<int>> devices, bool links_devices = true)
        : devices_(std::move(devices)),
          links_devices_(links_devices),
          whole_(mail_, 0, size()),
          team_(whole_, 0, size(), links_devices) {
        for (int rank = 1; rank < size(); ++rank)
            members_.push_back(std::async(std::launch::async, [this, rank] { serve(rank); }));
    }
    ~LinkedRanks() {
        dismiss(team_);
        for (auto& member : members_) member.get();
    }
    LinkedRanks(const LinkedRanks&) = delete;
    LinkedRanks& operator=(const LinkedRanks&) = delete;

    /// A medium that all of them share.
    std::shared_ptr<Medium> make(const Setup& setup, const MediumReaders& readers, double dt_s) {
        whole_setup_ = &setup;
        readers_ = &readers;
        dt_s_ = dt_s;
        const std::vector<Slab> slabs = equal_slabs(setup.grid.nz(), size());
        const auto make_part = [&](std::size_t slab, const Setup& part, const MediumReaders&, double) {
            if (slab == 0) return make_own(slabs[0], devices_[0]);
            return make_remote_medium(team_, static_cast<int>(slab), part, {{}, slabs[slab]});
        };
        return make_slab_medium(setup, readers, dt_s, slabs, make_part, exchange_in(team_), 1);
    }

private:
    [[nodiscard]] int size() const { return static_cast<int>(devices_.size()); }
    std::shared_ptr<Medium> make_own(const Slab& slab, const std::vector<int>& devices) const {
        const Slab computed = with_ghosts(*whole_setup_, slab);
        const MediumReaders rows = readers_from_plane(*readers_, computed.first_plane);
        const auto make_part = [&devices](std::size_t part, const Setup& setup, const MediumReaders& readers,
                                          double dt) {
            Setup placed = setup;
            if (devices[part] == kCpu) {
                static_cast<KernelChoice&>(placed) = {.kernel = "vectorised", .threads = 1};
                return cpu::make_medium(placed, readers, dt);
            }
            placed.ordinal = devices[part];
            return cuda::make_medium(placed, readers, dt);
        };
        const Setup setup = setup_of_slab(*whole_setup_, slab);
        if (devices.size() == 1) return make_part(0, setup, rows, dt_s_);
        // Ghosts of the slab belong to its first and its last part.
        std::vector<Slab> parts = equal_slabs(slab.planes, static_cast<int>(devices.size()));
        for (Slab& part : parts) part.first_plane += slab.first_plane - computed.first_plane;
        parts.front().planes += std::exchange(parts.front().first_plane, 0);
        parts.back().planes = computed.planes - parts.back().first_plane;
        return make_slab_medium(setup, rows, dt_s_, parts, make_part);
    }
    void serve(int rank) {
        ThreadTeam whole(mail_, rank, size());
        SubTeam team(whole, 0, size(), links_devices_);
        serve_part(team, [this, rank](const PartRequest& request) {
            return make_own(request.slab, devices_[static_cast<std::size_t>(rank)]);
        });
    }

    std::vector<std::vector<int>> devices_;
    bool links_devices_;
    Mailboxes mail_;
    ThreadTeam whole_;
    SubTeam team_;
    std::vector<std::future<void>> members_;
    const Setup* whole_setup_ = nullptr;
    const MediumReaders* readers_ = nullptr;
    double dt_s_ = 0.;
};

/// Images of k and of fluxes of a forward field whose second half is computed twice, and of another one.
std::vector<double> images_on(Medium& medium, const Case& c) {
    const Problem& problem = medium.setup();
    const auto forward = medium.make_wavefield(), adjoint = medium.make_wavefield();
    const auto images = forward->fields().make_correlation(c.steps, Correlated::differences_and_squares);
    const auto fluxes = forward->fields().make_flux_correlation(c.steps);
    const auto states = forward->make_saved_states();
    start_noisy_shot(*forward, c, problem.precision);
    start_noisy_shot(*adjoint, c, problem.precision, 1., 0, 1);
    for (Wavefield* wavefield : {forward.get(), adjoint.get()}) wavefield->record(0);
    const auto advance = [&](std::int64_t first, std::int64_t end) {
        for (std::int64_t n = first; n < end; ++n) {
            fluxes->keep(forward->fields(), n);
            forward->enqueue(n, 1);
            images->keep(forward->fields(), n);
        }
    };
    advance(0, c.steps / 2);
    states->save(1);
    forward->enqueue(c.steps / 2, c.steps / 2);
    states->restore(1);
    advance(c.steps / 2, c.steps);
    for (std::int64_t n = 0; n < c.steps; ++n) {
        adjoint->enqueue(n, 1);
        images->meet(adjoint->fields(), c.steps - 1 - n, 1);
        fluxes->meet(adjoint->fields(), c.steps - 1 - n);
    }
    std::vector<double> all = images_of(*images, problem.grid, 1);
    for (const FluxAxis& flux : flux_axes(problem)) {
        std::vector<double> image(static_cast<std::size_t>(flux.points()));
        fluxes->download(flux.axis, image, 0);
        all.insert(all.end(), image.begin(), image.end());
    }
    return all;
}

const Case kTallLayers{"layers", {3, {19, 8, 53}, {8., 8., 8.}, {}}, {}, false, 8, {3, 4, 2, 0, 4, 3}};

}  // namespace

TEST_CASE("planes go from GPU to GPU of different processes by NCCL, otherwise through the host") {
    struct Sharing {
        std::vector<std::vector<int>> devices;
        int links;  ///< cuts between two GPUs
        bool allowed = true;
    };
    const std::vector<Sharing> sharings{{{{0}, {1}, {0}}, 2},    {{{0}, {1}, {kCpu}}, 1}, {{{kCpu}, {1}, {0}}, 1},
                                        {{{0}, {0}}, 0},         {{{0}, {kCpu}, {1}}, 0}, {{{0}, {1}}, 0, false},
                                        {{{0}, {1, 0}, {1}}, 2}, {{{1, 0}, {1, 1}}, 1}};
    for (const bool late : {false, true}) {
        cuda_on_host::run_late = late;
        for (const Sharing& sharing : sharings) {
            if (!late && sharing.links != 2) continue;  // early, the longest chains are enough
            const cuda_on_host::NcclCounts before = cuda_on_host::nccl_counts();
            std::vector<Setup> setups{setup_of(kTallLayers, 2, Precision::float32),
                                      setup_of(kTallLayers, 8, Precision::float64, Equation::variable_density)};
            setups.push_back(setups[0]);
            setups.back().stepping = Stepping::leap;
            {
                LinkedRanks ranks(sharing.devices, sharing.allowed);
                for (const Setup& setup : setups) {
                    CAPTURE(setup.scheme.radius());
                    const auto shared = [&](const Setup& whole, const MediumReaders& readers, double dt_s) {
                        return ranks.make(whole, readers, dt_s);
                    };
                    CHECK(run_case(kTallLayers, setup, shared) == run_case(kTallLayers, setup, cpu::make_medium));
                }
            }
            const cuda_on_host::NcclCounts after = cuda_on_host::nccl_counts();
            // Links stay while media come and go; a leap takes one exchange, as a step does.
            CHECK(after.communicators - before.communicators == 2 * sharing.links);
            CHECK(after.messages - before.messages ==
                  2 * sharing.links * (2 * kTallLayers.steps + kTallLayers.steps / 2));
        }
    }
}

TEST_CASE("images of a grid that GPUs of different processes share have the bits of the CPU") {
    const Setup setup = setup_of(kTallLayers, 8, Precision::float32, Equation::variable_density);
    const std::vector<double> expected = images_on(*make_noisy_medium(setup, cpu::make_medium), kTallLayers);
    CHECK(are_numbers(expected));
    using Devices = std::vector<std::vector<int>>;
    for (const auto& [late, devices] :
         {std::pair(true, Devices{{0}, {1, 0}, {1}}), std::pair(false, Devices{{0}, {kCpu}})}) {
        cuda_on_host::run_late = late;
        LinkedRanks ranks(devices);
        const auto shared = [&ranks](const Setup& whole, const MediumReaders& readers, double dt_s) {
            return ranks.make(whole, readers, dt_s);
        };
        CHECK(images_on(*make_noisy_medium(setup, shared), kTallLayers) == expected);
    }
    cuda_on_host::run_late = true;
}

TEST_CASE("what NCCL reports is told with a way to do without") {
    CHECK(cuda::link_library().name == "NCCL 2.28.3");
    cuda_on_host::let_nccl_fail(3);
    CHECK_THROWS_WITH_AS(static_cast<void>(cuda::make_nccl_id()),
                         "NCCL: ncclGetUniqueId failed: a fault on the host\n  NCCL_DEBUG=WARN says more; "
                         "backend.exchange: host does without",
                         cuda::Error);
    cuda_on_host::let_nccl_fail(0);
}
