#include "io/results/result_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "io/config/strict_yaml.hpp"
#include "io/files/input_file.hpp"
#include "io/hdf5/guarded_hdf5.hpp"
#include "io/results/carried_columns.hpp"
#include "io/results/result_file.hpp"
#include "io/results/snapshots.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {
namespace {

constexpr std::string_view kSeismograms = "onda-seismograms", kSnapshots = "onda-snapshots";

/// Checks the format of a file that has just been opened.
guarded::File checked(guarded::File root, std::string_view format) {
    const auto found = root.text("format");
    if (!found) root.fail("has no attribute 'format'; expected " + std::string(format));
    if (*found != format) root.fail("is of format '" + printable(*found) + "'; expected " + std::string(format));
    const double version = root.number("format_version").value_or(0.);
    if (!(version >= 1. && version <= kResultFormatVersion))
        root.fail("its format_version is not one that this program reads (1 to " +
                  std::to_string(kResultFormatVersion) + ")");
    return root;
}

std::vector<std::int64_t> numbers_of_shots(const guarded::File& root) {
    std::vector<std::int64_t> shots;
    for (const std::string& name : root.names("shots")) {
        std::int64_t shot = 0;
        const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), shot);
        if (fault != std::errc{} || end != name.data() + name.size())
            root.fail("/shots: '" + printable(name) + "' is not a shot number");
        shots.push_back(shot);
    }
    if (shots.empty()) root.fail("has no shots");
    std::ranges::sort(shots);
    return shots;
}

std::string title_of(const guarded::File& root) {
    const YamlDocument config = read_strict_yaml(root.text("config_resolved_yaml").value_or(""));
    const YamlNode* const title = config.root.find("title");
    return title ? title->scalar : "";
}

/// The numbers of a node, one or several of them; empty for anything else.
std::vector<double> numbers_of(const YamlNode* node) {
    std::vector<double> numbers;
    if (node == nullptr) return numbers;
    const bool is_list = node->kind == YamlNode::Kind::sequence;
    for (const YamlNode& item : is_list ? node->items : std::vector<YamlNode>{*node}) {
        const auto number = parse_number(item.scalar);
        if (item.kind != YamlNode::Kind::scalar || !number) return {};
        numbers.push_back(*number);
    }
    return numbers;
}

/// The grid of a configuration: of all its parameters in sections, or, as files of shots have them, in a list of dotted
/// names.
std::optional<FileGeometry> grid_of(const YamlNode& config) {
    const YamlNode* const section = config.find("grid");
    const auto numbers = [&](const std::string& key) {
        return numbers_of(section != nullptr ? section->find(key) : config.find("grid." + key));
    };
    const std::vector<double> shape = numbers("shape"), origin_m = numbers("origin_m");
    std::vector<double> spacing_m = numbers("spacing_m");
    if (spacing_m.size() == 1) spacing_m.resize(shape.size(), spacing_m.front());
    const std::size_t axes = shape.size();
    if ((axes != 2 && axes != 3) || spacing_m.size() != axes || (!origin_m.empty() && origin_m.size() != axes))
        return {};
    FileGeometry grid;
    grid.dimensions = static_cast<int>(axes);
    for (std::size_t i = 0; i < axes; ++i) {
        const std::size_t axis = axes == 2 && i == 1 ? 2 : i;
        if (!(shape[i] >= 1. && shape[i] <= 1e15)) return {};
        grid.shape[axis] = static_cast<std::int64_t>(shape[i]);
        grid.spacing_m[axis] = spacing_m[i];
        grid.origin_m[axis] = origin_m.empty() ? 0. : origin_m[i];
    }
    return grid;
}

std::string group_of(std::int64_t shot) {
    return "shots/" + std::to_string(shot) + "/";
}

