// What a dataset may be when somebody else's file is read: plain numbers in ordinary storage of believable size.

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <vector>

#include "io/hdf5/hdf5_detail.hpp"

namespace onda::hdf5::detail {
namespace {

constexpr std::size_t most_dimensions = 4;
constexpr Extent most_chunk_bytes = Extent{1} << 30;
/// Deflate cannot shrink more than this (1032:1).
constexpr Extent most_deflation = 1040;

struct KnownFilter {
    H5Z_filter_t id;
    bool shrinks, has_checksum;
};
constexpr std::array known_filters{KnownFilter{H5Z_FILTER_DEFLATE, true, true},
                                   KnownFilter{H5Z_FILTER_SHUFFLE, false, false},
                                   KnownFilter{H5Z_FILTER_FLETCHER32, false, true}};

struct TypeClass {
    H5T_class_t id;
    const char* name;
};
constexpr std::array type_classes{
    TypeClass{H5T_INTEGER, "integers of an unusual layout"},
    TypeClass{H5T_FLOAT, "floats that are not IEEE single or double"},
    TypeClass{H5T_TIME, "times"},
    TypeClass{H5T_STRING, "strings"},
    TypeClass{H5T_BITFIELD, "bit fields"},
    TypeClass{H5T_OPAQUE, "opaque bytes"},
    TypeClass{H5T_COMPOUND, "compound records"},
    TypeClass{H5T_REFERENCE, "references"},
    TypeClass{H5T_ENUM, "enumerations"},
    TypeClass{H5T_VLEN, "variable-length elements"},
    TypeClass{H5T_ARRAY, "arrays"},
};

std::string class_name(hid_t type) {
    const auto id = H5Tget_class(type);
    const auto found = std::find_if(type_classes.begin(), type_classes.end(), [&](auto& c) { return c.id == id; });
    return found == type_classes.end() ? "elements of an unknown class" : found->name;
}

Extents checked_extents(hid_t dataset, const Object& object, std::size_t element_bytes) {
    const ScopedId space(check(H5Dget_space(dataset), object, "get its extents"), H5Sclose);
    if (H5Sget_simple_extent_type(space.get()) != H5S_SIMPLE) object.fail("is refused: not an array");
    const auto rank = static_cast<std::size_t>(check(H5Sget_simple_extent_ndims(space.get()), object, "get its rank"));
    if (rank == 0 || rank > most_dimensions)
        object.fail("is refused: " + std::to_string(rank) + " dimensions; 1 to 4 are read");
    Extents extents(rank);
    check(H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr), object, "get its extents");
    Extent bytes = element_bytes;
    for (const auto extent : extents)
        if (__builtin_mul_overflow(bytes, extent, &bytes)) object.fail("is refused: its extents overflow");
    return extents;
}

struct Filters {
    bool any = false, shrink = false, have_checksum = false;
    bool own = false;  ///< deflate, then Fletcher-32, as filter_chunk() has them
};

Filters check_filters(hid_t creation, const Object& object) {
    Filters filters;
    std::vector<H5Z_filter_t> ids;
    const int count = check(H5Pget_nfilters(creation), object, "count its filters");
    for (int n = 0; n < count; ++n) {
        unsigned flags = 0, config = 0;
        std::size_t values = 0;
        const auto id =
            check(H5Pget_filter2(creation, static_cast<unsigned>(n), &flags, &values, nullptr, 0, nullptr, &config),
                  object, "look at its filters");
        const auto known =
            std::find_if(known_filters.begin(), known_filters.end(), [&](auto& filter) { return filter.id == id; });
        if (known == known_filters.end())
            object.fail("is refused: filter " + std::to_string(id) +
                        "; deflate, shuffle and fletcher32 are read (repack it: h5repack -f NONE)");
        filters = {true, filters.shrink || known->shrinks, filters.have_checksum || known->has_checksum};
        ids.push_back(id);
    }
    filters.own = ids == std::vector<H5Z_filter_t>{H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
    return filters;
}

Extents checked_chunk(hid_t creation, const Object& object, const Extents& extents, std::size_t element_bytes) {
    std::array<hsize_t, H5S_MAX_RANK> found{};
    const int rank = check(H5Pget_chunk(creation, H5S_MAX_RANK, found.data()), object, "get its chunk");
    if (static_cast<std::size_t>(rank) != extents.size())
        object.fail("is refused: chunks of " + std::to_string(rank) + " dimensions in a dataset of " +
                    std::to_string(extents.size()));
    Extents chunk(found.begin(), found.begin() + rank);
    Extent bytes = element_bytes;
    for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
        if (chunk[axis] == 0 || chunk[axis] > extents[axis])
            object.fail("is refused: chunk of " + std::to_string(chunk[axis]) + " in a dimension of " +
                        std::to_string(extents[axis]));
        if (__builtin_mul_overflow(bytes, chunk[axis], &bytes) || bytes > most_chunk_bytes)
            object.fail("is refused: chunks of more than 1 GiB");
    }
    return chunk;
}

void check_storage(hid_t dataset, const Object& object, Extent bytes, Extent most_shrinkage, const std::string& file) {
    const Extent stored = H5Dget_storage_size(dataset);
    const Extent present = std::filesystem::file_size(file);
    if (stored > present)
        object.fail("is refused: claims " + std::to_string(stored) + " bytes of storage in a file of " +
                    std::to_string(present) + " bytes");
    if (stored < bytes / most_shrinkage)
        object.fail("is refused: declares " + std::to_string(bytes) + " bytes of values but stores " +
                    std::to_string(stored));
}

/// Version 1, which HDF5 and h5py write unless told otherwise, has none.
bool header_has_checksum(hid_t dataset, const Object& object) {
    H5O_info_t info;
    check(H5Oget_info2(dataset, &info, H5O_INFO_HDR), object, "look at its header");
    return info.hdr.version > 1;
}

}  // namespace

