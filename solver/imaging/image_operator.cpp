#include "solver/imaging/image_operator.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/equations/compact/compact.hpp"
#include "solver/discretisation/line_filter.hpp"
#include "solver/imaging/rho_gradient.hpp"

namespace onda {
namespace {

/// Some planes of a grid with a halo on all sides, the nodes of other axes than the grid's without.
struct Padded {
    Padded(const Grid& of, std::int64_t first_plane, std::int64_t planes, std::int64_t nodes_beyond)
        : grid(of),
          first(first_plane),
          halo{nodes_beyond, of.dimensions == 3 ? nodes_beyond : 0, nodes_beyond},
          n{of.nx() + 2 * halo[0], of.ny() + 2 * halo[1], planes + 2 * halo[2]},
          values(static_cast<std::size_t>(n[0] * n[1] * n[2])) {}

    [[nodiscard]] std::int64_t stride(std::size_t axis) const { return axis == 0 ? 1 : axis == 1 ? n[0] : n[0] * n[1]; }
    /// Node (0, y, z) of the grid, z among the planes or within the halo of them.
    [[nodiscard]] double* row(std::int64_t y, std::int64_t z) {
        return values.data() + ((z - first + halo[2]) * n[1] + y + halo[1]) * n[0] + halo[0];
    }
    /// Calls fill(row, y, z) for all rows, those of halos, too, whose y and z may lie outside of the grid.
    template <typename Fill>
    void fill_rows(const Fill& fill) {
#pragma omp parallel for
        for (std::int64_t i = 0; i < n[1] * n[2]; ++i) {
            const std::int64_t y = i % n[1] - halo[1], z = i / n[1] - halo[2] + first;
            fill(row(y, z), y, z);
        }
    }

    const Grid& grid;
    std::int64_t first;
    std::array<std::int64_t, 3> halo, n;
    std::vector<double> values;
};

constexpr std::array kAllAxes{true, true, true};

class OperatorOnImage {
public:
    /// \param along the axes that it differentiates along, of equations whose operator is that of the star.
    OperatorOnImage(ImagePlanes image, const Problem& problem, const MediumReaders& readers,
                    std::array<bool, 3> along = kAllAxes)
        : image_(std::move(image)),
          problem_(problem),
          readers_(readers),
          along_(along),
          stencil_(make_stencil<double>(problem.scheme, problem.grid.spacing_m, problem.grid.dimensions)) {
        if (along == kAllAxes) return;
        stencil_.centre = 0.;
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (int k = 1; has(axis) && k <= stencil_.radius; ++k) stencil_.centre -= 2. * stencil_.axis[axis][k];
    }

    void operator()(std::int64_t first, std::span<double> planes) const {
        const Grid& grid = problem_.grid;
        const std::int64_t count = std::ssize(planes) / (grid.nx() * grid.ny());
        Padded padded = padded_image(first, count);
        std::optional<Padded> half_rho;
        if (has_parameter(problem_.scheme.equation, "rho")) half_rho.emplace(padded_half_rho(first, count));
#pragma omp parallel for
        for (std::int64_t i = 0; i < count * grid.ny(); ++i) {
            const std::int64_t y = i % grid.ny(), z = first + i / grid.ny();
            double* const l = planes.data() + i * grid.nx();
            std::fill_n(l, grid.nx(), 0.);
            if (half_rho)
                add_divergence(padded, *half_rho, y, z, l);
            else if (problem_.scheme.equation == Equation::compact)
                add_compact(padded, padded.row(y, z), l);
            else
                add_star(padded, padded.row(y, z), l);
        }
    }

private:
    [[nodiscard]] Padded padded_image(std::int64_t first, std::int64_t count) const {
        const Grid& grid = problem_.grid;
        Padded padded(grid, first, count, problem_.scheme.halo());
        const std::int64_t low = std::max<std::int64_t>(0, first - padded.halo[2]),
                           high = std::min(grid.nz(), first + count + padded.halo[2]);
        NodeValues planes(static_cast<std::size_t>((high - low) * grid.nx() * grid.ny()));
        image_(low, planes);
        padded.fill_rows([&](double* row, std::int64_t y, std::int64_t z) {
            const std::int64_t from_z = std::clamp(mirrored(z, grid.nz()), low, high - 1);
            const double* const from = planes.data() + grid.at(0, mirrored(y, grid.ny()), from_z - low);
            for (std::int64_t x = -padded.halo[0]; x < grid.nx() + padded.halo[0]; ++x)
                row[x] = from[mirrored(x, grid.nx())];
        });
        return padded;
    }
    [[nodiscard]] Padded padded_half_rho(std::int64_t first, std::int64_t count) const {
        const Grid& grid = problem_.grid;
        Padded padded(grid, first, count, problem_.scheme.halo());
        padded.fill_rows([&](double* row, std::int64_t y, std::int64_t z) {
            thread_local std::vector<float> rho;
            rho.resize(static_cast<std::size_t>(grid.nx()));
            readers_[kRhoOf](std::clamp<std::int64_t>(y, 0, grid.ny() - 1),
                             std::clamp<std::int64_t>(z, 0, grid.nz() - 1), rho);
            for (std::int64_t x = -padded.halo[0]; x < grid.nx() + padded.halo[0]; ++x) {
                const auto inside = static_cast<std::size_t>(std::clamp<std::int64_t>(x, 0, grid.nx() - 1));
                row[x] = 0.5 * static_cast<double>(rho[inside]);
            }
        });
        return padded;
    }
    [[nodiscard]] bool has(std::size_t axis) const {
        return along_[axis] && problem_.grid.has_axis(static_cast<int>(axis));
    }