std::vector<std::array<double, 3>> read_positions(const guarded::File& root, const std::string& path) {
    const auto dataset = root.open_dataset(path);
    if (dataset.rank() != 2 || dataset.extents()[1] != 3 || dataset.size() == 0)
        dataset.fail("must have the shape [n][3]");
    const auto values = dataset.read_all();
    std::vector<std::array<double, 3>> positions(values.size() / 3);
    for (std::size_t i = 0; i < values.size(); ++i) positions[i / 3][i % 3] = values[i];
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
        dataset.fail("must hold finite numbers");
    return positions;
}

/// Everything of a gather but its traces.
std::pair<ShotGather, guarded::Dataset> open_gather(const guarded::File& root, std::int64_t shot,
                                                    const GatherQuantity& quantity) {
    ShotGather header;
    header.shot = shot;
    header.quantity = &quantity;
    header.sources_m = read_positions(root, group_of(shot) + "sources");
    header.receivers_m = read_positions(root, group_of(shot) + "receivers");
    const std::string name(quantity.name);
    if (&quantity != &kPressure && !root.contains(group_of(shot) + name))
        root.fail("shot " + std::to_string(shot) + " has no " + name +
                  ": runs record it where output.seismograms.particle_motion asks for it");
    auto pressure = root.open_dataset(group_of(shot) + name);
    const auto& extents = pressure.extents();
    if (extents.size() != 2 || extents[0] != header.receivers_m.size() || extents[1] == 0)
        pressure.fail("must have the shape [receiver][time] with one row for each of the " +
                      std::to_string(header.receivers_m.size()) + " receivers");
    header.samples = static_cast<std::int64_t>(extents[1]);
    header.dt_s = pressure.number("dt_s").value_or(0.);
    if (!(header.dt_s > 0.) || !std::isfinite(header.dt_s))
        pressure.fail("attribute dt_s must be a positive number of seconds");
    return {std::move(header), std::move(pressure)};
}

/// What the tables of receivers said beside positions.
std::vector<CarriedColumn> read_carried(const guarded::File& root, std::int64_t shot, std::size_t receivers) {
    const std::string group = group_of(shot);
    return read_carried(
        CarriedSource{root.group_texts(group + kCarriedNames).value_or(std::vector<std::string>{}),
                      [&](const std::string& dataset) { return root.dataset_texts(group + dataset); },
                      [&](const std::string& dataset) { return root.open_dataset(group + dataset).read_all(); },
                      [&](const std::string& message) { root.fail(group + message); }},
        receivers);
}

/// What the signals of a shot's sources are, without their samples, and which source has which.
void read_wavelets(const guarded::File& root, ShotGather& header) {
    const auto dataset = root.open_dataset(group_of(header.shot) + "wavelet");
    SourceWavelets& wavelets = header.wavelets;
    wavelets.type = dataset.texts("type").value_or(std::vector<std::string>{});
    wavelets.t0_s = dataset.numbers("t0_s").value_or(std::vector<double>{});
    wavelets.peak_frequency_hz = dataset.numbers("peak_frequency_hz").value_or(std::vector<double>{});
    wavelets.dt_s = dataset.number("dt_s").value_or(0.);
    const std::size_t count = wavelets.type.size();
    const auto are_finite = [count](const std::vector<double>& values) {
        return values.size() == count && std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
    };
    if (!are_finite(wavelets.t0_s) || !are_finite(wavelets.peak_frequency_hz) ||
        !(wavelets.dt_s > 0. && std::isfinite(wavelets.dt_s)))
        dataset.fail("must have the attribute dt_s, and type, t0_s and peak_frequency_hz of each wavelet");
    const auto which = root.open_dataset(group_of(header.shot) + "source_wavelet");
    for (const double number : which.read_all()) {
        if (!(number >= 0. && number < static_cast<double>(count))) which.fail("must have numbers of wavelets");
        header.source_wavelet.push_back(static_cast<std::int64_t>(number));
    }
    if (header.source_wavelet.size() != header.sources_m.size())
        which.fail("must have a number for each of the " + std::to_string(header.sources_m.size()) + " sources");
}

