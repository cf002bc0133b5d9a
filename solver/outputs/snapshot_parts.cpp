#include "solver/outputs/snapshot_parts.hpp"

#include <algorithm>
#include <system_error>

#include "io/files/plain_file.hpp"
#include "solver/plan/computation.hpp"
#include "solver/plan/domain.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/survey/aperture.hpp"

namespace onda {
namespace {

constexpr std::string_view kMark = ".part_";

}  // namespace

std::vector<SnapshotPart> snapshot_parts(const SnapshotPlan& snapshots, const Domain& of_shot,
                                         const Computation& computed) {
    if (computed.placement.ranks_per_grid <= 1 || snapshots.steps.empty()) return {};
    const WindowInPart in_part = window_in_part(snapshots.window, of_shot.part);
    if (in_part.window.points() == 0) return {};
    std::vector<Slab> own, with_neighbours;
    for (int member = 0; member < computed.placement.ranks_per_grid; ++member) {
        own.push_back(joined(computed.placement, slabs_of_member(computed.placement, member)));
        with_neighbours.push_back(with_ghosts(computed.setup, own.back()));
    }
    std::vector<SnapshotPart> parts;
    for (const WindowPart& part : parts_of(of_shot.computed.window(in_part.window), own, with_neighbours)) {
        const std::int64_t planes_before = part.before / (part.window.count[0] * part.window.count[1]);
        parts.push_back({static_cast<int>(part.slab), part.window, in_part.first});
        parts.back().first[2] += planes_before;
    }
    if (parts.size() == 1 && parts.front().member == 0) return {};
    return parts;
}

std::int64_t downloaded_points(const SnapshotPlan& snapshots, const Grid& computed, const Placement& placement) {
    const Window& window = snapshots.window;
    std::array<std::int64_t, 3> n = computed.n;
    if (placement.ranks_per_grid > 1) n[2] = joined(placement, own_slabs(placement)).planes;
    std::int64_t points = snapshots.steps.empty() ? 0 : 1;
    for (std::size_t a = 0; a < 3; ++a) points *= std::min(window.count[a], (n[a] - 1) / window.step[a] + 1);
    return points;
}

std::int64_t written_points(const SnapshotPlan& snapshots, const Grid& computed, const Placement& placement) {
    if (snapshots.steps.empty()) return 0;
    return placement.ranks_per_grid > 1 ? downloaded_points(snapshots, computed, placement) : snapshots.window.points();
}

FileGeometry geometry_of(const SnapshotPart& part, const FileGeometry& window) {
    FileGeometry geometry = window;
    geometry.shape = part.window.count;
    for (std::size_t axis = 0; axis < 3; ++axis)
        geometry.origin_m[axis] += static_cast<double>(part.first[axis]) * window.spacing_m[axis];
    return geometry;
}

std::string part_file_name(const std::filesystem::path& file, std::size_t part) {
    return file.stem().string() + std::string(kMark) + std::to_string(part) + file.extension().string();
}

bool is_part_file_name(std::string_view name, const std::filesystem::path& file) {
    const std::string begin = file.stem().string() + std::string(kMark), end = file.extension().string();
    if (name.size() <= begin.size() + end.size() || !name.starts_with(begin) || !name.ends_with(end)) return false;
    name.remove_prefix(begin.size());
    name.remove_suffix(end.size());
    return name.front() != '0' && name.find_first_not_of("0123456789") == std::string_view::npos;
}

bool holds_part_files(const std::filesystem::path& folder) {
    std::error_code fault;
    for (std::filesystem::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault))
        if (entry->path().filename().string().find(kMark) != std::string::npos) return true;
    return false;
}

void remove_part_files(const std::filesystem::path& file) {
    std::vector<std::filesystem::path> parts;
    std::error_code fault;
    for (std::filesystem::directory_iterator entry(file.parent_path(), fault), end; !fault && entry != end;
         entry.increment(fault))
        if (is_part_file_name(entry->path().filename().string(), file.filename()) &&
            special_kind(entry->path()).empty())
            parts.push_back(entry->path());
    for (const std::filesystem::path& part : parts) std::filesystem::remove(part, fault);
}

}  // namespace onda