    void add_star(const Padded& padded, const double* p, double* l) const {
        for (std::int64_t x = 0; x < problem_.grid.nx(); ++x) l[x] += stencil_.centre * p[x];
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (int k = 1; has(axis) && k <= stencil_.radius; ++k) {
                const std::int64_t away = k * padded.stride(axis);
                for (std::int64_t x = 0; x < problem_.grid.nx(); ++x)
                    l[x] += stencil_.axis[axis][k] * (p[x - away] + p[x + away]);
            }
    }
    void add_compact(const Padded& padded, const double* p, double* l) const {
        const std::int64_t pitch = padded.stride(1), plane = padded.stride(2);
        for (std::int64_t x = 0; x < problem_.grid.nx(); ++x)
            l[x] += problem_.grid.dimensions == 3 ? compact_laplacian<double, 3>(p + x, pitch, plane, stencil_.compact)
                                                  : compact_laplacian<double, 2>(p + x, pitch, plane, stencil_.compact);
    }
    /// -D' b D (kernels/equations/density/staggered.hpp): of each of the 2r fluxes that the divergence at a node takes
    /// along an axis, the one between nodes j and j + 1 from it.
    void add_divergence(Padded& padded, Padded& half_rho, std::int64_t y, std::int64_t z, double* l) const {
        const int r = stencil_.radius;
        const std::int64_t nx = problem_.grid.nx();
        const double *const p = padded.row(y, z), *const s = half_rho.row(y, z);
        thread_local std::vector<double> flux;
        flux.resize(static_cast<std::size_t>(nx));
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (!has(axis)) continue;
            const double* const d = stencil_.axis[axis];
            const std::int64_t stride = padded.stride(axis);
            for (int j = -r; j < r; ++j) {
                const double weight = j < 0 ? -d[-j] : d[j + 1];
                std::ranges::fill(flux, 0.);
                for (int k = 1; k <= r; ++k)
                    for (std::int64_t x = 0; x < nx; ++x)
                        flux[static_cast<std::size_t>(x)] +=
                            d[k] * (p[x + (j + k) * stride] - p[x + (j + 1 - k) * stride]);
                for (std::int64_t x = 0; x < nx; ++x)
                    l[x] += weight * flux[static_cast<std::size_t>(x)] / (s[x + j * stride] + s[x + (j + 1) * stride]);
            }
        }
    }

    ImagePlanes image_;
    const Problem& problem_;
    const MediumReaders& readers_;
    std::array<bool, 3> along_;
    Stencil<double> stencil_;
};

}  // namespace

ImagePlanes operator_on(ImagePlanes image, const Problem& problem, const MediumReaders& readers) {
    if (problem.scheme.equation->fields.size() > 1)
        throw std::logic_error("no image has the operator of an equation of several fields");
    return OperatorOnImage(std::move(image), problem, readers);
}

ImagePlanes operator_on_stresses(ImagePlanes horizontal, ImagePlanes vertical, const Problem& problem,
                                 const MediumReaders& readers) {
    return [h = OperatorOnImage(std::move(horizontal), problem, readers, {true, true, false}),
            v = OperatorOnImage(std::move(vertical), problem, readers, {false, false, true})](
               std::int64_t first, std::span<double> planes) {
        NodeValues of_vertical(planes.size());
        v(first, of_vertical);
        h(first, planes);
        for (std::size_t i = 0; i < planes.size(); ++i) planes[i] += of_vertical[i];
    };
}

}  // namespace onda
