#include "solver/imaging/gradient_run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "io/text/error.hpp"
#include "kernels/equations/vti/stiffness.hpp"
#include "kernels/imaging/flux_axes.hpp"
#include "kernels/imaging/scattering.hpp"
#include "kernels/shot/source_density.hpp"

namespace onda {
namespace {

/// The parts of a state in the order of correlated_beside().
constexpr std::array<std::string_view, 2> kStrainSums{"strain", "strain_and_stress"};

}  // namespace

/// Counts the steps of several loops as those of one run.
class GradientRun::Progressing final : public StepControl {
public:
    /// \param done before step `first` of the loop. \param each how many steps are computed with one of the loop.
    Progressing(StepControl& control, std::int64_t done, std::int64_t first, std::int64_t each)
        : control_(control), done_(done), first_(first), each_(each) {}
    std::int64_t begin_stretch() override { return control_.begin_stretch(); }
    void end_stretch(std::int64_t strides, double seconds) override { control_.end_stretch(strides, seconds); }
    void tell(std::int64_t step, double time_s, double max_abs) override {
        control_.tell(done_ + (step - first_) * each_, time_s, max_abs);
    }

private:
    StepControl& control_;
    std::int64_t done_, first_, each_;
};

GradientRun::GradientRun(Medium& medium, int shots, const TimeAxis& time, const HistoryPlan& plan,
                         const ImageSums& sums, const OffsetLines& lines)
    : medium_(medium),
      time_(time),
      plan_(plan),
      illuminates_pressures_(sums.illuminates_pressures()),
      forward_field_(medium.make_wavefield(shots)),
      adjoint_field_(plan.segments(time) > 1 ? medium.make_wavefield(shots) : nullptr),
      slots_(std::min(plan.slots, plan.levels(time))) {
    check_keeps_applied(medium.setup());
    if (sums.takes_level_before() && plan.ring && !plan.ring_pressures)
        throw std::logic_error("rings without the pressures that images and a gradient of density take");
    const FieldSet& fields = forward_field_->fields();
    const EquationRow& equation = *medium.setup().scheme.equation;
    if (sums.differences && equation.of_gradients != nullptr)
        throw std::logic_error("gradients without the strain that they take");
    if (sums.differences)
        correlation_ =
            fields.make_correlation(slots_, correlated_differences(equation, sums.illuminates_differences()));
    if (sums.keeps_pressures())
        pressures_ =
            fields.make_correlation(slots_, correlated_pressures(equation, sums.illuminates_pressures()), lines);
    if (sums.stresses && equation.fields.size() > 1)
        horizontal_ = fields.make_correlation(slots_, Correlated::pressures);
    if (sums.density) fluxes_ = fields.make_flux_correlation(slots_);
    if (sums.differences && medium.setup().keeps_applied) {
        applied_ = fields.make_correlation(slots_, Correlated::applied);
        inverse_gains_ = inverse_gains(medium.setup());
    }
    if (sums.differences)
        for (const Correlated what : correlated_beside(equation, sums.anisotropy))
            beside_.push_back(fields.make_correlation(slots_, what));
    if (plan.ring) rebuilt_ = std::make_unique<RebuiltField>(medium, *forward_field_, time, plan_);
    state_.add("adjoint", adjoint_field_ ? *adjoint_field_ : *forward_field_);
    const auto add_sums = [this](const char* name, const auto& sums_of) {
        if (sums_of) state_.add(name, *sums_of);
    };
    add_sums("differences", correlation_);
    add_sums("pressures", pressures_);
    add_sums("horizontal_stresses", horizontal_);
    add_sums("applied", applied_);
    add_sums("fluxes", fluxes_);
    for (std::size_t i = 0; i < beside_.size(); ++i) {
        const std::string name(has_strain(equation)      ? kStrainSums.at(i)
                               : equation.memory.empty() ? "drag"
                                                         : equation.memory[i]);
        add_sums(name.c_str(), beside_[i]);
    }
}

void GradientRun::run(std::span<const ShotPoints> shots, const AdjointOf& adjoint_of, const RunSupport& support) {
    points_.assign(shots.begin(), shots.end());
    adjoint_of_ = &adjoint_of;
    support_ = &support;
    goes_on_after_ = support.keeper != nullptr ? support.keeper->begins_after() : 0;
    steps_before_ = goes_on_after_ > 0 ? steps() - plan_.steps_to_go_on(time_, goes_on_after_) : 0;
    steps_done_ = steps_before_;
    if (goes_on_after_ > 0) support.control.begin_at(steps_done_);
    recorded_before_.assign(points_.size(), {});
    states_ = forward_field_->make_saved_states();
    adjoint_.reset();
    for (const auto* each : {&correlation_, &pressures_, &horizontal_, &applied_})
        if (*each) (*each)->reset();
    for (const auto& sums : beside_) sums->reset();
    if (fluxes_) fluxes_->reset();
    forward_.emplace(*forward_field_, points_, time_);
    const std::int64_t segments = plan_.segments(time_);
    const std::int64_t left = goes_on_after_ > 0 ? plan_.segment_after(time_, goes_on_after_) + 1 : segments;
    reverse_segments(std::min(segments, left + 1), plan_.checkpoints, *this);
    forward_.reset();
    adjoint_.reset();
    states_.reset();
}

void GradientRun::download_planes(LevelSum sum, int shot, std::int64_t first, std::span<double> planes) const {
    const bool of_pressures = sum != LevelSum::products && illuminates_pressures_;
    if (!of_pressures && !correlation_) throw std::logic_error("products of differences that nobody asked for");
    (of_pressures ? *pressures_ : *correlation_).download_planes(sum, first, planes, shot);
    double factor = static_cast<double>(plan_.every);
    if (sum == LevelSum::products) factor *= rebuilt_ ? -scale(shot) : scale(shot);
    if (sum == LevelSum::adjoint_squares) factor *= scale(shot) * scale(shot);
    scale_values(planes, factor);
    if (sum == LevelSum::products && applied_) add_second_image(shot, first, planes, factor);
    if (sum == LevelSum::products && medium_.setup().absorbs()) add_memory_images(shot, first, planes, factor);
    if (sum == LevelSum::products && has_strain(*medium_.setup().scheme.equation))
        add_strain_image(shot, first, planes, factor);
}

void GradientRun::download_pressures(int shot, std::int64_t first, std::span<double> planes) const {
    if (!pressures_) throw std::logic_error("products of pressures that nobody asked for");
    pressures_->download_planes(LevelSum::products, first, planes, shot);
    scale_values(planes, static_cast<double>(plan_.every) * scale(shot));
}

void GradientRun::download_horizontal_stresses(int shot, std::int64_t first, std::span<double> planes) const {
    if (!horizontal_) throw std::logic_error("products of horizontal stresses that nobody asked for");
    horizontal_->download_planes(LevelSum::products, first, planes, shot);
    scale_values(planes, static_cast<double>(plan_.every) * scale(shot));
}

void GradientRun::download_offsets(int shot, std::int64_t first, std::span<double> planes) const {
    if (!pressures_) throw std::logic_error("products of pressures that nobody asked for");
    pressures_->download_offsets(first, planes, shot);
    scale_values(planes, static_cast<double>(plan_.every) * scale(shot));
}

void GradientRun::add_second_image(int shot, std::int64_t first, std::span<double> planes, double factor) const {
    const Grid& grid = medium_.setup().grid;
    NodeValues second(planes.size());
    applied_->download_planes(LevelSum::products, first, second, shot);
    const double* const inverse = inverse_gains_.empty() ? nullptr : inverse_gains_.data() + grid.at(0, 0, first);
#pragma omp parallel for
    for (std::size_t i = 0; i < planes.size(); ++i)
        planes[i] += second[i] * factor / (12. * (inverse == nullptr ? 1. : inverse[i]));
}

/// Adds what nodes that absorb have beside differences: g / a of what each memory field, or drag, gave.
void GradientRun::add_memory_images(int shot, std::int64_t first, std::span<double> planes, double factor) const {
    const Grid& grid = medium_.setup().grid;
    const auto fit = fit_of(medium_.setup(), time_.dt_s);
    std::vector<std::int64_t> nodes(planes.size());
    std::iota(nodes.begin(), nodes.end(), grid.at(0, 0, first));
    std::vector<double> g(planes.size());
    NodeValues sums(planes.size());
    for (std::size_t field = 0; field < beside_.size(); ++field) {
        beside_[field]->download_planes(LevelSum::products, first, sums, shot);
        medium_.values_at(array_of_memory(medium_.setup(), field), nodes, g);
        const auto a = fit->of_class(field);
#pragma omp parallel for
        for (std::size_t i = 0; i < planes.size(); ++i) {
            const auto [x, y, z] = grid.node(nodes[i]);
            const double of_node = a[static_cast<std::size_t>(node_class(x, y, medium_.setup().first_plane + z))];
            if (of_node > 0.) planes[i] += factor * g[i] / of_node * sums[i];
        }
    }
}

/// Adds what the strain has: e - d^2 times its products.
void GradientRun::add_strain_image(int shot, std::int64_t first, std::span<double> planes, double factor) const {
    std::vector<std::int64_t> nodes(planes.size());
    std::iota(nodes.begin(), nodes.end(), medium_.setup().grid.at(0, 0, first));
    std::vector<double> e(planes.size()), d(planes.size());
    medium_.values_at(kPlaceOfE, nodes, e);
    medium_.values_at(kPlaceOfD, nodes, d);
    NodeValues sums(planes.size());
    beside_.front()->download_planes(LevelSum::products, first, sums, shot);
#pragma omp parallel for
    for (std::size_t i = 0; i < planes.size(); ++i) planes[i] += factor * (e[i] - d[i] * d[i]) * sums[i];
}

NodeValues GradientRun::whole(LevelSum sum, int shot) const {
    NodeValues values(static_cast<std::size_t>(medium_.setup().grid.points()));
    download_planes(sum, shot, 0, values);
    return values;
}

NodeValues GradientRun::image(int shot) const {
    return whole(LevelSum::products, shot);
}

NodeValues GradientRun::scaled_products(const Correlation& sums, int shot) const {
    NodeValues image(static_cast<std::size_t>(medium_.setup().grid.points()));
    sums.download_planes(LevelSum::products, 0, image, shot);
    scale_values(image, static_cast<double>(plan_.every) * scale(shot));
    return image;
}

std::vector<NodeValues> GradientRun::memory_images(int shot) const {
    std::vector<NodeValues> images;
    for (const auto& memory : beside_) images.push_back(scaled_products(*memory, shot));
    return images;
}

AnisotropyImages GradientRun::anisotropy_images(int shot) const {
    if (beside_.size() < 2 || medium_.setup().absorbs())
        throw std::logic_error("derivatives with respect to epsilon and delta that nobody asked for");
    AnisotropyImages images{scaled_products(*beside_[0], shot), scaled_products(*beside_[1], shot)};
    const NodeValues vertical = scaled_products(*correlation_, shot);
    for (std::size_t i = 0; i < vertical.size(); ++i) images.mixed[i] -= vertical[i] + images.strain[i];
    return images;
}

Illumination GradientRun::illumination(int shot) const {
    return {whole(LevelSum::forward_squares, shot), whole(LevelSum::adjoint_squares, shot)};
}

DensityImages GradientRun::density_images(int shot) const {
    if (!fluxes_) throw std::logic_error("a derivative with respect to density that nobody asked for");
    DensityImages images;
    const double factor = static_cast<double>(plan_.every) * scale(shot);
    for (const FluxAxis& flux : flux_axes(medium_.setup())) {
        std::vector<double>& image = images.fluxes[static_cast<std::size_t>(flux.axis)];
        image.resize(static_cast<std::size_t>(flux.points()));
        fluxes_->download(flux.axis, image, shot);
        for (double& value : image) value *= factor;
    }
    const Sources& sources = points_.at(static_cast<std::size_t>(shot)).sources;
    images.sources = source_density_gradient(medium_, sources, source_products(shot));
    return images;
}

/// The sum over n of s[n] dJ/ds[n] of each source: exact, whatever levels are met.
std::vector<double> GradientRun::source_products(int shot) const {
    const Sources& sources = points_.at(static_cast<std::size_t>(shot)).sources;
    const std::vector<double> density = source_densities(medium_, sources);
    const auto samples = static_cast<std::size_t>(time_.steps + 1);
    std::vector<double> recorded(density.size() * samples), products;
    download_recorded(recorded, shot);
    for (std::size_t row = 0; row < density.size(); ++row) {
        const std::vector<double> derivative = adjoint_signal(std::span(recorded).subspan(row * samples, samples),
                                                              scale(shot), density[row], medium_.setup().grid);
        const std::vector<double>& signal = sources.signal[row];
        double& sum = products.emplace_back(0.);
        for (std::size_t n = 0; n < std::min(signal.size(), derivative.size()); ++n) sum += signal[n] * derivative[n];
    }
    return products;
}

std::int64_t GradientRun::allocated_bytes() const {
    const auto bytes_of = [](const auto& part) { return part ? part->allocated_bytes() : 0; };
    std::int64_t bytes_beside = 0;
    for (const auto& sums : beside_) bytes_beside += bytes_of(sums);
    return bytes_of(forward_field_) + bytes_of(adjoint_field_) + bytes_of(correlation_) + bytes_of(pressures_) +
           bytes_of(horizontal_) + bytes_of(applied_) + bytes_of(fluxes_) + bytes_of(rebuilt_) + bytes_beside;
}

void GradientRun::step_to(Propagator& run, std::int64_t last, bool first_time) {
    const std::int64_t first = run.step(), each = adjoint_ && &run == &*adjoint_ && rebuilt_ ? 2 : 1;
    Progressing control(support_->control, steps_done_, first, each);
    TimeLoop loop(time_, support_->times, control);
    if (first_time)
        for (const StepHook& hook : support_->forward_hooks) loop.add(hook);
    const double unknown = 0.;
    if (AdjointKeeper* const keeper = support_->keeper) {
        const bool is_adjoint = adjoint_ && &run == &*adjoint_;
        loop.set_after_stretch([keeper, is_adjoint] { return is_adjoint ? keeper->is_due() : keeper->wants_to_end(); },
                               [this] { keep_or_end(); });
    }
    loop.run(run, first_time && support_->max_abs != nullptr ? *support_->max_abs : unknown, last);
    steps_done_ += (last - first) * each;
}

/// Where the forward field is computed again between two pieces of the adjoint run, that run is what is kept.
void GradientRun::keep_or_end() {
    if (!adjoint_ || adjoint_->step() == goes_on_after_) return support_->keeper->end();
    meet_now();
    support_->keeper->keep();
}

void GradientRun::advance(std::int64_t to) {
    forward_->set_hook(of_first_time());
    forward_to(begin_of(to));
}

void GradientRun::restore(std::int64_t segment) {
    if (segment == 0) {
        forward_.emplace(*forward_field_, points_, time_);
        return;
    }
    states_->restore(segment);
    forward_->go_on_from(begin_of(segment));
}

void GradientRun::reverse(std::int64_t segment) {
    if (is_met(segment))
        forward_->set_hook(of_first_time());
    else
        rebuilt_ ? keep_rings() : keep_from(segment);
    const std::int64_t end = is_met(segment) ? time_.steps : plan_.end_of_segment(time_, segment);
    forward_to(end);
    if (applied_ && end < time_.steps) forward_->advance(1);  // which makes A p of the last level
    if (!adjoint_) begin_adjoint();
    if (!is_met(segment)) meet_segment(segment);
}

/// Levels n, multiples of the interval, into slots of their own.
void GradientRun::keep_from(std::int64_t segment) {
    const auto next_level = [every = plan_.every](std::int64_t step) { return (step / every + 1) * every; };
    const auto next = [this, next_level](std::int64_t step) {
        return applied_ ? std::min(next_level(step), next_level(step - 1) + 1) : next_level(step);
    };
    QueuedHook kept;
    if (correlation_ || applied_) kept = {next, [this, segment](std::int64_t step) { keep(step, segment); }};
    if (fluxes_ || pressures_) kept = both(std::move(kept), keep_levels_before(segment));
    forward_->set_hook(both(std::move(kept), of_first_time()));
}

void GradientRun::keep_differences(std::int64_t slot) {
    correlation_->keep(forward_field_->fields(), slot);
    for (const auto& sums : beside_) sums->keep(forward_field_->fields(), slot);
}

/// After a step there are its level and A p of the one before.
void GradientRun::keep(std::int64_t step, std::int64_t segment) {
    if (const std::int64_t slot = slot_in(segment, step); correlation_ && slot >= 0) keep_differences(slot);
    if (const std::int64_t slot = slot_in(segment, step - 1); applied_ && slot >= 0)
        applied_->keep(forward_field_->fields(), slot);
}

void GradientRun::keep_level_before(FieldSet& fields, std::int64_t slot) {
    if (fluxes_) fluxes_->keep(fields, slot);
    if (pressures_) pressures_->keep(fields, slot);
    if (horizontal_) horizontal_->keep(fields, slot);
}

/// The levels before those that are multiples of the interval: a level itself is met by nu one step later.
QueuedHook GradientRun::keep_levels_before(std::int64_t segment) {
    const std::int64_t every = plan_.every, last = plan_.end_of_segment(time_, segment) - 1;
    const auto keep = [this, segment, last](std::int64_t step) {
        if (step <= last) keep_level_before(forward_field_->fields(), slot_in(segment, step + 1));
    };
    if (every == 1) keep(begin_of(segment));
    return {[every](std::int64_t step) { return ((step + 1) / every + 1) * every - 1; }, keep};
}

std::int64_t GradientRun::slot_in(std::int64_t segment, std::int64_t level) const {
    const std::int64_t slot = level / plan_.every - 1 - segment * plan_.slots;
    return level % plan_.every == 0 && slot < slots_ ? std::max<std::int64_t>(slot, -1) : -1;
}

/// Whatever of every level is needed to rebuild the field.
void GradientRun::keep_rings() {
    rebuilt_->keep(0);
    forward_->set_hook(
        both({[](std::int64_t step) { return step + 1; }, [this](std::int64_t step) { rebuilt_->keep(step); }},
             of_first_time()));
}

void GradientRun::begin_adjoint() {
    std::vector<AdjointPoints> adjoint = (*adjoint_of_)(*forward_field_);
    std::vector<ShotPoints> points;
    scales_.clear();
    for (AdjointPoints& shot : adjoint) {
        if (fluxes_ && shot.points.receivers.rows() != points_[points.size()].sources.nodes.rows())
            throw std::logic_error("an adjoint run that does not record at its sources");
        points.push_back(std::move(shot.points));
        scales_.push_back(shot.scale);
    }
    if (rebuilt_) rebuilt_->turn_back(points_);
    // What is computed again has been recorded.
    for (ShotPoints& shot : points_) shot.receivers = {};
    for (int shot = 0; shot < shots(); ++shot) forward_field_->set_receivers(shot, {}, 0);
    if (!adjoint_field_) forward_.reset();
    met_ = 0;
    support_->times.measure("adjoint set-up", [&] {
        adjoint_.emplace(adjoint_field_ ? *adjoint_field_ : *forward_field_, std::move(points), time_);
    });
    if (goes_on_after_ > 0) go_on();
}

/// Lets the adjoint run begin where another one was kept.
void GradientRun::go_on() {
    support_->times.measure("checkpoints", [this] { support_->keeper->restore(); });
    adjoint_->go_on_from(goes_on_after_);
    met_ = goes_on_after_;
    if (rebuilt_) rebuild_what_was_met();
}

/// Takes the rebuilt field back over the levels that were met, in stretches, as it has no adjoint field beside it.
void GradientRun::rebuild_what_was_met() {
    using Clock = std::chrono::steady_clock;
    const std::int64_t last = plan_.rebuilt_after(time_, goes_on_after_);
    while (rebuilt_->level() > last) {
        const std::int64_t count = std::min(support_->control.begin_stretch(), rebuilt_->level() - last);
        const Clock::time_point start = Clock::now();
        support_->times.measure("time steps", [&] {
            rebuilt_->step_back_to(rebuilt_->level() - count);
            rebuilt_->wait();
        });
        support_->control.end_stretch(count, std::chrono::duration<double>(Clock::now() - start).count());
        steps_done_ += count;
        support_->control.tell(steps_done_, 0., 0.);
        if (support_->keeper->wants_to_end()) support_->keeper->end();
    }
}

/// Lets what layers remember be of the step that the adjoint run is at: what is kept tells of no other.
void GradientRun::meet_now() {
    const std::int64_t step = adjoint_->step();
    if (step == met_) return;
    meet(time_.steps + 1 - step, -1, step - met_);
    met_ = step;
}

void GradientRun::download_recorded(std::span<double> traces, int shot) const {
    adjoint_field().download_traces(traces, shot);
    recorded_before_.at(static_cast<std::size_t>(shot)).put_into(traces, time_.steps + 1);
}

std::vector<double> GradientRun::recorded(int shot) const {
    if (!fluxes_) return {};
    const std::int64_t rows = points_.at(static_cast<std::size_t>(shot)).sources.nodes.rows();
    std::vector<double> traces(static_cast<std::size_t>(rows * (time_.steps + 1)));
    download_recorded(traces, shot);
    keep_beginnings(traces, time_.steps + 1, adjoint_->step() + 1);
    return traces;
}

void GradientRun::set_recorded_before(int shot, std::vector<double> traces) {
    const std::int64_t rows = fluxes_ ? points_.at(static_cast<std::size_t>(shot)).sources.nodes.rows() : 0;
    if (std::ssize(traces) != rows * (goes_on_after_ + 1))
        throw Error(ExitCode::bad_data, "a checkpoint has not what its adjoint run has recorded");
    recorded_before_.at(static_cast<std::size_t>(shot)) = {goes_on_after_ + 1, std::move(traces)};
}

/// The slot that has a level.
std::int64_t GradientRun::slot_of(std::int64_t level, std::int64_t segment) {
    if (!rebuilt_) return slot_in(segment, level);
    const FieldSet& rebuilt = rebuilt_->at(level);
    if (correlation_) correlation_->keep(rebuilt, 0);
    if (fluxes_ || pressures_) keep_level_before(rebuilt_->pressure_before(level), 0);
    return 0;
}

/// Step a of the adjoint run gives nu at the level n = N + 1 - a of the forward field.
void GradientRun::meet_segment(std::int64_t segment) {
    const std::int64_t every = plan_.every, top = time_.steps + 1;
    const auto next = [this, every, top](std::int64_t step) {
        const std::int64_t below = top - step - 1, kept = top - below / every * every;  // the next level down
        return std::min(kept, met_ + std::min(most_steps(), top));
    };
    const auto act = [this, segment, top](std::int64_t step) {
        const std::int64_t level = top - step;
        meet(level, is_kept(level) ? slot_of(level, segment) : -1, step - met_);
        met_ = step;
    };
    adjoint_->set_hook({next, act, meetings_between()});
    step_to(*adjoint_, time_.steps - begin_of(segment), false);
}

void GradientRun::meet(std::int64_t level, std::int64_t slot, std::int64_t steps) {
    FieldSet& nu = adjoint_->wavefield().fields();
    if (correlation_) correlation_->meet(nu, slot, steps);
    for (const auto& sums : beside_) sums->meet(nu, slot, steps);
    if (pressures_) pressures_->meet(nu, slot, steps);
    if (horizontal_) horizontal_->meet(nu, slot, steps);
    // A nu[n+1] has been made of the last step; of n = N it is nothing, as nobody keeps A p[N].
    if (applied_) applied_->meet(nu, level < time_.steps ? slot : -1, steps);
    if (fluxes_) fluxes_->meet(nu, slot);
}

std::optional<QueuedHook::Repeated> GradientRun::meetings_between() {
    const std::int64_t most = steps_between_meetings(), top = time_.steps + 1;
    if (fluxes_ || most == kAnySteps) return std::nullopt;
    for (const auto* each : {&correlation_, &pressures_, &horizontal_, &applied_})
        if (*each) (*each)->follow(adjoint_->wavefield().fields());
    for (const auto& memory : beside_) memory->follow(adjoint_->wavefield().fields());
    return QueuedHook::Repeated{
        [this, most, top](std::int64_t step) { return step - met_ == most && !is_kept(top - step); },
        [this](std::int64_t step) { met_ = step; }, meeting_between_};
}

void check_keeps_applied(const Problem& problem) {
    if (problem.scheme.time_order == 4 && !problem.keeps_applied)
        throw std::logic_error("images of order 4 in time take A p, which this medium does not keep");
}

}  // namespace onda
