#include "kernels/fields/field_set.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "kernels/fingerprint.hpp"
#include "kernels/imaging/correlation.hpp"
#include "kernels/imaging/field_ring.hpp"
#include "kernels/imaging/scattering.hpp"

namespace onda {
namespace {

/// Calls body(number, values) for each plane z of a window, in their order, [y][x]. Downloads some at a time: planes
/// may be small and many.
template <typename T, typename Body>
void for_downloaded_planes(const FieldSet& fields, const Window& window, int shot, const Body& body) {
    constexpr std::int64_t together = 1 << 20;  // bytes
    const std::int64_t plane = window.count[0] * window.count[1], planes = window.count[2];
    const std::int64_t most =
        std::clamp<std::int64_t>(together / (plane * static_cast<std::int64_t>(sizeof(T))), 1, planes);
    std::vector<T> values(static_cast<std::size_t>(most * plane));
    Window part = window;
    for (std::int64_t first = 0; first < planes; first += most) {
        part.first[2] = window.first[2] + first * window.step[2];
        part.count[2] = std::min(most, planes - first);
        fields.download(part, std::span(values.data(), static_cast<std::size_t>(part.points())), shot, {});
        for (std::int64_t i = 0; i < part.count[2]; ++i)
            body(static_cast<std::size_t>(first + i),
                 std::span<const T>(values.data() + i * plane, static_cast<std::size_t>(plane)));
    }
}

template <typename T>
void hash_downloaded(const FieldSet& fields, const Window& window, std::span<std::uint64_t> hashes, int shot) {
    Fingerprint hash;
    for_downloaded_planes<T>(fields, window, shot, [&](std::size_t number, std::span<const T> plane) {
        hash.reset();
        hash.add(plane);
        hashes[number] = hash.value();
    });
}

}  // namespace

void FieldSet::hash_planes(const Window& window, std::span<std::uint64_t> hashes, int shot) const {
    if (problem().precision == Precision::float64)
        hash_downloaded<double>(*this, window, hashes, shot);
    else
        hash_downloaded<float>(*this, window, hashes, shot);
}

double FieldSet::sum_of_squares(const Window& window, int shot) const {
    double sum = 0.;
    for_downloaded_planes<double>(*this, window, shot, [&sum](std::size_t, std::span<const double> plane) {
        for (const double value : plane) sum += value * value;
    });
    return sum;
}

std::unique_ptr<Correlation> FieldSet::make_correlation(std::int64_t, Correlated, const OffsetLines&) const {
    throw std::logic_error("fields that are not correlated");
}

std::unique_ptr<Correlation> FieldSet::make_correlation(std::int64_t slots, Correlated what) const {
    return make_correlation(slots, what, {});
}

std::unique_ptr<Scattering> FieldSet::make_scattering() const {
    throw std::logic_error("fields that do not scatter");
}

std::unique_ptr<FluxCorrelation> FieldSet::make_flux_correlation(std::int64_t) const {
    throw std::logic_error("fields whose fluxes are not correlated");
}

std::unique_ptr<FluxScattering> FieldSet::make_flux_scattering() const {
    throw std::logic_error("fields whose fluxes do not scatter");
}

std::unique_ptr<FieldRing> FieldSet::make_ring(const RingSize&) const {
    throw std::logic_error("fields that are not rebuilt");
}

void FieldSet::throw_uncut() {
    throw std::logic_error("fields whose planes nobody exchanges");
}

}  // namespace onda
