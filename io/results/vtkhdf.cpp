#include "io/results/vtkhdf.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "io/hdf5/hdf5.hpp"
#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"

namespace onda {
namespace {

hdf5::Extents extents_of(const FileGeometry& geometry, std::size_t frames) {
    hdf5::Extents extents{frames};
    for (const std::size_t axis : {2u, 1u, 0u}) extents.push_back(static_cast<hdf5::Extent>(geometry.shape[axis]));
    return extents;
}

/// The extents without the axes of one node, and without that of time where there is one frame: VTK takes it for no
/// series.
hdf5::Extents flattened(const hdf5::Extents& extents) {
    hdf5::Extents flat;
    std::ranges::copy_if(extents, std::back_inserter(flat), [](hdf5::Extent extent) { return extent > 1; });
    return flat.empty() ? hdf5::Extents{1} : flat;
}

void describe_image(hdf5::Group& image, const FileGeometry& geometry) {
    image.set_integers("Version", std::array<std::int64_t, 2>{2, 0});
    image.set_text("Type", "ImageData");
    const auto& n = geometry.shape;
    image.set_integers("WholeExtent", std::array<std::int64_t, 6>{0, n[0] - 1, 0, n[1] - 1, 0, n[2] - 1});
    image.set_numbers("Origin", geometry.origin_m);
    image.set_numbers("Spacing", geometry.spacing_m);
    image.set_numbers("Direction", std::array{1., 0., 0., 0., 1., 0., 0., 0., 1.});
}

template <typename T>
void write_series(hdf5::Group& group, const std::string& name, std::span<const T> values) {
    auto dataset = group.create_dataset(name, hdf5::element_of<T>(), {{values.size()}, {}, {}});
    dataset.write_all(values);
    dataset.close();
}

std::string array_name(std::span<const VtkhdfShot> shots, const VtkhdfShot& shot) {
    return shots.size() == 1 ? "pressure" : "pressure_shot_" + std::to_string(shot.shot);
}

void write_steps(hdf5::Group& image, const std::vector<double>& times_s, std::span<const VtkhdfShot> shots) {
    auto steps = image.create_group("Steps");
    steps.set_integer("NSteps", std::ssize(times_s));
    write_series(steps, "Values", std::span(times_s));
    auto offsets = steps.create_group("PointDataOffsets");
    std::vector<std::int64_t> frames(times_s.size());
    std::iota(frames.begin(), frames.end(), std::int64_t{0});
    for (const VtkhdfShot& shot : shots)
        write_series(offsets, array_name(shots, shot), std::span<const std::int64_t>(frames));
    offsets.close();
    steps.close();
}

}  // namespace

AtomicFile stage_vtkhdf(const std::filesystem::path& file, const FileGeometry& geometry,
                        const std::vector<double>& times_s, std::span<const VtkhdfShot> shots, bool overwrite) {
    AtomicFile output(file, overwrite);
    {
        const hdf5::Turn turn;
        auto root = hdf5::File::create(output.temporary(), file);
        auto image = root.create_group("VTKHDF");
        describe_image(image, geometry);
        auto arrays = image.create_group("PointData");
        const hdf5::Extents there = extents_of(geometry, times_s.size()), here = flattened(there);
        constexpr float absent = std::numeric_limits<float>::quiet_NaN();
        for (const VtkhdfShot& shot : shots) {
            const hdf5::ViewSource source{shot.file, "/shots/" + std::to_string(shot.shot) + "/pressure",
                                          hdf5::Extents(here.size(), 0), here};
            arrays.create_view(array_name(shots, shot), here, {&source, 1}, absent, there).close();
        }
        arrays.set_text("Scalars", array_name(shots, shots.front()));
        arrays.close();
        if (times_s.size() > 1) write_steps(image, times_s, shots);
        image.close();
        root.close();
    }
    output.finish();
    return output;
}

std::int64_t predicted_vtkhdf_bytes(std::int64_t shots, std::int64_t frames) {
    const std::int64_t head = frames > 1 ? 7700 : 5700, of_shot = frames > 1 ? 760 : 400;
    const std::int64_t series = frames > 1 ? 8 * frames : 0;
    return saturating_sum(head, series, saturating_product(shots, of_shot + series));
}

}  // namespace onda
