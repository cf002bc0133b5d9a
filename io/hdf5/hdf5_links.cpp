// Names that stand for objects elsewhere: links, and datasets whose values lie in another file.
#include "io/hdf5/hdf5_detail.hpp"

namespace onda::hdf5 {

using detail::check;
using detail::ScopedId;

void Group::link_to(const std::string& name, const std::string& file, const std::string& path) {
    check(H5Lcreate_external(file.c_str(), path.c_str(), id_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT), *this,
          ("link " + name + " to " + file).c_str());
}

void Group::link_here(const std::string& name, const Dataset& dataset) {
    check(H5Olink(dataset.id_, id_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT), *this,
          ("give " + dataset.place() + " a second name").c_str());
}

namespace {

ScopedId space_of(const Extents& extents, const Object& object) {
    return {
        check(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), object, "describe extents"),
        H5Sclose};
}

}  // namespace

Dataset Group::create_view(const std::string& name, const Extents& extents, std::span<const ViewSource> sources,
                           float absent, const Extents& there) {
    const std::string tried = "make " + name + " stand for values of other files";
    const auto creation = detail::creation_list(*this, {});
    check(H5Pset_fill_value(creation.get(), H5T_NATIVE_FLOAT, &absent), *this, tried.c_str());
    for (const ViewSource& source : sources) {
        const ScopedId here = space_of(extents, *this),
                       elsewhere = space_of(there.empty() ? source.count : there, *this);
        if (source.count != extents)
            check(H5Sselect_hyperslab(here.get(), H5S_SELECT_SET, source.first.data(), nullptr, source.count.data(),
                                      nullptr),
                  *this, tried.c_str());
        check(H5Pset_virtual(creation.get(), here.get(), source.file.c_str(), source.path.c_str(), elsewhere.get()),
              *this, tried.c_str());
    }
    const ScopedId here = space_of(extents, *this);
    const Id id =
        check(H5Dcreate2(id_, name.c_str(), H5T_IEEE_F32LE, here.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
              *this, tried.c_str());
    Dataset view(id, file_, path_of(name));
    view.extents_ = extents;
    view.sources_.assign(sources.begin(), sources.end());
    return view;
}

namespace {

/// What HDF5 writes into a buffer whose size it tells first. \param get as H5Pget_virtual_filename.
template <typename Get>
std::string text_of_source(const Get& get, hid_t creation, std::size_t index, const Object& object) {
    constexpr ssize_t most = 4096;
    const ssize_t length = check(get(creation, index, nullptr, 0), object, "look at its sources");
    if (length > most) object.fail("is refused: the name of a source has " + std::to_string(length) + " characters");
    std::string text(static_cast<std::size_t>(length), '\0');
    check(get(creation, index, text.data(), text.size() + 1), object, "look at its sources");
    return text;
}

}  // namespace

bool detail::is_plain_name(const std::string& name) {
    return !name.empty() && name != "." && name != ".." && name.find_first_of("/%") == std::string::npos;
}

std::vector<ViewSource> detail::checked_sources(hid_t creation, const Object& object, const Extents& extents) {
    constexpr std::size_t most_sources = 1 << 16;
    std::size_t count = 0;
    check(H5Pget_virtual_count(creation, &count), object, "count its sources");
    if (count == 0 || count > most_sources)
        object.fail("is refused: a virtual dataset with " + std::to_string(count) + " sources");
    std::vector<ViewSource> sources(count);
    for (std::size_t i = 0; i < count; ++i) {
        ViewSource& source = sources[i];
        source.file = text_of_source(H5Pget_virtual_filename, creation, i, object);
        source.path = text_of_source(H5Pget_virtual_dsetname, creation, i, object);
        if (!is_plain_name(source.file))
            object.fail("is refused: values of it lie in " + source.file + ", which is not beside the file");
        const ScopedId box(check(H5Pget_virtual_vspace(creation, i), object, "look at its sources"), H5Sclose);
        if (H5Sget_simple_extent_ndims(box.get()) != static_cast<int>(extents.size()))
            object.fail("is refused: a source of another rank");
        Extents last(extents.size());
        source.first.resize(extents.size());
        check(H5Sget_select_bounds(box.get(), source.first.data(), last.data()), object, "look at its sources");
        Extent points = 1;
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
            if (last[axis] < source.first[axis] || last[axis] >= extents[axis])
                object.fail("is refused: a source leaves its extents");
            source.count.push_back(last[axis] - source.first[axis] + 1);
            points *= source.count.back();
        }
        if (H5Sget_select_npoints(box.get()) != static_cast<hssize_t>(points))
            object.fail("is refused: a source is not a box of it");
    }
    return sources;
}

std::optional<std::string> Group::linked_file(const std::string& name) const {
    H5L_info_t link;
    if (!contains(name)) return {};
    check(H5Lget_info(id_, name.c_str(), &link, H5P_DEFAULT), *this, "look at a link");
    if (link.type != H5L_TYPE_EXTERNAL) return {};
    std::vector<char> value(link.u.val_size);
    check(H5Lget_val(id_, name.c_str(), value.data(), value.size(), H5P_DEFAULT), *this, "read a link");
    unsigned flags = 0;
    const char *file = nullptr, *path = nullptr;
    check(H5Lunpack_elink_val(value.data(), value.size(), &flags, &file, &path), *this, "understand a link");
    return file;
}

}  // namespace onda::hdf5
