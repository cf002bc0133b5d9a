/// \file
/// Where on the streams of a GPU lies what takes something of one wavefield into another.
#pragma once

#include "kernels/cuda/fields/cuda_fields.hpp"
#include "kernels/cuda/runtime.hpp"

namespace onda::cuda {

/// Orders what is queued between the steps of two wavefields: each piece of work comes after the one before.
class BetweenFields {
public:
    /// Calls queue(background, scattered, stream) for what comes after the steps of both fields, and before the next
    /// step of the background, which overwrites what is read. The stream is that of the scattered field.
    template <typename T, typename Queue>
    void after_steps(const FieldSet& background, const FieldSet& scattered, const Queue& queue) {
        const auto& from = dynamic_cast<const CudaFields<T>&>(background);
        const auto& to = dynamic_cast<const CudaFields<T>&>(scattered);
        const Stream& stream = to.compute();
        stepped_.record(from.compute());
        stepped_.hold(stream);
        done_.hold(stream);
        queue(from, to, stream.get());
        done_.record(stream);
        done_.hold(from.compute());
    }
    /// Calls queue(stream) for what belongs to no wavefield.
    template <typename Queue>
    void beside_steps(const Queue& queue) {
        done_.hold(own_);
        queue(own_);
        done_.record(own_);
    }
    /// Waits for what has been queued.
    void wait() const { done_.wait(); }

private:
    Stream own_;
    Event stepped_, done_;  ///< the background; the last that was queued
};

}  // namespace onda::cuda
