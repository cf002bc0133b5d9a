/// \file
/// Looks a variant up in its table by name.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "io/config/config_origin.hpp"
#include "io/text/printable.hpp"

namespace onda {

/// The row of this name. \throws Error(config) at `key`, with the names there are.
template <typename Row>
const Row& find_row(const ConfigOrigin& origin, const std::string& key, std::span<const Row> table,
                    const std::string& name) {
    const auto row = std::ranges::find(table, name, &Row::name);
    if (row != table.end()) return *row;
    std::string names;
    for (const Row& known : table) names += (names.empty() ? "" : ", ") + std::string(known.name);
    origin.fault(key, "'" + printable(name) + "': must be one of " + names);
}

}  // namespace onda
