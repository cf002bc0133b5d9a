/// \file
/// What the iterations of a full-waveform inversion leave on disk beside models and gradients, from which a run that
/// was killed goes on:
///
///     iterations/inversion.json        what the results follow from (Identity)
///     iterations/1-000/model.h5        the model of iteration 0 of stage 1
///     iterations/1-000/iteration.json  its misfits, and the step that led to it
///     iterations/1-000/gradient        the pass that computed the gradient there
///     iterations/1-000/trial-1         the first trial step from there
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "solver/outputs/iterations/inversion_output.hpp"
#include "solver/run/identity.hpp"

namespace onda {

/// The misfit of a shot.
struct MisfitByShot {
    std::int64_t shot = 1;
    double misfit = 0.;
};

/// What is known of an iteration.
struct IterationRecord {
    InversionIteration row;             ///< of the table
    std::int64_t drawing = 0;           ///< of shots or codes, by which its misfit is
    std::vector<MisfitByShot> by_shot;  ///< of the data alone
    /// The misfit that the stage began with, and its largest change of a variable, of which later steps are made.
    double scale = 0., last_change = 0.;
    bool restarted = false;  ///< whether the method forgot what it knew before the step was found
    bool redrawn = false;    ///< whether shots or codes were drawn again before it was found, as there was none
    bool stuck = false;      ///< whether no step from here had a smaller misfit
};

/// The misfits of the shots that both records of a stage have.
std::vector<ShotMisfits> misfits_since(const IterationRecord& begin, const IterationRecord& now);

/// The folders of the iterations of a run.
class InversionRecords {
public:
    /// \param folder of the run.
    explicit InversionRecords(const std::filesystem::path& folder);

    [[nodiscard]] std::filesystem::path folder_of(std::int64_t stage, std::int64_t iteration) const;
    [[nodiscard]] std::filesystem::path model(std::int64_t stage, std::int64_t iteration) const {
        return folder_of(stage, iteration) / "model.h5";
    }
    /// Of the passes that predict seismograms: some shots of the model that a stage begins with, to look for skipped
    /// cycles, and one of the model that it ends with.
    [[nodiscard]] std::filesystem::path predicted(std::int64_t stage) const {
        return folder_of(stage, 0) / "predicted";
    }
    [[nodiscard]] std::filesystem::path shown_shot(std::int64_t stage, std::int64_t iteration) const {
        return folder_of(stage, iteration) / "shown";
    }
    /// The record of an iteration; none where it is not known. \throws Error(bad_data) for one that is damaged.
    [[nodiscard]] std::optional<IterationRecord> find(std::int64_t stage, std::int64_t iteration) const;
    /// \throws Error(cannot_create | io_error).
    void keep(const IterationRecord& record) const;

    /// Whether an inversion has begun in the folder.
    [[nodiscard]] bool exist() const { return std::filesystem::exists(identity_file()); }
    /// Forgets what iterations found; the passes over the survey stay until they are computed again.
    void forget() const;
    /// Begins the inversion, or goes on with the one that is there. \param identity with all of `inversion`. What may
    /// differ are stages that have not begun, and when the one that was begun last ends.
    /// \throws Error(cannot_create) that names what else differs.
    void begin_or_join(const Identity& identity) const;

private:
    [[nodiscard]] std::int64_t stages_begun() const;
    [[nodiscard]] std::filesystem::path record_file(std::int64_t stage, std::int64_t iteration) const;
    [[nodiscard]] std::filesystem::path identity_file() const { return folder_ / "inversion.json"; }

    std::filesystem::path folder_;
};

}  // namespace onda
