/// \file
/// A file that holds what rings keep of every time step, where no memory has the room.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "kernels/plan/allocations.hpp"

namespace onda {

/// The row of levels in a file.
inline Allocation level_file(std::string name, std::int64_t levels, std::int64_t level_bytes) {
    return {std::move(name), Memory::file, Owner::wavefield, levels, level_bytes, levels * level_bytes};
}

/// Levels of one size in a file without a name, which goes with whoever uses it, however that ends.
class LevelFile {
public:
    /// No file.
    LevelFile() = default;
    /// Reserves the space, where the file system can. \throws std::filesystem::filesystem_error naming the folder.
    LevelFile(const std::filesystem::path& folder, std::int64_t levels, std::int64_t level_bytes);
    LevelFile(LevelFile&& other) noexcept;
    LevelFile& operator=(LevelFile&& other) noexcept;
    ~LevelFile();

    [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
    /// \param first byte of the level. \throws std::filesystem::filesystem_error.
    void write(std::int64_t level, std::int64_t first, const void* from, std::int64_t bytes) const;
    /// \throws std::filesystem::filesystem_error.
    void read(std::int64_t level, std::int64_t first, void* to, std::int64_t bytes) const;
    /// Lets the system read a level ahead of its turn.
    void expect(std::int64_t level) const;

private:
    [[noreturn]] void fail(const std::string& what, int error) const;

    std::filesystem::path folder_;
    std::int64_t level_bytes_ = 0;
    int descriptor_ = -1;
};

}  // namespace onda
