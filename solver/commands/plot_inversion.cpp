// onda plot inversion: what a full-waveform inversion has found, from its folder.
#include <array>
#include <functional>
#include <spdlog/fmt/fmt.h>

#include "io/text/error.hpp"
#include "solver/commands/plot.hpp"
#include "solver/inversion/kept_inversion.hpp"
#include "solver/outputs/iterations/compared_gathers.hpp"
#include "solver/outputs/iterations/inversion_page.hpp"
#include "solver/outputs/iterations/wells.hpp"

namespace onda::plot {
namespace {

struct InversionChoice {
    std::string what = "misfit";
    std::string iteration;  ///< "2-3"; empty: the last
};

/// Draws one kind of picture with the title of the inversion.
class InversionDrawing {
public:
    InversionDrawing(const Options& options, const InversionChoice& choice)
        : options_(options), choice_(choice), kept_(options.files.front()) {}

    void misfit() const {
        if (!choice_.iteration.empty())
            throw Error(ExitCode::usage, "--iteration is not of --what misfit, which shows all of them");
        finish_as(iteration_picture(title(), kept_.lines()), "_misfit");
    }
    void model() const {
        const InversionIteration& line = chosen(kept_.lines().back());
        const KeptInversion::Models models = kept_.models(line);
        draw_inverted_model(models.plan.experiment(), models.start, models.current, [&](Picture picture) {
            picture.title = title_at(line, kept_.lines().back());
            finish_as(std::move(picture), "_model_" + name_of_folder(line));
        });
    }
    void wells() const {
        const InversionIteration& line = chosen(kept_.lines().back());
        const KeptInversion::Models models = kept_.models(line);
        const Config& config = models.plan.config;
        const Grid& grid = models.plan.domain.grid;
        const std::vector<Well> wells = read_wells(config.inversion->wells, grid, config.origin);
        if (wells.empty()) throw Error(ExitCode::usage, "--what wells: the configuration has no inversion.wells");
        WellProfiles profiles{profiles_at(wells, grid, models.start), {}, profiles_at(wells, grid, models.current)};
        if (!models.truth.empty()) profiles.truth = profiles_at(wells, grid, models.truth);
        finish_as(wells_picture(title_at(line, kept_.lines().back()), wells, grid, profiles),
                  "_wells_" + name_of_folder(line));
    }
    void shots() const {
        const InversionIteration& line = chosen(kept_.lines().back());
        finish_as(
            misfit_by_shot_picture(title_at(line, kept_.lines().back()), kept_.misfits_of_shots(line), line.stage),
            "_shots_" + name_of_folder(line));
    }
    void gathers() const {
        const InversionIteration& line = chosen(kept_.last_predicted());
        const std::unique_ptr<GathersOfShot> gathers = gathers_at(line);
        const GatherComparison comparison = compare_gathers(title_at(line, kept_.lines().back()), gathers->compared);
        finish_as(comparison.picture, "_gathers_" + name_of_folder(line));
    }
    void spectra() const {
        const InversionIteration& line = chosen(kept_.last_predicted());
        const std::unique_ptr<GathersOfShot> gathers = gathers_at(line);
        const ComparedGathers& compared = gathers->compared;
        finish_as(spectra_picture(title_at(line, kept_.lines().back()), compared, compared.spectra.value()),
                  "_spectra_" + name_of_folder(line));
    }

private:
    [[nodiscard]] std::unique_ptr<GathersOfShot> gathers_at(const InversionIteration& line) const {
        std::optional<std::int64_t> shot;
        if (!options_.shots.empty()) shot = options_.shots.front();
        return kept_.gathers(line, shot);
    }
    [[nodiscard]] const InversionIteration& chosen(const InversionIteration& fallback) const {
        return choice_.iteration.empty() ? fallback : kept_.line(choice_.iteration);
    }
    [[nodiscard]] std::string title() const { return options_.title.value_or(kept_.title()); }
    /// With the iteration, unless what is drawn is what there is now.
    [[nodiscard]] std::string title_at(const InversionIteration& line, const InversionIteration& last) const {
        if (options_.title || &line == &last) return title();
        return title() + (title().empty() ? "" : "; ") + name_of(line);
    }
    void finish_as(Picture picture, const std::string& suffix) const {
        Options titled = options_;
        titled.title = picture.title;
        finish(std::move(picture), titled, "", suffix);
    }

    const Options& options_;
    const InversionChoice& choice_;
    KeptInversion kept_;
};

struct InversionPicture {
    const char* name;
    void (InversionDrawing::*draw)() const;
};
constexpr std::array<InversionPicture, 6> kInversionPictures{{{"misfit", &InversionDrawing::misfit},
                                                              {"model", &InversionDrawing::model},
                                                              {"wells", &InversionDrawing::wells},
                                                              {"shots", &InversionDrawing::shots},
                                                              {"gathers", &InversionDrawing::gathers},
                                                              {"spectra", &InversionDrawing::spectra}}};

std::vector<std::string> names_of_pictures() {
    std::vector<std::string> names;
    for (const InversionPicture& picture : kInversionPictures) names.emplace_back(picture.name);
    return names;
}

int plot_inversion(const Options& options, const InversionChoice& choice) {
    if (!options.shots.empty() && choice.what != "gathers" && choice.what != "spectra")
        throw Error(ExitCode::usage, "--shot is of --what gathers and spectra");
    const auto* const picture = std::ranges::find(kInversionPictures, choice.what, &InversionPicture::name);
    (InversionDrawing(options, choice).*picture->draw)();
    return 0;
}

}  // namespace

Command add_inversion(CLI::App& plot) {
    CLI::App* const command =
        add_command(plot, "inversion", "What onda fwi has found: misfits, a model, gathers before and after",
                    "onda plot inversion results/fwi\n"
                    "onda plot inversion results/fwi --what model --iteration 2-4 -o model.pdf\n"
                    "onda plot inversion results/fwi --what gathers --iteration 1-0 --shot 5");
    const auto options = std::make_shared<Options>();
    const auto choice = std::make_shared<InversionChoice>();
    add_common(*command, *options, "Folder of onda fwi, also while it runs", false);
    command
        ->add_option("--what", choice->what,
                     "misfit: misfit, change and error of the model over the iterations; model: start model, model and "
                     "difference; wells: models and logs over depth; shots: the misfit of each shot as the stage began "
                     "and then; gathers: observed, predicted by both models, and what is left; spectra: of these "
                     "(default: misfit)")
        ->check(CLI::IsMember(names_of_pictures()));
    command
        ->add_option("--iteration", choice->iteration,
                     "Stage and iteration, such as 2-4 (default: the last; for gathers and spectra the last of which "
                     "any are there)")
        ->type_name("STAGE-ITERATION");
    command->add_option("--shot", options->shots, "Shot of gathers and spectra (default: that of gathers.png)")
        ->type_name("N")
        ->expected(1);
    return [options, choice] { return plot_inversion(*options, *choice); };
}

}  // namespace onda::plot
