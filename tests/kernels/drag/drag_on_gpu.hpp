/// \file
/// The strips of the kind drag (drag.hpp) with a kernel for GPUs.
#pragma once

#include "tests/kernels/drag/drag.hpp"

namespace onda::test {

class DragOnGpu final : public Drag {
public:
    [[nodiscard]] const cuda::StripRow* on_cuda() const override;
    [[nodiscard]] std::shared_ptr<const Strip> with(const std::array<std::int64_t, 6>& widths) const override {
        auto other = std::make_shared<DragOnGpu>();
        other->width = widths;
        return other;
    }
};

}  // namespace onda::test
