// onda plot slice, movie and model: pictures of wavefields and models.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <spdlog/fmt/fmt.h>

#include "io/files/interruption.hpp"
#include "io/models/foreign_model.hpp"
#include "io/models/model_file.hpp"
#include "io/pictures/movie.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "kernels/equations/parameters.hpp"
#include "solver/commands/model_pictures.hpp"
#include "solver/commands/plot.hpp"
#include "solver/model/model_builders.hpp"
#include "solver/model/stored_parameter.hpp"
#include "solver/planning/make_plan.hpp"

namespace onda::plot {
namespace {

// Models -----------------------------------------------------------------------------------------------------------

/// A model to draw: of a file, or of a configuration, made as a run makes it, with its survey.
struct DrawnModel {
    Grid grid;
    std::string title;
    double at_m = 0.;  ///< where sections are, unless the user says
    std::function<ModelSection(Section)> cut;
    std::optional<Plan> plan;  ///< of the first shot; of a configuration only
    std::optional<Shot> shot;
};

std::vector<float> read_section(const Section& section, const auto& read) {
    std::vector<float> values(static_cast<std::size_t>(section.window.points()));
    read(section.window.first, section.window.count, std::span<float>(values));
    return values;
}

double middle_of(const Grid& grid, const SectionPlane& plane) {
    return grid.origin_m[plane.normal] + static_cast<double>(grid.n[plane.normal] / 2) * grid.spacing_m[plane.normal];
}

const SectionPlane& plane_of(const Options& options) {
    return *std::ranges::find(section_planes(), options.plane, &SectionPlane::name);
}

DrawnModel open_model_file(const std::filesystem::path& path, const Options& options) {
    refuse_foreign_model(path);
    const auto file = std::make_shared<ModelFile>(input_of(path, FileKind::model));
    DrawnModel model;
    model.grid = grid_of(file->geometry());
    model.at_m = middle_of(model.grid, plane_of(options));
    model.cut = [file](Section section) {
        ModelSection cut{std::move(section), {}, {}};
        cut.vp =
            read_section(cut.section, [&](auto first, auto count, auto values) { file->read(first, count, values); });
        const Quantity density = quantity_of(kRho);
        if (file->has(density))
            cut.rho = read_section(
                cut.section, [&](auto first, auto count, auto values) { file->read(density, first, count, values); });
        for (const MediumParameter* const parameter : storable_parameters())
            if (const Quantity further = quantity_of(*parameter); parameter->name != kRho.name && file->has(further))
                cut.further.push_back(
                    {label_of(*parameter), read_section(cut.section, [&](auto first, auto count, auto values) {
                         file->read(further, first, count, values);
                     })});
        return cut;
    };
    return model;
}

std::optional<Shot> find_shot(const Shots& shots, std::int64_t id) {
    for (std::size_t i = 0; i < shots.size(); ++i)
        if (shots.id(i) == id) return shots[i];
    return {};
}

DrawnModel make_configured_model(const std::filesystem::path& path, const Options& options) {
    ConfigOptions file;
    file.file = path.string();
    file.overrides = options.overrides;
    const Config config = read_config(file);
    const Plan plan = make_plan(config);
    const auto made = std::make_shared<Model>(model_to_draw(plan.experiment(), plan.computation()));
    DrawnModel model;
    model.title = config.title;
    // The picture is of all of the model, whatever part of it a shot is computed on.
    model.plan = plan;
    model.grid = made->grid;
    const std::int64_t wanted = options.shots.empty() ? plan.survey.shots.id(0) : options.shots.front();
    model.shot = find_shot(plan.survey.shots, wanted);
    if (!model.shot) {
        std::vector<std::int64_t> there;
        for (std::size_t i = 0; i < plan.survey.shots.size(); ++i) there.push_back(plan.survey.shots.id(i));
        refuse_shot(wanted, path, there);
    }
    model.at_m = model.shot->sources.empty() ? middle_of(plan.domain.grid, plane_of(options))
                                             : model.shot->sources.front().position_m[plane_of(options).normal];
    model.cut = [made](Section section) { return cut_model(std::move(section), *made); };
    return model;
}

bool is_configuration(const std::filesystem::path& file) {
    return file == "-" || file.extension() == ".yaml" || file.extension() == ".yml";
}

DrawnModel open_model(const std::filesystem::path& file, const Options& options) {
    if (!is_configuration(file)) return open_model_file(file, options);
    return make_configured_model(file, options);
}

/// What wavefields are drawn over: --model, or that of the run whose folder is drawn; nothing if it cannot be made
/// again, or with --no-model.
std::optional<DrawnModel> model_beneath(const Options& options) {
    if (options.no_model) return {};
    if (!options.model.empty()) return open_model(options.model, options);
    const std::filesystem::path config = options.files.front() / "config.yaml";
    if (!std::filesystem::exists(config)) return {};
    try {
        return open_model(config, options);
    } catch (const Error& fault) {
        const std::string text = fault.what();
        std::cerr << "drawn without the model, which cannot be made again: " << text.substr(0, text.find('\n')) << '\n';
        return {};
    }
}

std::vector<Panel> model_panels(const DrawnModel& model, const ModelSection& section, const ColourMap& map) {
    std::vector<Panel> panels;
    if (model.plan) {
        panels = survey_panels(model.plan->domain.grid, model.plan->domain.faces, section, *model.shot);
    } else {
        for_each_parameter(section, [&](const std::vector<float>& values, const std::string& label) {
            panels.push_back(empty_panel(section.section));
            panels.back().fields.push_back(model_field(section.section, values, label));
        });
    }
    for (Panel& panel : panels)
        for (PictureField& field : panel.fields) field.map = &map;
    return panels;
}

/// Refuses models whose nodes do not lie at the same places.
void require_nodes_of(const DrawnModel& model, const DrawnModel& other, const Options& options) {
    const auto told = [](const Grid& grid) {
        std::string text = fmt::format("{}-D", grid.dimensions);
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (grid.n[axis] > 1)
                text += fmt::format(", {} nodes along {} from {} m every {} m", grid.n[axis], "xyz"[axis],
                                    shortest(grid.origin_m[axis]), shortest(grid.spacing_m[axis]));
        return text;
    };
    const std::string first = told(model.grid), second = told(other.grid);
    if (first != second)
        throw Error(ExitCode::bad_data, fmt::format("--minus {}: has another grid than {}:\n  {}\n  {}",
                                                    shown(options.minus), shown(options.files.front()), second, first));
}

/// What a model has more than another, of each parameter that both have.
int plot_model_difference(const Options& options, const DrawnModel& model) {
    const ColourMap& map = map_of(options, kBlueRed);
    if (!map.diverging)
        throw Error(ExitCode::usage,
                    fmt::format("--map {}: is for values of one sign, and differences have both", options.map));
    const DrawnModel other = open_model(options.minus, options);
    require_nodes_of(model, other, options);
    const Section section = section_of(model.grid, options, model.at_m);
    ModelSection cut = model.cut(section);
    const ModelSection less = other.cut(section);
    Picture picture;
    const auto add = [&](std::vector<float>& values, const std::vector<float>& from, const std::string& label) {
        if (values.empty() || from.empty()) return;
        for (std::size_t i = 0; i < values.size(); ++i) values[i] -= from[i];
        const std::span<const float> frame(values);
        const double clip = common_clip({&frame, 1}, options.percentile > 0. ? options.percentile / 100. : 0.99);
        picture.panels.push_back(empty_panel(section));
        picture.panels.back().fields.push_back(signed_field(section, values, clip, "change of " + label, map));
    };
    add(cut.vp, less.vp, kVelocityLabel);
    add(cut.rho, less.rho, kDensityLabel);
    for (ModelSection::Further& further : cut.further)
        if (const auto from = std::ranges::find(less.further, further.label, &ModelSection::Further::label);
            from != less.further.end())
            add(further.values, from->values, further.label);
    finish(std::move(picture), options, model.title, fmt::format("_difference_{}", section.plane.name));
    return 0;
}

int plot_model(const Options& options) {
    const std::filesystem::path& file = options.files.front();
    if (!is_configuration(file) && !(options.shots.empty() && options.overrides.empty()))
        throw Error(ExitCode::usage, fmt::format("{}: --shot and --set are of configurations (.yaml)", shown(file)));
    if (options.minus.empty() && options.percentile > 0.)
        throw Error(ExitCode::usage, "--clip-percentile is of differences (--minus)");
    const DrawnModel model = open_model(file, options);
    if (!options.minus.empty()) return plot_model_difference(options, model);
    const Section section = section_of(model.grid, options, model.at_m);
    const ModelSection cut = model.cut(section);
    Picture picture;
    picture.panels = model_panels(model, cut, map_of(options, kViridis));
    finish(std::move(picture), options, model.title, fmt::format("_model_{}", section.plane.name));
    return 0;
}

// Wavefields -------------------------------------------------------------------------------------------------------

/// The snapshots of a shot on one section, and the model beneath them.
struct Wavefields {
    const ShotSnapshots& shot;
    Section section;
    double gain = 0.;
    const DrawnModel* model = nullptr;
    std::optional<ModelSection> background{};

