/// \file
/// The sources of all shots of a wavefield as tables on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/field_operations.hpp"
#include "kernels/cuda/fields/cuda_fields.hpp"
#include "kernels/cuda/fused/fused_steps.hpp"
#include "kernels/medium.hpp"
#include "kernels/shot/shot.hpp"

namespace onda::cuda {

/// Source nodes with their amplitudes and signals; kept as long as they are used. Empty: no sources.
template <typename T>
class DeviceSources {
public:
    DeviceSources() = default;
    /// \param of_shots one entry for each shot of `fields`. \param fused where steps are fused: nodes come in the
    /// order of its blocks, which it is told. \throws Error, std::bad_alloc.
    DeviceSources(const Medium& medium, const CudaFields<T>& fields, const std::vector<Sources>& of_shots,
                  FusedSteps<T>* fused);

    [[nodiscard]] std::int64_t bytes() const {
        return element_.bytes() + first_.bytes() + samples_.bytes() + row_.bytes() + amplitude_.bytes() +
               signal_.bytes();
    }
    /// The fields that they act on.
    [[nodiscard]] std::size_t fields() const { return fields_; }
    [[nodiscard]] SourceNodes<T> nodes(std::size_t field = 0) const {
        return {element_.data(),
                first_.data(),
                row_.data(),
                amplitude_.data() + static_cast<std::int64_t>(field) * row_.size(),
                signal_.data(),
                samples_.data(),
                static_cast<int>(element_.size())};
    }

private:
    DeviceBuffer<std::int64_t> element_, first_, samples_;
    DeviceBuffer<std::int32_t> row_;
    DeviceBuffer<T> amplitude_, signal_;  ///< amplitudes of all entries, field after field
    std::size_t fields_ = 0;
};

/// What updates add of a signal: of leaps samples 0, 2, 4, …
Sources samples_of_updates(Sources sources, std::int64_t stride);

}  // namespace onda::cuda
