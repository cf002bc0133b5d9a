#include "solver/companions/nas_cg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "io/text/error.hpp"
#include "io/text/printable.hpp"
#include "kernels/companions/conjugate_gradients.hpp"
#include "kernels/companions/double_vectors.hpp"
#include "kernels/companions/positioned_random.hpp"
#include "solver/program/loop_failure.hpp"

namespace onda {
namespace {

constexpr std::array<NasClass, 5> kNasClasses{{
    {"S", 1400, 7, 15, 10., 8.5971775078648},
    {"W", 7000, 8, 15, 12., 10.362595087124},
    {"A", 14000, 11, 15, 20., 17.130235054029},
    {"B", 75000, 13, 75, 60., 22.712745482631},
    {"C", 150000, 15, 75, 110., 28.973605592845},
}};

constexpr double kLeastEigenvalue = 0.1;  // a lower bound of those of A: "rcond" of NPB

/// Some elements of a vector, in no order.
struct SparseVector {
    std::vector<std::int32_t> at;
    std::vector<double> value;

    [[nodiscard]] bool has(std::int32_t place) const { return std::ranges::find(at, place) != at.end(); }
    void set(std::int32_t place, double to) {
        const auto found = std::ranges::find(at, place);
        if (found != at.end()) {
            value[static_cast<std::size_t>(found - at.begin())] = to;
            return;
        }
        at.push_back(place);
        value.push_back(to);
    }
};

/// Random elements at random places, drawn from the next power of two until they are inside: sprnvc() of NPB.
SparseVector random_vector(RandomCursor& random, std::int64_t size, int elements) {
    std::int64_t range = 1;
    while (range < size) range *= 2;
    SparseVector result;
    while (static_cast<int>(result.at.size()) < elements) {
        const double value = random.next();
        const auto place = static_cast<std::int32_t>(static_cast<double>(range) * random.next());
        if (place < size && !result.has(place)) result.set(place, value);
    }
    return result;
}

/// The vectors of the outer products; the i-th is 0.5 at place i.
std::vector<SparseVector> nas_vectors(const NasClass& of) {
    // The seed is the state before the first number, which NPB draws for zeta.
    RandomCursor random(NasGenerator::times(314159265, NasGenerator::multiplier_of(2)));
    std::vector<SparseVector> result(static_cast<std::size_t>(of.rows));
    for (std::int64_t i = 0; i < of.rows; ++i) {
        SparseVector& vector = result[static_cast<std::size_t>(i)];
        vector = random_vector(random, of.rows, of.elements);
        vector.set(static_cast<std::int32_t>(i), 0.5);
    }
    return result;
}

/// An element of the vector `of`: where the vector has to do with a row.
struct VectorPlace {
    std::int32_t of, element;
};
using PlacesByRow = std::vector<std::vector<VectorPlace>>;

PlacesByRow places_by_row(const std::vector<SparseVector>& vectors) {
    PlacesByRow result(vectors.size());
    for (std::size_t i = 0; i < vectors.size(); ++i)
        for (std::size_t k = 0; k < vectors[i].at.size(); ++k)
            result[static_cast<std::size_t>(vectors[i].at[k])].push_back(
                {static_cast<std::int32_t>(i), static_cast<std::int32_t>(k)});
    return result;
}

/// What an outer product adds to an element of a row.
struct Addend {
    std::int32_t column, of;
    double value;
};

/// The addends of a row of A - shift I, sorted by column, and those of a column in the order in which NPB adds them.
void collect_row(std::vector<Addend>& row, std::int32_t number, const std::vector<SparseVector>& vectors,
                 const std::vector<VectorPlace>& places, const std::vector<double>& weights, double shift) {
    row.clear();
    for (const VectorPlace& place : places) {
        const auto i = static_cast<std::size_t>(place.of);
        const SparseVector& vector = vectors[i];
        const double scale = weights[i] * vector.value[static_cast<std::size_t>(place.element)];
        for (std::size_t k = 0; k < vector.at.size(); ++k) {
            double value = vector.value[k] * scale;
            if (vector.at[k] == number && place.of == number) value = value + kLeastEigenvalue - shift;
            row.push_back({vector.at[k], place.of, value});
        }
    }
    std::ranges::sort(
        row, [](const Addend& a, const Addend& b) { return a.column != b.column ? a.column < b.column : a.of < b.of; });
}

/// Writes the negative sums of the columns of a row. \returns their number.
std::int64_t write_row(const std::vector<Addend>& row, std::int32_t* column, double* value) {
    std::int64_t count = 0;
    for (std::size_t at = 0; at < row.size(); ++count) {
        const std::int32_t of = row[at].column;
        double sum = 0.;
        for (; at < row.size() && row[at].column == of; ++at) sum += row[at].value;
        column[count] = of;
        value[count] = -sum;
    }
    return count;
}

/// Moves rows together, each of which has `counts` elements from its row_begin on.
void close_gaps(SparseMatrix& matrix, const std::vector<std::int64_t>& counts) {
    std::int64_t end = 0;
    for (std::size_t r = 0; r < counts.size(); ++r) {
        const std::int64_t begin = std::exchange(matrix.row_begin[r], end);
        std::copy_n(matrix.column.begin() + begin, counts[r], matrix.column.begin() + end);
        std::copy_n(matrix.value.begin() + begin, counts[r], matrix.value.begin() + end);
        end += counts[r];
    }
    matrix.row_begin.back() = end;
    matrix.column.resize(static_cast<std::size_t>(end));
    matrix.value.resize(static_cast<std::size_t>(end));
}

/// The weights of the outer products: from 1 down to kLeastEigenvalue, about the reciprocal of the condition number of
/// A.
std::vector<double> nas_weights(std::int64_t rows) {
    const double ratio = std::pow(kLeastEigenvalue, 1. / static_cast<double>(rows));
    std::vector<double> result(static_cast<std::size_t>(rows));
    double weight = 1.;
    for (double& each : result) each = std::exchange(weight, weight * ratio);
    return result;
}

/// The steps of the benchmark in any space. \param x ones. \param multiply (const Vector& x, Vector& y): y = A x.
template <typename Space, typename Multiply>
double inverse_iteration(const NasClass& of, const Space& space, typename Space::Vector x, const Multiply& multiply,
                         int steps) {
    using Vector = typename Space::Vector;
    double zeta = 0.;
    for (int step = 0; step < steps; ++step) {
        bool is_done = false;
        const auto end_step = [&](const IterationState<Vector>& state) {
            if (state.iteration < kNasIterations) return true;
            const Vector& z = state.solution;
            zeta = of.shift - 1. / space.dot(x, z);
            space.scale(x, 1. / std::sqrt(space.dot(z, z)), z);
            is_done = true;
            return false;
        };
        solve_by_conjugate_gradients(
            space, x,
            [&](const Vector& p, Vector& product) {
                multiply(p, product);
                return space.dot(p, product);
            },
            [](const Vector& r) -> const Vector& { return r; }, end_step);
        if (!is_done) throw Error(ExitCode::internal, "conjugate gradients ended before iteration 25");
    }
    return zeta;
}

class CpuSolver : public NasSolver {
public:
    CpuSolver(const NasClass& of, const SparseMatrix& matrix, const cpu::SparseProduct& product)
        : of_(of), operator_(matrix, product), ones_(static_cast<std::size_t>(of.rows), 1.), result_(ones_) {}

