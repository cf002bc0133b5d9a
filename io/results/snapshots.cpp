#include "io/results/snapshots.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "io/results/result_file.hpp"
#include "io/results/stored_grid.hpp"
#include "io/results/stored_pressure.hpp"
#include "io/results/xdmf.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"

namespace onda {
namespace {

const std::string kFormat = "onda-snapshots";
constexpr const char* kPartHashes = "part_hashes";
constexpr std::int64_t kShotOverhead = 2000;

std::string group_of(std::int64_t shot) {
    return "shots/" + std::to_string(shot);
}

hdf5::Extents frame_extents(const FileGeometry& geometry, std::int64_t frames) {
    hdf5::Extents extents = node_extents(geometry);
    extents.insert(extents.begin(), static_cast<hdf5::Extent>(frames));
    return extents;
}

/// A whole frame; one that is larger than kNodeChunkBytes is cut.
hdf5::Extents frame_chunk(const hdf5::Extents& extents) {
    hdf5::Extents chunk = node_chunk({extents.begin() + 1, extents.end()});
    chunk.insert(chunk.begin(), 1);
    return chunk;
}

struct OpenShot {
    XdmfShot header;
    std::int64_t frames;
    hdf5::Group group;
    hdf5::Dataset pressure;
};

/// The dataset that has its values in the files of the parts, NaN for readers that do not miss one of these.
hdf5::Dataset create_joined(hdf5::Group& group, const std::string& path, const hdf5::Extents& extents,
                            std::span<const SnapshotPartFile> parts) {
    std::vector<hdf5::ViewSource> sources;
    hdf5::Extent covered = 0, all = 1;
    for (const SnapshotPartFile& part : parts) {
        hdf5::ViewSource& source = sources.emplace_back();
        source = {part.name, path, {0}, {extents[0]}};
        hdf5::Extent points = extents[0];
        for (std::size_t axis = 3; axis-- > 0;) {
            source.first.push_back(static_cast<hdf5::Extent>(part.first[axis]));
            source.count.push_back(static_cast<hdf5::Extent>(part.count[axis]));
            points *= source.count.back();
        }
        covered += points;
    }
    for (const hdf5::Extent extent : extents) all *= extent;
    const float absent = covered == all ? std::numeric_limits<float>::quiet_NaN() : 0.f;
    return group.create_view("pressure", extents, sources, absent);
}

void read_back(const hdf5::File& file, const XdmfShot& shot, const FileGeometry& geometry) {
    const auto frames = static_cast<std::int64_t>(shot.times_s.size());
    const auto group = file.open_group(group_of(shot.shot));
    const auto pressure = group.open_dataset("pressure", hdf5::Storage::own_or_view);
    if (pressure.extents() != frame_extents(geometry, frames)) pressure.fail("has another shape than was written");
    if (group.open_dataset("time_s").read_all<double>() != shot.times_s)
        group.fail("time_s holds other times than were written");
    if (!pressure.sources().empty()) return;  // which were read back as the files that they are
    // The last chunk: what a truncated or failed write would have lost.
    const auto& extents = pressure.extents();
    const hdf5::Extents count{1, 1, 1, extents[3]};
    std::vector<float> row(extents[3]);
    pressure.read({extents[0] - 1, extents[1] - 1, extents[2] - 1, 0}, count, std::span<float>(row));
}

}  // namespace

struct SnapshotWriter::Impl {
    Impl(const std::filesystem::path& h5, const FileGeometry& window, const Provenance& provenance,
         bool overwrite_files)
        : geometry(window),
          h5_name(h5.filename().string()),
          file(h5, kFormat, provenance, overwrite_files),
          xdmf_path(std::filesystem::path(h5).replace_extension(".xdmf")),
          overwrite(overwrite_files) {
        // Known now, not after hours of computing.
        if (!overwrite && std::filesystem::exists(xdmf_path))
            throw Error(ExitCode::cannot_create, shown(xdmf_path) + ": exists already; --force overwrites it");
        scales = write_coordinates_of_nodes(file.root(), geometry);
    }

    void begin_shot(std::int64_t shot, std::int64_t frames);
    void write(double time_s, std::span<const float> values);
    void join(std::int64_t shot, std::vector<double> times_s, std::span<const SnapshotPartFile> parts);
    void describe(hdf5::Group& group, hdf5::Dataset& pressure) const;
    void finish_shot();

