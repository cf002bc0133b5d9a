// Shared by the tests of files: temporary folders, and the error that a call throws.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/text/error.hpp"

/// A fresh folder, removed at the end of the scope.
class TemporaryFolder {
public:
    TemporaryFolder() {
        auto pattern = (std::filesystem::temp_directory_path() / "onda-test-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
        path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// The Error that f throws; the test fails if it throws none.
template <class F>
onda::Error fault_of(F&& f) {
    try {
        f();
    } catch (const onda::Error& error) {
        return error;
    }
    FAIL_CHECK("no error was thrown");
    return {onda::ExitCode::ok, ""};
}

/// The message of the Error that f throws, "no error" if it throws none.
/// \param code what the error's must be; any if absent.
template <class F>
std::string message_of(F&& f, std::optional<onda::ExitCode> code = {}) {
    try {
        f();
    } catch (const onda::Error& error) {
        if (code) CHECK(error.code() == *code);
        return error.what();
    }
    return "no error";
}

/// The bytes of a file; none if there is no file. In blocks, which take a tenth of the time of single bytes, and to the
/// end, since files in /proc do not say how long they are.
template <class Bytes>
Bytes contents_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    Bytes bytes;
    std::vector<char> block(1 << 16);
    while (in.read(block.data(), std::ssize(block)), in.gcount() > 0)
        bytes.insert(bytes.end(), block.data(), block.data() + in.gcount());
    return bytes;
}

inline std::string text_of(const std::filesystem::path& file) {
    return contents_of<std::string>(file);
}

inline std::vector<char> bytes_of(const std::filesystem::path& file) {
    return contents_of<std::vector<char>>(file);
}

inline void write_text(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

/// How many files and folders lie in a folder itself.
inline std::size_t files_in(const std::filesystem::path& folder) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// A file of the folder ONDA_DATA_DIR; without it the whole program is skipped (ctest shows "Skipped").
inline std::filesystem::path data_file(const std::string& name) {
    const char* folder = std::getenv("ONDA_DATA_DIR");
    if (folder != nullptr) return std::filesystem::path(folder) / name;
    std::puts("skipped: set ONDA_DATA_DIR to the folder that has the data");
    std::exit(77);
}
