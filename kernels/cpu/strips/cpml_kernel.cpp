// Strips of perfectly matched layers: whole rows at a time, SIMD along x.
//
// A point of a strip reads p, k and both memory variables, and rewrites these and p[n+1]: 32 bytes in float, twice
// those of a point of the step. Memory decides, so rows that are needed again must stay near, and strips follow the
// kernel (RowFollower): what the step has just read and written, half of these bytes, they find in the caches.
#include "kernels/cpu/strips/cpml_kernel.hpp"

namespace onda::cpu {
namespace {

/// A factor of any radius, by loops: of sets that are compiled plain (kernels/cpu/plain.cpp).
template <bool HasDensity, bool Couples = false>
struct AnyFactor {
    static constexpr int smoothed_dimensions = 0;
    static constexpr bool has_density = HasDensity, couples = Couples;
};
template <typename F>
inline constexpr bool kIsAny = false;
template <bool HasDensity, bool Couples>
inline constexpr bool kIsAny<AnyFactor<HasDensity, Couples>> = true;

/// F::first and F::count. \param radius of AnyFactor.
template <typename F>
ONDA_HOST_DEVICE int first_of([[maybe_unused]] int radius) {
    if constexpr (kIsAny<F>)
        return F::has_density ? 1 - radius : 0;
    else
        return F::first;
}
template <typename F>
ONDA_HOST_DEVICE int count_of([[maybe_unused]] int radius) {
    if constexpr (kIsAny<F>)
        return F::has_density ? 2 * radius : radius + 1;
    else
        return F::count;
}
template <typename F>
constexpr int most_of() {
    if constexpr (kIsAny<F>)
        return kMaxFactorWeights;
    else
        return F::count;
}

/// An Index that is known at run time.
struct AnyIndex {
    int value;
};
/// The sum of h_j at(j), in the order of j.
template <typename T, typename F, typename At>
ONDA_HOST_DEVICE T sum_of(const T* h, [[maybe_unused]] int radius, const At& at) {
    if constexpr (kIsAny<F>) {
        T sum = h[0] * at(AnyIndex{0});
        for (int j = 1; j < count_of<F>(radius); ++j) sum = fused(h[j], at(AnyIndex{j}), sum);
        return sum;
    } else
        return weighted_sum<T, F::count>(h, at);
}

/// What fields that share a strip make of k: the one that it remembers takes k or its own multiple of it, and a third
/// one may take k.
enum class Sharing { k, own, own_and_third };
/// That of arrays.
template <typename T>
ONDA_HOST_DEVICE Sharing sharing_of(const SharedStrip<T>& shared) {
    return shared.own == nullptr ? Sharing::k : shared.third == nullptr ? Sharing::own : Sharing::own_and_third;
}

/// A strip's share of p[n+1] at node x of a row, and of that of the fields that share it.
template <typename T, typename F, Sharing S, typename K>
ONDA_HOST_DEVICE void add_share(const K& k, const SharedStrip<T>& shared, T* q, std::int64_t x, T share) {
    if constexpr (F::couples) {
        const T k_here = k[x];
        if constexpr (S == Sharing::k)
            q[x] = with_strip(k_here, share, q[x]);
        else
            q[x] = with_strip(k_here * shared.own[x], share, q[x]);
        shared.also[x] = with_strip(k_here * shared.other[x], share, shared.also[x]);
        if constexpr (S == Sharing::own_and_third) shared.third[x] = with_strip(k_here, share, shared.third[x]);
    } else
        q[x] = with_strip(k[x], share, q[x]);
}

/// Those that share a strip, from a node on.
template <typename T>
ONDA_HOST_DEVICE SharedStrip<T> shared_from(const SharedStrip<T>& shared, std::int64_t node, std::int64_t k_node) {
    return {shared.also + node, shared.own == nullptr ? nullptr : shared.own + k_node, shared.other + k_node,
            shared.third == nullptr ? nullptr : shared.third + node};
}

/// One strip as some of its columns see it: arrays at the first, p, q, k and half_rho at node t = 0.
/// \tparam K see k_of().
template <typename T, typename K>
struct Columns {
    const T* p;
    T* q;
    K k;
    const T* half_rho;
    SharedStrip<T> shared;
    T *psi, *zeta;                                    ///< of t = 0 and t = 1
    std::int64_t step, k_step, rho_step, strip_step;  ///< from t to t + 1
    std::int64_t count;                               ///< of columns
    const T *profile, *h, *smoothing;
    PlaneStrides across;  ///< of p
    int width, first_node, radius;
};

/// Calls body(x) for x = 0 … count - 1, and ahead(x) once for each cache line of elements.
template <typename T, typename Ahead, typename Body>
ONDA_HOST_DEVICE void for_columns(std::int64_t count, const Ahead& ahead, const Body& body) {
    constexpr std::int64_t line = 64 / sizeof(T), chunk = 4 * line;
    for (std::int64_t first = 0; first < count; first += chunk) {
        const std::int64_t end = first + chunk < count ? first + chunk : count;
        for (std::int64_t x = first; x < end; x += line) ahead(x);
#pragma omp simd
        for (std::int64_t x = first; x < end; ++x) body(x);
    }
}

/// g of value t, and psi if the strip has it there.
template <typename T, typename F, typename K>
void update_psi(const Columns<T, K>& c, int t, T* __restrict g) {
    const T* const p = c.p + (t + first_of<F>(c.radius)) * c.step;
    [[maybe_unused]] const T* const s = F::has_density ? c.half_rho + t * c.rho_step : nullptr;
    const auto derivative = [&](std::int64_t x) __attribute__((always_inline)) {
        const T d = sum_of<T, F>(
            c.h, c.radius, [&](auto j) __attribute__((always_inline)) {
                return smoothed<T, F>(p + j.value * c.step + x, c.across, c.smoothing);
            });
        if constexpr (F::has_density)
            return buoyancy(s[x], s[c.rho_step + x]) * d;
        else
            return d;
    };
    if (t < 0 || t >= c.width) {
#pragma omp simd
        for (std::int64_t x = 0; x < c.count; ++x) g[x] = derivative(x);
        return;
    }
    T* const __restrict psi = c.psi + t * c.strip_step;
    const T a = c.profile[t], b = c.profile[c.width + t];
    const T* const next_p = p + count_of<F>(c.radius) * c.step;
    const auto ahead = [&](std::int64_t x) __attribute__((always_inline)) {
        __builtin_prefetch(next_p + x);
        __builtin_prefetch(psi + c.strip_step + x);
    };
    for_columns<T>(
        c.count, ahead, [&](std::int64_t x) __attribute__((always_inline)) {
            const T value = derivative(x);
            g[x] = value;
            psi[x] = remember(a, b, psi[x], value);
        });
}

/// zeta and p[n+1] of node t. \param g, psi rows of the values it takes, the nearest to the face first; psi zero where
/// the strip has none.
template <typename T, typename F, Sharing S, typename K>
void update_node(const Columns<T, K>& c, int t, const T* const* g, const T* const* psi) {
    T* const __restrict q = c.q + t * c.step;
    const K k = c.k + t * c.k_step;
    [[maybe_unused]] SharedStrip<T> shared;
    if constexpr (F::couples) shared = shared_from(c.shared, t * c.step, t * c.k_step);
    const auto sum = [radius = c.radius](const T* h, const T* const* of, std::int64_t x)
        __attribute__((always_inline)) {
        return sum_of<T, F>(
            h, radius, [&](auto j) __attribute__((always_inline)) { return of[j.value][x]; });
    };
    if (t <= 0) {
#pragma omp simd
        for (std::int64_t x = 0; x < c.count; ++x) add_share<T, F, S>(k, shared, q, x, sum(c.h, psi, x));
        return;
    }
    T* const __restrict zeta = c.zeta + (t - 1) * c.strip_step;
    const T a = c.profile[2 * c.width + t - 1], b = c.profile[3 * c.width + t - 1];
    const auto ahead = [&](std::int64_t x) __attribute__((always_inline)) {
        __builtin_prefetch(q + c.step + x);
        __builtin_prefetch(address_of(k, c.k_step + x));
        __builtin_prefetch(zeta + c.strip_step + x);
    };
    for_columns<T>(
        c.count, ahead, [&](std::int64_t x) __attribute__((always_inline)) {
            const T of_psi = sum(c.h, psi, x);
            const T z = remember(a, b, zeta[x], sum(c.h, g, x) + of_psi);
            zeta[x] = z;
            add_share<T, F, S>(k, shared, q, x, of_psi + z);
        });
}

/// A strip across y or z, towards its face. \param scratch count + 1 blocks: g of the values in reach, and zeros.
template <typename T, typename F, typename K>
void march(const Columns<T, K>& c, T* scratch) {
    const T *g[most_of<F>()], *psi[most_of<F>()];
    const int count = count_of<F>(c.radius);
    T* const zeros = scratch + count * kCpmlBlock;
    for (std::int64_t x = 0; x < c.count; ++x) zeros[x] = T(0);
    const auto block_of = [scratch, count](int t) { return scratch + (t + 2 * count) % count * kCpmlBlock; };
    for (int t = c.first_node; t <= c.width; ++t) {
        const int newest = t - first_of<F>(c.radius);
        for (int v = t == c.first_node ? newest - count + 1 : newest; v <= newest; ++v)
            update_psi<T, F>(c, v, block_of(v));
        for (int j = 0; j < count; ++j) {
            const int from = newest - j;
            g[j] = block_of(from);
            psi[j] = from < 0 || from >= c.width ? zeros : c.psi + from * c.strip_step;
        }
        if constexpr (F::couples) {
            switch (sharing_of(c.shared)) {
                case Sharing::k: update_node<T, F, Sharing::k>(c, t, g, psi); break;
                case Sharing::own: update_node<T, F, Sharing::own>(c, t, g, psi); break;
                case Sharing::own_and_third: update_node<T, F, Sharing::own_and_third>(c, t, g, psi); break;
            }
        } else
            update_node<T, F, Sharing::k>(c, t, g, psi);
    }
}

// Strips across x go row by row. Nodes and values of g and psi are numbered along x on both sides, m = 0 … width - 1,
// so that no vector is turned round: at a high face node m is t = m + 1 and value m is t = m, at a low one they are t =
// width - m and t = width - 1 - m. Profiles, memory variables and scratch are padded to whole vectors. Several rows are
// taken at a time: what one pass over them writes has left the store buffer when the next reads it at other offsets.

/// The end of one row in a strip across x: arrays at its node 0.
template <typename T, typename K>
struct RowEnd {
    const T* p;
    T* q;
    K k;
    const T* half_rho;
    SharedStrip<T> shared;
    T *psi, *zeta;
};

struct RowPlace {
    std::int64_t y, z;
};

/// Calls body(i) for i from begin in whole vectors. \returns the first i of the rest before end.
template <int Lanes = kCpmlPadding, typename Body>
ONDA_HOST_DEVICE int for_whole_lanes(int begin, int end, const Body& body) {
    for (; begin + Lanes <= end; begin += Lanes)
#pragma omp simd
        for (int lane = 0; lane < Lanes; ++lane) body(begin + lane);
    return begin;
}
/// Calls body(i) for i = begin … end - 1, whole vectors first.
template <int Lanes = kCpmlPadding, typename Body>
ONDA_HOST_DEVICE void for_lanes(int begin, int end, const Body& body) {
    begin = for_whole_lanes<Lanes>(begin, end, body);
    if constexpr (Lanes > 1) for_lanes<Lanes / 2>(begin, end, body);
}

/// The strip across x of one face. \tparam Side +1: the high face, -1: the low one.
template <typename T, typename F, int Side, typename K>
class RowStrip {
public:
    explicit RowStrip(const CpmlArguments<T>& a) : a_(a), strip_(a.strips[Side > 0 ? 1 : 0]) {
        for (int j = 0; j < count_of<F>(a.radius); ++j) h_.of[j] = a.factor[0][j];
        across_ = plane_across(0, a.dimensions, a.pitch, a.plane);
        width_ = strip_.width;
        stride_ = cpml_padded(width_);
        beyond_ = 1 - first_strip_node(first_of<F>(a.radius), a.nx, width_);
    }

