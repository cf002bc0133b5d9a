/// \file
/// What the subcommands of `onda plot` share; `onda export` finds its input as they do.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/pictures/picture.hpp"
#include "io/results/result_reader.hpp"
#include "solver/commands/commands.hpp"
#include "solver/pictures/gather_picture.hpp"
#include "solver/pictures/section_picture.hpp"

namespace onda::plot {

/// The options of all pictures, and those of several of them: each subcommand takes its own.
struct Options {
    std::vector<std::filesystem::path> files;
    std::filesystem::path output;
    bool force = false;
    std::optional<std::string> title;
    int width_px = 0, dpi = 0;
    double width_mm = 0.;
    std::string map;
    double clip_pa = 0., percentile = 0., gain = 0.;
    std::vector<std::int64_t> shots;
    std::optional<std::int64_t> line;  ///< from 1; 0: all receivers by number
    double agc_s = 0., reduction_m_s = 0.;
    double offset_m = 0., within_m = 0.;  ///< 0: half of the usual distance between receivers
    std::vector<double> midpoint_m, velocities_m_s;
    std::vector<std::string> bytes;  ///< where headers of traces have their fields
    std::string style = "automatic", plane = "xz";
    std::vector<std::int64_t> receivers;  ///< from 1
    std::vector<double> times_s;
    std::optional<double> at_m;
    std::filesystem::path model;  ///< empty: that of the run, where FILE is its folder
    bool no_model = false;
    std::filesystem::path minus;  ///< the model that is taken from FILE; empty: none
    double frames_per_second = 10.;
    std::vector<std::string> overrides;
    std::string quantity{kPressure.name};  ///< of seismograms.h5
};

/// FILE..., -o, --force, --title, --width, --width-mm, --dpi. \param what FILE is, for the help.
void add_common(CLI::App& command, Options& options, const std::string& what, bool several);
/// --map. What is drawn with a map for values of both signs by default is drawn with no other.
void add_map(CLI::App& command, Options& options, const ColourMap& fallback);
void add_clip(CLI::App& command, Options& options, const std::string& percentile);
void add_shot(CLI::App& command, Options& options);
void add_shots(CLI::App& command, Options& options);
void add_section(CLI::App& command, Options& options);

/// FILE, or the file of this name in the folder FILE, that holds what is wanted.
/// \throws Error(usage) for a file of another kind, naming the command that draws it; Error(missing_input | bad_data).
std::filesystem::path input_of(const std::filesystem::path& file, FileKind wanted);
/// The shots to be shown, by default the first. \throws Error(usage) for one that is not there, naming those that are.
std::vector<std::int64_t> shots_of(const ResultReader& reader, const Options& options,
                                   const std::filesystem::path& file);
/// \throws Error(usage) that names the shots there are.
[[noreturn]] void refuse_shot(std::int64_t shot, const std::filesystem::path& file,
                              const std::vector<std::int64_t>& there);
const ColourMap& map_of(const Options& options, const ColourMap& fallback);
/// The plane named, through the position along its normal. \throws Error(usage) for a plane that the grid does not
/// have, or a position outside it.
Section section_of(const Grid& grid, const Options& options, double fallback_m);
Grid grid_of(const FileGeometry& geometry);
/// A list as messages name it: "1, 2, 3, … 200".
std::string listed(const std::vector<std::int64_t>& numbers);

/// Where pictures have their traces from: seismograms.h5, or SEG-Y, SU and arrays, whose shots are counted as
/// `onda data` counts them.
class TraceSource {
public:
    /// \param given the file, or the folder of a run. \throws Error(usage | missing_input | bad_data).
    TraceSource(const std::filesystem::path& given, const Options& options);
    ~TraceSource();
    TraceSource(TraceSource&&) noexcept;

    [[nodiscard]] const std::filesystem::path& file() const;
    /// Numbers, ascending.
    [[nodiscard]] const std::vector<std::int64_t>& shots() const;
    /// Of the configuration; of other programs' files their name.
    [[nodiscard]] std::string title() const;
    /// What tells the file apart from others of the picture.
    [[nodiscard]] std::string name() const;
    /// The shots to be shown, by default the first. \throws Error(usage) for one that is not there.
    [[nodiscard]] std::vector<std::int64_t> chosen(const Options& options) const;
    /// A shot that is there, as SeismogramReader::header() gives it, and with its traces. \throws Error(bad_data).
    [[nodiscard]] ShotGather header(std::int64_t shot) const;
    [[nodiscard]] ShotGather read(std::int64_t shot) const;
    /// The samples of a single trace. \param receiver of the shot, from 0.
    [[nodiscard]] std::vector<float> trace(std::int64_t shot, std::size_t receiver) const;
    /// What the samples are, and when the first of them was.
    void set_scales(TraceDisplay& display) const;
    /// Whether receivers move with the source, from the first shot to the last.
    [[nodiscard]] bool is_towed() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// FILE..., what all pictures have, and --bytes.
void add_trace_files(CLI::App& command, Options& options, bool several);
/// What pictures of traces share: --clip, --clip-percentile, --gain and --agc; --map and --style.
void add_gains(CLI::App& command, Options& options, const std::string& percentile);
void add_style(CLI::App& command, Options& options);
/// With a map traces are colours. \throws Error(usage) for a map of wiggles.
void settle_style(Options& options);
TraceDisplay display_of(const Options& options);
/// The line of --line, or the one to be shown. \param name of the gather, for messages. \throws Error(usage) for a line
/// that is not there.
ReceiverLine choose_line(const ShotGather& gather, const std::string& name, const Options& options);
/// \throws Error(usage) for a window of --agc that is longer than the record, in which nothing would change.
void check_window(const Options& options, const ShotGather& gather);

/// Writes a picture to -o, or beside its input: "seismograms_gather.png"; says where on standard output.
/// \param suffix of the name beside the input: "_gather".
void finish(Picture picture, const Options& options, const std::string& input_title, const std::string& suffix);
/// The name of a picture or movie: -o, or beside the input.
std::filesystem::path output_of(const Options& options, const std::string& suffix, const std::string& extension);
/// Says on standard output what was written.
void say(const std::filesystem::path& file);

Command add_gather(CLI::App& plot);
Command add_wiggle(CLI::App& plot);
Command add_spectrum(CLI::App& plot);
Command add_offset(CLI::App& plot);
Command add_midpoint(CLI::App& plot);
Command add_wavenumber(CLI::App& plot);
Command add_slice(CLI::App& plot);
Command add_movie(CLI::App& plot);
Command add_model(CLI::App& plot);
Command add_gradient(CLI::App& plot);
Command add_image(CLI::App& plot);
Command add_inversion(CLI::App& plot);

}  // namespace onda::plot
