/// \file
/// The parameters of a grid in the memory of one GPU.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/choice.hpp"
#include "kernels/cuda/cuda.hpp"
#include "kernels/cuda/stepper.hpp"
#include "kernels/equations/observed_field.hpp"
#include "kernels/plan/medium_rows.hpp"

namespace onda::cuda {

/// Elements of an array, read through the kernel that samples receivers: one entry of weight 1 each. Waits for the
/// stream. \param array at node (0, 0, 0); \param element from there.
template <typename T>
void sample_elements(const ObservedField<T>& array, const std::vector<std::int64_t>& element, std::span<double> values,
                     const Stream& stream);

template <typename T>
class CudaMedium final : public Medium {
public:
    CudaMedium(const Setup& setup, const Instance<T>& instance, const MediumReaders& readers, double dt_s);
    ~CudaMedium() override;

    std::string description() const override;
    std::string kernel() const override { return instance_.kernel; }
    std::int64_t allocated_bytes() const override {
        return memory_.bytes() + codes_.bytes() + indices_.bytes() + table_.bytes();
    }
    void values_at(std::size_t array, std::span<const std::int64_t> nodes, std::span<double> values) const override;
    using Medium::make_wavefield;
    std::unique_ptr<Wavefield> make_wavefield(int shots, const StripList& strips) override;
    std::unique_lock<std::mutex> take_turn(int shots) const override;

    [[nodiscard]] const Instance<T>& instance() const { return instance_; }
    [[nodiscard]] std::size_t arrays() const { return layouts_.size(); }
    [[nodiscard]] const Layout& layout(std::size_t array) const { return layouts_[array]; }
    /// An array at node (0, 0, 0); null where k is stored as codes.
    [[nodiscard]] const T* at_origin(std::size_t array) const {
        return memory_.size() == 0 ? nullptr : memory_.data() + begin_[array] + layouts_[array].origin;
    }
    /// k, where it is stored as codes.
    [[nodiscard]] CodedK coded_k() const;
    /// What nodes of each class have for each memory field, counted from the first plane of the set-up.
    [[nodiscard]] std::array<std::array<T, kNodeClasses>, kMaxMemoryFields> of_class() const;

private:
    /// \param target of numbers, or of codes.
    template <typename Stored>
    void load(const Layout& layout, const MediumRows& rows, Stored* target);
    void load_codes(const MediumReaders& readers, double dt_s);

    Instance<T> instance_;
    std::shared_ptr<const MediumFit> fit_;
    std::vector<Layout> layouts_;
    std::vector<std::int64_t> begin_;  ///< element of memory_ at which each array begins
    DeviceBuffer<T> memory_;
    // Where k is stored as codes, these hold the arrays in place of memory_.
    DeviceBuffer<std::uint16_t> codes_;
    DeviceBuffer<std::uint8_t> indices_;
    DeviceBuffer<float> table_;
};

}  // namespace onda::cuda
