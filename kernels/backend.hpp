/// \file
/// The seam between the physics of a shot and the device that computes it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/grid.hpp"

namespace onda {

enum class Precision { float32, float64 };

/// What fills the halo beyond a face before each step. A mirror has its plane on the first or last node of the axis.
enum class Halo { zero, mirror_negative, mirror_positive };

/// What a backend must know of a face; `face` indices are 2 * axis + (0 low, 1 high).
using FaceHalos = std::array<Halo, 6>;

/// Multiplies p[n+1] and p[n] after each step: factor(x, y, z) = (taper[0][x] taper[1][y]) taper[2][z].
/// Empty tapers mean 1 everywhere on that axis. Only nodes where a taper differs from 1 are visited.
struct Sponge {
    std::array<std::vector<double>, 3> taper;
};

/// Everything a backend needs before it allocates. Complete and checked: see solver/boundary and solver/time_axis.
struct BackendSetup {
    Grid grid;
    int space_order = 8;
    std::vector<double> weights;  ///< c_0 … c_r on unit spacing
    Precision precision = Precision::float32;
    FaceHalos halos{};
    Sponge sponge;
    std::string kernel = "auto";  ///< a name of kernel_names() or "auto"
    std::string isa = "auto";     ///< CPU: a name of isa_names() or "auto"
    int threads = 0;              ///< CPU: 0 takes what OpenMP offers
};

/// Weighted nodes of all sources or receivers of a shot. Row i owns entries [first[i], first[i+1]).
struct NodeWeights {
    std::vector<std::int64_t> first{0};
    std::vector<std::int64_t> node;  ///< Grid::at index
    std::vector<double> weight;

    [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(first.size()) - 1; }
};

/// Sources of one shot: p[n+1](node) += k(node) / cell_volume * weight * signal[row][n].
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

/// One device holding p[n], p[n-1] and k = (vp dt)^2 of one grid.
///
/// The calls of a time step are issued by Propagator, in the order of the design: fill_halos, step, absorb, inject,
/// swap, record. A backend may run them asynchronously; calls that return data wait for what they return.
class Backend {
public:
    virtual ~Backend() = default;

    /// One line for logs: device, kernel, instruction set, threads.
    [[nodiscard]] virtual std::string description() const = 0;
    [[nodiscard]] virtual std::string kernel() const = 0;
    /// Bytes this backend holds for fields and model.
    [[nodiscard]] virtual std::int64_t allocated_bytes() const = 0;

    /// Stores k = (vp dt)^2, zero on mirror_negative faces so that p stays exactly zero there.
    /// \param vp_of_row writes the nx velocities [m/s] of row (y, z); called once a row, by several threads at once.
    using RowReader = std::function<void(std::int64_t y, std::int64_t z, std::span<float> vp_m_s)>;
    virtual void upload_model(const RowReader& vp_of_row, double dt_s) = 0;

    /// p[n] = p[n-1] = 0, no sources, no receivers: the start of a shot.
    virtual void reset() = 0;
    virtual void set_sources(const Sources& sources) = 0;
    /// \param samples capacity of each trace, sample 0 included.
    virtual void set_receivers(const NodeWeights& receivers, std::int64_t samples) = 0;

    virtual void fill_halos() = 0;            ///< of p[n], by the rules of BackendSetup::halos
    virtual void step() = 0;                  ///< p[n+1] = 2 p[n] - p[n-1] + k L(p[n]) over p[n-1]
    virtual void absorb() = 0;                ///< the sponge, on p[n+1] and p[n]
    virtual void inject(std::int64_t n) = 0;  ///< adds signal[n] to p[n+1]
    virtual void swap() = 0;                  ///< p[n+1] becomes p[n]
    virtual void record(std::int64_t n) = 0;  ///< trace sample n of p[n]

    [[nodiscard]] virtual Extremum extremum() const = 0;  ///< of p[n]
    /// Copies p[n] at the nodes of `window`, [z][y][x], x fastest.
    virtual void download(const Window& window, std::span<float> values) const = 0;
    virtual void download(const Window& window, std::span<double> values) const = 0;
    /// p[n-1], for energy and restart.
    virtual void download_previous(const Window& window, std::span<double> values) const = 0;
    /// Overwrites p[n] and p[n-1], compact [z][y][x]: initial states, tests, restart.
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

namespace cpu {

/// The kernels of the CPU backend, reference first.
std::span<const KernelInfo> kernel_names();
/// Instruction sets compiled in and usable on this machine, slowest first ("generic", "x86-64-v3", "x86-64-v4").
std::vector<std::string> isa_names();
/// What "auto" means for this machine.
std::string best_isa();
std::string best_kernel(const BackendSetup& setup);
/// Bytes the backend will hold for fields and model, before anything is allocated.
std::int64_t predicted_bytes(const BackendSetup& setup);
/// \throws std::invalid_argument naming what there is, for an unknown kernel, isa or order; std::bad_alloc.
std::unique_ptr<Backend> make_backend(const BackendSetup& setup);

}  // namespace cpu
}  // namespace onda
