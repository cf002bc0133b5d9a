/// \file
/// What the promises on adjoint runs, gradients and scattered fields are measured in: a small box in which every node
/// has a velocity (and density) of its own.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "solver/imaging/gradient_run.hpp"
#include "solver/propagation/devices.hpp"
#include "solver/verify/experiment.hpp"

namespace onda::verify {

/// An equation, its order and what is at the faces of a box: "free_surface, rigid and zero", …
struct Case {
    const char* name;
    Equation equation;
    int order;
    const char *top, *left, *others;
    int time_order = 2;
};
inline constexpr std::array kAdjointCases{
    Case{"order 8, CPML", Equation::star, 8, "cpml", "cpml", "cpml"},
    Case{"order 8, CPML, free surface and wall", Equation::star, 8, "free_surface", "rigid", "cpml"},
    Case{"order 2, CPML", Equation::star, 2, "cpml", "cpml", "cpml"},
    Case{"order 16, CPML and free surface", Equation::star, 16, "free_surface", "cpml", "cpml"},
    Case{"order 8, sponge and free surface", Equation::star, 8, "free_surface", "sponge", "sponge"},
    Case{"order 4, mirrors", Equation::star, 4, "free_surface", "rigid", "rigid"},
    Case{"variable density, order 8, CPML, free surface and wall", Equation::variable_density, 8, "free_surface",
         "rigid", "cpml"},
    Case{"variable density, order 2, CPML", Equation::variable_density, 2, "cpml", "cpml", "cpml"},
    Case{"variable density, order 4, sponge and free surface", Equation::variable_density, 4, "free_surface", "sponge",
         "sponge"},
    Case{"variable density, order 8, mirrors", Equation::variable_density, 8, "free_surface", "rigid", "rigid"},
    Case{"compact, mirrors", Equation::compact, 2, "free_surface", "rigid", "rigid"},
    Case{"compact, sponge", Equation::compact, 2, "sponge", "sponge", "sponge"},
    Case{"order 4 in time, order 8, CPML, free surface and wall", Equation::star, 8, "free_surface", "rigid", "cpml",
         4},
    Case{"order 4 in time, order 2, CPML", Equation::star, 2, "cpml", "cpml", "cpml", 4},
    Case{"order 4 in time, order 8, sponge and free surface", Equation::star, 8, "free_surface", "sponge", "sponge", 4},
    Case{"order 4 in time, order 4, mirrors", Equation::star, 4, "free_surface", "rigid", "rigid", 4},
    Case{"attenuation, order 8, CPML, free surface and wall", Equation::attenuation_of_two, 8, "free_surface", "rigid",
         "cpml"},
    Case{"attenuation, order 4, sponge and free surface", Equation::attenuation, 4, "free_surface", "sponge", "sponge"},
    Case{"attenuation, variable density, order 8, CPML, free surface and wall", Equation::attenuation_density, 8,
         "free_surface", "rigid", "cpml"},
    Case{"VTI, order 8, CPML, free surface and wall", Equation::vti_of_gradients, 8, "free_surface", "rigid", "cpml"},
    Case{"VTI, order 4, sponge and free surface", Equation::vti_of_gradients, 4, "free_surface", "sponge", "sponge"},
    Case{"drag, order 8, CPML, free surface and wall", Equation::drag, 8, "free_surface", "rigid", "cpml"},
    Case{"drag, order 4, sponge and free surface", Equation::drag, 4, "free_surface", "sponge", "sponge"},
};

/// Whether the medium absorbs.
inline bool absorbs(const Case& c) {
    return strengths_of(*c.equation) > 0;
}
/// Whether fields are scattered.
inline bool has_born(const Case& c) {
    return !absorbs(c);
}
/// Whether fields are rebuilt backward.
inline bool has_rings(const Case& c) {
    return !absorbs(c) && c.equation->fields.size() == 1 && c.time_order == 2;
}

/// Whether tests leave a row of order 4 in time out: in 3-D, where one case stands for all.
constexpr bool is_long_in_order_4(const Case& c, int dimensions) {
    return dimensions == 3 && c.time_order == 4 && (c.order != 8 || std::string_view(c.others) != "cpml");
}

Experiment box_of(const Case& c, int dimensions, Precision precision);

/// Places in cells from the first node: on and off nodes, near faces, and in layers.
inline constexpr std::array kSources{Position{17.3, 15.6, 14.45}, Position{3.4, 20.2, 8.7}};
inline constexpr std::array kReceivers{Position{25., 12., 20.}, Position{12.3, 29.4, 1.6}, Position{35.2, 17.7, 30.1},
                                       Position{17.3, 15.6, 12.}};

/// Numbers between -1 and 1.
std::vector<double> noise(std::int64_t count, std::int64_t seed);

double dot(std::span<const double> a, std::span<const double> b);

/// Lets loops go on.
class Onwards final : public StepControl {
public:
    std::int64_t begin_stretch() override { return 1'000'000; }
    void end_stretch(std::int64_t, double) override {}
    void tell(std::int64_t, double, double) override {}
};

/// A shot in a scattering medium, and its transposes.
class AdjointBox {
public:
    AdjointBox(const Experiment& e, const VerifyOptions& options);

