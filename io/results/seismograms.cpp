#include "io/results/seismograms.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/results/carried_columns.hpp"
#include "io/results/result_file.hpp"
#include "io/results/stored_pressure.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"

namespace onda {
namespace {

using Position = std::array<double, 3>;

const std::string kFormat = "onda-seismograms";
constexpr hdf5::Extent kChunkBytes = 1u << 20;

/// Whole traces, about a MiB of them; a trace longer than that is cut.
hdf5::Extents gather_chunk(hdf5::Extent receivers, hdf5::Extent samples) {
    const hdf5::Extent most = kChunkBytes / sizeof(float);
    const hdf5::Extent chunk_samples = hdf5::even_chunk(samples, most);
    return {hdf5::even_chunk(receivers, std::max<hdf5::Extent>(1, most / chunk_samples)), chunk_samples};
}

/// A scale first, first + 1, …
hdf5::Dataset write_numbers(hdf5::Group& group, const std::string& name, std::size_t count, double first) {
    std::vector<double> numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = first + static_cast<double>(i);
    return write_coordinates(group, name, "1", numbers);
}

/// A scale 0, dt, 2 dt, …
hdf5::Dataset write_times(hdf5::Group& group, const std::string& name, std::size_t samples, double dt_s) {
    std::vector<double> times_s(samples);
    for (std::size_t n = 0; n < samples; ++n) times_s[n] = static_cast<double>(n) * dt_s;
    return write_coordinates(group, name, "s", times_s);
}

hdf5::Dataset write_axis(hdf5::Group& group) {
    auto axis = group.write_letters("axis", "xyz");
    axis.make_scale("axis");
    return axis;
}

/// The coordinates of a shot's datasets. Every dimension has one: netCDF and xarray take the names of dimensions from
/// them, and call those that have none phony.
struct Scales {
    Scales(hdf5::Group& group, const ShotGather& gather)
        : receiver(write_numbers(group, "receiver", gather.receivers_m.size(), 1.)),
          source(write_numbers(group, "source", gather.sources_m.size(), 1.)),
          time(write_times(group, "time_s", static_cast<std::size_t>(gather.samples), gather.dt_s)),
          axis(write_axis(group)) {}
    void close() {
        for (hdf5::Dataset* scale : {&receiver, &source, &time, &axis}) scale->close();
    }

