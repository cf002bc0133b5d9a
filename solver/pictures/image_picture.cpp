#include "solver/pictures/image_picture.hpp"

namespace onda {

Panel image_panel(const Section& section, const StoredImageKind& kind, std::span<const float> values, double clip,
                  const ColourMap& map) {
    Panel panel = empty_panel(section);
    PictureField field = signed_field(section, values, clip, kind.label, map);
    if (!kind.both_signs) field.range = ValueRange{0., clip};
    panel.fields.push_back(field);
    return panel;
}

}  // namespace onda