/// The amplitudes and wavelets of a shot's sources, of files that have them.
void read_signatures(const guarded::File& root, ShotGather& header) {
    const std::string path = group_of(header.shot) + "source_amplitude";
    const auto there = root.names("shots/" + std::to_string(header.shot));
    if (std::ranges::find(there, "wavelet") != there.end()) read_wavelets(root, header);
    if (std::ranges::find(there, "source_amplitude") == there.end()) return;
    const auto dataset = root.open_dataset(path);
    header.source_amplitude = dataset.read_all();
    header.wavelets.amplitude_unit = dataset.text("units").value_or(header.wavelets.amplitude_unit);
    if (header.source_amplitude.size() != header.sources_m.size() ||
        !std::ranges::all_of(header.source_amplitude, [](double value) { return std::isfinite(value); }))
        dataset.fail("must have a finite number for each of the " + std::to_string(header.sources_m.size()) +
                     " sources");
}

/// An attribute in the order z, y, x as (x, y, z).
std::array<double, 3> x_y_z(const guarded::Dataset& dataset, const std::string& name, bool positive) {
    const auto values = dataset.numbers(name);
    const auto fits = [positive](double value) { return std::isfinite(value) && (!positive || value > 0.); };
    if (!values || values->size() != 3 || !std::ranges::all_of(*values, fits))
        dataset.fail("attribute " + name + " must be three " + (positive ? "positive " : "") + "numbers");
    return {(*values)[2], (*values)[1], (*values)[0]};
}

}  // namespace

FileKind kind_of_file(const std::filesystem::path& file) {
    const auto root = guarded::File::open(file);
    const auto format = root.text("format");
    if (format == kSeismograms) return FileKind::seismograms;
    if (format == kSnapshots) return FileKind::snapshots;
    if (format == kImageFormat) return FileKind::gradient;
    return root.contains("vp") ? FileKind::model : FileKind::other;
}

// ResultReader -----------------------------------------------------------------------------------------------------

struct ResultReader::Impl {
    Impl(std::filesystem::path path, std::string_view name)
        : file(std::move(path)),
          format(name),
          root(checked(guarded::File::open(file), name)),
          shots(numbers_of_shots(root)),
          title(title_of(root)) {}

    struct FileOfShot {
        std::filesystem::path path;
        guarded::File root;
    };
    /// The file that holds a shot: this one, or the one beside it that its link leads to.
    [[nodiscard]] FileOfShot file_of(std::int64_t shot) const {
        const auto linked = root.linked_file("shots/" + std::to_string(shot));
        if (!linked) return {file, root};
        const std::filesystem::path name(*linked);
        if (name.is_absolute() || std::ranges::find(name, "..") != name.end())
            root.fail("shot " + std::to_string(shot) + " lies in " + printable(*linked) +
                      ", which is not beside the file");
        const std::filesystem::path path = file.parent_path() / name;
        const std::lock_guard lock(one_at_a_time);
        // What reads the file of one shot reads that of the next.
        std::optional<guarded::File> last = std::exchange(linked_file, {});
        linked_file =
            checked(last ? guarded::File::open_after(std::move(*last), path) : guarded::File::open(path), format);
        return {path, *linked_file};
    }

    std::filesystem::path file;
    std::string format;
    guarded::File root;
    std::vector<std::int64_t> shots;
    std::string title;

private:
    mutable std::mutex one_at_a_time;
    mutable std::optional<guarded::File> linked_file;  ///< of the shot that was asked for last
};

ResultReader::ResultReader(const std::filesystem::path& file, std::string_view format)
    : impl_(std::make_unique<Impl>(file, format)) {}
ResultReader::~ResultReader() = default;
ResultReader::ResultReader(ResultReader&&) noexcept = default;
ResultReader& ResultReader::operator=(ResultReader&&) noexcept = default;