    /// Elements of scratch that `rows` rows take.
    [[nodiscard]] int scratch_size(int rows) const { return width_ == 0 ? 0 : (2 * rows + 1) * padded(); }

    /// g and psi of some rows, for update_nodes().
    void update_psi(const RowPlace* rows, int count, T* scratch) const {
        for (int i = 0; i < count && width_ > 0; ++i)
            update_psi(row(rows[i].y, rows[i].z), scratch + 2 * i * padded(), scratch + (2 * i + 1) * padded());
    }
    void update_nodes(const RowPlace* rows, int count, T* scratch) const {
        for (int i = 0; i < count && width_ > 0; ++i)
            update_nodes(row(rows[i].y, rows[i].z), scratch + 2 * i * padded(), scratch + (2 * i + 1) * padded(),
                         scratch + 2 * count * padded());
    }
    /// Prefetches the memory variables of rows.
    ONDA_HOST_DEVICE void prefetch_memory(const RowPlace* rows, int count, int ahead) const {
        constexpr int line = 64 / sizeof(T);
        for (int i = 0; i < count && width_ > 0; ++i)
            for (int m = 0; m < 2 * stride_; m += line)
                __builtin_prefetch(strip_.psi + (rows[i].y + ahead) * strip_.pitch + rows[i].z * strip_.plane + m, 1);
    }
    /// Asks for the nodes of a row: ends of rows lie too far apart for the hardware to see them coming.
    ONDA_HOST_DEVICE void prefetch_nodes(std::int64_t y, std::int64_t z) const {
        if (width_ == 0) return;
        constexpr int line = 64 / sizeof(T);
        const RowEnd<T, K> end = row(y, z);
        for (int m = 0; m < width_ + line; m += line) {
            const int node = m < width_ ? m : width_;
            __builtin_prefetch(end.p + node);
            __builtin_prefetch(end.q + node, 1);
            __builtin_prefetch(address_of(end.k, node));
        }
    }

private:
    [[nodiscard]] int padded() const { return stride_ + 2 * margin(); }