    hdf5::Dataset receiver, source, time, axis;
};

/// A dataset of doubles with an element for each of those of a scale.
hdf5::Dataset write_along(hdf5::Group& group, const std::string& name, std::span<const double> values,
                          const hdf5::Dataset& scale) {
    auto dataset = group.create_dataset(name, hdf5::Element::float64, {{values.size()}, {}, {}});
    dataset.write_all(values);
    dataset.attach_scale(0, scale);
    return dataset;
}

void write_positions(hdf5::Group& group, const std::string& name, std::span<const Position> positions,
                     const hdf5::Dataset& scale, const hdf5::Dataset& axis) {
    auto dataset = group.create_dataset(name, hdf5::Element::float64, {{positions.size(), 3}, {}, {}});
    std::vector<double> values;
    for (const Position& position : positions) values.insert(values.end(), position.begin(), position.end());
    dataset.write_all(std::span<const double>(values));
    dataset.set_text("units", "m");
    dataset.set_texts("columns", {"x", "y", "z"});
    dataset.attach_scale(0, scale);
    dataset.attach_scale(1, axis);
    dataset.close();
}

std::vector<Position> read_positions(const hdf5::Group& group, const std::string& name) {
    const auto dataset = group.open_dataset(name);
    if (dataset.rank() != 2 || dataset.extents()[1] != 3) dataset.fail("must have the shape [n][3]");
    const auto values = dataset.read_all<double>();
    std::vector<Position> positions(values.size() / 3);
    for (std::size_t i = 0; i < values.size(); ++i) positions[i / 3][i % 3] = values[i];
    return positions;
}

const std::string kOffset = "offset_m";

/// What is known of a receiver beside its number, for readers that know the CF conventions.
std::string coordinates_of(const ShotGather& gather) {
    std::string names = kOffset;
    for (const CarriedColumn& column : gather.carried) names += " " + kCarriedPrefix + column.name;
    return names;
}

void write_traces(hdf5::Group& group, const ShotGather& gather, const GatherQuantity& quantity,
                  std::span<const float> values, const Scales& scales) {
    const auto receivers = gather.receivers_m.size();
    const auto samples = static_cast<std::size_t>(gather.samples);
    auto traces = group.create_dataset(std::string(quantity.name), hdf5::Element::float32,
                                       {{receivers, samples}, gather_chunk(receivers, samples), {}});
    traces.write_all(values);
    traces.set_text("units", std::string(quantity.unit));
    traces.set_text("long_name", std::string(quantity.long_name));
    traces.set_text("coordinates", coordinates_of(gather));
    traces.set_texts("axis_labels", {"receiver", "time"});
    traces.set_number("dt_s", gather.dt_s);
    traces.set_number("time0_s", 0.);
    traces.attach_scale(0, scales.receiver);
    traces.attach_scale(1, scales.time);
    traces.close();
}

/// `receiver_name`, `receiver_elevation`, …: numbers where the column holds them, NaN for what is missing; else texts.
void write_carried_column(hdf5::Group& group, const CarriedColumn& column, const hdf5::Dataset& receiver) {
    const std::string name = kCarriedPrefix + column.name;
    if (column.numbers) {
        std::vector<double> values;
        for (const std::string& text : column.text) values.push_back(finite_number(text).value_or(std::nan("")));
        return write_along(group, name, values, receiver).close();
    }
    auto texts = group.write_texts(name, column.text);
    const auto characters = texts.extents()[1];
    // Not a name that a column may have: those begin with the prefix.
    auto character = group.create_dataset("characters_of_" + column.name, hdf5::Element::uint8, {{characters}, {}, {}});
    character.write_all(std::span<const std::uint8_t>(std::vector<std::uint8_t>(characters)));
    character.make_plain_dimension();
    texts.attach_scale(0, receiver);
    texts.attach_scale(1, character);
    texts.close();
    character.close();
}

/// The group's attribute `receiver_columns` lists them in the order of the tables.
void write_carried(hdf5::Group& group, const std::vector<CarriedColumn>& columns, const hdf5::Dataset& receiver) {
    if (columns.empty()) return;
    std::vector<std::string> names;
    for (const CarriedColumn& column : columns) {
        write_carried_column(group, column, receiver);
        names.push_back(column.name);
    }
    group.set_texts(kCarriedNames, names);
}

std::vector<CarriedColumn> read_carried(const hdf5::Group& group, std::size_t receivers) {
    const auto texts = [&group](const std::string& dataset) {
        return group.holds_texts(dataset) ? std::optional(group.read_texts(dataset)) : std::nullopt;
    };
    const auto numbers = [&group](const std::string& dataset) {
        return group.open_dataset(dataset).read_all<double>();
    };
    return read_carried(CarriedSource{group.texts(kCarriedNames).value_or(std::vector<std::string>{}), texts, numbers,
                                      [&group](const std::string& message) { group.fail(message); }},
                        receivers);
}

const std::string kWavelet = "wavelet", kSourceWavelet = "source_wavelet", kSourceAmplitude = "source_amplitude";

void write_wavelets(hdf5::Group& group, const ShotGather& gather, const Scales& scales) {
    const SourceWavelets& wavelets = gather.wavelets;
    if (gather.source_wavelet.empty()) return;
    const hdf5::Extent count = wavelets.type.size(), samples = wavelets.signal.size() / count;
    auto number = write_numbers(group, "wavelet_number", count, 0.);
    auto time = write_times(group, "wavelet_time_s", samples, wavelets.dt_s);
    auto signal = group.create_dataset(kWavelet, hdf5::Element::float64, {{count, samples}, {}, {}});
    signal.write_all(std::span<const double>(wavelets.signal));
    signal.set_texts("axis_labels", {"wavelet", "time"});
    signal.set_texts("type", wavelets.type);
    signal.set_number("dt_s", wavelets.dt_s);
    signal.set_number("time0_s", 0.);
    signal.set_numbers("t0_s", wavelets.t0_s);
    signal.set_numbers("peak_frequency_hz", wavelets.peak_frequency_hz);
    signal.attach_scale(0, number);
    signal.attach_scale(1, time);
    for (hdf5::Dataset* dataset : {&signal, &number, &time}) dataset->close();
    auto which = group.create_dataset(kSourceWavelet, hdf5::Element::int64, {{gather.source_wavelet.size()}, {}, {}});
    which.write_all(std::span<const std::int64_t>(gather.source_wavelet));
    which.attach_scale(0, scales.source);
    which.close();
    auto amplitude = write_along(group, kSourceAmplitude, gather.source_amplitude, scales.source);
    amplitude.set_text("units", wavelets.amplitude_unit);
    amplitude.close();
}

/// Reads the source wavelets, from files that have them.
void read_wavelets(const hdf5::Group& group, ShotGather& gather) {
    if (!group.contains(kWavelet)) return;
    SourceWavelets& wavelets = gather.wavelets;
    const auto signal = group.open_dataset(kWavelet);
    wavelets.type = signal.texts("type").value_or(std::vector<std::string>{});
    wavelets.t0_s = signal.numbers("t0_s").value_or(std::vector<double>{});
    wavelets.peak_frequency_hz = signal.numbers("peak_frequency_hz").value_or(std::vector<double>{});
    wavelets.dt_s = signal.number("dt_s").value_or(0.);
    const std::size_t count = wavelets.type.size();
    if (signal.rank() != 2 || signal.extents()[0] != count || wavelets.t0_s.size() != count ||
        wavelets.peak_frequency_hz.size() != count || !(wavelets.dt_s > 0.))
        signal.fail(
            "must have the shape [wavelet][time], the attribute dt_s, and type, t0_s and peak_frequency_hz of "
            "each wavelet");
    wavelets.signal = signal.read_all<double>();
    gather.source_wavelet = group.open_dataset(kSourceWavelet).read_all<std::int64_t>();
    const auto amplitude = group.open_dataset(kSourceAmplitude);
    wavelets.amplitude_unit = amplitude.text("units").value_or(wavelets.amplitude_unit);
    gather.source_amplitude = amplitude.read_all<double>();
    const auto is_wavelet = [count](std::int64_t i) { return i >= 0 && i < static_cast<std::int64_t>(count); };
    if (gather.source_wavelet.size() != gather.sources_m.size() ||
        gather.source_amplitude.size() != gather.sources_m.size() ||
        !std::ranges::all_of(gather.source_wavelet, is_wavelet))
        group.fail(kSourceWavelet + " and " + kSourceAmplitude + " must have a value for each of the " +
                   std::to_string(gather.sources_m.size()) + " sources");
}

void write_offsets(hdf5::Group& group, const ShotGather& gather, const hdf5::Dataset& receiver) {
    auto dataset = write_along(group, kOffset, offsets_m(gather), receiver);
    dataset.set_text("units", "m");
    dataset.close();
}

const std::string kPartShape = "part_shape_xyz", kPartOrigin = "part_origin_m_xyz", kPartSpacing = "part_spacing_m_xyz";

void write_part(hdf5::Group& group, const FileGeometry& part) {
    const std::vector<double> shape(part.shape.begin(), part.shape.end());
    group.set_numbers(kPartShape, shape);
    group.set_numbers(kPartOrigin, part.origin_m);
    group.set_numbers(kPartSpacing, part.spacing_m);
}

std::optional<FileGeometry> read_part(const hdf5::Group& group) {
    const auto shape = group.numbers(kPartShape);
    if (!shape) return std::nullopt;
    const auto triple = [&group](const std::string& name, const std::optional<std::vector<double>>& values) {
        if (!values || values->size() != 3) group.fail("attribute " + name + " must be three numbers");
        return std::array{(*values)[0], (*values)[1], (*values)[2]};
    };
    FileGeometry part;
    part.origin_m = triple(kPartOrigin, group.numbers(kPartOrigin));
    part.spacing_m = triple(kPartSpacing, group.numbers(kPartSpacing));
    for (std::size_t a = 0; const double nodes : triple(kPartShape, shape)) {
        if (!(nodes >= 1. && nodes <= 1e15)) group.fail("attribute " + kPartShape + " must be whole numbers from 1");
        part.shape[a++] = static_cast<std::int64_t>(nodes);
    }
    part.dimensions = part.shape[1] == 1 ? 2 : 3;
    return part;
}

void check_gather(const ShotGather& gather) {
    const bool fits = gather.samples > 0 &&
                      gather.pressure.size() == gather.receivers_m.size() * static_cast<std::size_t>(gather.samples) &&
                      std::ranges::all_of(gather.motion,
                                          [&](const GatherComponent& component) {
                                              return component.values.size() == gather.pressure.size();
                                          }) &&
                      std::ranges::all_of(gather.carried, [&](const CarriedColumn& column) {
                          return column.text.size() == gather.receivers_m.size();
                      });
    const std::size_t sources = gather.source_wavelet.empty() ? 0 : gather.sources_m.size();
    if (gather.source_wavelet.size() != sources || gather.source_amplitude.size() != sources ||
        (sources > 0 && gather.wavelets.type.empty()))
        throw Error(ExitCode::internal, "wavelets of shot " + std::to_string(gather.shot) +
                                            " do not fit together with its " + std::to_string(gather.sources_m.size()) +
                                            " sources");
    if (!fits || gather.sources_m.empty() || !(gather.dt_s > 0.) || gather.receivers_m.empty())
        throw Error(ExitCode::internal, "gather of shot " + std::to_string(gather.shot) + ": " +
                                            std::to_string(gather.receivers_m.size()) + " receivers, " +
                                            std::to_string(gather.samples) + " samples, " +
                                            std::to_string(gather.pressure.size()) + " values, dt " +
                                            std::to_string(gather.dt_s) + " s do not fit together");
}

/// Everything of a gather but its samples.
struct OpenedGather {
    hdf5::Dataset pressure;
    ShotGather header;
};

OpenedGather open_gather(const hdf5::File& file, std::int64_t shot) {
    const auto group = file.open_group("shots/" + std::to_string(shot));
    OpenedGather opened{group.open_dataset("pressure"), {}};
    ShotGather& header = opened.header;
    header.shot = shot;
    header.sources_m = read_positions(group, "sources");
    header.receivers_m = read_positions(group, "receivers");
    header.carried = read_carried(group, header.receivers_m.size());
    header.part = read_part(group);
    read_wavelets(group, header);
    const auto& extents = opened.pressure.extents();
    if (extents.size() != 2 || extents[0] != header.receivers_m.size())
        opened.pressure.fail("must have the shape [receiver][time] with one row for each of the " +
                             std::to_string(header.receivers_m.size()) + " receivers");
    header.samples = static_cast<std::int64_t>(extents[1]);
    header.dt_s = opened.pressure.number("dt_s").value_or(0.);
    if (!(header.dt_s > 0.) || !std::isfinite(header.dt_s))
        opened.pressure.fail("attribute dt_s must be a positive number of seconds");
    return opened;
}

/// The datasets of particle motion that a shot has, as long as its pressure.
std::vector<std::pair<const GatherQuantity*, hdf5::Dataset>> open_motion(const hdf5::File& file,
                                                                         const OpenedGather& opened) {
    const auto group = file.open_group("shots/" + std::to_string(opened.header.shot));
    std::vector<std::pair<const GatherQuantity*, hdf5::Dataset>> motion;
    for (const GatherQuantity& quantity : particle_motions()) {
        if (!group.contains(std::string(quantity.name))) continue;
        const auto& [row, dataset] = motion.emplace_back(&quantity, group.open_dataset(std::string(quantity.name)));
        if (dataset.extents() != opened.pressure.extents()) dataset.fail("must have the shape of pressure");
    }
    return motion;
}

/// Reads the header and the last traces: what a truncated or failed write would have lost.
void read_back(const hdf5::File& file, std::int64_t shot) {
    const auto opened = open_gather(file, shot);
    const auto samples = static_cast<hdf5::Extent>(opened.header.samples);
    std::vector<float> trace(samples);
    const auto read_last = [&](const hdf5::Dataset& traces) {
        traces.read({opened.header.receivers_m.size() - 1, 0}, {1, samples}, std::span<float>(trace));
    };
    read_last(opened.pressure);
    for (const auto& [quantity, dataset] : open_motion(file, opened)) read_last(dataset);
}

}  // namespace

std::span<const GatherQuantity> particle_motions() {
    static constexpr GatherQuantity kMotions[] = {
        {"velocity_x", "particle velocity along x", "m/s", "along x, in m/s", 0, true},
        {"velocity_y", "particle velocity along y", "m/s", "along y", 1, true},
        {"velocity_z", "particle velocity along z", "m/s", "along z, positive down", 2, true},
        {"acceleration_x", "particle acceleration along x", "m/s2", "along x, in m/s2", 0, false},
        {"acceleration_y", "particle acceleration along y", "m/s2", "along y", 1, false},
        {"acceleration_z", "particle acceleration along z", "m/s2", "along z, positive down", 2, false},
    };
    return kMotions;
}

const GatherQuantity& gather_quantity(std::string_view name) {
    if (name == kPressure.name) return kPressure;
    for (const GatherQuantity& quantity : particle_motions())
        if (quantity.name == name) return quantity;
    std::string names(kPressure.name);
    for (const GatherQuantity& quantity : particle_motions()) names += ", " + std::string(quantity.name);
    throw Error(ExitCode::usage, "receivers record no " + printable(name) + ", but " + names);
}

std::vector<double> offsets_m(const ShotGather& gather) {
    const Position& source = gather.sources_m.front();
    const bool inline_ = std::ranges::all_of(gather.receivers_m,
                                             [&source](const Position& receiver) { return receiver[1] == source[1]; });
    std::vector<double> offsets;
    offsets.reserve(gather.receivers_m.size());
    for (const Position& receiver : gather.receivers_m) {
        const double along = receiver[0] - source[0];
        offsets.push_back(inline_ ? along : std::hypot(along, receiver[1] - source[1]));
    }
    return offsets;
}

std::string place_of_sample(const ShotGather& gather, std::size_t index, std::int64_t samples, double dt_s) {
    const auto receiver = index / static_cast<std::size_t>(samples), sample = index % static_cast<std::size_t>(samples);
    return "shot " + std::to_string(gather.shot) + ", receiver " + std::to_string(receiver + 1) + " of " +
           std::to_string(gather.receivers_m.size()) + " at " + position_text(gather.receivers_m[receiver]) +
           ", t = " + shortest(static_cast<double>(sample) * dt_s) + " s";
}

struct SeismogramWriter::Impl {
    ResultFile file;
    std::vector<std::int64_t> shots;
};

SeismogramWriter::SeismogramWriter(const std::filesystem::path& file, const Provenance& provenance, bool overwrite) {
    const hdf5::Turn turn;
    impl_.reset(new Impl{{file, kFormat, provenance, overwrite}, {}});
}

SeismogramWriter::~SeismogramWriter() {
    const hdf5::Turn turn;
    impl_.reset();
}

void SeismogramWriter::link(std::int64_t shot, const std::string& file) {
    const hdf5::Turn turn;
    impl_->file.link_shot(shot, file);
}

void SeismogramWriter::write(const ShotGather& gather) {
    check_gather(gather);
    const auto place = [&](std::size_t index) { return place_of_sample(gather, index, gather.samples, gather.dt_s); };
    require_storable(std::span<const float>(gather.pressure), place);
    for (const GatherComponent& component : gather.motion)
        require_storable(std::span<const float>(component.values), place,
                         {component.quantity->long_name, component.quantity->unit});
    const hdf5::Turn turn;
    auto group = impl_->file.create_shot(gather.shot);
    Scales scales(group, gather);
    write_positions(group, "sources", gather.sources_m, scales.source, scales.axis);
    write_positions(group, "receivers", gather.receivers_m, scales.receiver, scales.axis);
    write_offsets(group, gather, scales.receiver);
    write_carried(group, gather.carried, scales.receiver);
    write_wavelets(group, gather, scales);
    if (gather.part) write_part(group, *gather.part);
    write_traces(group, gather, kPressure, gather.pressure, scales);
    for (const GatherComponent& component : gather.motion)
        write_traces(group, gather, *component.quantity, component.values, scales);
    scales.close();
    group.close();
    impl_->shots.push_back(gather.shot);
}

AtomicFile SeismogramWriter::finish() {
    const auto close = [this] {
        const hdf5::Turn turn;
        return impl_->file.close([this](const hdf5::File& file) {
            for (const std::int64_t shot : impl_->shots) read_back(file, shot);
        });
    };
    AtomicFile written = close();
    written.finish();
    return written;
}

std::vector<std::int64_t> list_shots(const std::filesystem::path& file) {
    return shots_of(open_result(file, kFormat));
}

ShotGather read_gather(const std::filesystem::path& file, std::int64_t shot) {
    const hdf5::Turn turn;
    const auto root = open_file_of_shot(file, kFormat, shot);
    auto opened = open_gather(root, shot);
    opened.header.pressure = opened.pressure.read_all<float>();
    for (const auto& [quantity, dataset] : open_motion(root, opened))
        opened.header.motion.push_back({quantity, dataset.read_all<float>()});
    return std::move(opened.header);
}

std::int64_t predicted_seismogram_bytes(std::span<const std::int64_t> receivers, std::int64_t samples,
                                        std::int64_t provenance_bytes, std::span<const std::int64_t> carried,
                                        std::int64_t wavelet_samples, std::int64_t components) {
    constexpr std::int64_t component_overhead = 900, shot_overhead = 4070, any_carried_overhead = 1100,
                           carried_overhead = 650, wavelet_overhead = 3290;
    const auto wavelet = static_cast<hdf5::Extent>(wavelet_samples);
    const auto nt = static_cast<hdf5::Extent>(samples);
    const auto of_elements = [](const hdf5::Extents& extents, std::size_t element_bytes) {
        return dataset_bytes(extents, hdf5::default_chunk(extents, element_bytes), element_bytes);
    };
    const auto plain = [&](const hdf5::Extents& extents) { return of_elements(extents, sizeof(double)); };
    // Blocks that HDF5 gives to small datasets stay in part empty.
    std::int64_t bytes = result_file_bytes(provenance_bytes) + 400;
    for (const std::int64_t count : receivers) {
        const auto nr = static_cast<hdf5::Extent>(count);
        bytes = saturating_sum(bytes, dataset_bytes({nr, nt}, gather_chunk(nr, nt), sizeof(float)), plain({nr, 3}),
                               plain({1, 3}), plain({nr}), plain({nr}), plain({nt}), shot_overhead);
        bytes = saturating_sum(
            bytes, saturating_product(
                       components, component_overhead + dataset_bytes({nr, nt}, gather_chunk(nr, nt), sizeof(float))));
        if (wavelet_samples > 0)
            bytes = saturating_sum(bytes, plain({1, wavelet}), plain({wavelet}), plain({1}), plain({1}), plain({1}),
                                   wavelet_overhead);
        if (!carried.empty()) bytes = saturating_sum(bytes, any_carried_overhead);
        for (const std::int64_t each : carried)
            bytes = saturating_sum(bytes, of_elements({nr}, static_cast<std::size_t>(each)), carried_overhead);
    }
    return bytes;
}

std::int64_t memory_to_write_traces(std::int64_t bytes) {
    return hdf5::writing_bytes(bytes, kChunkBytes);
}

}  // namespace onda
