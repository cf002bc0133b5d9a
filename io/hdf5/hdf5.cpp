#include "io/hdf5/hdf5.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <functional>
#include <new>
#include <numeric>
#include <pthread.h>
#include <sys/file.h>
#include <type_traits>
#include <unistd.h>
#include <utility>

#include "io/files/input_file.hpp"
#include "io/hdf5/hdf5_detail.hpp"
#include "io/hdf5/tiles.hpp"
#include "io/text/printable.hpp"

namespace onda::hdf5 {

namespace {

/// The turns of all threads. Whoever starts a process by fork() does so in a turn: a copy of the library in the middle
/// of another thread's work would crash. The child has one thread and nobody's turn.
class Turns {
public:
    static std::recursive_mutex& all() {
        static Turns turns;
        return turns.mutex_;
    }

private:
    Turns() {
        pthread_atfork([] { all().lock(); }, [] { all().unlock(); }, [] { new (&all()) std::recursive_mutex; });
    }
    std::recursive_mutex mutex_;
};

}  // namespace

namespace {
thread_local int turns_of_thread = 0;
}

Turn::Turn() : library_(detail::kLibrary) {
    Turns::all().lock();
    ++turns_of_thread;
}

Turn::~Turn() {
    --turns_of_thread;
    Turns::all().unlock();
}

Turn::Pause::Pause() : turns_(std::exchange(turns_of_thread, 0)) {
    for (int i = 0; i < turns_; ++i) Turns::all().unlock();
}

Turn::Pause::~Pause() {
    for (; turns_of_thread < turns_; ++turns_of_thread) Turns::all().lock();
}

using detail::check;
using detail::library_fault;
using detail::ScopedId;

static_assert(std::is_same_v<Id, hid_t> && std::is_same_v<Extent, hsize_t>);

namespace detail {

namespace {
/// What a disk, a network or the limits of the system answer. A damaged file asks for what cannot be, EINVAL.
constexpr std::array kFaultsOfSystem{EIO, ESTALE, ENXIO, ENODEV, ETIMEDOUT, ENOSPC, EDQUOT, EROFS, EMFILE, ENFILE};

herr_t collect(unsigned, const H5E_error2_t* error, void* descriptions) {
    if (error->desc != nullptr && error->desc[0] != '\0')
        static_cast<std::vector<std::string>*>(descriptions)->emplace_back(error->desc);
    return 0;
}

/// An HDF5 description without the time, buffer and descriptor that the POSIX driver adds; with the system's own words.
std::string brief(const std::string& description) {
    constexpr std::string_view label = "error message = '";
    const auto at = description.find(label);
    if (at == std::string::npos) return description;
    const auto begin = at + label.size();
    return description.substr(0, description.find(": time")) + ": " +
           description.substr(begin, description.find('\'', begin) - begin);
}

/// Whether an HDF5 description is the POSIX driver's of a call that the system has failed.
bool blames_system(const std::string& description) {
    return std::ranges::any_of(kFaultsOfSystem, [&description](int error) {
        return description.find("errno = " + std::to_string(error) + ",") != std::string::npos;
    });
}
}  // namespace

LibraryFault library_fault() {
    std::vector<std::string> descriptions;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, collect, &descriptions);
    if (descriptions.empty()) return {};
    // What was asked for, and the cause; the calls between tell a user nothing.
    const auto first = brief(descriptions.front()), last = brief(descriptions.back());
    return {" (HDF5: " + (first == last ? first : first + " … " + last) + ")",
            std::ranges::any_of(descriptions, blames_system)};
}

namespace {
/// HDF5 1.10 crashes where many of its own allocations fail, those of its start among them. Where there is room for
/// what a call needs, at least it does not begin in vain.
void require_room() {
    constexpr std::size_t room = std::size_t{4} << 20;
    void* volatile probe = std::malloc(room);  // volatile: a compiler may take for granted that unused memory is there
    if (probe == nullptr) throw std::bad_alloc();
    std::free(probe);
}
}  // namespace

/// In the place of HDF5's own: external links can be made and looked at, but are never followed.
template <typename... Arguments>
hid_t follow_no_link(Arguments...) {
    return H5I_INVALID_HID;
}
ssize_t show_link(const char*, const void* value, std::size_t bytes, void* room, std::size_t room_bytes) {
    if (room != nullptr) std::memcpy(room, value, std::min(bytes, room_bytes));
    return static_cast<ssize_t>(bytes);
}
constexpr H5L_class_t kUnfollowedLinks{H5L_LINK_CLASS_T_VERS, H5L_TYPE_EXTERNAL, "external", nullptr, nullptr, nullptr,
                                       follow_no_link,        nullptr,           show_link};

/// When HDF5 sets itself up, or describes what it is to do, only an allocation can fail.
[[noreturn]] void fail_to_set_up() {
    throw Error(ExitCode::out_of_memory, "out of memory: cannot set up the HDF5 library" + library_fault().text +
                                             "\n  take a machine with more memory");
}

void close_doors() {
    static const bool closed = [] {
        const bool no_plugins = H5PLset_loading_state(0) >= 0;
        return H5Lregister(&kUnfollowedLinks) >= 0 && no_plugins;
    }();
    if (!closed) fail_to_set_up();
}

namespace {
/// Whether this process shares HDF5 with other users; set before any of its threads uses HDF5.
bool is_shared = false;
}  // namespace

void prepare_library() {
    require_room();
    const LibraryAtWork library(kLibrary);
    // After a failed write HDF5 1.10 cannot close what it holds, and its clean-up at exit would crash on it. Every
    // object is closed by its owner, so that nothing is left for it to do. Fails, harmlessly, if HDF5 is in use
    // already.
    static const herr_t no_exit_handler = H5dont_atexit();
    static_cast<void>(no_exit_handler);
    // The error stack and its printing are a thread's own; the rest is the process's.
    thread_local const herr_t quiet = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    if (quiet < 0) fail_to_set_up();
    if (!is_shared) close_doors();
}

hid_t memory_type(Element element) {
    switch (element) {
        case Element::float32: return H5T_NATIVE_FLOAT;
        case Element::float64: return H5T_NATIVE_DOUBLE;
        case Element::int32: return H5T_NATIVE_INT32;
        case Element::int64: return H5T_NATIVE_INT64;
        case Element::uint8: return H5T_NATIVE_UINT8;
    }
    return H5I_INVALID_HID;
}

hid_t file_type(Element element) {
    switch (element) {
        case Element::float32: return H5T_IEEE_F32LE;
        case Element::float64: return H5T_IEEE_F64LE;
        case Element::int32: return H5T_STD_I32LE;
        case Element::int64: return H5T_STD_I64LE;
        case Element::uint8: return H5T_STD_U8LE;
    }
    return H5I_INVALID_HID;
}

}  // namespace detail