    [[nodiscard]] RowEnd<T, K> row(std::int64_t y, std::int64_t z) const {
        const std::int64_t first = Side > 0 ? a_.nx - width_ : 0, node = first + y * a_.pitch + z * a_.plane;
        const std::int64_t value = y * strip_.pitch + z * strip_.plane, of_k = first + y * a_.k_pitch + z * a_.k_plane;
        return {a_.p + node,
                a_.q + node,
                k_of<K>(a_) + of_k,
                F::has_density ? a_.half_rho + (first + y * a_.rho_pitch + z * a_.rho_plane) : nullptr,
                F::couples ? shared_from(a_.shared, node, of_k) : SharedStrip<T>{},
                strip_.psi + value,
                strip_.zeta + value};
    }

    /// g and psi of a row: psi zero where the strip has none. \param g, psi padded() elements each.
    void update_psi(const RowEnd<T, K>& row, T* __restrict g, T* __restrict psi) const {
        const auto value = [ row, h = h_, this ](int m) __attribute__((always_inline)) {
            const T d = sum_of<T, F>(
                h.of, a_.radius, [&](auto j) __attribute__((always_inline)) {
                    return smoothed<T, F>(row.p + (m - Side * (offset() - j.value)), across_, a_.smoothing);
                });
            if constexpr (F::has_density)
                return buoyancy(row.half_rho[m - Side], row.half_rho[m]) * d;
            else
                return d;
        };
        T* const __restrict inner_g = g + margin();
        T* const __restrict inner_psi = psi + margin();
        T* const __restrict memory = row.psi;
        const T *const a = strip_.profile, *const b = a + stride_;
        const auto keep_g = [&](int m) __attribute__((always_inline)) {
            inner_g[m] = value(m);
        };
        const auto update = [&](int m) __attribute__((always_inline)) {
            const T new_g = value(m);
            inner_g[m] = new_g;
            inner_psi[m] = memory[m] = remember(a[m], b[m], memory[m], new_g);
        };
        // Whole vectors end beyond the strip, in what follows the row in memory: of no effect. The operator that takes
        // means over planes would read beyond the array.
        const int whole = F::smoothed_dimensions == 0 ? stride_ : width_;
        // Of what its nodes take beyond the strip there are R values at most on either side.
        for_lanes<4>(-before(), 0, keep_g);
        if constexpr (F::smoothed_dimensions == 0)
            for_whole_lanes(0, whole, update);
        else
            for_lanes(0, whole, update);
        for_lanes<4>(whole, width_ + count_of<F>(a_.radius) - 1 - before(), keep_g);
        for (T* const beside : {psi, inner_psi + width_}) {
            const auto clear = [beside](int i) __attribute__((always_inline)) {
                beside[i] = T(0);
            };
            for_whole_lanes(0, margin(), clear);
        }
    }

