/// \file
/// Boxes of whole chunks, and where these lie among the values of a box: for those that write chunks and that read
/// them.
#pragma once

#include <cstddef>
#include <optional>

#include "io/hdf5/tiles.hpp"

namespace onda::hdf5 {

/// Whether a box begins and ends on chunks, or at the ends of the dataset.
bool is_of_whole_chunks(const Extents& first, const Extents& count, const Extents& chunk, const Extents& extents);

/// A box [first, first + count) of which is_of_whole_chunks() holds; chunks at the ends of the dataset reach beyond it.
class ChunkedBox {
public:
    /// The extents are referred to.
    ChunkedBox(const Extents& first, const Extents& count, const Extents& chunk, std::size_t element_bytes);

    /// The number of chunks.
    [[nodiscard]] std::size_t size() const { return product(number_); }
    [[nodiscard]] std::size_t chunk_bytes() const { return product(chunk_) * element_bytes_; }
    /// Where chunk `i` begins in the dataset, in the order in which HDF5 would store them.
    [[nodiscard]] Extents first(std::size_t i) const;
    /// Where the chunk that begins at `first` lies in one piece among the values of the box [bytes], if it does.
    [[nodiscard]] std::optional<std::size_t> in_one_piece(const Extents& first) const;
    /// Calls f(in_box, in_chunk, bytes) for each row that the box has of the chunk: where it begins in either [bytes].
    template <class F>
    void for_each_row(const Extents& first, const F& f) const {
        const Extents part = part_of(first);
        const std::size_t row = part.back(), rows = product(part) / row;
        for (std::size_t i = 0; i < rows; ++i) {
            std::size_t in_box = 0, in_chunk = 0, left = i;
            for (std::size_t axis = part.size() - 1, box_step = count_.back(), chunk_step = chunk_.back();
                 axis-- > 0;) {
                const std::size_t at = left % part[axis];
                left /= part[axis];
                in_box += (first[axis] - first_[axis] + at) * box_step;
                in_chunk += at * chunk_step;
                box_step *= count_[axis];
                chunk_step *= chunk_[axis];
            }
            in_box += first.back() - first_.back();
            f(in_box * element_bytes_, in_chunk * element_bytes_, row * element_bytes_);
        }
    }

private:
    /// The extents of what the box has of a chunk.
    [[nodiscard]] Extents part_of(const Extents& first) const;

    const Extents& first_;
    const Extents& count_;
    const Extents& chunk_;
    std::size_t element_bytes_;
    Extents number_;  ///< of chunks along each axis
};

}  // namespace onda::hdf5
