#include "kernels/backend.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <omp.h>
#include <stdexcept>
#include <type_traits>
#include <unistd.h>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/cpml_layers.hpp"
#include "kernels/cpu/denormals.hpp"
#include "kernels/cpu/downloads.hpp"
#include "kernels/cpu/kernel_table.hpp"
#include "kernels/cpu/points.hpp"
#include "kernels/grid/halo.hpp"

namespace onda::cpu {
namespace {

std::int64_t l2_bytes() {
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? bytes : 512 * 1024;
}

std::array<std::int64_t, 3> halo_width(const BackendSetup& setup) {
    const std::int64_t r = setup.scheme.halo();
    return {r, setup.grid.dimensions == 3 ? r : 0, r};
}

template <typename T>
Layout field_layout(const BackendSetup& setup) {
    return {setup.grid, halo_width(setup), sizeof(T)};
}
template <typename T>
Layout model_layout(const BackendSetup& setup) {
    return {setup.grid, {0, 0, 0}, sizeof(T)};
}

template <typename T>
Layout density_layout(const BackendSetup& setup) {
    const std::int64_t r = setup.scheme.radius();
    return {setup.grid, {r, setup.grid.dimensions == 3 ? r : 0, r}, sizeof(T)};
}

int threads_of(const BackendSetup& setup) {
    return setup.threads > 0 ? setup.threads : omp_get_max_threads();
}

template <typename T>
class CpuBackend final : public Backend {
public:
    CpuBackend(const BackendSetup& setup, const InstructionSet& isa, const Kernel& kernel)
        : setup_(setup),
          grid_(setup.grid),
          halos_(setup.halos),
          isa_(isa.name),
          kernel_(kernel),
          threads_(threads_of(setup)),
          field_(field_layout<T>(setup)),
          model_(model_layout<T>(setup)),
          density_(density_layout<T>(setup)),
          p_(field_.size),
          q_(field_.size),
          k_(model_.size),
          half_rho_(setup.scheme.has_density() ? density_.size : 0),
          layers_(setup, arrays(), isa.cpml<T>()) {
        for (int axis = 0; axis < 3; ++axis) {
            copies_[axis] = halo_copies(grid_.n[axis], field_.halo[axis], halos_[2 * axis], halos_[2 * axis + 1]);
            taper_[axis].assign(setup.sponge.taper[axis].begin(), setup.sponge.taper[axis].end());
            has_sponge_ = has_sponge_ || !taper_[axis].empty();
            if (taper_[axis].empty()) taper_[axis].assign(grid_.n[axis], T(1));
        }
        damped_high_ = grid_.nx();
        while (damped_low_ < damped_high_ && taper_[0][damped_low_] != T(1)) ++damped_low_;
        while (damped_high_ > damped_low_ && taper_[0][damped_high_ - 1] != T(1)) --damped_high_;
        static_cast<Arrays<T>&>(arguments_) = arrays();
        arguments_.stencil = make_stencil<T>(setup.scheme, grid_.spacing_m, grid_.dimensions);
        arguments_.strategy = kernel.strategy;
        arguments_.cache_bytes = l2_bytes();
    }

    std::string description() const override {
        return "CPU, kernel " + kernel_.name + ", " + isa_ + ", " + std::to_string(threads_) +
               (threads_ == 1 ? " thread, " : " threads, ") + (sizeof(T) == 4 ? "float" : "double");
    }
    std::string kernel() const override { return kernel_.name; }
    std::int64_t allocated_bytes() const override {
        return p_.bytes() + q_.bytes() + k_.bytes() + half_rho_.bytes() + layers_.bytes();
    }

    void upload_model(const RowReader& vp_of_row, const RowReader& rho_of_row, double dt_s) override;
    void reset() override;
    void set_sources(const Sources& sources) override;
    void set_receivers(const NodeWeights& receivers, std::int64_t samples) override;

    void fill_halos() override;
    void step() override;
    void absorb() override;
    void inject(std::int64_t n) override { injection_.add(n, q_.data()); }
    void swap() override { std::swap(p_, q_); }
    void record(std::int64_t n) override { recorder_.record(n, p_.data(), threads_); }

