/// \file
/// Models stored as codes, beside the models of the values that their codes stand for.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/plan/medium_code.hpp"
#include "tests/kernels/kernel_cases.hpp"

namespace onda::test {

/// A noisy model of velocities that are chosen such that floats can name their decoded ones, too.
class CodedModel {
public:
    /// \param setup whose grid has the model, at 0.7 of the stability limit of order 2.
    CodedModel(const Setup& setup, Storage storage) : grid_(setup.grid) {
        double h2 = 0.;
        for (int axis = 0; axis < 3; ++axis)
            if (grid_.has_axis(axis)) h2 += 1. / (grid_.spacing_m[axis] * grid_.spacing_m[axis]);
        dt_s_ = 0.7 / (3000. * std::sqrt(h2));
        if (storage == Storage::codes)
            choose_codes();
        else
            choose_table();
    }

    [[nodiscard]] const MediumCode& code() const { return code_; }
    [[nodiscard]] double dt_s() const { return dt_s_; }
    [[nodiscard]] MediumReaders original() const {
        return {reader([](const auto& pair) { return pair.first; })};
    }
    [[nodiscard]] MediumReaders decoded() const {
        return {reader([](const auto& pair) { return pair.second; })};
    }
    /// Whether the two differ anywhere.
    [[nodiscard]] bool changed() const {
        return std::ranges::any_of(pairs_, [](const auto& pair) { return pair.first != pair.second; });
    }

private:
    static constexpr std::uint64_t kVelocities = 200;

    [[nodiscard]] float k_of(float vp_m_s) const {
        const double vp = static_cast<double>(vp_m_s);
        return static_cast<float>(Equation::star->arrays.front().value(&vp, dt_s_));
    }
    void choose_codes() {
        code_ = medium_of_codes(k_of(1500.f), k_of(3000.f));
        for (std::uint64_t i = 0; pairs_.size() < kVelocities; ++i) {
            const auto vp = static_cast<float>(1500. + 1500. * noise(i, 17));
            const float k = code_.decoded(code_.encoded(k_of(vp)));
            float near = static_cast<float>(std::sqrt(static_cast<double>(k)) / dt_s_);
            for (int ulp = 0; ulp < 3; ++ulp) near = std::nextafter(near, 0.f);
            for (int ulp = 0; ulp < 6 && k_of(near) != k; ++ulp) near = std::nextafter(near, 1e9f);
            if (k_of(near) == k) pairs_.emplace_back(vp, near);
        }
    }
    void choose_table() {
        std::vector<float> values;
        for (std::uint64_t i = 0; i < kVelocities; ++i) {
            const auto vp = static_cast<float>(1500. + 1500. * noise(i, 17));
            pairs_.emplace_back(vp, vp);
            values.push_back(k_of(vp));
        }
        code_ = medium_of_table(values);
    }
    template <typename Which>
    [[nodiscard]] RowReader reader(const Which& which) const {
        return [grid = grid_, pairs = pairs_, which](std::int64_t y, std::int64_t z, std::span<float> row) {
            for (std::int64_t x = 0; x < grid.nx(); ++x) {
                const double at = noise(static_cast<std::uint64_t>(grid.at(x, y, z)), 1);
                row[x] = which(pairs[static_cast<std::size_t>(at * static_cast<double>(pairs.size()))]);
            }
        };
    }

    Grid grid_;
    double dt_s_ = 0.;
    MediumCode code_;
    std::vector<std::pair<float, float>> pairs_;  ///< a velocity, and that of its decoded k
};

/// p, p_prev and the traces of a noisy shot on a model.
inline std::vector<double> run_on_model(const Case& c, const Setup& setup, const MediumReaders& readers, double dt_s,
                                        const MakeMedium& make_medium) {
    const auto wavefield = make_medium(setup, readers, dt_s)->make_wavefield();
    start_noisy_shot(*wavefield, c, setup.precision);
    wavefield->record(0);
    wavefield->advance(0, c.steps);
    CHECK(wavefield->extremum().finite);
    return results_of(*wavefield, c);
}

}  // namespace onda::test
