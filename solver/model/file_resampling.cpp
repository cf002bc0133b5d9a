#include "solver/model/file_resampling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/discretisation/grid.hpp"
#include "solver/model/cell_mean.hpp"
#include "solver/program/loop_failure.hpp"

namespace onda {
namespace {

constexpr std::int64_t kSlabValues = 16 * 1024 * 1024;  // of a file held at a time

/// The nodes of the file, along one axis, that a node of the grid is made of: those from `first` on, with weights in
/// units of one of the file's cells.
struct Taps {
    std::int64_t first = 0;
    std::vector<double> weights;

    [[nodiscard]] std::int64_t end() const { return first + std::ssize(weights); }
};
using Places = std::array<std::vector<Taps>, 3>;

/// Where a position lies among the file's nodes; a node itself is met exactly.
double index_in(const FileGeometry& file, int axis, double position_m) {
    const double at = (position_m - file.origin_m[axis]) / file.spacing_m[axis];
    return std::abs(at - std::round(at)) <= kSamePlace ? std::round(at) : at;
}

/// The two neighbours of a place; the upper is left out where it counts nothing.
Taps neighbours(const FileGeometry& file, int axis, double at) {
    const std::int64_t last = std::max<std::int64_t>(file.shape[axis] - 2, 0);
    const std::int64_t lower = std::clamp(static_cast<std::int64_t>(std::floor(at)), std::int64_t{0}, last);
    const double t = at - static_cast<double>(lower);
    return t == 0. ? Taps{lower, {1.}} : Taps{lower, {1. - t, t}};
}

/// The cells of the file within a cell of the grid, which is `width` of them long, and their parts of it.
Taps cells_within(const FileGeometry& file, int axis, double at, double width) {
    const double low = std::max(at - 0.5 * width, -0.5);
    const double high = std::min(at + 0.5 * width, static_cast<double>(file.shape[axis]) - 0.5);
    const auto cell_of = [&](double place) {
        return std::clamp(static_cast<std::int64_t>(std::floor(place + 0.5)), std::int64_t{0}, file.shape[axis] - 1);
    };
    Taps taps{cell_of(low + kSamePlace), {}};
    for (std::int64_t cell = taps.first; cell <= cell_of(high - kSamePlace); ++cell) {
        const auto middle = static_cast<double>(cell);
        taps.weights.push_back(std::min(high, middle + 0.5) - std::max(low, middle - 0.5));
    }
    return taps;
}

/// File spacings in one of the grid, along an axis.
double coarseness(const FileGeometry& file, const Grid& grid, int axis) {
    return shares_axis(file, grid, axis) ? grid.spacing_m[axis] / file.spacing_m[axis] : 1.;
}

/// \param averaged whether nodes have the cells within their own, on axes on which the grid is coarser.
std::vector<Taps> locate(const FileGeometry& file, const Grid& grid, int axis, bool averaged) {
    std::vector<Taps> places(static_cast<std::size_t>(grid.n[axis]), Taps{0, {1.}});
    if (!shares_axis(file, grid, axis)) return places;
    const double width = coarseness(file, grid, axis);
    for (std::int64_t i = 0; i < grid.n[axis]; ++i) {
        const double at = index_in(file, axis, grid.origin_m[axis] + static_cast<double>(i) * grid.spacing_m[axis]);
        places[static_cast<std::size_t>(i)] =
            averaged && width > 1. + kSamePlace ? cells_within(file, axis, at, width) : neighbours(file, axis, at);
    }
    return places;
}

Places locate(const FileGeometry& file, const Grid& grid, bool averaged) {
    return {locate(file, grid, 0, averaged), locate(file, grid, 1, averaged), locate(file, grid, 2, averaged)};
}

/// A box of the file, and its values of several quantities, each [z][y][x].
struct Box {
    std::array<std::int64_t, 3> first{}, count{};
    std::vector<std::vector<float>> values;

