#include "solver/performance/measurement.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "solver/discretisation/boundary.hpp"
#include "solver/model/random_numbers.hpp"

namespace onda {
namespace {

/// A source in the middle and receivers on a line near the top, along x.
struct BenchShot {
    BenchShot(const Grid& grid, const Load& load, std::int64_t samples) {
        const auto middle = [&grid](std::size_t axis) { return grid.n[axis] / 2; };
        if (load.source) {
            sources.nodes = {{0, 1}, {grid.at(middle(0), middle(1), middle(2))}, {1.}};
            sources.signal.emplace_back();
            for (std::int64_t n = 0; n < samples; ++n)
                sources.signal[0].push_back(std::sin(2. * std::numbers::pi * static_cast<double>(n) / 40.));
        }
        for (std::int64_t i = 0; i < load.receivers; ++i) {
            receivers.node.push_back(grid.at(i * grid.nx() / load.receivers, middle(1), grid.nz() / 8));
            receivers.weight.push_back(1.);
            receivers.first.push_back(i + 1);
        }
    }
    Sources sources;
    NodeWeights receivers;
};

}  // namespace

double bench_time_step_s(const Setup& setup) {
    if (setup.kernel == "twin") return 1e-4 / kBenchFastest_m_s;
    return 0.5 * setup.scheme.stability_limit_s(setup.grid.derivative_spacings_m(), kBenchFastest_m_s);
}

void store_medium(Setup& setup, Storage storage) {
    if (storage != Storage::full && (setup.scheme.equation != Equation::star || setup.precision != Precision::float32))
        throw std::invalid_argument("storage " + std::string(name(storage)) +
                                    " is for the operator star in single precision: use float");
    const double dt_s = bench_time_step_s(setup), slowest_m_s = 0.5 * kBenchFastest_m_s;
    const auto k_of = [&](double vp_m_s) {
        return static_cast<float>(setup.scheme.equation->arrays.front().value(&vp_m_s, dt_s));
    };
    setup.medium = {};
    if (storage == Storage::codes) setup.medium = medium_of_codes(k_of(slowest_m_s), k_of(kBenchFastest_m_s));
    if (storage != Storage::table) return;
    constexpr int most = static_cast<int>(MediumCode::kMostTableValues) - 1;
    std::vector<float> values;
    for (int i = 0; i < most; ++i)
        values.push_back(k_of(std::lerp(slowest_m_s, kBenchFastest_m_s, static_cast<double>(i) / (most - 1))));
    setup.medium = medium_of_table(values);
}

void put_on_every_face(Setup& setup, const std::string& boundary) {
    BoundaryConfig b;
    b.x_min = b.x_max = b.y_min = b.y_max = b.z_min = b.z_max = boundary;
    const Boundary made =
        make_boundary(b, setup.grid, {setup.scheme, kBenchFastest_m_s, bench_time_step_s(setup), 20.}, {});
    setup.halos = made.halos;
    setup.strips = made.strips;
}

Sample::Sample(std::vector<double> rounds) : rounds_(std::move(rounds)), sorted_(rounds_) {
    std::ranges::sort(sorted_);
}

double Sample::quantile(double share) const {
    const double place = share * static_cast<double>(sorted_.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted_.size() - 1);
    return std::lerp(sorted_[below], sorted_[above], place - static_cast<double>(below));
}

std::vector<double> random_field(std::int64_t points) {
    std::vector<double> field(static_cast<std::size_t>(points));
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < field.size(); ++i) field[i] = RandomStream(1, i).uniform(-0.5, 0.5);
    return field;
}

MediumReaders random_medium(const Setup& setup, const RandomRow& random) {
    const auto around = [&grid = setup.grid, random](float mean, float spread) -> RowReader {
        return [&grid, random, mean, spread](std::int64_t y, std::int64_t z, std::span<float> row) {
            random(grid.at(0, y, z), row);
            for (float& value : row) value = mean + spread * value;
        };
    };
    constexpr auto fastest = static_cast<float>(kBenchFastest_m_s);
    MediumReaders readers;
    for (const MediumParameter& parameter : setup.scheme.equation->parameters) {
        if (parameter.name == "vp")
            readers.push_back(around(0.75f * fastest, 0.5f * fastest));
        else if (parameter.name == "rho")
            readers.push_back(around(2000.f, 1000.f));
        else if (parameter.name == "q")
            readers.push_back(around(100.f, 100.f));
        else if (parameter.name == "epsilon")
            readers.push_back(around(0.15f, 0.1f));
        else if (parameter.name == "delta")
            readers.push_back(around(0.05f, 0.1f));
        else  // angles of the axis
            readers.push_back(around(0.5f, 1.f));
    }
    return readers;
}

