/// \file
/// What a configuration may mean, but probably does not.
#pragma once

#include <string>
#include <vector>

namespace onda {

struct Plan;

/// Warnings about a plan in which no stage has found an error: each names the key, its value and what would be usual.
std::vector<std::string> doubts_of(const Plan& plan);

}  // namespace onda
