/// \file
/// Pictures of a model before a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "io/models/geometry.hpp"
#include "solver/model/model.hpp"
#include "solver/pictures/section_picture.hpp"

namespace onda {

struct Computation;
struct Experiment;

/// The model of a plan on a grid of the same extents with no more nodes than sections need: its own where that is small
/// enough, else one that is coarser by the same factor along every axis.
/// \throws Error(config | bad_data | missing_input | out_of_memory).
Model model_to_draw(const Experiment& experiment, const Computation& computation);

/// Draws sections of the model through the first source, with the survey of the first shot over them: STEM_xz.png, in
/// 3-D STEM_yz.png and STEM_xy.png; of several shots STEM_survey.png, too, a map of all their sources and receivers
/// over the model, thinned to what it can show: in 3-D seen from above and from the side. All of them or none. \return
/// the files.
std::vector<std::filesystem::path> write_model_pictures(const Experiment& experiment, const Model& model,
                                                        const std::filesystem::path& stem, bool overwrite);

/// Pictures of a model file, drawn from its planes while they are written: sections through its middle, of the velocity
/// and of each parameter that is taken beside it. Names are as of write_model_pictures().
class DrawnFile {
public:
    explicit DrawnFile(const FileGeometry& geometry);
    /// Before anything is written. \throws Error(cannot_create) if a picture is there and is not to be overwritten.
    void refuse_existing(const std::filesystem::path& model_file, bool overwrite) const;
    /// The ny * nx values [y][x] of a plane, for z = 0, 1, … in order.
    void take(const MediumParameter& parameter, std::int64_t z, std::span<const float> plane);
    /// \return the files. \throws Error(cannot_create | io_error).
    [[nodiscard]] std::vector<std::filesystem::path> write(const std::filesystem::path& model_file,
                                                           bool overwrite) const;

private:
    Grid grid_;
    std::vector<ModelSection> sections_;
};

/// Refuses a model that does not fit the memory. \throws Error(out_of_memory).
void refuse_large_model(const Config& config, const Equation& equation, const Grid& grid);

}  // namespace onda
