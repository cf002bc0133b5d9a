/// \file
/// The columns of receivers' tables as a shot of seismograms.h5 has them: shared by whatever reads them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/models/points_file.hpp"

namespace onda {

/// The group's attribute that lists the columns in the order of the tables, and the begin of their datasets' names.
inline const std::string kCarriedNames = "receiver_columns", kCarriedPrefix = "receiver_";

/// A shot's group in a file, however it is read.
struct CarriedSource {
    std::vector<std::string> names;  ///< the attribute receiver_columns
    /// The texts of a dataset of the group; nothing where it holds numbers.
    std::function<std::optional<std::vector<std::string>>(const std::string& dataset)> texts;
    std::function<std::vector<double>(const std::string& dataset)> numbers;
    std::function<void(const std::string& message)> fail;  ///< throws, naming the group
};

/// The columns in the order of the tables, numbers as their shortest texts, NaN as an empty one. \throws what the
/// source's functions do; a column of another length than `receivers` or that is listed twice fails.
std::vector<CarriedColumn> read_carried(const CarriedSource& source, std::size_t receivers);

/// A column as it comes back from a file: of numbers nothing but their values is kept, so that 1007.0 is 1007.
CarriedColumn as_read_back(CarriedColumn column);

}  // namespace onda
