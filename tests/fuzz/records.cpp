// What runs leave in JSON for later ones: summary.json, survey.json of an unfinished survey, and the records of
// iterations. The seals of the first two keep chance out: they are made right, so that what is sealed is read.
#include "solver/inversion/inversion_records.hpp"
#include "solver/run/run_files.hpp"
#include "solver/run/unfinished.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace onda;

void fuzz::read_input(std::string_view input) {
    constexpr std::string_view end = "\n}\n";
    const std::string text = input.ends_with(end) ? sealed(std::string(input)) : std::string(input);
    file_with(text, "summary.json");
    answers([] {
        const EarlierRun run(folder());
        static_cast<void>(run.proves("seismograms.h5"));
        static_cast<void>(run.identity());
        static_cast<void>(run.proven_shot_files());
    });
    file_with(text, "unfinished/survey.json");
    answers([] { static_cast<void>(UnfinishedSurvey(folder()).beginning()); });
    answers([] { static_cast<void>(UnfinishedSurvey::has_rest(folder() / "unfinished")); });
    file_with(input, "iterations/1-000/iteration.json");
    answers([] { static_cast<void>(InversionRecords(folder()).find(1, 0)); });
    file_with(input, "iterations/inversion.json");
    answers([] { InversionRecords(folder()).begin_or_join({{"grid.shape", "[3, 4]"}}); });
}
