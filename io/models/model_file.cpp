#include "io/models/model_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/files/input_file.hpp"
#include "io/hdf5/guarded_hdf5.hpp"
#include "io/hdf5/hdf5.hpp"
#include "io/models/axis_order.hpp"
#include "io/models/foreign_model.hpp"
#include "io/models/unit_names.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

using Triple = std::array<std::int64_t, 3>;

constexpr std::int64_t format_version = 1;
constexpr std::string_view axis_names = "xyz";

template <class Values>
std::string listed(const Values& values) {
    std::string text;
    for (const auto& value : values) text += (text.empty() ? "" : ", ") + printable(value);
    return "[" + text + "]";
}

std::size_t volume(const Triple& count) {
    return static_cast<std::size_t>(count[0] * count[1] * count[2]);
}

Axes read_axes(const guarded::Dataset& vp) {
    const auto labels = vp.texts("axis_labels");
    const std::string wanted = vp.rank() == 2 ? R"(["z", "x"], in the order of the dimensions)"
                                              : R"(["z", "y", "x"], in the order of the dimensions)";
    if (!labels) vp.fail("has no attribute axis_labels; add one, such as " + wanted);
    Axes axes;
    for (const auto& label : *labels) {
        const auto axis = label.size() == 1 ? axis_names.find(label) : std::string_view::npos;
        const bool repeated = std::find(axes.begin(), axes.end(), axis) != axes.end();
        if (axis == std::string_view::npos || repeated || (vp.rank() == 2 && label == "y"))
            vp.fail("attribute axis_labels = " + listed(*labels) + ": must be a permutation of " + wanted);
        axes.push_back(axis);
    }
    if (axes.size() != vp.rank())
        vp.fail("attribute axis_labels = " + listed(*labels) + " names " + std::to_string(axes.size()) +
                " axes of a dataset with " + std::to_string(vp.rank()) + " dimensions");
    return axes;
}

/// An attribute with one number per dimension, in the order of axis_labels, put in (x, y, z) order.
std::array<double, 3> read_triple(const guarded::Dataset& vp, const std::string& name, const Axes& axes, double absent,
                                  bool positive) {
    const auto values = vp.numbers(name);
    if (!values) vp.fail("has no attribute " + name + "; add one with a number in metres per dimension");
    if (values->size() != axes.size())
        vp.fail("attribute " + name + " has " + std::to_string(values->size()) + " values for " +
                std::to_string(axes.size()) + " dimensions");
    std::array<double, 3> triple{absent, absent, absent};
    for (std::size_t dimension = 0; dimension < axes.size(); ++dimension) {
        const double value = (*values)[dimension];
        if (!std::isfinite(value) || (positive && value <= 0.))
            vp.fail("attribute " + name + "[" + std::to_string(dimension) + "] = " + shortest(value) + ": must be " +
                    (positive ? "positive" : "finite"));
        triple[axes[dimension]] = value;
    }
    return triple;
}

FileGeometry read_geometry(const guarded::Dataset& vp, const Axes& axes) {
    FileGeometry geometry;
    geometry.dimensions = static_cast<int>(vp.rank());
    for (std::size_t dimension = 0; dimension < axes.size(); ++dimension)
        geometry.shape[axes[dimension]] = static_cast<std::int64_t>(vp.extents()[dimension]);
    geometry.spacing_m = read_triple(vp, "spacing", axes, 1., true);
    geometry.origin_m = read_triple(vp, "origin", axes, 0., false);
    return geometry;
}

