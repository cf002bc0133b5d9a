#include "solver/program/file_record.hpp"

#include <algorithm>
#include <fcntl.h>

#include "io/files/plain_file.hpp"
#include "kernels/fingerprint.hpp"

namespace onda {
namespace {

constexpr std::int64_t kPiece = 1 << 20, kPieces = 16, kWhole = kHashedWhole / kPiece;

}  // namespace

FileRecord record_of(const std::filesystem::path& path, std::string name) {
    const Descriptor file = open_plain_file(path, O_RDONLY);
    const std::int64_t bytes = bytes_of_file(file, path);
    Fingerprint hash;
    const bool whole = bytes <= kWhole * kPiece;
    for (std::int64_t piece = 0; piece < (whole ? kWhole : kPieces) && piece * kPiece < bytes; ++piece) {
        // The last offset times piece, divided first: the product of sizes of files would not fit.
        const std::int64_t last = bytes - kPiece, gaps = kPieces - 1;
        const std::int64_t offset = whole ? piece * kPiece : last / gaps * piece + last % gaps * piece / gaps;
        hash.add_bytes(read_piece(file, path, offset, std::min(kPiece, bytes - offset)));
    }
    return {std::move(name), bytes, hash.hex()};
}

FileRecord give_name(AtomicFile file) {
    FileRecord record = record_of(file.temporary(), file.path().filename().string());
    file.rename();
    return record;
}

}  // namespace onda
