#include "solver/comparison/template_search.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <numeric>

#include "io/hdf5/run_together.hpp"
#include "io/text/error.hpp"
#include "solver/program/loop_failure.hpp"

namespace onda {
namespace {

/// The extent of a canvas: it holds the diagonal, and its centre lies on or between samples as that of the template.
std::int64_t canvas_extent(const Triple& form, std::int64_t own, int rotations) {
    if (rotations == 1) return own;
    const double diagonal = std::hypot(static_cast<double>(form[0] - 1), static_cast<double>(form[1] - 1));
    const auto extent = static_cast<std::int64_t>(std::ceil(diagonal)) + 1;
    return std::max(own, extent + (extent - own) % 2);
}

std::vector<float> centred(std::span<const float> values, bool remove_mean) {
    const double mean = std::accumulate(values.begin(), values.end(), 0.) / static_cast<double>(values.size());
    if (!std::isfinite(mean)) throw Error(ExitCode::bad_data, "only finite values can be searched");
    std::vector<float> result(values.begin(), values.end());
    if (remove_mean)
        for (float& value : result) value = static_cast<float>(value - mean);
    return result;
}

void require_contrast(std::span<const float> form, std::span<const float> original) {
    double largest = 0., energy = 0.;
    for (const float value : original) largest = std::max(largest, std::abs(static_cast<double>(value)));
    for (const float value : form) energy += static_cast<double>(value) * value;
    if (energy <= 1e-14 * largest * largest * static_cast<double>(form.size()))
        throw Error(ExitCode::bad_data, "the template is constant: it is nowhere more than elsewhere");
}

bool is_better(const FoundPlace& a, const FoundPlace& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.rotation != b.rotation ? a.rotation < b.rotation : a.rank < b.rank;
}

/// One job: the best places of an angle.
std::vector<FoundPlace> places_at(Correlator& correlator, const SearchShape& shape, const SearchSettings& settings,
                                  int rotation) {
    correlator.rotate(shape.turn(rotation, settings.rotations));
    const double norm = std::sqrt(correlator.moving_energy());
    correlator.forward();
    correlator.multiply();
    correlator.inverse();
    std::vector<FoundPlace> places;
    for (const LagPeak& peak : correlator.peaks(settings.peaks, settings.apart))
        places.push_back({rotation, 360. * rotation / settings.rotations, static_cast<int>(places.size()) + 1,
                          shape.centre(peak.lag), peak.value / norm, peak.value / (norm * norm)});
    return places;
}

}  // namespace

TemplateTurn SearchShape::turn(int rotation, int rotations) const {
    TemplateTurn turn;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        turn.n[axis] = form[axis];
        turn.canvas[axis] = correlation.moving[axis];
    }
    // Quarter turns are exact: the sine of a rounded pi is not zero.
    const double quarters = 4. * rotation / rotations;
    const double angle = 0.5 * std::numbers::pi * quarters;
    const auto exact = [](double value) { return std::abs(value) < 1e-15 ? 0. : value; };
    turn.cosine = exact(std::cos(angle));
    turn.sine = exact(std::sin(angle));
    return turn;
}

std::array<double, 3> SearchShape::centre(const Triple& lag) const {
    std::array<double, 3> place{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        place[axis] = static_cast<double>(lag[axis]) + 0.5 * static_cast<double>(correlation.moving[axis] - 1);
    return place;
}

SearchShape search_shape(const Triple& volume, const Triple& form, int rotations) {
    const Triple canvas{canvas_extent(form, form[0], rotations), canvas_extent(form, form[1], rotations), form[2]};
    LagBox lags;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        lags.first[axis] = -((canvas[axis] - 1) / 2);
        lags.count[axis] = volume[axis] - (canvas[axis] - 1) % 2;
        lags.count[axis] = std::max<std::int64_t>(1, lags.count[axis]);
    }
    return {correlation_shape(volume, canvas, lags), form};
}

struct InOrder::Waiting {
    std::mutex mutex;
    int next = 0;
    std::map<int, std::vector<FoundPlace>> places;
};

InOrder::InOrder(Sink sink) : sink_(std::move(sink)), waiting_(std::make_unique<Waiting>()) {}
InOrder::~InOrder() = default;

void InOrder::put(int number, std::vector<FoundPlace> places) {
    const std::scoped_lock lock(waiting_->mutex);
    waiting_->places.emplace(number, std::move(places));
    for (auto first = waiting_->places.begin(); first != waiting_->places.end() && first->first == waiting_->next;
         first = waiting_->places.erase(first)) {
        sink_(first->second);
        ++waiting_->next;
    }
}

std::vector<FoundPlace> find_template(std::span<const float> volume, std::span<const float> form,
                                      const SearchShape& shape, const SearchSettings& settings, int workers,
                                      const std::function<std::unique_ptr<Correlator>(int worker)>& make,
                                      const InOrder::Sink& sink) {
    const std::vector<float> fixed = centred(volume, settings.remove_mean),
                             values = centred(form, settings.remove_mean);
    require_contrast(values, form);
    std::vector<FoundPlace> best;
    // Those of an angle join the best in the order of angles, which is that of one worker.
    InOrder order([&](std::span<const FoundPlace> places) {
        sink(places);
        best.insert(best.end(), places.begin(), places.end());
        std::ranges::sort(best, is_better);
        best.resize(std::min(best.size(), static_cast<std::size_t>(settings.peaks)));
    });
    std::atomic<int> next_worker{0}, next_rotation{0};
    const auto work = [&] {
        try {
            const auto correlator = make(next_worker.fetch_add(1));
            correlator->set_fixed(fixed);
            correlator->set_template(values);
            for (int rotation; (rotation = next_rotation.fetch_add(1)) < settings.rotations;)
                order.put(rotation, places_at(*correlator, shape, settings, rotation));
        } catch (...) {
            next_rotation = settings.rotations;  // the others need not go on without this one
            throw;
        }
    };
    LoopFailure failure;
    run_together(static_cast<std::size_t>(std::clamp(workers, 1, settings.rotations)), [&] { failure.guard(work); });
    failure.rethrow();
    return best;
}

}  // namespace onda
