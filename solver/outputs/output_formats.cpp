// The list of output formats.
#include <array>

#include "solver/outputs/gradient_output.hpp"
#include "solver/outputs/iterations/inversion_output.hpp"
#include "solver/outputs/iterations/least_squares_output.hpp"
#include "solver/outputs/migration_output.hpp"
#include "solver/outputs/misfit_output.hpp"
#include "solver/outputs/pictures.hpp"
#include "solver/outputs/report_output.hpp"
#include "solver/outputs/seismogram_output.hpp"
#include "solver/outputs/snapshot_output.hpp"
#include "solver/outputs/trace_output.hpp"
#include "solver/outputs/vtkhdf_output.hpp"

namespace onda {

std::span<const OutputFormat* const> output_formats() {
    static constexpr std::array list{&kPictureFormat, &kSeismogramFormat, &kSnapshotFormat,     &kGradientFormat,
                                     &kMisfitFormat,  &kMigrationFormat,  &kLeastSquaresFormat, &kInversionFormat,
                                     &kSegyFormat,    &kSuFormat,         &kVtkhdfFormat,       &kReportFormat};
    return list;
}

}  // namespace onda
