#include "solver/outputs/shot_sums.hpp"

#include <algorithm>
#include <spdlog/fmt/fmt.h>

#include "io/files/interruption.hpp"
#include "io/text/error.hpp"
#include "io/text/number_text.hpp"
#include "io/text/printable.hpp"
#include "io/text/saturating.hpp"
#include "solver/plan/computation.hpp"
#include "solver/plan/slab_plan.hpp"
#include "solver/program/host_memory.hpp"
#include "solver/program/loop_failure.hpp"

namespace onda {
namespace {

/// Shots whose planes are read at the same time.
constexpr std::size_t kReadTogether = 8;

/// The largest sum that grows while shots are computed [bytes], and as many of images that wait for their turn.
constexpr std::int64_t kMostRunning = std::int64_t{256} << 20;

/// Bytes of so many sums of all nodes; of the images of a shot half of it.
std::int64_t running_bytes(const Experiment& experiment, std::int64_t images) {
    return saturating_product(images, experiment.domain.grid.points(), std::int64_t{sizeof(double)});
}
/// Whether the images are summed while shots are computed; of a few shots reading them again takes no time.
bool sums_while_running(const Experiment& experiment, std::int64_t images) {
    return std::ssize(experiment.survey.shots) > 2 && running_bytes(experiment, images) <= kMostRunning;
}

/// The most shots whose images wait for their turn.
std::int64_t most_early(std::int64_t bytes_of_shot) {
    return kMostRunning / std::max<std::int64_t>(1, bytes_of_shot);
}

/// Calls take(kind, values) with the images that a shot has.
template <typename Take>
void for_images_of(ShotImages& images, const Take& take) {
    const auto offer = [&](const StoredImageKind& kind, UnsetVector<float>& values) {
        if (!values.empty()) take(kind, values);
    };
    offer(kVpGradient, images.gradient_vp);
    offer(kRhoGradient, images.gradient_rho);
    offer(kQGradient, images.gradient_q);
    offer(kEpsilonGradient, images.gradient_epsilon);
    offer(kDeltaGradient, images.gradient_delta);
    offer(kImageStack, images.image);
    offer(kSourceIllumination, images.illumination_source);
    offer(kReceiverIllumination, images.illumination_receiver);
}

/// What a shot has of some planes of the grid.
struct PlanesOfShot {
    Window box;  ///< of no planes: it has none
    ImageBuffer buffer;

