/// \file
/// The media that the shots of a run are computed on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/medium.hpp"
#include "kernels/plan/allocations.hpp"
#include "solver/model/model.hpp"
#include "solver/ranks/team.hpp"

namespace onda {

struct Computation;
struct Experiment;
struct Plan;

/// Adds the rows of the model: until the devices have it, and where shots take parts of it for as long as there are
/// shots.
void add_model_memory(Allocations& list, const Experiment& experiment, const Computation& computation);

/// One medium at a time: that of the whole grid, made at once, or that of the part of a shot, made when one is asked
/// for.
class ShotMedia {
public:
    /// \param model is let go at once where nobody asks for it again, shots being computed on the whole grid and
    /// forward: model and wavefields need not share the memory.
    /// \param team the processes that share the grid, led by this one; null where it is alone.
    ShotMedia(const Plan& plan, std::shared_ptr<const Model> model, Team* team = nullptr);

    /// Whether the medium that is there is that of a part of the grid, Domain::part.
    [[nodiscard]] bool holds(const Window& part) const { return medium_ && part_ == part; }
    /// The medium of the part of a shot; the one before it goes, and every wavefield on it must have gone.
    [[nodiscard]] Medium& of(const Plan& of_shot);

    /// The model, where gradients are computed or shots take parts of it.
    [[nodiscard]] const Model& model() const { return *model_; }
    /// Medium::description(): the device and the kernel.
    [[nodiscard]] const std::string& description() const { return description_; }
    /// The bytes of the largest medium.
    [[nodiscard]] std::int64_t allocated_bytes() const { return allocated_bytes_; }

private:
    void make(const Plan& of_shot, const Model& model);

    Team* team_;
    std::shared_ptr<const Model> model_;  ///< as long as it is asked for
    Window part_;
    std::shared_ptr<Medium> medium_;
    std::string description_;
    std::int64_t allocated_bytes_ = 0;
};

}  // namespace onda
