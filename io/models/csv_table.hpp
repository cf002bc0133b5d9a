/// \file
/// Tables in CSV files: a first line that names the columns, and rows of finite numbers.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace onda {

/// A column of a table; `other_name` is read as well. Columns are named by their place in the table of a kind.
struct TableColumn {
    std::string_view name, other_name;
    bool required, whole;  ///< whole: a whole number from 1
};

/// A column that is handed on as it is, such as the names of stations.
struct CarriedColumn {
    std::string name;
    bool numbers = false;           ///< every text is a finite number or empty, and the column is not `name`
    std::vector<std::string> text;  ///< one a row, without leading and trailing blanks
    bool operator==(const CarriedColumn&) const = default;
};

/// What becomes of columns that a table does not know.
enum class OtherColumns : char { refused, carried, ignored };

/// The columns that a file may have. A name close to one of them is taken for that one misspelt, which would otherwise
/// be missed in silence.
struct TableKind {
    std::span<const TableColumn> columns;
    OtherColumns others = OtherColumns::refused;
    std::span<const TableColumn> of_sources = {};  ///< that are not taken for others
    std::string_view told = {};                    ///< the columns in words, where a list of them does not do

    [[nodiscard]] std::string names() const;
};

/// Values by column; absent columns are empty.
struct CsvTable {
    explicit CsvTable(const TableKind& kind) : columns(kind.columns.size()) {}
    std::vector<std::vector<double>> columns;
    std::vector<CarriedColumn> carried;
    std::vector<int> lines;  ///< of the rows; 0 where they are those of no text
};

/// Where an error is, and how to report it.
struct TableLine {
    const std::filesystem::path& file;
    int number;
    /// \param column of the line, from 1. \throws Error(bad_data): "FILE:LINE:COLUMN: message".
    [[noreturn]] void fail(std::size_t column, const std::string& message) const;
};

/// Whether a number can be that of a shot or receiver: a whole one from 1.
bool is_ordinal(double value);

/// Reads a table with one row at least. Empty lines and those that begin with # are none.
/// \throws Error(missing_input | io_error); Error(bad_data) naming file, line and column, and the value.
CsvTable read_csv(const std::filesystem::path& file, const TableKind& kind);

}  // namespace onda
