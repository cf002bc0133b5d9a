/// \file
/// HDF5 models: /vp with units, axis_labels, spacing and origin. Format: docs/file_formats.md.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/geometry.hpp"

namespace onda {

/// An opened, checked model file: hostile or damaged files are refused here, before anything is allocated.
/// Any permutation of axis_labels is accepted; values come out as [z][y][x].
class ModelFile {
public:
    /// \throws Error(missing_input | bad_data), naming file, dataset and attribute.
    explicit ModelFile(const std::filesystem::path& file);
    ~ModelFile();
    ModelFile(ModelFile&&) noexcept;

    [[nodiscard]] const FileGeometry& geometry() const;
    /// vp_min_m_s and vp_max_m_s as stored by `onda convert`, where present and plausible.
    [[nodiscard]] std::optional<std::array<double, 2>> stored_range() const;
    /// vp [m/s] of the box [first, first + count) (x, y, z), [z][y][x], x fastest. Non-finite and non-positive values,
    /// and values that look like km/s, are refused with index and position.
    void read(std::array<std::int64_t, 3> first, std::array<std::int64_t, 3> count, std::span<float> vp) const;

private:
    struct Impl;
    Impl* impl_;
};

/// Writes a model file, complete or not at all (LATEST format, chunked, fletcher32), from rows given one z plane at a
/// time: plane(z, values) fills ny * nx values [m/s].
/// \throws Error(cannot_create | io_error).
void write_model_file(const std::filesystem::path& file, const FileGeometry& geometry,
                      const std::function<void(std::int64_t z, std::span<float>)>& plane, const std::string& provenance,
                      bool overwrite);

}  // namespace onda
