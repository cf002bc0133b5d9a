/// \file
/// Media with interfaces, averaged over the cells of a grid. Sampled at nodes, a dipping interface becomes a staircase
/// whose steps scatter waves, and a flat one lies up to half a cell from its place.
///
/// The cell of a node is the box of one spacing around it. What is in it acts as one rock of the mean density and the
/// mean compliance 1 / (rho vp^2): the harmonic mean of the bulk modulus, the arithmetic one of the density (Moczo,
/// Kristek, Vavrycuk, Archuleta & Halada 2002, Bull. Seismol. Soc. Am. 92, 3042-3066). At constant density that is the
/// mean of the squared slowness. Where that rock would be slower than all that it is made of, as water with bubbles is,
/// its density is lower, until it is as fast as the slowest: never less than the harmonic mean, which acts along an
/// interface. What absorbs is the mean of 1/Q. epsilon and delta are arithmetic means, so that delta stays at most
/// epsilon.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "kernels/grid/cell_below_plane.hpp"

namespace onda {

/// What a medium is made of at a place. rho is 0 where the density is constant, q where nothing absorbs.
struct Rock {
    float vp = 0.f, rho = 0.f, q = 0.f;
    float epsilon = 0.f, delta = 0.f;
    bool operator==(const Rock&) const = default;
};

/// The rock that acts as several do together.
class RockMean {
public:
    /// \param weight its share of the volume.
    void add(double weight, const Rock& rock) {
        if (weight <= kNothing) return;
        mixed_ = mixed_ || (weight_ > 0. && !(rock == last_));
        last_ = rock;
        const double rho = rock.rho > 0.f ? rock.rho : 1.;
        weight_ += weight;
        rho_ += weight * rho;
        if (rock.q > 0.f) loss_ += weight / rock.q;
        epsilon_ += weight * rock.epsilon;
        delta_ += weight * rock.delta;
        compliance_ += weight / (rho * rock.vp * rock.vp);
        slowest_ = std::min<double>(slowest_, rock.vp);
    }
    /// One rock alone comes out as it went in, bit for bit.
    [[nodiscard]] Rock mean() const {
        if (!mixed_) return last_;
        const double modulus = weight_ / compliance_, rho = std::min(rho_ / weight_, modulus / (slowest_ * slowest_));
        return {static_cast<float>(std::sqrt(modulus / rho)), last_.rho > 0.f ? static_cast<float>(rho) : 0.f,
                last_.q > 0.f ? static_cast<float>(weight_ / loss_) : 0.f, static_cast<float>(epsilon_ / weight_),
                static_cast<float>(delta_ / weight_)};
    }

private:
    static constexpr double kNothing = 1e-6;  ///< a share that rounding makes
    double weight_ = 0., rho_ = 0., compliance_ = 0., loss_ = 0., slowest_ = std::numeric_limits<double>::infinity();
    double epsilon_ = 0., delta_ = 0.;
    Rock last_;
    bool mixed_ = false;
};

/// Points of a cell at the same (x, y) at most.
inline constexpr std::size_t kMostColumnsOfCell = 16;

/// The mean over a cell of a medium that can be asked for the rock at any place, from points in the middles of equal
/// parts of the cell. They stand in columns along z, which are visited before their points.
/// \param visit(column, offset) is told of each column, by its number, with the offset of its first point from the node
/// in spacings; in 2-D that along y is 0.
/// \param at(column, offset) the rock at a point.
template <typename Visit, typename RockAt>
Rock mean_of_points(int dimensions, const Visit& visit, const RockAt& at) {
    const int per_axis = dimensions == 2 ? 8 : 4, along_y = dimensions == 2 ? 1 : per_axis;
    const auto offset = [](int i, int parts) { return (i + 0.5) / parts - 0.5; };
    RockMean mean;
    for (int z = 0; z < per_axis; ++z)
        for (int y = 0; y < along_y; ++y)
            for (int x = 0; x < per_axis; ++x) {
                const std::array point{offset(x, per_axis), offset(y, along_y), offset(z, per_axis)};
                const auto column = static_cast<std::size_t>(y * per_axis + x);
                if (z == 0) visit(column, point);
                mean.add(1., at(column, point));
            }
    return mean.mean();
}

/// The mean rock of a cell, for a medium without columns. \param at(offset) the rock at an offset from the node, in
/// spacings.
template <typename RockAt>
Rock mean_of_points(int dimensions, const RockAt& at) {
    return mean_of_points(
        dimensions, [](std::size_t, const std::array<double, 3>&) {},
        [&](std::size_t, const std::array<double, 3>& offset) { return at(offset); });
}

}  // namespace onda
