#include "solver/survey/encoding.hpp"

#include <algorithm>
#include <bit>
#include <spdlog/fmt/fmt.h>
#include <utility>
#include <vector>

#include "io/models/points_file.hpp"
#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"
#include "kernels/companions/positioned_random.hpp"
#include "solver/program/find_row.hpp"
#include "solver/survey/shots_data.hpp"

namespace onda {
namespace {

using Numbers = std::span<const std::int64_t>;

/// Supershots have the sources of all shots. \throws Error(config)
void check_number(std::int64_t supershots, std::size_t sources, const char* key, const ConfigOrigin& origin) {
    const std::int64_t all = saturating_product(supershots, static_cast<std::int64_t>(sources));
    if (all > kMostSources)
        origin.fault(key, fmt::format("{} supershots of {} sources each have {}; the most is {}", supershots, sources,
                                      all, kMostSources));
}

/// The columns of Sylvester's matrices are orthogonal, and stay so where some are left out.
PackedCodes hadamard_codes(const SurveyConfig& config, Numbers shots, const ConfigOrigin& origin) {
    const auto order = static_cast<std::int64_t>(std::bit_ceil(shots.size()));
    const std::int64_t rows = config.supershots.value_or(order);
    if (rows > order)
        origin.value_fault("survey.supershots",
                           fmt::format("Hadamard codes of {} shots have {} rows", shots.size(), order));
    check_number(rows, shots.size(), "survey.encoding", origin);
    const PackedCodes all = PackedCodes::hadamard(order);
    PackedCodes codes(rows, std::ssize(shots));
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < codes.columns(); ++column) codes.set(row, column, all.at(row, column));
    return codes;
}

PackedCodes random_codes(const SurveyConfig& config, Numbers shots, const ConfigOrigin& origin) {
    const std::int64_t rows = config.supershots.value_or(1);
    check_number(rows, shots.size(), "survey.supershots", origin);
    const PositionedRandom random(static_cast<std::uint64_t>(config.seed));
    PackedCodes codes(rows, std::ssize(shots));
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < codes.columns(); ++column)
            codes.set(row, column, random.sign(static_cast<std::uint64_t>(row * codes.columns() + column)));
    return codes;
}

/// One code for each shot in each supershot.
PackedCodes codes_of_file(const SurveyConfig& config, Numbers shots, const ConfigOrigin& origin) {
    const CodeTable table = read_codes(config.codes);
    const auto refuse = [&](std::size_t i, const std::string& fault) {
        throw Error(ExitCode::bad_data, fmt::format("{}:{}: {}", shown(config.codes), table.line[i], fault));
    };
    const std::int64_t rows = std::ranges::max(table.supershot);
    check_number(rows, shots.size(), "survey.codes", origin);
    PackedCodes codes(rows, std::ssize(shots));
    std::vector<bool> given(static_cast<std::size_t>(rows) * shots.size());
    for (std::size_t i = 0; i < table.code.size(); ++i) {
        const auto found = std::ranges::lower_bound(shots, table.shot[i]);
        if (found == shots.end() || *found != table.shot[i])
            refuse(i, fmt::format("there is no shot {}; the survey has {}, {} to {}", table.shot[i], shots.size(),
                                  shots.front(), shots.back()));
        const auto column = found - shots.begin();
        const auto place =
            static_cast<std::size_t>(table.supershot[i] - 1) * shots.size() + static_cast<std::size_t>(column);
        if (given[place])
            refuse(i, fmt::format("a second code of shot {} in supershot {}", table.shot[i], table.supershot[i]));
        given[place] = true;
        codes.set(table.supershot[i] - 1, column, table.code[i]);
    }
    if (const auto missing = std::ranges::find(given, false); missing != given.end()) {
        const auto place = static_cast<std::size_t>(missing - given.begin());
        throw Error(ExitCode::bad_data, fmt::format("{}: has no code of shot {} in supershot {}", shown(config.codes),
                                                    shots[place % shots.size()], place / shots.size() + 1));
    }
    return codes;
}

