/// \file
/// seismograms.h5: /shots/<id>/pressure [receiver][time]. Format: docs/file_formats.md.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "io/provenance.hpp"

namespace onda {

struct ShotGather {
    std::int64_t shot = 1;
    std::vector<std::array<double, 3>> sources_m, receivers_m;  ///< (x, y, z)
    double dt_s = 0.;
    std::int64_t samples = 0;
    std::vector<float> pressure;  ///< [receiver][sample]
};

/// Collects shots in a temporary file; the file appears under its name at commit().
class SeismogramWriter {
public:
    SeismogramWriter(const std::filesystem::path& file, const Provenance& provenance, bool overwrite);
    ~SeismogramWriter();
    void write(const ShotGather& gather);  ///< \throws Error(io_error)
    void commit();                         ///< checks every return code, reads back the header, fsync, rename

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// \throws Error(missing_input | bad_data).
std::vector<std::int64_t> list_shots(const std::filesystem::path& file);
ShotGather read_gather(const std::filesystem::path& file, std::int64_t shot);

/// Bytes of pressure and coordinates, for the size prediction of `onda check`.
std::int64_t predicted_seismogram_bytes(std::int64_t shots, std::int64_t receivers, std::int64_t samples);

}  // namespace onda
