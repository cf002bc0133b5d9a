/// \file
/// Where trace headers have what is read of them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace onda {

/// The first byte of each field, from 1 as tables of SEG-Y count; 0: the header does not have it, it is taken for 0.
/// Scalers and the delay have 2 bytes, all others 4. By default those of SEG-Y and SU.
struct TraceBytes {
    std::int64_t record = 9;
    std::int64_t source_x = 73, source_y = 77, receiver_x = 81, receiver_y = 85;
    std::int64_t source_depth = 49, source_elevation = 45, receiver_elevation = 41;
    std::int64_t coordinate_scaler = 71, elevation_scaler = 69, delay_ms = 109;
    bool operator==(const TraceBytes&) const = default;
};

/// A field as messages and options name it.
struct TraceField {
    std::string_view name, su_name;
    std::int64_t TraceBytes::*byte;
    std::int64_t width;
};
inline constexpr std::array<TraceField, 11> kTraceFields{{
    {"record", "fldr", &TraceBytes::record, 4},
    {"source_x", "sx", &TraceBytes::source_x, 4},
    {"source_y", "sy", &TraceBytes::source_y, 4},
    {"receiver_x", "gx", &TraceBytes::receiver_x, 4},
    {"receiver_y", "gy", &TraceBytes::receiver_y, 4},
    {"source_depth", "sdepth", &TraceBytes::source_depth, 4},
    {"source_elevation", "selev", &TraceBytes::source_elevation, 4},
    {"receiver_elevation", "gelev", &TraceBytes::receiver_elevation, 4},
    {"coordinate_scaler", "scalco", &TraceBytes::coordinate_scaler, 2},
    {"elevation_scaler", "scalel", &TraceBytes::elevation_scaler, 2},
    {"delay_ms", "delrt", &TraceBytes::delay_ms, 2},
}};
inline constexpr std::int64_t kTraceHeaderBytes = 240;

}  // namespace onda
