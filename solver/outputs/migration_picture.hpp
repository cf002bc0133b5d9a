/// \file
/// The picture of an image of the subsurface.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/results/image_file.hpp"
#include "solver/model/model.hpp"
#include "solver/pictures/section_picture.hpp"
#include "solver/plan/experiment.hpp"

namespace onda {

/// The image, the image over the model, and the illumination by the sources, in sections through the middle of the
/// grid, and the fold. It keeps the model on these alone.
class MigrationPicture {
public:
    /// \param experiment outlives it.
    MigrationPicture(const Experiment& experiment, const Model& model);

    /// image.png or whatever it is to be called, ready for its name. \param file with the image of this kind and with
    /// kSourceIllumination. \param title of the image. \throws Error(cannot_create | io_error | bad_data).
    [[nodiscard]] AtomicFile stage(const std::filesystem::path& picture, const std::filesystem::path& file,
                                   const StoredImageKind& kind, const std::string& title, bool overwrite) const;

private:
    /// Of a line along x below the section. \param squares that the panel refers to.
    [[nodiscard]] Panel fold_of_image(const Section& section, std::vector<float>& squares) const;
    void add(Picture& picture, Panel panel, const std::string& title, const Section& section) const;

    const Experiment& experiment_;
    std::vector<ModelSection> models_;
};

/// Some of the subsurface-offset gathers of a file as they are shown: muted on top as the image is.
struct DrawnGathers {
    struct Gather {
        std::string place;          ///< "x = 3000 m"
        std::vector<float> values;  ///< [z][half offset]
    };
    std::vector<double> half_offset_m, z_m;
    std::string half_offset;     ///< "half offset along x"
    std::vector<Gather> some{};  ///< empty: the file has none
    double clip = 1.;            ///< of all
};
/// \throws Error(missing_input | bad_data).
DrawnGathers drawn_gathers(const std::filesystem::path& file, const Experiment& experiment);
/// The same side by side. \throws the same; Error(cannot_create | io_error).
AtomicFile stage_offset_gathers(const std::filesystem::path& picture, const std::filesystem::path& file,
                                const Experiment& experiment, bool overwrite);

}  // namespace onda
