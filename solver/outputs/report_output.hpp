/// \file
/// The report as an output format: report.html, one page that shows a run.
#pragma once

#include <cstdint>

#include "solver/outputs/output.hpp"
#include "solver/plan/domain.hpp"
#include "solver/report/sections.hpp"

namespace onda {

struct Computation;
struct Experiment;

/// The name of the page in the folder of a run.
inline constexpr std::string_view kReportName = "report.html";

/// report.html of a survey. The parts of the page that show a shot, report_shot_12.html, wait in the folder of the
/// unfinished survey.
extern const OutputFormat kReportFormat;

/// The memory of reports, and how much they show.
struct ReportBytes {
    std::int64_t kept = 0;    ///< during the run: the model on the sections, and wavefields
    std::int64_t gather = 0;  ///< while the gather of a shot is there
    std::int64_t movies = 0;  ///< of all wavefields that the page shows, a byte a value
};
ReportBytes report_bytes(const Experiment& experiment, const Computation& computation);

/// The sections of a shot with what its faces are and, where there is a model, its parameters.
/// \param of_shot domain_of_shot(). \param boundary of the configuration.
std::vector<ReportSection> sections_of_shot(const Domain& of_shot, const BoundaryConfig& boundary, const Shot& shot,
                                            Fineness fineness, const Model* model);

}  // namespace onda
