#include "solver/comparison/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <omp.h>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <stdexcept>

#include "io/text/error.hpp"
#include "io/text/nearest_name.hpp"
#include "io/text/printable.hpp"
#include "solver/comparison/cpu_correlator.hpp"
#include "solver/comparison/cuda_correlator.hpp"
#include "solver/comparison/interpolation.hpp"

namespace onda {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
/// The part of either energy that must overlap: less may be alike by chance.
constexpr double kLeastOverlap = 0.1;
/// Shifts of less are rounding [samples].
constexpr double kRoundedShift = 1e-4;

// ---- Peaks ----

/// Whether a lag has the largest value around it, and is the first of those that have.
bool is_peak(std::span<const double> values, const LagBox& box, const Triple& at, std::int64_t apart) {
    const auto index_of = [&box](std::int64_t x, std::int64_t y, std::int64_t z) {
        return (z * box.count[1] + y) * box.count[0] + x;
    };
    const std::int64_t here = index_of(at[0], at[1], at[2]);
    const double value = values[static_cast<std::size_t>(here)];
    if (value == kNone) return false;
    Triple first, last;
    for (std::size_t a = 0; a < 3; ++a) {
        first[a] = std::max<std::int64_t>(0, at[a] - apart);
        last[a] = std::min(box.count[a] - 1, at[a] + apart);
    }
    for (std::int64_t z = first[2]; z <= last[2]; ++z)
        for (std::int64_t y = first[1]; y <= last[1]; ++y)
            for (std::int64_t x = first[0]; x <= last[0]; ++x) {
                const std::int64_t there = index_of(x, y, z);
                const double other = values[static_cast<std::size_t>(there)];
                if (other > value || (other == value && there < here)) return false;
            }
    return true;
}

/// A cheap reason to look no further: one of the six neighbours is larger.
bool has_larger_neighbour(std::span<const double> values, const LagBox& box, const Triple& at) {
    const Triple step{1, box.count[0], box.count[0] * box.count[1]};
    const std::int64_t here = at[0] + at[1] * step[1] + at[2] * step[2];
    const double value = values[static_cast<std::size_t>(here)];
    for (std::size_t axis = 0; axis < 3; ++axis)
        if ((at[axis] > 0 && values[static_cast<std::size_t>(here - step[axis])] > value) ||
            (at[axis] + 1 < box.count[axis] && values[static_cast<std::size_t>(here + step[axis])] > value))
            return true;
    return false;
}

// ---- Energies of what overlaps ----

/// Sums of squares over boxes of a volume, each from eight entries of a table (Lewis 1995).
class EnergyTable {
public:
    EnergyTable(std::span<const float> values, const Triple& n)
        : n_(n), sums_(static_cast<std::size_t>((n[0] + 1) * (n[1] + 1) * (n[2] + 1))) {
        for (std::int64_t z = 0; z < n[2]; ++z)
            for (std::int64_t y = 0; y < n[1]; ++y) {
                double row = 0.;
                for (std::int64_t x = 0; x < n[0]; ++x) {
                    const double value = values[static_cast<std::size_t>((z * n[1] + y) * n[0] + x)];
                    row += value * value;
                    at(x + 1, y + 1, z + 1) = row + at(x + 1, y, z + 1) + at(x + 1, y + 1, z) - at(x + 1, y, z);
                }
            }
    }
    /// Of [first, end) along each axis.
    [[nodiscard]] double of(const Triple& first, const Triple& end) const {
        const auto plane = [&](std::int64_t z) {
            return at(end[0], end[1], z) - at(first[0], end[1], z) - at(end[0], first[1], z) +
                   at(first[0], first[1], z);
        };
        return plane(end[2]) - plane(first[2]);
    }
    [[nodiscard]] double all() const { return at(n_[0], n_[1], n_[2]); }

private:
    [[nodiscard]] std::size_t place(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return static_cast<std::size_t>((z * (n_[1] + 1) + y) * (n_[0] + 1) + x);
    }
    double& at(std::int64_t x, std::int64_t y, std::int64_t z) { return sums_[place(x, y, z)]; }
    [[nodiscard]] double at(std::int64_t x, std::int64_t y, std::int64_t z) const { return sums_[place(x, y, z)]; }

