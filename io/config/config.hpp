/// \file
/// The configuration of a run: plain values, read strictly from YAML.
///
/// One table of parameters (config_table.cpp) drives the reader, the JSON Schema, the commented template and
/// docs/config.md. A new parameter is one member here and one row there.
///
/// Every triple is (x, y, z) in 3-D and every pair (x, z) in 2-D, in metres, z positive down. Paths of input files are
/// absolute after reading; only output.directory stays as written, relative to the current folder.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/config/config_origin.hpp"
#include "io/config/vocabulary.hpp"
#include "io/results/trace_bytes.hpp"
#include "io/text/number_selection.hpp"

namespace onda {

/// A name, or integers in its place: `auto` or `3`, `equal` or `[20, 30]`.
struct NameOrIntegers {
    std::string name;  ///< where there are no integers
    std::vector<std::int64_t> integers{};
    bool operator==(const NameOrIntegers&) const = default;
};

/// Where the model is a file or arrays, what is empty here is what they tell.
struct GridConfig {
    std::vector<std::int64_t> shape;  ///< nodes: [nx, nz] or [nx, ny, nz]
    std::vector<double> spacing_m;    ///< one number for all axes, or one per axis
    std::vector<double> origin_m;     ///< position of the first node; empty: zeros

    [[nodiscard]] int dimensions() const { return static_cast<int>(shape.size()); }
    bool operator==(const GridConfig&) const = default;
};

struct LayerConfig {
    double top_m = 0.;  ///< depth of the layer's top below the grid's origin position (x, y) corner
    double vp_m_s = 0.;
    std::optional<double> rho_kg_m3{}, q{}, epsilon{}, delta{};
    bool operator==(const LayerConfig&) const = default;
};

struct InclusionConfig {
    std::string shape = "sphere";  ///< sphere (circle in 2-D) | box
    std::vector<double> center_m;
    double radius_m = 0.;        ///< sphere
    std::vector<double> size_m;  ///< box: full edge lengths
    double vp_m_s = 0.;
    std::optional<double> rho_kg_m3{}, q{}, epsilon{}, delta{};
    bool operator==(const InclusionConfig&) const = default;
};

/// The parameters of a model at every node, as a program hands them over.
struct ModelArrays {
    struct Ends {
        double first_m = 0., last_m = 0.;  ///< coordinates of the first and the last node
    };
    std::array<std::int64_t, 3> shape{};               ///< nodes: nx, ny (1 in 2-D), nz
    std::map<std::string, std::vector<float>> values;  ///< by name of the parameter, [z][y][x], x fastest
    std::array<std::optional<Ends>, 3> ends{};         ///< along x, y and z, where the program knows them
};

/// By which an absorption in dB/(MHz^b cm) becomes a quality factor.
struct PowerLaw {
    double frequency_hz = 0.;  ///< at which it does
    double power = 1.;         ///< b
    bool operator==(const PowerLaw&) const = default;
};

struct ModelConfig {
    std::string type = "constant";  ///< a row of model_builders()
    // file
    std::filesystem::path file;
    bool resample = false;  ///< crop and resample to the grid when they differ
    bool extrude = false;   ///< use a 2-D (x, z) file for a 3-D grid, constant along y
    // constant, gradient (at z = origin), inclusions (background), von_karman (mean)
    double vp_m_s = 0.;
    // layered
    std::vector<LayerConfig> layers;
    double dip_deg = 0.;          ///< interfaces deepen along dip_azimuth
    double dip_azimuth_deg = 0.;  ///< 0 along +x, 90 along +y
    // gradient
    double gradient_per_s = 0.;  ///< dvp/dz
    // inclusions
    std::vector<InclusionConfig> inclusions;
    // von_karman
    double correlation_length_m = 0.;
    double hurst_exponent = 0.5;
    double deviation_percent = 5.;  ///< standard deviation of vp
    // von_karman, and the earths that are drawn at random
    std::int64_t seed = 1;
    // what has interfaces, and files
    std::string interfaces = "averaged";        ///< averaged | sampled
    double smooth_m = 0.;                       ///< standard deviation of a Gaussian, of slowness and density
    double smooth_wavelengths = 0.;             ///< length of a Helmholtz smoothing of them, in wavelengths
    std::optional<double> smooth_frequency_hz;  ///< whose wavelengths these are
    // density
    std::string rho = "auto";         ///< auto | none | gardner
    std::optional<double> rho_kg_m3;  ///< where no layer or body says otherwise
    // attenuation
    std::string q_rule = "auto";  ///< auto | none | li
    std::optional<double> q;      ///< where no layer or body says otherwise
    // anisotropy
    std::string anisotropy = "auto";           ///< auto | none | shales
    std::optional<double> epsilon, delta;      ///< where no layer or body says otherwise
    bool clip_delta = false;                   ///< lower delta to epsilon where it is more
    std::optional<double> theta_deg, phi_deg;  ///< of the axis; one that is absent is 0
    std::int64_t elliptical_radius = 12;       ///< nodes around sources in which delta rises to epsilon
    std::string storage = "float";             ///< float | 16bit | table | auto
    // array
    std::shared_ptr<const ModelArrays> arrays;  ///< no parameter: set by the program
    // file with an absorption
    std::optional<PowerLaw> power_law;  ///< no parameter: of section attenuation and the wavelets
    bool operator==(const ModelConfig&) const = default;
};

/// How a medium that has Q absorbs.
struct AttenuationConfig {
    std::string method = "relaxation";             ///< relaxation | drag
    std::optional<double> reference_frequency_hz;  ///< of vp, and of q; absent: the lowest peak of the wavelets
    std::vector<double> band_hz;                   ///< two frequencies; empty: 0.4 of that peak and 2.5 of the highest
    std::int64_t mechanisms = 4;
    double frequency_power = 1.;  ///< with which attenuation grows; 1: Q is the same at all frequencies
    bool operator==(const AttenuationConfig&) const = default;
};

struct TimeConfig {
    double duration_s = 0.;
    std::optional<double> dt_s;  ///< absent: cfl_fraction of the stability limit
    double cfl_fraction = 0.9;
    std::int64_t order = 2;             ///< 2 | 4
    std::string stepping = "single";    ///< single | leap | auto
    bool dispersion_correction = true;  ///< of wavelets and seismograms; snapshots keep the dispersion
    bool operator==(const TimeConfig&) const = default;
};

struct SchemeConfig {
    std::string stencil = "star";           ///< of an equation
    std::int64_t space_order = 8;           ///< 2 of compact27
    std::string coefficients = "taylor";    ///< taylor | optimised
    std::string precision = "float";        ///< float | double
    double min_points_per_wavelength = 3.;  ///< refuse below this; warn below what the order needs
    bool operator==(const SchemeConfig&) const = default;
};

/// The six faces. Kinds: zero | free_surface | rigid | sponge | cpml. Aliases: top, bottom (z), left, right (x), front,
/// back (y).
struct BoundaryConfig {
    std::string x_min = "cpml", x_max = "cpml";
    std::string y_min = "cpml", y_max = "cpml";
    std::string z_min = "cpml", z_max = "cpml";
    std::string placement = "outside";  ///< of layers and sponges: outside | inside the grid
    std::int64_t cpml_width = 20;       ///< nodes
    /// Amplitude that theory leaves of a wave that goes in and out at normal incidence (docs/validation.md, R6).
    double cpml_reflection = 1e-6;
    std::optional<double> cpml_frequency_hz;  ///< absent: the lowest peak frequency of the wavelets
    std::int64_t sponge_width = 40;           ///< nodes
    /// Amplitude left after the way in and out at normal incidence. Smaller is not better: a strong sponge reflects at
    /// its own inner edge. 1e-2 reflects least at 40 nodes (docs/validation.md, R6).
    double sponge_reflection = 1e-2;
    bool operator==(const BoundaryConfig&) const = default;
};

struct WaveletConfig {
    /// ricker | gaussian | gaussian_first_derivative | gaussian_second_derivative | ormsby | file | samples
    std::string type = "ricker";
    double peak_frequency_hz = 0.;  ///< ricker and the gaussians
    std::optional<double> t0_s;     ///< absent: 1.5 / peak_frequency_hz (ormsby: 2 / the lowest corner above 0 Hz)
    std::vector<double> corner_frequencies_hz;  ///< ormsby: f1 < f2 < f3 < f4
    std::filesystem::path file;                 ///< CSV (time_s,amplitude) or HDF5 (/wavelet, attribute dt_s)
    double dt_s = 0.;                           ///< samples: their interval
    std::vector<double> samples;                ///< samples: the first at t = 0
    bool operator==(const WaveletConfig&) const = default;
};

/// Positions that a line, or an axis of a grid of receivers, may have.
inline constexpr std::int64_t kMostAlongAxis = 1'000'000;

/// A point source of one shot, a line of shots with one source each, or a file of sources.
struct SourceConfig {
    std::string type = "point";           ///< point | line | grid | file
    std::optional<std::int64_t> shot;     ///< point: shot number from 1; absent: a shot of its own
    std::vector<double> position_m;       ///< point
    std::vector<double> first_m, last_m;  ///< line and grid: opposite ends
    std::vector<std::int64_t> count;      ///< line: number of shots; grid: shots along each axis, e.g. [6, 4, 1], or
    std::vector<double> spacing_m;        ///< line: their distance from first_m on; grid: along each axis
    std::filesystem::path file;           ///< CSV: shot,x,y,z,amplitude or HDF5 /coordinates [n][3], /shot_id [n]
    std::optional<double> depth_m;        ///< file: of all sources of a P1/90 file
    double amplitude = 1.;
    std::optional<WaveletConfig> wavelet;  ///< absent: the top-level wavelet
    bool operator==(const SourceConfig&) const = default;
};

/// Receivers recorded by every shot (or by one: `shot`).
struct ReceiverConfig {
    std::string type = "point";  ///< point | line | grid | file
    std::optional<std::int64_t> shot;
    std::string relative_to = "grid";     ///< grid | source: positions are offsets from the first source of the shot
    std::vector<double> position_m;       ///< point
    std::vector<double> first_m, last_m;  ///< line and grid: opposite ends
    std::vector<std::int64_t> count;      ///< line: [n]; grid: nodes along each axis, e.g. [20, 10, 1], or
    std::vector<double> spacing_m;        ///< line: their distance from first_m on; grid: along each axis
    std::filesystem::path file;           ///< CSV: x,y,z or HDF5 /coordinates [n][3]
    bool operator==(const ReceiverConfig&) const = default;
};

struct SurveyConfig {
    std::optional<double> limit_m;  ///< absent: every shot is computed on the whole grid
    std::string encoding = "none";
    std::optional<std::int64_t> supershots;  ///< absent: as many as the codes have, of random codes one
    std::int64_t seed = 1;
    std::filesystem::path codes;
    bool operator==(const SurveyConfig&) const = default;
};

/// Traces that are compared, by their horizontal distance from the source [m]; absent: no limit.
struct OffsetConfig {
    std::optional<double> min, max;
    bool operator==(const OffsetConfig&) const = default;
};

/// Samples that are compared, by their time [s].
struct TimeWindowConfig {
    std::optional<double> min, max;  ///< absent: the ends of the record
    double taper = 0.;               ///< inside the window, at each end that is given
    bool operator==(const TimeWindowConfig&) const = default;
};

/// The time [s] that was picked in the trace of a receiver of a shot.
struct TracePick {
    std::int64_t shot = 0, receiver = 0;  ///< numbers, from 1
    double time_s = 0.;
    bool operator==(const TracePick&) const = default;
};

/// A line in the gather, t0_s + offset / velocity_m_s or t0_s + picked time, on one side of which samples are muted.
struct MuteConfig {
    double t0_s = 0.;
    std::optional<double> velocity_m_s;  ///< absent: t0_s at every offset
    double taper_s = 0.;                 ///< on the side that is kept
    std::filesystem::path picks{};       ///< CSV of offsets, or of traces, and times, to which t0_s is added
    // No parameters: the picks, once the file has been read, of one kind.
    std::vector<std::array<double, 2>> picked{};  ///< (offset [m], time [s]), ascending
    std::vector<TracePick> picked_traces{};       ///< ascending by shot and receiver
    bool operator==(const MuteConfig&) const = default;
};

/// How `onda rtm` makes an image of what two fields have in common.
/// Lines along z on which both fields are taken apart from each other (solver/imaging/offset_gathers.hpp).
struct OffsetGatherConfig {
    double every_m = 0.;        ///< from line to line
    double half_offset_m = 0.;  ///< from a line to either field, at most
    std::string along = "x";    ///< x | y
    bool operator==(const OffsetGatherConfig&) const = default;
};

struct ImageConfig {
    std::string condition = "inverse_scattering";  ///< a row of imaging_conditions()
    std::string normalise = "source";              ///< none | source | receiver | both: the illumination
    double floor = 0.01;                           ///< of the illumination, as a part of its mean
    bool laplacian = false;
    std::optional<double> longest_wavelength_m;  ///< absent: all
    double mute_depth_m = 0., mute_taper_m = 0.;
    std::optional<double> water_m_s;   ///< absent: there is none
    std::string direct_wave = "keep";  ///< keep | subtract
    std::optional<OffsetGatherConfig> offset_gathers;
    bool operator==(const ImageConfig&) const = default;
};

/// When the iterations of a least-squares migration end.
struct LeastSquaresConfig {
    std::int64_t iterations = 10;
    double residual = 0.;  ///< the norm of what is left of the data, as a part of theirs; 0: iterations alone
    std::optional<std::int64_t> redraw_every;  ///< iterations; absent: the codes of supershots stay
    bool operator==(const LeastSquaresConfig&) const = default;
};

/// A Butterworth filter of both seismograms; one corner at least.
struct BandPassConfig {
    std::optional<double> low_hz, high_hz;  ///< where it passes 1 / sqrt(2) of the amplitude; absent: no such corner
    std::int64_t order = 4;                 ///< of each corner
    std::string phase = "zero";             ///< zero | minimum
    bool operator==(const BandPassConfig&) const = default;
};

/// Observed traces times t^time_power, t in seconds.
struct GainConfig {
    double time_power = 0.5;
    bool operator==(const GainConfig&) const = default;
};

/// What seismograms are compared with, and how; and the forward field that gradients need.
struct ImagingConfig {
    std::vector<std::filesystem::path> observed;  ///< seismograms.h5, SEG-Y, SU, arrays of NumPy's
    std::vector<std::filesystem::path> subtract;  ///< from the observed ones: likewise
    std::optional<TraceBytes> segy_bytes;         ///< absent: those of the standards
    std::optional<BandPassConfig> band_pass;
    std::optional<GainConfig> gain;
    std::string misfit = "l2";    ///< a row of misfits()
    double huber_threshold = 1.;  ///< part of the root mean square of the observed trace
    NumberSelection shots;        ///< of the survey, that are compared or imaged
    NumberSelection receivers;    ///< of each shot, in its order from 1, whose traces count
    OffsetConfig offset_m;
    TimeWindowConfig time_window_s;
    std::optional<MuteConfig> top_mute, bottom_mute;
    std::string parameters = "vp";  ///< vp | vp_and_rho | vp_and_q | vp_epsilon_and_delta: what gradients are of
    ImageConfig image;
    LeastSquaresConfig lsrtm;
    bool illumination = true;            ///< of both fields, beside the gradient
    bool adjoint_sources = false;        ///< in the file of each shot
    std::string storage = "auto";        ///< auto | full | ring | checkpoints
    std::string ring = "auto";           ///< auto | device | host | disk: the memory that rings lie in
    std::filesystem::path ring_folder;   ///< for rings on disk; relative to the current folder
    std::string ring_values = "full";    ///< full | 16bit: how rings hold values
    NameOrIntegers ring_every{"", {1}};  ///< auto | a number of time steps: from one ring that is kept to the next
    NameOrIntegers every{"auto"};        ///< auto | a number of time steps
    std::optional<double> memory_gib;    ///< absent: what there is
    bool operator==(const ImagingConfig&) const = default;
};

/// What of the data a stage of an inversion fits, and for how long. What is absent is that of `imaging`.
struct InversionStageConfig {
    std::optional<BandPassConfig> band_pass;
    std::optional<OffsetConfig> offset_m;
    std::optional<TimeWindowConfig> time_window_s;
    std::optional<std::int64_t> every_shot;    ///< the first of so many; with random_shots: of those
    std::optional<std::int64_t> random_shots;  ///< so many of them, drawn anew
    std::optional<std::int64_t> redraw_every;  ///< iterations after which shots, or codes, are drawn anew
    std::optional<double> spacing_m;           ///< of the grid; absent: that of `grid`
    std::int64_t iterations = 10;
    double misfit = 0.;         ///< ends the stage, as a part of that which it began with
    double misfit_change = 0.;  ///< ends it, as a part of the misfit before the iteration
    bool operator==(const InversionStageConfig&) const = default;
};

/// The lowest and highest value of a parameter of the model.
struct BoundsConfig {
    std::optional<double> min, max;
    bool operator==(const BoundsConfig&) const = default;
};

/// A place at which models are shown over depth, beside what was logged there.
struct WellConfig {
    std::vector<double> position_m;  ///< x, and y in 3-D
    std::string name;                ///< empty: its number
    std::filesystem::path file;      ///< empty: nothing was logged
    bool operator==(const WellConfig&) const = default;
};

/// How `onda fwi` changes the model.
struct InversionConfig {
    std::vector<InversionStageConfig> stages;
    std::string parameter = "vp";      ///< vp | slowness | slowness_squared: what steps are taken in
    std::string density = "fixed";     ///< fixed | gardner | inverted
    std::string anisotropy = "fixed";  ///< fixed | inverted
    BoundsConfig vp_m_s, rho_kg_m3, epsilon, delta;
    std::optional<double> water_m_s;                    ///< nodes of the start model of this velocity or less are held
    double hold_depth_m = 0.;                           ///< likewise those down to here
    std::filesystem::path mask;                         ///< 0 to 1 of every node: 0 holds it, less than 1 damps steps
    std::string precondition = "illumination";          ///< none | illumination
    double floor = 0.01;                                ///< of the illumination, as a part of its mean
    double smooth_wavelengths = 0.;                     ///< length of a Helmholtz smoothing of changes, in wavelengths
    double source_taper_m = 0., receiver_taper_m = 0.;  ///< radii within which changes are damped
    double tikhonov = 0., total_variation = 0.;         ///< weights beside the misfit that a stage begins with
    std::string method = "lbfgs";                       ///< lbfgs | conjugate_gradients | steepest_descent
    std::int64_t memory = 5;                            ///< pairs that lbfgs keeps
    double first_step = 0.01;  ///< largest change of the first trial along the gradient, of the mean of the parameter
    std::int64_t trials = 6;   ///< of a line search
    std::int64_t every_trial_shot = 1;  ///< trials compute the first of so many shots
    std::string wavelet = "given";      ///< given | reported | estimated
    std::string wavelet_of = "survey";  ///< survey | shot: what the estimate is of
    std::filesystem::path true_model;   ///< that data were made with: how far models are from it is told
    std::vector<WellConfig> wells;
    bool operator==(const InversionConfig&) const = default;
};

struct SeismogramConfig {
    std::optional<double> dt_s;                ///< absent: a round one that keeps the wavelets (default_sampling_s())
    std::string segy = "none";                 ///< none | ieee | ibm: samples of seismograms.segy
    bool su = false;                           ///< seismograms.su
    std::string unfit_dt = "refuse";           ///< refuse | resample what SEG-Y and SU cannot hold
    std::vector<std::string> particle_motion;  ///< names of particle_motions(), recorded beside pressure
    std::optional<double> rho_kg_m3;           ///< of particle motion, where the model has no density
    bool operator==(const SeismogramConfig&) const = default;
};

struct SnapshotConfig {
    std::optional<std::int64_t> every_steps;
    std::optional<double> every_s;
    std::vector<double> times_s;
    std::vector<double> window_min_m, window_max_m;  ///< empty: the whole grid
    std::vector<std::int64_t> decimation;            ///< one number, or one per axis; empty: 1
    bool vtkhdf = false;                             ///< snapshots.vtkhdf
    [[nodiscard]] bool enabled() const { return every_steps || every_s || !times_s.empty(); }
    bool operator==(const SnapshotConfig&) const = default;
};

struct OutputConfig {
    std::filesystem::path directory;  ///< empty: results/<name of the config>
    SeismogramConfig seismograms;
    SnapshotConfig snapshots;
    bool pictures = true;
    bool report = true;
    bool operator==(const OutputConfig&) const = default;
};

struct CheckpointConfig {
    std::optional<double> every_minutes;  ///< absent: by what they cost; 0: none
    bool operator==(const CheckpointConfig&) const = default;
};

struct BackendConfig {
    std::string name = "auto";  ///< auto | cuda | cpu
    std::int64_t device = 0;    ///< CUDA: which of the visible GPUs
    std::string kernel = "auto";
    std::string isa = "auto";        ///< CPU
    std::int64_t threads = 0;        ///< 0: as many as are fastest
    std::int64_t batch = 0;          ///< shots that advance together; 0: as many as are fast
    std::string tile = "auto";       ///< CUDA
    std::string copy = "auto";       ///< CUDA
    std::string tuning = "cache";    ///< cache | off: whether auto takes what `onda tune` found
    NameOrIntegers slabs{"auto"};    ///< auto | a number: parts along z that each shot's grid is cut into
    NameOrIntegers split{"equal"};   ///< equal | measured | the planes of each slab
    NameOrIntegers devices{"auto"};  ///< auto | all | which
    std::string exchange = "auto";   ///< auto | host: the way of planes between GPUs of different processes
    double rank_timeout_s = 300.;    ///< for which a process of MPI may give no sign of life; 0: for ever
    bool operator==(const BackendConfig&) const = default;
};

struct Config {
    std::int64_t schema_version = 1;
    std::string title;
    GridConfig grid;
    ModelConfig model;
    AttenuationConfig attenuation;
    TimeConfig time;
    SchemeConfig scheme;
    BoundaryConfig boundary;
    WaveletConfig wavelet;
    std::vector<SourceConfig> sources;
    std::vector<ReceiverConfig> receivers;
    SurveyConfig survey;
    std::optional<ImagingConfig> imaging;      ///< absent: nothing is compared
    std::optional<InversionConfig> inversion;  ///< absent: nothing is inverted
    OutputConfig output;
    CheckpointConfig checkpoint;
    BackendConfig backend;

