/// \file
/// The fields of a wavefield: what lies in memory, apart from what time steps do with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/fields/planes.hpp"
#include "kernels/grid/grid.hpp"
#include "kernels/imaging/offset_lines.hpp"
#include "kernels/plane_link.hpp"
#include "kernels/setup.hpp"

namespace onda {

class Correlation;
class FieldRing;
class FluxCorrelation;
class FluxScattering;
class Scattering;
struct RingSize;
enum class Correlated;

/// The largest |p| and where it is; `finite` is false if any node holds NaN or infinity (then `node` is such a node).
struct Extremum {
    double max_abs = 0.;
    std::int64_t node = 0;  ///< Grid::at index
    bool finite = true;
};

/// A part of a field on its way to the host, while later steps run. Must not outlive its fields.
class Download {
public:
    virtual ~Download() = default;
    /// The values, [z][y][x], x fastest, once they have arrived; they live as long as this. May be called from another
    /// thread than the one that drives the steps.
    virtual std::span<const float> wait() = 0;
};

/// One array of a shot's state, as every device, kernel and batch gives it: "p", "p_previous", "cpml.x_min.psi", ….
struct StatePart {
    std::string name;
    std::array<std::int64_t, 3> extents{};  ///< values along x, y, z; of a strip, its width across the face
    std::int64_t element_bytes = 4;

    bool operator==(const StatePart&) const = default;
};

/// A visitor of the state takes (or, where a state is restored, fills in) whole planes of a part: [z][y][x] from plane
/// `first_plane` on.
using StateVisitor = std::function<void(const StatePart& part, std::int64_t first_plane, std::span<std::byte> planes)>;

/// The fields of an equation for some shots on the layout of one device, or of several: each with the time levels n and
/// n - 1. Whoever steps them knows in which order; this class knows where they lie and how they travel. Calls that
/// return data wait for what is queued.
class FieldSet {
public:
    /// \param problem lives as long as the fields.
    explicit FieldSet(const Problem& problem) : problem_(&problem) {}
    virtual ~FieldSet() = default;
    FieldSet(const FieldSet&) = delete;
    FieldSet& operator=(const FieldSet&) = delete;

    [[nodiscard]] const Problem& problem() const { return *problem_; }

    /// The largest |p[n]| of the first field of each shot, and its node.
    [[nodiscard]] virtual std::vector<Extremum> extrema() const = 0;
    /// Copies a time level at the nodes of `window`, [z][y][x], x fastest. \throws what the steps met.
    virtual void download(const Window& window, std::span<float> values, int shot = 0, FieldLevel level = {}) const = 0;
    virtual void download(const Window& window, std::span<double> values, int shot = 0,
                          FieldLevel level = {}) const = 0;
    /// Starts copying p[n] of the first field at the nodes of `window`; the next steps may go on at once. At most
    /// kDownloads live at the same time: another call waits until one of them has been destroyed (by another thread).
    static constexpr int kDownloads = 2;
    [[nodiscard]] virtual std::unique_ptr<Download> start_download(const Window& window, int shot = 0) = 0;
    /// XXH3 with 64 bits (kernels/fingerprint.hpp) of every plane z of `window`: of the values of p[n] of the first
    /// field, [y][x], x fastest, in the precision of the run. Devices make them where the field lies; the default
    /// downloads it, some planes at a time. \param hashes window.count[2] of them. \throws what the steps met.
    virtual void hash_planes(const Window& window, std::span<std::uint64_t> hashes, int shot = 0) const;
    /// The sum of p[n]^2 of the first field over the nodes of `window`, in double and in their order [z][y][x]: the
    /// same bits on every device, and however the grid is cut. \throws what the steps met.
    [[nodiscard]] double sum_of_squares(const Window& window, int shot = 0) const;
    /// Reads p[n] of the first field at nodes (Grid::at indices).
    virtual void sample(std::span<const std::int64_t> nodes, std::span<double> values, int shot = 0) const = 0;

