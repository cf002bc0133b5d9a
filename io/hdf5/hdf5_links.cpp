// Names that stand for objects elsewhere: links, and datasets whose values lie in another file.
#include <limits>

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

void Group::create_view(const std::string& name, const Extents& extents, const std::string& file,
                        const std::string& path, const Extents& there) {
    const std::string tried = "make " + name + " stand for values of " + file;
    const ScopedId here_space = space_of(extents, *this), there_space = space_of(there, *this);
    const auto creation = detail::creation_list(*this, {});
    constexpr float absent = std::numeric_limits<float>::quiet_NaN();
    check(H5Pset_fill_value(creation.get(), H5T_NATIVE_FLOAT, &absent), *this, tried.c_str());
    check(H5Pset_virtual(creation.get(), here_space.get(), file.c_str(), path.c_str(), there_space.get()), *this,
          tried.c_str());
    const ScopedId dataset(
        check(H5Dcreate2(id_, name.c_str(), H5T_IEEE_F32LE, here_space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
              *this, tried.c_str()),
        H5Dclose);
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
