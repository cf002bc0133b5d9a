// A hostile or damaged model file is refused for a named reason; it neither crashes the reader nor changes a value
// unnoticed.
// Takes 9 s.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <hdf5.h>
#include <iterator>
#include <random>
#include <sys/stat.h>

#include "io/hdf5/hdf5.hpp"
#include "io/models/model_file.hpp"
#include "tests/io/files_support.hpp"
#include "tests/sanitized.hpp"

using namespace onda;

namespace {

using Path = std::filesystem::path;

/// A model file as somebody else writes it, one detail at a time changed by a test. HDF5's default format.
struct Forged {
    std::vector<hsize_t> extents{4, 5}, most_extents, chunk;
    hid_t type = H5T_IEEE_F32LE;
    std::function<void(hid_t creation)> creation = [](hid_t) {};
    std::function<void(hid_t vp)> attributes = [](hid_t vp) { standard_attributes(vp); };
    std::string name = "vp";
    bool write = true;

    static void text(hid_t object, const char* name, const std::vector<const char*>& values) {
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, H5T_VARIABLE);
        const hsize_t count = values.size();
        const hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr);
        const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        REQUIRE(H5Awrite(attribute, type, values.data()) >= 0);
        H5Aclose(attribute), H5Sclose(space), H5Tclose(type);
    }
    static void numbers(hid_t object, const char* name, const std::vector<double>& values) {
        const hsize_t count = values.size();
        const hid_t space = H5Screate_simple(1, &count, nullptr);
        const hid_t attribute = H5Acreate2(object, name, H5T_IEEE_F64BE, space, H5P_DEFAULT, H5P_DEFAULT);
        REQUIRE(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values.data()) >= 0);
        H5Aclose(attribute), H5Sclose(space);
    }
    static void standard_attributes(hid_t vp) {
        text(vp, "units", {"m/s"});
        text(vp, "axis_labels", {"z", "x"});
        numbers(vp, "spacing", {5., 10.});
        numbers(vp, "origin", {0., 100.});
    }

    void make(const Path& path) const {
        const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        REQUIRE(file >= 0);
        const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
        if (!chunk.empty()) H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data());
        creation(list);
        const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(),
                                             most_extents.empty() ? nullptr : most_extents.data());
        const hid_t vp = H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, list, H5P_DEFAULT);
        REQUIRE(vp >= 0);
        if (write) {
            std::vector<float> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)), 2000.f);
            REQUIRE(H5Dwrite(vp, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
        }
        attributes(vp);
        H5Dclose(vp), H5Sclose(space), H5Pclose(list), H5Fclose(file);
    }
};

void read_whole(const Path& path) {
    const ModelFile model(path);
    const auto& shape = model.geometry().shape;
    std::vector<float> vp(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
    model.read({0, 0, 0}, shape, vp);
}

/// Files, datasets, groups and attributes that nobody closed.
ssize_t open_objects() {
    constexpr unsigned kinds = H5F_OBJ_FILE | H5F_OBJ_DATASET | H5F_OBJ_GROUP | H5F_OBJ_ATTR;
    return H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), kinds);
}

struct Hostile {
    const char* reason;
    std::function<void(const Path&)> make;
};

/// The standard attributes but for one, which `other` writes instead.
Hostile attribute(const char* reason, const std::string& replaced, const std::function<void(hid_t)>& other) {
    return {reason, [=](const Path& path) {
                Forged forged;
                forged.attributes = [=](hid_t vp) {
                    Forged::standard_attributes(vp);
                    H5Adelete(vp, replaced.c_str());
                    other(vp);
                };
                forged.make(path);
            }};
}

Hostile dataset(const char* reason, const std::function<void(Forged&)>& change) {
    return {reason, [=](const Path& path) {
                Forged forged;
                change(forged);
                forged.make(path);
            }};
}

/// A good file whose dataset is called "good", and a link that `link` makes to it.
Hostile linked(const char* reason, const std::function<void(hid_t file, const Path&)>& link) {
    return {reason, [=](const Path& path) {
                Forged forged;
                forged.name = "good";
                forged.make(path);
                const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
                link(file, path);
                H5Fclose(file);
            }};
}

