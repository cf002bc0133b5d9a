#include "io/text/nearest_name.hpp"

#include <algorithm>
#include <vector>

namespace onda {

int edit_distance(std::string_view a, std::string_view b) {
    // Rows of the dynamic programme: distances of the prefixes of b to a[0, i - 2), a[0, i - 1) and a[0, i).
    std::vector<int> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) current[j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before.swap(previous);
        previous.swap(current);
        current[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const int substitution = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            current[j] = std::min({previous[j] + 1, current[j - 1] + 1, substitution});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                current[j] = std::min(current[j], before[j - 2] + 1);
        }
    }
    return current[b.size()];
}

std::optional<std::string> nearest_name(std::string_view typed, std::span<const std::string> names) {
    const auto distance = [typed](const std::string& name) { return edit_distance(typed, name); };
    const auto nearest = std::ranges::min_element(names, {}, distance);
    if (nearest == names.end()) return std::nullopt;
    const int edits = distance(*nearest);
    if (edits > 2 || 2 * edits >= static_cast<int>(std::max(typed.size(), nearest->size()))) return std::nullopt;
    return *nearest;
}

}  // namespace onda
