#include "kernels/cpu/imaging/cpu_scattering.hpp"

#include <algorithm>
#include <vector>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/cpu.hpp"
#include "kernels/cpu/fields/cpu_fields.hpp"
#include "kernels/cpu/imaging/node_rows.hpp"
#include "kernels/cpu/memory.hpp"

namespace onda::cpu {
namespace {

template <typename T>
class CpuScattering final : public Scattering {
public:
    CpuScattering(const Setup& setup, int shots)
        : CpuScattering(setup, shots, scattering_allocations(setup, shots), inverse_gains(setup)) {}

    void set_perturbation(std::span<const double> ratio) override { take(ratio, ratio_); }
    void reset() override {
        for (Buffer<T>& last : last_) clear_values(setup_, last.data(), fields_ * setup_.grid.points());
    }
    void scatter(const FieldSet& background, FieldSet& scattered) override {
        for_rows(background, scattered,
                 [&](std::size_t s, const ShotFields<T>& from, ShotFields<T>& to, std::int64_t y, std::int64_t z) {
                     for (int field = 0; field < fields_; ++field) {
                         T* const before = to.at({field, 1}).data() + to.layout().at(0, y, z);
                         T* const last = last_[s].data() + field * setup_.grid.points();
                         if (setup_.keeps_applied)
                             scatter_row(
                                 from, field, before, last, y, z,
                                 [u = level_from(from, kAppliedLevel, 0, y, z)](std::int64_t x) { return u[x]; });
                         else
                             scatter_row(from, field, before, last, y, z, [](std::int64_t) { return T(0); });
                     }
                 });
    }
    void scatter_applied(const FieldSet& background, FieldSet& scattered) override {
        for_rows(background, scattered,
                 [&](std::size_t, const ShotFields<T>& from, ShotFields<T>& to, std::int64_t y, std::int64_t z) {
                     const T* const u = level_from(from, kAppliedLevel, 0, y, z);
                     const T* const ratio = ratio_.data() + setup_.grid.at(0, y, z);
                     T* const odd = to.odd().data() + to.layout().at(0, y, z);
                     for (std::int64_t x = 0; x < setup_.grid.nx(); ++x) odd[x] = odd[x] + ratio[x] * u[x];
                 });
    }
    [[nodiscard]] std::int64_t allocated_bytes() const override {
        std::int64_t bytes = ratio_.bytes() + inverse_gain_.bytes();
        for (const Buffer<T>& last : last_) bytes += last.bytes();
        return bytes;
    }

private:
    CpuScattering(const Setup& setup, int shots, const Allocations& planned, const std::vector<double>& inverse)
        : setup_(setup),
          fields_(static_cast<int>(setup.scheme.equation->fields.size())),
          ratio_(planned.of("scattering.ratio")),
          inverse_gain_(planned.of("scattering.inverse_gain")) {
        for (int shot = 0; shot < shots; ++shot) last_.emplace_back(planned.of("scattering.last"));
        clear_values(setup_, ratio_.data(), setup_.grid.points());
        take(inverse, inverse_gain_);
        CpuScattering::reset();
    }

    static void take(std::span<const double> values, Buffer<T>& to) {
        std::ranges::transform(values, to.data(), [](double value) { return static_cast<T>(value); });
    }
    /// Calls body(shot, background's, scattered one's, y, z) for every row of every shot.
    template <typename Body>
    void for_rows(const FieldSet& background, FieldSet& scattered, const Body& body) const {
        const auto& from = dynamic_cast<const CpuFields<T>&>(background);
        auto& to = dynamic_cast<CpuFields<T>&>(scattered);
        for_node_rows<T>(setup_, last_.size(), {Box{{}, setup_.grid.n}},
                         [&](std::size_t s, std::size_t, std::int64_t y, std::int64_t z) {
                             const auto shot = static_cast<int>(s);
                             body(s, from.of(shot), to.of(shot), y, z);
                         });
    }
    /// \param applied the u of a node, or 0.
    template <typename Applied>
    void scatter_row(const ShotFields<T>& from, int field, T* before, T* last_differences, std::int64_t y,
                     std::int64_t z, const Applied& applied) const {
        const std::pair levels = levels_from(from, 0, y, z, field);  // clang 14 captures no bindings
        const T *const p = levels.first, *const q = levels.second;
        const std::int64_t row = setup_.grid.at(0, y, z), nx = setup_.grid.nx();
        const T* const ratio = ratio_.data() + row;
        T* const last = last_differences + row;
        const auto scatter_with = [&](const auto& inverse_gain) {
            for (std::int64_t x = 0; x < nx; ++x) {
                const T difference = p[x] - q[x];
                before[x] = before[x] - ratio[x] * (inverse_gain(x, difference) - last[x] - applied(x));
                last[x] = difference;
            }
        };
        if (inverse_gain_.bytes() == 0)
            scatter_with([](std::int64_t, T difference) { return difference; });
        else
            scatter_with([inverse = inverse_gain_.data() + row](std::int64_t x, T difference) {
                return inverse[x] * difference;
            });
    }

    const Setup& setup_;
    int fields_;
    Buffer<T> ratio_, inverse_gain_;  ///< of a shot; the second where strips damp
    std::vector<Buffer<T>> last_;     ///< of each shot: the differences of the background's fields a step ago
};

}  // namespace

Allocations scattering_allocations(const Setup& setup, int shots) {
    const std::int64_t points = setup.grid.points(), bytes = setup.element_bytes();
    Allocations list;
    list.add(paged("scattering.ratio", Owner::wavefield, points, bytes));
    list.add(paged("scattering.inverse_gain", Owner::wavefield, has_gains(setup) ? points : 0, bytes));
    const std::int64_t fields = std::ssize(setup.scheme.equation->fields);
    list.add(paged("scattering.last", Owner::wavefield, fields * points, bytes, shots));
    return list;
}

template <typename T>
std::unique_ptr<Scattering> make_scattering(const Setup& setup, int shots) {
    return std::make_unique<CpuScattering<T>>(setup, shots);
}

template std::unique_ptr<Scattering> make_scattering<float>(const Setup&, int);
template std::unique_ptr<Scattering> make_scattering<double>(const Setup&, int);

}  // namespace onda::cpu