    FileGeometry geometry;
    std::string h5_name;
    ResultFile file;
    std::filesystem::path xdmf_path;
    bool overwrite;
    std::vector<hdf5::Dataset> scales;  ///< x, y, z
    std::optional<OpenShot> current;
    std::vector<XdmfShot> written, linked;
};

void SnapshotWriter::Impl::begin_shot(std::int64_t shot, std::int64_t frames) {
    finish_shot();
    if (frames < 1) throw Error(ExitCode::internal, h5_name + ": a shot with " + std::to_string(frames) + " snapshots");
    auto group = file.create_shot(shot);
    const auto extents = frame_extents(geometry, frames);
    auto pressure = group.create_dataset("pressure", hdf5::Element::float32, {extents, frame_chunk(extents), {}});
    describe(group, pressure);
    current = OpenShot{{shot, {}}, frames, std::move(group), std::move(pressure)};
}

void SnapshotWriter::Impl::describe(hdf5::Group& group, hdf5::Dataset& pressure) const {
    pressure.set_text("units", "Pa");
    pressure.set_text("long_name", "pressure");
    pressure.set_texts("axis_labels", {"time", "z", "y", "x"});
    describe_nodes(group, pressure, geometry, scales);
}

void SnapshotWriter::Impl::join(std::int64_t shot, std::vector<double> times_s,
                                std::span<const SnapshotPartFile> parts) {
    finish_shot();
    auto group = file.create_shot(shot);
    const std::int64_t frames = std::ssize(times_s);
    auto pressure = create_joined(group, "/" + group_of(shot) + "/pressure", frame_extents(geometry, frames), parts);
    describe(group, pressure);
    std::vector<std::int64_t> bytes;
    std::vector<std::string> hashes;
    for (const SnapshotPartFile& part : parts) {
        bytes.push_back(part.bytes);
        hashes.push_back(part.hash);
    }
    file.root().set_integers(kPartBytes, bytes);
    file.root().set_texts(kPartHashes, hashes);
    current = OpenShot{{shot, std::move(times_s)}, frames, std::move(group), std::move(pressure)};
    finish_shot();
}

void SnapshotWriter::Impl::write(double time_s, std::span<const float> values) {
    if (!current || std::ssize(current->header.times_s) == current->frames)
        throw Error(ExitCode::internal, h5_name + ": a snapshot at " + std::to_string(time_s) + " s is one too many");
    require_storable(values, [&](std::size_t index) {
        return "shot " + std::to_string(current->header.shot) + ", snapshot at t = " + shortest(time_s) + " s, " +
               position_text(node_position(geometry, index));
    });
    hdf5::Extents count = current->pressure.extents();
    count[0] = 1;
    current->pressure.write({current->header.times_s.size(), 0, 0, 0}, count, values);
    current->header.times_s.push_back(time_s);
}

void SnapshotWriter::Impl::finish_shot() {
    if (!current) return;
    OpenShot& shot = *current;
    if (std::ssize(shot.header.times_s) != shot.frames)
        throw Error(ExitCode::internal, shot.pressure.place() + ": " + std::to_string(shot.header.times_s.size()) +
                                            " of " + std::to_string(shot.frames) + " snapshots were written");
    auto times = write_coordinates(shot.group, "time_s", "s", shot.header.times_s);
    shot.pressure.attach_scale(0, times);
    times.close();
    shot.pressure.close();
    shot.group.close();
    written.push_back(std::move(shot.header));
    current.reset();
}

SnapshotWriter::SnapshotWriter(const std::filesystem::path& file, const FileGeometry& geometry,
                               const Provenance& provenance, bool overwrite) {
    const hdf5::Turn turn;
    impl_ = std::make_unique<Impl>(file, geometry, provenance, overwrite);
}

SnapshotWriter::~SnapshotWriter() {
    const hdf5::Turn turn;
    impl_.reset();
}

void SnapshotWriter::begin_shot(std::int64_t shot, std::int64_t frames) {
    const hdf5::Turn turn;
    impl_->begin_shot(shot, frames);
}

void SnapshotWriter::write(double time_s, std::span<const float> values) {
    const hdf5::Turn turn;
    impl_->write(time_s, values);
}

std::vector<float> SnapshotWriter::read(std::int64_t frame) const {
    const hdf5::Turn turn;
    const hdf5::Dataset& pressure = impl_->current.value().pressure;
    hdf5::Extents count = pressure.extents();
    std::vector<float> values(static_cast<std::size_t>(count[1] * count[2] * count[3]));
    count[0] = 1;
    pressure.read({static_cast<hdf5::Extent>(frame), 0, 0, 0}, count, std::span<float>(values));
    return values;
}

void SnapshotWriter::link(std::int64_t shot, std::vector<double> times_s, const std::string& file) {
    const hdf5::Turn turn;
    impl_->finish_shot();
    impl_->file.link_shot(shot, file);
    impl_->linked.push_back({shot, std::move(times_s)});
}

void SnapshotWriter::join(std::int64_t shot, std::vector<double> times_s, std::span<const SnapshotPartFile> parts) {
    const hdf5::Turn turn;
    impl_->join(shot, std::move(times_s), parts);
}

AtomicFile SnapshotWriter::finish_values() {
    const auto close = [&writer = *impl_] {
        const hdf5::Turn turn;
        writer.finish_shot();
        for (hdf5::Dataset& scale : writer.scales) scale.close();
        return writer.file.close([&](const hdf5::File& file) {
            for (const XdmfShot& shot : writer.written) read_back(file, shot, writer.geometry);
        });
    };
    AtomicFile written = close();
    written.finish();
    return written;
}

std::vector<AtomicFile> SnapshotWriter::finish() {
    std::vector<AtomicFile> files;
    files.push_back(finish_values());
    Impl& writer = *impl_;
    writer.written.insert(writer.written.end(), writer.linked.begin(), writer.linked.end());
    const TextSource xdmf = [&writer](const auto& put) {
        put_snapshots_xdmf(writer.h5_name, writer.geometry, writer.written, put);
    };
    files.push_back(stage_text_file(writer.xdmf_path, xdmf, writer.overwrite));
    return files;
}

void SnapshotWriter::commit() {
    for (AtomicFile& file : finish()) file.commit();
}

ShotFrames read_frames(const std::filesystem::path& file, std::int64_t shot) {
    const hdf5::Turn turn;
    const std::filesystem::path own = path_of_shot(file, kFormat, shot);
    const auto root = open_result(own, kFormat);
    const auto group = root.open_group(group_of(shot));
    const auto pressure = group.open_dataset("pressure", hdf5::Storage::own_or_view);
    ShotFrames frames{group.open_dataset("time_s").read_all<double>(), {}};
    if (pressure.sources().empty()) {
        frames.values = pressure.read_all<float>();
        return frames;
    }
    frames.values.resize(pressure.size());
    for (const hdf5::ViewSource& source : pressure.sources()) {
        const auto part_root = open_result(own.parent_path() / source.file, kFormat);
        const auto part = part_root.open_group(group_of(shot)).open_dataset("pressure");
        if (part.extents() != source.count) part.fail("is not the part that " + shown(own) + " was written with");
        put_box(part.read_all<float>(), source.first, source.count, pressure.extents(), frames.values);
    }
    return frames;
}

std::vector<SnapshotPartFile> parts_of_snapshots(const std::filesystem::path& file) {
    const hdf5::Turn turn;
    const auto root = open_result(file, kFormat);
    const auto bytes = root.numbers(kPartBytes);
    const auto hashes = root.texts(kPartHashes);
    if (!bytes || !hashes) return {};
    const auto pressure =
        root.open_group(group_of(shots_of(root).at(0))).open_dataset("pressure", hdf5::Storage::own_or_view);
    const auto& sources = pressure.sources();
    if (bytes->size() != sources.size() || hashes->size() != sources.size() || pressure.rank() != 4)
        pressure.fail("has not as many sources as the attributes of the file say");
    std::vector<SnapshotPartFile> parts;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        parts.push_back({sources[i].file, static_cast<std::int64_t>((*bytes)[i]), (*hashes)[i], {}, {}});
        for (std::size_t axis = 0; axis < 3; ++axis) {
            parts.back().first[axis] = static_cast<std::int64_t>(sources[i].first[3 - axis]);
            parts.back().count[axis] = static_cast<std::int64_t>(sources[i].count[3 - axis]);
        }
    }
    return parts;
}

std::int64_t predicted_part_bytes(const FileGeometry& geometry, std::int64_t frames, std::int64_t provenance_bytes) {
    return saturating_sum(result_file_bytes(provenance_bytes), coordinate_bytes(geometry),
                          saturating_product(frames, std::int64_t{8}), kShotOverhead);
}

std::int64_t predicted_snapshot_bytes(const FileGeometry& geometry, std::int64_t shots, std::int64_t frames,
                                      std::int64_t provenance_bytes) {
    const auto extents = frame_extents(geometry, frames);
    const std::int64_t shot = saturating_sum(dataset_bytes(extents, frame_chunk(extents), sizeof(float)),
                                             saturating_product(frames, std::int64_t{8}), kShotOverhead,
                                             predicted_xdmf_bytes(geometry, frames));
    return saturating_sum(result_file_bytes(provenance_bytes), coordinate_bytes(geometry),
                          saturating_product(shots, shot));
}

std::int64_t memory_to_write_frame(std::int64_t bytes) {
    return hdf5::writing_bytes(bytes, kNodeChunkBytes);
}

}  // namespace onda