    /// \param share stride_ elements.
    void update_nodes(const RowEnd<T, K>& row, const T* g, const T* psi, T* __restrict share) const {
        if constexpr (F::couples)
            if (row.shared.third != nullptr) return update_nodes<Sharing::own_and_third>(row, g, psi, share);
        update_nodes<Sharing::own>(row, g, psi, share);
    }
    template <Sharing S>
    void update_nodes(const RowEnd<T, K>& row, const T* g, const T* psi, T* __restrict share) const {
        const T *const inner_g = g + margin(), *const inner_psi = psi + margin();
        const auto sum = [ h = h_, this ](const T* of, int m) __attribute__((always_inline)) {
            return sum_of<T, F>(
                h.of,
                a_.radius, [&](auto j) __attribute__((always_inline)) { return of[m + Side * (offset() - j.value)]; });
        };
        T* const __restrict q = row.q;
        T* const __restrict zeta = row.zeta;
        for (int i = 0; i < beyond_; ++i) {
            const int m = Side > 0 ? -1 - i : width_ + i;
            add_share<T, F, S>(row.k, row.shared, q, m, sum(inner_psi, m));
        }
        const T *const a = strip_.profile + 2 * stride_, *const b = a + stride_;
        const auto update = [&](int m) __attribute__((always_inline)) {
            const T of_psi = sum(inner_psi, m);
            const T z = remember(a[m], b[m], zeta[m], sum(inner_g, m) + of_psi);
            zeta[m] = z;
            share[m] = of_psi + z;
        };
        const auto add = [&](int m) __attribute__((always_inline)) {
            add_share<T, F, S>(row.k, row.shared, q, m, share[m]);
        };
        for_whole_lanes(0, stride_, update);
        for_lanes(0, width_, add);
    }

