/// \file
/// How long a time step takes, said before it is measured.
#pragma once
#include <memory>
#include <string>

#include "kernels/setup.hpp"
#include "solver/propagation/devices.hpp"

namespace onda {

struct StepTime {
    double seconds = 0.;  ///< of one step of all shots of the batch
    std::string bound;    ///< what bounds it: "DRAM", "L2", "shared memory", "issue", "launch", …
};

class StepModel {
public:
    virtual ~StepModel() = default;
    /// \param setup resolved: kernel, tile and copy are names, not "auto". \param shots in one wavefield.
    [[nodiscard]] virtual StepTime step(const Setup& setup, int shots) const = 0;
    /// Where the constants of the model come from: "measured on … at …", "shipped for the NVIDIA H200".
    [[nodiscard]] virtual std::string source() const = 0;
};

/// The model of a device with the constants that `onda bench calibrate` measured there, or else those that ship for its
/// name; null where there are none.
std::unique_ptr<StepModel> calibrated_model(const Device& device, int ordinal);

}  // namespace onda