    Extremum extremum() const override;
    void download(const Window& window, std::span<float> values) const override { copy_out(p_, window, values); }
    void download(const Window& window, std::span<double> values) const override { copy_out(p_, window, values); }
    void download_previous(const Window& window, std::span<double> values) const override {
        copy_out(q_, window, values);
    }
    std::unique_ptr<Download> start_download(const Window& window) override {
        auto download = std::make_unique<HostDownload>(frames_, window.points());
        copy_out(p_, window, download->values());
        return download;
    }
    void upload(std::span<const double> p, std::span<const double> p_previous) override;
    void download_traces(std::span<float> values) const override { recorder_.copy(values); }
    void download_traces(std::span<double> values) const override { recorder_.copy(values); }

private:
    /// Calls body(rows) once a thread, with the rows that are its own (see rows_of_thread).
    template <typename Body>
    void for_threads(const Body& body) const {
#pragma omp parallel num_threads(threads_)
        {
            const FlushDenormals<T> flush;
            body(rows_of_thread(grid_.ny() * grid_.nz(), omp_get_thread_num(), omp_get_num_threads()));
        }
    }
    /// Calls body(y, z) for every row of `rows`.
    template <typename Body>
    void for_rows(RowRange rows, const Body& body) const {
        for (std::int64_t row = rows.begin; row < rows.end; ++row) body(row % grid_.ny(), row / grid_.ny());
    }
    /// Calls body(y, z) for every row of the grid, by all threads.
    template <typename Body>
    void for_rows(const Body& body) const {
        for_threads([&](RowRange rows) { for_rows(rows, body); });
    }
    /// All that kernels work on but p and q, which a step swaps.
    [[nodiscard]] Arrays<T> arrays() {
        Arrays<T> a;
        a.k = k_.data() + model_.origin;
        a.nx = grid_.nx();
        a.ny = grid_.ny();
        a.nz = grid_.nz();
        a.pitch = field_.pitch;
        a.plane = field_.plane;
        a.k_pitch = model_.pitch;
        a.k_plane = model_.plane;
        if (setup_.scheme.has_density()) {
            a.half_rho = half_rho_.data() + density_.origin;
            a.rho_pitch = density_.pitch;
            a.rho_plane = density_.plane;
        }
        a.threads = threads_;
        return a;
    }
    template <typename U>
    void copy_out(const Buffer<T>& from, const Window& window, std::span<U> values) const;
    void zero(Buffer<T>& field) const;
    void fill_density_halo();
    [[nodiscard]] bool on_negative_mirror(int axis, std::int64_t index) const {
        return (index == 0 && halos_[2 * axis] == Halo::mirror_negative) ||
               (index == grid_.n[axis] - 1 && halos_[2 * axis + 1] == Halo::mirror_negative);
    }
    [[nodiscard]] auto element_of() const {
        return [this](std::int64_t index) {
            const auto [x, y, z] = grid_.node(index);
            return field_.at(x, y, z);
        };
    }

