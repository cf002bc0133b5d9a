#include "io/results/carried_columns.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"

namespace onda {

std::vector<CarriedColumn> read_carried(const CarriedSource& source, std::size_t receivers) {
    std::vector<CarriedColumn> columns;
    for (const std::string& name : source.names) {
        const std::string dataset = kCarriedPrefix + name;
        if (std::ranges::find(columns, name, &CarriedColumn::name) != columns.end())
            source.fail("attribute " + kCarriedNames + " lists '" + printable(name) + "' twice");
        CarriedColumn& column = columns.emplace_back();
        column.name = name;
        if (auto texts = source.texts(dataset)) {
            column.text = std::move(*texts);
        } else {
            column.numbers = true;
            for (const double value : source.numbers(dataset))
                column.text.push_back(std::isnan(value) ? "" : shortest(value));
        }
        if (column.text.size() != receivers)
            source.fail(printable(dataset) + " must have one value for each of the " + std::to_string(receivers) +
                        " receivers");
    }
    return columns;
}

CarriedColumn as_read_back(CarriedColumn column) {
    if (!column.numbers) return column;
    for (std::string& text : column.text) {
        const auto value = finite_number(text);
        text = value ? shortest(*value) : "";
    }
    return column;
}

}  // namespace onda
