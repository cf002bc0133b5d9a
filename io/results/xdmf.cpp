#include "io/results/xdmf.hpp"

#include <array>

#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"

namespace onda {
namespace {

template <typename T>
std::string z_y_x(const std::array<T, 3>& triple) {
    return shortest(triple[2]) + " " + shortest(triple[1]) + " " + shortest(triple[0]);
}

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : printable_whole(text)) switch (c) {
            case '&': result += "&amp;"; break;
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            default: result += c;
        }
    return result;
}

std::string frame_xml(const std::string& dataset, const FileGeometry& geometry, const XdmfShot& shot,
                      std::size_t frame) {
    const std::string sizes = z_y_x(geometry.shape), index = std::to_string(frame);
    const std::string all_sizes = std::to_string(shot.times_s.size()) + " " + sizes;
    return "      <Grid Name=\"frame " + index + "\" GridType=\"Uniform\">\n        <Time Value=\"" +
           shortest(shot.times_s[frame]) + "\"/>\n        <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"" +
           sizes +
           "\"/>\n"
           "        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
           "          <DataItem Name=\"Origin\" Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">" +
           z_y_x(geometry.origin_m) +
           "</DataItem>\n"
           "          <DataItem Name=\"Spacing\" Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" "
           "Format=\"XML\">" +
           z_y_x(geometry.spacing_m) +
           "</DataItem>\n"
           "        </Geometry>\n"
           "        <Attribute Name=\"pressure\" AttributeType=\"Scalar\" Center=\"Node\">\n"
           "          <DataItem ItemType=\"HyperSlab\" Dimensions=\"" +
           sizes +
           "\">\n"
           "            <DataItem Dimensions=\"3 4\" NumberType=\"Int\" Format=\"XML\">" +
           index + " 0 0 0 1 1 1 1 1 " + sizes +
           "</DataItem>\n"
           "            <DataItem Dimensions=\"" +
           all_sizes + "\" NumberType=\"Float\" Precision=\"4\" Format=\"HDF\">" + dataset +
           "</DataItem>\n"
           "          </DataItem>\n"
           "        </Attribute>\n"
           "      </Grid>\n";
}

}  // namespace

void put_snapshots_xdmf(const std::string& h5_name, const FileGeometry& geometry, std::span<const XdmfShot> shots,
                        const std::function<void(std::string_view piece)>& put) {
    put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n");
    for (const XdmfShot& shot : shots) {
        const std::string number = std::to_string(shot.shot);
        const std::string dataset = escaped(h5_name) + ":/shots/" + number + "/pressure";
        put("    <Grid Name=\"shot " + number + "\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
        for (std::size_t frame = 0; frame < shot.times_s.size(); ++frame)
            put(frame_xml(dataset, geometry, shot, frame));
        put("    </Grid>\n");
    }
    put("  </Domain>\n</Xdmf>\n");
}

std::string snapshots_xdmf(const std::string& h5_name, const FileGeometry& geometry, std::span<const XdmfShot> shots) {
    std::string text;
    put_snapshots_xdmf(h5_name, geometry, shots, [&text](std::string_view piece) { text += piece; });
    return text;
}

std::int64_t predicted_xdmf_bytes(const FileGeometry& geometry, std::int64_t frames) {
    const auto size = [&geometry](std::size_t count) {
        const XdmfShot shot{1, std::vector<double>(count, 0.001)};
        return static_cast<std::int64_t>(snapshots_xdmf("snapshots.h5", geometry, {&shot, 1}).size());
    };
    // Twice in a frame its index is named, and once how many there are: those of the sample have a digit each.
    const auto digits = static_cast<std::int64_t>(std::to_string(frames).size());
    const std::int64_t none = size(0), frame = size(1) - none + 3 * (digits - 1);
    return saturating_sum(none, saturating_product(frames, frame));
}

}  // namespace onda