std::int64_t steps_of_round(std::int64_t fewest, double least_s, const std::function<double(std::int64_t)>& round_s) {
    std::int64_t steps = fewest;
    for (double seconds = round_s(steps); seconds < least_s; seconds = round_s(steps))
        steps *= std::clamp<std::int64_t>(static_cast<std::int64_t>(1.2 * least_s / seconds) + 1, 2, 1000);
    return steps;
}

Twin twin_of(const Device& device, const Setup& setup, const Load& load) {
    Twin twin{setup, load};
    const bool is_star = setup.scheme.equation == Equation::compact;  // the streams are the star's
    twin.setup.scheme = make_scheme(is_star ? Equation::star : setup.scheme.equation, 2);
    twin.setup.scheme.relaxation = setup.scheme.relaxation;
    twin.setup.stepping = Stepping::single;
    twin.setup.medium = {};
    twin.setup.kernel = "twin";
    twin.setup.tile = twin.setup.copy = "auto";
    twin.setup.halos = {};
    twin.setup.strips = {};
    device.resolve(twin.setup);
    twin.load.receivers = 0;
    twin.load.source = false;
    if (load.shots > device.most_shots(twin.setup)) {
        twin.setup.grid.n[2] *= load.shots;
        twin.load.shots = 1;
    }
    return twin;
}

Contender::Contender(const Device& device, const Setup& setup, std::span<const double> field, const Load& load)
    : points_(static_cast<double>(load.shots) * static_cast<double>(setup.grid.points())), steps_(load.steps) {
    const auto values = field.first(static_cast<std::size_t>(setup.grid.points()));
    const RandomRow random = [values](std::int64_t begin, std::span<float> row) {
        std::ranges::transform(values.subspan(static_cast<std::size_t>(begin), row.size()), row.begin(),
                               [](double value) { return static_cast<float>(value); });
    };
    wavefield_ =
        device.make_medium(setup, random_medium(setup, random), bench_time_step_s(setup))->make_wavefield(load.shots);
    for (int i = 0; i < load.shots; ++i) wavefield_->upload(values, values, i);
    if (steps_ == 0) {
        const std::int64_t stride = wavefield_->medium().setup().stride();
        wavefield_->advance(0, stride);
        steps_ = steps_of_round(stride, load.least_round_s, [this](std::int64_t steps) { return round_s(steps); });
    }
    const BenchShot shot(setup.grid, load, steps_ + 1);
    for (int i = 0; i < load.shots; ++i) {
        if (load.source) wavefield_->set_sources(i, shot.sources);
        if (load.receivers > 0) wavefield_->set_receivers(i, shot.receivers, steps_ + 1);
    }
    if (load.steps > 0 || load.source || load.receivers > 0) round_s(steps_);
}

std::string Contender::description() const {
    return wavefield_->medium().description();
}

double Contender::seconds_per_step() {
    return round_s(steps_) / static_cast<double>(steps_);
}

double Contender::round_s(std::int64_t steps) {
    const auto start = std::chrono::steady_clock::now();
    wavefield_->advance(0, steps);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Match take_turns(Contender& contender, Contender& rival, int rounds, const std::function<void()>& after_round) {
    std::vector<double> seconds, gpts, rival_gpts, ratio;
    for (int round = 0; round < rounds; ++round) {
        rival_gpts.push_back(rival.measure());
        seconds.push_back(contender.seconds_per_step());
        gpts.push_back(contender.gpts(seconds.back()));
        ratio.push_back(gpts.back() / rival_gpts.back());
        if (after_round) after_round();
    }
    return {Sample(seconds), Sample(gpts), Sample(rival_gpts), Sample(ratio), contender.steps()};
}

}  // namespace onda
