// The sponge of one shot: tapers, and the rows that they damp.
#include "kernels/boundaries/sponge.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/cpu/buffer.hpp"
#include "kernels/cpu/denormals.hpp"
#include "kernels/cpu/strips/strip.hpp"

namespace onda::cpu {
namespace {

template <typename T>
class SpongeSteps final : public StripSteps<T> {
public:
    SpongeSteps(const Sponge& sponge, const StripPlace<T>& place)
        : a_(place.arrays), damped_high_(place.setup.grid.nx()) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            taper_[axis] = Table<T>(place.planned.of(taper_row(axis)));
            const std::vector<double>& taper = sponge.taper[axis];
            for (std::size_t i = 0; i < taper_[axis].size(); ++i)
                taper_[axis][i] = taper.empty() ? T(1) : static_cast<T>(taper[i]);
        }
        while (damped_low_ < damped_high_ && taper_[0][damped_low_] != T(1)) ++damped_low_;
        while (damped_high_ > damped_low_ && taper_[0][damped_high_ - 1] != T(1)) --damped_high_;
    }
    static void add_rows(Allocations& list, const Sponge&, const Setup& setup, int, int shots) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            list.add(table(taper_row(axis), Owner::wavefield, setup.grid.n[axis], sizeof(T), shots));
    }

    [[nodiscard]] std::int64_t bytes() const override {
        return taper_[0].bytes() + taper_[1].bytes() + taper_[2].bytes();
    }
    void set_threads(int threads) override { a_.threads = threads; }
    void apply(std::span<const FieldLevels<T>> fields) override {
        for (const FieldLevels<T>& field : fields) damp({{field.p, field.q}, a_.pitch, a_.plane});
        for (T* const memory : a_.memory)
            if (memory != nullptr) damp({{memory, nullptr}, a_.k_pitch, a_.k_plane});
    }

private:
    /// Arrays of one layout, at node (0, 0, 0); null beyond those that there are.
    struct Damped {
        std::array<T*, 2> arrays;
        std::int64_t pitch, plane;
    };

    static std::string taper_row(std::size_t axis) { return std::string("sponge.taper_") + "xyz"[axis]; }

    void damp(const Damped& damped) const {
#pragma omp parallel num_threads(a_.threads)
        {
            const FlushDenormals<T> flush;
            const RowRange rows = rows_of_thread(a_.ny * a_.nz, omp_get_thread_num(), omp_get_num_threads());
            for (std::int64_t row = rows.begin; row < rows.end; ++row)
                for (T* const array : damped.arrays)
                    if (array != nullptr) damp_row(array, damped, row % a_.ny, row / a_.ny);
        }
    }
    void damp_row(T* array, const Damped& damped, std::int64_t y, std::int64_t z) const {
        const T* const tx = taper_[0].data();
        const T ty = taper_[1][y], tz = taper_[2][z];
        T* const __restrict values = array + y * damped.pitch + z * damped.plane;
        const auto multiply = [&](std::int64_t begin, std::int64_t end) {
#pragma omp simd
            for (std::int64_t x = begin; x < end; ++x) values[x] *= (tx[x] * ty) * tz;
        };
        const bool whole_row = ty != T(1) || tz != T(1);
        multiply(0, whole_row ? a_.nx : damped_low_);
        if (!whole_row) multiply(damped_high_, a_.nx);
    }

    Arrays<T> a_;
    std::array<Table<T>, 3> taper_;
    std::int64_t damped_low_ = 0, damped_high_;  ///< taper_[0] is 1 on [low, high)
};

}  // namespace
}  // namespace onda::cpu

namespace onda {

const cpu::StripRow& Sponge::on_cpu() const {
    static constexpr cpu::StripRow row = cpu::strip_row<Sponge, cpu::SpongeSteps>();
    return row;
}

}  // namespace onda
