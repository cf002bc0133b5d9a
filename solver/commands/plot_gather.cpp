// onda plot gather, wiggle and spectrum: pictures of seismograms.
#include <algorithm>
#include <cmath>
#include <spdlog/fmt/fmt.h>

#include "io/models/velocity_limits.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "solver/commands/plot.hpp"

namespace onda::plot {
namespace {

constexpr std::size_t kMostPanels = 12, kMostWiggles = 150;

/// A gather to be shown, and how messages and titles name it.
struct Input {
    ShotGather gather;
    std::string name;      ///< "shot 3", with its file where there are several
    TraceDisplay display;  ///< what its samples are
};

struct Inputs {
    std::vector<Input> gathers;
    std::string title;  ///< of the first file
};

/// Takes another gather's traces from those of one. \throws Error(usage) where they are not the same receivers.
void subtract(ShotGather& gather, const TraceSource& from, const TraceSource& minus) {
    constexpr double same_m = 0.01;
    const auto fail = [&](const std::string& message) {
        throw Error(ExitCode::usage,
                    fmt::format("--minus {}: {} of {}", shown(minus.file()), message, shown(from.file())));
    };
    if (!std::ranges::binary_search(minus.shots(), gather.shot)) refuse_shot(gather.shot, minus.file(), minus.shots());
    const ShotGather other = minus.read(gather.shot);
    if (other.samples != gather.samples || std::abs(other.dt_s - gather.dt_s) > 1e-9 * gather.dt_s)
        fail(fmt::format("shot {} has {} samples, {} s apart, which are not the {} samples, {} s apart,", gather.shot,
                         other.samples, number_text(other.dt_s), gather.samples, number_text(gather.dt_s)));
    const auto is_near = [](const std::array<double, 3>& a, const std::array<double, 3>& b) {
        return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) <= same_m;
    };
    if (!std::ranges::equal(other.receivers_m, gather.receivers_m, is_near))
        fail(fmt::format("shot {} has other receivers than that", gather.shot));
    for (std::size_t i = 0; i < gather.pressure.size(); ++i) gather.pressure[i] -= other.pressure[i];
}

Inputs read_inputs(const Options& options) {
    Inputs inputs;
    std::optional<TraceSource> minus;
    if (!options.minus.empty()) minus.emplace(options.minus, options);
    for (const std::filesystem::path& given : options.files) {
        const TraceSource source(given, options);
        if (inputs.title.empty()) inputs.title = source.title();
        const bool is_towed = source.is_towed();
        for (const std::int64_t shot : source.chosen(options)) {
            if (inputs.gathers.size() == kMostPanels)
                throw Error(ExitCode::usage, fmt::format("more than {} gathers side by side", kMostPanels));
            Input& input = inputs.gathers.emplace_back(Input{source.read(shot),
                                                             options.files.size() > 1
                                                                 ? fmt::format("{}, shot {}", source.name(), shot)
                                                                 : fmt::format("shot {}", shot),
                                                             {}});
            source.set_scales(input.display);
            input.display.by_offset = is_towed;
            if (!minus) continue;
            subtract(input.gather, source, *minus);
            input.name += " minus " + minus->name();
        }
    }
    return inputs;
}

/// Every k-th receiver of a line, so that there is room for each trace.
void thin(ShotGather& gather, ReceiverLine& line, std::size_t every) {
    const auto samples = static_cast<std::size_t>(gather.samples);
    ShotGather kept = gather;
    kept.receivers_m.clear(), kept.pressure.clear();
    ReceiverLine thinned{0, 0, line.axis, {}, line.at};
    for (std::size_t i = 0; i < line.count; i += every) {
        kept.receivers_m.push_back(gather.receivers_m[line.first + i]);
        const auto trace = gather.pressure.begin() + static_cast<std::ptrdiff_t>((line.first + i) * samples);
        kept.pressure.insert(kept.pressure.end(), trace, trace + static_cast<std::ptrdiff_t>(samples));
        thinned.places.push_back(line.places[i]);
    }
    thinned.count = thinned.places.size();
    thinned.axis.last = thinned.places.back();
    gather = std::move(kept);
    line = std::move(thinned);
}

int plot_traces(const Options& options, const TraceDisplay& display, const std::string& suffix) {
    Inputs inputs = read_inputs(options);
    std::vector<GatherPanel> panels;
    std::vector<std::string> names;
    for (Input& input : inputs.gathers) {
        check_window(options, input.gather);
        ReceiverLine line = choose_line(input.gather, input.name, options);
        const std::size_t most = std::max<std::size_t>(kMostWiggles / inputs.gathers.size(), 3);
        const std::size_t every = display.style == TraceDisplay::Style::wiggles ? (line.count + most - 1) / most : 1;
        if (input.name.starts_with("shot ")) input.name.front() = 'S';
        names.push_back(input.name + title_of(line, input.gather.receivers_m.size(), every));
        if (every > 1) thin(input.gather, line, every);
        TraceDisplay shown = display;
        shown.is_pressure = input.display.is_pressure;
        shown.start_s = input.display.start_s;
        shown.by_offset = display.by_offset || input.display.by_offset;
        panels.push_back(gather_panel(input.gather, line, shown));
        input.gather = {};  // the panel has what it shows
    }
    share_clip(panels);
    for (std::size_t i = 0; i < panels.size(); ++i) set_title(panels[i], names[i]);
    Picture picture;
    for (const GatherPanel& panel : panels) picture.panels.push_back(panel.panel);
    finish(std::move(picture), options, inputs.title, suffix);
    return 0;
}

std::vector<std::size_t> choose_receivers(const Input& input, const Options& options) {
    const ReceiverLine line = choose_line(input.gather, input.name, options);
    std::vector<std::size_t> receivers;
    for (std::size_t i = 0; i < line.count; ++i) receivers.push_back(line.first + i);
    if (options.receivers.empty()) return receivers;
    receivers.clear();
    for (const std::int64_t receiver : options.receivers) {
        if (receiver < 1 || receiver > std::ssize(input.gather.receivers_m))
            throw Error(ExitCode::usage, fmt::format("--receiver {}: {} has the receivers 1 to {}", receiver,
                                                     input.name, input.gather.receivers_m.size()));
        receivers.push_back(static_cast<std::size_t>(receiver - 1));
    }
    return receivers;
}

int plot_spectra(const Options& options) {
    const Inputs inputs = read_inputs(options);
    std::vector<Spectrum> spectra;
    std::vector<std::string> labels;
    for (const Input& input : inputs.gathers) {
        const auto receivers = choose_receivers(input, options);
        if (options.receivers.empty()) {
            spectra.push_back(amplitude_spectrum(input.gather, receivers));
            labels.push_back(fmt::format("{}, rms of {} traces", input.name, receivers.size()));
            continue;
        }
        for (const std::size_t receiver : receivers) {
            spectra.push_back(amplitude_spectrum(input.gather, {receiver}));
            labels.push_back(fmt::format("{}, receiver {}", input.name, receiver + 1));
        }
    }
    Panel panel = spectrum_panel(spectra, labels);
    panel.title = "Amplitude spectra";
    if (const GatherQuantity& of = *inputs.gathers.front().gather.quantity; &of != &kPressure)
        panel.title += fmt::format(" of {}", of.long_name);
    Picture picture;
    picture.panels.push_back(std::move(panel));
    finish(std::move(picture), options, inputs.title, "_spectrum");
    return 0;
}

CLI::Option* add_line(CLI::App& command, Options& options) {
    return command
        .add_option("--line", options.line,
                    "Line of a grid of receivers, from 1; 0: all receivers by number (default: nearest to the source)")
        ->type_name("N");
}

/// What is wrong with an apparent velocity in m/s; empty if nothing is.
std::string velocity_fault(const std::string& text) {
    const double value = finite_number(text).value_or(0.);
    if (value >= lowest_vp_m_s) return "";
    const bool like_km_s = value * 1e3 >= lowest_vp_m_s && value * 1e3 <= highest_vp_m_s;
    return fmt::format("{}: must be at least {} m/s{}", printable(text), lowest_vp_m_s,
                       like_km_s ? "; it looks like km/s: write " + number_text(std::round(value * 1e6) / 1e3) : "");
}

void add_trace_options(CLI::App& command, Options& options, const std::string& percentile) {
    add_trace_files(command, options, true);
    add_quantity(command, options.quantity);
    add_shots(command, options);
    add_line(command, options);
    add_gains(command, options, percentile);
    command.add_option("--minus", options.minus, "Draw by how much FILE differs from this file, shot by shot")
        ->type_name("FILE");
    command
        .add_option(
            "--reduce-velocity", options.reduction_m_s,
            "Reduced time: show t - |offset| / velocity, so that arrivals with this apparent velocity are horizontal")
        ->type_name("M_S")
        ->check(CLI::Validator(velocity_fault, "at least 50"));
}

}  // namespace