/// Refuses a quantity whose attribute of that name is there and puts its nodes elsewhere than those of /vp.
void check_same_places(const guarded::Dataset& dataset, const guarded::Dataset& vp, const std::string& name,
                       const std::vector<double>& slack) {
    const auto own = dataset.numbers(name), wanted = vp.numbers(name);
    if (!own) return;
    bool same = wanted && own->size() == slack.size() && wanted->size() == slack.size();
    for (std::size_t i = 0; same && i < own->size(); ++i)
        same = std::abs((*own)[i] - (*wanted)[i]) <= slack[i];  // NaN differs, too
    const auto shown = [](const std::vector<double>& numbers) {
        std::vector<std::string> texts;
        for (const double number : numbers) texts.push_back(shortest(number));
        return listed(texts);
    };
    if (!same)
        dataset.fail("attribute " + name + " = " + shown(*own) + ": must be that of /vp, " +
                     shown(wanted.value_or(std::vector<double>{})));
}

/// How many of a quantity's first unit a 1 in the unit of the dataset is.
double read_factor(const guarded::Dataset& dataset, const Quantity& quantity) {
    if (quantity.units.front().name.empty()) return 1.;
    const auto name = dataset.text("units");
    if (!name || name->empty()) {
        std::string names;
        for (const Quantity::Unit& unit : quantity.units)
            names += (names.empty() ? "" : " or ") + std::string(unit.name);
        dataset.fail("has no attribute units; add one: " + names);
    }
    return unit_of(quantity, *name, dataset.place() + ": attribute units", ExitCode::bad_data).factor;
}

/// A dataset beside /vp, and how many of its quantity's first unit a stored 1 is.
struct Further {
    guarded::Dataset dataset;
    double factor;
};

/// A dataset on the nodes of /vp: what it says of them itself must not differ.
Further open_further(const guarded::File& file, const guarded::Dataset& vp, const Quantity& quantity) {
    auto dataset = file.open_dataset(std::string(quantity.name));
    if (dataset.extents() != vp.extents()) dataset.fail("has another shape than /vp");
    if (const auto labels = dataset.texts("axis_labels"); labels && labels != vp.texts("axis_labels"))
        dataset.fail("attribute axis_labels = " + listed(*labels) + ": must be that of /vp");
    constexpr double rounding = 1e-3;  // of a spacing, of any node: attributes in single precision differ by less
    auto slack = vp.numbers("spacing").value_or(std::vector<double>{});
    slack.resize(vp.rank());  // was so when it was first asked for; a process that was taken over may answer anything
    for (double& h : slack) h *= rounding;
    check_same_places(dataset, vp, "origin", slack);
    for (std::size_t i = 0; i < slack.size(); ++i) slack[i] /= static_cast<double>(vp.extents()[i]);
    check_same_places(dataset, vp, "spacing", slack);
    const double factor = read_factor(dataset, quantity);
    return {std::move(dataset), factor};
}

const VelocityUnit& read_unit(const guarded::Dataset& vp) {
    const auto unit = vp.text("units");
    if (!unit) vp.fail("has no attribute units; add one: m/s or km/s");
    return velocity_unit(*unit, vp.place() + ": attribute units", ExitCode::bad_data);
}

/// The dataset that tells where the nodes are.
guarded::Dataset open_located(const guarded::File& file, const std::string& name) {
    const auto version = file.number("format_version");
    if (version && *version != static_cast<double>(format_version))
        file.fail("attribute format_version = " + shortest(*version) + "; this Onda reads version 1");
    auto vp = file.open_dataset(name);
    if (vp.rank() != 2 && vp.rank() != 3)
        vp.fail("has " + std::to_string(vp.rank()) + " dimensions; a model has 2 or 3");
    if (vp.size() == 0) vp.fail("is empty");
    return vp;
}

/// What of a dataset can be damaged unnoticed; empty: nothing that is read.
std::string uncovered(const guarded::Dataset& dataset) {
    const auto checksums = dataset.checksums();
    const bool attributes =
        checksums.attributes && !dataset.has_variable_text("units") && !dataset.has_variable_text("axis_labels");
    if (checksums.values && attributes) return "";
    return checksums.values ? "attributes" : attributes ? "values" : "values and attributes";
}

}  // namespace

// Reading ----------------------------------------------------------------------------------------------------------

