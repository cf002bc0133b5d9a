#include "solver/outputs/iterations/inversion_sections.hpp"

#include <algorithm>
#include <spdlog/fmt/fmt.h>

namespace onda {
namespace {

/// Pixels, so many that text can still be read where the page shows them smaller.
constexpr int kGathersWidth = 1200, kSpectraWidth = 900;

std::string percent_of(const std::optional<double>& part) {
    return part ? fmt::format("{:.3g} %", 100. * *part) : std::string();
}

/// "Shot 5 after stage 2, iteration 7".
std::string which_gathers(const ComparedGathers& gathers) {
    return fmt::format("Shot {} after {}", gathers.shot, gathers.model);
}

}  // namespace

PageSection stages_section(const InversionResults& results) {
    PageSection section{.title = "Stages", .lead = "The misfit of a stage is that in its band."};
    section.head = {"stage",
                    "band",
                    "iterations",
                    "shots",
                    "misfit at its beginning",
                    "at its end",
                    "part left",
                    "Error of the model [%]"};
    const std::span<const InversionIteration> lines = results.iterations;
    const bool knows_error =
        std::ranges::any_of(lines, [](const auto& line) { return line.model_error_percent.has_value(); });
    if (!knows_error) section.head.pop_back();
    const std::vector<std::size_t> begins = begins_of_stages(lines);
    for (std::size_t s = 0; s + 1 < begins.size(); ++s) {
        const InversionIteration &first = lines[begins[s]], &last = lines[begins[s + 1] - 1];
        const auto index = static_cast<std::size_t>(last.stage - 1);
        std::vector<std::string>& row = section.rows.emplace_back();
        row = {fmt::format("{}", last.stage),
               index < results.bands.size() ? band_text(results.bands[index]) : std::string(),
               fmt::format("{}", last.iteration),
               fmt::format("{}", last.shots),
               fmt::format("{:.4g}", first.misfit),
               fmt::format("{:.4g}", last.misfit),
               percent_of(last.relative)};
        if (knows_error)
            row.push_back(last.model_error_percent ? fmt::format("{:.3f}", *last.model_error_percent) : std::string());
    }
    return section;
}

PageSection gathers_section(const ComparedGathers& gathers, const GatherComparison& comparison) {
    PageSection section{.title = "Gathers"};
    section.lead =
        fmt::format("{}, weighted as the misfit compares it; frequencies: {}.", which_gathers(gathers), gathers.band);
    section.alt = fmt::format(
        "Traces of shot {}: observed, predicted by the start model, predicted now, and observed less predicted, on one "
        "scale",
        gathers.shot);
    section.picture = comparison.picture;
    section.picture->width_px = kGathersWidth;
    return section;
}

PageSection spectra_section(const ComparedGathers& gathers, const ComparedSpectra& spectra,
                            std::span<const std::optional<BandPassConfig>> bands) {
    PageSection section{.title = "Spectra"};
    section.lead = fmt::format(
        "{}: the mean over its traces that count, before any band-pass, and the part of the observed energy that "
        "predicted traces leave in the band of each stage.",
        which_gathers(gathers));
    section.alt =
        fmt::format("Amplitude spectra of shot {}: observed, predicted, and observed less predicted", gathers.shot);
    section.picture = spectra_picture("", gathers, spectra);
    section.picture->width_px = kSpectraWidth;
    if (bands.empty()) return section;
    section.head = {"stage", "band", "left by the start model", "left now"};
    for (std::size_t s = 0; s < bands.size(); ++s)
        section.rows.push_back({fmt::format("{}", s + 1), band_text(bands[s]),
                                percent_of(energy_part(spectra.left_by_start, spectra.observed, bands[s])),
                                percent_of(energy_part(spectra.left, spectra.observed, bands[s]))});
    return section;
}

}  // namespace onda
