#include "solver/inversion/descent.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "io/text/error.hpp"

namespace onda {

namespace {

using DescentVector = HostVectors::Vector;

/// The least cosine of the angle between s and y of a pair. For a quadratic of condition number k it is 2 sqrt(k) / (1
/// + k) or more, so that this leaves out nothing below 1e12.
constexpr double kLeastCosine = 1e-6;
/// Of Powell's test for a restart: 0.2 in his paper.
constexpr double kLeastOverlap = 0.2;

void require_equal_sizes(std::size_t size, const DescentVector& other, const VariableBounds& box) {
    if (other.size() != size || box.lowest.size() != size || box.highest.size() != size)
        throw Error(ExitCode::internal, "descent: vectors and bounds differ in size");
}

bool is_free_variable(float x, float gradient, float lowest, float highest) {
    return lowest < highest && !(x <= lowest && gradient > 0.F) && !(x >= highest && gradient < 0.F);
}

void take_out_bound(DescentVector& v, const std::vector<std::uint8_t>& free) {
#pragma omp parallel for
    for (std::size_t i = 0; i < v.size(); ++i)
        if (!free[i]) v[i] = 0.F;
}

/// What of p points from a bound out of the box, which does not move x. Of a free variable, whose gradient points the
/// other way, it adds to p'g, which falls.
void take_out_leaving(DescentVector& p, const DescentVector& x, const VariableBounds& box) {
#pragma omp parallel for
    for (std::size_t i = 0; i < p.size(); ++i)
        if ((x[i] <= box.lowest[i] && p[i] < 0.F) || (x[i] >= box.highest[i] && p[i] > 0.F)) p[i] = 0.F;
}

void scale_descent(DescentVector& v, double factor) {
#pragma omp parallel for
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(factor * static_cast<double>(v[i]));
}

bool curves_upwards(const DescentVector& s, const DescentVector& y, double product) {
    return product > kLeastCosine * std::sqrt(HostVectors::dot(s, s)) * std::sqrt(HostVectors::dot(y, y));
}

/// gamma; 1 where M takes all of y away.
double initial_scale(const DescentVector& y, double product, const DescentDirections::Preconditioner& precondition) {
    DescentVector z = y;
    precondition(z);
    const double scaled = HostVectors::dot(y, z);
    return scaled > 0. ? product / scaled : 1.;
}

void require_finite(const DescentVector& v, const char* name) {
    if (!std::isfinite(HostVectors::dot(v, v)))
        throw Error(ExitCode::unstable, std::string("descent: the ") + name + " has values that are not finite");
}

}  // namespace

void project(HostVectors::Vector& x, const VariableBounds& box) {
    require_equal_sizes(x.size(), x, box);
#pragma omp parallel for
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::max(box.lowest[i], std::min(box.highest[i], x[i]));
}

/// Rounding is monotone, and bounds are in single precision: projecting after it changes nothing.
HostVectors::Vector moved(const HostVectors::Vector& x, double step, const HostVectors::Vector& p,
                          const VariableBounds& box) {
    require_equal_sizes(x.size(), p, box);
    HostVectors::Vector y = x;
    HostVectors::add(y, step, p);
    project(y, box);
    return y;
}

double projected_gradient_norm(const HostVectors::Vector& x, const HostVectors::Vector& gradient,
                               const VariableBounds& box) {
    require_equal_sizes(x.size(), gradient, box);
    HostVectors::Vector reduced = gradient;
#pragma omp parallel for
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!is_free_variable(x[i], gradient[i], box.lowest[i], box.highest[i])) reduced[i] = 0.F;
    return std::sqrt(HostVectors::dot(reduced, reduced));
}

DescentDirections::DescentDirections(DescentMethod method, std::int64_t memory) : method_(method), memory_(memory) {
    if (memory < 0) throw Error(ExitCode::internal, "descent: a negative number of pairs");
}

void DescentDirections::forget() {
    pairs_.clear();
    gradient_before_.clear();
}

