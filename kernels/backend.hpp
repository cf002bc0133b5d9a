/// \file
/// The seam between the physics of a shot and the device that computes it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/boundaries/cpml.hpp"
#include "kernels/cuda/reports.hpp"
#include "kernels/equations/scheme.hpp"
#include "kernels/grid/grid.hpp"

namespace onda {

enum class Precision { float32, float64 };

/// Multiplies p[n+1] and p[n] after each step: factor(x, y, z) = (taper[0][x] taper[1][y]) taper[2][z].
/// Empty tapers mean 1 everywhere on that axis. A taper differs from 1 at the ends of its axis only: the nodes between
/// are not visited.
struct Sponge {
    std::array<std::vector<double>, 3> taper;
};

/// Everything a backend needs before it allocates. Complete and checked: see solver/discretisation.
struct BackendSetup {
    Grid grid;
    Scheme scheme = make_scheme(WaveOperator::star, 8);
    Precision precision = Precision::float32;
    FaceHalos halos{};
    Sponge sponge;
    Cpml cpml;
    std::string kernel = "auto";  ///< a name of kernel_names() or "auto"
    std::string isa = "auto";     ///< CPU: a name of isa_names() or "auto"
    int threads = 0;              ///< CPU: 0 takes what OpenMP offers
    std::string tile = "auto";    ///< CUDA: a tile of variants(), such as "256x16r4", or "auto"
    std::string copy = "auto";    ///< CUDA, in-plane kernels: how rectangles reach shared memory, see variants()
};

/// A setup that names a kernel, instruction set, tile or copy engine that does not exist; what() lists what there is.
struct SetupFault : std::invalid_argument {
    SetupFault(std::string key_name, const std::string& message)
        : std::invalid_argument(message), key(std::move(key_name)) {}
    std::string key;  ///< "kernel", "isa", "tile", "copy"
};

/// \throws std::invalid_argument unless order, weights, spacings, extents and layers fit each other: what every backend
/// needs.
void check_scheme(const BackendSetup& setup);
/// \throws std::invalid_argument unless there is a density where the scheme needs one, and only there.
void check_model(const BackendSetup& setup, bool has_density);

/// Weighted nodes of all sources or receivers of a shot. Row i owns entries [first[i], first[i+1]).
struct NodeWeights {
    std::vector<std::int64_t> first{0};
    std::vector<std::int64_t> node;  ///< Grid::at index
    std::vector<double> weight;

    [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(first.size()) - 1; }
};

/// Sources of one shot: p[n+1](node) += (vp dt)^2(node) / cell_volume * weight * signal[row][n].
struct Sources {
    NodeWeights nodes;
    std::vector<std::vector<double>> signal;  ///< one time series a row, sampled at n dt
};

/// The largest |p| and where it is; `finite` is false if any node holds NaN or infinity (then `node` is such a node).
struct Extremum {
    double max_abs = 0.;
    std::int64_t node = 0;  ///< Grid::at index
    bool finite = true;
};

/// A part of the wavefield on its way to the host, while later steps run. Must go before its backend does.
class Download {
public:
    virtual ~Download() = default;
    /// The values, [z][y][x], x fastest, once they have arrived; they live as long as this. May be called from another
    /// thread than the one that drives the backend.
    virtual std::span<const float> wait() = 0;
};

/// One device holding p[n], p[n-1], k = (vp dt)^2 and, with variable density, rho of one grid.
///
/// A time step is fill_halos, step, absorb, inject, swap, record, in this order: see advance(). A backend may run them
/// asynchronously; advance() and calls that return data wait.
class Backend {
public:
    virtual ~Backend() = default;

    /// One line for logs: device, kernel, instruction set, threads.
    [[nodiscard]] virtual std::string description() const = 0;
    [[nodiscard]] virtual std::string kernel() const = 0;
    /// Bytes this backend holds for fields and model.
    [[nodiscard]] virtual std::int64_t allocated_bytes() const = 0;

    /// Writes the nx velocities [m/s] or densities [kg/m3] of row (y, z); called once a row, by several threads at
    /// once.
    using RowReader = std::function<void(std::int64_t y, std::int64_t z, std::span<float> values)>;
    /// Stores k = (vp dt)^2, with variable density rho (vp dt)^2 and rho; k is zero on mirror_negative faces so that p
    /// stays exactly zero there. Beyond a mirror the density is mirrored, beyond a zero face it stays what it is there.
    /// \param rho_of_row for variable density only, empty otherwise. \throws std::invalid_argument if it does not fit.
    virtual void upload_model(const RowReader& vp_of_row, const RowReader& rho_of_row, double dt_s) = 0;
    void upload_model(const RowReader& vp_of_row, double dt_s) { upload_model(vp_of_row, {}, dt_s); }

    /// p[n] = p[n-1] = 0, layers that remember nothing, no sources, no receivers: the start of a shot.
    virtual void reset() = 0;
    virtual void set_sources(const Sources& sources) = 0;
    /// \param samples capacity of each trace, sample 0 included.
    virtual void set_receivers(const NodeWeights& receivers, std::int64_t samples) = 0;

