#include "io/results/image_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "io/hdf5/chunk_reader.hpp"
#include "io/results/result_file.hpp"
#include "io/results/stored_grid.hpp"
#include "io/results/stored_pressure.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"

namespace onda {
namespace {

constexpr const char *kMisfitOfTrace = "misfit", *kAdjointSource = "adjoint_source", *kOffsetGroup = "offset_gathers";

/// \throws Error(unstable) with the first value that single precision does not hold, and its place.
template <typename T>
void require_finite(std::span<const T> values, const std::string& what,
                    const std::function<std::string(std::size_t)>& place) {
    if (storable(values)) return;
    const auto bad = std::ranges::find_if(values, [](T value) { return !storable(std::span<const T>(&value, 1)); });
    throw Error(ExitCode::unstable,
                what + ", " + place(static_cast<std::size_t>(bad - values.begin())) + ": is " +
                    shortest(static_cast<double>(*bad)) +
                    ", and results are finite numbers in single precision, which ends at "
                    "3.4028235e+38\n  lower sources[].amplitude, with which misfits and gradients grow");
}

/// An image whose planes come one after the other.
struct OpenImage {
    const StoredImageKind* kind;
    hdf5::Dataset values;
    std::int64_t planes = 0;  ///< that were written
};

/// A column of the table of shots, with their numbers as its coordinates.
template <typename T>
void write_column(hdf5::Group& group, const std::string& name, const std::string& units, const std::vector<T>& values,
                  const hdf5::Dataset& shots) {
    auto column = group.create_dataset(name, hdf5::element_of<T>(), {{values.size()}, {}, {}});
    column.write_all(std::span<const T>(values));
    column.set_text("units", units);
    column.attach_scale(0, shots);
    column.close();
}

hdf5::Dataset write_receivers(hdf5::Group& group, std::size_t count) {
    std::vector<double> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1.);
    return write_coordinates(group, "receiver", "1", numbers);
}

/// Whole traces, about a MiB of them.
hdf5::Extents trace_chunk(hdf5::Extent receivers, hdf5::Extent samples) {
    return hdf5::default_chunk({receivers, samples}, sizeof(float));
}

void write_adjoint_source(hdf5::Group& group, const ShotMisfit& misfit, const hdf5::Dataset& receiver) {
    const auto receivers = misfit.of_trace.size(), samples = misfit.adjoint_source.size() / receivers;
    std::vector<double> times_s(samples);
    for (std::size_t n = 0; n < samples; ++n) times_s[n] = static_cast<double>(n) * misfit.dt_s;
    auto time = write_coordinates(group, "time_s", "s", times_s);
    auto traces = group.create_dataset(kAdjointSource, hdf5::Element::float32,
                                       {{receivers, samples}, trace_chunk(receivers, samples), {}});
    traces.write_all(std::span<const float>(misfit.adjoint_source));
    traces.set_text("units", "misfit/Pa");
    traces.set_text("long_name", "derivative of the misfit with respect to the synthetic samples");
    traces.set_texts("axis_labels", {"receiver", "time"});
    traces.set_number("dt_s", misfit.dt_s);
    traces.set_number("time0_s", 0.);
    traces.attach_scale(0, receiver);
    traces.attach_scale(1, time);
    traces.close();
    time.close();
}

void check_misfit(const ShotMisfit& misfit) {
    const std::string shot = "misfit of shot " + std::to_string(misfit.shot);
    const std::size_t traces = misfit.of_trace.size(), samples = misfit.adjoint_source.size();
    if (traces == 0 || samples % traces != 0 || (samples > 0 && !(misfit.dt_s > 0.)))
        throw Error(ExitCode::internal, shot + ": " + std::to_string(traces) + " traces, " + std::to_string(samples) +
                                            " samples of adjoint sources, dt " + std::to_string(misfit.dt_s) +
                                            " s do not fit together");
    const auto receiver = [](std::size_t trace) { return "receiver " + std::to_string(trace + 1); };
    require_finite(std::span<const double>(misfit.of_trace), shot, receiver);
    require_finite(std::span(&misfit.value, 1), shot, [](std::size_t) { return std::string("the sum over traces"); });
    require_finite(std::span<const float>(misfit.adjoint_source),
                   "adjoint source of shot " + std::to_string(misfit.shot), [&](std::size_t index) {
                       const std::size_t n = samples / traces;
                       return receiver(index / n) + ", sample " + std::to_string(index % n);
                   });
}

hdf5::Dataset open_image(const hdf5::File& file, const StoredImageKind& kind) {
    auto values = file.open_dataset(kind.path());
    if (values.rank() != 3 || values.size() == 0) values.fail("must have the shape [z][y][x]");
    return values;
}

std::array<double, 3> triple_of(const hdf5::Dataset& dataset, const std::string& name) {
    const auto values = dataset.numbers(name);
    if (!values || values->size() != 3) dataset.fail("attribute " + name + " must be three numbers");
    return {(*values)[2], (*values)[1], (*values)[0]};
}

ImageNodes nodes_of(const hdf5::Dataset& values) {
    ImageNodes nodes;
    for (std::size_t axis = 0; axis < 3; ++axis)
        nodes.geometry.shape[axis] = static_cast<std::int64_t>(values.extents()[2 - axis]);
    nodes.geometry.dimensions = nodes.geometry.shape[1] == 1 ? 2 : 3;
    nodes.geometry.spacing_m = triple_of(values, "spacing");
    nodes.geometry.origin_m = triple_of(values, "origin");
    for (std::size_t axis = 0; const double first : triple_of(values, kFirstNodeOfImage)) {
        if (!(first >= 0. && first <= 1e15)) values.fail("attribute first_node must be whole numbers from 0");
        nodes.first[axis++] = static_cast<std::int64_t>(first);
    }
    return nodes;
}

std::vector<ListedMisfit> misfits_of(const hdf5::File& file) {
    const auto table = file.open_group("misfit");
    const auto shots = table.open_dataset("shot").read_all<std::int64_t>();
    const auto column = [&]<typename T>(const char* name, T) {
        const auto values = table.open_dataset(name);
        if (values.extents() != hdf5::Extents{shots.size()})
            values.fail("must have a value for each of the " + std::to_string(shots.size()) + " shots");
        return values.read_all<T>();
    };
    const auto value = column("value", double{});
    const auto traces = column("traces", std::int64_t{}), dead = column("dead", std::int64_t{}),
               excluded = column("excluded", std::int64_t{});
    std::vector<ListedMisfit> rows;
    for (std::size_t i = 0; i < shots.size(); ++i)
        rows.push_back({shots[i], value[i], traces[i], dead[i], excluded[i]});
    return rows;
}

ShotMisfit misfit_of(const hdf5::File& file, std::int64_t shot) {
    const std::vector<ListedMisfit> rows = misfits_of(file);
    const auto row = std::ranges::find(rows, shot, &ListedMisfit::shot);
    if (row == rows.end()) file.open_group("misfit").fail("has no shot " + std::to_string(shot));
    ShotMisfit misfit{.shot = shot, .value = row->value, .dead = row->dead, .excluded = row->excluded};
    const auto group = file.open_group("shots/" + std::to_string(shot));
    misfit.of_trace = group.open_dataset(kMisfitOfTrace).read_all<double>();
    if (std::ssize(misfit.of_trace) != row->traces) group.fail("has not as many traces as /misfit/traces says");
    if (!group.contains(kAdjointSource)) return misfit;
    const auto traces = group.open_dataset(kAdjointSource);
    if (traces.rank() != 2 || traces.extents()[0] != misfit.of_trace.size())
        traces.fail("must have the shape [receiver][time] with one row for each of the " +
                    std::to_string(misfit.of_trace.size()) + " receivers");
    misfit.dt_s = traces.number("dt_s").value_or(0.);
    misfit.adjoint_source = traces.read_all<float>();
    return misfit;
}

}  // namespace

