/// \file
/// HDF5 models: /vp with units, axis_labels, spacing and origin, and perhaps /rho of the same shape. Format:
/// docs/file_formats.md.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5/sandbox.hpp"
#include "io/models/geometry.hpp"
#include "io/text/error.hpp"

namespace onda {

/// Limits of velocity and density: no rock, sediment or fluid lies outside; a thousandth or a thousandfold of one
/// nearly always does.
inline constexpr double lowest_vp_m_s = 50., highest_vp_m_s = 30'000.;
inline constexpr double lowest_rho_kg_m3 = 1e-3, highest_rho_kg_m3 = 50'000.;

/// A unit that velocities may come in.
struct VelocityUnit {
    std::string_view name;
    double m_s = 1.;
};
/// The unit of this name, m/s or km/s.
/// \throws Error(fault) naming `place` and the units that are read.
const VelocityUnit& velocity_unit(const std::string& name, const std::string& place, ExitCode fault);

/// Refuses values that are not finite, not positive, or that no rock has and that look like another unit; converts
/// the others to m/s in place.
/// \param geometry, first, count: the box that `vp` ([z][y][x]) covers, for index and position in the message.
/// \param place what is read ("marmousi.h5: /vp"); \param remedy how to name another unit ("give --units").
/// \throws Error(bad_data).
void to_metres_per_second(std::span<float> vp, const VelocityUnit& unit, const FileGeometry& geometry,
                          std::array<std::int64_t, 3> first, std::array<std::int64_t, 3> count,
                          const std::string& place, const std::string& remedy);

/// The kg/m3 of a density of 1 in kg/m3 or g/cm3.
/// \throws Error(bad_data) naming `place` and the units that are read.
double density_unit_kg_m3(const std::string& name, const std::string& place);

/// Refuses densities that are not finite and positive, converts the others to kg/m3 in place.
/// \param kg_m3 of a stored 1; the others as for to_metres_per_second(). \throws Error(bad_data).
void to_kilograms_per_cubic_metre(std::span<float> rho, double kg_m3, const FileGeometry& geometry,
                                  std::array<std::int64_t, 3> first, std::array<std::int64_t, 3> count,
                                  const std::string& place);

/// An opened, checked model file: hostile or damaged files are refused here, before anything is allocated, and are read
/// in a process of their own (guarded_hdf5.hpp). Any permutation of axis_labels is accepted; values come out as
/// [z][y][x]. Several threads may read one.
class ModelFile {
public:
    /// \param limits of the process that reads.
    /// \throws Error(missing_input | bad_data), naming file, dataset and attribute; Error(out_of_memory) if there can
    /// be no further process.
    explicit ModelFile(const std::filesystem::path& file, const sandbox::Limits& limits = {});
    ~ModelFile();
    ModelFile(ModelFile&&) noexcept;
    ModelFile& operator=(ModelFile&&) noexcept;

    [[nodiscard]] const FileGeometry& geometry() const;
    /// The range of vp that `onda convert` stored (vp_min_m_s, vp_max_m_s), where present and plausible.
    [[nodiscard]] std::optional<std::array<double, 2>> stored_range() const;
    /// Reads vp [m/s] of the box [first, first + count) (x, y, z), [z][y][x], x fastest. Non-finite and non-positive
    /// values, and values that look like km/s, are refused with index and position.
    /// \throws Error(bad_data).
    void read(std::array<std::int64_t, 3> first, std::array<std::int64_t, 3> count, std::span<float> vp) const;
    /// Whether there is a /rho, which is checked here and not before.
    /// \throws Error(bad_data), naming dataset and attribute, for one that does not lie on the nodes of /vp.
    [[nodiscard]] bool has_density() const;
    /// Reads rho [kg/m3] of the box [first, first + count) (x, y, z), [z][y][x], x fastest. Non-finite and non-positive
    /// values are refused with index and position.
    /// \throws Error(bad_data).
    void read_density(std::array<std::int64_t, 3> first, std::array<std::int64_t, 3> count, std::span<float> rho) const;
    /// Notes for the user on the datasets opened so far: one line for each with parts that no checksum covers.
    [[nodiscard]] std::vector<std::string> notes() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Writes a model file, complete or not at all (1.10 format, chunked, fletcher32), from one z plane at a time:
/// plane(z, values) fills ny * nx values [m/s], z = 0, 1, … in order. Stores their range; reads everything back before
/// the file gets its name.
/// \param provenance one text for the root attribute of that name: who made it, from what.
/// \param density_plane the same for rho [kg/m3]; may be empty: no /rho.
/// \return lowest and highest vp [m/s].
/// \throws Error(bad_data) for values that to_metres_per_second refuses, Error(cannot_create | io_error).
std::array<double, 2> write_model_file(const std::filesystem::path& file, const FileGeometry& geometry,
                                       const std::function<void(std::int64_t z, std::span<float>)>& plane,
                                       const std::string& provenance, bool overwrite,
                                       const std::function<void(std::int64_t z, std::span<float>)>& density_plane = {});

}  // namespace onda
