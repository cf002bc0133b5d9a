// Chunks that Onda's own threads make ready are those that HDF5 would store, byte by byte, whatever the number of
// threads, and come back through threads as through HDF5. Every byte of them that changes is noticed, by either.
// Takes 1 s.
#include <algorithm>
#include <cstring>
#include <doctest/doctest.h>
#include <fstream>
#include <hdf5.h>
#include <iterator>
#include <numeric>
#include <omp.h>

#include "io/files/atomic_file.hpp"
#include "io/hdf5/chunk_filters.hpp"
#include "io/hdf5/guarded_hdf5.hpp"
#include "io/hdf5/hdf5.hpp"
#include "tests/io/file_size_limit.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;

namespace {

using Path = std::filesystem::path;
using Bytes = std::vector<char>;

struct ChunkLayout {
    hdf5::Extents extents, chunk;

    [[nodiscard]] std::size_t size() const {
        return std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>());
    }
};

/// More than a MiB each: chunks in one piece and in many, whole and cut by an end along any axis.
const std::vector<ChunkLayout> kLayouts{{{300'001}, {7'001}},
                                        {{1, 61, 70, 80}, {1, 16, 70, 80}},
                                        {{2, 61, 70, 80}, {1, 7, 70, 33}},
                                        {{2, 3, 301, 401}, {2, 2, 300, 17}},
                                        {{700, 501}, {32, 501}},
                                        {{600'001, 1}, {100'000, 1}},
                                        {{9, 200, 301}, {9, 200, 301}},
                                        {{40, 100, 100}, {13, 11, 9}}};

/// No two neighbours alike, and 0000 beside FFFF, which Fletcher-32 alone cannot tell apart.
std::vector<float> values_of(std::size_t size) {
    std::vector<float> values(size);
    std::uint32_t state = 1;
    for (float& value : values) {
        state = state * 1664525u + 1013904223u;
        value = state % 7 == 0 ? 0.f : static_cast<float>(state >> 8);
    }
    return values;
}

/// As many threads as OpenMP gives until the end of the scope.
struct Threads {
    int before = omp_get_max_threads();
    explicit Threads(int wanted) { omp_set_num_threads(wanted); }
    ~Threads() { omp_set_num_threads(before); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;
};

void write_with_onda(const Path& path, const ChunkLayout& layout, int threads) {
    const Threads together(threads);
    auto file = hdf5::File::create(path, path);
    auto data = file.create_dataset("p", hdf5::Element::float32, {layout.extents, layout.chunk, {}});
    data.write_all<float>(values_of(layout.size()));
    data.close();
    file.close();
}

/// Writes the dataset with H5Dwrite, for comparison.
void write_with_hdf5(const Path& path, const ChunkLayout& layout) {
    const int rank = static_cast<int>(layout.extents.size());
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE), file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, 0, 0);
    H5Pset_chunk(list, rank, layout.chunk.data());
    H5Pset_deflate(list, 0);
    H5Pset_fletcher32(list);
    const hid_t space = H5Screate_simple(rank, layout.extents.data(), nullptr);
    const hid_t dataset = H5Dcreate2(file, "p", H5T_IEEE_F32LE, space, 0, list, 0);
    REQUIRE(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, 0, values_of(layout.size()).data()) >= 0);
    H5Dclose(dataset), H5Sclose(space), H5Pclose(list), H5Fclose(file);
}

/// All chunks as they are stored, in the order of their places.
std::vector<Bytes> stored_chunks(const Path& path, const ChunkLayout& layout) {
    std::vector<Bytes> chunks;
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, 0), dataset = H5Dopen2(file, "p", 0);
    hdf5::Extents place(layout.extents.size(), 0);
    while (place[0] < layout.extents[0]) {
        hsize_t bytes = 0;
        std::uint32_t skipped_filters = 1;
        REQUIRE(H5Dget_chunk_storage_size(dataset, place.data(), &bytes) >= 0);
        chunks.emplace_back(bytes);
        REQUIRE(H5Dread_chunk(dataset, 0, place.data(), &skipped_filters, chunks.back().data()) >= 0);
        REQUIRE(skipped_filters == 0);
        std::size_t axis = place.size() - 1;
        for (place[axis] += layout.chunk[axis]; axis > 0 && place[axis] >= layout.extents[axis];) {
            place[axis--] = 0;
            place[axis] += layout.chunk[axis];
        }
    }
    H5Dclose(dataset), H5Fclose(file);
    return chunks;
}

std::vector<float> read(const Path& path) {
    return hdf5::File::open(path).open_dataset("p").read_all<float>();
}