constexpr EncodingRow kEncodings[] = {
    {"none", "each shot fires alone", nullptr},
    {"hadamard", "rows of a Hadamard matrix: a complete set decodes exactly, a part of it leaves crosstalk",
     hadamard_codes},
    {"random", "independent codes: crosstalk falls with the root of the number of supershots", random_codes},
    {"file", "codes from a CSV file", codes_of_file},
};

/// Whether each two columns are orthogonal.
bool has_orthogonal_columns(const PackedCodes& codes) {
    if (codes.rows() < codes.columns()) return false;
    const PackedCodes columns = codes.transposed();
    for (std::int64_t a = 0; a < columns.rows(); ++a)
        for (std::int64_t b = 0; b < a; ++b) {
            std::int64_t different = 0;
            for (std::int64_t word = 0; word < columns.words_of_row(); ++word)
                different += std::popcount(columns.row(a)[static_cast<std::size_t>(word)] ^
                                           columns.row(b)[static_cast<std::size_t>(word)]);
            if (2 * different != columns.columns()) return false;
        }
    return true;
}

void check_receivers_are_shared(const Shots::Data& data, const ConfigOrigin& origin) {
    for (const ReceiverPart& part : data.receivers)
        if (part.relative || !part.shot.empty())
            origin.fault("receivers", fmt::format("shots that are encoded (survey.encoding) record at the same "
                                                  "receivers: these {}",
                                                  part.relative ? "move with the source" : "belong to single shots"));
}

/// The sources of all shots, with the signs of a row, in the place of those of each shot.
void make_supershots(const PackedCodes& codes, Shots::Data& data) {
    std::vector<SourcePoint> sources;
    std::vector<std::int64_t> id, first{0};
    sources.reserve(data.sources.size() * static_cast<std::size_t>(codes.rows()));
    for (std::int64_t row = 0; row < codes.rows(); ++row) {
        for (std::size_t shot = 0; shot < data.id.size(); ++shot)
            for (std::int64_t s = data.first_source[shot]; s < data.first_source[shot + 1]; ++s) {
                sources.push_back(data.sources[static_cast<std::size_t>(s)]);
                sources.back().amplitude *= codes.at(row, static_cast<std::int64_t>(shot));
            }
        id.push_back(row + 1);
        first.push_back(std::ssize(sources));
    }
    data.sources = std::move(sources);
    data.id = std::move(id);
    data.first_source = std::move(first);
}

}  // namespace

std::span<const EncodingRow> encodings() {
    return kEncodings;
}

std::shared_ptr<const Encoding> encode(const SurveyConfig& config, Shots::Data& data, const ConfigOrigin& origin) {
    const EncodingRow& row = find_row(origin, "survey.encoding", encodings(), config.encoding);
    if (row.make == nullptr) return nullptr;
    check_receivers_are_shared(data, origin);
    if (data.id.size() < 2)
        origin.fault("survey.encoding", "the survey has one shot, and nothing to fire it together with");
    PackedCodes codes = row.make(config, data.id, origin);
    check_number(codes.rows(), data.sources.size(), "survey.encoding", origin);
    const bool undoes = has_orthogonal_columns(codes);
    auto encoding = std::make_shared<Encoding>(
        Encoding{std::move(codes), Shots(std::make_shared<const Shots::Data>(data)), undoes});
    make_supershots(encoding->codes, data);
    return encoding;
}

std::string describe_encoding(const SurveyConfig& config, const Encoding& encoding) {
    const std::string seed = config.encoding == "random" ? fmt::format(" (seed {})", config.seed) : "";
    return fmt::format("{} supershot{} of {} shots each, by {} codes{}{}", encoding.codes.rows(),
                       encoding.codes.rows() == 1 ? "" : "s", encoding.codes.columns(), config.encoding, seed,
                       encoding.undoes ? ", which decode exactly" : ", which leave crosstalk");
}

}  // namespace onda
