/// \file
/// A small RAII layer over the HDF5 C API; every return code checked. Nothing of <hdf5.h> leaks out of it.
///
/// Files are written in the 1.10 format (libver LATEST of HDF5 1.10), whose metadata carries checksums; datasets are
/// chunked with two checksums, Fletcher-32 over zlib's Adler-32 (deflate 0: nothing is compressed), because Fletcher-32
/// alone cannot tell 0000 from FFFF in 16 bits; text attributes have a fixed length so that the metadata's checksum
/// covers them too. Whatever is opened for reading is distrusted: only hard links are followed, only plain
/// numbers in ordinary storage are accepted, and extents are checked against what the file holds before anybody
/// allocates. No other file is ever opened on the way: where a view is accepted, its sources are told, not followed.
/// That does not make HDF5 itself safe: files from elsewhere are read through guarded_hdf5.hpp.
///
/// Errors are Error(bad_data) when reading and Error(io_error) when writing; they name the file, the object and quote
/// HDF5's own error stack. Use from one thread at a time. Destructors close without a check: writers must call close().
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/library_crash.hpp"
#include "io/text/error.hpp"

namespace onda::hdf5 {

namespace detail {
struct LibraryFault;
}

/// For a process with other users of HDF5, such as h5py: they keep plugins and external links. The processes that read
/// input files (guarded_hdf5.hpp) do without them all the same. To be called before HDF5 is used.
void share_library();

/// The turn of a thread. HDF5 is often built for one thread at a time: where several threads of the program use it,
/// each holds a turn while it does. A thread may take one within another. HDF5 1.10 crashes where many of its own
/// allocations fail: what that does to the program is decided by LibraryAtWork.
class Turn {
public:
    Turn();
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    /// Gives up all turns of its thread until it ends: for work that needs no HDF5, between calls that do. Other
    /// threads use other files meanwhile.
    class Pause {
    public:
        Pause();
        ~Pause();
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;

    private:
        int turns_;
    };

private:
    LibraryAtWork library_;
};

using Id = std::int64_t;              ///< hid_t
using Extent = unsigned long long;    ///< hsize_t
using Extents = std::vector<Extent>;  ///< one per dimension, slowest first

/// Elements of a dataset in memory; HDF5 converts from and to what the file has.
enum class Element { float32, float64, int32, int64, uint8 };
template <class T>
constexpr Element element_of();
template <>
constexpr Element element_of<float>() {
    return Element::float32;
}
template <>
constexpr Element element_of<double>() {
    return Element::float64;
}
template <>
constexpr Element element_of<std::int32_t>() {
    return Element::int32;
}
template <>
constexpr Element element_of<std::int64_t>() {
    return Element::int64;
}
template <>
constexpr Element element_of<std::uint8_t>() {
    return Element::uint8;
}

/// A file, group or dataset: owns its identifier, knows its place for messages, carries attributes.
class Object {
public:
    Object(Object&& other) noexcept;
    Object& operator=(Object&& other) noexcept;
    ~Object();

    void set_text(const std::string& name, const std::string& value);
    void set_texts(const std::string& name, const std::vector<std::string>& values);
    void set_number(const std::string& name, double value);
    void set_numbers(const std::string& name, std::span<const double> values);
    void set_integer(const std::string& name, std::int64_t value);
    void set_integers(const std::string& name, std::span<const std::int64_t> values);

    /// The attribute of this name; no value where it is absent. An attribute of another class, or of an implausible
    /// size: Error(bad_data).
    [[nodiscard]] std::optional<std::string> text(const std::string& name) const;
    [[nodiscard]] std::optional<std::vector<std::string>> texts(const std::string& name) const;
    [[nodiscard]] std::optional<double> number(const std::string& name) const;
    [[nodiscard]] std::optional<std::vector<double>> numbers(const std::string& name) const;
    /// Whether the attribute is there and is text of variable length: it lies in the global heap, without a checksum.
    [[nodiscard]] bool has_variable_text(const std::string& name) const;

    /// The place of the object, for messages: "model.h5: /vp".
    [[nodiscard]] std::string place() const;
    /// Reports an error of the object with its place and the message. \throws Error(bad_data or io_error, by how the
    /// file was opened).
    [[noreturn]] void fail(const std::string& message) const;
    /// Reports a call of the library that failed. \throws Error(io_error) where the system is to blame, otherwise as
    /// fail().
    [[noreturn]] void fail_by(const detail::LibraryFault& fault, const std::string& message) const;
    /// Writes what is cached, closes, and checks; writers close every object before the file. \throws Error.
    void close();

protected:
    using Closer = int (*)(Id);
    /// Shared by all objects of one open file.
    struct FileState {
        std::string name;  ///< as messages show it
        ExitCode fault;    ///< bad_data when opened for reading, io_error when created
        /// Set by the first error while writing: from then on nothing of the file is closed any more, for HDF5 1.10
        /// keeps dangling objects after a failed close and crashes on them later.
        bool abandoned = false;
        int objects = 0;  ///< that are open, the file itself among them
        /// The offset in a file being written from which on the system may still have it in memory.
        std::uint64_t cached_from = 0;
    };
    Object(Id id, Closer closer, std::shared_ptr<FileState> file, std::string name);

