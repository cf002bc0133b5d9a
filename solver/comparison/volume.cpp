#include "solver/comparison/volume.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <spdlog/fmt/fmt.h>

#include "io/files/atomic_stream.hpp"
#include "io/files/npy_header.hpp"
#include "io/hdf5/hdf5.hpp"
#include "io/models/foreign_model.hpp"
#include "io/models/model_file.hpp"
#include "io/results/result_reader.hpp"
#include "io/text/error.hpp"
#include "io/text/nearest_name.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/model/stored_parameter.hpp"

namespace onda {
namespace {

/// Spacings and origins of files that are written with fewer digits agree so well.
constexpr double kSameSpacing = 1e-5;

/// What a folder is asked for, in this order.
constexpr std::array<const char*, 5> kFilesOfRun{"image.h5", "gradient.h5", "seismograms.h5", "snapshots.h5",
                                                 "model.h5"};

/// "vp, rho"
std::string listed(std::span<const std::string> names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::filesystem::path file_in(const std::filesystem::path& path) {
    if (!std::filesystem::is_directory(path)) return path;
    for (const char* name : kFilesOfRun)
        if (std::filesystem::exists(path / name)) return path / name;
    const std::vector<std::string> names(kFilesOfRun.begin(), kFilesOfRun.end());
    throw Error(ExitCode::missing_input, fmt::format("{}: has none of {}", shown(path), listed(names)));
}

std::array<VolumeAxis, 3> axes_of(const FileGeometry& geometry) {
    std::array<VolumeAxis, 3> axes;
    for (std::size_t axis = 0; axis < 3; ++axis)
        axes[axis] = {std::string(1, "xyz"[axis]), "m", geometry.shape[axis], geometry.spacing_m[axis],
                      geometry.origin_m[axis]};
    return axes;
}

[[noreturn]] void refuse_dataset(const std::filesystem::path& file, const std::string& wanted,
                                 const std::vector<std::string>& there) {
    const auto nearest = nearest_name(wanted, there);
    throw Error(ExitCode::usage,
                fmt::format("--dataset '{}': {}{} has {}", printable(wanted),
                            nearest ? "did you mean '" + *nearest + "'? " : "", shown(file), listed(there)));
}

void refuse_selection(const std::filesystem::path& file, const VolumeSelection& selection, const char* what, bool shot,
                      bool time, bool dataset) {
    const auto refuse = [&](bool given, bool has, const char* option) {
        if (given && !has)
            throw Error(ExitCode::usage,
                        fmt::format("{} says nothing about {}, which is {}", option, shown(file), what));
    };
    refuse(selection.shot.has_value(), shot, "--shot");
    refuse(selection.time_s.has_value(), time, "--time-s");
    refuse(!selection.dataset.empty(), dataset, "--dataset");
}

std::int64_t shot_of(const ResultReader& reader, const std::filesystem::path& file, const VolumeSelection& selection) {
    const std::int64_t shot = selection.shot.value_or(reader.shots().front());
    if (!reader.has(shot))
        throw Error(ExitCode::usage,
                    fmt::format("--shot {}: there is no such shot in {}; it has {} from {} to {}", shot, shown(file),
                                reader.shots().size(), reader.shots().front(), reader.shots().back()));
    return shot;
}

/// The parameter of this name beside vp. \throws Error(usage) where the file has none.
const MediumParameter& further_parameter(const ModelFile& model, const std::filesystem::path& file,
                                         const std::string& wanted) {
    const std::vector<const MediumParameter*> known = storable_parameters();
    const auto named = std::ranges::find(known, wanted, [](const MediumParameter* one) { return one->name; });
    if (named != known.end() && model.has(quantity_of(**named))) return **named;
    std::vector<std::string> there{std::string(kVp.name)};
    for (const MediumParameter* const parameter : known)
        if (model.has(quantity_of(*parameter))) there.emplace_back(parameter->name);
    refuse_dataset(file, wanted, there);
}

Volume read_model_volume(const std::filesystem::path& file, const VolumeSelection& selection) {
    refuse_selection(file, selection, "a model", false, false, true);
    const ModelFile model(file);
    const bool is_velocity = selection.dataset.empty() || selection.dataset == kVp.name;
    const MediumParameter& parameter = is_velocity ? kVp : further_parameter(model, file, selection.dataset);
    Volume volume;
    volume.what = parameter.name;
    volume.unit = parameter.unit;
    volume.axes = axes_of(model.geometry());
    volume.values.resize(static_cast<std::size_t>(product_of(volume.extents())));
    if (is_velocity)
        model.read({}, volume.extents(), volume.values);
    else
        model.read(quantity_of(parameter), {}, volume.extents(), volume.values);
    return volume;
}

Volume read_image_volume(const std::filesystem::path& file, const VolumeSelection& selection) {
    refuse_selection(file, selection, "an image", false, false, true);
    const ImageReader reader(file);
    std::vector<std::string> there;
    const StoredImageKind* chosen = nullptr;
    for (const StoredImageKind* kind : kStoredImageKinds) {
        if (!reader.has(*kind)) continue;
        there.emplace_back(kind->option);
        if (chosen == nullptr && (selection.dataset.empty() || selection.dataset == kind->option)) chosen = kind;
    }
    if (there.empty()) throw Error(ExitCode::bad_data, shown(file) + ": has no image");
    if (chosen == nullptr) refuse_dataset(file, selection.dataset, there);
    Volume volume;
    volume.what = chosen->option;
    volume.unit = chosen->units == nullptr ? "" : chosen->units;
    volume.axes = axes_of(reader.nodes().geometry);
    volume.values = reader.read(*chosen, {}, volume.extents());
    return volume;
}

/// \throws Error(usage) where no snapshot is near.
std::size_t frame_near(const ShotSnapshots& shot, const std::filesystem::path& file, double time_s) {
    const std::vector<double>& times = shot.times_s();
    if (const auto frame = shot.frame_at(time_s)) return *frame;
    throw Error(ExitCode::usage,
                fmt::format("--time-s {}: shot {} of {} has {} snapshots from {:.6g} to {:.6g} s", shortest(time_s),
                            shot.shot(), shown(file), times.size(), times.front(), times.back()));
}

Volume read_snapshot_volume(const std::filesystem::path& file, const VolumeSelection& selection) {
    refuse_selection(file, selection, "a file of snapshots", true, true, false);
    const SnapshotReader reader(file);
    const ShotSnapshots shot = reader.open(shot_of(reader, file, selection));
    const std::size_t frame = selection.time_s ? frame_near(shot, file, *selection.time_s) : shot.times_s().size() - 1;
    Volume volume;
    volume.what = fmt::format("pressure of shot {} at {:.6g} s", shot.shot(), shot.times_s()[frame]);
    volume.unit = "Pa";
    volume.axes = axes_of(shot.geometry());
    volume.values = shot.read(frame, {}, volume.extents());
    return volume;
}

Volume read_gather_volume(const std::filesystem::path& file, const VolumeSelection& selection) {
    refuse_selection(file, selection, "a file of gathers", true, false, false);
    const SeismogramReader reader(file);
    ShotGather gather = reader.read(shot_of(reader, file, selection));
    Volume volume;
    volume.what = fmt::format("gather of shot {}", gather.shot);
    volume.unit = "Pa";
    volume.axes[0] = {"t", "s", gather.samples, gather.dt_s, 0.};
    volume.axes[1] = {"receiver", "", std::ssize(gather.receivers_m), 1., 1.};
    volume.axes[2] = {"shot", "", 1, 1., static_cast<double>(gather.shot)};
    volume.values = std::move(gather.pressure);
    return volume;
}

Volume read_array_volume(const std::filesystem::path& file, const VolumeSelection& selection) {
    refuse_selection(file, selection, "an array", false, false, false);
    const NpyArray array = read_npy_header(file);
    if (array.shape.empty() || array.shape.size() > 3 ||
        std::ranges::any_of(array.shape, [](std::int64_t n) { return n < 1; }))
        throw Error(ExitCode::bad_data, fmt::format("{}: is an array of shape {}; one to three axes with a value at "
                                                    "least can be compared",
                                                    shown(file), array.shape_text));
    std::vector<std::int64_t> shape = array.shape;
    std::vector<std::string> names;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) names.push_back(fmt::format("axis {}", axis));
    if (!array.is_fortran_order) {  // the last index is the fastest
        std::ranges::reverse(shape);
        std::ranges::reverse(names);
    }
    Volume volume;
    volume.what = "array";
    for (std::size_t axis = 0; axis < 3; ++axis)
        volume.axes[axis] =
            axis < shape.size() ? VolumeAxis{names[axis], "", shape[axis], 1., 0.} : VolumeAxis{"none", "", 1, 1., 0.};
    const auto count = count_nodes(shape, shown(file), ExitCode::bad_data);
    volume.values = read_numbers(file, array.first_byte, count, *array.format, array.is_big_endian);
    return volume;
}

Volume read_any(const std::filesystem::path& file, const VolumeSelection& selection) {
    if (file.extension() == ".npy") return read_array_volume(file, selection);
    refuse_foreign_model(file);
    switch (kind_of_file(file)) {
        case FileKind::model: return read_model_volume(file, selection);
        case FileKind::gradient: return read_image_volume(file, selection);
        case FileKind::snapshots: return read_snapshot_volume(file, selection);
        case FileKind::seismograms: return read_gather_volume(file, selection);
        case FileKind::other: break;
    }
    throw Error(ExitCode::bad_data, shown(file) + ": holds neither results of a run nor a model");
}

/// "301 x 1 x 101 samples, 10 m, 10 m, 10 m apart"
std::string grid_text(const Volume& volume) {
    std::string extents, spacings;
    for (const VolumeAxis& axis : volume.axes) {
        extents += (extents.empty() ? "" : " x ") + std::to_string(axis.count);
        spacings +=
            (spacings.empty() ? "" : ", ") + number_text(axis.spacing) + (axis.unit.empty() ? "" : " " + axis.unit);
    }
    return fmt::format("{} samples ({}, {}, {}), spacing {}", extents, volume.axes[0].name, volume.axes[1].name,
                       volume.axes[2].name, spacings);
}

/// Axes of one sample have any spacing.
bool same_spacing(const VolumeAxis& a, const VolumeAxis& b) {
    return (a.count == 1 && b.count == 1) ||
           (a.unit == b.unit && std::abs(a.spacing - b.spacing) <= kSameSpacing * std::abs(a.spacing));
}

/// A file of this name in HDF5.
void write_hdf5_volume(const AtomicFile& target, const Volume& volume, const std::string& dataset,
                       const std::string& provenance) {
    const hdf5::Turn turn;
    auto root = hdf5::File::create(target.temporary(), target.path());
    root.set_text("provenance", provenance);
    hdf5::DatasetLayout layout;
    std::vector<double> spacing, origin;
    std::vector<std::string> names, units;
    for (std::size_t i = 3; i-- > 0;) {
        const VolumeAxis& axis = volume.axes[i];
        layout.extents.push_back(static_cast<hdf5::Extent>(axis.count));
        layout.dimension_labels.push_back(axis.name);
        spacing.push_back(axis.spacing);
        origin.push_back(axis.origin);
        units.push_back(axis.unit.empty() ? "1" : axis.unit);
    }
    auto values = root.create_dataset(dataset, hdf5::Element::float32, layout);
    values.set_texts("axis_labels", layout.dimension_labels);
    values.set_texts("axis_units", units);
    values.set_numbers("spacing", spacing);
    values.set_numbers("origin", origin);
    if (!volume.unit.empty()) values.set_text("units", volume.unit);
    values.set_text("long_name", volume.what);
    values.write_all(std::span<const float>(volume.values));
    values.close();
    root.close();
}

AtomicFile stage_npy(const std::filesystem::path& file, const Volume& volume, bool overwrite) {
    AtomicStream stream(file, overwrite);
    stream.put(npy_header({volume.axes[2].count, volume.axes[1].count, volume.axes[0].count}));
    stream.put({reinterpret_cast<const char*>(volume.values.data()), volume.values.size() * sizeof(float)});
    return stream.finish();
}

}  // namespace

std::string Volume::name() const {
    return shown(file) + ": " + what;
}

std::string Volume::place(std::size_t index) const {
    auto rest = static_cast<std::int64_t>(index);
    std::string text;
    for (const VolumeAxis& axis : axes) {
        const std::int64_t i = rest % axis.count;
        rest /= axis.count;
        if (axis.count == 1) continue;
        text +=
            fmt::format("{}{} {:.6g}{}", text.empty() ? "" : ", ", axis.name,
                        axis.origin + static_cast<double>(i) * axis.spacing, axis.unit.empty() ? "" : " " + axis.unit);
    }
    return text.empty() ? "its only sample" : text;
}

Volume read_volume(const std::filesystem::path& file, const VolumeSelection& selection) {
    const std::filesystem::path here = file_in(file);
    Volume volume = read_any(here, selection);
    volume.file = here;
    const auto bad = std::ranges::find_if(volume.values, [](float value) { return !std::isfinite(value); });
    if (bad != volume.values.end())
        throw Error(ExitCode::bad_data,
                    fmt::format("{}: the value at {} is {}; only finite values can be compared", volume.name(),
                                volume.place(static_cast<std::size_t>(bad - volume.values.begin())), *bad));
    return volume;
}

void require_same_grid(const Volume& a, const Volume& b) {
    const auto refuse = [&](const char* what) {
        throw Error(ExitCode::bad_data,
                    fmt::format("{} and {} differ in their {}: {}, and {}; only volumes on the same "
                                "grid can be compared",
                                a.name(), b.name(), what, grid_text(a), grid_text(b)));
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (a.axes[axis].count != b.axes[axis].count) refuse("extents");
        if (!same_spacing(a.axes[axis], b.axes[axis])) refuse("spacing");
        if (a.axes[axis].count > 1 && a.axes[axis].name != b.axes[axis].name) refuse("axes");
    }
}

void require_fitting_template(const Volume& form, const Volume& volume, int rotations) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!same_spacing(form.axes[axis], volume.axes[axis]))
            throw Error(
                ExitCode::bad_data,
                fmt::format("{} and {} differ in their spacing along {}: {}, and {}; a template has the spacing "
                            "of the volume",
                            form.name(), volume.name(), volume.axes[axis].name, grid_text(form), grid_text(volume)));
        if (form.axes[axis].count > volume.axes[axis].count)
            throw Error(ExitCode::bad_data, fmt::format("the template {} does not fit into {}: {}, and {}", form.name(),
                                                        volume.name(), grid_text(form), grid_text(volume)));
    }
    if (rotations == 1) return;
    const VolumeAxis &x = volume.axes[0], &y = volume.axes[1];
    if (x.unit != y.unit || std::abs(x.spacing - y.spacing) > kSameSpacing * std::abs(x.spacing) || y.count == 1)
        throw Error(ExitCode::bad_data,
                    fmt::format("{}: a template is turned about the vertical only where x and y have one spacing and "
                                "more than one sample: {}; give --rotations 1",
                                volume.name(), grid_text(volume)));
}

void write_volume(const std::filesystem::path& file, const Volume& volume, const std::string& dataset,
                  const std::string& provenance, bool overwrite) {
    const std::string extension = file.extension().string();
    if (extension == ".npy") {
        stage_npy(file, volume, overwrite).commit();
    } else if (extension == ".h5" || extension == ".hdf5") {
        AtomicFile target(file, overwrite);
        write_hdf5_volume(target, volume, dataset, provenance);
        target.commit();
    } else {
        throw Error(ExitCode::usage, fmt::format("{}: volumes are written as .h5 or .npy", shown(file)));
    }
}

}  // namespace onda