struct ModelFile::Impl {
    guarded::File file;
    guarded::Dataset vp;  ///< or the only quantity that the file has
    Axes axes;
    FileGeometry geometry;
    const VelocityUnit& unit;
    std::map<std::string, Further, std::less<>> further;  ///< once asked for: no run looks at what it does not use
    std::mutex further_lock;

    Impl(const std::filesystem::path& path, const sandbox::Limits& limits)
        : file(guarded::File::open(path, limits)),
          vp(open_located(file, "vp")),
          axes(read_axes(vp)),
          geometry(read_geometry(vp, axes)),
          unit(read_unit(vp)) {}
    Impl(const std::filesystem::path& path, const Quantity& only)
        : file(guarded::File::open(path)),
          vp(open_located(file, file.contains("vp") ? "vp" : std::string(only.name))),
          axes(read_axes(vp)),
          geometry(read_geometry(vp, axes)),
          unit(file.contains("vp") ? read_unit(vp) : velocity_unit("m/s", "", ExitCode::internal)) {
        further.emplace(only.name, open_further(file, vp, only));
    }

    /// The dataset of a quantity, null if there is none.
    const Further* find(const Quantity& quantity) {
        const std::lock_guard lock(further_lock);
        auto found = further.find(quantity.name);
        if (found == further.end() && file.contains(std::string(quantity.name)))
            found = further.emplace(quantity.name, open_further(file, vp, quantity)).first;
        return found == further.end() ? nullptr : &found->second;
    }

    /// A box of a dataset, [z][y][x].
    void read(const guarded::Dataset& from, const Triple& first, const Triple& count, std::span<float> values) const {
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (first[axis] < 0 || count[axis] < 1 || count[axis] > geometry.shape[axis] ||
                first[axis] > geometry.shape[axis] - count[axis])
                throw Error(ExitCode::internal, from.place() + ": box leaves the model along " + axis_names[axis]);
        if (values.size() != volume(count))
            throw Error(ExitCode::internal, from.place() + ": box and memory differ in size");
        const auto in_file_order = [&](const Triple& triple) {
            hdf5::Extents extents;
            for (const auto axis : axes) extents.push_back(static_cast<hdf5::Extent>(triple[axis]));
            return extents;
        };
        const auto from_file_order = [&](const hdf5::Extents& extents, std::int64_t absent) {
            Triple triple{absent, absent, absent};
            for (std::size_t n = 0; n < axes.size(); ++n) triple[axes[n]] = static_cast<std::int64_t>(extents[n]);
            return triple;
        };
        from.read_parts<float>(in_file_order(first), in_file_order(count),
                               [&](const hdf5::Extents& at, const hdf5::Extents& extents, std::span<const float> part) {
                                   const auto [x, y, z] = from_file_order(at, 0);
                                   float* const out = values.data() + x + count[0] * (y + count[1] * z);
                                   put_part(part, axes, from_file_order(extents, 1), count, out);
                               });
    }
};

namespace {

/// A model of another program, by its name, is not handed to the HDF5 library.
const std::filesystem::path& checked_kind(const std::filesystem::path& file) {
    refuse_foreign_model(file);
    return file;
}

}  // namespace

ModelFile::ModelFile(const std::filesystem::path& file, const sandbox::Limits& limits)
    : impl_(std::make_unique<Impl>(checked_kind(file), limits)) {}
ModelFile::ModelFile(const std::filesystem::path& file, const Quantity& only)
    : impl_(std::make_unique<Impl>(file, only)) {}
ModelFile::~ModelFile() = default;
ModelFile::ModelFile(ModelFile&&) noexcept = default;
ModelFile& ModelFile::operator=(ModelFile&&) noexcept = default;

const FileGeometry& ModelFile::geometry() const {
    return impl_->geometry;
}

std::optional<std::array<double, 2>> ModelFile::stored_range() const {
    const auto lowest = impl_->vp.number("vp_min_m_s"), highest = impl_->vp.number("vp_max_m_s");
    if (!lowest || !highest) return std::nullopt;
    if (!(*lowest >= lowest_vp_m_s && *lowest <= *highest && *highest <= highest_vp_m_s)) return std::nullopt;
    return std::array{*lowest, *highest};
}

