#include "solver/outputs/iterations/compared_gathers.hpp"

#include <algorithm>
#include <spdlog/fmt/fmt.h>
#include <utility>

#include "io/text/error.hpp"
#include "solver/pictures/receiver_lines.hpp"

namespace onda {
namespace {

void require_traces(const ComparedGathers& gathers) {
    const std::size_t values = gathers.receivers_m.size() * static_cast<std::size_t>(gathers.samples);
    for (const std::span<const float> traces : {gathers.observed, gathers.by_start, gathers.by_current})
        if (traces.size() != values)
            throw Error(ExitCode::internal, fmt::format("gathers of shot {} that are compared have {} and {} values",
                                                        gathers.shot, traces.size(), values));
}

}  // namespace

GatherComparison compare_gathers(const std::string& title, const ComparedGathers& gathers) {
    require_traces(gathers);
    const ReceiverLine line = line_to_show(gathers.receivers_m, {});
    constexpr std::int64_t panels_of_picture = 4;
    TraceDisplay display;
    const bool has_room = has_room_for_wiggles(panels_of_picture * static_cast<std::int64_t>(line.count));
    display.style = has_room ? TraceDisplay::Style::wiggles : TraceDisplay::Style::colours;
    ShotGather gather;
    gather.shot = gathers.shot;
    gather.receivers_m = gathers.receivers_m;
    gather.sources_m = {gathers.receivers_m.front()};  // offsets are not shown
    gather.dt_s = gathers.dt_s;
    gather.samples = gathers.samples;
    GatherComparison comparison;
    const auto add = [&](std::span<const float> traces) {
        gather.pressure.assign(traces.begin(), traces.end());
        GatherPanel& panel = comparison.panels.emplace_back(gather_panel(gather, line, display));
        panel.quantity = gathers.quantity;
        for (PictureField& field : panel.panel.fields) field.label = gathers.quantity;
    };
    add(gathers.observed);
    add(gathers.by_start);
    add(gathers.by_current);
    std::vector<float> left(gathers.observed.begin(), gathers.observed.end());
    for (std::size_t i = 0; i < left.size(); ++i) left[i] -= gathers.by_current[i];
    add(left);
    share_clip(comparison.panels);
    constexpr std::array names{"observed", "predicted by the start model", "predicted now", "observed less predicted"};
    Picture& picture = comparison.picture;
    picture.title = title;
    if (has_room)  // wiggles have no bar of colours that tells their scale
        picture.title += (title.empty() ? "" : "; ") + scale_of_wiggles(comparison.panels.front());
    for (std::size_t i = 0; i < comparison.panels.size(); ++i) {
        Panel& panel = comparison.panels[i].panel;
        panel.title = i == 0 ? fmt::format("Shot {}, {}", gathers.shot, names[i]) : names[i];
        picture.panels.push_back(panel);
    }
    return comparison;
}

Picture spectra_picture(const std::string& title, const ComparedGathers& gathers, const ComparedSpectra& spectra) {
    Panel panel =
        spectrum_panel({spectra.observed, spectra.by_start, spectra.by_current, spectra.left},
                       {"observed", "predicted by the start model", "predicted now", "observed less predicted"}, true);
    panel.title = fmt::format("Shot {}, after {}", gathers.shot, gathers.model);
    return {title, {std::move(panel)}};
}

std::string band_text(const std::optional<BandPassConfig>& band) {
    if (!band || (!band->low_hz && !band->high_hz)) return "all";
    if (!band->low_hz) return fmt::format("up to {:g} Hz", *band->high_hz);
    if (!band->high_hz) return fmt::format("{:g} Hz and more", *band->low_hz);
    return fmt::format("{:g} to {:g} Hz", *band->low_hz, *band->high_hz);
}

std::optional<double> energy_part(const Spectrum& left, const Spectrum& whole,
                                  const std::optional<BandPassConfig>& band) {
    double of_left = 0., of_whole = 0.;
    for (std::size_t k = 0; k < std::min(left.amplitude.size(), whole.amplitude.size()); ++k) {
        const double frequency_hz = static_cast<double>(k) * whole.step_hz;
        if (band && band->low_hz && frequency_hz < *band->low_hz) continue;
        if (band && band->high_hz && frequency_hz > *band->high_hz) continue;
        of_left += left.amplitude[k] * left.amplitude[k];
        of_whole += whole.amplitude[k] * whole.amplitude[k];
    }
    if (!(of_whole > 0.)) return std::nullopt;
    return of_left / of_whole;
}

}  // namespace onda