    /// Node m takes values m + Side * (offset() - j), and so does value m of nodes the other way.
    [[nodiscard]] ONDA_HOST_DEVICE int offset() const { return 1 - first_of<F>(a_.radius); }
    /// Values of g before those of the strip that its nodes take, as many as are left come after them.
    [[nodiscard]] ONDA_HOST_DEVICE int before() const {
        return Side > 0 ? count_of<F>(a_.radius) - 1 - offset() : offset();
    }
    [[nodiscard]] ONDA_HOST_DEVICE int margin() const { return cpml_padded(count_of<F>(a_.radius) - 1); }

    const CpmlArguments<T>& a_;
    const CpmlStrip<T>& strip_;
    struct Factor {
        T of[most_of<F>()];
    } h_;
    PlaneStrides across_;
    int width_, stride_;
    int beyond_;  ///< nodes before the strip that it changes
};

struct Node {
    std::int64_t x, y, z;
};

/// \param face across y or z. \param first node of the first column, 0 across the face.
template <typename K, typename T, typename F>
Columns<T, K> columns_of(const CpmlArguments<T>& a, int face, Node first, std::int64_t count) {
    const CpmlStrip<T>& s = a.strips[face];
    const int axis = face / 2;
    const bool high = face % 2 == 1;
    const std::int64_t n = axis == 1 ? a.ny : a.nz;
    const std::int64_t before = node_before_strip(n, s.width, high), towards_face = high ? 1 : -1;
    const auto along = [axis](std::int64_t pitch, std::int64_t plane) { return axis == 1 ? pitch : plane; };
    const auto entry = [&](std::int64_t pitch, std::int64_t plane) {
        return first.x + first.y * pitch + first.z * plane;
    };
    const auto node = [&](std::int64_t pitch, std::int64_t plane) {
        return entry(pitch, plane) + before * along(pitch, plane);
    };
    Columns<T, K> c;
    c.p = a.p + node(a.pitch, a.plane);
    c.q = a.q + node(a.pitch, a.plane);
    c.k = k_of<K>(a) + node(a.k_pitch, a.k_plane);
    c.half_rho = F::has_density ? a.half_rho + node(a.rho_pitch, a.rho_plane) : nullptr;
    if constexpr (F::couples) c.shared = shared_from(a.shared, node(a.pitch, a.plane), node(a.k_pitch, a.k_plane));
    c.psi = s.psi + entry(s.pitch, s.plane);
    c.zeta = s.zeta + entry(s.pitch, s.plane);
    c.step = towards_face * along(a.pitch, a.plane);
    c.k_step = towards_face * along(a.k_pitch, a.k_plane);
    c.rho_step = towards_face * along(a.rho_pitch, a.rho_plane);
    c.strip_step = along(s.pitch, s.plane);
    c.count = count;
    c.profile = s.profile;
    c.h = a.factor[axis];
    c.smoothing = a.smoothing;
    c.across = plane_across(axis, a.dimensions, a.pitch, a.plane);
    c.width = s.width;
    c.first_node = first_strip_node(first_of<F>(a.radius), n, s.width);
    c.radius = a.radius;
    return c;
}

/// The strips across x of both faces.
template <typename K, typename T, typename F>
class RowStrips {
public:
    explicit RowStrips(const CpmlArguments<T>& a) : low_(a), high_(a) {}