void ModelFile::read(Triple first, Triple count, std::span<float> vp) const {
    impl_->read(impl_->vp, first, count, vp);
    to_metres_per_second(vp, impl_->unit, impl_->geometry, first, count, impl_->vp.place(),
                         "if so, set the attribute units to");
}

bool ModelFile::has(const Quantity& quantity) const {
    return impl_->find(quantity) != nullptr;
}

void ModelFile::read(const Quantity& quantity, Triple first, Triple count, std::span<float> values) const {
    const Further* const found = impl_->find(quantity);
    if (!found) throw Error(ExitCode::internal, impl_->vp.place() + ": the file has no /" + std::string(quantity.name));
    impl_->read(found->dataset, first, count, values);
    to_first_unit(values, quantity, found->factor, impl_->geometry, first, count, found->dataset.place());
}

std::vector<std::string> ModelFile::notes() const {
    std::vector<std::string> notes;
    const auto look_at = [&](const guarded::Dataset& dataset) {
        if (const auto parts = uncovered(dataset); !parts.empty())
            notes.push_back(
                dataset.place() + ": no checksum covers its " + parts +
                ", so that damage to them cannot be noticed; in h5py: libver=(\"v110\", \"v110\"), fletcher32=True, "
                "texts as np.array([...], dtype=\"S\")");
    };
    look_at(impl_->vp);
    const std::lock_guard lock(impl_->further_lock);
    for (const auto& [name, found] : impl_->further) look_at(found.dataset);
    return notes;
}

// Writing ----------------------------------------------------------------------------------------------------------

