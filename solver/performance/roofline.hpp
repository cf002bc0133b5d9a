/// \file
/// The roofline (Williams, Waterman & Patterson 2009, Commun. ACM 52(4)): how much of the memory's and of the
/// arithmetic's ceiling each kernel reaches.
///
/// A kernel stands at its arithmetic intensity, the operations of its equation (EquationRow::operations) over the bytes
/// that no kernel of one step at a time can avoid (bytes_per_point), and at its operations a second. The memory's roof
/// is what the twin moved in the same rounds, that of arithmetic the peak of the report.
#pragma once

#include "io/pictures/picture.hpp"
#include "solver/performance/bench_report.hpp"

namespace onda {

/// The picture of a report. Rows with a boundary are left out: the operations of strips are not counted.
/// \throws Error(bad_data) if the report has no peak, or no row with bytes, operations and the twin.
Picture roofline_picture(const BenchReport& report);

}  // namespace onda
