/// \file
/// The one table of parameters: what reader, schema, template, reference and resolved copy are made from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/config/config.hpp"
#include "io/text/number_text.hpp"

namespace onda {

/// The structs behind a section, an optional section (0 or 1) or a list of sections, without their type.
struct Group {
    enum class Kind { section, optional_section, list };
    Kind kind;
    void* owner;
    std::size_t (*size)(void* owner);
    void* (*at)(void* owner, std::size_t index);
    void* (*append)(void* owner);
};

/// The place of a parameter in a Config.
using Slot = std::variant<bool*, std::int64_t*, double*, std::string*, std::filesystem::path*,
                          std::optional<std::int64_t>*, std::optional<double>*, std::vector<std::int64_t>*,
                          std::vector<double>*, std::vector<std::filesystem::path>*, std::vector<std::string>*,
                          NameOrIntegers*, NumberSelection*, Group>;

struct Range {
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    bool open_min = false, open_max = false;
    std::int64_t multiple_of = 1;
    bool infinite = false;  ///< .inf may be given
};

/// The limits of how many numbers a list holds.
struct Count {
    std::size_t min = 1, max = 1000000;
    bool axes = false;    ///< one for each axis of the grid
    bool single = false;  ///< one number alone will do
};

/// The condition of a parameter, which is used only when a parameter beside it, listed earlier, has one of these
/// values.
struct Condition {
    std::string_view key = {};
    std::string_view values = {};  ///< separated by spaces
};

/// What a parameter needs elsewhere in the configuration to have an effect.
struct Need {
    std::string_view what;  ///< "a face that is cpml", for the reference
    std::string_view lack;  ///< "no face is cpml", for warnings
    bool (*holds)(const Config&);
};

/// One row: a parameter, or a section with rows of its own.
struct Parameter {
    std::string_view name;
    Slot (*slot)(void* owner) = nullptr;
    std::string_view help;
    std::string_view unit = {};
    std::string_view aliases = {};  ///< other spellings, separated by spaces
    std::string_view values = {};   ///< list of names that it accepts: a key for allowed_values()
    std::span<const Parameter> rows = {};
    Range range = {};
    Count count = {};
    Condition when = {};
    const Need* needs = nullptr;     ///< without which it has no effect
    std::string_view excludes = {};  ///< parameters beside it that contradict it, separated by spaces
    bool required = false;           ///< where `when` holds
    std::string_view or_else = {};   ///< of a required one: a parameter beside it that may be given in its place
    bool of_model_file = false;      ///< where the model is a file, the file's, if absent
    bool only_3d = false;
    bool input_file = false;        ///< must exist; relative to the folder of the configuration
    bool by_shot = false;           ///< it may name a file for each shot (io/files/file_by_shot.hpp)
    std::string_view example = {};  ///< value in the template; the default where empty
    bool in_template = false;       ///< written in the template, not commented out
    std::string_view task = {};     ///< of the first section of several in the reference: what they have in common
};

/// The rows of Config.
std::span<const Parameter> config_rows();
/// The names that users are told a parameter with these `values` accepts, in their order: from the lists of io/ itself,
/// or else from the vocabulary. Empty for a parameter that takes any text.
/// \throws std::logic_error if neither has the list.
std::vector<AllowedValue> allowed_values(const Vocabulary& vocabulary, std::string_view values);
/// Whether such a parameter accepts the name, listed or not.
bool is_allowed(const Vocabulary& vocabulary, std::string_view values, std::string_view name);

/// The value of the parameter that the condition of a row speaks of.
std::string condition_value(const Parameter& row, std::span<const Parameter> rows, void* owner);
/// Whether the condition of a row holds for its owner.
bool applies(const Parameter& row, std::span<const Parameter> rows, void* owner);
/// Whether `word` is one of the words of a space-separated list.
bool has_word(std::string_view words, std::string_view word);
std::vector<std::string_view> split_words(std::string_view words);

/// The type that a value must have, for messages and docs: "a number", "a list of 2 or 3 integers".
std::string describe_type(const Parameter& row, const Slot& slot);
/// The limits of a range in words: "in (0, 1]", "at least 1"; empty where there is no limit.
std::string describe_range(const Range& range);
/// The value of a slot as YAML; nullopt where it is unset or empty. Not for groups.
std::optional<std::string> value_text(const Slot& slot);
/// Whether a copy of `config` has the row: not where the reader would refuse it, or where it has no effect.
bool is_resolved(void* owner, std::span<const Parameter> rows, const Parameter& row, const Config& config);

}  // namespace onda