    void read(const ImagedShot& shot, const StoredImageKind& kind, std::int64_t plane, std::int64_t count) {
        const ImageNodes& nodes = shot.contents.nodes;
        box = {nodes.first, nodes.geometry.shape, {1, 1, 1}};
        box.first[2] = std::max(plane, nodes.first[2]);
        box.count[2] = std::min(plane + count, nodes.first[2] + nodes.geometry.shape[2]) - box.first[2];
        if (box.count[2] > 0) read_image(shot.file, kind, {0, 0, box.first[2] - nodes.first[2]}, box.count, buffer);
    }
};

}  // namespace

ImageNodes nodes_of_part(const Grid& grid, const Window& part) {
    ImageNodes nodes{{grid.dimensions, part.count, grid.spacing_m, {}}, part.first};
    for (std::size_t axis = 0; axis < 3; ++axis)
        nodes.geometry.origin_m[axis] =
            grid.origin_m[axis] + static_cast<double>(part.first[axis]) * grid.spacing_m[axis];
    return nodes;
}

ImageNodes nodes_of_run(const Experiment& experiment) {
    return nodes_of_part(experiment.domain.grid, Window::whole(experiment.domain.grid));
}

ShotMisfit take_misfit(ShotImages& images) {
    return {images.shot,     images.misfit, std::move(images.misfit_of_trace), images.dead,
            images.excluded, images.dt_s,   std::move(images.adjoint_source)};
}

void RunningSum::expect(const std::function<bool(std::size_t)>& may_begin) {
    if (!sums_while_running(experiment_, images_)) return;
    // What comes after a shot that was there before, or is for others, cannot be added before that.
    std::vector<std::size_t> shots;
    for (std::size_t i = 0; i < experiment_.survey.shots.size() && may_begin(i); ++i) shots.push_back(i);
    if (shots.empty()) return;
    const std::int64_t of_shot = running_bytes(experiment_, images_) / 2;
    in_order_ = std::make_unique<InOrderOfShots<ShotImages>>(
        std::move(shots), [this](ShotImages& images) { take(images); }, static_cast<std::size_t>(most_early(of_shot)));
}

void RunningSum::add(std::size_t index, ShotImages& images) {
    if (in_order_) in_order_->add(index, std::move(images));
}

void RunningSum::pass_over(std::size_t index) {
    if (in_order_) in_order_->add(index, {});
}

void RunningSum::take(ShotImages& images) {
    bool has_any = false;
    for_images_of(images, [&](const StoredImageKind& kind, const UnsetVector<float>& values) {
        add_part(sums_[&kind], experiment_.domain.grid, images.part, values);
        has_any = true;
    });
    if (has_any) shots_.push_back(images.shot);
}

std::size_t RunningSum::leading(std::span<const std::int64_t> shots) const {
    return shots_.size() <= shots.size() && std::ranges::equal(shots_, shots.first(shots_.size())) ? shots_.size() : 0;
}

std::span<const double> RunningSum::of(const StoredImageKind& kind) const {
    const auto sum = sums_.find(&kind);
    return sum == sums_.end() ? std::span<const double>() : std::span<const double>(sum->second);
}

void RunningSum::add_memory(Allocations& list, const Experiment& experiment, const Computation& computation,
                            std::int64_t images) {
    if (!sums_while_running(experiment, images)) return;
    const std::int64_t sums = running_bytes(experiment, images), of_shot = sums / 2;
    // One worker has no more than a batch that waits for its first shot.
    const std::int64_t wait =
        workers_of_run(computation.placement) == 1 ? computation.placement.batch : most_early(of_shot) + 1;
    list.add(host_row("sums of images", held::outputs, sums, 1));
    list.add(host_row("sums of images: of shots that wait", held::survey,
                      saturating_product(of_shot, std::min(wait, std::ssize(experiment.survey.shots) - 1)), 1));
}

void ImagesOfShot::take_images(ShotImages& images) {
    ImageWriter writer(file_, nodes_of_part(experiment_.domain.grid, images.part), provenance_, true);
    for_images_of(images,
                  [&](const StoredImageKind& kind, std::span<const float> values) { writer.write(kind, 0, values); });
    if (!images.offset_gathers.values.empty()) writer.write(images.offset_gathers);
    writer.write(take_misfit(images));
    written_ = writer.finish();
    images.offset_gathers = {};
    sum_.add(index_, images);
}

std::vector<ImagedShot> imaged_shots(const FinishedSurvey& survey, const OutputFormat& format) {
    std::vector<ImagedShot> shots;
    for (const ShotRecord& shot : survey.shots) {
        const FileRecord& record = file_of(shot, format);
        if (record.name.empty()) continue;
        const std::filesystem::path file = survey.folder / record.name;
        shots.push_back({shot.shot, record, file, image_contents(file)});
        if (const ImagedShot& imaged = shots.back();
            imaged.contents.misfits.size() != 1 || imaged.misfit().shot != shot.shot)
            throw Error(ExitCode::bad_data,
                        shown(file) + ": has not one row of /misfit, of shot " + std::to_string(shot.shot));
    }
    return shots;
}

std::vector<float> sum_of_shots(std::span<const ImagedShot> shots, const StoredImageKind& kind, const Grid& grid,
                                std::int64_t plane, std::int64_t count, const RunningSum& begun) {
    const std::int64_t of_plane = grid.ny() * grid.nx();
    std::vector<double> sum(static_cast<std::size_t>(count * of_plane));
    std::vector<std::int64_t> numbers;
    for (const ImagedShot& shot : shots) numbers.push_back(shot.shot);
    const std::span<const double> running = begun.of(kind);
    const std::size_t summed = running.empty() ? 0 : begun.leading(numbers);
    if (summed > 0) std::copy_n(running.begin() + plane * of_plane, sum.size(), sum.begin());
    std::array<PlanesOfShot, kReadTogether> read;
    for (std::size_t first = summed; first < shots.size(); first += read.size()) {
        throw_if_interrupted();
        const std::span<const ImagedShot> some = shots.subspan(first, std::min(read.size(), shots.size() - first));
        LoopFailure failure;
#pragma omp parallel for schedule(dynamic)
        for (std::size_t i = 0; i < some.size(); ++i) failure.guard([&] { read[i].read(some[i], kind, plane, count); });
        failure.rethrow();
        for (std::size_t i = 0; i < some.size(); ++i)
            if (read[i].box.count[2] > 0) add_part(std::span(sum), grid, plane, read[i].box, read[i].buffer.values);
    }
    return {sum.begin(), sum.end()};
}

void OffsetGatherSum::add(OffsetGathers of_shot) {
    values_.resize(of_shot.values.size());
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] += static_cast<double>(of_shot.values[i]);
    latest_ = std::move(of_shot);
}

