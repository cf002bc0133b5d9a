/// \file
/// How fast a set-up is, measured: rounds of time steps on random data, in turns with a rival, and what the rounds say.
/// Everything that times a kernel (bench, tuning, calibration) does it here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/medium.hpp"
#include "kernels/setup.hpp"
#include "kernels/wavefield.hpp"
#include "solver/propagation/devices.hpp"

namespace onda {

/// The fastest velocity of the medium that is timed.
inline constexpr double kBenchFastest_m_s = 3000.;
/// The time step of a measurement: half the stability limit for kernels. The twin is no wave equation and would grow by
/// (v dt)^2 a step: with a tiny step its values stay what they are.
double bench_time_step_s(const Setup& setup);

/// Stores the medium that is timed like this.
void store_medium(Setup& setup, Storage storage);

/// Puts a boundary, of BoundaryKind, on every face of a set-up.
void put_on_every_face(Setup& setup, const std::string& boundary);

/// The values of a quantity, one a round.
class Sample {
public:
    Sample() = default;
    explicit Sample(std::vector<double> rounds);

    [[nodiscard]] const std::vector<double>& rounds() const { return rounds_; }  ///< in the order they were taken
    [[nodiscard]] const std::vector<double>& sorted() const { return sorted_; }
    [[nodiscard]] double min() const { return sorted_.front(); }
    [[nodiscard]] double max() const { return sorted_.back(); }
    /// The value below which the part `share` (0 to 1) of the rounds lies, linear between neighbours (type 7 of Hyndman
    /// & Fan 1996, The American Statistician 50(4)).
    [[nodiscard]] double quantile(double share) const;
    [[nodiscard]] double median() const { return quantile(0.5); }

private:
    std::vector<double> rounds_, sorted_;
};

/// Random numbers between -0.5 and 0.5, one for each node: made once for a grid, read by everything that is timed on
/// it.
std::vector<double> random_field(std::int64_t points);

/// Random values for a row of nodes, between -0.5 and 0.5. \param begin the number of its first node.
using RandomRow = std::function<void(std::int64_t begin, std::span<float> row)>;
/// Readers of every parameter of the set-up's equation: 1500 m/s to kBenchFastest_m_s, 1500 to 2500 kg/m3, Q of 50 to
/// 150, epsilon of 0.1 to 0.2, delta of 0 to 0.1, angles of 0 to 1.
MediumReaders random_medium(const Setup& setup, const RandomRow& random);

/// So many steps that a round of them takes `least_s`, of so many at least. \param round_s times a round of steps.
std::int64_t steps_of_round(std::int64_t fewest, double least_s, const std::function<double(std::int64_t)>& round_s);

/// What is computed in a round.
struct Load {
    int shots = 1;               ///< in one wavefield
    std::int64_t steps = 0;      ///< of a round; 0: as many as take least_round_s
    std::int64_t receivers = 0;  ///< of each shot, on a line along x
    bool source = false;         ///< one, in the middle
    double least_round_s = 0.01;
};

/// The set-up of the memory's ceiling: the twin reads p[n], p[n-1] and the arrays of the medium and writes p[n+1],
/// without neighbours, boundaries, sources and receivers.
struct Twin {
    Setup setup;  ///< resolved
    Load load;
};
/// The twin of a set-up with a load. Where it takes one shot a launch, it is one of as many nodes, each with a k of its
/// own.
Twin twin_of(const Device& device, const Setup& setup, const Load& load = {});

/// A wavefield with a random medium (1500 m/s to kBenchFastest_m_s, 1500 to 2500 kg/m3) and a random field in each
/// shot, warm. The values matter: constant data draws less power, and a denormal costs more.
class Contender {
public:
    /// \param setup resolved. \param field of random_field(), of as many points as the grid has or more; needed no
    /// longer than the construction takes. \throws what the device's make_medium throws; std::bad_alloc.
    Contender(const Device& device, const Setup& setup, std::span<const double> field, const Load& load = {});

    /// One round. \returns seconds of a step of all shots together.
    double seconds_per_step();
    /// Gpt/s of a round that took so long a step: nodes of all shots.
    [[nodiscard]] double gpts(double seconds_of_step) const { return 1e-9 * points_ / seconds_of_step; }
    /// One round: Gpt/s.
    double measure() { return gpts(seconds_per_step()); }
    /// Steps of a round.
    [[nodiscard]] std::int64_t steps() const { return steps_; }
    /// Nodes of all shots.
    [[nodiscard]] double points() const { return points_; }
    [[nodiscard]] std::string description() const;

private:
    double round_s(std::int64_t steps);

    std::unique_ptr<Wavefield> wavefield_;
    double points_;
    std::int64_t steps_;
};

/// Rounds of a contender and of its rival, and what the first makes of the second in each.
struct Match {
    Sample seconds_per_step, gpts, rival_gpts, ratio;
    std::int64_t steps = 0;  ///< of a round of the contender
};
/// The two take turns, so that whatever else the machine does meets both. \param after_round is called after each
/// round, which it is no part of.
Match take_turns(Contender& contender, Contender& rival, int rounds, const std::function<void()>& after_round = {});

}  // namespace onda
