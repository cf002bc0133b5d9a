/// \file
/// gradient.h5: images [z][y][x] that adjoint runs have made, of one shot or summed over those of a survey, with the
/// misfits of their shots. Format: docs/outputs.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/models/geometry.hpp"
#include "io/results/provenance.hpp"

namespace onda {

/// The attribute `format` of these files.
inline constexpr const char* kImageFormat = "onda-gradient";
/// The attribute of an image with ImageNodes::first, in the order z, y, x.
inline constexpr const char* kFirstNodeOfImage = "first_node";

/// A row: an image that a file may hold, as /group/name.
struct StoredImageKind {
    const char* option;  ///< what commands call it
    const char *group, *name;
    const char *units, *long_name;  ///< without units: null
    const char* label;              ///< of a colour bar
    bool both_signs;                ///< whether its values have both
    [[nodiscard]] std::string path() const { return std::string(group) + "/" + name; }
};
inline constexpr StoredImageKind kVpGradient{"gradient",
                                             "gradient",
                                             "vp",
                                             "misfit/(m/s)",
                                             "derivative of the misfit with respect to vp",
                                             "dJ/dvp [misfit/(m/s)]",
                                             true};
inline constexpr StoredImageKind kRhoGradient{"rho",
                                              "gradient",
                                              "rho",
                                              "misfit/(kg/m3)",
                                              "derivative of the misfit with respect to rho",
                                              "dJ/drho [misfit/(kg/m³)]",
                                              true};
inline constexpr StoredImageKind kQGradient{
    "q", "gradient", "q", "misfit", "derivative of the misfit with respect to Q", "dJ/dQ [misfit]", true};
inline constexpr StoredImageKind kEpsilonGradient{
    "epsilon",        "gradient", "epsilon", "misfit", "derivative of the misfit with respect to epsilon",
    "dJ/dε [misfit]", true};
inline constexpr StoredImageKind kDeltaGradient{
    "delta", "gradient", "delta", "misfit", "derivative of the misfit with respect to delta", "dJ/dδ [misfit]", true};
inline constexpr StoredImageKind kSourceIllumination{"source",
                                                     "illumination",
                                                     "source",
                                                     nullptr,
                                                     "illumination by the forward field",
                                                     "illumination by the forward field",
                                                     false};
inline constexpr StoredImageKind kReceiverIllumination{"receiver",
                                                       "illumination",
                                                       "receiver",
                                                       nullptr,
                                                       "illumination by the adjoint field",
                                                       "illumination by the adjoint field",
                                                       false};
inline constexpr StoredImageKind kMigratedImage{"migrated", "image", "migrated", nullptr, "image of the subsurface",
                                                "image",    true};
inline constexpr StoredImageKind kImageStack{
    "stack", "image", "stack", nullptr, "sum of the images of the shots", "sum of images", true};
inline constexpr StoredImageKind kVelocityChange{
    "change", "image", "vp", "m/s", "change of vp that fits the data", "change of vp [m/s]", true};
/// In the order in which one is taken for that of a file: the first that it has.
inline constexpr std::array<const StoredImageKind*, 10> kStoredImageKinds{
    &kVelocityChange,  &kMigratedImage, &kVpGradient, &kRhoGradient,        &kQGradient,
    &kEpsilonGradient, &kDeltaGradient, &kImageStack, &kSourceIllumination, &kReceiverIllumination};

/// The nodes that images lie on.
struct ImageNodes {
    FileGeometry geometry;
    std::array<std::int64_t, 3> first{};  ///< the node (x, y, z) of the run's grid that they begin with
};

/// The misfits of one shot.
struct ShotMisfit {
    std::int64_t shot = 1;
    double value = 0.;                    ///< the sum over traces
    std::vector<double> of_trace{};       ///< [receiver]
    std::int64_t dead = 0, excluded = 0;  ///< traces that do not count
    double dt_s = 0.;
    std::vector<float> adjoint_source{};  ///< [receiver][sample] at n * dt_s; empty: not stored
};

/// What the table of a file tells of a shot.
struct ListedMisfit {
    std::int64_t shot = 1;
    double value = 0.;                                ///< the sum over traces
    std::int64_t traces = 0, dead = 0, excluded = 0;  ///< all, and those that do not count
};

/// Subsurface-offset gathers: sums of products of both fields at nodes that lie apart, /offset_gathers/image.
struct OffsetGathers {
    int dimensions = 2;
    char axis = 'x';                   ///< along which they lie apart
    std::vector<double> x_m{}, y_m{};  ///< of the lines
    std::vector<double> half_offset_m{}, z_m{};
    std::vector<float> values{};  ///< [line][half offset][z]; empty: there are none
};

/// Refuses an image that files do not hold. \param name of what it belongs to, for the message; may be empty.
/// \param values [z][y][x] of planes from z = `plane` on. \throws Error(unstable) for a value that is not finite.
void require_finite(const std::string& name, const StoredImageKind& kind, const FileGeometry& geometry,
                    std::int64_t plane, std::span<const float> values);

/// Collects images and shots in a temporary file; the file appears under its name at commit() and not before. Each of
/// its calls is a turn of HDF5.
class ImageWriter {
public:
    /// \throws Error(cannot_create | io_error).
    ImageWriter(const std::filesystem::path& file, ImageNodes nodes, const Provenance& provenance, bool overwrite);
    ~ImageWriter();
    /// The planes z = plane, plane + 1, … of an image, which come in this order. \param values [z][y][x].
    /// \throws Error(io_error); Error(unstable) for a value that is not finite; Error(internal) for planes that are not
    /// the next ones.
    void write(const StoredImageKind& kind, std::int64_t plane, std::span<const float> values);
    /// Gathers, once. \throws Error(io_error); Error(unstable) for a value that is not finite.
    void write(const OffsetGathers& gathers);
    /// A shot with its traces. \throws Error(io_error); Error(unstable) for a value that is not finite; Error(internal)
    /// for sizes that do not fit together, or a shot written twice.
    void write(const ShotMisfit& misfit);
    /// A shot whose traces are in another file of this format, named from the folder of this one.
    void link(const ListedMisfit& misfit, const std::string& file);
    /// Checks every return code, reads what was written back in part, syncs: the file is ready for its name.
    /// \throws Error(io_error); Error(internal) for an image of which planes are missing.
    AtomicFile finish();
    void commit() { finish().commit(); }

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// What a file of this format holds, as this program wrote it: ImageReader reads those from elsewhere.
struct ImageContents {
    ImageNodes nodes;
    std::vector<const StoredImageKind*> kinds;
    std::vector<ListedMisfit> misfits;  ///< of its shots, those among them whose traces are in other files
};
/// \throws Error(missing_input | bad_data) naming file and dataset, as all that read here.
ImageContents image_contents(const std::filesystem::path& file);
/// [z][y][x] of the box [first, first + count) (x, y, z) of an image that is there.
std::vector<float> read_image(const std::filesystem::path& file, const StoredImageKind& kind,
                              const std::array<std::int64_t, 3>& first, const std::array<std::int64_t, 3>& count);
/// The same into memory that is used again.
struct ImageBuffer {
    std::vector<float> values;
    std::vector<std::byte> stored;  ///< as the file has it
};
void read_image(const std::filesystem::path& file, const StoredImageKind& kind,
                const std::array<std::int64_t, 3>& first, const std::array<std::int64_t, 3>& count,
                ImageBuffer& buffer);
/// Gathers without values where the file has none.
OffsetGathers read_offset_gathers(const std::filesystem::path& file);
/// A shot that the file itself holds.
ShotMisfit read_misfit(const std::filesystem::path& file, std::int64_t shot);

/// How many planes are read and written together: those of some chunks, of 16 MiB in all where a plane is smaller.
std::int64_t planes_at_a_time(const FileGeometry& geometry);
/// Size of gradient.h5 for `onda check`. \param receivers of the shots: how many shots have so many receivers.
/// \param samples of adjoint sources; 0: they are not stored. \param provenance_bytes as Provenance::bytes gives them.
std::int64_t predicted_image_bytes(const FileGeometry& geometry, std::int64_t images,
                                   const std::map<std::int64_t, std::int64_t>& receivers, std::int64_t samples,
                                   std::int64_t provenance_bytes);
/// Bytes of gathers of so many values.
std::int64_t bytes_of_offset_gathers(std::int64_t values);
/// Bytes of the images alone, with their coordinates.
std::int64_t bytes_of_images(const FileGeometry& geometry, std::int64_t images);
/// The memory that writing so many bytes of images takes.
std::int64_t memory_to_write_images(std::int64_t bytes);

}  // namespace onda