    /// At most kCpmlRows rows. Not inlined: passes after the kernel and passes that follow it share the code.
    __attribute__((noinline)) void update(const RowPlace* rows, int count, T* scratch) const {
        T* const of_high = scratch + low_.scratch_size(count);
        low_.update_psi(rows, count, scratch);
        high_.update_psi(rows, count, of_high);
        low_.update_nodes(rows, count, scratch);
        high_.update_nodes(rows, count, of_high);
    }
    ONDA_HOST_DEVICE void prefetch_memory(const RowPlace* rows, int count, int ahead) const {
        low_.prefetch_memory(rows, count, ahead);
        high_.prefetch_memory(rows, count, ahead);
    }
    ONDA_HOST_DEVICE void prefetch_nodes(std::int64_t y, std::int64_t z) const {
        low_.prefetch_nodes(y, z);
        high_.prefetch_nodes(y, z);
    }

private:
    RowStrip<T, F, -1, K> low_;
    RowStrip<T, F, 1, K> high_;
};

template <typename K, typename T, typename F>
void across_x(const CpmlArguments<T>& a, RowRange range, T* scratch) {
    constexpr int most = kCpmlRows;
    const RowStrips<K, T, F> strips(a);
    RowPlace rows[most];
    for (std::int64_t first = range.begin; first < range.end; first += most) {
        const int count = range.end - first < most ? static_cast<int>(range.end - first) : most;
        for (int i = 0; i < count; ++i) rows[i] = {(first + i) % a.ny, (first + i) / a.ny};
        for (int i = 0; i < count; ++i) strips.prefetch_nodes((first + most + i) % a.ny, (first + most + i) / a.ny);
        strips.update(rows, count, scratch);
    }
}

/// A strip across y or z, all along x. \param other z of a strip across y, y of one across z.
template <typename K, typename T, typename F>
void across(int face, const CpmlArguments<T>& a, std::int64_t x, std::int64_t other, T* scratch) {
    if (a.strips[face].width == 0) return;
    const Node first = face / 2 == 1 ? Node{x, 0, other} : Node{x, other, 0};
    march<T, F>(columns_of<K, T, F>(a, face, first, a.nx - x < kCpmlBlock ? a.nx - x : kCpmlBlock), scratch);
}

/// Blocks of rows, numbered along x first. \param axis 1 or 2.
template <typename K, typename T, typename F>
void across_axis(int axis, const CpmlArguments<T>& a, RowRange blocks, T* scratch) {
    const std::int64_t blocks_a_row = (a.nx + kCpmlBlock - 1) / kCpmlBlock;
    for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
        const std::int64_t x = block % blocks_a_row * kCpmlBlock, other = block / blocks_a_row;
        for (const int face : {2 * axis, 2 * axis + 1})
            if (!a.done[face][other]) across<K, T, F>(face, a, x, other, scratch);
    }
}

/// The nodes along an axis, 1 or 2, that no strip across it changes: [low, high). Strips that meet leave none.
struct Between {
    std::int64_t low, high;