    Triple n_;
    std::vector<double> sums_;
};

/// Correlations divided by the norms of what overlaps at each lag; -infinity in `eligible` where that is too little or
/// the lag is beyond the limit.
struct Scores {
    std::vector<double> values, eligible;
};

/// The energies of a and b where a[x] meets b[x + lag].
std::array<double, 2> energies_at(const EnergyTable& a, const EnergyTable& b, const Triple& n, const Triple& lag) {
    Triple first_a, end_a, first_b, end_b;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        first_a[axis] = std::max<std::int64_t>(0, -lag[axis]);
        end_a[axis] = std::min(n[axis], n[axis] - lag[axis]);
        first_b[axis] = first_a[axis] + lag[axis];
        end_b[axis] = end_a[axis] + lag[axis];
        if (end_a[axis] <= first_a[axis]) return {0., 0.};
    }
    return {a.of(first_a, end_a), b.of(first_b, end_b)};
}

Scores scores_of(std::vector<double> correlation, const LagBox& box, const EnergyTable& a, const EnergyTable& b,
                 const Triple& n, const Triple& limit) {
    Scores scores{std::move(correlation), {}};
    scores.eligible.assign(scores.values.size(), kNone);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < product_of(box.count); ++i) {
        const Triple lag = box.lag(i);
        const auto [of_a, of_b] = energies_at(a, b, n, lag);
        double& value = scores.values[static_cast<std::size_t>(i)];
        const double least = std::min(of_a / a.all(), of_b / b.all());
        // What is left of a table's rounding is no energy.
        value = least > 1e-9 ? std::clamp(value / std::sqrt(of_a * of_b), -1.5, 1.5) : 0.;
        bool within = least >= kLeastOverlap;
        for (std::size_t axis = 0; axis < 3; ++axis) within = within && std::abs(lag[axis]) <= limit[axis];
        if (within) scores.eligible[static_cast<std::size_t>(i)] = value;
    }
    return scores;
}

// ---- Between lags ----

/// A function with its slopes and curvatures at a place.
struct Expansion {
    double value = 0.;
    std::array<double, 3> slope{};
    std::array<std::array<double, 3>, 3> curvature{};
};

/// Weights of a value, its slope and its curvature along an axis, from central differences a thousandth apart, whose
/// error is a millionth.
std::array<SincWeights, 3> expansion_weights(double at) {
    constexpr double h = 1e-3;
    const SincWeights before = sinc_weights(at - h), here = sinc_weights(at), after = sinc_weights(at + h);
    std::array<SincWeights, 3> weights{here, {}, {}};
    for (std::size_t i = 0; i < here.size(); ++i) {
        weights[1][i] = (after[i] - before[i]) / (2. * h);
        weights[2][i] = (after[i] - 2. * here[i] + before[i]) / (h * h);
    }
    return weights;
}

/// The scores around a lag, as a function of the place between lags. Axes on which nothing moves have one sample.
class Patch {
public:
    Patch(std::span<const double> values, const LagBox& box, const Triple& centre) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            active_[axis] = box.count[axis] > 1;
            side_[axis] = active_[axis] ? 2 * kSincRadius + 1 : 1;
        }
        for (std::int64_t z = 0; z < side_[2]; ++z)
            for (std::int64_t y = 0; y < side_[1]; ++y)
                for (std::int64_t x = 0; x < side_[0]; ++x) {
                    const Triple lag{centre[0] + x - side_[0] / 2, centre[1] + y - side_[1] / 2,
                                     centre[2] + z - side_[2] / 2};
                    values_.push_back(values[static_cast<std::size_t>(box.index(lag))]);
                }
    }
    [[nodiscard]] const std::array<bool, 3>& active() const { return active_; }
    [[nodiscard]] Expansion at(const std::array<double, 3>& place) const;

private:
    /// Sums over z, y and x with the weights of the orders of three derivatives.
    [[nodiscard]] double sum(const std::array<std::array<SincWeights, 3>, 3>& weights,
                             const std::array<std::size_t, 3>& order) const;

    std::array<bool, 3> active_{};
    Triple side_{};
    std::vector<double> values_;
};

double Patch::sum(const std::array<std::array<SincWeights, 3>, 3>& weights,
                  const std::array<std::size_t, 3>& order) const {
    const auto weight = [&](std::size_t axis, std::int64_t i) {
        return active_[axis] ? weights[axis][order[axis]][static_cast<std::size_t>(i)] : 1.;
    };
    double all = 0.;
    std::size_t at = 0;
    for (std::int64_t z = 0; z < side_[2]; ++z)
        for (std::int64_t y = 0; y < side_[1]; ++y) {
            double row = 0.;
            for (std::int64_t x = 0; x < side_[0]; ++x) row += weight(0, x) * values_[at++];
            all += weight(2, z) * weight(1, y) * row;
        }
    return all;
}

