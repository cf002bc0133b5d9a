/// \file
/// What a configuration may mean, but probably does not.
#pragma once

#include <string>
#include <vector>

#include "kernels/precision.hpp"

namespace onda {

struct Experiment;

/// Warnings about a plan in which no stage has found an error: each names the key, its value and what would be usual.
std::vector<std::string> doubts_of(const Experiment& experiment, Precision precision);

}  // namespace onda
