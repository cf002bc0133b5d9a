/// \file
/// The first pictures of a run: model sections, the last wavefields over them, the gather of the first shot.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/pictures/picture.hpp"
#include "io/results/seismograms.hpp"
#include "solver/model/model.hpp"
#include "solver/plan/plan.hpp"
#include "solver/propagation/propagator.hpp"

namespace onda {

/// A plane of the run's grid through the first source, thinned to what a picture can show.
struct Section {
    std::string name;  ///< "xz"
    std::size_t horizontal = 0, vertical = 2;
    Window window;
    std::vector<float> vp;
};

/// The pictures of a run, taken from its first shot and drawn at its end.
class RunPictures {
public:
    /// Keeps sections of the model, so that the model itself can go. \param plan of the first shot.
    RunPictures(const Plan& plan, const Model& model);

    /// Steps of the first shot at which take() is wanted, ascending.
    [[nodiscard]] const std::vector<std::int64_t>& steps() const { return steps_; }
    /// Takes p[n] on the sections. \throws Error(unstable) if the pressure at a node that is shown is not finite in
    /// single precision.
    void take(const Propagator& propagator);
    void take(const ShotGather& gather);
    /// Draws the pictures. \returns the finished files, ready for their names in `folder`. \throws Error(cannot_create
    /// | io_error); Interrupted.
    [[nodiscard]] std::vector<AtomicFile> prepare(const std::filesystem::path& folder, bool overwrite) const;

private:
    struct Wavefield {
        std::size_t section;
        double time_s;
        std::vector<float> p;
    };
    struct Gather {
        std::string title;
        PictureAxis receivers, time;
        std::int64_t samples = 0, traces = 0;
        std::vector<float> pressure;  ///< [sample][receiver]
    };
    [[nodiscard]] Picture picture_of(const Section& section) const;

    Grid grid_;
    ComputedGrid computed_;
    Shot shot_;
    std::vector<Section> sections_;
    std::vector<std::int64_t> steps_;
    int decimals_;  ///< of times in seconds: as many as tell two steps apart
    std::vector<Wavefield> wavefields_;
    Gather gather_;
};

/// The memory of RunPictures: what it keeps during the run, and what it needs for a moment to draw.
struct PictureBytes {
    std::int64_t kept = 0, drawing = 0;
    std::int64_t gather = 0;  ///< kept, too, once the gather has been written
};
PictureBytes picture_bytes(const Plan& plan);

}  // namespace onda
