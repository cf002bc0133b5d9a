/// \file
/// The texts in JSON that a file holds, made safe to show.
#pragma once

#include <string>
#include <utility>

namespace onda {

/// Replaces every text in a value, however deep, by what `shown` makes of it: printable_whole() or printable_lines() of
/// io/text/printable.hpp. Names of members are texts, too; of those that become the same, the first stays.
template <typename Json, typename Shown>
void make_texts_printable(Json& value, const Shown& shown) {
    if (value.is_string()) {
        value = shown(value.template get<std::string>());
    } else if (value.is_object()) {
        Json members = Json::object();
        for (const auto& member : value.items()) {
            make_texts_printable(member.value(), shown);
            members.emplace(shown(member.key()), std::move(member.value()));
        }
        value = std::move(members);
    } else if (value.is_array()) {
        for (auto& member : value) make_texts_printable(member, shown);
    }
}

}  // namespace onda
