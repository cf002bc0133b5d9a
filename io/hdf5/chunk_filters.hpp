/// \file
/// The filters of Onda's datasets as HDF5 defines them, without HDF5: chunks can be made ready by several threads at a
/// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace onda::hdf5 {

/// HDF5's Fletcher-32: the sums modulo 65535 of 16-bit big-endian words, whatever the machine; the last byte of an odd
/// number stands for a word whose second byte is zero.
std::uint32_t fletcher32(std::span<const std::byte> bytes);

/// A chunk as the filters deflate (level 0) and Fletcher-32 leave it, in this order: what H5Dwrite would store.
/// \param filtered replaced; its memory is used again. \throws std::bad_alloc.
void filter_chunk(std::span<const std::byte> chunk, std::vector<std::byte>& filtered);

/// The chunk that filter_chunk() was given. Safe for any bytes: nothing but stored blocks is understood, and both
/// checksums are compared. \param chunk as large as all chunks of the dataset; filled in part where the result is
/// false. \return whether it is one, whole and undamaged; what others have stored may be another chunk all the same.
bool unfilter_chunk(std::span<const std::byte> filtered, std::span<std::byte> chunk);

}  // namespace onda::hdf5
