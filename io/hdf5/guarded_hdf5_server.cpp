// The child's side: hdf5.hpp behind messages.
#include "io/hdf5/guarded_hdf5_server.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "io/hdf5/hdf5.hpp"
#include "io/hdf5/hdf5_detail.hpp"
#include "io/hdf5/tiles.hpp"
#include "io/text/message.hpp"
#include "io/text/printable.hpp"

namespace onda::guarded::detail {
namespace {

using sandbox::Bytes;
using sandbox::ConstBytes;

class Server {
public:
    explicit Server(std::filesystem::path file) : path_(std::move(file)) {}

    std::size_t answer(ConstBytes request, Bytes window) {
        MessageReader in(request);
        const auto kind = in.take<Request>();
        const auto object = in.take<std::uint64_t>();
        if (kind == Request::values) return read(datasets_.at(object - 1), in, window);
        if (kind == Request::open_file) open(in.take_text());
        MessageWriter out;
        if (kind == Request::text_values)
            texts(in, out);
        else if (kind == Request::chunks)
            chunks(datasets_.at(object - 1), in, out);
        else if (kind != Request::open_file)
            answer(kind, object, in.take_text(), out);
        const auto bytes = out.bytes();
        if (bytes.size() > window.size())
            throw Error(ExitCode::bad_data,
                        shown(path_) + ": is refused: an attribute of " + std::to_string(bytes.size()) + " bytes");
        std::copy(bytes.begin(), bytes.end(), window.begin());
        return bytes.size();
    }

private:
    void answer(Request kind, std::uint64_t object, const std::string& name, MessageWriter& out) {
        const hdf5::Object& from =
            object == 0 ? static_cast<const hdf5::Object&>(file_.value()) : datasets_.at(object - 1);
        const auto put = [&](const auto& value) {
            out.put(value.has_value());
            if (value) out.put(*value);
        };
        switch (kind) {
            case Request::contains: out.put(file_->contains(name)); break;
            case Request::names: out.put(file_->open_group(name).names()); break;
            case Request::linked_file: put(linked_file(name)); break;
            case Request::group_texts: put(group_texts(name)); break;
            case Request::open_dataset: open(name, hdf5::Storage::own, out); break;
            case Request::open_view: open(name, hdf5::Storage::own_or_view, out); break;
            case Request::text: put(from.text(name)); break;
            case Request::texts: put(from.texts(name)); break;
            case Request::number: put(from.number(name)); break;
            case Request::numbers: put(from.numbers(name)); break;
            case Request::variable_text: out.put(from.has_variable_text(name)); break;
            case Request::open_file:
            case Request::text_values:
            case Request::values:
            case Request::chunks: break;
        }
    }

    void open(const std::string& other) {
        datasets_.clear();
        texts_.clear();
        texts_of_.clear();
        file_.reset();
        if (!other.empty()) path_ = other;
        file_.emplace(hdf5::File::open(path_));
    }

    /// \param path of a link within a group.
    [[nodiscard]] std::optional<std::string> linked_file(const std::string& path) const {
        const auto slash = path.rfind('/');
        return file_->open_group(path.substr(0, slash)).linked_file(path.substr(slash + 1));
    }

    /// \param path of an attribute of a group.
    [[nodiscard]] std::optional<std::vector<std::string>> group_texts(const std::string& path) const {
        const auto slash = path.rfind('/');
        return file_->open_group(path.substr(0, slash)).texts(path.substr(slash + 1));
    }

    void open(const std::string& name, hdf5::Storage storage, MessageWriter& out) {
        const auto& dataset = datasets_.emplace_back(file_->open_dataset(name, storage));
        out.put(std::uint64_t{datasets_.size()}).put(std::uint64_t{dataset.element_bytes()});
        const auto filtered_as = dataset.filtered_as();
        out.put(static_cast<std::uint8_t>(filtered_as ? static_cast<int>(*filtered_as) + 1 : 0));
        out.put(dataset.checksums().values).put(dataset.checksums().attributes);
        out.put(dataset.extents()).put(dataset.chunk()).put(std::uint64_t{dataset.sources().size()});
        for (const hdf5::ViewSource& source : dataset.sources())
            out.put(source.file).put(source.path).put(source.first).put(source.count);
    }

    /// Some of the texts of a dataset, which are read once, for as long as no other ones are asked for.
    void texts(MessageReader& in, MessageWriter& out) {
        const std::string path = in.take_text();
        const auto first = in.take<std::uint64_t>(), count = in.take<std::uint64_t>();
        const bool holds = file_->holds_texts(path);
        out.put(holds);
        if (!holds) return;
        if (path != texts_of_) texts_ = file_->read_texts(path);
        texts_of_ = path;
        const std::uint64_t all = texts_.size(), begin = std::min(first, all),
                            end = begin + std::min(count, all - begin);
        out.put(all).put(end - begin);
        for (std::uint64_t n = begin; n < end; ++n) out.put(texts_[n]);
    }

    static void chunks(const hdf5::Dataset& dataset, MessageReader& in, MessageWriter& out) {
        const auto first = in.take_all<hdf5::Extent>(), count = in.take_all<hdf5::Extent>();
        hdf5::for_each_tile(first, hdf5::sum(first, count), dataset.chunk(),
                            [&](const hdf5::Extents& at, const hdf5::Extents&) {
                                out.put(dataset.stored_chunk(at).value_or(hdf5::StoredChunk{}));
                            });
    }

    static std::size_t read(const hdf5::Dataset& dataset, MessageReader& in, Bytes window) {
        const auto element = in.take<hdf5::Element>();
        const auto first = in.take_all<hdf5::Extent>(), count = in.take_all<hdf5::Extent>();
        std::size_t values = 1;
        for (const auto extent : count) values *= extent;
        const auto fill = [&]<class T>(T) {
            // The parent asks for no more than the window holds.
            const std::span all(reinterpret_cast<T*>(window.data()), window.size() / sizeof(T));
            sandbox::provide_pages(std::as_writable_bytes(all.first(values)));
            dataset.read(first, count, all.first(values));
            return values * sizeof(T);
        };
        return element == hdf5::Element::float32 ? fill(float{}) : fill(double{});
    }

    std::filesystem::path path_;
    std::optional<hdf5::File> file_;
    std::vector<hdf5::Dataset> datasets_;
    std::string texts_of_;  ///< the dataset
    std::vector<std::string> texts_;
};

}  // namespace

sandbox::Serve serve_file(const std::filesystem::path& file) {
    // Made in the parent, opened in the child.
    return [server = std::make_shared<Server>(file)](ConstBytes request, Bytes window) {
        hdf5::detail::close_doors();
        return server->answer(request, window);
    };
}

}  // namespace onda::guarded::detail
