// The two mappings of threads to nodes, for the compact stencil and the 5-point star.
#include "kernels/cuda/inplane/inplane_launch.hpp"

namespace onda::cuda {
namespace {

template <typename T, typename Operator>
void add(Instances<T>& list, Equation equation, const auto& for_tiles) {
    for_tiles([&]<typename Tile>() {
        const char* const kernel = Tile::rim == 0 ? "march-direct" : "march-overlapped";
        list.push_back(plane_sum_row<Tile, MappedCopies, Operator>(equation, kernel, "", 75));
    });
}

template <typename T>
void add_all(Instances<T>& list) {
    const auto in_space = [](const auto& add_tile) {
        for_direct_tiles<T>(add_tile);
        for_overlapped_tiles<T>(add_tile);
    };
    const auto in_a_plane = [](const auto& add_tile) {
        for_row_tiles<T, 0>(add_tile);
        for_row_tiles<T, 1>(add_tile);
    };
    add<T, CompactOperator<T, 3>>(list, Equation::compact, in_space);
    add<T, CompactOperator<T, 2>>(list, Equation::compact, in_a_plane);
    add<T, StarOperator<T, 2>>(list, Equation::star, in_a_plane);
}

}  // namespace

void add_march(Instances<float>& list) {
    add_all(list);
}
void add_march(Instances<double>& list) {
    add_all(list);
}

}  // namespace onda::cuda