namespace {
/// In memory and in files.
std::size_t bytes_of(Element element) {
    switch (element) {
        case Element::float32: return sizeof(float);
        case Element::float64: return sizeof(double);
        case Element::int32: return sizeof(std::int32_t);
        case Element::int64: return sizeof(std::int64_t);
        case Element::uint8: return 1;
    }
    return 0;
}
}  // namespace

void share_library() {
    detail::is_shared = true;
}

namespace {

std::string listed(const Extents& extents) {
    std::string text;
    for (const auto extent : extents) text += (text.empty() ? "" : ", ") + std::to_string(extent);
    return "[" + text + "]";
}

/// The 1.10 format: checksummed metadata, and the same bytes from every later library. What HDF5 knows of an object
/// goes when the object is closed: the cache for it counts bytes of the file, and those take ten times as many in
/// memory.
/// \param locked while it is open. A file that is being created is AtomicFile's, which has locked it already.
ScopedId access_list(bool locked) {
    ScopedId access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    // Locks are refused by some network file systems: taken where they work, done without where they do not.
    const bool ok = access.get() >= 0 && H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
                    H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG) >= 0 &&
                    H5Pset_file_locking(access.get(), locked, true) >= 0 &&
                    H5Pset_evict_on_close(access.get(), true) >= 0;
    if (!ok) detail::fail_to_set_up();
    return access;
}

/// Whether the file system knows locks. HDF5 does without them only where it says so with ENOSYS; others answer ENOLCK
/// or EOPNOTSUPP.
bool locks_work(const std::filesystem::path& file) {
    const int id = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (id < 0) return true;  // HDF5 will say why
    const bool work = ::flock(id, LOCK_SH | LOCK_NB) == 0 || errno == EWOULDBLOCK;
    ::close(id);
    return work;
}