const std::vector<std::int64_t>& ResultReader::shots() const {
    return impl_->shots;
}

bool ResultReader::has(std::int64_t shot) const {
    return std::ranges::binary_search(impl_->shots, shot);
}

const std::string& ResultReader::title() const {
    return impl_->title;
}

ResultOrigin ResultReader::origin() const {
    ResultOrigin origin{impl_->root.text("onda_version").value_or(""), impl_->title, {}};
    for (const char* const text : {"config_resolved_yaml", "parameters"})
        if (!origin.grid) origin.grid = grid_of(read_strict_yaml(impl_->root.text(text).value_or("")).root);
    return origin;
}

// Seismograms ------------------------------------------------------------------------------------------------------

SeismogramReader::SeismogramReader(const std::filesystem::path& file, const GatherQuantity& quantity)
    : ResultReader(file, kSeismograms), quantity_(&quantity) {}

ShotGather SeismogramReader::header(std::int64_t shot) const {
    return open_gather(impl_->file_of(shot).root, shot, *quantity_).first;
}

ShotGather SeismogramReader::read(std::int64_t shot, std::size_t first, std::size_t count) const {
    auto [gather, pressure] = open_gather(impl_->file_of(shot).root, shot, *quantity_);
    if (count == 0 || first >= gather.receivers_m.size() || count > gather.receivers_m.size() - first)
        throw Error(ExitCode::internal, pressure.place() + ": has no receivers " + std::to_string(first) + " to " +
                                            std::to_string(first + count));
    gather.pressure = pressure.read<float>({first, 0}, {count, static_cast<hdf5::Extent>(gather.samples)});
    const auto from = gather.receivers_m.begin() + static_cast<std::ptrdiff_t>(first);
    gather.receivers_m = {from, from + static_cast<std::ptrdiff_t>(count)};
    return std::move(gather);
}

ShotGather SeismogramReader::read(std::int64_t shot) const {
    auto [gather, pressure] = open_gather(impl_->file_of(shot).root, shot, *quantity_);
    gather.pressure = pressure.read<float>({0, 0}, pressure.extents());
    return std::move(gather);
}

OpenGather SeismogramReader::open(std::int64_t shot) const {
    const auto of_shot = impl_->file_of(shot);
    auto [header, pressure] = open_gather(of_shot.root, shot, *quantity_);
    header.carried = read_carried(of_shot.root, shot, header.receivers_m.size());
    read_signatures(of_shot.root, header);
    const auto samples = static_cast<hdf5::Extent>(header.samples);
    return {std::move(header), [dataset = std::move(pressure), samples](std::size_t first, std::size_t count) {
                return dataset.read<float>({first, 0}, {count, samples});
            }};
}

// Snapshots --------------------------------------------------------------------------------------------------------

struct ShotSnapshots::Impl {
    Impl(std::filesystem::path path, const guarded::File& root, std::int64_t number)
        : file(std::move(path)),
          shot(number),
          pressure(root.open_dataset(group_of(shot) + "pressure", hdf5::Storage::own_or_view)) {
        const auto& extents = pressure.extents();
        if (extents.size() != 4 || pressure.size() == 0) pressure.fail("must have the shape [time][z][y][x]");
        for (std::size_t axis = 0; axis < 3; ++axis)
            geometry.shape[axis] = static_cast<std::int64_t>(extents[3 - axis]);
        geometry.dimensions = geometry.shape[1] == 1 ? 2 : 3;
        geometry.spacing_m = x_y_z(pressure, "spacing", true);
        geometry.origin_m = x_y_z(pressure, "origin", false);
        const auto times = root.open_dataset(group_of(shot) + "time_s");
        times_s = times.read_all();
        if (times.rank() != 1 || times_s.size() != extents[0])
            times.fail("must have one time for each of the " + std::to_string(extents[0]) + " snapshots");
        check_times(times);
        if (!pressure.sources().empty()) check_parts(root);
    }