    [[nodiscard]] std::vector<float> read(std::size_t frame) const {
        auto values = shot.read(frame, section.window.first, section.window.count);
        if (gain == 0.) return values;
        const auto factor = static_cast<float>(std::pow(shot.times_s()[frame] / shot.times_s().back(), gain));
        for (float& value : values) value *= factor;
        return values;
    }
};

Wavefields open_section(const ShotSnapshots& shot, const Options& options, const DrawnModel* model) {
    const Grid grid = grid_of(shot.geometry());
    const double fallback = model != nullptr && model->shot ? model->at_m : middle_of(grid, plane_of(options));
    Wavefields fields{shot, section_of(grid, options, fallback), options.gain, model};
    if (model == nullptr) return fields;
    if (model->grid.dimensions != grid.dimensions)
        throw Error(ExitCode::usage, fmt::format("--model {}: is {}-D, the snapshots are {}-D", shown(options.model),
                                                 model->grid.dimensions, grid.dimensions));
    Options same_place = options;
    const SectionPlane& plane = fields.section.plane;
    same_place.at_m = grid.origin_m[plane.normal] +
                      static_cast<double>(fields.section.window.first[plane.normal]) * grid.spacing_m[plane.normal];
    fields.background = model->cut(section_of(model->grid, same_place, *same_place.at_m));
    return fields;
}

/// The frames that a scale is made from: evenly spread, as many as are read in a moment.
std::vector<std::size_t> frames_for_scale(const Wavefields& fields) {
    constexpr double most_bytes = 64e6;
    constexpr std::size_t most_frames = 40;
    const auto& shape = fields.shot.geometry().shape;
    // Of a section along z all chunks of a frame are read.
    const bool level = fields.section.plane.normal == 2;
    const double bytes = 4. * static_cast<double>(level ? shape[0] * shape[1] : shape[0] * shape[1] * shape[2]);
    const std::size_t all = fields.shot.times_s().size();
    const auto count =
        std::clamp<std::size_t>(static_cast<std::size_t>(most_bytes / bytes), 1, std::min(all, most_frames));
    std::vector<std::size_t> frames;
    for (std::size_t i = 0; i < count; ++i) frames.push_back((i + 1) * all / count - 1);
    return frames;
}

double choose_clip(const Wavefields& fields, const Options& options, const std::vector<std::size_t>& shown_frames) {
    if (options.clip_pa > 0.) return options.clip_pa;
    std::vector<std::size_t> indices = frames_for_scale(fields);
    if (indices.size() < shown_frames.size() || indices.size() == 1) indices = shown_frames;
    std::vector<std::vector<float>> frames;
    for (const std::size_t index : indices) {
        const auto values = fields.read(index);
        const auto rows = fields.section.window.count[fields.section.plane.vertical];
        const auto columns = fields.section.window.count[fields.section.plane.horizontal];
        constexpr std::int64_t most = 400;  // of a frame along a side
        frames.push_back(fit_raster({rows, columns, values}, static_cast<int>(std::min(columns, most)),
                                    static_cast<int>(std::min(rows, most)), Shrink::peak));
        throw_if_interrupted();
    }
    const std::vector<std::span<const float>> spans(frames.begin(), frames.end());
    return common_clip(spans, options.percentile > 0. ? options.percentile / 100. : 0.99);
}

std::string pressure_label(const Wavefields& fields) {
    if (fields.gain == 0.) return "Pressure [Pa]";
    return "Pressure" + time_power_text(fields.gain, fields.shot.times_s().back()) + " [Pa]";
}

/// One frame: over the model where there is one; without it zero is white.
Panel frame_panel(const Wavefields& fields, std::span<const float> values, std::size_t frame, double clip,
                  const ColourMap& map) {
    Panel panel = empty_panel(fields.section);
    // Of a record of microseconds, too, frames are told apart.
    const double last_s = fields.shot.times_s().back();
    const int decimals = last_s > 0. ? std::max(4, 3 - static_cast<int>(std::floor(std::log10(last_s)))) : 4;
    panel.title = fmt::format("Pressure of shot {} at {:.{}f} s{}{}", fields.shot.shot(), fields.shot.times_s()[frame],
                              decimals, panel.title.empty() ? "" : ", ", panel.title);
    if (fields.background) {
        const ModelSection& model = *fields.background;
        panel.fields.push_back(backdrop_field(model));
        const auto& [across, down] = std::tie(model.section.horizontal, model.section.vertical);
        panel.fields.back().extent = Extent{across.first, across.last, down.first, down.last};
        if (fields.model->plan)
            if (const auto shot = find_shot(fields.model->plan->survey.shots, fields.shot.shot())) {
                outline_layers(panel, fields.section.plane, fields.model->plan->domain.grid,
                               fields.model->plan->domain.faces);
                mark_survey(panel, fields.section.plane, *shot);
            }
    }
    panel.fields.push_back(pressure_field(fields.section, values, clip, fields.background.has_value(), map));
    panel.fields.back().label = pressure_label(fields);
    return panel;
}

/// \throws Error(usage) where no snapshot is near.
std::size_t frame_at(const ShotSnapshots& shot, double time_s) {
    const std::vector<double>& times = shot.times_s();
    if (const auto frame = shot.frame_at(time_s)) return *frame;
    throw Error(ExitCode::usage,
                fmt::format("--time {}: shot {} has {} snapshot{} from {:.6g} to {:.6g} s", shortest(time_s),
                            shot.shot(), times.size(), times.size() == 1 ? "" : "s", times.front(), times.back()));
}

/// A frame of a slice, with what it refers to.
struct Frame {
    std::size_t input, index;
    std::vector<float> values;
};

/// The shots to be shown, of one file after the other, and the title of the first.
std::vector<ShotSnapshots> open_shots(const Options& options, std::string& title) {
    std::vector<ShotSnapshots> shots;
    for (const std::filesystem::path& given : options.files) {
        const auto file = input_of(given, FileKind::snapshots);
        const SnapshotReader reader(file);
        if (shots.empty()) title = reader.title();
        for (const std::int64_t shot : shots_of(reader, options, file)) shots.push_back(reader.open(shot));
    }
    return shots;
}

int plot_slice(const Options& options) {
    std::string title;
    const std::vector<ShotSnapshots> shots = open_shots(options, title);
    const std::optional<DrawnModel> model = model_beneath(options);
    std::vector<Wavefields> fields;
    std::vector<Frame> frames;
    double clip = 0.;
    for (const ShotSnapshots& shot : shots) {
        fields.push_back(open_section(shot, options, model ? &*model : nullptr));
        std::vector<std::size_t> indices;
        for (const double time_s : options.times_s) indices.push_back(frame_at(shot, time_s));
        if (indices.empty()) indices.push_back(shot.times_s().size() - 1);
        for (const std::size_t index : indices) frames.push_back({fields.size() - 1, index, fields.back().read(index)});
        clip = std::max(clip, choose_clip(fields.back(), options, indices));
    }
    constexpr std::size_t most = 12;
    if (frames.size() > most) throw Error(ExitCode::usage, fmt::format("more than {} slices side by side", most));
    Picture picture;
    for (const Frame& frame : frames)
        picture.panels.push_back(
            frame_panel(fields[frame.input], frame.values, frame.index, clip, map_of(options, kBlueRed)));
    finish(std::move(picture), options, title, fmt::format("_slice_{}", options.plane));
    return 0;
}

int plot_movie(const Options& options) {
    const auto file =
        output_of(options, fmt::format("_movie_{}", options.plane), find_ffmpeg().empty() ? ".png" : ".mp4");
    check_extension(file, "--output", "movies", {".mp4", ".png", ".gif"});
    // Programs that show GIFs take shorter frames for a mistake, and show them for a tenth of a second.
    if (constexpr double most = 50.; file.extension() == ".gif" && options.frames_per_second > most)
        throw Error(ExitCode::usage, fmt::format("--fps {:g}: frames of a GIF last 2 hundredths of a second at least: "
                                                 "{:g} at most, or .mp4 or .png as --output",
                                                 options.frames_per_second, most));
    std::string title;
    const std::vector<ShotSnapshots> shots = open_shots(options, title);
    const std::optional<DrawnModel> model = model_beneath(options);
    const Wavefields fields = open_section(shots.front(), options, model ? &*model : nullptr);
    const std::size_t frames = shots.front().times_s().size();
    const double clip = choose_clip(fields, options, {frames - 1});
    const auto draw = [&](std::size_t frame) {
        const auto values = fields.read(frame);
        Picture picture{options.title.value_or(title),
                        {frame_panel(fields, values, frame, clip, map_of(options, kBlueRed))},
                        1,
                        options.width_px,
                        options.width_mm,
                        options.dpi};
        return draw_pixels(picture);
    };
    stage_movie(file, {frames, options.frames_per_second, draw}, options.force).commit();
    say(file);
    return 0;
}

void add_wavefield_options(CLI::App& command, Options& options, bool several) {
    add_common(command, options, "snapshots.h5, or the folder of a run", several);
    several ? add_shots(command, options) : add_shot(command, options);
    add_section(command, options);
    add_clip(command, options, "99 of all snapshots");
    add_map(command, options, kBlueRed);
    auto* const model = command
                            .add_option("--model", options.model,
                                        "Over this model: its file, or a configuration (default: that of the run, if "
                                        "its folder is given)")
                            ->type_name("FILE");
    command.add_flag("--no-model", options.no_model, "Without the model, with zero white")->excludes(model);
}

}  // namespace

Command add_slice(CLI::App& plot) {
    CLI::App* const command =
        add_command(plot, "slice", "A section of a wavefield, over the model if there is one",
                    "onda plot slice results/quickstart --time 0.5,0.7\n"
                    "onda plot slice snapshots.h5 --plane xy --at 400 --model survey.yaml -o slice.pdf");
    const auto options = std::make_shared<Options>();
    add_wavefield_options(*command, *options, true);
    command->add_option("--time", options->times_s, "The snapshots nearest to these times (default: the last)")
        ->type_name("S,...")
        ->delimiter(',')
        ->allow_extra_args(false);
    return [options] { return plot_slice(*options); };
}

Command add_movie(CLI::App& plot) {
    CLI::App* const command =
        add_command(plot, "movie", "All snapshots of a shot on one scale: MP4 by ffmpeg, animated PNG or GIF",
                    "onda plot movie results/quickstart\n"
                    "onda plot movie snapshots.h5 --gain 1 --fps 15 -o waves.png");
    const auto options = std::make_shared<Options>();
    add_wavefield_options(*command, *options, false);
    command->add_option("--fps", options->frames_per_second, "Snapshots per second (default: 10)")
        ->check(CLI::Range(0.1, 100.));
    return [options] { return plot_movie(*options); };
}

Command add_model(CLI::App& plot) {
    CLI::App* const command =
        add_command(plot, "model", "A section of a model, with the survey if it is that of a configuration",
                    "onda plot model configs/quickstart.yaml --plane yz\n"
                    "onda plot model marmousi.h5 --map batlow -o marmousi.pdf\n"
                    "onda plot model results/fwi/model.h5 --minus results/fwi/iterations/1-000/model.h5");
    const auto options = std::make_shared<Options>();
    add_common(*command, *options, "Model file (HDF5), or a configuration, whose model is made as a run makes it",
               false);
    add_section(*command, *options);
    add_map(*command, *options, kViridis);
    command
        ->add_option("--shot", options->shots, "Shot of the configuration whose survey is drawn (default: the first)")
        ->type_name("N")
        ->expected(1);
    command
        ->add_option("--minus", options->minus,
                     "Draw the difference from this model, a file or a configuration on the same grid, with zero white")
        ->type_name("FILE");
    command
        ->add_option("--clip-percentile", options->percentile,
                     "Clip the scale of a difference at this percentile of all |values| (default: 99)")
        ->type_name("P")
        ->check(CLI::Range(1., 100.));
    command->add_option("--set", options->overrides, "Override a parameter of the configuration; may be repeated")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return [options] { return plot_model(*options); };
}

}  // namespace onda::plot
