/// \file
/// The rule for every number on the command line.
#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace onda {

/// Whole numbers are decimal digits that 64 bits hold, with or without a sign; all others are finite, in decimal or
/// scientific notation. Neither nan nor inf, no hexadecimal and no octal notation, nothing before or behind the number,
/// and nothing too large or too small for a double.
/// \param text becomes what C's conversions read as the same number: 010 is ten, and becomes 10.
/// \return what is wrong, in words for a message; empty if nothing is.
std::string number_fault(std::string& text, bool whole);

/// Puts number_fault() before all other checks of the numeric options of a command line and of all its subcommands.
/// Options of text are known by what the help writes for their value (`TEXT`, `FILE` …), whole numbers by `INT`, `UINT`
/// and `N`; every other option is a number.
void check_numbers(CLI::App& app);

}  // namespace onda