    [[nodiscard]] const float* row(std::size_t quantity, std::int64_t y, std::int64_t z) const {
        return values[quantity].data() + ((z - first[2]) * count[1] + (y - first[1])) * count[0] - first[0];
    }
};

/// Slab by slab along z, so that a file much larger than the grid passes through bounded memory.
/// \param fill(box, y, z) makes a row of the grid; by several threads.
template <typename Fill>
void for_each_row(const Places& at, std::span<const ReadBox> read, const Grid& grid, const Fill& fill) {
    Box box;
    for (std::size_t a = 0; a < 3; ++a) {
        box.first[a] = at[a].front().first;
        box.count[a] = at[a].back().end() - box.first[a];
    }
    const std::int64_t end = box.first[2] + box.count[2];
    box.values.resize(read.size());
    for (std::int64_t z = 0; z < grid.nz();) {
        const Taps& needed = at[2][static_cast<std::size_t>(z)];
        const std::int64_t planes =
            std::max(std::ssize(needed.weights), kSlabValues / (box.count[0] * box.count[1] * std::ssize(read)));
        box.first[2] = needed.first;
        box.count[2] = std::min(planes, end - box.first[2]);
        for (std::size_t q = 0; q < read.size(); ++q) {
            box.values[q].resize(static_cast<std::size_t>(box.count[0] * box.count[1] * box.count[2]));
            read[q](box.first, box.count, box.values[q]);
        }
        std::int64_t next = z;
        while (next < grid.nz() && at[2][static_cast<std::size_t>(next)].end() <= box.first[2] + box.count[2]) ++next;
        LoopFailure failure;
#pragma omp parallel for schedule(static)
        for (std::int64_t row = z * grid.ny(); row < next * grid.ny(); ++row)
            failure.guard([&] { fill(box, row % grid.ny(), row / grid.ny()); });
        failure.rethrow();
        z = next;
    }
}

/// The weight of the upper neighbour is zero where there is none, so it is not looked at.
float mix(float lower, const float* upper, const Taps& place, MeanOf mean) {
    if (place.weights.size() == 1) return lower;
    const auto t = static_cast<float>(place.weights[1]);
    if (mean == MeanOf::values) return (1.f - t) * lower + t * *upper;
    return lower == *upper ? lower : 1.f / ((1.f - t) / lower + t / *upper);
}

void interpolate_row(const Box& box, const Places& at, MeanOf mean, std::int64_t y, std::int64_t z,
                     std::span<float> out) {
    const Taps &by = at[1][static_cast<std::size_t>(y)], &bz = at[2][static_cast<std::size_t>(z)];
    const std::int64_t y1 = by.end() - 1, z1 = bz.end() - 1;
    const std::array<const float*, 4> rows{box.row(0, by.first, bz.first), box.row(0, y1, bz.first),
                                           box.row(0, by.first, z1), box.row(0, y1, z1)};
    for (std::size_t x = 0; x < out.size(); ++x) {
        const Taps& bx = at[0][x];
        std::array<float, 4> v{};
        for (std::size_t i = 0; i < 4; ++i) v[i] = mix(rows[i][bx.first], rows[i] + bx.first + 1, bx, mean);
        const float near = mix(v[0], &v[1], by, mean), far = mix(v[2], &v[3], by, mean);
        out[x] = mix(near, &far, bz, mean);
    }
}

/// Calls add(weight, index) for every node of the file that a node of the grid is made of, with its place in the box.
template <typename Add>
void for_each_tap(const Box& box, const Taps& bx, const Taps& by, const Taps& bz, const Add& add) {
    for (std::int64_t z = bz.first; z < bz.end(); ++z)
        for (std::int64_t y = by.first; y < by.end(); ++y) {
            const double weight =
                bz.weights[static_cast<std::size_t>(z - bz.first)] * by.weights[static_cast<std::size_t>(y - by.first)];
            const std::int64_t row = ((z - box.first[2]) * box.count[1] + (y - box.first[1])) * box.count[0];
            for (std::int64_t x = bx.first; x < bx.end(); ++x)
                add(weight * bx.weights[static_cast<std::size_t>(x - bx.first)],
                    static_cast<std::size_t>(row + x - box.first[0]));
        }
}

float mean_of_taps(const Box& box, std::span<const float> values, MeanOf mean, const Taps& bx, const Taps& by,
                   const Taps& bz) {
    double sum = 0., weights = 0.;
    float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
    for_each_tap(box, bx, by, bz, [&](double weight, std::size_t i) {
        sum += mean == MeanOf::values ? weight * values[i] : weight / values[i];
        weights += weight;
        low = std::min(low, values[i]);
        high = std::max(high, values[i]);
    });
    return std::clamp(static_cast<float>(mean == MeanOf::values ? sum / weights : weights / sum), low, high);
}

}  // namespace

bool shares_axis(const FileGeometry& file, const Grid& grid, int axis) {
    return axis != 1 || (file.dimensions == 3 && grid.dimensions == 3);
}

bool same_nodes(const FileGeometry& file, const Grid& grid) {
    for (int a = 0; a < 3; ++a) {
        if (!shares_axis(file, grid, a)) continue;
        const double h = grid.spacing_m[a], slack = kSamePlace * h;
        const double stretch = std::abs(file.spacing_m[a] - h) * static_cast<double>(grid.n[a]);
        if (file.shape[a] != grid.n[a] || stretch > slack || std::abs(file.origin_m[a] - grid.origin_m[a]) > slack)
            return false;
    }
    return true;
}

bool is_coarser(const FileGeometry& file, const Grid& grid) {
    for (int axis = 0; axis < 3; ++axis)
        if (coarseness(file, grid, axis) > 1. + kSamePlace) return true;
    return false;
}

std::int64_t slab_bytes(const FileGeometry& file, const Grid& grid, bool averaged, std::int64_t quantities) {
    std::array<std::int64_t, 3> box{};
    double cell = 2.;  // planes that a node needs
    for (int axis = 0; axis < 3; ++axis) {
        const double width = coarseness(file, grid, axis), taps = averaged ? std::max(width, 1.) + 1. : 2.;
        const double reach = static_cast<double>(grid.n[axis] - 1) * width + taps;
        box[static_cast<std::size_t>(axis)] =
            reach < static_cast<double>(file.shape[axis]) ? static_cast<std::int64_t>(reach) : file.shape[axis];
        if (axis == 2) cell = taps;
    }
    const std::int64_t plane = box[0] * box[1];
    const std::int64_t planes =
        std::min(box[2], std::max(static_cast<std::int64_t>(cell) + 1, kSlabValues / (plane * quantities)));
    return planes * plane * quantities * static_cast<std::int64_t>(sizeof(float));
}

void interpolate(const FileGeometry& file, const ReadBox& read, const Grid& grid, std::span<float> values,
                 MeanOf mean) {
    const Places at = locate(file, grid, false);
    for_each_row(at, std::span(&read, 1), grid, [&](const Box& box, std::int64_t y, std::int64_t z) {
        interpolate_row(box, at, mean, y, z, values.subspan(static_cast<std::size_t>(grid.at(0, y, z)), grid.nx()));
    });
}

void average(const FileGeometry& file, const AveragedParameters& read, const Grid& grid, std::span<float> vp,
             std::span<float> rho, std::span<const std::span<float>> further) {
    const Places at = locate(file, grid, true);
    std::vector<ReadBox> readers{read.vp};
    if (read.rho) readers.push_back(*read.rho);
    const std::size_t first_further = readers.size();
    for (const AveragedParameters::Further& one : read.further) readers.push_back(one.read);
    for_each_row(at, readers, grid, [&](const Box& box, std::int64_t y, std::int64_t z) {
        const Taps &by = at[1][static_cast<std::size_t>(y)], &bz = at[2][static_cast<std::size_t>(z)];
        for (std::int64_t x = 0; x < grid.nx(); ++x) {
            const Taps& bx = at[0][static_cast<std::size_t>(x)];
            const auto node = static_cast<std::size_t>(grid.at(x, y, z));
            RockMean mean;
            for_each_tap(box, bx, by, bz, [&](double weight, std::size_t i) {
                mean.add(weight, {box.values[0][i], read.rho ? box.values[1][i] : 0.f, 0.f});
            });
            vp[node] = mean.mean().vp;
            if (read.rho) rho[node] = mean.mean().rho;
            for (std::size_t q = 0; q < further.size(); ++q)
                further[q][node] = mean_of_taps(box, box.values[first_further + q], read.further[q].mean, bx, by, bz);
        }
    });
}

}  // namespace onda
