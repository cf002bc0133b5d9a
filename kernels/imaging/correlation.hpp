/// \file
/// What the gradient of a misfit takes of two wavefields where they lie: a forward field, kept level by level, and the
/// adjoint field that meets it on the way back.
///
/// With the adjoint field nu of a problem (run backward by the forward loop, see solver/imaging/adjoint_points.hpp) and
/// a step p[n+1] = G (2 p[n] - G p[n-1] + A p[n]) + f[n] of tapers G, the derivative of a misfit with respect to k is
/// that of
///     W / (k^2 G) sum over n of lambda[n+1] a[n],   a[n] = p[n+1] - 2 G p[n] + G^2 p[n-1] = k G (L p[n] + s[n]),
/// W halving the nodes of rigid faces. Summed by parts in time this is a product of first differences,
///     sum over n of (p[n+1] - G p[n]) (nu[n+1] - G nu[n+2]),
/// and each bracket is what the two levels of a wavefield differ by after a step: nothing but these two fields is
/// needed, and layers, sources and the order of the operator are in them. In single precision first differences keep a
/// digit more than a[n], a second difference, does.
///
/// In perfectly matched layers nu is (1 + Z) lambda along each of their axes (kernels/shot/layer_sources.hpp): the
/// recursion y = (nu - b z) / (1 + a), z <- b z + a y undoes it, in the order of the adjoint run, at every step.
///
/// Where nodes remember (kernels/equations/attenuation/memory.hpp), a step takes g e[n] from p[n+1], too, and R[n+1] is
/// G (R[n] + a e[n]): a[n] has R[n+1] - G R[n] times g / a beside the above, and by parts in time as well the sum has
///     g / a sum over n of R[n+1] (nu[n+1] - G nu[n+2]).
///
/// Drag (kernels/equations/attenuation/drag.hpp) takes g (p[n] - G p[n-1]): there G p[n], the level before that a step
/// leaves, has the place of R[n+1], and a is 1.
///
/// Of two stresses with a strain beside them (kernels/equations/vti/vti.hpp) a step adds k C g, C = [[e, d], [d, 1]],
/// and lambda = (k C)^-1 nu where C has an inverse. With the strain s = k g_h of both fields in the place of the first
/// stress nothing needs it: with the derivative of the misfit by k, e and d
///     lambda' C g = (nu_q a_q + (e - d^2) nu_s a_s) / k^2,  lambda_h g_h = nu_s a_s / k^2,
///     lambda_h g_v + lambda_v g_h = (nu_s a_q + nu_q a_s - 2 d nu_s a_s) / k^2,
/// each product is a sum of differences as above, and the mixed ones are those of q + s less those of q and of s.
///
/// A step of order 4 in time, p[n+1] = G (2 p[n] - G p[n-1] + u[n] + A u[n] / 12) + ..., u[n] = A p[n] + f[n], has k
/// twice in A A: beside the image above, of the whole a[n], its derivative is that of
///     W / (12 k^2) sum over n of (A nu[n+1]) u[n],
/// A being symmetric but for k and W. Both brackets are what the two wavefields apply A to anyway, layers included
/// (kAppliedLevel); the step from nu[n+1] makes A nu[n+1].
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/fields/field_set.hpp"
#include "kernels/imaging/layer_boxes.hpp"
#include "kernels/imaging/offset_lines.hpp"
#include "kernels/shot_state.hpp"