/// Creation properties without the times at which objects are made and changed: the same values give the same bytes.
ScopedId timeless(hid_t kind) {
    ScopedId creation(H5Pcreate(kind), H5Pclose);
    if (creation.get() < 0 || H5Pset_obj_track_times(creation.get(), false) < 0) detail::fail_to_set_up();
    return creation;
}

/// What H5DSset_label writes, and h5py, netCDF and xarray look for: an attribute of variable-length strings, whose type
/// H5DSget_label takes for granted. It lies in the global heap without a checksum; nothing of Onda reads it.
void set_dimension_labels(hid_t dataset, const Object& object, const std::vector<std::string>& labels) {
    const ScopedId type(check(H5Tcopy(H5T_C_S1), object, "make a text type"), H5Tclose);
    check(H5Tset_size(type.get(), H5T_VARIABLE), object, "make a text type");
    const hsize_t count = labels.size();
    const ScopedId space(check(H5Screate_simple(1, &count, nullptr), object, "make a dataspace"), H5Sclose);
    const ScopedId attribute(
        check(H5Acreate2(dataset, "DIMENSION_LABELS", type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), object,
              "create the dimension labels"),
        H5Aclose);
    std::vector<const char*> texts;
    for (const auto& label : labels) texts.push_back(label.c_str());
    check(H5Awrite(attribute.get(), type.get(), texts.data()), object, "write the dimension labels");
}

ScopedId select_box(hid_t dataset, const Dataset& object, const Extents& first, const Extents& count,
                    std::size_t size) {
    if (first.size() != object.rank() || count.size() != object.rank() || product(count) != size)
        throw Error(ExitCode::internal, object.place() + ": box " + listed(first) + " + " + listed(count) +
                                            " does not fit " + std::to_string(size) + " values of rank " +
                                            std::to_string(object.rank()));
    for (std::size_t axis = 0; axis < first.size(); ++axis)
        if (count[axis] > object.extents()[axis] || first[axis] > object.extents()[axis] - count[axis])
            throw Error(ExitCode::internal, object.place() + ": box " + listed(first) + " + " + listed(count) +
                                                " leaves the extents " + listed(object.extents()));
    ScopedId space(check(H5Dget_space(dataset), object, "get the extents"), H5Sclose);
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr), object,
          "select a box");
    return space;
}

}  // namespace

ScopedId detail::creation_list(const Group& group, const Extents& chunk) {
    ScopedId creation = timeless(H5P_DATASET_CREATE);
    if (chunk.empty()) return creation;
    check(H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data()), group, "set the chunk");
    // Fletcher-32 cannot tell 0000 from FFFF in 16 bits; the Adler-32 that zlib adds, even without compressing, can.
    check(H5Pset_deflate(creation.get(), 0), group, "set the inner checksum");
    check(H5Pset_fletcher32(creation.get()), group, "set the outer checksum");
    return creation;
}

Extent even_chunk(Extent extent, Extent most) {
    const Extent chunks = (extent + most - 1) / std::max<Extent>(most, 1);
    return chunks == 0 ? 1 : (extent + chunks - 1) / chunks;
}

Extents default_chunk(const Extents& extents, std::size_t element_bytes) {
    Extent room = std::max<Extent>(1, (Extent{1} << 20) / element_bytes);
    Extents chunk(extents.size(), 1);
    for (std::size_t axis = extents.size(); axis-- > 0;) {
        chunk[axis] = std::clamp<Extent>(extents[axis], 1, room);
        room /= chunk[axis];
        if (room == 0) break;
    }
    return chunk;
}

// Object -----------------------------------------------------------------------------------------------------------

Object::Object(Id id, Closer closer, std::shared_ptr<FileState> file, std::string name)
    : id_(id), closer_(closer), file_(std::move(file)), name_(std::move(name)) {
    if (id_ >= 0) ++file_->objects;
}

Object::Object(Object&& other) noexcept
    : id_(std::exchange(other.id_, -1)), closer_(other.closer_), file_(other.file_), name_(std::move(other.name_)) {}