Expansion Patch::at(const std::array<double, 3>& place) const {
    std::array<std::array<SincWeights, 3>, 3> weights;
    for (std::size_t axis = 0; axis < 3; ++axis) weights[axis] = expansion_weights(place[axis]);
    Expansion expansion;
    expansion.value = sum(weights, {0, 0, 0});
    for (std::size_t a = 0; a < 3; ++a) {
        if (!active_[a]) continue;
        std::array<std::size_t, 3> order{};
        order[a] = 1;
        expansion.slope[a] = sum(weights, order);
        for (std::size_t b = 0; b <= a; ++b) {
            if (!active_[b]) continue;
            std::array<std::size_t, 3> second{};
            ++second[a];
            ++second[b];
            expansion.curvature[a][b] = expansion.curvature[b][a] = sum(weights, second);
        }
    }
    return expansion;
}

/// Newton's step to the maximum: the solution of -C d = g, by Cholesky's method. Without one where -C is not positive
/// definite. Axes on which nothing moves have d = 0.
std::optional<std::array<double, 3>> newton_step(const Expansion& here, const std::array<bool, 3>& active) {
    std::array<std::array<double, 3>, 3> l{};
    std::array<double, 3> step{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = active[i] && active[j] ? -here.curvature[i][j] : i == j ? 1. : 0.;
            for (std::size_t k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
            if (i == j && !(sum > 0.)) return std::nullopt;
            l[i][j] = i == j ? std::sqrt(sum) : sum / l[j][j];
        }
    for (std::size_t i = 0; i < 3; ++i) {
        step[i] = active[i] ? here.slope[i] : 0.;
        for (std::size_t k = 0; k < i; ++k) step[i] -= l[i][k] * step[k];
        step[i] /= l[i][i];
    }
    for (std::size_t i = 3; i-- > 0;) {
        for (std::size_t k = i + 1; k < 3; ++k) step[i] -= l[k][i] * step[k];
        step[i] /= l[i][i];
    }
    return step;
}

/// A maximum between lags.
struct Refined {
    Triple lag{};  ///< that it is nearest to
    std::array<double, 3> offset{};
    double value = 0.;
};

/// Newton's step; where there is none, a quarter of a sample uphill.
std::array<double, 3> climbing_step(const Expansion& here, const std::array<bool, 3>& active) {
    if (const auto step = newton_step(here, active)) return *step;
    std::array<double, 3> step = here.slope;
    double steepest = 0.;
    for (const double slope : step) steepest = std::max(steepest, std::abs(slope));
    for (double& along : step) along = steepest > 0. ? 0.25 * along / steepest : 0.;
    return step;
}

/// Climbs from a lag to the maximum by Newton's method, around another lag wherever that is nearer: the largest score
/// of a narrow band may lie some lags beside the maximum. Without one within the limit: the lag itself.
Refined refined(std::span<const double> values, const LagBox& box, const Triple& start, const Triple& limit) {
    Patch patch(values, box, start);
    const Refined unmoved{start, {}, patch.at({}).value};
    Refined here = unmoved;
    for (int iteration = 0; iteration < 50; ++iteration) {
        const Expansion expansion = patch.at(here.offset);
        here.value = expansion.value;
        const std::array<double, 3> step = climbing_step(expansion, patch.active());
        bool moves = false;
        double longest = 0.;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            here.offset[axis] += std::clamp(step[axis], -0.5, 0.5);
            longest = std::max(longest, std::abs(step[axis]));
            // Beyond half a sample by more than what would go back and forth.
            if (std::abs(here.offset[axis]) < 0.6) continue;
            const auto whole = static_cast<std::int64_t>(std::llround(here.offset[axis]));
            here.lag[axis] += whole;
            here.offset[axis] -= static_cast<double>(whole);
            if (std::abs(here.lag[axis]) > limit[axis]) return unmoved;
            moves = true;
        }
        if (moves) patch = Patch(values, box, here.lag);
        if (longest < 1e-9) break;
    }
    return here.value >= unmoved.value ? here : unmoved;
}

// ---- Shifts ----

void require_finite_values(std::span<const float> values, const char* name) {
    const auto bad = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
    if (bad != values.end())
        throw Error(ExitCode::bad_data, fmt::format("volume {}: value {} is {}: only finite values can be compared",
                                                    name, bad - values.begin(), *bad));
}