    Id id_ = -1;
    Closer closer_ = nullptr;
    std::shared_ptr<FileState> file_;
    std::string name_;
};

/// The parts of a dataset that cannot be damaged unnoticed. Text of variable length is never among them.
struct Checksums {
    bool values = false;      ///< fletcher32, or zlib's own
    bool attributes = false;  ///< the object header's, which the formats before 1.8 do not have
};

/// A box of a view: its values are those of a dataset of another file.
struct ViewSource {
    std::string file, path;  ///< the file as named from the folder of the view's
    Extents first, count;    ///< of the view; its values are all of that dataset
};

/// A chunk in its file, as its filters left it.
struct StoredChunk {
    std::uint64_t at = 0, bytes = 0;
};

/// Whether a dataset may be a view (HDF5: virtual), whose values lie in other files.
enum class Storage { own, own_or_view };

class Dataset : public Object {
public:
    [[nodiscard]] const Extents& extents() const { return extents_; }
    [[nodiscard]] std::size_t rank() const { return extents_.size(); }
    [[nodiscard]] Extent size() const;  ///< number of elements
    /// Where the values of a view are; empty for other datasets. HDF5 is never asked for them, since it would open
    /// whatever file a source names.
    [[nodiscard]] const std::vector<ViewSource>& sources() const { return sources_; }
    /// Extents of one chunk; empty for other layouts.
    [[nodiscard]] const Extents& chunk() const { return chunk_; }
    /// The bytes of one element as the file has it.
    [[nodiscard]] std::size_t element_bytes() const { return element_bytes_; }
    /// Of a dataset that was opened: the elements of its chunks where filter_chunk() could have made them.
    [[nodiscard]] std::optional<Element> filtered_as() const { return filtered_as_; }
    /// Where the chunk that begins at `first` lies in the file; nothing where it is not there or has other filters.
    [[nodiscard]] std::optional<StoredChunk> stored_chunk(const Extents& first) const;
    /// What checksums cover: of datasets that were opened.
    [[nodiscard]] Checksums checksums() const { return checksums_; }

    /// Reads the box [first, first + count); as many values as the box has. \throws Error.
    template <class T>
    void read(const Extents& first, const Extents& count, std::span<T> values) const {
        read_box(first, count, element_of<T>(), values.data(), values.size());
    }
    template <class T>
    [[nodiscard]] std::vector<T> read_all() const {
        std::vector<T> values(size());
        read(Extents(rank(), 0), extents_, std::span<T>(values));
        return values;
    }
    /// Writes the box [first, first + count); as many values as the box has. A box of whole chunks, of a MiB or
    /// more and of the dataset's own element type, goes to the file without HDF5's copies, its checksums made by
    /// writing_threads(): the bytes of the file do not depend on how many. A turn of the caller is given up meanwhile,
    /// but for the moments in which a chunk goes to the file. \throws Error; std::bad_alloc.
    template <class T>
    void write(const Extents& first, const Extents& count, std::span<const T> values) {
        write_box(first, count, element_of<T>(), values.data(), values.size());
    }
    template <class T>
    void write_all(std::span<const T> values) {
        write(Extents(rank(), 0), extents_, values);
    }

    /// Makes this one-dimensional dataset a dimension scale (H5DS): the coordinates of an axis, which xarray and netCDF
    /// readers then find by themselves. It stays open while it is attached to the datasets of its file.
    void make_scale(const std::string& name);
    /// Makes this a dimension scale without coordinates, as netCDF marks it: readers do not take it for a variable.
    void make_plain_dimension();
    void attach_scale(std::size_t dimension, const Dataset& scale);

private:
    friend class Group;
    Dataset(Id id, std::shared_ptr<FileState> file, std::string name);
    void read_box(const Extents& first, const Extents& count, Element element, void* values, std::size_t size) const;
    void write_box(const Extents& first, const Extents& count, Element element, const void* values, std::size_t size);
    [[nodiscard]] bool goes_in_whole_chunks(const Extents& first, const Extents& count, Element element) const;
    void write_chunks(const Extents& first, const Extents& count, const void* values);