struct ImageWriter::Impl {
    Impl(const std::filesystem::path& path, ImageNodes image_nodes, const Provenance& provenance, bool overwrite)
        : nodes(std::move(image_nodes)),
          name(shown(path)),
          file(path, kImageFormat, provenance, overwrite),
          scales(write_coordinates_of_nodes(file.root(), nodes.geometry)) {}

    OpenImage& image_of(const StoredImageKind& kind);
    void write_table();
    void read_back(const hdf5::File& written) const;
    void read_last_chunks(const std::filesystem::path& written) const;
    void close_images();

    ImageNodes nodes;
    std::string name;
    ResultFile file;
    std::vector<hdf5::Dataset> scales;  ///< x, y, z
    std::map<std::string, hdf5::Group> groups;
    std::vector<OpenImage> images;
    std::vector<ShotMisfit> rows;  ///< without adjoint sources, and of linked shots without traces
    std::vector<std::int64_t> own_shots, traces;
};

OpenImage& ImageWriter::Impl::image_of(const StoredImageKind& kind) {
    const auto open = std::ranges::find(images, &kind, &OpenImage::kind);
    if (open != images.end()) return *open;
    auto group = groups.find(kind.group);
    if (group == groups.end()) group = groups.emplace(kind.group, file.root().create_group(kind.group)).first;
    const hdf5::Extents extents = node_extents(nodes.geometry);
    auto values = group->second.create_dataset(kind.name, hdf5::Element::float32, {extents, node_chunk(extents), {}});
    if (kind.units != nullptr) values.set_text("units", kind.units);
    values.set_text("long_name", kind.long_name);
    values.set_texts("axis_labels", {"z", "y", "x"});
    const std::array<std::int64_t, 3> first{nodes.first[2], nodes.first[1], nodes.first[0]};
    values.set_integers(kFirstNodeOfImage, first);
    describe_nodes(group->second, values, nodes.geometry, scales);
    return images.emplace_back(OpenImage{&kind, std::move(values)});
}

