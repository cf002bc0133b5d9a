// The table as JSON Schema draft-07, for editors and other programs.
#include <nlohmann/json.hpp>

#include "io/config/config_table.hpp"

namespace onda {
namespace {

using Json = nlohmann::ordered_json;

/// The member of an object that is an array or object, made if it is not there. nlohmann-json 3.11 can do that itself,
/// but leaves a value that cannot be destroyed where there is no memory for it.
Json& member(Json& object, const char* key, Json::value_t kind) {
    if (!object.contains(key)) object[key] = Json(kind);
    return object[key];
}

Json& list(Json& object, const char* key) {
    return member(object, key, Json::value_t::array);
}

Json object_schema(void* owner, std::span<const Parameter> rows, const Vocabulary& vocabulary);

/// A number as JSON: integers without a point.
Json json_number(double value, bool integer) {
    return integer ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

Json number_schema(const Parameter& row, bool integer) {
    Json schema{{"type", integer ? "integer" : "number"}};
    const Range& range = row.range;
    if (range.min > -std::numeric_limits<double>::infinity())
        schema[range.open_min ? "exclusiveMinimum" : "minimum"] = json_number(range.min, integer);
    if (range.max < std::numeric_limits<double>::infinity())
        schema[range.open_max ? "exclusiveMaximum" : "maximum"] = json_number(range.max, integer);
    if (range.multiple_of != 1) schema["multipleOf"] = range.multiple_of;
    return schema;
}

Json list_schema(const Parameter& row, bool integer) {
    const Json number = number_schema(row, integer);
    Json schema{{"type", "array"}, {"items", number}};
    schema["minItems"] = row.count.single ? 1 : row.count.axes ? 2 : row.count.min;
    if (row.count.axes || row.count.max < Count{}.max) schema["maxItems"] = row.count.axes ? 3 : row.count.max;
    return row.count.single ? Json{{"oneOf", {number, schema}}} : schema;
}

struct ValueSchema {
    const Parameter& row;
    const Vocabulary& vocabulary;

    Json operator()(const bool*) const { return {{"type", "boolean"}}; }
    Json operator()(const std::int64_t*) const { return number_schema(row, true); }
    Json operator()(const double*) const { return number_schema(row, false); }
    Json operator()(const std::optional<std::int64_t>*) const { return number_schema(row, true); }
    Json operator()(const std::optional<double>*) const { return number_schema(row, false); }
    Json operator()(const std::vector<std::int64_t>*) const { return list_schema(row, true); }
    Json operator()(const std::vector<double>*) const { return list_schema(row, false); }
    Json operator()(const NameOrIntegers*) const {
        Json name{{"type", "string"}};
        for (const AllowedValue& value : allowed_values(vocabulary, row.values))
            list(name, "enum").push_back(value.name);
        return {{"anyOf", {name, list_schema(row, true)}}};
    }
    Json operator()(const NumberSelection*) const {
        const std::string range = "[0-9]+(-[0-9]+(:[0-9]+)?)?";
        const Json number{{"type", "integer"}, {"minimum", 0}};
        const Json text{{"type", "string"}, {"pattern", "^" + range + "( *, *" + range + ")*$"}};
        const Json items{{"type", "array"}, {"minItems", 1}, {"items", {{"anyOf", {number, text}}}}};
        return {{"anyOf", {number, text, items}}};
    }
    Json operator()(const std::filesystem::path*) const { return {{"type", "string"}, {"minLength", 1}}; }
    Json operator()(const std::vector<std::filesystem::path>*) const {
        const Json path{{"type", "string"}, {"minLength", 1}};
        return {{"oneOf", {path, {{"type", "array"}, {"items", path}, {"minItems", 1}}}}};
    }
    Json operator()(const std::vector<std::string>*) const {
        const std::string name;
        return {{"type", "array"}, {"items", (*this)(&name)}, {"minItems", 1}, {"uniqueItems", true}};
    }
    Json operator()(const std::string*) const {
        Json schema{{"type", "string"}};
        for (const AllowedValue& value : allowed_values(vocabulary, row.values))
            list(schema, "enum").push_back(value.name);
        return schema;
    }
    Json operator()(const Group& group) const {
        Json items = object_schema(group.append(group.owner), row.rows, vocabulary);
        if (group.kind == Group::Kind::section) items["type"] = {"object", "null"};  // null: all defaults
        if (group.kind != Group::Kind::list) return items;
        return {{"type", "array"}, {"minItems", 1}, {"items", std::move(items)}};
    }
};

Json default_json(const Slot& slot) {
    if (const auto* text = std::get_if<std::string*>(&slot)) return **text;
    if (const auto* path = std::get_if<std::filesystem::path*>(&slot)) return (*path)->string();
    if (const auto* either = std::get_if<NameOrIntegers*>(&slot); either != nullptr && (*either)->integers.empty())
        return (*either)->name;
    return Json::parse(*value_text(slot));
}

std::string description(const Parameter& row, const Vocabulary& vocabulary) {
    std::string text(row.help);
    if (!row.unit.empty()) text += " [" + std::string(row.unit) + "]";
    for (const AllowedValue& value : allowed_values(vocabulary, row.values))
        if (!value.help.empty()) text += "\n" + value.name + ": " + value.help;
    return text;
}

Json row_schema(const Parameter& row, void* owner, const Vocabulary& vocabulary) {
    const Slot slot = row.slot(owner);
    const bool has_default = !row.required && value_text(slot).has_value();
    Json schema = std::visit(ValueSchema{row, vocabulary}, slot);
    Json described{{"description", description(row, vocabulary)}};
    described.update(schema);
    if (has_default) described["default"] = default_json(slot);
    return described;
}

/// For each value of the key that others depend on: what must and what may not be there.
void add_conditions(Json& schema, void* owner, std::span<const Parameter> rows, const Vocabulary& vocabulary) {
    for (const Parameter& key : rows) {
        for (const AllowedValue& value : allowed_values(vocabulary, key.values)) {
            Json then = Json::object();
            for (const Parameter& row : rows) {
                if (row.when.key != key.name) continue;
                if (!has_word(row.when.values, value.name))
                    member(then, "properties", Json::value_t::object)[std::string(row.name)] = false;
                else if (row.required && !row.or_else.empty())
                    list(then, "allOf")
                        .push_back({{"anyOf", {{{"required", {row.name}}}, {{"required", {row.or_else}}}}}});
                else if (row.required)
                    list(then, "required").push_back(row.name);
            }
            if (then.empty()) continue;
            Json condition{{"properties", {{std::string(key.name), {{"const", value.name}}}}}};
            const bool is_default = *std::get<std::string*>(key.slot(owner)) == value.name;
            if (!is_default) condition["required"] = {key.name};
            list(schema, "allOf").push_back({{"if", condition}, {"then", then}});
        }
    }
}

Json object_schema(void* owner, std::span<const Parameter> rows, const Vocabulary& vocabulary) {
    Json schema{{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
    for (const Parameter& row : rows) {
        Json property = row_schema(row, owner, vocabulary);
        for (const auto alias : split_words(row.aliases)) schema["properties"][std::string(alias)] = property;
        schema["properties"][std::string(row.name)] = std::move(property);
        if (row.required && row.when.key.empty() && !row.of_model_file) {
            if (row.or_else.empty())
                list(schema, "required").push_back(row.name);
            else
                list(schema, "allOf")
                    .push_back({{"anyOf", {{{"required", {row.name}}}, {{"required", {row.or_else}}}}}});
        }
        for (const auto rival : split_words(row.excludes))
            list(schema, "allOf").push_back({{"not", {{"required", {row.name, rival}}}}});
    }
    add_conditions(schema, owner, rows, vocabulary);
    return schema;
}

/// What must be there unless the model is a file.
Json required_without_file(std::span<const Parameter> rows) {
    Json schema = Json::object();
    for (const Parameter& row : rows) {
        if (!row.of_model_file) continue;
        list(schema, "required").push_back(row.name);
        if (row.rows.empty()) continue;
        schema["properties"][std::string(row.name)] = required_without_file(row.rows);
        schema["properties"][std::string(row.name)]["type"] = "object";
    }
    return schema;
}

}  // namespace

std::string config_schema(const Vocabulary& vocabulary) {
    Config defaults;
    Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
                {"title", "Onda configuration"},
                {"description", "Made by `onda schema` from the table of parameters; do not edit."}};
    schema.update(object_schema(&defaults, config_rows(), vocabulary));
    const Json file{{"required", {"model"}}, {"properties", {{"model", {{"required", {"file"}}}}}}};
    list(schema, "allOf").push_back({{"if", {{"not", file}}}, {"then", required_without_file(config_rows())}});
    return schema.dump(2) + "\n";
}

}  // namespace onda
