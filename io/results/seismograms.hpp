/// \file
/// seismograms.h5: /shots/<id>/pressure [receiver][time], and particle motion beside it. Format: docs/outputs.md.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/models/geometry.hpp"
#include "io/models/points_file.hpp"
#include "io/results/provenance.hpp"

namespace onda {

/// A row: what the traces of a gather are.
struct GatherQuantity {
    std::string_view name;       ///< "velocity_z": of datasets and in configurations
    std::string_view long_name;  ///< "particle velocity along z"
    std::string_view unit;       ///< "m/s"
    std::string_view help = {};
    int axis = 0;              ///< of particle motion: 0, 1, 2 along x, y, z
    bool is_velocity = false;  ///< the time integral of acceleration along the axis
};
inline constexpr GatherQuantity kPressure{"pressure", "pressure", "Pa"};
/// What may be recorded beside pressure. z is positive down, as everywhere.
std::span<const GatherQuantity> particle_motions();
/// The quantity of this name, pressure or one of particle_motions(). \throws Error(usage) that lists them.
const GatherQuantity& gather_quantity(std::string_view name);

/// Traces beside those of pressure.
struct GatherComponent {
    const GatherQuantity* quantity = nullptr;  ///< of particle_motions()
    std::vector<float> values{};               ///< [receiver][sample]
};

/// The signals of a shot's sources, before their amplitudes; sample n is at n * dt_s.
struct SourceWavelets {
    double dt_s = 0.;
    std::vector<std::string> type;          ///< "ricker", …; of each wavelet, as all lists here
    std::vector<double> t0_s;               ///< centre of the closed forms; largest sample of a file
    std::vector<double> peak_frequency_hz;  ///< 0 for the Gaussian
    std::vector<double> signal;             ///< [wavelet][sample], zero where one is over before the others
    std::string amplitude_unit = "Pa m";    ///< of sources; "Pa" of the line sources of 2-D runs
    bool operator==(const SourceWavelets&) const = default;
};

/// What one shot recorded; sample n is at n * dt_s.
struct ShotGather {
    std::int64_t shot = 1;
    std::vector<std::array<double, 3>> sources_m, receivers_m;  ///< (x, y, z)
    double dt_s = 0.;
    std::int64_t samples = 0;
    std::vector<float> pressure;           ///< [Pa], [receiver][sample]; or another `quantity`, where one is asked for
    std::vector<CarriedColumn> carried{};  ///< of the receivers' tables; one text a receiver
    std::optional<FileGeometry> part{};    ///< of the grid that the shot was computed on, if it was not the whole
    SourceWavelets wavelets{};
    std::vector<std::int64_t> source_wavelet{};   ///< of each source, from 0; empty where no wavelets are known
    std::vector<double> source_amplitude{};       ///< factor on its wavelet
    std::vector<GatherComponent> motion{};        ///< what is there of particle_motions(), in their order
    const GatherQuantity* quantity = &kPressure;  ///< what `pressure` holds
};

/// The distance of each receiver from the first source [m]: along x, with its sign, where all receivers have the y of
/// the source, as in 2-D; else the horizontal distance.
std::vector<double> offsets_m(const ShotGather& gather);

/// "shot 1, receiver 3 of 7 at (203, 0, 20) m, t = 0.002 s": of value `index` of traces [receiver][sample].
std::string place_of_sample(const ShotGather& gather, std::size_t index, std::int64_t samples, double dt_s);

/// Collects shots in a temporary file; the file appears under its name at commit() and not before. Each of its calls is
/// a turn of HDF5.
class SeismogramWriter {
public:
    /// \throws Error(cannot_create | io_error).
    SeismogramWriter(const std::filesystem::path& file, const Provenance& provenance, bool overwrite);
    ~SeismogramWriter();
    /// \throws Error(io_error); Error(unstable) for a sample that is not finite; Error(internal) for a shot written
    /// twice or sizes that do not fit together.
    void write(const ShotGather& gather);
    /// Makes a shot stand for that of another file of this format, named from the folder of this one.
    void link(std::int64_t shot, const std::string& file);
    /// Checks every return code, reads the headers and the last traces back, syncs: the file is ready for its name.
    /// \throws Error(io_error).
    AtomicFile finish();
    void commit() { finish().commit(); }

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Shot numbers, ascending. \throws Error(missing_input | bad_data).
std::vector<std::int64_t> list_shots(const std::filesystem::path& file);
/// \throws Error(missing_input | bad_data) naming file and dataset.
ShotGather read_gather(const std::filesystem::path& file, std::int64_t shot);

/// Size of seismograms.h5 for `onda check`, with one source a shot.
/// \param receivers of each shot. \param provenance_bytes as Provenance::bytes gives them. \param carried bytes that a
/// receiver takes in each carried column. \param wavelet_samples of the source's wavelet; 0: it is not written.
/// \param components of particle motion, beside pressure.
std::int64_t predicted_seismogram_bytes(std::span<const std::int64_t> receivers, std::int64_t samples,
                                        std::int64_t provenance_bytes, std::span<const std::int64_t> carried = {},
                                        std::int64_t wavelet_samples = 0, std::int64_t components = 0);
/// The memory that writing so many bytes of traces takes.
std::int64_t memory_to_write_traces(std::int64_t bytes);

}  // namespace onda
