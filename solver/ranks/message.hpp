/// \file
/// Values in messages. Both ends are the same program on machines of one kind: values travel as they lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace onda {

/// A message that is being written.
class Outgoing {
public:
    template <typename T>
    requires std::is_trivially_copyable_v<T> Outgoing& put(const T& value) {
        return append(std::as_bytes(std::span(&value, 1)));
    }
    /// Values and, before them, how many there are.
    template <typename T>
    requires std::is_trivially_copyable_v<T> Outgoing& put_all(std::span<const T> values) {
        put(values.size());
        return append(std::as_bytes(values));
    }
    template <typename T>
    Outgoing& put(const std::vector<T>& values) {
        if constexpr (std::is_trivially_copyable_v<T>) return put_all(std::span<const T>(values));
        put(values.size());
        for (const T& value : values) put(value);
        return *this;
    }
    Outgoing& put(const std::string& text) { return put_all(std::span<const char>(text)); }

    [[nodiscard]] std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)); }

private:
    Outgoing& append(std::span<const std::byte> bytes) {
        bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return *this;
    }
    std::string bytes_;  // whose append() grows as it should
};

/// A message that is being read, in the order in which it was written. \throws std::logic_error beyond its end.
class Incoming {
public:
    explicit Incoming(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

    template <typename T>
    requires std::is_trivially_copyable_v<T>
    [[nodiscard]] T get() {
        T value;
        std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
        return value;
    }
    /// What put_all() or put() of a vector wrote.
    template <typename T>
    [[nodiscard]] std::vector<T> get_all() {
        std::vector<T> values(get<std::size_t>());
        if constexpr (std::is_trivially_copyable_v<T>)
            copy_to(std::span(values));
        else
            for (T& value : values) value = get_all<typename T::value_type>();
        return values;
    }
    /// Takes values into a span, whose size must be their number.
    template <typename T>
    void get_all_into(std::span<T> values) {
        if (get<std::size_t>() != values.size()) throw std::logic_error("a message with another number of values");
        copy_to(values);
    }
    [[nodiscard]] std::string get_text() {
        const std::vector<char> text = get_all<char>();
        return {text.begin(), text.end()};
    }

private:
    template <typename T>
    void copy_to(std::span<T> values) {
        if (const std::span<const std::byte> bytes = take(values.size_bytes()); !bytes.empty())
            std::memcpy(values.data(), bytes.data(), bytes.size());
    }
    std::span<const std::byte> take(std::size_t count) {
        if (count > bytes_.size() - read_) throw std::logic_error("a message that ends too early");
        read_ += count;
        return std::span(bytes_).subspan(read_ - count, count);
    }
    std::vector<std::byte> bytes_;
    std::size_t read_ = 0;
};

}  // namespace onda