    ConfigOrigin origin;  ///< no parameter: where the values came from
    bool operator==(const Config&) const = default;
};

/// Reads, overrides (`key=value` from --set: dotted paths, list items as sources[0].amplitude, `null` removes a key),
/// and checks the shape, type and range of every value, its name against the vocabulary, and that input files exist.
/// What the values mean together is for the stages that use them. \throws Error(config) with every error as
/// `file:line:column: message`, the offending line and a caret; errors of overrides name `--set key=value` instead.
/// Error(missing_input) if the file, or an input file that it names, is not there, whatever else is wrong beside it.
/// \param file "-" is standard input, which goes by the name of "stdin" in the current folder.
Config read_config(const std::filesystem::path& file, const Vocabulary& vocabulary,
                   const std::vector<std::string>& overrides = {});
Config read_config_text(const std::string& text, const std::filesystem::path& name, const Vocabulary& vocabulary,
                        const std::vector<std::string>& overrides = {});

/// Refuses what was given for another number of dimensions than that of the model's file, which read_config() does not
/// know: keys of a y axis in 2-D, and lists that are not one number an axis. A configuration that was made in code
/// passes. \throws Error(config).
void check_given_dimensions(const ConfigOrigin& origin, int dimensions);
/// What was given and has no effect, for what it needs elsewhere in the configuration is not there: a line each, such
/// as "boundary.cpml_width = 30 has no effect: no face is cpml".
std::vector<std::string> keys_without_effect(const Config& config);

/// The value of every parameter as YAML that read_config accepts and that gives the same Config (`config.yaml` of a
/// run), but for parameters without effect, which are left out.
std::string resolved_yaml(const Config& config);
/// A parameter with its value, for comparing two configurations.
struct ResolvedParameter {
    std::string path;            ///< "sources[0].amplitude"
    std::string value;           ///< as YAML
    std::filesystem::path file;  ///< of an input file, where it is
};
/// The value of every parameter that has one and is used, given or not.
std::vector<ResolvedParameter> resolved_parameters(const Config& config);
/// JSON Schema draft-07, pretty-printed, with a trailing newline (`onda schema`).
std::string config_schema(const Vocabulary& vocabulary);
/// The name of the schema beside a configuration, by which editors find it.
inline constexpr const char* kSchemaName = "onda.schema.json";
/// The text of docs/config.md.
std::string config_reference_markdown(const Vocabulary& vocabulary);

}  // namespace onda
