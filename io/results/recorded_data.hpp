/// \file
/// The traces of several files as one list, whichever program wrote them: SEG-Y, SU, arrays of NumPy's or
/// seismograms.h5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/results/trace_reader.hpp"

namespace onda {

/// Whether a file's name is that of an array of NumPy's, .npy in any case, whose traces a table beside it tells
/// (table_beside()).
bool is_trace_array(const std::filesystem::path& file);
/// That table. \throws Error(missing_input) where it is not there.
std::filesystem::path table_of_array(const std::filesystem::path& file);
/// Whether a file's name is that of traces that are found by their places: .sgy, .segy, .su or .npy in any case.
bool is_trace_file(const std::filesystem::path& file);

/// Files of one sample interval, opened for reading. Traces count from 0 through all files in their order; of a
/// seismograms.h5, shot by shot, those of each in the order of its receivers.
class RecordedData {
public:
    struct File {
        std::filesystem::path path;
        std::string format;  ///< "SEG-Y, format 5 (IEEE floats)", "NumPy array, float32"
        std::size_t first = 0, count = 0;
        std::int64_t samples = 0;  ///< of each trace
    };

    /// Reads all headers. \param files one at least. \param bytes where those of SEG-Y and SU have their fields.
    /// \throws Error(missing_input | bad_data), naming file, trace and bytes; where files differ in their sample
    /// interval, or shots of one in their length.
    explicit RecordedData(const std::vector<std::filesystem::path>& files, const TraceBytes& bytes = {});
    ~RecordedData();
    RecordedData(RecordedData&&) noexcept;

    [[nodiscard]] const std::vector<RecordedTrace>& traces() const { return traces_; }
    [[nodiscard]] const std::vector<File>& files() const { return files_; }
    [[nodiscard]] const File& file_of(std::size_t trace) const;
    [[nodiscard]] double dt_s() const { return dt_s_; }
    /// The samples of the shortest and the longest traces.
    [[nodiscard]] std::int64_t least_samples() const;
    [[nodiscard]] std::int64_t most_samples() const;
    /// The unit of the coarsest coordinates; 0 where they are floating-point numbers.
    [[nodiscard]] double resolution_m() const { return resolution_m_; }
    /// "trace 12", "shot 3, receiver 7"; of several files with "of line_2.sgy".
    [[nodiscard]] std::string name(std::size_t trace) const;
    /// What messages name of all the data: "line.sgy", "line_1.sgy and 2 more".
    [[nodiscard]] std::string name() const;

    /// The samples of traces of one file, [trace][sample of the file]. May be called by several threads.
    /// \throws Error(bad_data | io_error).
    [[nodiscard]] std::vector<float> read(std::size_t first, std::size_t count) const;

    /// A file as its format has it.
    class Source;

private:
    std::vector<File> files_;
    std::vector<std::unique_ptr<Source>> sources_;  ///< [file]
    std::vector<RecordedTrace> traces_;
    double dt_s_ = 0., resolution_m_ = 0.;
};

}  // namespace onda