/// /misfit: a row for each shot.
void ImageWriter::Impl::write_table() {
    std::vector<std::int64_t> shots, dead, excluded;
    std::vector<double> values;
    for (const ShotMisfit& row : rows) {
        shots.push_back(row.shot);
        values.push_back(row.value);
        dead.push_back(row.dead);
        excluded.push_back(row.excluded);
    }
    auto group = file.root().create_group("misfit");
    auto scale = group.create_dataset("shot", hdf5::Element::int64, {{shots.size()}, {}, {}});
    scale.write_all(std::span<const std::int64_t>(shots));
    scale.set_text("units", "1");
    scale.make_scale("shot");
    write_column(group, "value", "misfit", values, scale);
    write_column(group, "traces", "1", traces, scale);
    write_column(group, "dead", "1", dead, scale);
    write_column(group, "excluded", "1", excluded, scale);
    scale.close();
    group.close();
}

void ImageWriter::Impl::close_images() {
    for (OpenImage& image : images) {
        if (image.planes != nodes.geometry.shape[2])
            throw Error(ExitCode::internal, image.values.place() + ": " + std::to_string(image.planes) + " of " +
                                                std::to_string(nodes.geometry.shape[2]) + " planes were written");
        image.values.close();
    }
    for (auto& [group, object] : groups) object.close();
    for (hdf5::Dataset& scale : scales) scale.close();
}

/// Headers, and all of the shots: what a truncated or failed write would have lost.
void ImageWriter::Impl::read_back(const hdf5::File& written) const {
    for (const OpenImage& image : images) {
        const auto values = open_image(written, *image.kind);
        if (values.extents() != node_extents(nodes.geometry) || nodes_of(values).first != nodes.first)
            values.fail("has another shape or place than was written");
    }
    for (const std::int64_t shot : own_shots) {
        const ShotMisfit& row = *std::ranges::find(rows, shot, &ShotMisfit::shot);
        if (const ShotMisfit read = misfit_of(written, shot); read.value != row.value || read.of_trace != row.of_trace)
            written.fail("shot " + std::to_string(shot) + " has other misfits than were written");
    }
}