Command add_gather(CLI::App& plot) {
    CLI::App* const command =
        add_command(plot, "gather", "Common-shot gathers in grey, or as wiggles if there are few traces",
                    "onda plot gather results/quickstart\n"
                    "onda plot gather seismograms.h5 --shot 1,2,3 --agc 0.3 -o shots.pdf\n"
                    "onda plot gather before/seismograms.h5 after/seismograms.h5 --clip 1e-4 -o both.png\n"
                    "onda plot gather line.sgy --minus results/line -o difference.png");
    const auto options = std::make_shared<Options>();
    add_trace_options(*command, *options, "96, of wiggles 99");
    add_style(*command, *options);
    return [options] {
        settle_style(*options);
        return plot_traces(*options, display_of(*options), "_gather");
    };
}

Command add_wiggle(CLI::App& plot) {
    CLI::App* const command = add_command(plot, "wiggle", "Traces of common-shot gathers as wiggles, by offset",
                                          "onda plot wiggle results/quickstart\n"
                                          "onda plot wiggle seismograms.h5 --shot 7 --reduce-velocity 2000 --gain 1");
    const auto options = std::make_shared<Options>();
    add_trace_options(*command, *options, "99");
    return [options] {
        TraceDisplay display = display_of(*options);
        display.style = TraceDisplay::Style::wiggles;
        display.by_offset = true;
        return plot_traces(*options, display, "_wiggle");
    };
}

Command add_spectrum(CLI::App& plot) {
    CLI::App* const command =
        add_command(plot, "spectrum", "Amplitude spectra of traces in dB, of several shots or files in one plot",
                    "onda plot spectrum results/quickstart\n"
                    "onda plot spectrum seismograms.h5 --receiver 1,80,160 -o spectra.pdf");
    const auto options = std::make_shared<Options>();
    add_trace_files(*command, *options, true);
    add_quantity(*command, options->quantity);
    add_shots(*command, *options);
    auto* const line = add_line(*command, *options);
    command
        ->add_option("--receiver", options->receivers,
                     "Receivers, from 1, a spectrum each (default: the root mean square of all of the line)")
        ->type_name("N,...")
        ->excludes(line)
        ->delimiter(',')
        ->allow_extra_args(false);
    return [options] { return plot_spectra(*options); };
}

}  // namespace onda::plot