    /// A correlation of the first field of all shots with that of other fields of this problem and device
    /// (kernels/imaging/correlation.hpp). \param slots levels that it keeps. \param lines of pressures, at which it
    /// also sums products of nodes that lie apart. \throws std::bad_alloc; std::logic_error for fields of other
    /// processes.
    [[nodiscard]] virtual std::unique_ptr<Correlation> make_correlation(std::int64_t slots, Correlated what,
                                                                        const OffsetLines& lines) const;
    [[nodiscard]] std::unique_ptr<Correlation> make_correlation(std::int64_t slots, Correlated what) const;
    /// The scattering of the first field of all shots into that of other fields of this problem and device, without a
    /// perturbation (kernels/imaging/scattering.hpp). \throws the same.
    [[nodiscard]] virtual std::unique_ptr<Scattering> make_scattering() const;
    /// The same for the fluxes of variable density (kernels/imaging/flux_correlation.hpp, flux_scattering.hpp).
    /// \throws the same; std::invalid_argument for another equation.
    [[nodiscard]] virtual std::unique_ptr<FluxCorrelation> make_flux_correlation(std::int64_t slots) const;
    [[nodiscard]] virtual std::unique_ptr<FluxScattering> make_flux_scattering() const;

    /// The rings of the first field of all shots, from which one on this device without strips is rebuilt
    /// (kernels/imaging/field_ring.hpp). \throws std::bad_alloc; std::logic_error for fields of other processes;
    /// std::invalid_argument for a field that cannot be rebuilt.
    [[nodiscard]] virtual std::unique_ptr<FieldRing> make_ring(const RingSize& size) const;

    /// The fields of one of the slabs that a grid is cut into; of a grid that is whole, these.
    [[nodiscard]] virtual const FieldSet& of_slab(std::size_t /*slab*/) const { return *this; }
    [[nodiscard]] FieldSet& of_slab(std::size_t slab) {
        return const_cast<FieldSet&>(std::as_const(*this).of_slab(slab));
    }

    /// Lets slabs exchange the planes of p[n] beside their cuts, as a step does, for what reads those beyond them
    /// between steps. Nothing where nothing is cut.
    virtual void exchange_planes() {}

    // The planes that cross a cut (PlaneShape). Planes below 0 and from nz on lie in the halo. Fields that nobody cuts
    // leave these as they are: they throw std::logic_error.

    /// Overwrites planes to_plane … to_plane + count - 1 by those of a neighbouring slab. The copy may overlap queued
    /// work until await_planes(), which must not change what it reads. \param other on a device of the same kind, of
    /// the same precision and extents along x and y.
    virtual void copy_planes(const FieldSet& /*other*/, std::int64_t /*from_plane*/, std::int64_t /*to_plane*/,
                             std::int64_t /*count*/) {
        throw_uncut();
    }
    /// A buffer for planes, in memory of the host that the device copies from and to without a detour.
    [[nodiscard]] virtual PlaneBuffer make_plane_buffer(std::int64_t /*planes*/) const { throw_uncut(); }
    /// Copies planes from `from_plane` on to a buffer, which the device reaches, under the rules of copy_planes().
    /// \returns whether they are there; otherwise they are after await_packed().
    [[nodiscard]] virtual bool pack(std::int64_t /*from_plane*/, const PlaneBuffer& /*planes*/) const { throw_uncut(); }
    virtual void await_packed() const {}
    /// Overwrites planes from `to_plane` on by those of a buffer, which must stay as it is until the next
    /// await_packed(); what reads them comes after await_planes().
    virtual void unpack(std::int64_t /*to_plane*/, const PlaneBuffer& /*planes*/) { throw_uncut(); }
    /// The end of a cut where so many planes from `from_plane` on go from the device to that of another process, whose
    /// planes come to those from `to_plane` on; null where they go through the host.
    [[nodiscard]] virtual std::unique_ptr<PlanePort> make_plane_port(std::int64_t /*planes*/,
                                                                     std::int64_t /*from_plane*/,
                                                                     std::int64_t /*to_plane*/) {
        return nullptr;
    }
    /// Lets what is queued from now on come after the copies to and from these fields.
    virtual void await_planes() {}

private:
    [[noreturn]] static void throw_uncut();

    const Problem* problem_;
};

}  // namespace onda