/// Of each image the nodes that it ends with.
void ImageWriter::Impl::read_last_chunks(const std::filesystem::path& written) const {
    const hdf5::Extents extents = node_extents(nodes.geometry), chunk = node_chunk(extents);
    std::array<std::int64_t, 3> first{}, count{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto n = nodes.geometry.shape[axis], of_chunk = static_cast<std::int64_t>(chunk[2 - axis]);
        first[axis] = (n - 1) / of_chunk * of_chunk;
        count[axis] = n - first[axis];
    }
    ImageBuffer buffer;
    for (const OpenImage& image : images) read_image(written, *image.kind, first, count, buffer);
}

void require_finite(const std::string& name, const StoredImageKind& kind, const FileGeometry& geometry,
                    std::int64_t plane, std::span<const float> values) {
    const auto before = static_cast<std::size_t>(plane * geometry.shape[0] * geometry.shape[1]);
    require_finite(values, name + "/" + kind.path(),
                   [&](std::size_t index) { return position_text(node_position(geometry, before + index)); });
}

ImageWriter::ImageWriter(const std::filesystem::path& file, ImageNodes nodes, const Provenance& provenance,
                         bool overwrite) {
    const hdf5::Turn turn;
    impl_ = std::make_unique<Impl>(file, std::move(nodes), provenance, overwrite);
}

ImageWriter::~ImageWriter() {
    const hdf5::Turn turn;
    impl_.reset();
}

void ImageWriter::write(const StoredImageKind& kind, std::int64_t plane, std::span<const float> values) {
    const FileGeometry& geometry = impl_->nodes.geometry;
    const auto of_plane = static_cast<std::size_t>(geometry.shape[0] * geometry.shape[1]);
    const auto planes = static_cast<std::int64_t>(values.size() / of_plane);
    require_finite(impl_->name + ": ", kind, geometry, plane, values);
    const hdf5::Turn turn;
    OpenImage& image = impl_->image_of(kind);
    if (plane != image.planes || values.empty() || values.size() % of_plane != 0 || plane + planes > geometry.shape[2])
        throw Error(ExitCode::internal, image.values.place() + ": " + std::to_string(values.size()) +
                                            " values are no planes from z = " + std::to_string(plane) +
                                            " on that follow the " + std::to_string(image.planes) + " before");
    hdf5::Extents count = image.values.extents();
    count[0] = static_cast<hdf5::Extent>(planes);
    image.values.write({static_cast<hdf5::Extent>(plane), 0, 0}, count, values);
    image.planes += planes;
}

void ImageWriter::write(const OffsetGathers& gathers) {
    require_finite(std::span<const float>(gathers.values), impl_->name + ": /" + kOffsetGroup,
                   [&](std::size_t index) { return "value " + std::to_string(index); });
    const hdf5::Turn turn;
    auto group = impl_->file.root().create_group(kOffsetGroup);
    std::vector<double> numbers(gathers.x_m.size());
    std::iota(numbers.begin(), numbers.end(), 1.);
    std::vector<hdf5::Dataset> scales;
    scales.push_back(write_coordinates(group, "line", "1", numbers));
    scales.push_back(write_coordinates(group, "half_offset_m", "m", gathers.half_offset_m));
    scales.push_back(write_coordinates(group, "z_m", "m", gathers.z_m));
    write_column(group, "x_m", "m", gathers.x_m, scales.front());
    if (gathers.dimensions == 3) write_column(group, "y_m", "m", gathers.y_m, scales.front());
    const hdf5::Extents extents{gathers.x_m.size(), gathers.half_offset_m.size(), gathers.z_m.size()};
    auto values = group.create_dataset("image", hdf5::Element::float32,
                                       {extents, hdf5::default_chunk(extents, sizeof(float)), {}});
    values.write_all(std::span<const float>(gathers.values));
    values.set_text("long_name", "image at subsurface offsets");
    values.set_text("along", std::string(1, gathers.axis));
    values.set_texts("axis_labels", {"line", "half_offset", "z"});
    for (unsigned axis = 0; hdf5::Dataset & scale : scales) {
        values.attach_scale(axis++, scale);
        scale.close();
    }
    values.close();
    group.close();
}