    void check_times(const guarded::Dataset& times) const {
        for (std::size_t i = 0; i < times_s.size(); ++i)
            if (!std::isfinite(times_s[i]) || (i > 0 && times_s[i] < times_s[i - 1]))
                times.fail("time " + std::to_string(i + 1) + " is " + shortest(times_s[i]) +
                           ": must be finite seconds, none earlier than the one before it");
    }

    /// Every file of a part must be there, as long as it was: HDF5 alone would put another value in the place of those
    /// that it lacks.
    void check_parts(const guarded::File& root) const {
        const auto bytes = root.numbers(kPartBytes);
        const auto& sources = pressure.sources();
        if (!bytes || bytes->size() != sources.size())
            root.fail("attribute " + std::string(kPartBytes) + " must have the size of each of the " +
                      std::to_string(sources.size()) + " files with its snapshots");
        const std::string why = "; it has a part of the snapshots of " + shown(file);
        for (std::size_t i = 0; i < sources.size(); ++i) {
            const std::filesystem::path part = path_of(sources[i]);
            try {
                if (static_cast<double>(input_file_size(part)) != (*bytes)[i])
                    throw Error(ExitCode::bad_data, shown(part) + ": has another size than was written");
            } catch (const Error& error) {
                throw Error(error.code(), error.what() + why);
            }
        }
    }
    [[nodiscard]] std::filesystem::path path_of(const hdf5::ViewSource& source) const {
        return file.parent_path() / source.file;
    }
    [[nodiscard]] std::vector<float> read(const hdf5::Extents& first, const hdf5::Extents& count) const;
    /// Puts what a part has of a box into its values.
    void read_part(const hdf5::ViewSource& source, const hdf5::Extents& first, const hdf5::Extents& count,
                   std::span<float> values) const;

    std::filesystem::path file;
    std::int64_t shot;
    guarded::Dataset pressure;
    FileGeometry geometry;
    std::vector<double> times_s;
};

std::vector<float> ShotSnapshots::Impl::read(const hdf5::Extents& first, const hdf5::Extents& count) const {
    if (pressure.sources().empty()) return pressure.read<float>(first, count);
    pressure.check_box(first, count);
    std::size_t points = 1;
    for (const hdf5::Extent extent : count) points *= extent;
    std::vector<float> values(points);
    for (const hdf5::ViewSource& source : pressure.sources()) read_part(source, first, count, values);
    return values;
}

void ShotSnapshots::Impl::read_part(const hdf5::ViewSource& source, const hdf5::Extents& first,
                                    const hdf5::Extents& count, std::span<float> values) const {
    hdf5::Extents in_box, in_part, common;
    for (std::size_t axis = 0; axis < first.size(); ++axis) {
        const hdf5::Extent begin = std::max(first[axis], source.first[axis]);
        const hdf5::Extent end = std::min(first[axis] + count[axis], source.first[axis] + source.count[axis]);
        if (begin >= end) return;
        in_box.push_back(begin - first[axis]);
        in_part.push_back(begin - source.first[axis]);
        common.push_back(end - begin);
    }
    const auto root = checked(guarded::File::open(path_of(source)), kSnapshots);
    const auto part = root.open_dataset(group_of(shot) + "pressure");
    if (part.extents() != source.count) part.fail("is not the part that " + shown(file) + " was written with");
    put_box(part.read<float>(in_part, common), in_box, common, count, values);
}

