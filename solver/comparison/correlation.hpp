/// \file
/// Cross-correlation of two volumes by real 3-D Fourier transforms: c[s] = sum over j of fixed[j + s] moving[j], where
/// everything outside a volume is zero. Volumes are [z][y][x], x fastest, and triples (x, y, z).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/companions/rotated_template.hpp"

namespace onda {

using Triple = std::array<std::int64_t, 3>;

constexpr std::int64_t product_of(const Triple& n) {
    return n[0] * n[1] * n[2];
}

/// The lags first, first + 1, …, first + count - 1 along each axis.
struct LagBox {
    Triple first{}, count{1, 1, 1};

    [[nodiscard]] Triple lag(std::int64_t index) const {
        return {first[0] + index % count[0], first[1] + index / count[0] % count[1],
                first[2] + index / count[0] / count[1]};
    }
    [[nodiscard]] std::int64_t index(const Triple& lag) const {
        return ((lag[2] - first[2]) * count[1] + lag[1] - first[1]) * count[0] + lag[0] - first[0];
    }
};

/// Two volumes, the lags that are wanted, and the grid of the transforms: zeros behind the values keep what a periodic
/// correlation would bring from the other end out of these lags.
struct CorrelationShape {
    Triple fixed{1, 1, 1}, moving{1, 1, 1};
    LagBox lags;
    Triple padded{4, 1, 1};  ///< of no prime factor above 5; even along x
};
/// The shortest length of at least so many samples without prime factors above 5. \param even whether it must be even.
std::int64_t smooth_length(std::int64_t least, bool even);
/// \throws std::invalid_argument for an extent or a number of lags below 1.
CorrelationShape correlation_shape(const Triple& fixed, const Triple& moving, const LagBox& lags);

/// A local maximum of a correlation: the largest value within so many lags along every axis, the first of equal ones.
struct LagPeak {
    Triple lag{};
    double value = 0.;
};

/// The transforms of a shape on a device, and what is between them. A correlation is rotate() or set_moving(),
/// forward(), multiply(), inverse(), and then lags() or peaks(). One thread at a time.
class Correlator {
public:
    virtual ~Correlator() = default;
    /// Takes [z][y][x] of shape.fixed, and transforms it. Values are finite.
    virtual void set_fixed(std::span<const float> values) = 0;
    /// Takes [z][y][x] of shape.moving.
    virtual void set_moving(std::span<const float> values) = 0;
    /// Takes the values that rotate() turns, [z][y][x].
    virtual void set_template(std::span<const float> values) = 0;
    /// Makes the moving volume of the template. \param turn its canvas is shape.moving.
    virtual void rotate(const TemplateTurn& turn) = 0;
    /// The sum of the squares of the moving volume, in double precision and a fixed order.
    [[nodiscard]] virtual double moving_energy() = 0;
    virtual void forward() = 0;
    virtual void multiply() = 0;
    virtual void inverse() = 0;
    /// Waits for what has been queued: for measurements.
    virtual void wait() {}
    /// The correlation at all lags of the shape, x fastest.
    [[nodiscard]] virtual std::vector<double> lags() = 0;
    /// The best peaks, at most `count`, best first. \param apart of LagPeak: a lag at least.
    [[nodiscard]] virtual std::vector<LagPeak> peaks(int count, std::int64_t apart) = 0;
};

/// A row: one kind of device that transforms.
struct CorrelatorRow {
    std::string_view name;  ///< of --backend
    std::string_view help;
    /// Why it cannot be used, and what to do; empty if it can.
    std::string (*problem)(int ordinal);
    /// \param threads of a CPU, which change no bit; \param ordinal of a GPU.
    std::unique_ptr<Correlator> (*make)(const CorrelationShape& shape, int threads, int ordinal);
    int (*count)();   ///< how many there are that work at the same time
    double rounding;  ///< of a correlation, relative to the product of the norms
};
/// Fastest first: "auto" is the first that can be used.
std::span<const CorrelatorRow> correlator_rows();
/// \param name "auto" or of a row. \throws Error(usage) for another name, Error(no_device) with the row's problem.
const CorrelatorRow& choose_correlator(const std::string& name);

/// The peaks of values on a box of lags, at most `count`, best first, equal ones in the order of their index. Values of
/// -infinity are no peaks. \param apart as in LagPeak. \param threads 0: as many as OpenMP gives; they change nothing.
std::vector<LagPeak> find_peaks(std::span<const double> values, const LagBox& box, int count, std::int64_t apart,
                                int threads = 0);

struct ShiftSettings {
    Triple limit{};           ///< the largest |shift| that is looked for, in samples along each axis
    int peaks = 1;            ///< at most so many
    std::int64_t apart = 4;   ///< two peaks differ by more than so many samples along an axis
    bool remove_mean = true;  ///< of each volume, before anything else
};

/// A shift that aligns volumes.
struct Shift {
    std::array<double, 3> samples{};  ///< b[x + shift] is like a[x]: b lies this far behind a
    double correlation = 0.;          ///< of what overlaps, -1 to 1
    bool at_limit = false;            ///< the correlation may still rise beyond the limit
};

struct ShiftSearch {
    double correlation = 0.;    ///< without any shift
    std::vector<Shift> shifts;  ///< best first; none where one of the volumes is constant
    std::string problem;        ///< why there are none
    Triple padded{};            ///< the grid of the transforms
};

/// How near a shift is found to that of band-limited volumes (up to three quarters of the Nyquist wavenumber)
/// [samples].
inline constexpr double kShiftAccuracy = 0.02;

/// Finds the shifts of b against a at which their overlap correlates best: sum a b over the square root of the energies
/// of both where they overlap (normalised cross-correlation, Lewis 1995, whose sums over boxes come from tables of
/// sums), so that what leaves a volume at its edge does not draw the peak towards zero. Lags at which less than a tenth
/// of either energy overlaps are left out. Sub-sample: Newton's method on the correlation between its lags, as a
/// Kaiser-windowed sinc interpolates it (the place of the maximum of an upsampled transform, Guizar-Sicairos et al.
/// 2008, Opt. Lett. 33(2), without the steps of its grid); less than 1e-4 of a sample is rounding and given as zero.
/// \param a, b [z][y][x] of extents n. \throws Error(bad_data) for values that are not finite; std::invalid_argument
/// for limits that are negative or leave no overlap.
ShiftSearch find_shifts(std::span<const float> a, std::span<const float> b, const Triple& n,
                        const ShiftSettings& settings, const CorrelatorRow& row, int threads, int ordinal = 0);

}  // namespace onda