void ImageWriter::write(const ShotMisfit& misfit) {
    check_misfit(misfit);
    const hdf5::Turn turn;
    auto group = impl_->file.create_shot(misfit.shot);
    auto receiver = write_receivers(group, misfit.of_trace.size());
    write_column(group, kMisfitOfTrace, "misfit", misfit.of_trace, receiver);
    if (!misfit.adjoint_source.empty()) write_adjoint_source(group, misfit, receiver);
    receiver.close();
    group.close();
    impl_->own_shots.push_back(misfit.shot);
    impl_->traces.push_back(std::ssize(misfit.of_trace));
    impl_->rows.push_back({misfit.shot, misfit.value, misfit.of_trace, misfit.dead, misfit.excluded});
}

void ImageWriter::link(const ListedMisfit& misfit, const std::string& file) {
    const hdf5::Turn turn;
    impl_->file.link_shot(misfit.shot, file);
    impl_->traces.push_back(misfit.traces);
    impl_->rows.push_back({misfit.shot, misfit.value, {}, misfit.dead, misfit.excluded});
}

AtomicFile ImageWriter::finish() {
    const auto close = [&writer = *impl_] {
        const hdf5::Turn turn;
        writer.write_table();
        writer.close_images();
        return writer.file.close([&](const hdf5::File& file) { writer.read_back(file); });
    };
    AtomicFile written = close();
    impl_->file.read_back([&] { impl_->read_last_chunks(written.temporary()); });
    written.finish();
    return written;
}

ImageContents image_contents(const std::filesystem::path& file) {
    const hdf5::Turn turn;
    const auto root = open_result(file, kImageFormat);
    ImageContents contents;
    for (const StoredImageKind* kind : kStoredImageKinds)
        if (root.contains(kind->group) && root.open_group(kind->group).contains(kind->name))
            contents.kinds.push_back(kind);
    if (contents.kinds.empty()) root.fail("has no image");
    contents.nodes = nodes_of(open_image(root, *contents.kinds.front()));
    contents.misfits = misfits_of(root);
    return contents;
}

namespace {

/// A box of an image in the order of its dataset.
struct ImageBox {
    hdf5::Extents first, count, chunk;
    std::vector<hdf5::StoredChunk> chunks;  ///< where it is one of whole chunks that can be read without HDF5
};

ImageBox box_of(const hdf5::Dataset& values, const std::array<std::int64_t, 3>& first,
                const std::array<std::int64_t, 3>& count) {
    ImageBox box;
    for (std::size_t axis = 3; axis-- > 0;) {
        box.first.push_back(static_cast<hdf5::Extent>(first[axis]));
        box.count.push_back(static_cast<hdf5::Extent>(count[axis]));
        if (first[axis] < 0 || count[axis] < 1 || box.first.back() + box.count.back() > values.extents()[2 - axis])
            values.fail("has no nodes " + std::to_string(first[axis]) + " to " +
                        std::to_string(first[axis] + count[axis] - 1) + " along " + "xyz"[axis]);
    }
    box.chunk = values.chunk();
    if (values.filtered_as() != hdf5::Element::float32 ||
        !hdf5::is_of_whole_chunks(box.first, box.count, box.chunk, values.extents()))
        return box;
    const hdf5::ChunkedBox chunked(box.first, box.count, box.chunk, sizeof(float));
    for (std::size_t i = 0; i < chunked.size(); ++i)
        box.chunks.push_back(values.stored_chunk(chunked.first(i)).value_or(hdf5::StoredChunk{}));
    return box;
}

}  // namespace

void read_image(const std::filesystem::path& file, const StoredImageKind& kind,
                const std::array<std::int64_t, 3>& first, const std::array<std::int64_t, 3>& count,
                ImageBuffer& buffer) {
    const ImageBox box = [&] {
        const hdf5::Turn turn;
        return box_of(open_image(open_result(file, kImageFormat), kind), first, count);
    }();
    buffer.values.resize(static_cast<std::size_t>(count[0] * count[1] * count[2]));
    const std::span values(buffer.values);
    // Several threads read at the same time what HDF5 would decode one after the other.
    if (!box.chunks.empty()) {
        const hdf5::ChunkedBox chunked(box.first, box.count, box.chunk, sizeof(float));
        if (hdf5::ChunkReader(file).read(chunked, box.chunks, std::as_writable_bytes(values), buffer.stored)) return;
    }
    const hdf5::Turn turn;
    open_image(open_result(file, kImageFormat), kind).read(box.first, box.count, values);
}

