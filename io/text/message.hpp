/// \file
/// Numbers and texts in a row of bytes, between two processes of one program: as memory has them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "io/text/error.hpp"

namespace onda {

class MessageWriter {
public:
    template <class T>
    requires std::is_trivially_copyable_v<T> MessageWriter& put(const T& value) {
        return put_bytes(std::as_bytes(std::span(&value, 1)));
    }
    MessageWriter& put(const std::string& text) {
        put(std::uint64_t{text.size()});
        return put_bytes(std::as_bytes(std::span(text)));
    }
    template <class T>
    MessageWriter& put(const std::vector<T>& values) {
        put(std::uint64_t{values.size()});
        for (const auto& value : values) put(value);
        return *this;
    }
    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

private:
    MessageWriter& put_bytes(std::span<const std::byte> bytes) {
        const auto end = bytes_.size();
        bytes_.resize(end + bytes.size());
        std::copy(bytes.begin(), bytes.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(end));
        return *this;
    }
    std::vector<std::byte> bytes_;
};

/// A reader that trusts nothing: what does not lie within the message is Error(bad_data), and nothing larger than the
/// message is ever allocated.
class MessageReader {
public:
    explicit MessageReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    template <class T>
    requires std::is_trivially_copyable_v<T> T take() {
        T value{};
        const auto bytes = take_bytes(sizeof value);
        std::memcpy(&value, bytes.data(), sizeof value);
        return value;
    }
    std::string take_text() {
        const auto bytes = take_bytes(take<std::uint64_t>());
        std::string text(bytes.size(), '\0');
        std::transform(bytes.begin(), bytes.end(), text.begin(), [](std::byte b) { return static_cast<char>(b); });
        return text;
    }
    template <class T>
    std::vector<T> take_all() {
        std::vector<T> values;
        for (auto left = take<std::uint64_t>(); left > 0; --left)
            if constexpr (std::is_same_v<T, std::string>)
                values.push_back(take_text());
            else
                values.push_back(take<T>());
        return values;
    }

private:
    std::span<const std::byte> take_bytes(std::uint64_t count) {
        if (count > rest_.size()) throw Error(ExitCode::bad_data, "a message between processes is cut short");
        const auto bytes = rest_.first(count);
        rest_ = rest_.subspan(count);
        return bytes;
    }
    std::span<const std::byte> rest_;
};

}  // namespace onda
