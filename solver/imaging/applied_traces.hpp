/// \file
/// What adjoint runs of order 4 in time record beside their pressure.
///
/// A source of order 4 in time adds (1 + (A + d^2) / 12) f, d^2 the second difference in time, with the A of its place.
/// Where receivers record p~ and A p~, the transpose is that of a source of order 2 applied to
/// p~ + (A p~ + d^2 p~) / 12: exact wherever sources and receivers are, in layers, in sponges and at mirrors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/fields/field_set.hpp"
#include "kernels/shot/shot.hpp"
#include "solver/propagation/propagator.hpp"

namespace onda {

/// Traces of A p[n] at weighted nodes, n = 0, 1, …, of the shots of some fields that keep it (kAppliedLevel). They are
/// sampled by the host after every step.
class AppliedTraces {
public:
    /// \param fields live as long as this. \param samples of each trace.
    AppliedTraces(const FieldSet& fields, std::int64_t samples) : fields_(fields), samples_(samples) {}

    /// Adds the next shot. \param receivers of the run.
    void add_shot(const NodeWeights& receivers);
    /// What is queued after every step. Waits for it. Nothing where the fields keep none.
    [[nodiscard]] QueuedHook hook();
    /// Empty where the fields keep none.
    [[nodiscard]] std::span<const double> trace(std::size_t shot, std::size_t row) const;

private:
    /// A row of weighted nodes, in the box around them.
    struct Row {
        Window box;
        std::vector<double> weight;  ///< of all nodes of the box, [z][y][x]
        std::vector<double> trace;
    };

    void record(std::int64_t level);

    const FieldSet& fields_;
    std::int64_t samples_;
    std::vector<std::vector<Row>> shots_;
};

}  // namespace onda
