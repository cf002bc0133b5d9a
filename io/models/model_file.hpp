/// \file
/// HDF5 models: /vp with units, axis_labels, spacing and origin, and perhaps further quantities of the same shape, such
/// as /rho. Format: docs/file_formats.md.
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
#include "io/models/velocity_limits.hpp"
#include "io/text/error.hpp"

namespace onda {

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

/// A quantity beside the velocity, or without one: the dataset of its name.
struct Quantity {
    struct Unit {
        std::string_view name;
        double factor = 1.;  ///< how many of the first unit a stored 1 is
    };
    std::string_view name;    ///< "rho"
    std::vector<Unit> units;  ///< that files may use; values come out in the first; one without a name: mere numbers
    double lowest, highest;   ///< values beyond are refused
};

/// "finite and positive, from 0.001 to 50000 kg/m3": what the values of a quantity must be.
std::string describe_limits(const Quantity& quantity);

/// The unit of a quantity of this name, in any spelling; the first where there is none.
/// \throws Error(fault) naming `place` and the units that are read.
const Quantity::Unit& unit_of(const Quantity& quantity, const std::string& name, const std::string& place,
                              ExitCode fault);

/// Refuses values that are not finite, or beyond the limits of a quantity; converts the others to its first unit in
/// place.
/// \param factor how many of the first unit a stored 1 is; the others as for to_metres_per_second().
/// \throws Error(bad_data).
void to_first_unit(std::span<float> values, const Quantity& quantity, double factor, const FileGeometry& geometry,
                   std::array<std::int64_t, 3> first, std::array<std::int64_t, 3> count, const std::string& place);

/// Fills the ny * nx values of one z plane, [y][x]; it is called for z = 0, 1, … in order.
using Plane = std::function<void(std::int64_t z, std::span<float> values)>;

/// A quantity to be written, in the first of its units.
struct QuantityPlanes {
    Quantity quantity;
    Plane plane;
};

/// An opened, checked model file: hostile or damaged files are refused here, before anything is allocated, and are read
/// in a process of their own (guarded_hdf5.hpp). Any permutation of axis_labels is accepted; values come out as
/// [z][y][x]. Several threads may read one.
class ModelFile {
public:
    /// \param limits of the process that reads.
    /// \throws Error(missing_input | bad_data), naming file, dataset and attribute; Error(out_of_memory) if there can
    /// be no further process.
    explicit ModelFile(const std::filesystem::path& file, const sandbox::Limits& limits = {});
    /// A file that need have nothing but one quantity, which then tells its nodes itself, as /vp does; beside /vp it
    /// lies on the nodes of that. \throws as above, also where the quantity is missing.
    ModelFile(const std::filesystem::path& file, const Quantity& only);
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
    /// Whether there is a dataset of this quantity, which is checked here and not before.
    /// \throws Error(bad_data), naming dataset and attribute, for one that does not lie on the nodes of /vp.
    [[nodiscard]] bool has(const Quantity& quantity) const;
    /// Reads a quantity that the file has, as read() reads vp. Values that are not finite, or beyond the limits of the
    /// quantity, are refused with index and position.
    /// \throws Error(bad_data).
    void read(const Quantity& quantity, std::array<std::int64_t, 3> first, std::array<std::int64_t, 3> count,
              std::span<float> values) const;
    /// Notes for the user on the datasets opened so far: one line for each with parts that no checksum covers.
    [[nodiscard]] std::vector<std::string> notes() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Writes a model file, complete or not at all (1.10 format, chunked, fletcher32), from one z plane of velocities [m/s]
/// at a time. Stores their range; reads everything back before the file gets its name.
/// \param provenance one text for the root attribute of that name: who made it, from what.
/// \param further quantities beside the velocity.
/// \return lowest and highest vp [m/s].
/// \throws Error(bad_data) for values that reading would refuse, Error(cannot_create | io_error).
std::array<double, 2> write_model_file(const std::filesystem::path& file, const FileGeometry& geometry,
                                       const Plane& plane, const std::string& provenance, bool overwrite,
                                       const std::vector<QuantityPlanes>& further = {});

}  // namespace onda