    [[nodiscard]] bool is_empty() const { return low > high; }
    [[nodiscard]] bool has(std::int64_t node) const { return low <= node && node < high; }
};
template <typename T, typename F>
Between between_strips(const CpmlArguments<T>& a, int axis) {
    const std::int64_t n = axis == 1 ? a.ny : a.nz;
    const int low = a.strips[2 * axis].width, high = a.strips[2 * axis + 1].width;
    return {low == 0 ? 0 : low - first_strip_node(first_of<F>(a.radius), n, low) + 1,
            high == 0 ? n : node_before_strip(n, high, true) + first_strip_node(first_of<F>(a.radius), n, high)};
}

/// A whole strip across y in one plane, or across z at one y.
template <typename K, typename T, typename F>
void follow_across(int face, const CpmlArguments<T>& a, std::int64_t other, T* scratch) {
    for (std::int64_t x = 0; x < a.nx; x += kCpmlBlock) across<K, T, F>(face, a, x, other, scratch);
    a.done[face][other] = 1;
}

/// The strips across y of some planes, each after its last row. Planes that threads share are left out.
template <typename K, typename T, typename F>
void follow_across_y(const CpmlArguments<T>& a, const SteppedRows& rows, T* scratch) {
    const Between between = between_strips<T, F>(a, 1);
    if (between.is_empty()) return;
    for (const int face : {2, 3}) {
        if (rows.y != (face == 2 ? between.low - 1 : a.ny - 1)) continue;
        for (std::int64_t z = rows.z; z < rows.z + rows.planes; ++z)
            if (z * a.ny >= rows.of_thread.begin && (z + 1) * a.ny <= rows.of_thread.end)
                follow_across<K, T, F>(face, a, z, scratch);
    }
}

/// The strips across z, where none across y comes before them, each after its last plane. They belong to the threads
/// with the first and the last planes, so that further threads would have to wait.
template <typename K, typename T, typename F>
void follow_across_z(const CpmlArguments<T>& a, const SteppedRows& rows, T* scratch) {
    const Between between = between_strips<T, F>(a, 2);
    const int faces = (a.strips[4].width > 0) + (a.strips[5].width > 0);
    if (a.threads > faces || between.is_empty() || !between_strips<T, F>(a, 1).has(rows.y)) return;
    for (const int face : {4, 5}) {
        const std::int64_t first = face == 4 ? 0 : between.high, last = face == 4 ? between.low - 1 : a.nz - 1;
        if (rows.z <= last && last < rows.z + rows.planes && first * a.ny + rows.y >= rows.of_thread.begin)
            follow_across<K, T, F>(face, a, rows.y, scratch);
    }
}

bool has_strips(const auto& a, int axis) {
    return a.strips[2 * axis].width + a.strips[2 * axis + 1].width > 0;
}

template <typename K, typename T, typename F>
void step(const CpmlArguments<T>& a) {
    const std::int64_t blocks_a_row = (a.nx + kCpmlBlock - 1) / kCpmlBlock;
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
        T* const scratch = a.scratch + thread * a.scratch_size;
        if (has_strips(a, 0) && !a.x_done) {
            across_x<K, T, F>(a, rows_of_thread(a.ny * a.nz, thread, threads), scratch);
#pragma omp barrier
        }
        if (has_strips(a, 1)) {
            across_axis<K, T, F>(1, a, rows_of_thread(a.nz * blocks_a_row, thread, threads), scratch);
#pragma omp barrier
        }
        if (has_strips(a, 2)) across_axis<K, T, F>(2, a, rows_of_thread(a.ny * blocks_a_row, thread, threads), scratch);
    }
}