ShotSnapshots::ShotSnapshots(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ShotSnapshots::~ShotSnapshots() = default;
ShotSnapshots::ShotSnapshots(ShotSnapshots&&) noexcept = default;
ShotSnapshots& ShotSnapshots::operator=(ShotSnapshots&&) noexcept = default;

std::int64_t ShotSnapshots::shot() const {
    return impl_->shot;
}

std::optional<std::size_t> ShotSnapshots::frame_at(double time_s) const {
    const std::vector<double>& times = times_s();
    const auto nearest = std::ranges::min_element(times, {}, [time_s](double t) { return std::abs(t - time_s); });
    const double apart = times.size() > 1 ? (times.back() - times.front()) / static_cast<double>(times.size() - 1)
                                          : 0.1 * std::abs(times.front());
    if (time_s < times.front() - 0.5 * apart || time_s > times.back() + 0.5 * apart) return std::nullopt;
    return static_cast<std::size_t>(nearest - times.begin());
}

const std::vector<double>& ShotSnapshots::times_s() const {
    return impl_->times_s;
}

const FileGeometry& ShotSnapshots::geometry() const {
    return impl_->geometry;
}

std::vector<float> ShotSnapshots::read(std::size_t index, const std::array<std::int64_t, 3>& first,
                                       const std::array<std::int64_t, 3>& count) const {
    hdf5::Extents at{index}, extents{1};
    for (std::size_t axis = 3; axis-- > 0;) {
        at.push_back(static_cast<hdf5::Extent>(first[axis]));
        extents.push_back(static_cast<hdf5::Extent>(count[axis]));
    }
    return impl_->read(at, extents);
}

SnapshotReader::SnapshotReader(const std::filesystem::path& file) : ResultReader(file, kSnapshots) {}

ShotSnapshots SnapshotReader::open(std::int64_t shot) const {
    const auto [path, root] = impl_->file_of(shot);
    return ShotSnapshots(std::make_unique<ShotSnapshots::Impl>(path, root, shot));
}

// Images -----------------------------------------------------------------------------------------------------------

ImageReader::ImageReader(const std::filesystem::path& file) : ResultReader(file, kImageFormat) {}

bool ImageReader::has(const StoredImageKind& kind) const {
    if (!impl_->root.contains(kind.group)) return false;
    const auto names = impl_->root.names(kind.group);
    return std::ranges::find(names, kind.name) != names.end();
}

ImageNodes ImageReader::nodes() const {
    const auto kind =
        std::ranges::find_if(kStoredImageKinds, [this](const StoredImageKind* each) { return has(*each); });
    if (kind == kStoredImageKinds.end()) impl_->root.fail("has no image");
    const auto values = impl_->root.open_dataset((*kind)->path());
    if (values.rank() != 3 || values.size() == 0) values.fail("must have the shape [z][y][x]");
    ImageNodes nodes;
    for (std::size_t axis = 0; axis < 3; ++axis)
        nodes.geometry.shape[axis] = static_cast<std::int64_t>(values.extents()[2 - axis]);
    nodes.geometry.dimensions = nodes.geometry.shape[1] == 1 ? 2 : 3;
    nodes.geometry.spacing_m = x_y_z(values, "spacing", true);
    nodes.geometry.origin_m = x_y_z(values, "origin", false);
    for (std::size_t axis = 0; const double first : x_y_z(values, kFirstNodeOfImage, false)) {
        if (!(first >= 0. && first <= 1e15)) values.fail("attribute first_node must be whole numbers from 0");
        nodes.first[axis++] = static_cast<std::int64_t>(first);
    }
    return nodes;
}

std::vector<float> ImageReader::read(const StoredImageKind& kind, const std::array<std::int64_t, 3>& first,
                                     const std::array<std::int64_t, 3>& count) const {
    hdf5::Extents at, extents;
    for (std::size_t axis = 3; axis-- > 0;) {
        at.push_back(static_cast<hdf5::Extent>(first[axis]));
        extents.push_back(static_cast<hdf5::Extent>(count[axis]));
    }
    const auto values = impl_->root.open_dataset(kind.path());
    if (values.rank() != 3) values.fail("must have the shape [z][y][x]");
    return values.read<float>(at, extents);
}

}  // namespace onda