std::vector<float> read_guarded(const Path& path, int threads) {
    const Threads together(threads);
    const auto dataset = guarded::File::open(path).open_dataset("p");
    return dataset.read<float>(hdf5::Extents(dataset.rank(), 0), dataset.extents());
}

std::span<const std::byte> bytes_in(const Bytes& bytes) {
    return std::as_bytes(std::span(bytes));
}

}  // namespace

TEST_CASE("chunks are those of HDF5, and files the same for any number of threads") {
    const TemporaryFolder folder;
    for (const ChunkLayout& layout : kLayouts) {
        CAPTURE(layout.chunk[0]);
        write_with_hdf5(folder.path() / "hdf5.h5", layout);
        write_with_onda(folder.path() / "one.h5", layout, 1);
        CHECK(stored_chunks(folder.path() / "one.h5", layout) == stored_chunks(folder.path() / "hdf5.h5", layout));
        CHECK(read(folder.path() / "one.h5") == values_of(layout.size()));
        for (const int threads : {2, 3, 8, 50}) {
            write_with_onda(folder.path() / "many.h5", layout, threads);
            CHECK(bytes_of(folder.path() / "many.h5") == bytes_of(folder.path() / "one.h5"));
            CHECK(read_guarded(folder.path() / "one.h5", threads) == values_of(layout.size()));
        }
    }
}

TEST_CASE("boxes of whole chunks are read by threads, boxes that cut chunks and other types by HDF5") {
    const TemporaryFolder folder;
    const Path path = folder.path() / "p.h5";
    const ChunkLayout layout{{6, 300, 401}, {2, 150, 200}};
    write_with_onda(path, layout, 2);
    const std::vector<float> values = values_of(layout.size());
    const auto dataset = guarded::File::open(path).open_dataset("p");
    for (const auto& [first, count] :
         std::vector<std::pair<hdf5::Extents, hdf5::Extents>>{{{2, 0, 0}, {4, 300, 401}},
                                                              {{0, 150, 200}, {6, 150, 201}},
                                                              {{1, 0, 0}, {4, 300, 401}},
                                                              {{0, 0, 1}, {6, 300, 400}},
                                                              {{4, 150, 0}, {2, 150, 401}}}) {
        std::vector<float> expected;
        for (hdf5::Extent z = 0; z < count[0]; ++z)
            for (hdf5::Extent y = 0; y < count[1]; ++y)
                for (hdf5::Extent x = 0; x < count[2]; ++x)
                    expected.push_back(values[((first[0] + z) * 300 + first[1] + y) * 401 + first[2] + x]);
        CHECK(dataset.read<float>(first, count) == expected);
        CHECK(dataset.read<double>(first, count) == std::vector<double>(expected.begin(), expected.end()));
    }
}

TEST_CASE("what is no chunk of Onda's, or a damaged one, is not taken for one") {
    const TemporaryFolder folder;
    const ChunkLayout layout{{1, 61, 70, 80}, {1, 16, 70, 80}};
    write_with_hdf5(folder.path() / "p.h5", layout);
    Bytes stored = stored_chunks(folder.path() / "p.h5", layout).front();
    std::vector<std::byte> chunk(16 * 70 * 80 * sizeof(float)), smaller(chunk.size() - 1), larger(chunk.size() + 1);
    REQUIRE(hdf5::unfilter_chunk(bytes_in(stored), chunk));
    CHECK(std::memcmp(chunk.data(), values_of(layout.size()).data(), chunk.size()) == 0);
    CHECK_FALSE(hdf5::unfilter_chunk(bytes_in(stored), smaller));
    CHECK_FALSE(hdf5::unfilter_chunk(bytes_in(stored), larger));
    for (std::size_t bytes = 0; bytes < 40; ++bytes) {
        CHECK_FALSE(hdf5::unfilter_chunk(bytes_in(stored).first(bytes), chunk));
        CHECK_FALSE(hdf5::unfilter_chunk(bytes_in(stored).first(stored.size() - 1 - bytes), chunk));
    }
    // A checksum that fits does not help what it covers.
    const auto seal = [](Bytes& bytes) {
        const std::uint32_t checksum = hdf5::fletcher32(bytes_in(bytes).first(bytes.size() - 4));
        std::memcpy(bytes.data() + bytes.size() - 4, &checksum, 4);
    };
    // In the headers of zlib and of the first block, in values, and in zlib's checksum.
    for (const std::size_t at : {0, 1, 2, 3, 4, 5, 6, 7, 1000, static_cast<int>(stored.size() - 5)})
        for (int bit = 0; bit < 8; ++bit) {
            Bytes other = stored;
            other[at] = static_cast<char>(other[at] ^ 1 << bit);
            CAPTURE(at);
            CAPTURE(bit);
            CHECK_FALSE(hdf5::unfilter_chunk(bytes_in(other), chunk));
            seal(other);
            CHECK_FALSE(hdf5::unfilter_chunk(bytes_in(other), chunk));
        }
}

