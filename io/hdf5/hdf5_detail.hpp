/// \file
/// Identifiers that close themselves and HDF5's error stack as text: shared by the sources of this folder only.
#pragma once

// The 1.10 meaning of unversioned names, whatever the library's default.
#define H5_USE_110_API
#include <hdf5.h>
#include <optional>
#include <string>
#include <utility>

#include "io/hdf5/hdf5.hpp"

namespace onda::hdf5::detail {

/// The name of the library in messages.
inline constexpr const char* kLibrary = "HDF5";

/// What HDF5's error stack says of a call; taken directly after the call that failed.
struct LibraryFault {
    std::string text;           ///< both ends of the stack, what failed and why; empty: it says nothing
    bool is_of_system = false;  ///< a read or write met a fault of the system, such as that of a disk
};
LibraryFault library_fault();
/// Silences HDF5's own printing in this thread and, unless others use the library (share_library()), closes its doors.
void prepare_library();
/// Forbids plugins and external links in this process. \throws Error(out_of_memory).
void close_doors();

/// An identifier of a helper object (space, type, property list): closed at the end of the scope.
class ScopedId {
public:
    using Closer = herr_t (*)(hid_t);
    ScopedId(hid_t id, Closer closer) : id_(id), closer_(closer) {}
    ~ScopedId() {
        if (id_ >= 0) closer_(id_);
    }
    ScopedId(ScopedId&& other) noexcept : id_(std::exchange(other.id_, -1)), closer_(other.closer_) {}
    ScopedId& operator=(ScopedId&&) = delete;
    [[nodiscard]] hid_t get() const { return id_; }
    [[nodiscard]] hid_t release() { return std::exchange(id_, -1); }

private:
    hid_t id_;
    Closer closer_;
};

/// Gives `value` unless it is negative, by which HDF5 says that a call failed.
template <class T>
T check(T value, const Object& object, const char* tried) {
    if (value < 0) object.fail_by(library_fault(), std::string("cannot ") + tried);
    return value;
}

hid_t memory_type(Element element);
/// The type of an element in files: little-endian IEEE or two's complement.
hid_t file_type(Element element);
/// Whether a type is one of the integers and IEEE floats of 4 and 8 bytes, of either endianness, which are converted
/// safely.
bool is_plain_number(hid_t type);

/// The layout that a dataset opened for reading declares, after every check that keeps a hostile file harmless.
struct CheckedLayout {
    Extents extents, chunk;
    std::size_t element_bytes = 0;
    bool filtered = false;
    std::optional<Element> filtered_as;  ///< Dataset::filtered_as()
    Checksums checksums;
    std::vector<ViewSource> sources;
};
/// Whether a file of so many bytes can hold such a dataset at all: 1 to 4 dimensions, chunks that fit them, and no more
/// values than the best compression makes of the file.
bool plausible(const Extents& extents, const Extents& chunk, std::uint64_t element_bytes, std::uintmax_t file_bytes);
/// What the elements of a dataset may be: plain numbers, or texts of a fixed length of at most 64 KiB.
enum class Content { numbers, texts };
/// The layout of a dataset, checked. \throws Error(bad_data) naming the reason.
CheckedLayout check_layout(hid_t dataset, const Object& object, const std::string& file,
                           Content content = Content::numbers, Storage storage = Storage::own);
/// Whether a name leads nowhere but to a file of the same folder; HDF5 puts numbers in the place of '%'.
bool is_plain_name(const std::string& name);
/// The sources of a view. \throws Error(bad_data) for anything but boxes within its extents and plain names of files.
std::vector<ViewSource> checked_sources(hid_t creation, const Object& object, const Extents& extents);
/// The properties of a dataset that is created: both checksums of its chunks, no times. Without a chunk: contiguous.
ScopedId creation_list(const Group& group, const Extents& chunk);

/// UTF-8 of so many bytes, or of H5T_VARIABLE.
ScopedId text_type(std::size_t bytes, const Object& object);
/// All texts after one another, each padded with NUL to the length of the longest, which is 1 at least.
struct PaddedTexts {
    std::size_t bytes_each = 1;
    std::vector<char> bytes;
};
PaddedTexts padded(const std::vector<std::string>& values);
/// A text of a fixed length without its padding.
std::string until_padding(const char* text, std::size_t bytes);

}  // namespace onda::hdf5::detail