std::vector<float> without_mean(std::span<const float> values, bool remove) {
    std::vector<float> centred(values.begin(), values.end());
    if (!remove) return centred;
    const double mean = std::accumulate(values.begin(), values.end(), 0.) / static_cast<double>(values.size());
    for (float& value : centred) value = static_cast<float>(value - mean);
    return centred;
}

/// Whether nothing is left of a volume without its mean but rounding.
/// \param values with their mean; \param energy without it.
bool is_constant(std::span<const float> values, double energy) {
    double largest = 0.;
    for (const float value : values) largest = std::max(largest, std::abs(static_cast<double>(value)));
    return energy <= 1e-14 * largest * largest * static_cast<double>(values.size());
}

double dot_of(std::span<const float> a, std::span<const float> b) {
    double sum = 0.;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
    return sum;
}

/// The lags that are computed: those within the limit, and what interpolation reads around them.
LagBox lags_around(const Triple& limit) {
    LagBox box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t reach = limit[axis] > 0 ? limit[axis] + kSincRadius : 0;
        box.first[axis] = -reach;
        box.count[axis] = 2 * reach + 1;
    }
    return box;
}

Shift shift_of(const LagPeak& peak, const Scores& scores, const LagBox& box, const Triple& limit) {
    Shift shift;
    const Refined best = refined(scores.values, box, peak.lag, limit);
    shift.correlation = std::clamp(best.value, -1., 1.);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double offset = std::abs(best.offset[axis]) < kRoundedShift ? 0. : best.offset[axis];
        shift.samples[axis] = static_cast<double>(best.lag[axis]) + offset;
        shift.at_limit = shift.at_limit || (limit[axis] > 0 && std::abs(best.lag[axis]) == limit[axis]);
    }
    return shift;
}

/// The best shifts. Between lags other peaks may be higher than on them, and several lags may lead to one maximum: more
/// are looked at than are wanted.
std::vector<Shift> best_shifts(const Scores& scores, const LagBox& box, const ShiftSettings& settings, int threads) {
    std::vector<Shift> all, best;
    for (const LagPeak& peak : find_peaks(scores.eligible, box, 2 * settings.peaks + 6, settings.apart, threads))
        all.push_back(shift_of(peak, scores, box, settings.limit));
    std::ranges::stable_sort(all, std::greater<>(), &Shift::correlation);
    for (const Shift& shift : all) {
        const bool is_new = std::ranges::none_of(best, [&](const Shift& other) {
            double apart = 0.;
            for (std::size_t axis = 0; axis < 3; ++axis)
                apart = std::max(apart, std::abs(shift.samples[axis] - other.samples[axis]));
            return apart <= static_cast<double>(settings.apart);
        });
        if (is_new && std::ssize(best) < settings.peaks) best.push_back(shift);
    }
    return best;
}

void check_shift_settings(std::size_t size, const Triple& n, const ShiftSettings& settings) {
    if (std::ranges::any_of(n, [](std::int64_t extent) { return extent < 1; }) ||
        size != static_cast<std::size_t>(product_of(n)))
        throw std::invalid_argument("the values of a volume are as many as its extents say");
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (settings.limit[axis] < 0 || settings.limit[axis] >= n[axis])
            throw std::invalid_argument(fmt::format("a shift of {} samples along an axis of {} leaves no overlap",
                                                    settings.limit[axis], n[axis]));
    if (settings.peaks < 1 || settings.apart < 1)
        throw std::invalid_argument("one peak is looked for at least, and one sample lies between two");
}

}  // namespace

std::int64_t smooth_length(std::int64_t least, bool even) {
    for (std::int64_t n = std::max<std::int64_t>(1, least);; ++n) {
        if (even && n % 2 != 0) continue;
        std::int64_t rest = n;
        for (const std::int64_t factor : {2, 3, 5})
            while (rest % factor == 0) rest /= factor;
        if (rest == 1) return n;
    }
}

CorrelationShape correlation_shape(const Triple& fixed, const Triple& moving, const LagBox& lags) {
    CorrelationShape shape{fixed, moving, lags, {}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (fixed[axis] < 1 || moving[axis] < 1 || lags.count[axis] < 1)
            throw std::invalid_argument("a correlation has one sample and one lag at least along each axis");
        // Lag s reads fixed[j + s]: a period further, that is outside for all lags wanted.
        const std::int64_t last = lags.first[axis] + lags.count[axis] - 1;
        const std::int64_t least =
            std::max({fixed[axis] - lags.first[axis], last + moving[axis], fixed[axis], moving[axis]});
        shape.padded[axis] = axis == 0    ? smooth_length(std::max<std::int64_t>(4, least), true)
                             : least == 1 ? 1
                                          : smooth_length(least, false);
    }
    return shape;
}

