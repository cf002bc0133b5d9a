/// \file
/// The requests for a guarded file and the process that answers them: shared by the guarded_hdf5*.cpp files only.
#pragma once

#include <filesystem>

#include "io/hdf5/sandbox.hpp"

namespace onda::guarded::detail {

/// A request: kind, number of the object (0 is the file), then what the line says.
enum class Request : std::uint8_t {
    open_file,      ///< path, empty for that of serve_file() -> nothing; objects of an earlier file are gone
    contains,       ///< name -> bool
    names,          ///< path of a group -> names
    linked_file,    ///< path -> count (0 or 1), file
    group_texts,    ///< path of an attribute of a group -> bool, texts
    open_dataset,   ///< name -> number, element bytes, Dataset::filtered_as() + 1 (0: none), checksums, extents, chunk,
                    ///< count of sources (0), sources
    open_view,      ///< as open_dataset, of a dataset that may be a view
    text,           ///< name -> count (0 or 1), text
    texts,          ///< name -> bool, texts
    number,         ///< name -> count (0 or 1), number
    numbers,        ///< name -> bool, numbers
    variable_text,  ///< name -> bool
    text_values,  ///< path of a dataset, first, count -> count (0 or 1: it holds texts), all of its texts, those asked
                  ///< for
    values,       ///< hdf5::Element, first, count -> the values
    chunks,       ///< first, count -> hdf5::StoredChunk of each chunk from there on; 0 bytes where it is not known
};

/// The work of the child: opens the file, or others after it, and answers.
sandbox::Serve serve_file(const std::filesystem::path& file);

}  // namespace onda::guarded::detail
