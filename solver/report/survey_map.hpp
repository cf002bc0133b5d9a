/// \file
/// What a report says of a survey as a whole: where its sources and receivers are, and what of it is shown.
#pragma once

#include "solver/report/report.hpp"
#include "solver/survey/survey.hpp"

namespace onda {

/// The sources and receivers of all shots, thinned to what a map can show.
void map_survey(const Shots& shots, Report& report);

/// Notes which shots are shown, where it is not all of them.
void note_choice(const ReportChoice& choice, std::size_t shots, Report& report);

}  // namespace onda