    BackendSetup setup_;
    Grid grid_;
    FaceHalos halos_;
    std::string isa_;
    Kernel kernel_;
    int threads_;
    Layout field_, model_, density_;
    Buffer<T> p_, q_, k_, half_rho_;
    CpmlLayers<T> layers_;
    StepArguments<T> arguments_;
    std::array<std::vector<HaloCopy>, 3> copies_;
    std::array<std::vector<T>, 3> taper_;
    bool has_sponge_ = false;
    std::int64_t damped_low_ = 0, damped_high_ = 0;  ///< taper_[0] is 1 on [low, high)
    Injection<T> injection_;
    Recorder<T> recorder_;
    FrameBuffers frames_;
};

template <typename T>
void CpuBackend<T>::upload_model(const RowReader& vp_of_row, const RowReader& rho_of_row, double dt_s) {
    check_model(setup_, bool(rho_of_row));
    for_threads([&](RowRange rows) {
        std::vector<float> vp(grid_.nx()), rho(grid_.nx(), 1.f);
        for_rows(rows, [&](std::int64_t y, std::int64_t z) {
            vp_of_row(y, z, vp);
            if (rho_of_row) {
                rho_of_row(y, z, rho);
                T* const half = half_rho_.data() + density_.at(0, y, z);
                for (std::int64_t x = 0; x < grid_.nx(); ++x) half[x] = T(0.5) * static_cast<T>(rho[x]);
            }
            T* const k = k_.data() + model_.at(0, y, z);
            const bool wall = on_negative_mirror(1, y) || on_negative_mirror(2, z);
            for (std::int64_t x = 0; x < grid_.nx(); ++x) {
                const double v_dt = static_cast<double>(vp[x]) * dt_s;
                const double value = v_dt * v_dt * static_cast<double>(rho[x]);
                k[x] = wall || on_negative_mirror(0, x) ? T(0) : static_cast<T>(value);
            }
        });
    });
    if (rho_of_row) fill_density_halo();
}

template <typename T>
void CpuBackend<T>::fill_density_halo() {
    T* const rho = half_rho_.data();
    const auto copies = [this](int axis) {
        return model_copies(grid_.n[axis], density_.halo[axis], halos_[2 * axis], halos_[2 * axis + 1]);
    };
    const auto copy_row = [&](std::int64_t to, std::int64_t from) { std::copy_n(rho + from, grid_.nx(), rho + to); };
    const auto along_x = copies(0), along_y = copies(1), along_z = copies(2);
    for_rows([&](std::int64_t y, std::int64_t z) {
        for (const HaloCopy& copy : along_x) rho[density_.at(copy.to, y, z)] = rho[density_.at(copy.from, y, z)];
        for (const HaloCopy& copy : along_y)
            if (copy.from == y) copy_row(density_.at(0, copy.to, z), density_.at(0, y, z));
        for (const HaloCopy& copy : along_z)
            if (copy.from == z) copy_row(density_.at(0, y, copy.to), density_.at(0, y, z));
    });
}

template <typename T>
void CpuBackend<T>::zero(Buffer<T>& field) const {
    // Every thread clears the rows it will compute and the halo around them: first touch.
    const auto& h = field_.halo;
    const std::int64_t first = field_.origin - field_.pitch * h[1] - field_.plane * h[2];
    std::fill_n(field.data(), first, T(0));
    for_rows([&](std::int64_t y, std::int64_t z) {
        const std::int64_t y0 = y == 0 ? -h[1] : y, y1 = y == grid_.ny() - 1 ? y + h[1] : y;
        const std::int64_t z0 = z == 0 ? -h[2] : z, z1 = z == grid_.nz() - 1 ? z + h[2] : z;
        for (std::int64_t zz = z0; zz <= z1; ++zz)
            for (std::int64_t yy = y0; yy <= y1; ++yy) {
                const std::int64_t begin = field_.at(0, yy, zz);
                const std::int64_t next =
                    yy < y1 || y < grid_.ny() - 1 ? begin + field_.pitch : field_.at(0, -h[1], zz + 1);
                std::fill(field.data() + begin, field.data() + std::min(next, field_.size), T(0));
            }
    });
}

template <typename T>
void CpuBackend<T>::reset() {
    zero(p_);
    zero(q_);
    layers_.reset();
    injection_ = {};
    recorder_ = {};
}

template <typename T>
void CpuBackend<T>::set_sources(const Sources& sources) {
    const auto at = [this](const T* array, const Layout& layout, std::int64_t index) {
        const auto [x, y, z] = grid_.node(index);
        return static_cast<double>(array[layout.at(x, y, z)]);
    };
    std::vector<double> rho(sources.signal.size(), 1.);
    if (setup_.scheme.has_density())
        rho = source_densities(sources.nodes,
                               [&](std::int64_t index) { return 2. * at(half_rho_.data(), density_, index); });
    const auto scale = [&](const SourceEntry& entry) {
        return source_scale(at(k_.data(), model_, entry.node), rho[entry.row], grid_.cell_volume());
    };
    injection_ = Injection<T>(sources, scale, element_of());
}

template <typename T>
void CpuBackend<T>::set_receivers(const NodeWeights& receivers, std::int64_t samples) {
    recorder_ = Recorder<T>(receivers, samples, element_of());
}

template <typename T>
void CpuBackend<T>::fill_halos() {
    // x, then y, then z, each with the halos that are already filled: corners come out as images of images.
    T* const p = p_.data();
    const auto& h = field_.halo;
    const auto copy_row = [&](std::int64_t to, std::int64_t from, int sign) {
        for (std::int64_t x = -h[0]; x < grid_.nx() + h[0]; ++x) p[to + x] = static_cast<T>(sign) * p[from + x];
    };
    if (!copies_[0].empty() || !copies_[1].empty())
        for_rows([&](std::int64_t y, std::int64_t z) {
            for (const HaloCopy& copy : copies_[0])
                p[field_.at(copy.to, y, z)] = static_cast<T>(copy.sign) * p[field_.at(copy.from, y, z)];
            for (const HaloCopy& copy : copies_[1])
                if (copy.from == y) copy_row(field_.at(0, copy.to, z), field_.at(0, y, z), copy.sign);
        });
    for (const HaloCopy& copy : copies_[2])
#pragma omp parallel for num_threads(threads_) schedule(static)
        for (std::int64_t y = -h[1]; y < grid_.ny() + h[1]; ++y)
            copy_row(field_.at(0, y, copy.to), field_.at(0, y, copy.from), copy.sign);
}

template <typename T>
void CpuBackend<T>::step() {
    arguments_.p = p_.data() + field_.origin;
    arguments_.q = q_.data() + field_.origin;
    if constexpr (std::is_same_v<T, float>)
        kernel_.step_float(arguments_);
    else
        kernel_.step_double(arguments_);
}

template <typename T>
void CpuBackend<T>::absorb() {
    layers_.apply(p_.data() + field_.origin, q_.data() + field_.origin);
    if (!has_sponge_) return;
    const T* const tx = taper_[0].data();
    for_rows([&](std::int64_t y, std::int64_t z) {
        const T ty = taper_[1][y], tz = taper_[2][z];
        T* const __restrict p = p_.data() + field_.at(0, y, z);
        T* const __restrict q = q_.data() + field_.at(0, y, z);
        const auto damp = [&](std::int64_t begin, std::int64_t end) {
#pragma omp simd
            for (std::int64_t x = begin; x < end; ++x) {
                const T factor = (tx[x] * ty) * tz;
                p[x] *= factor;
                q[x] *= factor;
            }
        };
        const bool whole_row = ty != T(1) || tz != T(1);
        damp(0, whole_row ? grid_.nx() : damped_low_);
        if (!whole_row) damp(damped_high_, grid_.nx());
    });
}

template <typename T>
Extremum CpuBackend<T>::extremum() const {
    // |p| orders like its bits, and infinities and NaNs come above every number: one integer maximum finds them all.
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits magnitude = ~Bits{0} >> 1;
    const auto bits_at = [&](std::int64_t element) {
        Bits bits;
        std::memcpy(&bits, p_.data() + element, sizeof bits);
        return bits & magnitude;
    };
    struct Largest {
        Bits bits = 0;
        std::int64_t y = 0, z = 0;
        void take(const Largest& other) {
            const bool before = other.z < z || (other.z == z && other.y < y);
            if (other.bits > bits || (other.bits == bits && before)) *this = other;
        }
    } all;
    for_threads([&](RowRange rows) {
        Largest mine;
        for_rows(rows, [&](std::int64_t y, std::int64_t z) {
            Bits of_row = 0;
            for (std::int64_t x = 0; x < grid_.nx(); ++x) of_row = std::max(of_row, bits_at(field_.at(x, y, z)));
            if (of_row > mine.bits) mine = {of_row, y, z};
        });
#pragma omp critical
        all.take(mine);
    });
    std::int64_t x = 0;
    while (bits_at(field_.at(x, all.y, all.z)) != all.bits) ++x;
    const double value = static_cast<double>(std::bit_cast<T>(all.bits));
    return {value, grid_.at(x, all.y, all.z), std::isfinite(value)};
}

template <typename T>
template <typename U>
void CpuBackend<T>::copy_out(const Buffer<T>& from, const Window& window, std::span<U> values) const {
    const std::int64_t rows = window.count[1] * window.count[2];
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t y = window.first[1] + row % window.count[1] * window.step[1];
        const std::int64_t z = window.first[2] + row / window.count[1] * window.step[2];
        const T* const source = from.data() + field_.at(window.first[0], y, z);
        U* const target = values.data() + row * window.count[0];
        for (std::int64_t x = 0; x < window.count[0]; ++x) target[x] = static_cast<U>(source[x * window.step[0]]);
    }
}

template <typename T>
void CpuBackend<T>::upload(std::span<const double> p, std::span<const double> p_previous) {
    for_rows([&](std::int64_t y, std::int64_t z) {
        for (std::int64_t x = 0; x < grid_.nx(); ++x) {
            p_.data()[field_.at(x, y, z)] = static_cast<T>(p[grid_.at(x, y, z)]);
            q_.data()[field_.at(x, y, z)] = static_cast<T>(p_previous[grid_.at(x, y, z)]);
        }
    });
    layers_.reset();
}

template <typename T>
std::int64_t bytes_of(const BackendSetup& setup) {
    const std::int64_t density = setup.scheme.has_density() ? Buffer<T>::bytes_for(density_layout<T>(setup).size) : 0;
    return 2 * Buffer<T>::bytes_for(field_layout<T>(setup).size) + Buffer<T>::bytes_for(model_layout<T>(setup).size) +
           density + CpmlLayers<T>::bytes_for(setup, threads_of(setup));
}

}  // namespace

std::int64_t predicted_bytes(const BackendSetup& setup) {
    return setup.precision == Precision::float32 ? bytes_of<float>(setup) : bytes_of<double>(setup);
}

void check_setup(const BackendSetup& setup) {
    check_scheme(setup);
    find_kernel(find_isa(setup.isa), setup);
}

std::unique_ptr<Backend> make_backend(const BackendSetup& setup) {
    check_scheme(setup);
    const InstructionSet& isa = find_isa(setup.isa);
    const Kernel& kernel = find_kernel(isa, setup);
    if (setup.precision == Precision::float32) return std::make_unique<CpuBackend<float>>(setup, isa, kernel);
    return std::make_unique<CpuBackend<double>>(setup, isa, kernel);
}

}  // namespace onda::cpu
