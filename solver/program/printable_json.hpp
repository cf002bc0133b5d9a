/// \file
/// The texts in JSON that a file holds, made safe to show.
#pragma once

#include <string>

namespace onda {

/// Replaces every text in a value, however deep, by what `shown` makes of it: printable() or printable_lines() of
/// io/text/printable.hpp. Names of members stay as they are.
template <typename Json, typename Shown>
void make_texts_printable(Json& value, const Shown& shown) {
    if (value.is_string()) {
        value = shown(value.template get<std::string>());
    } else if (value.is_structured()) {
        for (auto& member : value) make_texts_printable(member, shown);
    }
}

}  // namespace onda
