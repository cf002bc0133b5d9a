#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include "io/files/interruption.hpp"
#include "io/results/gather_export.hpp"
#include "io/results/image_export.hpp"
#include "io/results/recorded_data.hpp"
#include "io/text/bytes_text.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/commands.hpp"
#include "solver/commands/plot.hpp"
#include "solver/program/build.hpp"
#include "solver/program/log.hpp"
#include "solver/program/progress.hpp"
#include "solver/run/report_of_run.hpp"
#include "solver/shots/shot_selection.hpp"

namespace onda {
namespace {

constexpr const char* examples =
    "onda export results/survey --segy\n"
    "onda export results/survey --segy --samples ibm --shots 3-7 -o line.sgy\n"
    "onda export results/survey/seismograms.h5 --npy -o survey.npy\n"
    "onda export results/line-rtm --image --segy";

struct ExportArguments {
    std::filesystem::path run, output;
    std::vector<bool> chosen = std::vector<bool>(gather_formats().size());
    std::string samples, quantity{kPressure.name};
    std::optional<std::string> shots;
    bool image = false, force = false;
};

/// The format that is asked for, or that the extension of the output tells.
const GatherFormat& choose_format(const ExportArguments& arguments) {
    const std::string names = names_of_gather_formats("--");
    const auto chosen = std::ranges::count(arguments.chosen, true);
    if (chosen > 1) throw Error(ExitCode::usage, "one format at a time: " + names);
    if (chosen == 1)
        return gather_formats()[static_cast<std::size_t>(std::ranges::find(arguments.chosen, true) -
                                                         arguments.chosen.begin())];
    if (const GatherFormat* const format = gather_format_of(arguments.output)) return *format;
    throw Error(ExitCode::usage,
                arguments.output.empty()
                    ? "a format is needed: one of " + names
                    : fmt::format("--output {}: its extension does not identify the format; give one of {}",
                                  shown(arguments.output), names));
}

/// A line on a terminal while it takes long; nothing elsewhere.
class ExportLine {
public:
    void update(std::int64_t written, std::int64_t all) {
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
        if (!terminal_ || (!shown_ && seconds < 1.)) return;
        const double part = static_cast<double>(written) / static_cast<double>(all);
        std::cerr << fmt::format("\r\033[K{:.0f} %  {} of {} traces  {} left", 100. * part, written, all,
                                 clock_text(seconds * (1. - part) / part))
                  << std::flush;
        shown_ = true;
    }
    ~ExportLine() {
        if (shown_) std::cerr << "\r\033[K" << std::flush;
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    bool terminal_ = stderr_is_terminal(), shown_ = false;
};

/// Ascending numbers in the form of --shots, as a part of a file's name: "3-7_12".
std::string name_of_shots(const std::vector<std::int64_t>& shots) {
    std::string text;
    for (std::size_t first = 0, last = 0; first < shots.size(); first = last + 1) {
        for (last = first; last + 1 < shots.size() && shots[last + 1] == shots[last] + 1;) ++last;
        text += (first == 0 ? "" : "_") + std::to_string(shots[first]);
        if (last > first) text += "-" + std::to_string(shots[last]);
    }
    return text;
}

/// Beside the seismograms; a file of some shots bears their numbers, so that it takes no complete file's place.
std::filesystem::path default_output(const std::filesystem::path& input, const GatherFormat& format,
                                     const GatherQuantity& quantity, const std::vector<std::int64_t>& shots, bool all) {
    constexpr std::size_t longest = 60;
    std::string name = input.stem().string();
    if (&quantity != &kPressure) name += "." + std::string(quantity.name);
    if (!all) {
        const std::string numbers = name_of_shots(shots);
        name += numbers.size() <= longest ? "_shots_" + numbers : fmt::format("_{}_shots", shots.size());
    }
    return input.parent_path() / (name + std::string(format.extensions.front()));
}

ExportedGathers write_file(const ExportArguments& arguments, const GatherFormat& format, const SeismogramReader& reader,
                           const std::vector<std::int64_t>& shots, const std::filesystem::path& output,
                           const std::function<void(AtomicFile)>& commit) {
    ExportLine line;
    return export_gathers(survey_of(reader),
                          {format,
                           {output, samples_of(format, arguments.samples), arguments.force},
                           shots,
                           [&line](std::int64_t written, std::int64_t all) { line.update(written, all); },
                           commit});
}

void report(const ExportedGathers& made, const GatherFormat& format) {
    const GatherContents& contents = made.contents;
    for (const std::filesystem::path& file : made.files) std::cout << shown(file) << '\n';
    std::cout << fmt::format("  {}, {}: {} shot{}, {} trace{} of {} samples, {} s apart\n", format.what,
                             bytes_text(static_cast<std::int64_t>(std::filesystem::file_size(made.files.front()))),
                             contents.shots, contents.shots == 1 ? "" : "s", contents.traces,
                             contents.traces == 1 ? "" : "s", contents.samples, number_text(contents.dt_s));
}

int export_run(const ExportArguments& arguments) {
    const GatherFormat& format = choose_format(arguments);
    static_cast<void>(samples_of(format, arguments.samples));  // before anything is read
    const std::filesystem::path input = plot::input_of(arguments.run, FileKind::seismograms);
    const SeismogramReader reader(input, gather_quantity(arguments.quantity));
    const ShotSelection selection = arguments.shots ? ShotSelection(*arguments.shots) : ShotSelection();
    const std::vector<std::int64_t> shots = selection.among(reader.shots());
    const bool all = shots.size() == reader.shots().size();
    const std::filesystem::path output =
        arguments.output.empty() ? default_output(input, format, reader.quantity(), shots, all) : arguments.output;
    check_extension(output, "--output", fmt::format("{} files", format.name), format.extensions);
    if (!arguments.force && std::filesystem::exists(output))
        throw Error(ExitCode::cannot_create,
                    shown(output) + " exists already; write elsewhere with --output, or replace it with --force");
    notice_signals();
    // All shots: as if the run had left the file, so that its next --force may replace it, too.
    std::function<void(AtomicFile)> commit;
    if (all) commit = [&](AtomicFile file) { commit_listed(input.parent_path(), std::move(file)); };
    const ExportedGathers made = write_file(arguments, format, reader, shots, output, commit);
    report(made, format);
    return static_cast<int>(ExitCode::ok);
}

std::string names_of_image_formats() {
    std::string names;
    for (const ImageFormat& format : image_formats())
        names += (names.empty() ? "--" : " or --") + std::string(format.name);
    return names;
}

/// The format of images that is asked for, or that the extension of the output tells.
const ImageFormat& choose_image_format(const ExportArguments& arguments) {
    const auto asked = static_cast<std::size_t>(std::ranges::find(arguments.chosen, true) - arguments.chosen.begin());
    for (const ImageFormat& format : image_formats()) {
        const bool is_its_name =
            std::ranges::find(format.extensions, arguments.output.extension().string()) != format.extensions.end();
        if (asked < gather_formats().size() ? gather_formats()[asked].name == format.name : is_its_name) return format;
    }
    throw Error(ExitCode::usage, "images are written with " + names_of_image_formats());
}

int export_image(const ExportArguments& arguments) {
    const ImageFormat& format = choose_image_format(arguments);
    if (!arguments.samples.empty() || arguments.shots || arguments.quantity != kPressure.name)
        throw Error(ExitCode::usage, "--samples, --shots and --quantity are of seismograms, not of images");
    const std::filesystem::path input = plot::input_of(arguments.run, FileKind::gradient);
    const ImageReader reader(input);
    const auto kind = std::ranges::find_if(kStoredImageKinds, [&](const auto* row) { return reader.has(*row); });
    const std::filesystem::path output = arguments.output.empty()
                                             ? std::filesystem::path(input).replace_extension(format.extensions.front())
                                             : arguments.output;
    check_extension(output, "--output", fmt::format("{} files", format.name), format.extensions);
    notice_signals();
    const ImageToExport image{reader.nodes().geometry, fmt::format("Onda {}", build().version), reader.title(),
                              (*kind)->long_name,
                              [&](const auto& first, const auto& count) { return reader.read(**kind, first, count); }};
    commit_listed(input.parent_path(), format.write(image, output, arguments.force));
    const auto [nx, ny, nz] = image.geometry.shape;
    std::cout << fmt::format("{}\n  {}, {}: {} traces of {} samples, {} m apart\n", shown(output), (*kind)->long_name,
                             bytes_text(static_cast<std::int64_t>(std::filesystem::file_size(output))), nx * ny, nz,
                             number_text(image.geometry.spacing_m[2]));
    return static_cast<int>(ExitCode::ok);
}

bool is_of_image(const ExportArguments& arguments) {
    return arguments.image ||
           (!std::filesystem::is_directory(arguments.run) && std::filesystem::exists(arguments.run) &&
            !is_trace_file(arguments.run) && kind_of_file(arguments.run) == FileKind::gradient);
}

}  // namespace

Command add_export(CLI::App& app) {
    CLI::App* command = add_command(
        app, "export", "Write the seismograms or the image of a finished run as a file for other programs", examples);
    const auto arguments = std::make_shared<ExportArguments>();
    command->add_option("RUN", arguments->run, "The folder of the run, or its seismograms.h5 or image.h5")->required();
    std::vector<std::string> samples;
    for (std::size_t i = 0; i < gather_formats().size(); ++i) {
        const GatherFormat& format = gather_formats()[i];
        command->add_flag_callback(
            fmt::format("--{}", format.name), [arguments, i] { arguments->chosen[i] = true; },
            fmt::format("Write {} ({})", format.what, fmt::join(format.extensions, ", ")));
        samples.insert(samples.end(), format.samples.begin(), format.samples.end());
    }
    command->add_option("--samples", arguments->samples, "How SEG-Y stores samples (default: ieee)")
        ->type_name("NAME")
        ->check(offered(samples));
    add_quantity(*command, arguments->quantity);
    command->add_option("--shots", arguments->shots, "Only these shots, such as 3-7,12");
    command
        ->add_option("-o,--output", arguments->output,
                     "The file to write (default: beside seismograms.h5, with the numbers of --shots); its extension "
                     "may say the format")
        ->type_name("FILE");
    command->add_flag("--image", arguments->image,
                      "Export the image of the run (image.h5, gradient.h5) as SEG-Y or NumPy, not its seismograms");
    command->add_flag("--force", arguments->force, "Overwrite the files if they exist");
    return [arguments] { return is_of_image(*arguments) ? export_image(*arguments) : export_run(*arguments); };
}

}  // namespace onda