    Extents extents_, chunk_;
    std::optional<Element> element_;  ///< of datasets that were created
    std::optional<Element> filtered_as_;
    std::size_t element_bytes_ = 0;
    Checksums checksums_;
    std::vector<ViewSource> sources_;
};

/// The layout of a dataset that is created.
struct DatasetLayout {
    Extents extents;
    Extents chunk;                              ///< empty: chosen by default_chunk; cut to the extents
    std::vector<std::string> dimension_labels;  ///< empty, or one per dimension ("z", "y", "x"): H5DS labels
};

class Group : public Object {
public:
    [[nodiscard]] Group create_group(const std::string& name);
    /// Makes `name` stand for the object at `path` of another file, named from the folder of this one (an external
    /// link).
    void link_to(const std::string& name, const std::string& file, const std::string& path);
    /// A new dataset, chunked and with checksums (one without elements: contiguous). The file's numbers are
    /// little-endian IEEE.
    [[nodiscard]] Dataset create_dataset(const std::string& name, Element element, const DatasetLayout& layout);
    /// A new dataset [text][character] of UTF-8, a byte each, padded with NUL, chunked and with checksums like the
    /// others. With the attribute `_Encoding` these are netCDF's texts: netCDF-C 4.9 reads HDF5's own texts of a fixed
    /// length as garbage.
    Dataset write_texts(const std::string& name, const std::vector<std::string>& values);
    /// A new dataset [n] of single characters: the names of axes.
    Dataset write_letters(const std::string& name, std::string_view letters);
    /// Makes `name` a second name of a dataset of this file (a hard link).
    void link_here(const std::string& name, const Dataset& dataset);
    /// A new float32 dataset whose values are those of datasets of other files: none are copied. They are `absent`
    /// where no source has them, and for readers other than Onda where the file of a source is not there. \param there
    /// the extents of the dataset of a source; empty: those of its box, else the same but for axes of one node, which
    /// the box may leave out.
    Dataset create_view(const std::string& name, const Extents& extents, std::span<const ViewSource> sources,
                        float absent, const Extents& there = {});

    /// The group at a path of hard links ("shots/1"); anything else, or nothing there, is Error(bad_data).
    [[nodiscard]] Group open_group(const std::string& path) const;
    /// The dataset at a path of hard links. \throws Error(bad_data) for external, soft or user-defined links, external
    /// or virtual storage, filters other than deflate, shuffle and Fletcher-32, elements that are not plain numbers,
    /// rank 0 or above 4, chunks larger than the dataset, and more values than the file can hold. A view is accepted
    /// only where `storage` says so, and of plain boxes of files in the same folder.
    [[nodiscard]] Dataset open_dataset(const std::string& path, Storage storage = Storage::own) const;
    /// The texts of a dataset that write_texts() made, or of one [text] of texts of a fixed length. \throws
    /// Error(bad_data) as open_dataset() does.
    [[nodiscard]] std::vector<std::string> read_texts(const std::string& path) const;
    /// Whether the elements of the dataset at a path of hard links are texts. \throws Error(bad_data) if there is none.
    [[nodiscard]] bool holds_texts(const std::string& path) const;
    [[nodiscard]] bool contains(const std::string& name) const;
    /// The file that an external link of this name leads to, as link_to() named it; nothing for anything else.
    [[nodiscard]] std::optional<std::string> linked_file(const std::string& name) const;
    /// Names of the links, sorted by name.
    [[nodiscard]] std::vector<std::string> names() const;

protected:
    Group(Id id, Closer closer, std::shared_ptr<FileState> file, std::string name);

private:
    [[nodiscard]] Id open_object(const std::string& path, int kind, const char* kind_name) const;
    [[nodiscard]] std::string what_there_is() const;
    [[nodiscard]] std::vector<std::string> paths_within(int levels) const;
    Dataset write_characters(const std::string& name, const Extents& extents, const char* characters);
    [[nodiscard]] std::string path_of(const std::string& name) const;
};

class File : public Group {
public:
    /// Makes or truncates the file: give it the temporary name of an AtomicFile.
    /// \param shown the name that messages use, normally the final one.
    [[nodiscard]] static File create(const std::filesystem::path& file, const std::filesystem::path& shown);
    /// Opens a file for reading. \throws Error(missing_input | bad_data).
    [[nodiscard]] static File open(const std::filesystem::path& file);
    /// Flushes, closes, checks both; every dataset and group must have been closed. \throws Error(io_error).
    void close();

private:
    File(Id id, std::string file, ExitCode fault);
};

/// Splits an extent into equal chunks of at most `most`, so that the last chunk is not mostly padding.
Extent even_chunk(Extent extent, Extent most);
/// How many threads make so many chunks ready to be written: as many as OpenMP gives the caller, and 8 at most. Each
/// holds a chunk meanwhile, and a second one where the chunk is not in one piece in memory.
std::size_t writing_threads(std::size_t chunks);
/// The bytes that writing `bytes` in chunks of at most `largest` takes: each thread holds a chunk with its checksums,
/// and the last one, which is seldom whole, is copied before.
std::int64_t writing_bytes(std::int64_t bytes, std::int64_t largest);
/// A chunk of about a MiB: whole rows of the fastest dimensions first.
Extents default_chunk(const Extents& extents, std::size_t element_bytes);

}  // namespace onda::hdf5
