#include "io/results/result_file.hpp"

#include <algorithm>
#include <charconv>

#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"

namespace onda {

ResultFile::ResultFile(const std::filesystem::path& file, const std::string& format, const Provenance& provenance,
                       bool overwrite)
    : path_(file), output_(file, overwrite), root_(hdf5::File::create(output_.temporary(), file)) {
    root_->set_text("format", format);
    root_->set_integer("format_version", kResultFormatVersion);
    for (const auto& [name, value] : provenance.entries) root_->set_text(name, value);
    shots_ = root_->create_group("shots");
}

hdf5::Group ResultFile::create_shot(std::int64_t shot) {
    const std::string name = std::to_string(shot);
    if (shots_->contains(name)) throw Error(ExitCode::internal, shots_->place() + ": shot " + name + " written twice");
    return shots_->create_group(name);
}

void ResultFile::link_shot(std::int64_t shot, const std::string& file) {
    const std::string name = std::to_string(shot);
    shots_->link_to(name, file, "/shots/" + name);
}

AtomicFile ResultFile::close(const std::function<void(const hdf5::File&)>& verify) {
    shots_->close();
    root_->close();
    read_back([&] { verify(hdf5::File::open(output_.temporary())); });
    return std::move(output_);
}

void ResultFile::read_back(const std::function<void()>& verify) const {
    try {
        verify();
    } catch (const Error& error) {
        throw Error(ExitCode::io_error, shown(path_) + ": what was written cannot be read back: " + error.what());
    }
}

hdf5::File open_result(const std::filesystem::path& file, const std::string& format) {
    auto root = hdf5::File::open(file);
    const auto found = root.text("format");
    if (!found) root.fail("has no attribute 'format'; expected " + format);
    if (*found != format) root.fail("is of format '" + printable(*found) + "'; expected " + format);
    const double version = root.number("format_version").value_or(0.);
    if (!(version >= 1. && version <= kResultFormatVersion))
        root.fail("its format_version is not one that this program reads (1 to " +
                  std::to_string(kResultFormatVersion) + ")");
    return root;
}

std::filesystem::path path_of_shot(const std::filesystem::path& file, const std::string& format, std::int64_t shot) {
    const auto root = open_result(file, format);
    const auto shots = root.open_group("shots");
    const auto linked = shots.linked_file(std::to_string(shot));
    if (!linked) return file;
    const std::filesystem::path name(*linked);
    if (name.is_absolute() || std::ranges::find(name, "..") != name.end())
        shots.fail("shot " + std::to_string(shot) + " lies in " + printable(*linked) +
                   ", which is not beside the file");
    return file.parent_path() / name;
}

hdf5::File open_file_of_shot(const std::filesystem::path& file, const std::string& format, std::int64_t shot) {
    return open_result(path_of_shot(file, format, shot), format);
}

std::vector<std::int64_t> shots_of(const hdf5::File& file) {
    const auto group = file.open_group("shots");
    std::vector<std::int64_t> shots;
    for (const std::string& name : group.names()) {
        std::int64_t shot = 0;
        const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), shot);
        if (fault != std::errc{} || end != name.data() + name.size())
            group.fail("'" + printable(name) + "' is not a shot number");
        shots.push_back(shot);
    }
    std::ranges::sort(shots);
    return shots;
}

hdf5::Dataset write_coordinates(hdf5::Group& group, const std::string& name, const std::string& units,
                                std::span<const double> values) {
    auto dataset = group.create_dataset(name, hdf5::Element::float64, {{values.size()}, {}, {}});
    dataset.write_all(values);
    dataset.set_text("units", units);
    dataset.make_scale(name);
    return dataset;
}

void put_box(std::span<const float> values, const hdf5::Extents& first, const hdf5::Extents& count,
             const hdf5::Extents& whole_extents, std::span<float> whole) {
    const auto length = static_cast<std::size_t>(count.back());
    hdf5::Extents row(count.size(), 0);
    for (std::size_t taken = 0; taken < values.size(); taken += length) {
        hdf5::Extent at = 0;
        for (std::size_t axis = 0; axis < row.size(); ++axis) at = at * whole_extents[axis] + first[axis] + row[axis];
        std::ranges::copy(values.subspan(taken, length), whole.begin() + static_cast<std::ptrdiff_t>(at));
        for (std::size_t axis = row.size() - 1; axis-- > 0 && ++row[axis] == count[axis];) row[axis] = 0;
    }
}

std::int64_t dataset_bytes(const hdf5::Extents& extents, const hdf5::Extents& chunk, std::size_t element_bytes) {
    constexpr std::int64_t checksum = 4, index_entry = 17;
    std::int64_t chunks = 1, bytes = static_cast<std::int64_t>(element_bytes);
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        chunks = saturating_product(chunks, static_cast<std::int64_t>((extents[axis] + chunk[axis] - 1) / chunk[axis]));
        bytes = saturating_product(bytes, static_cast<std::int64_t>(chunk[axis]));
    }
    return saturating_product(chunks, saturating_sum(bytes, checksum + index_entry));
}

std::int64_t result_file_bytes(std::int64_t provenance_bytes) {
    return 6144 + provenance_bytes;
}

}  // namespace onda