void link_externally(hid_t file, const Path& path) {
    // Written while HDF5 still knows external links; the layer under test unregisters them.
    Forged().make(path.parent_path() / "other.h5");
    REQUIRE(H5Lcreate_external("other.h5", "/vp", file, "vp", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

void link_with_a_user_class(hid_t file, const Path&) {
    const H5L_class_t user{H5L_LINK_CLASS_T_VERS,
                           static_cast<H5L_type_t>(200),
                           "test",
                           nullptr,
                           nullptr,
                           nullptr,
                           [](const char*, hid_t, const void*, size_t, hid_t, hid_t) -> hid_t { return -1; },
                           nullptr,
                           nullptr};
    REQUIRE(H5Lregister(&user) >= 0);
    REQUIRE(H5Lcreate_ud(file, "vp", user.id, "x", 1, H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Lunregister(user.id);
}

size_t identity_filter(unsigned, size_t, const unsigned[], size_t bytes, size_t*, void**) {
    return bytes;
}

void use_unknown_filter(Forged& forged) {
    static const H5Z_class2_t filter{H5Z_CLASS_T_VERS, 305, 1, 1, "identity", nullptr, nullptr, identity_filter};
    REQUIRE(H5Zregister(&filter) >= 0);
    forged.chunk = {2, 5};
    forged.creation = [](hid_t list) { H5Pset_filter(list, 305, H5Z_FLAG_MANDATORY, 0, nullptr); };
}

void use_virtual_storage(Forged& forged) {
    forged.write = false;
    forged.creation = [](hid_t list) {
        const hsize_t extents[]{4, 5};
        const hid_t space = H5Screate_simple(2, extents, nullptr);
        REQUIRE(H5Pset_virtual(list, space, "other.h5", "/vp", space) >= 0);
        H5Sclose(space);
    };
}

hid_t half_float() {
    const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    H5Tset_fields(type, 15, 10, 5, 0, 10);
    H5Tset_size(type, 2);
    H5Tset_ebias(type, 15);
    return type;
}

const std::vector<Hostile>& hostile_files() {
    static const std::vector<Hostile> files{
        linked("an external link", link_externally),
        linked("a soft link",
               [](hid_t file, const Path&) { H5Lcreate_soft("/good", file, "vp", H5P_DEFAULT, H5P_DEFAULT); }),
        linked("a user-defined link", link_with_a_user_class),
        linked("vp is not a dataset",
               [](hid_t file, const Path&) { H5Lcreate_hard(file, "/", file, "vp", H5P_DEFAULT, H5P_DEFAULT); }),
        linked("has no dataset vp", [](hid_t, const Path&) {}),
        dataset("external storage",
                [](Forged& f) {
                    f.write = false;
                    f.creation = [](hid_t list) { H5Pset_external(list, "/etc/os-release", 0, 80); };
                }),
        dataset("virtual dataset", use_virtual_storage),
        dataset("filter 305", use_unknown_filter),
        dataset("variable-length elements",
                [](Forged& f) { f.type = H5Tvlen_create(H5T_IEEE_F32LE), f.write = false; }),
        dataset("strings", [](Forged& f) { f.type = H5T_C_S1, f.write = false; }),
        dataset("references", [](Forged& f) { f.type = H5T_STD_REF_OBJ, f.write = false; }),
        dataset("compound records",
                [](Forged& f) {
                    f.type = H5Tcreate(H5T_COMPOUND, 4), f.write = false;
                    H5Tinsert(f.type, "v", 0, H5T_IEEE_F32LE);
                }),
        dataset("not IEEE single or double", [](Forged& f) { f.type = half_float(); }),
        dataset("has 1 dimensions", [](Forged& f) { f.extents = {20}; }),
        dataset("has 4 dimensions",
                [](Forged& f) {
                    f.extents = {2, 2, 2, 2};
                }),
        dataset("5 dimensions; 1 to 4",
                [](Forged& f) {
                    f.extents = {2, 2, 2, 2, 2};
                }),
        dataset("not an array",
                [](Forged& f) {
                    f.extents = {};
                    f.write = false;
                }),
        dataset("is empty",
                [](Forged& f) {
                    f.extents = {0, 5};
                }),
        dataset("declares 17179869184 bytes of values but stores 0",
                [](Forged& f) {
                    f.extents = {65536, 65536}, f.write = false;
                }),
        dataset("declares 17179869184 bytes of values but stores 0",
                [](Forged& f) {
                    f.extents = {65536, 65536}, f.chunk = {256, 256}, f.write = false;
                    f.creation = [](hid_t list) { H5Pset_deflate(list, 9); };
                }),
        dataset("extents overflow",
                [](Forged& f) {
                    f.extents = {1ULL << 31, 1ULL << 31}, f.chunk = {64, 64}, f.write = false;
                }),
        dataset("chunk of 8 in a dimension of 4",
                [](Forged& f) {
                    f.chunk = {8, 5}, f.most_extents = {H5S_UNLIMITED, 5};
                }),
        dataset("chunks of more than 1 GiB",
                [](Forged& f) {
                    f.extents = f.chunk = {1ULL << 15, 1ULL << 14}, f.write = false;
                }),
        attribute("no attribute units", "units", [](hid_t) {}),
        attribute("= 'ft/s': must be m/s or km/s", "units", [](hid_t vp) { Forged::text(vp, "units", {"ft/s"}); }),
        attribute("units must be text", "units", [](hid_t vp) { Forged::numbers(vp, "units", {1.}); }),
        attribute("units must be one text, not 2", "units",
                  [](hid_t vp) {
                      Forged::text(vp, "units", {"m/s", "m/s"});
                  }),
        attribute("no attribute axis_labels", "axis_labels", [](hid_t) {}),
        attribute("[z, z]: must be a permutation", "axis_labels",
                  [](hid_t vp) {
                      Forged::text(vp, "axis_labels", {"z", "z"});
                  }),
        attribute("[z, y]: must be a permutation", "axis_labels",
                  [](hid_t vp) {
                      Forged::text(vp, "axis_labels", {"z", "y"});
                  }),
        attribute("[z, depth]: must be", "axis_labels",
                  [](hid_t vp) {
                      Forged::text(vp, "axis_labels", {"z", "depth"});
                  }),
        attribute("names 1 axes of a dataset with 2", "axis_labels",
                  [](hid_t vp) { Forged::text(vp, "axis_labels", {"z"}); }),
        attribute("no attribute spacing", "spacing", [](hid_t) {}),
        attribute("spacing has 3 values for 2", "spacing",
                  [](hid_t vp) {
                      Forged::numbers(vp, "spacing", {1., 1., 1.});
                  }),
        attribute("spacing[1] = 0: must be positive", "spacing",
                  [](hid_t vp) {
                      Forged::numbers(vp, "spacing", {1., 0.});
                  }),
        attribute("spacing[0] = nan: must be positive", "spacing",
                  [](hid_t vp) {
                      Forged::numbers(vp, "spacing", {std::nan(""), 1.});
                  }),
        attribute("origin[0] = inf: must be finite", "origin",
                  [](hid_t vp) {
                      Forged::numbers(vp, "origin", {HUGE_VAL, 0.});
                  }),
        attribute("spacing must be numbers", "spacing",
                  [](hid_t vp) {
                      Forged::text(vp, "spacing", {"5", "5"});
                  }),
        attribute("attribute spacing is refused: 5000 values", "spacing",
                  [](hid_t vp) { Forged::numbers(vp, "spacing", std::vector<double>(5000, 1.)); }),
    };
    return files;
}

}  // namespace

TEST_CASE("hostile files are refused by name of the reason") {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const TemporaryFolder folder;
    std::vector<Path> made;
    for (const auto& hostile : hostile_files()) {
        CAPTURE(hostile.reason);
        made.push_back(folder.path() / (std::to_string(made.size()) + ".h5"));
        hostile.make(made.back());
    }
    Forged().make(folder.path() / "good.h5");
    read_whole(folder.path() / "good.h5");  // so that each refusal below is for its one change
    for (std::size_t n = 0; n < made.size(); ++n) {
        CAPTURE(hostile_files()[n].reason);
        const auto fault = fault_of([&] { read_whole(made[n]); });
        const std::string message = fault.what();
        CAPTURE(message);
        CHECK(fault.code() == ExitCode::bad_data);
        CHECK(contains(fault.what(), made[n].string()));
        CHECK(contains(fault.what(), hostile_files()[n].reason));
    }
    CHECK(open_objects() == 0);
}

TEST_CASE("what is no file, no HDF5 file or cut short is refused") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.h5";
    mkfifo(path.c_str(), 0600);
    CHECK(contains(fault_of([&] { read_whole(path); }).what(), "not a plain file"));
    std::filesystem::remove(path);
    CHECK(fault_of([&] { read_whole(path); }).code() == ExitCode::missing_input);
    std::ofstream(path) << "";
    CHECK(fault_of([&] { read_whole(path); }).code() == ExitCode::bad_data);
    Forged().make(path);
    const auto whole = std::filesystem::file_size(path);
    std::filesystem::resize_file(path, whole - 100);
    const auto fault = fault_of([&] { read_whole(path); });
    CHECK(fault.code() == ExitCode::bad_data);
    CHECK(contains(fault.what(), "truncated file"));
}

TEST_CASE("a file of a later format is refused") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.h5";
    Forged().make(path);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    Forged::numbers(file, "format_version", {2.});
    H5Fclose(file);
    CHECK(contains(fault_of([&] { read_whole(path); }).what(), "format_version = 2; this Onda reads version 1"));
}

namespace {

using Bytes = std::vector<char>;

/// Each is read by a process of its own, and sanitizers make those slow.
constexpr int kMutants = test::kSanitized ? 500 : 3000;

Bytes mutated(Bytes bytes, std::mt19937_64& random) {
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    switch (below(6)) {
        case 0: bytes.resize(below(bytes.size())); break;
        case 1: {
            const auto first = below(bytes.size()), count = std::min(below(64) + 1, bytes.size() - first);
            std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(first), count, below(2) == 0 ? '\0' : '\xff');
            break;
        }
        default:
            for (auto left = below(4) + 1; left > 0; --left) bytes[below(bytes.size())] = static_cast<char>(random());
    }
    return bytes;
}

struct Content {
    FileGeometry geometry;
    std::optional<std::array<double, 2>> range;
    std::vector<float> vp;
};

Content read_content(const Path& path) {
    const ModelFile model(path);
    Content content{model.geometry(), model.stored_range(), {}};
    const auto& shape = content.geometry.shape;
    if (shape[0] * shape[1] * shape[2] > 1'000'000) throw std::runtime_error("shape grew");
    content.vp.resize(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
    model.read({0, 0, 0}, shape, content.vp);
    return content;
}

bool same(const Content& a, const Content& b) {
    return a.geometry.shape == b.geometry.shape && a.geometry.spacing_m == b.geometry.spacing_m &&
           a.geometry.origin_m == b.geometry.origin_m && a.range == b.range && a.vp == b.vp;
}

}  // namespace

TEST_CASE("the one change that Fletcher-32 does not see, 0000 for FFFF, is seen") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "model.h5";
    // 1904 is 44EE0000 and would become 1912 unnoticed.
    write_model_file(
        path, {2, {8, 1, 8}, {1., 1., 1.}, {0., 0., 0.}},
        [](std::int64_t, std::span<float> plane) { std::fill(plane.begin(), plane.end(), 1904.f); }, "", false);
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const float value = 1904.f;
    std::array<char, 4> stored{};
    std::memcpy(stored.data(), &value, sizeof value);
    const auto at = bytes.find(std::string(stored.data(), 4) + std::string(stored.data(), 4));
    REQUIRE(at != std::string::npos);
    std::replace(stored.begin(), stored.end(), '\0', '\xff');
    file.seekp(static_cast<std::streamoff>(at));
    file.write(stored.data(), stored.size());
    file.close();
    CHECK(fault_of([&] { read_whole(path); }).code() == ExitCode::bad_data);
}

TEST_CASE("mutants of a model file: no crash, no value silently wrong") {
    const TemporaryFolder folder;
    const auto good = folder.path() / "good.h5", mutant = folder.path() / "mutant.h5";
    write_model_file(
        good, {3, {6, 5, 7}, {10., 20., 30.}, {1., 2., 3.}},
        [](std::int64_t z, std::span<float> plane) {
            for (std::size_t n = 0; n < plane.size(); ++n)
                plane[n] = 1500.f + static_cast<float>(n) + 100.f * static_cast<float>(z);
        },
        "mutants", false);
    const auto expected = read_content(good);
    const Bytes bytes = bytes_of(good);
    std::mt19937_64 random(20240607);
    int refused = 0, unharmed = 0, wrong = 0;
    for (int n = 0; n < kMutants; ++n) {
        const auto changed = mutated(bytes, random);
        std::ofstream(mutant, std::ios::binary | std::ios::trunc)
            .write(changed.data(), static_cast<std::streamsize>(changed.size()));
        try {
            ++(same(read_content(mutant), expected) ? unharmed : wrong);
        } catch (const Error& error) {
            CHECK(error.code() == ExitCode::bad_data);
            ++refused;
        }
    }
    MESSAGE("refused ", refused, ", unharmed ", unharmed, ", wrong ", wrong, " of a file of ", bytes.size(), " bytes");
    CHECK(wrong == 0);
    CHECK(open_objects() == 0);
    CHECK(refused > kMutants / 3);
}
