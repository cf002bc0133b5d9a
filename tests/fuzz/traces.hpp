/// \file
/// Traces of other programs, as observed data.
#pragma once

#include <algorithm>

#include "io/results/recorded_data.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace onda::fuzz {

/// Reads the headers of all traces, and the samples of the first and the last.
inline void read_traces(const std::filesystem::path& file, const TraceBytes& bytes = {}) {
    answers([&] {
        const RecordedData data({file}, bytes);
        const std::size_t traces = data.traces().size();
        if (traces == 0) return;
        for (const std::size_t trace : {std::size_t{0}, traces - 1}) {
            static_cast<void>(data.name(trace));
            if (data.read(trace, 1).size() != static_cast<std::size_t>(data.file_of(trace).samples))
                report_finding("a trace has other samples than its file");
        }
    });
}

}  // namespace onda::fuzz
