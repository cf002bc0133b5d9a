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
/// grid. It keeps the model on these alone.
class MigrationPicture {
public:
    /// \param experiment outlives it.
    MigrationPicture(const Experiment& experiment, const Model& model);

    /// image.png or whatever it is to be called, ready for its name. \param file with the image of this kind and with
    /// kSourceIllumination. \param title of the image. \throws Error(cannot_create | io_error | bad_data).
    [[nodiscard]] AtomicFile stage(const std::filesystem::path& picture, const std::filesystem::path& file,
                                   const StoredImageKind& kind, const std::string& title, bool overwrite) const;

private:
    void add(Picture& picture, Panel panel, const std::string& title, const Section& section) const;

    const Experiment& experiment_;
    std::vector<ModelSection> models_;
};

/// Some of the subsurface-offset gathers of a file, side by side, muted on top as the image is. \throws the same.
AtomicFile stage_offset_gathers(const std::filesystem::path& picture, const std::filesystem::path& file,
                                const Experiment& experiment, bool overwrite);

}  // namespace onda
