/// \file
/// Random names that nobody else has.
#pragma once

#include <cstddef>
#include <string>

namespace onda {

/// A random name: two lower-case hexadecimal digits a byte, from the system's generator. \throws Error(internal) if it
/// has none.
std::string random_hex(std::size_t bytes);

}  // namespace onda
