/// \file
/// Absorbing strips inside the faces of a grid, as a problem holds them: a list of kinds. What differs between kinds is
/// asked of the kind; devices compute it by the row that the kind names for each of them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace onda {

struct Grid;
struct Problem;
namespace cpu {
struct StripRow;
}
namespace cuda {
struct StripRow;
}

/// What a node of absorbing strips makes of a source: a multiple of its signal r[n], then along each axis the recursion
/// z <- b z + a r, r <- r + z.
struct NodeFilter {
    double gain = 1.;
    std::array<std::array<double, 2>, 3> memory{};  ///< a and b; zeros where the axis has none here
};

/// The strips of one kind at all faces of a grid. Complete when it is in the list of a problem, and never changed
/// there.
class Strip {
public:
    virtual ~Strip() = default;

    /// The name of the kind: "cpml".
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// The place in a step among other kinds: the smaller comes first.
    [[nodiscard]] virtual int order() const = 0;
    /// Whether the strips are part of the spatial operator: linear in p[n] and what they remember of earlier levels,
    /// and added to k L(p). An update that applies it twice applies them twice. Others act on p[n+1] once it is
    /// complete.
    [[nodiscard]] virtual bool in_operator() const { return false; }
    /// Whether no face has such a strip.
    [[nodiscard]] virtual bool empty() const = 0;
    /// Checks the strips against grid, faces and equation. \throws std::invalid_argument for those that do not fit.
    virtual void check(const Problem& problem) const = 0;
    /// What a step moves for the strips, in nodes: one that reads and writes p[n+1] and p[n] and nothing else is one.
    [[nodiscard]] virtual double work(const Grid& grid) const = 0;
    /// The strips on a grid with another number of nodes along each axis, as far as memory and time depend on it.
    [[nodiscard]] virtual std::shared_ptr<const Strip> resized(const std::array<std::int64_t, 3>& n) const = 0;
    /// The strips in planes [first, first + planes) of the `all` planes of a grid.
    [[nodiscard]] virtual std::shared_ptr<const Strip> of_planes(std::int64_t first, std::int64_t planes,
                                                                 std::int64_t all) const = 0;
    /// Nodes inside a face whose p[n+1] the strips change: 0 where the face has none.
    [[nodiscard]] virtual std::int64_t reach(const Problem& problem, int face) const = 0;
    /// Planes that a slab needs if face 4 or 5 of the problem is its own; 0: any number will do.
    [[nodiscard]] virtual std::int64_t fewest_planes(const Problem& problem, int face) const = 0;
    /// What must become of the signal of a source at a node for reciprocity to hold there
    /// (kernels/shot/layer_sources.hpp): adds to the filter of the node. Nothing for a kind whose strips are symmetric
    /// as they are.
    virtual void filter_source(const Grid& grid, const std::array<std::int64_t, 3>& node, NodeFilter& filter) const {
        static_cast<void>(grid), static_cast<void>(node), static_cast<void>(filter);
    }
    /// The recursion along an axis of the derivative between nodes `lower` and lower + 1 of it, psi <- b psi + a D p,
    /// D p <- D p + psi: its a and b, zeros where the strips have none there.
    [[nodiscard]] virtual std::array<double, 2> filter_of_flux(const Grid& grid, int axis, std::int64_t lower) const {
        static_cast<void>(grid), static_cast<void>(axis), static_cast<void>(lower);
        return {};
    }

    /// How the CPU computes the strips (kernels/cpu/strips/strip.hpp).
    [[nodiscard]] virtual const cpu::StripRow& on_cpu() const = 0;
    /// How a GPU computes strips of this kind (kernels/cuda/strips/strip.hpp); null: not at all.
    [[nodiscard]] virtual const cuda::StripRow* on_cuda() const { return nullptr; }
};

/// The strips of a problem, in the order in which a step applies them; a kind stands there once.
class StripList {
public:
    /// The strips of a kind: those in the list, or none.
    template <typename Kind>
    [[nodiscard]] const Kind& get() const {
        static const Kind none;
        for (const auto& strip : strips_)
            if (const auto* found = dynamic_cast<const Kind*>(strip.get())) return *found;
        return none;
    }
    /// The strips of a kind to be changed, in the list from now on. The reference holds until the list is copied or
    /// changed otherwise.
    template <typename Kind>
    [[nodiscard]] Kind& edit() {
        auto changed = std::make_shared<Kind>(get<Kind>());
        Kind& strips = *changed;
        set(std::move(changed));
        return strips;
    }
    /// Puts strips in the list, in place of others of their kind.
    void set(std::shared_ptr<const Strip> strip);
    /// Replaces the strips of every kind by what `change` makes of them.
    template <typename Change>
    void change_each(const Change& change) {
        for (auto& strip : strips_) strip = change(*strip);
    }

    /// Whether both lists hold the same strips, not only strips alike.
    bool operator==(const StripList&) const = default;
    [[nodiscard]] bool empty() const;
    [[nodiscard]] auto begin() const { return strips_.begin(); }
    [[nodiscard]] auto end() const { return strips_.end(); }

private:
    std::vector<std::shared_ptr<const Strip>> strips_;
};

/// The name of a face in configurations and states: "x_min" for face 0. \param face 2 * axis + (0 low, 1 high).
constexpr std::string_view face_name(int face) {
    constexpr std::string_view names[] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
    return names[face];
}

/// The box of nodes that the strip of a face covers, as a grid of its own.
Grid strip_grid(const Grid& grid, int face, std::int64_t width);

}  // namespace onda