namespace onda {

/// What of two wavefields is correlated.
enum class Correlated {
    differences,              ///< p[n] - p[n-1]
    differences_and_squares,  ///< with the squares of both
    applied,                  ///< kAppliedLevel
    pressures,                ///< p[n]; in layers in their coordinates, as it is
    pressures_and_squares,    ///< with the squares of both
    memory,                   ///< the first memory field of the forward field, with p[n] - p[n-1] of the adjoint field
    second_memory,            ///< the second one, likewise
    level_before,             ///< p[n-1] of the forward field, likewise
    vertical_differences,     ///< of the second field, the vertical stress
    vertical_differences_and_squares,
    strain_differences,  ///< of the third field
    sum_of_differences,  ///< of the sum of both
    vertical_stresses,   ///< p[n] of the second field
    vertical_stresses_and_squares,
};

/// What correlates a memory field (EquationRow::memory).
constexpr Correlated correlated_memory(std::size_t field) {
    return field == 0 ? Correlated::memory : Correlated::second_memory;
}
/// The memory field that is kept of the forward field; -1: none.
constexpr int memory_of(Correlated what) {
    return what == Correlated::memory ? 0 : what == Correlated::second_memory ? 1 : -1;
}

/// The fields of which something is correlated: their sum; -1: one alone.
constexpr std::array<int, 2> correlated_fields(Correlated what) {
    switch (what) {
        case Correlated::vertical_differences:
        case Correlated::vertical_differences_and_squares:
        case Correlated::vertical_stresses:
        case Correlated::vertical_stresses_and_squares: return {1, -1};
        case Correlated::strain_differences: return {2, -1};
        case Correlated::sum_of_differences: return {1, 2};
        default: return {0, -1};
    }
}

/// Whether an equation has a strain beside two stresses.
inline bool has_strain(const EquationRow& equation) {
    return equation.fields.size() == 3;
}
/// Differences, with their squares where an image is to be illuminated.
constexpr Correlated correlated_differences(bool illuminates) {
    return illuminates ? Correlated::differences_and_squares : Correlated::differences;
}
/// Those of the field that images of an equation are made of.
inline Correlated correlated_differences(const EquationRow& equation, bool illuminates) {
    if (!has_strain(equation)) return correlated_differences(illuminates);
    return illuminates ? Correlated::vertical_differences_and_squares : Correlated::vertical_differences;
}
/// What a gradient takes beside these: of each memory field, of drag, or of the strain. \param anisotropy whether it is
/// of epsilon and delta, too.
std::vector<Correlated> correlated_beside(const EquationRow& equation, bool anisotropy);
/// Pressures, likewise; of two stresses the vertical one, which is the pressure where nothing is anisotropic.
inline Correlated correlated_pressures(const EquationRow& equation, bool illuminates) {
    if (equation.fields.size() > 1)
        return illuminates ? Correlated::vertical_stresses_and_squares : Correlated::vertical_stresses;
    return illuminates ? Correlated::pressures_and_squares : Correlated::pressures;
}
constexpr bool sums_squares(Correlated what) {
    return what == Correlated::differences_and_squares || what == Correlated::pressures_and_squares ||
           what == Correlated::vertical_differences_and_squares || what == Correlated::vertical_stresses_and_squares;
}
/// Whether what is correlated is p[n] itself.
constexpr bool is_pressure(Correlated what) {
    return what == Correlated::pressures || what == Correlated::pressures_and_squares ||
           what == Correlated::vertical_stresses || what == Correlated::vertical_stresses_and_squares;
}
/// Whether what is correlated of the adjoint field is what two levels differ by.
constexpr bool is_difference(Correlated what) {
    return !is_pressure(what) && what != Correlated::applied;
}
/// The layers out of which an adjoint field is taken: none where pressures are correlated.
LayerBoxes correlated_layers(const Problem& problem, Correlated what);

/// What is summed over the levels that met.
enum class LevelSum {
    products,         ///< of what was kept and the same of the adjoint field
    forward_squares,  ///< of what was kept
    adjoint_squares,  ///< of the adjoint field's, in layers out of their coordinates
};
/// As parts of a state are named.
constexpr const char* name_of(LevelSum sum) {
    return sum == LevelSum::products ? "products" : sum == LevelSum::forward_squares ? "forward" : "adjoint";
}

/// Where nothing needs to be met between the levels that are kept.
inline constexpr std::int64_t kAnySteps = INT64_MAX;

/// The images of some shots on one device: sums over levels of something of the first field of two wavefields.
/// What it is asked to do is queued after the steps of the wavefield that is given; calls that return data wait. Its
/// state is what a shot has summed, and what layers remember after a meeting; levels that are kept are none of it. An
/// adjoint run that goes on from it is first met after one step, whatever most_steps() says.
class Correlation : public ShotState {
public:
    /// Zeroes the images and what layers remember; what was kept stays.
    virtual void reset() = 0;
    /// Lets what is queued of a wavefield's fields from now on come after all that was queued here, so that keep() and
    /// meet() need not see to it until another wavefield comes.
    virtual void follow(const FieldSet& /*fields*/) {}
    /// Keeps what is correlated of a forward field as it is now. \param slot 0 … slots - 1.
    virtual void keep(const FieldSet& forward, std::int64_t slot) = 0;
    /// Meets the adjoint field as it is now: adds to the images its product with what a slot keeps, and the squares of
    /// both if these are asked for. \param slot -1: only what layers remember moves on. \param steps that the adjoint
    /// run has taken since it was met, at most most_steps().
    virtual void meet(const FieldSet& adjoint, std::int64_t slot, std::int64_t steps) = 0;
    /// The most steps of the adjoint run between two meetings: layers, whose memory moves on with every step, see two
    /// levels of it at a time. kAnySteps without layers.
    [[nodiscard]] virtual std::int64_t most_steps() const = 0;
    /// Whole planes of an image of a shot, [z][y][x], x fastest, from plane `first` along z on: as many as there is
    /// room for. Waits. \throws std::logic_error for illuminations that were not asked for.
    virtual void download_planes(LevelSum sum, std::int64_t first, std::span<double> planes, int shot) const = 0;
    /// The same of all nodes of the grid.
    void download(LevelSum sum, std::span<double> image, int shot) const { download_planes(sum, 0, image, shot); }
    /// The sums over the levels that met of p[x - h] nu[x + h] of a shot on the lines that were asked for,
    /// [z][line][h], from plane `first` along z on: as many as there is room for. What lies outside the grid adds
    /// nothing. Waits. \throws std::logic_error where no lines were asked for.
    virtual void download_offsets(std::int64_t first, std::span<double> planes, int shot) const = 0;
    [[nodiscard]] virtual std::int64_t allocated_bytes() const = 0;
};

/// \throws std::logic_error for an illumination that a correlation does not sum.
void check_sum(LevelSum sum, bool illuminates);
/// \throws std::logic_error for lines of anything but pressures.
void check_lines(const OffsetLines& lines, Correlated what);

}  // namespace onda
