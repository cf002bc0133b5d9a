/// \file
/// What outputs have taken of a shot so far, as bytes that a checkpoint keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/text/error.hpp"

namespace onda {

/// Lists of values, written one after the other and read back in the same order.
class KeptValues {
public:
    KeptValues() = default;
    /// \param bytes of another.
    explicit KeptValues(std::string bytes) : bytes_(std::move(bytes)) {}

    template <typename T>
    void put(const std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto count = static_cast<std::uint64_t>(values.size());
        bytes_.append(reinterpret_cast<const char*>(&count), sizeof(count));
        bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    }
    /// The list that was put next. \throws Error(bad_data) if there is none of whole values.
    template <typename T>
    [[nodiscard]] std::vector<T> get() {
        static_assert(std::is_trivially_copyable_v<T>);
        std::uint64_t count = 0;
        std::memcpy(&count, take(sizeof(count)).data(), sizeof(count));
        if (count > (bytes_.size() - read_) / sizeof(T)) fail();
        std::vector<T> values(static_cast<std::size_t>(count));
        const std::string_view piece = take(values.size() * sizeof(T));
        if (!piece.empty()) std::memcpy(values.data(), piece.data(), piece.size());
        return values;
    }
    [[nodiscard]] const std::string& bytes() const { return bytes_; }
    [[nodiscard]] bool at_end() const { return read_ == bytes_.size(); }

private:
    [[noreturn]] static void fail() {
        throw Error(ExitCode::bad_data, "a checkpoint has not what its outputs have taken");
    }
    std::string_view take(std::size_t bytes) {
        if (bytes > bytes_.size() - read_) fail();
        const std::string_view piece = std::string_view(bytes_).substr(read_, bytes);
        read_ += bytes;
        return piece;
    }

    std::string bytes_;
    std::size_t read_ = 0;
};

}  // namespace onda