OffsetGathers OffsetGatherSum::take() {
    latest_.values.assign(values_.begin(), values_.end());
    return std::move(latest_);
}

OffsetGathers sum_of_offset_gathers(std::span<const ImagedShot> shots) {
    OffsetGatherSum sum;
    for (const ImagedShot& shot : shots) {
        throw_if_interrupted();
        sum.add(read_offset_gathers(shot.file));
    }
    return sum.take();
}

std::vector<float> read_on(const std::filesystem::path& file, const StoredImageKind& kind, const Window& window) {
    std::array<std::int64_t, 3> count{};
    for (std::size_t axis = 0; axis < 3; ++axis) count[axis] = (window.count[axis] - 1) * window.step[axis] + 1;
    const std::vector<float> all = read_image(file, kind, window.first, count);
    if (count == window.count) return all;
    std::vector<float> thinned;
    thinned.reserve(static_cast<std::size_t>(window.points()));
    for (std::int64_t z = 0; z < count[2]; z += window.step[2])
        for (std::int64_t y = 0; y < count[1]; y += window.step[1])
            for (std::int64_t x = 0; x < count[0]; x += window.step[0])
                thinned.push_back(all[static_cast<std::size_t>((z * count[1] + y) * count[0] + x)]);
    return thinned;
}

void write_misfits(ImageWriter& writer, const FinishedSurvey& survey, std::span<const ImagedShot> shots) {
    for (const ImagedShot& shot : shots)
        if (survey.assembly == Assembly::links)
            writer.link(shot.misfit(), kept_name(shot.record));
        else
            writer.write(read_misfit(shot.file, shot.shot));
}

std::string traces_table(std::span<const ImagedShot> shots, std::string_view value) {
    std::string text = fmt::format("shot,{},traces,dead,excluded\n", value);
    for (const ImagedShot& shot : shots) {
        const ListedMisfit& misfit = shot.misfit();
        text += fmt::format("{},{},{},{},{}\n", misfit.shot, shortest(misfit.value), misfit.traces, misfit.dead,
                            misfit.excluded);
    }
    return text;
}

std::int64_t predicted_sum_bytes(const Experiment& experiment, std::int64_t images, std::int64_t provenance_bytes) {
    constexpr std::int64_t line = 40;  // of the table of shots
    return saturating_sum(
        predicted_image_bytes(nodes_of_run(experiment).geometry, images, experiment.survey.size.shots_of_receivers,
                              experiment.imaging->adjoint_sources ? experiment.time.output_samples : 0,
                              provenance_bytes),
        saturating_product(std::int64_t{std::ssize(experiment.survey.shots)}, line));
}

std::int64_t own_images_bytes() {
    return linked_file_bytes() + 3400;
}

std::int64_t bytes_of_shot_images(const Experiment& experiment, std::int64_t images) {
    const Window largest = experiment.domain.computed.inner();
    const std::int64_t shots = std::ssize(experiment.survey.shots);
    const std::int64_t of_largest = saturating_product(
        shots, bytes_of_images(nodes_of_part(experiment.domain.grid, {{}, largest.count, {1, 1, 1}}).geometry, images));
    const std::int64_t less = saturating_product(shots, largest.points()) - experiment.domain.inner_nodes_of_shots;
    return of_largest - saturating_product(less, images, std::int64_t{sizeof(float)});
}

std::int64_t memory_to_sum(const FileGeometry& geometry) {
    const std::int64_t nodes = geometry.shape[0] * geometry.shape[1] * planes_at_a_time(geometry);
    const std::int64_t written = saturating_product(nodes, std::int64_t{sizeof(float)});
    return saturating_sum(saturating_product(nodes, std::int64_t{sizeof(double)}),
                          saturating_product(written, 1 + 2 * std::int64_t{kReadTogether}),
                          memory_to_write_images(written));
}

}  // namespace onda
