/// \file
/// How many blocks a launch takes.
#pragma once

#include <cstdint>

namespace onda::cuda {

inline int blocks_for(std::int64_t nodes, std::int64_t tile) {
    return static_cast<int>((nodes + tile - 1) / tile);
}
/// CUDA launches no more blocks than this along y and z.
inline constexpr std::int64_t kMostBlocks = 65535;

}  // namespace onda::cuda
