/// \file
/// Axis ticks at round numbers.
#pragma once

#include <string>
#include <vector>

namespace onda {

struct Tick {
    double value = 0.;
    std::string label;
};

struct Ticks {
    std::vector<Tick> ticks;
    /// Labels are values divided by 10^exponent: a multiple of 3, and 0 from 0.01 up to a million.
    int exponent = 0;
    double step = 0.;
};

/// The ticks of an axis: at most `most`, at multiples of 1, 2 or 5 times a power of ten between first and last (either
/// order).
Ticks make_ticks(double first, double last, int most);

/// The ticks of a logarithmic axis: at 1, 2 and 5 times powers of ten if at most `most` lie between first and last
/// (either order, above zero), else at powers of ten, or at as few of them as fit. Their `step` is 0.
Ticks make_logarithmic_ticks(double first, double last, int most);

/// A number with so many decimals, independent of the locale.
std::string fixed_number(double value, int decimals);

/// A number with the minus sign of print: "−500".
std::string printed_number(double value);
/// A whole number in superscripts: "⁻⁶".
std::string superscript(int number);

/// The prefix of units for a power of a thousand, "m" of -3; null where there is no usual one.
const char* unit_prefix(int exponent);

/// The title of an axis with scaled labels: "p [µPa]" of "p [Pa]" for labels in 1e-6 Pa; units that take no prefix have
/// the power of ten, "x [10⁶ m]".
std::string scaled_title(const std::string& title, int exponent);

}  // namespace onda