Object& Object::operator=(Object&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(closer_, other.closer_);
    std::swap(file_, other.file_);
    std::swap(name_, other.name_);
    return *this;
}

Object::~Object() {
    if (id_ < 0) return;
    --file_->objects;
    if (!file_->abandoned && closer_(id_) < 0) file_->abandoned = true;
}

std::string Object::place() const {
    return printable_whole(name_ == "/" ? file_->name : file_->name + ": " + name_);
}

void Object::fail(const std::string& message) const {
    fail_by({.text = "", .is_of_system = false}, message);
}

void Object::fail_by(const detail::LibraryFault& fault, const std::string& message) const {
    file_->abandoned = file_->fault == ExitCode::io_error;
    throw Error(fault.is_of_system ? ExitCode::io_error : file_->fault,
                place() + ": " + printable_whole(message + fault.text));
}

void Object::close() {
    if (id_ < 0) return;
    --file_->objects;
    check(closer_(std::exchange(id_, -1)), *this, "finish writing it");
}

// Dataset ----------------------------------------------------------------------------------------------------------

Dataset::Dataset(Id id, std::shared_ptr<FileState> file, std::string name)
    : Object(id, H5Dclose, std::move(file), std::move(name)) {}

Extent Dataset::size() const {
    return product(extents_);
}

namespace {

/// Memory of the shape of the box: between shapes of different rank HDF5 walks element by element, 20 times slower.
ScopedId memory_space(const Extents& count, const Object& object) {
    const std::vector<hsize_t> extents(count.begin(), count.end());
    const hid_t id = extents.empty() ? H5Screate(H5S_SCALAR)
                                     : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
    return {check(id, object, "describe memory"), H5Sclose};
}

}  // namespace

void Dataset::read_box(const Extents& first, const Extents& count, Element element, void* values,
                       std::size_t size) const {
    detail::prepare_library();  // of this thread: it need not be the one that opened the file
    if (!sources_.empty()) throw Error(ExitCode::internal, place() + ": a view is read from the files of its sources");
    const auto space = select_box(id_, *this, first, count, size);
    if (size == 0) return;
    const auto memory = memory_space(count, *this);
    check(H5Dread(id_, detail::memory_type(element), memory.get(), space.get(), H5P_DEFAULT, values), *this,
          "read its values");
}

void Dataset::write_box(const Extents& first, const Extents& count, Element element, const void* values,
                        std::size_t size) {
    detail::prepare_library();
    const auto space = select_box(id_, *this, first, count, size);
    if (size == 0) return;
    if (goes_in_whole_chunks(first, count, element)) {
        write_chunks(first, count, values);
        return;
    }
    const auto memory = memory_space(count, *this);
    check(H5Dwrite(id_, detail::memory_type(element), memory.get(), space.get(), H5P_DEFAULT, values), *this,
          "write its values");
}

// Group ------------------------------------------------------------------------------------------------------------

Group::Group(Id id, Closer closer, std::shared_ptr<FileState> file, std::string name)
    : Object(id, closer, std::move(file), std::move(name)) {}

std::string Group::path_of(const std::string& name) const {
    return name_ == "/" ? "/" + name : name_ + "/" + name;
}

Group Group::create_group(const std::string& name) {
    const ScopedId creation = timeless(H5P_GROUP_CREATE);
    const Id id = check(H5Gcreate2(id_, name.c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), *this,
                        ("create the group " + name).c_str());
    return Group(id, H5Gclose, file_, path_of(name));
}

Dataset Group::create_dataset(const std::string& name, Element element, const DatasetLayout& layout) {
    const auto& extents = layout.extents;
    const hid_t type = detail::file_type(element);
    Extents chunk = layout.chunk.empty() ? default_chunk(extents, bytes_of(element)) : layout.chunk;
    if (extents.empty() || chunk.size() != extents.size())
        throw Error(ExitCode::internal, place() + ": " + name + ": chunk and extents differ in rank");
    for (std::size_t axis = 0; axis < chunk.size(); ++axis) chunk[axis] = std::min(chunk[axis], extents[axis]);
    if (product(extents) == 0) chunk.clear();
    const auto creation = detail::creation_list(*this, chunk);
    const ScopedId space(
        check(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), *this, "describe extents"),
        H5Sclose);
    const Id id = check(H5Dcreate2(id_, name.c_str(), type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                        *this, ("create the dataset " + name).c_str());
    Dataset dataset(id, file_, path_of(name));
    dataset.extents_ = extents;
    dataset.chunk_ = std::move(chunk);
    dataset.element_ = element;
    dataset.element_bytes_ = bytes_of(element);
    if (!layout.dimension_labels.empty()) set_dimension_labels(id, dataset, layout.dimension_labels);
    return dataset;
}

