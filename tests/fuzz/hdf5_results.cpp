// Results in HDF5: seismograms.h5, also as observed data, snapshots.h5 and gradient.h5.
#include <algorithm>
#include <array>

#include "io/results/image_file.hpp"
#include "io/results/result_reader.hpp"
#include "tests/fuzz/traces.hpp"

using namespace onda;

namespace {

using Box = std::array<std::int64_t, 3>;

/// A corner of a grid, which may claim more nodes than any memory holds.
Box corner_of(Box shape) {
    for (auto& nodes : shape) nodes = std::min<std::int64_t>(nodes, 8);
    return shape;
}

void read_seismograms(const std::filesystem::path& file) {
    const SeismogramReader reader(file);
    static_cast<void>(reader.origin());
    const std::int64_t shot = reader.shots().front();
    const ShotGather header = reader.header(shot);
    static_cast<void>(reader.read(shot, 0, std::min<std::size_t>(header.receivers_m.size(), 2)));
    static_cast<void>(reader.open(shot).read(0, 1));
}

void read_snapshots(const std::filesystem::path& file) {
    const SnapshotReader reader(file);
    const ShotSnapshots snapshots = reader.open(reader.shots().front());
    static_cast<void>(snapshots.frame_at(0.));
    static_cast<void>(snapshots.read(0, {0, 0, 0}, corner_of(snapshots.geometry().shape)));
}

void read_images(const std::filesystem::path& file) {
    const ImageReader reader(file);
    static_cast<void>(reader.has(reader.shots().front()));
    const Box count = corner_of(reader.nodes().geometry.shape);
    for (const StoredImageKind* kind : kStoredImageKinds)
        if (reader.has(*kind)) static_cast<void>(reader.read(*kind, {0, 0, 0}, count));
}

}  // namespace

void fuzz::read_input(std::string_view input) {
    const auto file = file_with(input, "file.h5");
    answers([&] {
        switch (kind_of_file(file)) {
            case FileKind::seismograms:
                read_seismograms(file);
                read_traces(file);
                break;
            case FileKind::snapshots: read_snapshots(file); break;
            case FileKind::gradient: read_images(file); break;
            case FileKind::model:
            case FileKind::other: break;
        }
    });
}