    virtual void fill_halos() = 0;            ///< of p[n], by the rules of BackendSetup::halos
    virtual void step() = 0;                  ///< p[n+1] = 2 p[n] - p[n-1] + k L(p[n]) over p[n-1]: WaveOperator
    virtual void absorb() = 0;                ///< perfectly matched layers, then the sponge, on p[n+1] and p[n]
    virtual void inject(std::int64_t n) = 0;  ///< adds signal[n] to p[n+1]
    virtual void swap() = 0;                  ///< p[n+1] becomes p[n]
    virtual void record(std::int64_t n) = 0;  ///< trace sample n of p[n]

    /// Time steps n = first … first + count - 1. Done when it returns.
    virtual void advance(std::int64_t first, std::int64_t count);

    [[nodiscard]] virtual Extremum extremum() const = 0;  ///< of p[n]
    /// Copies p[n] at the nodes of `window`, [z][y][x], x fastest.
    virtual void download(const Window& window, std::span<float> values) const = 0;
    virtual void download(const Window& window, std::span<double> values) const = 0;
    /// Starts copying p[n] at the nodes of `window`; the next steps may go on at once. At most kDownloads live at the
    /// same time: another call waits until one of them has been destroyed (by another thread).
    static constexpr int kDownloads = 2;
    [[nodiscard]] virtual std::unique_ptr<Download> start_download(const Window& window) = 0;
    /// p[n-1], for energies.
    virtual void download_previous(const Window& window, std::span<double> values) const = 0;
    /// Overwrites p[n] and p[n-1], compact [z][y][x]; layers forget what they remember. Initial states, tests.
    virtual void upload(std::span<const double> p, std::span<const double> p_previous) = 0;
    /// [receiver][sample], samples as given to set_receivers.
    virtual void download_traces(std::span<float> values) const = 0;
    virtual void download_traces(std::span<double> values) const = 0;
};

/// One row of the list of kernels: `onda info`, schema, tests and bench read it.
struct KernelInfo {
    std::string_view name;
    std::string_view help;
};

/// What a shot asks of a backend beside the grid.
struct ShotSize {
    std::int64_t source_nodes = 0, sources = 0, signal_samples = 0;
    std::int64_t receiver_nodes = 0, receivers = 0, trace_samples = 0;
    std::int64_t download_points = 0;  ///< largest window of start_download
};

namespace cpu {

/// The kernels of the CPU backend, of all operators, reference first.
std::span<const KernelInfo> kernel_names();
/// Those that compute this operator.
std::vector<std::string> kernels_of(WaveOperator wave_operator);
/// Instruction sets compiled in and usable on this machine, slowest first ("generic", "x86-64-v3", "x86-64-v4").
std::vector<std::string> isa_names();
/// What "auto" means for this machine.
std::string best_isa();
std::string best_kernel(const BackendSetup& setup);
/// Bytes the backend will hold for fields and model, before anything is allocated.
std::int64_t predicted_bytes(const BackendSetup& setup);
/// \throws SetupFault; what check_scheme throws.
void check_setup(const BackendSetup& setup);
/// \throws what check_setup throws; std::bad_alloc.
std::unique_ptr<Backend> make_backend(const BackendSetup& setup);

}  // namespace cpu

namespace cuda {

struct Gpu {
    std::string name;          ///< "NVIDIA H200"
    std::string architecture;  ///< "sm_90"
    int multiprocessors = 0;
    std::int64_t memory_bytes = 0, free_bytes = 0;
};

/// What there is to compute on. Asked once, when it is first needed.
struct Platform {
    bool compiled_in = false;
    std::string driver_version, runtime_version;  ///< "13.0"; empty where there is none
    std::vector<Gpu> gpus;                        ///< the first one computes
    std::string problem;                          ///< why no GPU can be used, and what to do; empty if one can
    bool memory_is_short = false;                 ///< that is the problem: others have taken the GPU's memory
};
const Platform& platform();
/// Memory that is free on the GPU that computes.
std::int64_t available_bytes();

/// The kernels of the CUDA backend, the same list whether CUDA was compiled in or not.
std::span<const KernelInfo> kernel_names();
std::string best_kernel(const BackendSetup& setup);

/// One compiled instance that can compute a setup (its dimensions, order, precision) on this GPU.
struct Variant {
    std::string kernel, tile, copy;  ///< copy is empty for kernels without a choice of engines
};
/// Fastest known first within a kernel: the first is what "auto" takes. The twin, if the operator has one, is the last.
std::vector<Variant> variants(const BackendSetup& setup);

/// What the compiler made of the instance that a setup names.
Resources resources(const BackendSetup& setup);

/// Bytes on the GPU for fields, model and boundaries, before anything is allocated.
std::int64_t predicted_bytes(const BackendSetup& setup);
/// Bytes on the GPU for sources, receivers and downloads of a shot; host memory is pinned and comes to the windows.
std::int64_t predicted_shot_bytes(const BackendSetup& setup, const ShotSize& shot);

/// \throws SetupFault; what check_scheme throws; std::runtime_error if there is no GPU.
void check_setup(const BackendSetup& setup);
/// \throws what check_setup throws; cuda::Error, std::bad_alloc.
std::unique_ptr<Backend> make_backend(const BackendSetup& setup);

}  // namespace cuda
}  // namespace onda