std::vector<float> read_image(const std::filesystem::path& file, const StoredImageKind& kind,
                              const std::array<std::int64_t, 3>& first, const std::array<std::int64_t, 3>& count) {
    ImageBuffer buffer;
    read_image(file, kind, first, count, buffer);
    return std::move(buffer.values);
}

OffsetGathers read_offset_gathers(const std::filesystem::path& file) {
    const hdf5::Turn turn;
    const auto root = open_result(file, kImageFormat);
    if (!root.contains(kOffsetGroup)) return {};
    const auto group = root.open_group(kOffsetGroup);
    const auto column = [&](const char* name) { return group.open_dataset(name).read_all<double>(); };
    OffsetGathers gathers{.x_m = column("x_m"), .half_offset_m = column("half_offset_m"), .z_m = column("z_m")};
    gathers.dimensions = group.contains("y_m") ? 3 : 2;
    gathers.y_m = gathers.dimensions == 3 ? column("y_m") : std::vector<double>(gathers.x_m.size());
    const auto values = group.open_dataset("image");
    if (values.extents() != hdf5::Extents{gathers.x_m.size(), gathers.half_offset_m.size(), gathers.z_m.size()} ||
        gathers.y_m.size() != gathers.x_m.size())
        values.fail("must have the shape [line][half offset][z] of its coordinates");
    gathers.axis = values.text("along").value_or("x") == "y" ? 'y' : 'x';
    gathers.values = values.read_all<float>();
    return gathers;
}

ShotMisfit read_misfit(const std::filesystem::path& file, std::int64_t shot) {
    const hdf5::Turn turn;
    return misfit_of(open_result(file, kImageFormat), shot);
}

std::int64_t planes_at_a_time(const FileGeometry& geometry) {
    const hdf5::Extents chunk = node_chunk(node_extents(geometry));
    return static_cast<std::int64_t>(chunk[0]);
}

std::int64_t bytes_of_images(const FileGeometry& geometry, std::int64_t images) {
    constexpr std::int64_t overhead = 900;
    const hdf5::Extents extents = node_extents(geometry);
    const std::int64_t of_image = dataset_bytes(extents, node_chunk(extents), sizeof(float));
    return saturating_sum(saturating_product(images, saturating_sum(of_image, overhead)), coordinate_bytes(geometry));
}

std::int64_t bytes_of_offset_gathers(std::int64_t values) {
    constexpr std::int64_t overhead = 4000;
    return values == 0 ? 0 : saturating_sum(saturating_product(values, std::int64_t{sizeof(float)}), overhead);
}

std::int64_t predicted_image_bytes(const FileGeometry& geometry, std::int64_t images,
                                   const std::map<std::int64_t, std::int64_t>& receivers, std::int64_t samples,
                                   std::int64_t provenance_bytes) {
    constexpr std::int64_t table_overhead = 3300, shot_overhead = 820, traces_overhead = 1300;
    const auto bytes_of = [](const hdf5::Extents& extents, std::size_t element) {
        return dataset_bytes(extents, hdf5::default_chunk(extents, element), element);
    };
    std::int64_t bytes =
        saturating_sum(result_file_bytes(provenance_bytes), bytes_of_images(geometry, images), table_overhead);
    const auto nt = static_cast<hdf5::Extent>(samples);
    for (const auto& [count, shots] : receivers) {
        if (count == 0) continue;
        const auto nr = static_cast<hdf5::Extent>(count);
        std::int64_t of_shot = 2 * bytes_of({nr}, sizeof(double)) + shot_overhead + 40;
        if (samples > 0)
            of_shot = saturating_sum(of_shot, bytes_of({nr, nt}, sizeof(float)), bytes_of({nt}, sizeof(double)),
                                     traces_overhead);
        bytes = saturating_sum(bytes, saturating_product(shots, of_shot));
    }
    return bytes;
}

std::int64_t memory_to_write_images(std::int64_t bytes) {
    return hdf5::writing_bytes(bytes, kNodeChunkBytes);
}

}  // namespace onda
