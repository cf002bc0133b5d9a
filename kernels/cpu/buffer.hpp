/// \file
/// Owned memory of the host, as a list of allocations plans it (kernels/plan/allocations.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

#include "kernels/plan/allocations.hpp"

namespace onda::cpu {

/// Bytes that all buffers and tables of the CPU backend hold together.
inline std::atomic<std::int64_t> held_bytes{0};

/// The share of one array in held_bytes, for as long as it lives.
class Held {
public:
    Held() = default;
    explicit Held(std::int64_t bytes) : bytes_(bytes) { held_bytes += bytes_; }
    Held(Held&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
    Held& operator=(Held&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~Held() { held_bytes -= bytes_; }
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }

private:
    std::int64_t bytes_ = 0;
};

inline constexpr std::int64_t kPage = 4096, kHugePage = std::int64_t{2} << 20;

/// The row of a large array: whole pages, huge ones from the first huge page on.
inline Allocation paged(std::string name, Owner owner, std::int64_t elements, std::int64_t element_bytes,
                        std::int64_t count = 1) {
    const std::int64_t wanted = elements * element_bytes, page = wanted >= kHugePage ? kHugePage : kPage;
    return {std::move(name), Memory::host, owner, elements, element_bytes, (wanted + page - 1) / page * page, count};
}

/// The row of a table, which takes what its elements do.
inline Allocation table(std::string name, Owner owner, std::int64_t elements, std::int64_t element_bytes,
                        std::int64_t count = 1) {
    return {std::move(name), Memory::host, owner, elements, element_bytes, elements * element_bytes, count};
}

/// Uninitialised memory, page-aligned, so that the first thread that touches a page decides where it lives, and so that
/// huge pages can back it. \throws std::bad_alloc.
template <typename T>
class Buffer {
public:
    Buffer() = default;
    /// \param row of paged().
    explicit Buffer(const Allocation& row) {
        check_element(row, sizeof(T));
        if (row.elements == 0) return;
        const auto bytes = static_cast<std::size_t>(row.bytes);
        const auto alignment = static_cast<std::size_t>(row.bytes >= kHugePage ? kHugePage : kPage);
        memory_.reset(static_cast<T*>(std::aligned_alloc(alignment, bytes)));
        if (!memory_) throw std::bad_alloc();
        held_ = Held(row.bytes);
        if (row.bytes >= kHugePage) madvise(memory_.get(), bytes, MADV_HUGEPAGE);  // a hint: refusal costs speed only
    }

    [[nodiscard]] T* data() const { return memory_.get(); }
    [[nodiscard]] std::int64_t bytes() const { return held_.bytes(); }

private:
    struct Free {
        void operator()(T* memory) const { std::free(memory); }
    };
    std::unique_ptr<T[], Free> memory_;
    Held held_;
};

/// Values of a size that is known when it is made, zero at first. \throws std::bad_alloc.
template <typename T>
class Table {
public:
    Table() = default;
    /// \param row of table().
    explicit Table(const Allocation& row) : values_(static_cast<std::size_t>(row.elements)), held_(row.bytes) {
        check_element(row, sizeof(T));
    }

    [[nodiscard]] T* data() { return values_.data(); }
    [[nodiscard]] const T* data() const { return values_.data(); }
    [[nodiscard]] const T& operator[](std::size_t i) const { return values_[i]; }
    [[nodiscard]] T& operator[](std::size_t i) { return values_[i]; }
    [[nodiscard]] std::size_t size() const { return values_.size(); }
    [[nodiscard]] std::int64_t bytes() const { return held_.bytes(); }

private:
    std::vector<T> values_;
    Held held_;
};

}  // namespace onda::cpu