std::span<const CorrelatorRow> correlator_rows() {
    static constexpr std::array rows{
        CorrelatorRow{"cuda", "cuFFT on the GPU, single precision", problem_of_cuda_correlator, make_cuda_correlator,
                      count_cuda_correlators, 1e-6},
        CorrelatorRow{"cpu", "Kiss FFT on the CPU, double precision", [](int) { return std::string(); },
                      make_cpu_correlator, [] { return 1; }, 1e-14}};
    return rows;
}

const CorrelatorRow& choose_correlator(const std::string& name) {
    std::vector<std::string> names{"auto"};
    for (const CorrelatorRow& row : correlator_rows()) {
        names.emplace_back(row.name);
        if (name != "auto" && name != row.name) continue;
        const std::string problem = row.problem(0);
        if (problem.empty()) return row;
        if (name == row.name) throw Error(ExitCode::no_device, fmt::format("--backend {}: {}", name, problem));
    }
    const auto nearest = nearest_name(name, names);
    throw Error(ExitCode::usage, fmt::format("--backend '{}': {}there are auto, cuda and cpu", printable(name),
                                             nearest ? "did you mean '" + *nearest + "'? " : ""));
}

std::vector<LagPeak> find_peaks(std::span<const double> values, const LagBox& box, int count, std::int64_t apart,
                                int threads) {
    const std::int64_t rows = box.count[1] * box.count[2];
    std::vector<std::int64_t> found;
#pragma omp parallel num_threads(threads > 0 ? threads : omp_get_max_threads())
    {
        std::vector<std::int64_t> mine;
#pragma omp for schedule(static) nowait
        for (std::int64_t row = 0; row < rows; ++row) {
            Triple at{0, row % box.count[1], row / box.count[1]};
            for (; at[0] < box.count[0]; ++at[0])
                if (!has_larger_neighbour(values, box, at) && is_peak(values, box, at, apart))
                    mine.push_back(row * box.count[0] + at[0]);
        }
#pragma omp critical(onda_find_peaks)
        found.insert(found.end(), mine.begin(), mine.end());
    }
    const auto better = [values](std::int64_t a, std::int64_t b) {
        const double of_a = values[static_cast<std::size_t>(a)], of_b = values[static_cast<std::size_t>(b)];
        return of_a > of_b || (of_a == of_b && a < b);
    };
    std::ranges::sort(found, better);
    found.resize(std::min(found.size(), static_cast<std::size_t>(count)));
    std::vector<LagPeak> peaks;
    for (const std::int64_t index : found) peaks.push_back({box.lag(index), values[static_cast<std::size_t>(index)]});
    return peaks;
}

ShiftSearch find_shifts(std::span<const float> a, std::span<const float> b, const Triple& n,
                        const ShiftSettings& settings, const CorrelatorRow& row, int threads, int ordinal) {
    check_shift_settings(a.size(), n, settings);
    check_shift_settings(b.size(), n, settings);
    require_finite_values(a, "A");
    require_finite_values(b, "B");
    const std::vector<float> centred_a = without_mean(a, settings.remove_mean),
                             centred_b = without_mean(b, settings.remove_mean);
    const double of_a = dot_of(centred_a, centred_a), of_b = dot_of(centred_b, centred_b);
    const LagBox box = lags_around(settings.limit);
    const CorrelationShape shape = correlation_shape(n, n, box);
    ShiftSearch search{0., {}, {}, shape.padded};
    const bool constant_a = is_constant(a, of_a), constant_b = is_constant(b, of_b);
    if (constant_a || constant_b) {
        search.problem = fmt::format("{} constant{}: no shift can be told",
                                     constant_a && constant_b ? "both volumes are"
                                     : constant_a             ? "the first volume is"
                                                              : "the second volume is",
                                     settings.remove_mean ? "" : " zero");
        return search;
    }
    search.correlation = dot_of(centred_a, centred_b) / std::sqrt(of_a * of_b);
    const auto correlator = row.make(shape, threads, ordinal);
    correlator->set_fixed(centred_b);
    correlator->set_moving(centred_a);
    correlator->forward();
    correlator->multiply();
    correlator->inverse();
    const Scores scores =
        scores_of(correlator->lags(), box, EnergyTable(centred_a, n), EnergyTable(centred_b, n), n, settings.limit);
    search.shifts = best_shifts(scores, box, settings, threads);
    return search;
}

}  // namespace onda