namespace {

using Range = std::array<double, 2>;

void widen(Range& range, std::span<const float> vp) {
    const auto [lowest, highest] = std::minmax_element(vp.begin(), vp.end());
    range = {std::min(range[0], static_cast<double>(*lowest)), std::max(range[1], static_cast<double>(*highest))};
}

constexpr Range no_range{std::numeric_limits<double>::infinity(), 0.};

/// The values of the axes in the order of the file: z, y, x or z, x.
template <class T>
std::vector<T> slowest_first(const FileGeometry& geometry, const std::array<T, 3>& triple) {
    if (geometry.dimensions == 2) return {triple[2], triple[0]};
    return {triple[2], triple[1], triple[0]};
}

hdf5::DatasetLayout layout_of(const FileGeometry& geometry) {
    hdf5::DatasetLayout layout;
    const bool flat = geometry.dimensions == 2;
    // At most a MiB, nearly cubic: boxes and slices of any direction are read at about the same speed.
    const hdf5::Extent edge = flat ? 512 : 64;
    for (const auto extent : slowest_first(geometry, geometry.shape)) {
        layout.extents.push_back(static_cast<hdf5::Extent>(extent));
        layout.chunk.push_back(hdf5::even_chunk(layout.extents.back(), edge));
    }
    layout.dimension_labels = flat ? std::vector<std::string>{"z", "x"} : std::vector<std::string>{"z", "y", "x"};
    return layout;
}

/// Checks a part of a plane in place: its values, its first node and its extents.
using Check = std::function<void(std::span<float>, const Triple&, const Triple&)>;

/// Writes whole layers of chunks.
Range write_planes(hdf5::Dataset& to, const FileGeometry& geometry, const Plane& plane, const Check& check) {
    const auto [nx, ny, nz] = geometry.shape;
    const auto thickness = static_cast<std::int64_t>(to.chunk().front());
    std::vector<float> slab(static_cast<std::size_t>(std::min(thickness, nz) * ny * nx));
    Range range = no_range;
    for (std::int64_t z0 = 0; z0 < nz; z0 += thickness) {
        const Triple count{nx, ny, std::min(thickness, nz - z0)};
        const auto values = std::span(slab).first(volume(count));
        for (std::int64_t z = 0; z < count[2]; ++z)
            plane(z0 + z, values.subspan(static_cast<std::size_t>(z * ny * nx), static_cast<std::size_t>(ny * nx)));
        check(values, {0, 0, z0}, count);
        widen(range, values);
        hdf5::Extents first(to.rank(), 0), extents = to.extents();
        first.front() = static_cast<hdf5::Extent>(z0);
        extents.front() = static_cast<hdf5::Extent>(count[2]);
        to.write<float>(first, extents, values);
    }
    return range;
}

hdf5::Dataset create(hdf5::File& file, const std::string& name, const std::string& unit, const FileGeometry& geometry) {
    const auto layout = layout_of(geometry);
    auto dataset = file.create_dataset(name, hdf5::Element::float32, layout);
    dataset.set_text("units", unit);
    dataset.set_texts("axis_labels", layout.dimension_labels);
    dataset.set_numbers("spacing", slowest_first(geometry, geometry.spacing_m));
    dataset.set_numbers("origin", slowest_first(geometry, geometry.origin_m));
    return dataset;
}

Range write_vp(hdf5::File& file, const FileGeometry& geometry, const Plane& plane) {
    auto vp = create(file, "vp", "m/s", geometry);
    const auto range =
        write_planes(vp, geometry, plane, [&](std::span<float> values, const Triple& first, const Triple& count) {
            to_metres_per_second(values, {"m/s"}, geometry, first, count, vp.place(), "a model file needs m/s, not");
        });
    vp.set_number("vp_min_m_s", range[0]);
    vp.set_number("vp_max_m_s", range[1]);
    vp.close();
    return range;
}

void write_further(hdf5::File& file, const FileGeometry& geometry, const QuantityPlanes& planes) {
    const Quantity& quantity = planes.quantity;
    auto dataset = create(file, std::string(quantity.name), std::string(quantity.units.front().name), geometry);
    write_planes(dataset, geometry, planes.plane,
                 [&](std::span<float> values, const Triple& first, const Triple& count) {
                     to_first_unit(values, quantity, 1., geometry, first, count, dataset.place());
                 });
    dataset.close();
}

/// Every checksum of the file that was written, and the values' range.
void read_back(const std::filesystem::path& temporary, const std::filesystem::path& file, const Range& range,
               const std::vector<QuantityPlanes>& further) {
    try {
        const ModelFile model(temporary);
        const auto [nx, ny, nz] = model.geometry().shape;
        constexpr std::int64_t thickness = 64;
        std::vector<float> slab;
        Range found = no_range;
        for (std::int64_t z = 0; z < nz; z += thickness) {
            const Triple count{nx, ny, std::min(thickness, nz - z)};
            slab.resize(volume(count));
            model.read({0, 0, z}, count, slab);
            widen(found, slab);
            for (const QuantityPlanes& planes : further) model.read(planes.quantity, {0, 0, z}, count, slab);
        }
        if (found != range || model.stored_range() != range)
            throw Error(ExitCode::io_error, "its values differ from what was written");
    } catch (const Error& error) {
        if (error.code() == ExitCode::out_of_memory) throw;
        throw Error(ExitCode::io_error, shown(file) + ": cannot be read back after writing: " + error.what());
    }
}

}  // namespace

std::array<double, 2> write_model_file(const std::filesystem::path& file, const FileGeometry& geometry,
                                       const Plane& plane, const std::string& provenance, bool overwrite,
                                       const std::vector<QuantityPlanes>& further) {
    const hdf5::Turn turn;
    AtomicFile target(file, overwrite);
    auto out = hdf5::File::create(target.temporary(), file);
    out.set_text("format", "onda-model");
    out.set_integer("format_version", format_version);
    out.set_text("provenance", provenance);
    const auto range = write_vp(out, geometry, plane);
    for (const QuantityPlanes& planes : further) write_further(out, geometry, planes);
    out.close();
    read_back(target.temporary(), file, range, further);
    target.commit();
    return range;
}

}  // namespace onda
