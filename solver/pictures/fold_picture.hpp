/// \file
/// How the fold of a survey is drawn.
#pragma once

#include <string>
#include <vector>

#include "io/pictures/picture.hpp"
#include "solver/survey/fold.hpp"

namespace onda {

/// An axis that holds two values, with air around them.
PictureAxis axis_around(double low, double high, std::string title);

/// The traces in each bin: along a line as steps, else as a map. \param squares what the panel of a map refers to.
Panel fold_panel(const Fold& fold, std::vector<float>& squares);

}  // namespace onda