namespace {

void check_content(hid_t type, const Object& object, Content content) {
    constexpr std::size_t most_text_bytes = std::size_t{1} << 16;
    if (content == Content::numbers) {
        if (!is_plain_number(type)) object.fail("is refused: holds " + class_name(type) + ", not plain numbers");
        return;
    }
    if (H5Tget_class(type) != H5T_STRING || check(H5Tis_variable_str(type), object, "look at its texts") > 0)
        object.fail("is refused: holds " + class_name(type) + ", not text of a fixed length");
    if (H5Tget_size(type) > most_text_bytes) object.fail("is refused: texts of more than 64 KiB");
}

}  // namespace

bool plausible(const Extents& extents, const Extents& chunk, std::uint64_t element_bytes, std::uintmax_t file_bytes) {
    const auto rank = extents.size();
    if (rank < 1 || rank > most_dimensions || (!chunk.empty() && chunk.size() != rank)) return false;
    if (element_bytes < 1 || element_bytes > 8) return false;
    Extent bytes = element_bytes, chunk_bytes = element_bytes;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (__builtin_mul_overflow(bytes, extents[axis], &bytes)) return false;
        if (chunk.empty()) continue;
        if (chunk[axis] < 1 || chunk[axis] > extents[axis]) return false;
        if (__builtin_mul_overflow(chunk_bytes, chunk[axis], &chunk_bytes) || chunk_bytes > most_chunk_bytes)
            return false;
    }
    return bytes / most_deflation <= file_bytes;
}

bool is_plain_number(hid_t type) {
    const std::array plain{H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_STD_I8LE,
                           H5T_STD_I8BE,   H5T_STD_I16LE,  H5T_STD_I16BE,  H5T_STD_I32LE,  H5T_STD_I32BE,
                           H5T_STD_I64LE,  H5T_STD_I64BE,  H5T_STD_U8LE,   H5T_STD_U8BE,   H5T_STD_U16LE,
                           H5T_STD_U16BE,  H5T_STD_U32LE,  H5T_STD_U32BE,  H5T_STD_U64LE,  H5T_STD_U64BE};
    return std::any_of(plain.begin(), plain.end(), [&](hid_t known) { return H5Tequal(type, known) > 0; });
}

CheckedLayout check_layout(hid_t dataset, const Object& object, const std::string& file, Content content,
                           Storage storage) {
    const ScopedId type(check(H5Dget_type(dataset), object, "get its element type"), H5Tclose);
    check_content(type.get(), object, content);
    const auto element_bytes = H5Tget_size(type.get());
    if (element_bytes == 0) object.fail_by(library_fault(), "cannot get the size of its elements");

    const ScopedId creation(check(H5Dget_create_plist(dataset), object, "get its layout"), H5Pclose);
    if (check(H5Pget_external_count(creation.get()), object, "look for external storage") > 0)
        object.fail("is refused: external storage, its values lie in other files");
    const auto kind = check(H5Pget_layout(creation.get()), object, "get its layout");
    if (kind == H5D_VIRTUAL && storage == Storage::own)
        object.fail("is refused: virtual dataset, its values lie in other datasets");

    CheckedLayout layout;
    layout.extents = checked_extents(dataset, object, element_bytes);
    layout.element_bytes = element_bytes;
    if (kind == H5D_VIRTUAL) {
        layout.sources = checked_sources(creation.get(), object, layout.extents);
        layout.checksums.attributes = header_has_checksum(dataset, object);
        return layout;
    }
    Extent bytes = element_bytes;
    for (const auto extent : layout.extents) bytes *= extent;
    const auto filters = check_filters(creation.get(), object);
    if (kind == H5D_CHUNKED) layout.chunk = checked_chunk(creation.get(), object, layout.extents, element_bytes);
    check_storage(dataset, object, bytes, filters.shrink ? most_deflation : 1, file);
    layout.filtered = filters.any;
    if (filters.own && kind == H5D_CHUNKED && std::endian::native == std::endian::little)
        for (const Element element : {Element::float32, Element::float64})
            if (H5Tequal(type.get(), file_type(element)) > 0) layout.filtered_as = element;
    layout.checksums = {filters.have_checksum, header_has_checksum(dataset, object)};
    return layout;
}

}  // namespace onda::hdf5::detail
