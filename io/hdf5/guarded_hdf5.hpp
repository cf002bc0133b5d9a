/// \file
/// HDF5 files from elsewhere. HDF5 trusts what it reads (its global heap, where text of variable length lies, and all
/// metadata of the older formats have no checksum), so that one byte can make it crash or loop. A child process with
/// limits (sandbox.hpp) opens and reads the file; what it answers is checked here once more before anything is
/// allocated.
///
/// The names are those of hdf5.hpp, of which these classes are the part that reading foreign files takes, with the same
/// messages. Error(bad_data) where HDF5 crashed, computed without end or took too much memory. Several threads may
/// read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/hdf5.hpp"
#include "io/hdf5/sandbox.hpp"

namespace onda::guarded {

using hdf5::Extent;
using hdf5::Extents;

struct Connection;

/// A file or dataset in the child.
class Object {
public:
    /// The attribute of this name as hdf5::Object gives it; no value where it is absent.
    [[nodiscard]] std::optional<std::string> text(const std::string& name) const;
    [[nodiscard]] std::optional<std::vector<std::string>> texts(const std::string& name) const;
    [[nodiscard]] std::optional<double> number(const std::string& name) const;
    [[nodiscard]] std::optional<std::vector<double>> numbers(const std::string& name) const;
    /// Whether the attribute is there and is text of variable length, which no checksum ever covers.
    [[nodiscard]] bool has_variable_text(const std::string& name) const;

    /// The place of the object, for messages: "model.h5: /vp".
    [[nodiscard]] std::string place() const;
    /// Reports an error of the object with its place and the message. \throws Error(bad_data).
    [[noreturn]] void fail(const std::string& message) const;

protected:
    Object(std::shared_ptr<Connection> connection, std::uint64_t number, std::string name);

    std::shared_ptr<Connection> connection_;
    std::uint64_t number_;  ///< the child's, 0 is the file
    std::string name_;
};

class Dataset : public Object {
public:
    [[nodiscard]] const Extents& extents() const { return extents_; }
    [[nodiscard]] std::size_t rank() const { return extents_.size(); }
    [[nodiscard]] Extent size() const;  ///< number of elements
    [[nodiscard]] hdf5::Checksums checksums() const { return checksums_; }
    /// Where the values of a view are, which is for the caller to open; empty for other datasets.
    [[nodiscard]] const std::vector<hdf5::ViewSource>& sources() const { return sources_; }

    /// A function that takes a part of a box: where it begins within the box, its extents, its values in the order of
    /// the file.
    template <class T>
    using Part = std::function<void(const Extents& at, const Extents& extents, std::span<const T> values)>;
    /// Reads the box [first, first + count) in parts of at most 32 MiB which touch each chunk of the file in one
    /// go. Values may change under the hand that takes them: copy, then check. T is float or double. \throws Error.
    template <class T>
    void read_parts(const Extents& first, const Extents& count, const Part<T>& part) const;
    /// The values of a box in the order of the file. T is float or double. \throws Error.
    template <class T>
    [[nodiscard]] std::vector<T> read(const Extents& first, const Extents& count) const;
    /// \throws Error(internal) for a box that leaves the dataset, or has no values.
    void check_box(const Extents& first, const Extents& count) const;
    /// All values in the order of the file.
    [[nodiscard]] std::vector<double> read_all() const;

private:
    friend class File;
    Dataset(std::shared_ptr<Connection> connection, std::uint64_t number, std::string name)
        : Object(std::move(connection), number, std::move(name)) {}
    [[nodiscard]] Extents whole_chunks(const Extents& count, Extent most_values) const;
    [[nodiscard]] double touched_bytes(const Extents& first, const Extents& count) const;

    /// Whether chunks are Onda's own, whole, and enough that threads gain by unfiltering them here.
    [[nodiscard]] bool is_unfiltered_here(const Extents& first, const Extents& count, hdf5::Element element) const;
    [[nodiscard]] bool unfilter(const Extents& first, const Extents& count, std::span<std::byte> values) const;

    Extents extents_, chunk_;
    std::optional<hdf5::Element> filtered_as_;
    std::uint64_t element_bytes_ = 0;
    hdf5::Checksums checksums_;
    std::vector<hdf5::ViewSource> sources_;
};

class File : public Object {
public:
    /// Opens a file in a process of its own. \throws Error(missing_input | bad_data), Error(out_of_memory) if no
    /// process can be started.
    [[nodiscard]] static File open(const std::filesystem::path& file, const sandbox::Limits& limits = {});
    /// Opens a file in the process that has read `last`, if nothing of that is used any more: a program with much
    /// memory takes long to start one. For files of one data set, since what one does to the process may show when the
    /// next is read. \throws as open().
    [[nodiscard]] static File open_after(File last, const std::filesystem::path& file);
    [[nodiscard]] bool contains(const std::string& name) const;
    /// Names of the links of the group at a path of hard links, sorted by name.
    [[nodiscard]] std::vector<std::string> names(const std::string& group) const;
    /// The file that an external link at a path such as "shots/12" leads to; nothing for anything else.
    [[nodiscard]] std::optional<std::string> linked_file(const std::string& path) const;
    /// The dataset at a path of hard links, if hdf5::Group::open_dataset accepts it.
    [[nodiscard]] Dataset open_dataset(const std::string& name, hdf5::Storage storage = hdf5::Storage::own) const;

    /// The texts of an attribute of a group, at a path such as "shots/12/name"; no value where it is absent.
    [[nodiscard]] std::optional<std::vector<std::string>> group_texts(const std::string& path) const;
    /// The texts of the dataset at a path of hard links, if hdf5::Group::read_texts accepts it; nothing where its
    /// elements are no texts.
    [[nodiscard]] std::optional<std::vector<std::string>> dataset_texts(const std::string& path) const;

private:
    explicit File(std::shared_ptr<Connection> connection) : Object(std::move(connection), 0, "/") {}
    /// Lets the process open the file. \param other its path, where it is not the one that the process was started for.
    void read(const std::filesystem::path& file, const std::string& other);
};

}  // namespace onda::guarded
