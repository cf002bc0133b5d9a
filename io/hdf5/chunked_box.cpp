#include "io/hdf5/chunked_box.hpp"

#include <algorithm>

namespace onda::hdf5 {

bool is_of_whole_chunks(const Extents& first, const Extents& count, const Extents& chunk, const Extents& extents) {
    for (std::size_t axis = 0; axis < first.size(); ++axis) {
        const Extent end = first[axis] + count[axis];
        if (first[axis] % chunk[axis] != 0 || (end % chunk[axis] != 0 && end != extents[axis])) return false;
    }
    return true;
}

ChunkedBox::ChunkedBox(const Extents& first, const Extents& count, const Extents& chunk, std::size_t element_bytes)
    : first_(first), count_(count), chunk_(chunk), element_bytes_(element_bytes), number_(first.size()) {
    for (std::size_t axis = 0; axis < number_.size(); ++axis)
        number_[axis] = (count[axis] + chunk[axis] - 1) / chunk[axis];
}

Extents ChunkedBox::first(std::size_t i) const {
    Extents place = first_;
    for (std::size_t axis = place.size(); axis-- > 0; i /= number_[axis])
        place[axis] += i % number_[axis] * chunk_[axis];
    return place;
}

Extents ChunkedBox::part_of(const Extents& first) const {
    Extents part(first.size());
    for (std::size_t axis = 0; axis < part.size(); ++axis)
        part[axis] = std::min(chunk_[axis], count_[axis] - (first[axis] - first_[axis]));
    return part;
}

std::optional<std::size_t> ChunkedBox::in_one_piece(const Extents& first) const {
    const Extents part = part_of(first);
    std::size_t whole = part.size();
    while (whole > 0 && part[whole - 1] == count_[whole - 1]) --whole;
    // A few planes of the slowest axis that is cut, and one of each before.
    if (part != chunk_ || product(part) != product(part, whole == 0 ? 0 : whole - 1)) return {};
    std::size_t offset = 0;
    for (std::size_t axis = 0; axis < part.size(); ++axis)
        offset += (first[axis] - first_[axis]) * product(count_, axis + 1);
    return offset * element_bytes_;
}

}  // namespace onda::hdf5
