#include "solver/outputs/seismogram_output.hpp"

#include <algorithm>

#include "io/files/interruption.hpp"
#include "io/text/saturating.hpp"
#include "solver/outputs/gather.hpp"
#include "solver/plan/computation.hpp"
#include "solver/plan/experiment.hpp"
#include "solver/program/host_memory.hpp"

namespace onda {
namespace {

class SeismogramsOfShot : public ShotOutput {
public:
    explicit SeismogramsOfShot(const ShotPlace& place) : file_(place.file), provenance_(place.provenance) {}

    void take_gather(ShotGather& gather) override {
        SeismogramWriter writer(file_, provenance_, true);
        writer.write(gather);
        written_ = writer.finish();
    }
    std::optional<AtomicFile> finish() override { return std::move(written_); }

private:
    std::filesystem::path file_;
    const Provenance& provenance_;
    std::optional<AtomicFile> written_;
};

class Seismograms : public RunOutput {
public:
    std::unique_ptr<ShotOutput> begin(const ShotPlace& place) override {
        if (place.shot.receivers.empty()) return nullptr;
        return std::make_unique<SeismogramsOfShot>(place);
    }
    [[nodiscard]] std::vector<AtomicFile> assemble(const FinishedSurvey& survey) const override;
};

AtomicFile assemble_several(const FinishedSurvey& survey) {
    SeismogramWriter writer(survey.results / kSeismogramsName, survey.provenance, survey.overwrite);
    for (const ShotRecord& shot : survey.shots) {
        throw_if_interrupted();
        const FileRecord& file = file_of(shot, kSeismogramFormat);
        if (file.name.empty()) continue;
        if (survey.assembly == Assembly::links)
            writer.link(shot.shot, kept_name(file));
        else
            writer.write(read_gather(survey.folder / file.name, shot.shot));
    }
    return writer.finish();
}

std::vector<AtomicFile> Seismograms::assemble(const FinishedSurvey& survey) const {
    std::vector<AtomicFile> files;
    files.push_back(survey.assembly == Assembly::only_shot ? survey.second_name(kSeismogramFormat, kSeismogramsName)
                                                           : assemble_several(survey));
    return files;
}

/// Shots with as many receivers take as many bytes: one of each number of them is asked for.
std::int64_t predicted_bytes(const Survey& survey, const TimeAxis& time, std::int64_t provenance_bytes) {
    const std::int64_t samples = time.output_samples, components = std::ssize(survey.motion.written);
    std::vector<std::int64_t> carried;
    for (const CarriedKind& kind : survey.shots.carried_kinds())
        carried.push_back(kind.numbers ? std::int64_t{sizeof(double)} : kind.longest);
    std::int64_t wavelet_samples = 0;  // of the longest
    for (const Wavelet& wavelet : survey.wavelets)
        wavelet_samples = std::max(wavelet_samples, signature_samples(wavelet, time));
    const std::int64_t empty_file = predicted_seismogram_bytes({}, samples, provenance_bytes);
    std::int64_t bytes = empty_file;
    for (const auto& [receivers, shots] : survey.size.shots_of_receivers)
        if (receivers > 0)
            bytes = saturating_sum(
                bytes, saturating_product(shots, predicted_seismogram_bytes({&receivers, 1}, samples, provenance_bytes,
                                                                            carried, wavelet_samples, components) -
                                                     empty_file));
    return bytes;
}

}  // namespace

bool writes_seismograms(const Experiment& experiment) {
    return experiment.survey.size.most_receivers > 0 && !gives_sums_alone(experiment);
}

constinit const OutputFormat kSeismogramFormat{
    .column = "seismogram",
    .shot_file = "seismograms.h5",
    .is_result = [](std::string_view name) { return name == kSeismogramsName; },
    .is_wanted = writes_seismograms,
    .make = [](const Experiment&, const Model&) -> std::unique_ptr<RunOutput> {
        return std::make_unique<Seismograms>();
    },
    .predicted_bytes =
        [](const Experiment& experiment, const Placement&, std::int64_t provenance_bytes) {
            return predicted_bytes(experiment.survey, experiment.time, provenance_bytes);
        },
    // In a file of its own the blocks that HDF5 gives to small datasets stay in part empty: 0.3 to 2.4 kB, measured.
    .own_file_bytes = [] { return linked_file_bytes() + 1200; },
    .add_memory =
        [](Allocations& list, const Experiment& experiment, const Computation& computation) {
            const std::int64_t gathers = bytes_of_gathers(experiment.survey, experiment.time, computation.placement);
            list.add(host_row("seismograms.h5", held::writing, memory_to_write_traces(gathers), 1));
        },
};

}  // namespace onda
