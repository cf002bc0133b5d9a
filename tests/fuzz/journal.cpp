// The table of a survey's shots. Hashes keep chance out of its lines: they are made right where the input begins with
// '+', so that what the cells say is read.
#include "solver/program/hash.hpp"
#include "solver/shots/shot_table.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace onda;

namespace {

/// A table whose lines, but for the first and those without a hash, end with hashes of what they say.
std::string with_hashes(std::string table) {
    constexpr std::size_t hash_digits = 16;
    const auto line_bytes = static_cast<std::size_t>(ShotTable::bytes_of_shot());
    for (std::size_t line = line_bytes; line + line_bytes <= table.size(); line += line_bytes) {
        const std::size_t hashed = line_bytes - hash_digits - 1;
        table.replace(line + hashed, hash_digits, hash_of(std::string_view(table).substr(line, hashed)));
    }
    return table;
}

}  // namespace

void fuzz::read_input(std::string_view input) {
    const bool is_right = input.starts_with('+');
    if (is_right) input.remove_prefix(1);
    const auto file = file_with(is_right ? with_hashes(std::string(input)) : input, "shots.csv");
    answers([&] {
        const ShotTable table(file, ShotTable::Access::read);
        static_cast<void>(table.all_finished());
        for (std::size_t shot = 0; shot < table.size(); ++shot) static_cast<void>(table.finished(shot));
    });
    answers([&] { static_cast<void>(ShotTable::any_finished(file)); });
}
