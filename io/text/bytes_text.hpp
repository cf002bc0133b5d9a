/// \file
/// Numbers of bytes for people.
#pragma once

#include <cstdint>
#include <string>

namespace onda {

/// 1.5 GB, 20.1 MB; "more than 9 EB" of kTooMany.
std::string bytes_text(std::int64_t bytes);

}  // namespace onda
