#include "kernels/slabs/slab_fields.hpp"

#include <cmath>

namespace onda {
namespace {

/// NaN above infinity above numbers.
int rank_of(double max_abs) {
    return std::isnan(max_abs) ? 2 : std::isinf(max_abs) ? 1 : 0;
}

}  // namespace

std::vector<Extremum> SlabFields::extrema() const {
    std::vector<Extremum> largest = slabs_.front()->extrema();
    for (std::size_t s = 1; s < slabs_.size(); ++s) {
        const std::vector<Extremum> others = slabs_[s]->extrema();
        for (std::size_t shot = 0; shot < others.size(); ++shot) {
            Extremum other = others[shot], &so_far = largest[shot];
            other.node += map_.first_node(s);
            const int rank = rank_of(other.max_abs), before = rank_of(so_far.max_abs);
            if (rank > before || (rank == before && other.max_abs > so_far.max_abs)) so_far = other;
        }
    }
    return largest;
}

std::unique_ptr<Download> SlabFields::start_download(const Window& window, int shot) {
    auto download = std::make_unique<HostDownload>(frames_, window.points());
    take(window, download->values(), shot, {});
    return download;
}

void SlabFields::hash_planes(const Window& window, std::span<std::uint64_t> hashes, int shot) const {
    const std::int64_t plane = window.count[0] * window.count[1];
    for (const WindowPart& part : map_.parts(window))
        slabs_[part.slab]->hash_planes(part.window,
                                       hashes.subspan(static_cast<std::size_t>(part.before / plane),
                                                      static_cast<std::size_t>(part.window.count[2])),
                                       shot);
}

void SlabFields::sample(std::span<const std::int64_t> nodes, std::span<double> values, int shot) const {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::size_t slab = map_.slab_of(nodes[i]);
        const std::int64_t local = nodes[i] - map_.first_node(slab);
        slabs_[slab]->sample({&local, 1}, values.subspan(i, 1), shot);
    }
}

}  // namespace onda