TEST_CASE("boxes of whole chunks, boxes that cut chunks and other types than the file's come back alike") {
    const TemporaryFolder folder;
    const Path path = folder.path() / "p.h5";
    const ChunkLayout layout{{6, 300, 401}, {1, 150, 401}};
    const std::vector<float> values = values_of(layout.size());
    const std::vector<double> doubles(values.begin(), values.end());
    {
        auto file = hdf5::File::create(path, path);
        auto data = file.create_dataset("p", hdf5::Element::float32, {layout.extents, layout.chunk, {}});
        const std::size_t plane = std::size_t{300} * 401;
        data.write<float>({0, 0, 0}, {3, 300, 401}, std::span(values).first(3 * plane));
        data.write<double>({3, 0, 0}, {2, 300, 401}, std::span(doubles).subspan(3 * plane, 2 * plane));
        data.write<float>({5, 0, 0}, {1, 299, 401}, std::span(values).subspan(5 * plane, plane - 401));
        data.write<float>({5, 299, 0}, {1, 1, 401}, std::span(values).last(401));
        data.close();
        file.close();
    }
    CHECK(read(path) == values);
}

TEST_CASE("a byte of a chunk that changes is noticed, wherever it is") {
    const TemporaryFolder folder;
    const Path path = folder.path() / "p.h5", damaged = folder.path() / "damaged.h5";
    const ChunkLayout layout{{1, 61, 70, 80}, {1, 16, 70, 80}};
    write_with_onda(path, layout, 3);
    const Bytes whole = bytes_of(path);
    for (const Bytes& chunk : stored_chunks(path, layout)) {
        const auto begin =
            std::search(whole.begin(), whole.end(), std::boyer_moore_searcher(chunk.begin(), chunk.end()));
        REQUIRE(begin != whole.end());
        const auto offset = static_cast<std::size_t>(begin - whole.begin());
        // The first and last of zlib's header, values, zlib's checksum and HDF5's.
        for (const std::size_t at :
             {std::size_t{0}, std::size_t{6}, chunk.size() / 2, chunk.size() - 5, chunk.size() - 1}) {
            Bytes bytes = whole;
            bytes[offset + at] = static_cast<char>(bytes[offset + at] ^ 0x20);
            std::ofstream(damaged, std::ios::binary).write(bytes.data(), std::ssize(bytes));
            CAPTURE(at);
            CHECK(fault_of([&] { (void)read(damaged); }).code() == ExitCode::bad_data);
            const Error guarded_fault = fault_of([&] { (void)read_guarded(damaged, 3); });
            CHECK(guarded_fault.code() == ExitCode::bad_data);
            CHECK(contains(guarded_fault.what(), "damaged.h5: /p: cannot read"));
        }
    }
}

TEST_CASE("the checksum is that of the bytes read as big-endian words") {
    const auto of = [](std::vector<int> numbers) {
        std::vector<std::byte> bytes;
        for (const int number : numbers) bytes.push_back(std::byte(number));
        return hdf5::fletcher32(bytes);
    };
    CHECK(of({}) == 0);
    CHECK(of({1, 2}) == 0x01020102);
    CHECK(of({1, 2, 3, 4}) == 0x05080406);
    CHECK(of({1, 2, 3}) == 0x05040402);
    CHECK(of(std::vector<int>(2000, 0xff)) == 0xffffffff);  // 1000 times 65535, folded
}

TEST_CASE("on a full disk several threads leave as little as one") {
    const TemporaryFolder folder;
    const Path path = folder.path() / "p.h5";
    const ChunkLayout& layout = kLayouts.front();
    const auto write = [&] {
        AtomicFile target(path, false);
        write_with_onda(target.temporary(), layout, 3);
        target.commit();
    };
    write();
    const auto whole = std::filesystem::file_size(path);
    std::filesystem::remove(path);
    for (std::uintmax_t limit = 5000; limit < whole; limit += whole / 10) {
        CAPTURE(limit);
        {
            const FileSizeLimit full(limit);
            const Error fault = fault_of(write);
            CHECK(fault.code() == ExitCode::io_error);
            CHECK(contains(fault.what(), "File too large"));
        }
        CHECK(std::filesystem::is_empty(folder.path()));
    }
}
