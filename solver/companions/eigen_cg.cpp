#include <cmath>
#include <limits>
#include <string>

#include "io/text/error.hpp"
#include "solver/companions/nas_cg.hpp"

#if __has_include(<Eigen/Sparse>)
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>
#define ONDA_HAVE_EIGEN
#elif __has_include(<eigen3/Eigen/Sparse>)
#include <eigen3/Eigen/IterativeLinearSolvers>
#include <eigen3/Eigen/Sparse>
#define ONDA_HAVE_EIGEN
#endif

namespace onda {

#ifdef ONDA_HAVE_EIGEN

namespace {

class EigenSolver : public NasSolver {
public:
    EigenSolver(const NasClass& of, const SparseMatrix& matrix)
        : of_(of), ones_(Eigen::VectorXd::Ones(of.rows)), result_(of.rows) {
        if (matrix.elements() > std::numeric_limits<int>::max())
            throw Error(ExitCode::usage, "Eigen's matrices take up to 2147483647 elements");
        const std::vector<int> row_begin(matrix.row_begin.begin(), matrix.row_begin.end());
        matrix_ = Eigen::Map<const Matrix>(matrix.rows, matrix.columns, matrix.elements(), row_begin.data(),
                                           matrix.column.data(), matrix.value.data());
        solver_.setMaxIterations(kNasIterations);
        solver_.setTolerance(0.);
        solver_.compute(matrix_);
    }

    double zeta(int steps) override {
        Eigen::VectorXd x = ones_, z;
        double zeta = 0.;
        for (int step = 0; step < steps; ++step) {
            z = solver_.solve(x);
            zeta = of_.shift - 1. / x.dot(z);
            x = z / z.norm();
        }
        return zeta;
    }
    void multiply(int times) override {
        for (int i = 0; i < times; ++i) result_.noalias() = matrix_ * ones_;
    }
    [[nodiscard]] std::int64_t elements() const override { return matrix_.nonZeros(); }

private:
    using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;  // by rows, its products use all threads

    NasClass of_;
    Matrix matrix_;
    Eigen::VectorXd ones_, result_;
    Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner> solver_;
};

}  // namespace

const std::string& eigen_name() {
    static const std::string name = "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." +
                                    std::to_string(EIGEN_MAJOR_VERSION) + "." + std::to_string(EIGEN_MINOR_VERSION);
    return name;
}

std::unique_ptr<NasSolver> make_eigen_solver(const NasClass& of, const SparseMatrix& matrix) {
    return std::make_unique<EigenSolver>(of, matrix);
}

#else

const std::string& eigen_name() {
    static const std::string none;
    return none;
}

std::unique_ptr<NasSolver> make_eigen_solver(const NasClass&, const SparseMatrix&) {
    return nullptr;
}

#endif

}  // namespace onda