    [[nodiscard]] const TimeAxis& time() const { return time_; }
    [[nodiscard]] const Experiment& experiment() const { return e_; }
    [[nodiscard]] std::int64_t points() const { return e_.grid.points(); }
    /// Adds to the velocities of the medium that is made from now on.
    void change_velocity(std::vector<float> change) { change_[0] = std::move(change); }
    /// Adds to the densities likewise.
    void change_density(std::vector<float> change) { change_[1] = std::move(change); }
    /// Adds to the quality factors likewise.
    void change_q(std::vector<float> change) { change_[2] = std::move(change); }
    /// Adds to epsilon and delta likewise.
    void change_epsilon(std::vector<float> change) { change_[3] = std::move(change); }
    void change_delta(std::vector<float> change) { change_[4] = std::move(change); }
    /// Whether it has densities.
    [[nodiscard]] bool has_density() const { return has_parameter(e_.scheme.equation, "rho"); }
    /// A medium that keeps what images take of its fields.
    [[nodiscard]] std::shared_ptr<Medium> make_medium() const {
        return device_->make_medium(setup_, readers_, e_.dt_s);
    }
    /// One of runs alone, whose steps of order 4 in time, and leaps, are those of `onda run`.
    [[nodiscard]] std::shared_ptr<Medium> make_medium_of_runs(Stepping stepping = Stepping::single) const {
        Setup setup = setup_;
        setup.keeps_applied = false;
        setup.stepping = stepping;
        return device_->make_medium(with_kernel(setup), readers_, e_.dt_s);
    }
    [[nodiscard]] ShotPoints points_of(std::span<const double> signals) const;
    [[nodiscard]] AdjointPoints adjoint_of(std::span<const double> traces, bool records) const;
    /// What was recorded, a row after the other.
    [[nodiscard]] std::vector<double> traces_of(const Wavefield& field, std::size_t count, int shot = 0) const;
    /// d = F s, of a medium that leaps at every second step.
    [[nodiscard]] std::vector<double> forward(Medium& medium, std::span<const double> signals) const;
    /// F' d, d at every step; of a medium that leaps at every second step.
    [[nodiscard]] std::vector<double> adjoint(Medium& medium, std::span<const double> traces) const;
    /// Signals of the sources: noise, in which every frequency counts. \param seed another makes another shot.
    [[nodiscard]] std::vector<double> source_signals(std::int64_t seed = 7) const;
    [[nodiscard]] std::vector<double> data(std::int64_t seed = 100'007) const;
    /// The time axis of runs of a medium.
    [[nodiscard]] TimeAxis time_of(const Medium& medium) const {
        TimeAxis time = time_;
        time.stride = medium.setup().stride();
        return time;
    }
    [[nodiscard]] const MediumReaders& readers() const { return readers_; }
    [[nodiscard]] const Setup& setup() const { return setup_; }

private:
    /// With another kernel than was asked for, where that does not compute it.
    [[nodiscard]] Setup with_kernel(Setup setup) const;

    Experiment e_;
    TimeAxis time_;
    Setup setup_;
    const Device* device_ = nullptr;
    MediumReaders readers_;
    std::array<std::vector<float>, 5> change_;  ///< of velocities, densities, Q, epsilon and delta
    std::vector<Position> sources_, receivers_;
};

}  // namespace onda::verify