bool Group::contains(const std::string& name) const {
    return check(H5Lexists(id_, name.c_str(), H5P_DEFAULT), *this, "look for a name in it") > 0;
}

namespace {

constexpr std::size_t kMostNamed = 8;

/// Whether a link is to a group in the file itself; a link that is damaged is to nothing.
bool is_group(Id group, const std::string& name) {
    H5L_info_t link;
    H5O_info_t object;
    return H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD &&
           H5Oget_info_by_name2(group, name.c_str(), &object, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
           object.type == H5O_TYPE_GROUP;
}

}  // namespace

/// "density", "model/vp": the links of the group, and in place of groups their own, so many levels deep; "shots/"
/// where they are more than can be named. None if they are more themselves.
std::vector<std::string> Group::paths_within(int levels) const {
    H5G_info_t info;
    std::vector<std::string> paths;
    if (H5Gget_info(id_, &info) < 0 || info.nlinks > kMostNamed) return paths;
    for (const std::string& name : names()) {
        const std::string shown_name = printable(name.substr(0, 64));
        const bool group = is_group(id_, name);
        std::vector<std::string> within;
        if (group && levels > 1) within = open_group(name).paths_within(levels - 1);
        if (within.empty()) within = {group ? "" : shown_name};
        for (const std::string& path : within) paths.push_back(group ? shown_name + "/" + path : path);
    }
    return paths.size() > kMostNamed ? std::vector<std::string>{} : paths;
}

/// "; there are density, model/vp": what a user may have meant by a name that is not there.
std::string Group::what_there_is() const {
    constexpr int levels = 3;
    std::string list;
    const std::vector<std::string> paths = paths_within(levels);
    for (const std::string& path : paths) list += (list.empty() ? "" : ", ") + path;
    return paths.empty() ? "" : (paths.size() == 1 ? "; there is " : "; there are ") + list;
}

Id Group::open_object(const std::string& path, int kind, const char* kind_name) const {
    for (std::size_t end = 0; end != std::string::npos;) {
        end = path.find('/', end + 1);
        const auto part = path.substr(0, end);
        H5L_info_t link;
        if (!contains(part)) fail("has no " + std::string(kind_name) + " " + part + what_there_is());
        check(H5Lget_info(id_, part.c_str(), &link, H5P_DEFAULT), *this, "look at a link");
        if (link.type != H5L_TYPE_HARD)
            fail(part + " is refused: " +
                 (link.type == H5L_TYPE_SOFT       ? "a soft link"
                  : link.type == H5L_TYPE_EXTERNAL ? "an external link, to another file"
                                                   : "a user-defined link"));
    }
    ScopedId object(check(H5Oopen(id_, path.c_str(), H5P_DEFAULT), *this, ("open " + path).c_str()), H5Oclose);
    if (H5Iget_type(object.get()) != kind) fail(path + " is not a " + kind_name);
    return object.release();
}

Group Group::open_group(const std::string& path) const {
    return Group(open_object(path, H5I_GROUP, "group"), H5Gclose, file_, path_of(path));
}

namespace {

/// With a cache that holds one chunk: HDF5's own, of 1 MiB, would filter a larger chunk again for every box within it.
Id reopen_with_cache(Id group, const std::string& path, Extent chunk_bytes, const Dataset& dataset) {
    const ScopedId access(check(H5Pcreate(H5P_DATASET_ACCESS), dataset, "describe its cache"), H5Pclose);
    check(H5Pset_chunk_cache(access.get(), H5D_CHUNK_CACHE_NSLOTS_DEFAULT, chunk_bytes, H5D_CHUNK_CACHE_W0_DEFAULT),
          dataset, "describe its cache");
    return check(H5Dopen2(group, path.c_str(), access.get()), dataset, "open it");
}

}  // namespace

Dataset Group::open_dataset(const std::string& path, Storage storage) const {
    constexpr Extent usual_cache_bytes = Extent{1} << 20;
    Dataset dataset(open_object(path, H5I_DATASET, "dataset"), file_, path_of(path));
    auto layout = detail::check_layout(dataset.id_, dataset, file_->name, detail::Content::numbers, storage);
    const Extent chunk_bytes = product(layout.chunk) * layout.element_bytes;
    if (layout.filtered && chunk_bytes > usual_cache_bytes) {
        check(H5Dclose(std::exchange(dataset.id_, -1)), dataset, "close it");
        dataset.id_ = reopen_with_cache(id_, path, chunk_bytes, dataset);
    }
    dataset.extents_ = std::move(layout.extents);
    dataset.chunk_ = std::move(layout.chunk);
    dataset.element_bytes_ = layout.element_bytes;
    dataset.filtered_as_ = layout.filtered_as;
    dataset.checksums_ = layout.checksums;
    dataset.sources_ = std::move(layout.sources);
    return dataset;
}

std::vector<std::string> Group::names() const {
    constexpr hsize_t most_links = 1'000'000;
    H5G_info_t info;
    check(H5Gget_info(id_, &info), *this, "count its links");
    if (info.nlinks > most_links) fail("is refused: " + std::to_string(info.nlinks) + " links");
    struct Listing {
        std::vector<std::string> names;
        std::exception_ptr fault;
    } list;
    // In one walk: HDF5 sorts all names again for every one that is asked for by its index.
    const H5L_iterate_t take = [](hid_t, const char* name, const H5L_info_t*, void* taken) -> herr_t {
        auto& listing = *static_cast<Listing*>(taken);
        try {
            listing.names.emplace_back(name);
            return 0;
        } catch (...) {
            listing.fault = std::current_exception();
            return H5_ITER_ERROR;
        }
    };
    hsize_t from = 0;
    const herr_t walked = H5Literate(id_, H5_INDEX_NAME, H5_ITER_INC, &from, take, &list);
    if (list.fault) std::rethrow_exception(list.fault);
    check(walked, *this, "list its links");
    return std::move(list.names);
}

// File -------------------------------------------------------------------------------------------------------------

File::File(Id id, std::string file, ExitCode fault)
    : Group(id, H5Fclose, std::make_shared<FileState>(FileState{std::move(file), fault}), "/") {}

File File::create(const std::filesystem::path& file, const std::filesystem::path& shown) {
    detail::prepare_library();
    const auto access = access_list(false);
    const ScopedId creation = timeless(H5P_FILE_CREATE);
    const Id id = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, creation.get(), access.get());
    // What an AtomicFile has created already is not kept from us by its place or name.
    std::error_code unseen;
    const bool created = std::filesystem::exists(file, unseen);
    if (id < 0)
        throw Error(created ? ExitCode::io_error : ExitCode::cannot_create,
                    onda::shown(shown) + ": cannot create the file" + library_fault().text);
    return File(id, shown.string(), ExitCode::io_error);
}

File File::open(const std::filesystem::path& file) {
    detail::prepare_library();
    input_file_size(file);  // refuses what is not there or no plain file
    const auto access = access_list(locks_work(file));
    errno = 0;
    const Id id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, access.get());
    const bool none_left = errno == EMFILE || errno == ENFILE;  // the system's fault, not the file's
    if (id < 0) {
        const detail::LibraryFault fault = library_fault();
        throw Error(none_left || fault.is_of_system ? ExitCode::io_error : ExitCode::bad_data,
                    shown(file) + ": cannot open it as an HDF5 file" + fault.text);
    }
    return File(id, file.string(), ExitCode::bad_data);
}

void File::close() {
    if (id_ < 0) return;
    check(H5Fflush(id_, H5F_SCOPE_GLOBAL), *this, "write it");
    // An object left open would be closed by H5Fclose, and its write errors lost.
    if (check(H5Fget_obj_count(id_, H5F_OBJ_ALL), *this, "count open objects") != 1) {
        if (file_->objects == 1) fail("HDF5 has not closed all that was in it");
        throw Error(ExitCode::internal, place() + ": closed while datasets or groups of it are open");
    }
    Object::close();
}

}  // namespace onda::hdf5
