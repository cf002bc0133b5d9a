/// \file
/// Models of other programs, as `onda convert` reads them.
#pragma once

#include <vector>

#include "io/models/foreign_model.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace onda::fuzz {

/// Reads a model and its planes.
template <class Read>
void read_foreign(const Read& read, const std::filesystem::path& file, ForeignOptions options) {
    options.available_bytes = 1 << 24;
    answers([&] {
        const ForeignModel model = read(file, options);
        const auto shape = model.geometry.shape;
        std::vector<float> values(static_cast<std::size_t>(shape[0] * shape[1]));
        for (std::int64_t z = 0; z < shape[2]; ++z) model.plane(z, values);
    });
}

}  // namespace onda::fuzz