DescentDirections::Vector DescentDirections::direction(const Vector& x, const Vector& gradient,
                                                       const VariableBounds& box, const Preconditioner& precondition) {
    require_equal_sizes(x.size(), gradient, box);
    if (!pairs_.empty()) require_equal_sizes(x.size(), pairs_.back().s, box);
    require_finite(x, "model");
    require_finite(gradient, "gradient");
    Reduced reduced{gradient, std::vector<std::uint8_t>(x.size())};
#pragma omp parallel for
    for (std::size_t i = 0; i < x.size(); ++i)
        reduced.free[i] = is_free_variable(x[i], gradient[i], box.lowest[i], box.highest[i]);
    take_out_bound(reduced.gradient, reduced.free);

    Vector p;
    steepest_ = true;
    switch (method_) {
        case DescentMethod::lbfgs:
            learn_pair(x, gradient);
            p = quasi_newton(reduced, precondition);
            steepest_ = pairs_.empty();
            break;
        case DescentMethod::conjugate_gradients: p = conjugate(reduced, gradient, precondition); break;
        case DescentMethod::steepest_descent: p = steepest(reduced, precondition); break;
    }
    take_out_leaving(p, x, box);
    if (!(HostVectors::dot(p, reduced.gradient) < 0.)) {
        forget();
        steepest_ = true;
        p = steepest(reduced, precondition);
        take_out_leaving(p, x, box);
        if (!(HostVectors::dot(p, reduced.gradient) < 0.)) p.assign(p.size(), 0.F);
    }
    if (method_ == DescentMethod::lbfgs) x_before_ = x;
    if (method_ == DescentMethod::conjugate_gradients) p_before_ = p;
    if (method_ != DescentMethod::steepest_descent) gradient_before_ = gradient;
    return p;
}

/// Made in the memory of the last point, which is told anew after it.
void DescentDirections::learn_pair(const Vector& x, const Vector& gradient) {
    if (gradient_before_.size() != x.size() || memory_ == 0) return;
    Pair pair{std::exchange(x_before_, {}), std::exchange(gradient_before_, {})};
    HostVectors::combine(pair.s, -1., x);
    HostVectors::combine(pair.y, -1., gradient);
    if (!curves_upwards(pair.s, pair.y, HostVectors::dot(pair.s, pair.y))) {
        ++skipped_;
        return;
    }
    if (pairs() == memory_) pairs_.pop_front();
    pairs_.push_back(std::move(pair));
}

DescentDirections::Vector DescentDirections::steepest(const Reduced& reduced, const Preconditioner& precondition) {
    Vector p = reduced.gradient;
    precondition(p);
    take_out_bound(p, reduced.free);
    slope_before_ = HostVectors::dot(reduced.gradient, p);
    scale_descent(p, -1.);
    return p;
}

DescentDirections::Vector DescentDirections::conjugate(const Reduced& reduced, const Vector& gradient,
                                                       const Preconditioner& precondition) {
    const double slope_before = slope_before_;
    Vector p = steepest(reduced, precondition);
    if (gradient_before_.size() != gradient.size() || !(slope_before > 0.)) return p;
    const double overlap = -HostVectors::dot(gradient_before_, p);
    if (std::abs(overlap) >= kLeastOverlap * slope_before_) return p;
    take_out_bound(p_before_, reduced.free);
    steepest_ = false;
    HostVectors::add(p, (slope_before_ - overlap) / slope_before, p_before_);
    return p;
}

/// -H g; H is symmetric and positive definite on the free variables in the range of M.
DescentDirections::Vector DescentDirections::quasi_newton(const Reduced& reduced,
                                                          const Preconditioner& precondition) const {
    struct Used {
        const Pair& pair;
        double product, alpha;  ///< s'y over the free variables; of the recursion
    };
    std::vector<Used> used;  // the last first
    Vector p = reduced.gradient;
    scale_descent(p, -1.);
    double gamma = 1.;
    for (std::size_t k = pairs_.size(); k-- > 0;) {
        Vector s = pairs_[k].s, y = pairs_[k].y;
        take_out_bound(s, reduced.free);
        take_out_bound(y, reduced.free);
        const double product = HostVectors::dot(s, y);
        if (!curves_upwards(s, y, product)) continue;
        const double alpha = HostVectors::dot(s, p) / product;
        HostVectors::add(p, -alpha, y);
        if (used.empty()) gamma = initial_scale(y, product, precondition);
        used.push_back({pairs_[k], product, alpha});
    }
    if (used.empty() && !pairs_.empty()) {
        const Pair& last = pairs_.back();
        gamma = initial_scale(last.y, HostVectors::dot(last.s, last.y), precondition);
    }
    precondition(p);
    take_out_bound(p, reduced.free);
    scale_descent(p, gamma);
    for (std::size_t k = used.size(); k-- > 0;) {
        const double beta = HostVectors::dot(used[k].pair.y, p) / used[k].product;
        HostVectors::add(p, used[k].alpha - beta, used[k].pair.s);
        take_out_bound(p, reduced.free);
    }
    return p;
}

}  // namespace onda
