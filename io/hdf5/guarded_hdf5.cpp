#include "io/hdf5/guarded_hdf5.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>

#include "io/files/input_file.hpp"
#include "io/hdf5/chunk_reader.hpp"
#include "io/hdf5/guarded_hdf5_server.hpp"
#include "io/hdf5/hdf5_detail.hpp"
#include "io/hdf5/sandbox.hpp"
#include "io/hdf5/tiles.hpp"
#include "io/text/message.hpp"
#include "io/text/printable.hpp"

namespace onda::guarded {

using detail::Request;
using hdf5::for_each_tile;
using hdf5::product;
using hdf5::sum;

namespace {

/// Empty where the system does not say.
std::filesystem::path folder_of_process() {
    std::error_code unknown;
    return std::filesystem::current_path(unknown);
}

/// Allowed for what is no value: attributes, the tables of a file. Their size is not known before they are read.
constexpr double metadata_bytes = 1e6;

}  // namespace

struct Connection {
    std::string name;  ///< as messages show it
    std::uintmax_t file_bytes;
    sandbox::Child child;
    std::optional<hdf5::ChunkReader> chunks{};
    std::filesystem::path started_in = folder_of_process();  ///< from which the child sees relative paths

    /// A copy of the answer, of which nothing but its size is known.
    std::vector<std::byte> ask(const MessageWriter& request) {
        std::vector<std::byte> copy;
        child.ask(request.bytes(), metadata_bytes,
                  [&](sandbox::ConstBytes answer) { copy.assign(answer.begin(), answer.end()); });
        return copy;
    }
    [[noreturn]] void astray() const {
        throw Error(ExitCode::bad_data, name + ": damaged: HDF5 went astray while reading it");
    }
};

// Object -----------------------------------------------------------------------------------------------------------

namespace {

MessageWriter request_for(Request kind, std::uint64_t object, const std::string& name) {
    MessageWriter request;
    request.put(kind).put(object).put(name);
    return request;
}

/// \param take turns a MessageReader into the result.
template <class Take>
auto ask(Connection& connection, Request kind, std::uint64_t object, const std::string& name, const Take& take) {
    const auto answer = connection.ask(request_for(kind, object, name));
    MessageReader in(answer);
    try {
        return take(in);
    } catch (const Error&) {
        connection.astray();
    }
}

template <class Take>
auto ask_optional(Connection& connection, Request kind, std::uint64_t object, const std::string& name,
                  const Take& take) {
    using Value = std::invoke_result_t<Take, MessageReader&>;
    return ask(connection, kind, object, name, [&](MessageReader& in) {
        return in.take<std::uint8_t>() != 0 ? std::optional<Value>(take(in)) : std::nullopt;
    });
}

}  // namespace

Object::Object(std::shared_ptr<Connection> connection, std::uint64_t number, std::string name)
    : connection_(std::move(connection)), number_(number), name_(std::move(name)) {}

std::optional<std::string> Object::text(const std::string& name) const {
    return ask_optional(*connection_, Request::text, number_, name, [](MessageReader& in) { return in.take_text(); });
}

std::optional<std::vector<std::string>> Object::texts(const std::string& name) const {
    return ask_optional(*connection_, Request::texts, number_, name,
                        [](MessageReader& in) { return in.take_all<std::string>(); });
}

std::optional<double> Object::number(const std::string& name) const {
    return ask_optional(*connection_, Request::number, number_, name,
                        [](MessageReader& in) { return in.take<double>(); });
}

std::optional<std::vector<double>> Object::numbers(const std::string& name) const {
    return ask_optional(*connection_, Request::numbers, number_, name,
                        [](MessageReader& in) { return in.take_all<double>(); });
}

bool Object::has_variable_text(const std::string& name) const {
    return ask(*connection_, Request::variable_text, number_, name,
               [](MessageReader& in) { return in.take<std::uint8_t>() != 0; });
}

std::string Object::place() const {
    return name_ == "/" ? connection_->name : connection_->name + ": " + printable(name_);
}

void Object::fail(const std::string& message) const {
    throw Error(ExitCode::bad_data, place() + ": " + message);
}

namespace {

/// Whether a box has values, all of them within extents.
bool is_box_of(const Extents& first, const Extents& count, const Extents& extents) {
    bool inside = first.size() == extents.size() && count.size() == extents.size();
    for (std::size_t axis = 0; inside && axis < extents.size(); ++axis)
        inside = count[axis] >= 1 && count[axis] <= extents[axis] && first[axis] <= extents[axis] - count[axis];
    return inside;
}

}  // namespace

// File -------------------------------------------------------------------------------------------------------------

File File::open(const std::filesystem::path& file, const sandbox::Limits& limits) {
    const auto bytes = input_file_size(file);  // refuses what is not there or no plain file
    {
        const hdf5::Turn turn;            // another thread may be starting a child of its own
        hdf5::detail::prepare_library();  // once for all children
    }
    File opened(std::shared_ptr<Connection>(
        new Connection{shown(file), bytes, {shown(file), "HDF5", detail::serve_file(file), limits}}));
    opened.read(file, "");
    return opened;
}

File File::open_after(File last, const std::filesystem::path& file) {
    constexpr std::size_t longest = 3000;  // bytes of a path, which is a request
    File opened(std::move(last.connection_));
    Connection& connection = *opened.connection_;
    const bool is_free = opened.connection_.use_count() == 1 && connection.child.lives() &&
                         file.native().size() <= longest && folder_of_process() == connection.started_in;
    if (!is_free) return open(file);
    connection.file_bytes = input_file_size(file);
    connection.name = shown(file);
    connection.child.set_subject(connection.name);
    opened.read(file, file.native());
    return opened;
}

void File::read(const std::filesystem::path& file, const std::string& other) {
    connection_->chunks.emplace(file);
    MessageWriter request;
    request.put(Request::open_file).put(std::uint64_t{0}).put(other);
    connection_->ask(request);
}

bool File::contains(const std::string& name) const {
    return ask(*connection_, Request::contains, 0, name,
               [](MessageReader& in) { return in.take<std::uint8_t>() != 0; });
}

std::vector<std::string> File::names(const std::string& group) const {
    return ask(*connection_, Request::names, 0, group, [](MessageReader& in) { return in.take_all<std::string>(); });
}

std::optional<std::string> File::linked_file(const std::string& path) const {
    return ask_optional(*connection_, Request::linked_file, 0, path, [](MessageReader& in) { return in.take_text(); });
}

std::optional<std::vector<std::string>> File::group_texts(const std::string& path) const {
    return ask_optional(*connection_, Request::group_texts, 0, path,
                        [](MessageReader& in) { return in.take_all<std::string>(); });
}

std::optional<std::vector<std::string>> File::dataset_texts(const std::string& path) const {
    constexpr std::uint64_t at_once = 10'000, most = 50'000'000;
    std::vector<std::string> texts;
    for (std::uint64_t all = 1; texts.size() < all;) {
        MessageWriter request = request_for(Request::text_values, 0, path);
        request.put(std::uint64_t{texts.size()}).put(at_once);
        const auto answer = connection_->ask(request);
        MessageReader in(answer);
        std::vector<std::string> some;
        try {
            if (in.take<std::uint8_t>() == 0) return std::nullopt;
            all = in.take<std::uint64_t>();
            some = in.take_all<std::string>();
        } catch (const Error&) {
            connection_->astray();
        }
        if (all > most || some.size() > all - texts.size() || (some.empty() && all > texts.size()))
            connection_->astray();
        std::ranges::move(some, std::back_inserter(texts));
    }
    return texts;
}

namespace {

/// The sources of a view, as the child tells them: within the extents of the view, whatever it says.
std::vector<hdf5::ViewSource> take_sources(MessageReader& in, const Extents& extents, const Connection& connection) {
    std::vector<hdf5::ViewSource> sources;
    for (auto left = in.take<std::uint64_t>(); left > 0; --left) {
        hdf5::ViewSource& source = sources.emplace_back();
        source.file = in.take_text();
        source.path = in.take_text();
        source.first = in.take_all<Extent>();
        source.count = in.take_all<Extent>();
        if (!hdf5::detail::is_plain_name(source.file) || !is_box_of(source.first, source.count, extents))
            connection.astray();
    }
    return sources;
}

}  // namespace

Dataset File::open_dataset(const std::string& name, hdf5::Storage storage) const {
    const bool may_be_view = storage == hdf5::Storage::own_or_view;
    Dataset dataset(connection_, 0, "/" + name);
    ask(*connection_, may_be_view ? Request::open_view : Request::open_dataset, 0, name, [&](MessageReader& in) {
        dataset.number_ = in.take<std::uint64_t>();
        dataset.element_bytes_ = in.take<std::uint64_t>();
        if (const auto filtered_as = in.take<std::uint8_t>(); filtered_as != 0)
            dataset.filtered_as_ = static_cast<hdf5::Element>(filtered_as - 1);
        dataset.checksums_.values = in.take<std::uint8_t>() != 0;
        dataset.checksums_.attributes = in.take<std::uint8_t>() != 0;
        dataset.extents_ = in.take_all<Extent>();
        dataset.chunk_ = in.take_all<Extent>();
        dataset.sources_ = take_sources(in, dataset.extents_, *connection_);
        return true;
    });
    // The values of a view take no bytes of this file.
    const std::uintmax_t bytes =
        dataset.sources_.empty() ? connection_->file_bytes : std::numeric_limits<std::uintmax_t>::max();
    if ((!may_be_view && !dataset.sources_.empty()) ||
        !hdf5::detail::plausible(dataset.extents_, dataset.chunk_, dataset.element_bytes_, bytes))
        connection_->astray();
    return dataset;
}

// Dataset ----------------------------------------------------------------------------------------------------------

Extent Dataset::size() const {
    return product(extents_);
}

void Dataset::check_box(const Extents& first, const Extents& count) const {
    if (!is_box_of(first, count, extents_)) throw Error(ExitCode::internal, place() + ": a box leaves the dataset");
}

/// The extents of parts that end on chunks and are as large as a window of so many values allows; grown along the
/// fastest axis first, where values lie together. Chunks larger than that are parts of their own, whatever their size.
Extents Dataset::whole_chunks(const Extents& count, Extent most_values) const {
    Extents part = chunk_.empty() ? Extents(rank(), 1) : chunk_;
    Extent room = most_values;
    for (std::size_t axis = 0; axis < rank(); ++axis) room /= std::min(part[axis], count[axis]);
    for (std::size_t axis = rank(); axis-- > 0 && room > 1;) {
        const Extent wanted = (extents_[axis] + part[axis] - 1) / part[axis], chunks = std::min(room, wanted);
        part[axis] *= chunks;
        room = chunks == wanted ? room / chunks : 1;
    }
    return part;
}

/// What of the file HDF5 must look at for a box, in bytes: whole chunks.
double Dataset::touched_bytes(const Extents& first, const Extents& count) const {
    auto bytes = static_cast<double>(element_bytes_);
    for (std::size_t axis = 0; axis < rank(); ++axis) {
        const Extent chunk = chunk_.empty() ? 1 : chunk_[axis];
        const Extent chunks = (first[axis] + count[axis] - 1) / chunk - first[axis] / chunk + 1;
        bytes *= static_cast<double>(chunks * chunk);
    }
    return bytes;
}

bool Dataset::is_unfiltered_here(const Extents& first, const Extents& count, hdf5::Element element) const {
    constexpr Extent least_bytes = 1 << 20, least_of_chunk = 1 << 16;
    return filtered_as_ == element && !chunk_.empty() && product(count) * element_bytes_ >= least_bytes &&
           product(chunk_) * element_bytes_ >= least_of_chunk &&
           hdf5::is_of_whole_chunks(first, count, chunk_, extents_);
}

/// Reads a box without the child, which says where its chunks lie; false where a chunk is damaged, of which HDF5 tells
/// more.
bool Dataset::unfilter(const Extents& first, const Extents& count, std::span<std::byte> values) const {
    MessageWriter request;
    request.put(Request::chunks).put(number_).put(first).put(count);
    const auto answer = connection_->ask(request);
    std::vector<hdf5::StoredChunk> chunks(answer.size() / sizeof(hdf5::StoredChunk));
    std::memcpy(chunks.data(), answer.data(), chunks.size() * sizeof(hdf5::StoredChunk));
    return connection_->chunks->read(hdf5::ChunkedBox(first, count, chunk_, element_bytes_), chunks, values);
}

template <class T>
void Dataset::read_parts(const Extents& first, const Extents& count, const Part<T>& part) const {
    check_box(first, count);
    const Extent most_values = connection_->child.window_bytes() / sizeof(T);
    const auto chunks = whole_chunks(count, most_values);
    Extents piece(rank());  // of a chunk that is too large for the window
    Extent room = most_values;
    for (std::size_t axis = rank(); axis-- > 0;) {
        piece[axis] = std::clamp<Extent>(std::min(chunks[axis], count[axis]), 1, room);
        room /= piece[axis];
        if (piece[axis] < std::min(chunks[axis], count[axis])) room = 1;
    }
    const auto read = [&](const Extents& at, const Extents& extents) {
        Extents within(rank());
        std::transform(at.begin(), at.end(), first.begin(), within.begin(), std::minus<>());
        const auto values = static_cast<std::size_t>(product(extents));
        if (is_unfiltered_here(at, extents, hdf5::element_of<T>())) {
            const auto unfiltered = std::make_unique_for_overwrite<T[]>(values);
            const std::span all(unfiltered.get(), values);
            if (unfilter(at, extents, std::as_writable_bytes(all))) return part(within, extents, all);
        }
        MessageWriter request;
        request.put(Request::values).put(number_).put(hdf5::element_of<T>()).put(at).put(extents);
        connection_->child.ask(request.bytes(), touched_bytes(at, extents), [&](sandbox::ConstBytes answer) {
            if (answer.size() != values * sizeof(T)) connection_->astray();
            part(within, extents, std::span(reinterpret_cast<const T*>(answer.data()), values));
        });
    };
    for_each_tile(first, sum(first, count), chunks,
                  [&](const Extents& at, const Extents& extents) { for_each_tile(at, sum(at, extents), piece, read); });
}

template void Dataset::read_parts<float>(const Extents&, const Extents&, const Part<float>&) const;
template void Dataset::read_parts<double>(const Extents&, const Extents&, const Part<double>&) const;

std::vector<double> Dataset::read_all() const {
    constexpr Extent most = 50'000'000;  // 400 MB: a deflated file may declare a thousand times its own size
    if (size() > most)
        fail("is refused: " + std::to_string(size()) + " values; lists of up to " + std::to_string(most) + " are read");
    return read<double>(Extents(rank(), 0), extents_);
}

template <class T>
std::vector<T> Dataset::read(const Extents& first, const Extents& count) const {
    if (product(count) == 0) return {};
    check_box(first, count);
    std::vector<T> all(static_cast<std::size_t>(product(count)));
    if (is_unfiltered_here(first, count, hdf5::element_of<T>()) &&
        unfilter(first, count, std::as_writable_bytes(std::span(all))))
        return all;
    read_parts<T>(first, count, [&](const Extents& at, const Extents& extents, auto values) {
        const Extent length = extents.back();
        Extents row(rank(), 1);
        row.back() = length;
        std::size_t taken = 0;
        for_each_tile(Extents(rank(), 0), extents, row, [&](const Extents& start, const Extents&) {
            Extent offset = 0;
            for (std::size_t axis = 0; axis < rank(); ++axis) offset = offset * count[axis] + at[axis] + start[axis];
            std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(taken), length,
                        all.begin() + static_cast<std::ptrdiff_t>(offset));
            taken += length;
        });
    });
    return all;
}

template std::vector<float> Dataset::read(const Extents&, const Extents&) const;
template std::vector<double> Dataset::read(const Extents&, const Extents&) const;

}  // namespace onda::guarded
