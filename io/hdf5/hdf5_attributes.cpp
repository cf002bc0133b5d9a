// Attributes: text of fixed length (so that the metadata's checksum covers it), doubles, 64-bit integers.

#include <algorithm>
#include <cstring>
#include <limits>

#include "io/hdf5/hdf5_detail.hpp"
#include "io/text/printable.hpp"

namespace onda::hdf5 {

using detail::check;
using detail::ScopedId;

namespace {

constexpr hssize_t most_values = 4096;
constexpr std::size_t most_text_bytes = std::size_t{1} << 24;

/// One value.
constexpr std::size_t scalar = std::numeric_limits<std::size_t>::max();

/// \param count of an array, or `scalar`.
void write_attribute(hid_t id, const Object& object, const std::string& name, hid_t file_type, hid_t memory_type,
                     std::size_t count, const void* values) {
    const hsize_t extent = count;
    const ScopedId space(check(count == scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, nullptr), object,
                               "make a dataspace"),
                         H5Sclose);
    const std::string tried = "write its attribute " + name;
    const ScopedId attribute(
        check(H5Acreate2(id, name.c_str(), file_type, space.get(), H5P_DEFAULT, H5P_DEFAULT), object, tried.c_str()),
        H5Aclose);
    if (count > 0) check(H5Awrite(attribute.get(), memory_type, values), object, tried.c_str());
}

struct OpenAttribute {
    ScopedId id, type;
    std::size_t count;
};

std::optional<OpenAttribute> open_attribute(hid_t object_id, const Object& object, const std::string& name) {
    const std::string tried = "open its attribute " + name;
    if (check(H5Aexists(object_id, name.c_str()), object, tried.c_str()) == 0) return std::nullopt;
    ScopedId id(check(H5Aopen(object_id, name.c_str(), H5P_DEFAULT), object, tried.c_str()), H5Aclose);
    ScopedId type(check(H5Aget_type(id.get()), object, tried.c_str()), H5Tclose);
    const ScopedId space(check(H5Aget_space(id.get()), object, tried.c_str()), H5Sclose);
    const auto count = check(H5Sget_simple_extent_npoints(space.get()), object, tried.c_str());
    if (count > most_values) object.fail("attribute " + name + " is refused: " + std::to_string(count) + " values");
    return OpenAttribute{std::move(id), std::move(type), static_cast<std::size_t>(count)};
}

std::vector<std::string> read_variable_texts(const OpenAttribute& attribute, const Object& object,
                                             const std::string& tried) {
    const ScopedId memory = detail::text_type(H5T_VARIABLE, object);
    check(H5Tset_cset(memory.get(), H5Tget_cset(attribute.type.get())), object, tried.c_str());
    const ScopedId space(check(H5Aget_space(attribute.id.get()), object, tried.c_str()), H5Sclose);
    std::vector<char*> texts(attribute.count, nullptr);
    check(H5Aread(attribute.id.get(), memory.get(), texts.data()), object, tried.c_str());
    std::vector<std::string> values;
    for (const char* text : texts)
        values.push_back(text == nullptr ? "" : detail::until_padding(text, most_text_bytes));
    check(H5Dvlen_reclaim(memory.get(), space.get(), H5P_DEFAULT, texts.data()), object, tried.c_str());
    return values;
}

std::vector<std::string> read_fixed_texts(const OpenAttribute& attribute, const Object& object,
                                          const std::string& name) {
    const auto bytes = H5Tget_size(attribute.type.get());
    if (bytes == 0 || bytes > most_text_bytes)
        object.fail("attribute " + name + " is refused: text of " + std::to_string(bytes) + " bytes");
    std::vector<char> buffer(bytes * attribute.count);
    check(H5Aread(attribute.id.get(), attribute.type.get(), buffer.data()), object,
          ("read its attribute " + name).c_str());
    std::vector<std::string> values;
    for (std::size_t n = 0; n < attribute.count; ++n)
        values.push_back(detail::until_padding(buffer.data() + n * bytes, bytes));
    return values;
}

}  // namespace

void Object::set_text(const std::string& name, const std::string& value) {
    std::string padded = valid_utf8(value);
    padded.resize(std::max<std::size_t>(1, padded.size()), '\0');
    const auto type = detail::text_type(padded.size(), *this);
    write_attribute(id_, *this, name, type.get(), type.get(), scalar, padded.data());
}

void Object::set_texts(const std::string& name, const std::vector<std::string>& values) {
    const auto [bytes_each, bytes] = detail::padded(values);
    const auto type = detail::text_type(bytes_each, *this);
    write_attribute(id_, *this, name, type.get(), type.get(), values.size(), bytes.data());
}

void Object::set_number(const std::string& name, double value) {
    write_attribute(id_, *this, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, scalar, &value);
}

void Object::set_numbers(const std::string& name, std::span<const double> values) {
    write_attribute(id_, *this, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.size(), values.data());
}

void Object::set_integer(const std::string& name, std::int64_t value) {
    write_attribute(id_, *this, name, H5T_STD_I64LE, H5T_NATIVE_INT64, scalar, &value);
}

void Object::set_integers(const std::string& name, std::span<const std::int64_t> values) {
    write_attribute(id_, *this, name, H5T_STD_I64LE, H5T_NATIVE_INT64, values.size(), values.data());
}

std::optional<std::vector<std::string>> Object::texts(const std::string& name) const {
    const auto attribute = open_attribute(id_, *this, name);
    if (!attribute) return std::nullopt;
    if (H5Tget_class(attribute->type.get()) != H5T_STRING) fail("attribute " + name + " must be text");
    if (attribute->count == 0) return std::vector<std::string>{};
    const auto variable = H5Tis_variable_str(attribute->type.get());
    return check(variable, *this, "look at an attribute") > 0
               ? read_variable_texts(*attribute, *this, "read its attribute " + name)
               : read_fixed_texts(*attribute, *this, name);
}

bool Object::has_variable_text(const std::string& name) const {
    const auto attribute = open_attribute(id_, *this, name);
    return attribute && H5Tget_class(attribute->type.get()) == H5T_STRING &&
           check(H5Tis_variable_str(attribute->type.get()), *this, "look at an attribute") > 0;
}

std::optional<std::string> Object::text(const std::string& name) const {
    const auto values = texts(name);
    if (!values) return std::nullopt;
    if (values->size() != 1) fail("attribute " + name + " must be one text, not " + std::to_string(values->size()));
    return values->front();
}

std::optional<std::vector<double>> Object::numbers(const std::string& name) const {
    const auto attribute = open_attribute(id_, *this, name);
    if (!attribute) return std::nullopt;
    if (!detail::is_plain_number(attribute->type.get())) fail("attribute " + name + " must be numbers");
    std::vector<double> values(attribute->count);
    if (!values.empty())
        check(H5Aread(attribute->id.get(), H5T_NATIVE_DOUBLE, values.data()), *this,
              ("read its attribute " + name).c_str());
    return values;
}

std::optional<double> Object::number(const std::string& name) const {
    const auto values = numbers(name);
    if (!values) return std::nullopt;
    if (values->size() != 1) fail("attribute " + name + " must be one number, not " + std::to_string(values->size()));
    return values->front();
}

}  // namespace onda::hdf5