    double zeta(int steps) override {
        const auto multiply = [this](const std::vector<double>& x, std::vector<double>& y) {
            operator_.multiply(x, y);
        };
        return inverse_iteration(of_, DoubleVectors{}, ones_, multiply, steps);
    }
    void multiply(int times) override {
        for (int i = 0; i < times; ++i) operator_.multiply(ones_, result_);
    }
    [[nodiscard]] std::int64_t elements() const override { return operator_.matrix().elements(); }

private:
    NasClass of_;
    cpu::SparseOperator operator_;
    std::vector<double> ones_, result_;
};

class GpuSolver : public NasSolver {
public:
    template <typename Product>
    GpuSolver(const NasClass& of, const SparseMatrix& matrix, const Product& product, int ordinal)
        : of_(of),
          space_(ordinal),
          matrix_(cuda::make_gpu_matrix(space_, matrix, product)),
          ones_(space_.upload(std::vector<double>(static_cast<std::size_t>(of.rows), 1.))),
          result_(ones_) {}

    double zeta(int steps) override {
        using Vector = cuda::GpuVectors::Vector;
        const auto multiply = [this](const Vector& x, Vector& y) { matrix_->multiply(x, y); };
        return inverse_iteration(of_, space_, ones_, multiply, steps);
    }
    void multiply(int times) override {
        for (int i = 0; i < times; ++i) matrix_->multiply(ones_, result_);
        space_.wait();
    }
    [[nodiscard]] std::int64_t elements() const override { return matrix_->elements(); }

private:
    NasClass of_;
    cuda::GpuVectors space_;
    std::unique_ptr<cuda::GpuMatrix> matrix_;
    cuda::GpuVectors::Vector ones_, result_;
};

}  // namespace

double NasClass::operations() const {
    const double products = elements * (elements + 1.);
    return 2. * steps * static_cast<double>(rows) * (3. + products + 25. * (5. + products) + 3.);
}

double NasClass::error_of(double found) const {
    return std::fabs(found - zeta) / zeta;
}

std::span<const NasClass> nas_classes() {
    return kNasClasses;
}

const NasClass& nas_class(const std::string& name) {
    const auto found = std::ranges::find(kNasClasses, name, &NasClass::name);
    if (found != kNasClasses.end()) return *found;
    std::string names;
    for (const NasClass& each : kNasClasses) names += (names.empty() ? "" : ", ") + std::string(each.name);
    throw Error(ExitCode::usage, "there is no class '" + printable(name) + "' of NAS CG: the classes are " + names);
}

SparseMatrix make_nas_matrix(const NasClass& of) {
    const std::vector<SparseVector> vectors = nas_vectors(of);
    const PlacesByRow places = places_by_row(vectors);
    const std::vector<double> weights = nas_weights(of.rows);
    SparseMatrix matrix{of.rows, of.rows, {0}, {}, {}};
    for (const std::vector<VectorPlace>& row : places) {
        std::int64_t most = 0;
        for (const VectorPlace& place : row) most += std::ssize(vectors[static_cast<std::size_t>(place.of)].at);
        matrix.row_begin.push_back(matrix.row_begin.back() + most);
    }
    matrix.column.resize(static_cast<std::size_t>(matrix.row_begin.back()));
    matrix.value.resize(matrix.column.size());
    std::vector<std::int64_t> counts(places.size());
    LoopFailure failure;
#pragma omp parallel
    {
        std::vector<Addend> row;
#pragma omp for schedule(dynamic, 64)
        for (std::int64_t number = 0; number < of.rows; ++number)
            failure.guard([&] {
                const auto r = static_cast<std::size_t>(number);
                collect_row(row, static_cast<std::int32_t>(number), vectors, places[r], weights, of.shift);
                const std::int64_t begin = matrix.row_begin[r];
                counts[r] = write_row(row, matrix.column.data() + begin, matrix.value.data() + begin);
            });
    }
    failure.rethrow();
    close_gaps(matrix, counts);
    return matrix;
}

std::unique_ptr<NasSolver> make_nas_solver(const NasClass& of, const SparseMatrix& matrix,
                                           const cpu::SparseProduct& product) {
    return std::make_unique<CpuSolver>(of, matrix, product);
}

std::unique_ptr<NasSolver> make_nas_solver(const NasClass& of, const SparseMatrix& matrix,
                                           const cuda::SparseProduct& product, int ordinal) {
    return std::make_unique<GpuSolver>(of, matrix, product, ordinal);
}

std::unique_ptr<NasSolver> make_nas_solver(const NasClass& of, const SparseMatrix& matrix,
                                           const cuda::LibraryProduct& product, int ordinal) {
    return std::make_unique<GpuSolver>(of, matrix, product, ordinal);
}

}  // namespace onda
