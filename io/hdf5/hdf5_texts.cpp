// Texts of a fixed length, in attributes and in datasets: the checksums of the metadata and of the chunks cover them.

#include <algorithm>
#include <cstring>

#include "io/hdf5/hdf5_detail.hpp"

namespace onda::hdf5 {

using detail::check;
using detail::ScopedId;

namespace detail {

ScopedId text_type(std::size_t bytes, const Object& object) {
    ScopedId type(check(H5Tcopy(H5T_C_S1), object, "make a text type"), H5Tclose);
    check(H5Tset_size(type.get(), bytes), object, "make a text type");
    check(H5Tset_cset(type.get(), H5T_CSET_UTF8), object, "make a text type");
    // All of its bytes may be text: with a terminator, readers that convert it would drop the last one.
    if (bytes != H5T_VARIABLE) check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), object, "make a text type");
    return type;
}

PaddedTexts padded(const std::vector<std::string>& values) {
    PaddedTexts texts;
    for (const auto& value : values) texts.bytes_each = std::max(texts.bytes_each, value.size());
    texts.bytes.assign(texts.bytes_each * values.size(), '\0');
    for (std::size_t n = 0; n < values.size(); ++n)
        std::ranges::copy(values[n], texts.bytes.begin() + static_cast<std::ptrdiff_t>(n * texts.bytes_each));
    return texts;
}

std::string until_padding(const char* text, std::size_t bytes) {
    std::string value(text, strnlen(text, bytes));
    value.erase(value.find_last_not_of(' ') + 1);  // Fortran pads with spaces
    return value;
}

}  // namespace detail

Dataset Group::write_characters(const std::string& name, const Extents& extents, const char* characters) {
    const auto type = detail::text_type(1, *this);
    const auto chunk = default_chunk(extents, 1);
    const auto creation = detail::creation_list(*this, chunk);
    const ScopedId space(
        check(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), *this, "describe extents"),
        H5Sclose);
    const std::string tried = "write the texts " + name;
    Dataset dataset(
        check(H5Dcreate2(id_, name.c_str(), type.get(), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), *this,
              tried.c_str()),
        file_, path_of(name));
    check(H5Dwrite(dataset.id_, type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, characters), *this, tried.c_str());
    dataset.extents_ = extents;
    dataset.chunk_ = chunk;
    dataset.element_bytes_ = 1;
    dataset.set_text("_Encoding", "utf-8");
    return dataset;
}

Dataset Group::write_texts(const std::string& name, const std::vector<std::string>& values) {
    const auto [bytes_each, bytes] = detail::padded(values);
    return write_characters(name, {values.size(), bytes_each}, bytes.data());
}

Dataset Group::write_letters(const std::string& name, std::string_view letters) {
    return write_characters(name, {letters.size()}, letters.data());
}

bool Group::holds_texts(const std::string& path) const {
    const Dataset dataset(open_object(path, H5I_DATASET, "dataset"), file_, path_of(path));
    const ScopedId type(check(H5Dget_type(dataset.id_), dataset, "get its element type"), H5Tclose);
    return H5Tget_class(type.get()) == H5T_STRING;
}

std::vector<std::string> Group::read_texts(const std::string& path) const {
    const Dataset dataset(open_object(path, H5I_DATASET, "dataset"), file_, path_of(path));
    const auto layout = detail::check_layout(dataset.id_, dataset, file_->name, detail::Content::texts);
    const bool of_characters = layout.extents.size() == 2 && layout.element_bytes == 1;
    if (layout.extents.size() != 1 && !of_characters)
        dataset.fail("must have the shape [text], or [text][character] with a byte each");
    const std::size_t bytes_each = of_characters ? layout.extents[1] : layout.element_bytes;
    const auto type = detail::text_type(layout.element_bytes, dataset);
    std::vector<char> bytes(layout.extents[0] * bytes_each);
    check(H5Dread(dataset.id_, type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), dataset, "read its texts");
    std::vector<std::string> values;
    for (Extent n = 0; n < layout.extents[0]; ++n)
        values.push_back(detail::until_padding(bytes.data() + n * bytes_each, bytes_each));
    return values;
}

}  // namespace onda::hdf5