template <typename K, typename T, typename F>
void follow(const void* arguments, const SteppedRows& stepped) {
    const CpmlArguments<T>& a = *static_cast<const CpmlArguments<T>*>(arguments);
    T* const scratch = a.scratch + omp_get_thread_num() * a.scratch_size;
    if (has_strips(a, 0)) {
        RowPlace rows[kCpmlRows];
        for (int i = 0; i < stepped.planes; ++i) rows[i] = {stepped.y, stepped.z + i};
        const RowStrips<K, T, F> strips(a);
        strips.prefetch_memory(rows, stepped.planes, 2);
        strips.update(rows, stepped.planes, scratch);
    }
    if (has_strips(a, 1)) follow_across_y<K, T, F>(a, stepped, scratch);
    if (has_strips(a, 2)) follow_across_z<K, T, F>(a, stepped, scratch);
}

template <typename T, typename F>
CpmlFunctions<T> functions(const CpmlArguments<T>& a) {
    if constexpr (sizeof(T) == sizeof(float) && !F::has_density && !F::couples && F::smoothed_dimensions == 0)
        if (a.coded_k.storage != Storage::full) return {step<CodedK, T, F>, follow<CodedK, T, F>};
    return {step<const T*, T, F>, follow<const T*, T, F>};
}

#if !defined(ONDA_PLAIN)
template <typename T, template <int> typename F>
CpmlFunctions<T> of_radius(const CpmlArguments<T>& a) {
    constexpr CpmlFunctions<T> (*choices[kMaxRadius])(const CpmlArguments<T>&) = {
        functions<T, F<1>>, functions<T, F<2>>, functions<T, F<3>>, functions<T, F<4>>,
        functions<T, F<5>>, functions<T, F<6>>, functions<T, F<7>>, functions<T, F<8>>};
    return choices[a.radius - 1](a);
}
#endif

template <typename T>
CpmlFunctions<T> of_kind(const CpmlArguments<T>& a) {
    switch (a.kind) {
#if defined(ONDA_PLAIN)
        case FactorKind::star: return functions<T, AnyFactor<false>>(a);
        case FactorKind::density: return functions<T, AnyFactor<true>>(a);
        case FactorKind::vti: return functions<T, AnyFactor<false, true>>(a);
#else
        case FactorKind::star: return of_radius<T, StarFactor>(a);
        case FactorKind::density: return of_radius<T, DensityFactor>(a);
        case FactorKind::vti: return of_radius<T, VtiFactor>(a);
#endif
        case FactorKind::compact_2d: return functions<T, CompactFactor<2>>(a);
        case FactorKind::compact_3d: return functions<T, CompactFactor<3>>(a);
    }
    return {};
}

}  // namespace

template <>
CpmlFunctions<float> cpml_functions<ONDA_ISA>(const CpmlArguments<float>& a) {
    return of_kind(a);
}
template <>
CpmlFunctions<double> cpml_functions<ONDA_ISA>(const CpmlArguments<double>& a) {
    return of_kind(a);
}

}  // namespace onda::cpu
