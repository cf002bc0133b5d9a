// Promise: images are made of two fields as imaging conditions say, whatever keeps the forward field; half the operator
// on their product is what inverse scattering sums level by level, and with densities the derivative with respect to
// impedance; and what is made of the sum of images does what it says to waves.
//
// Takes 2 s.
#include <cmath>
#include <doctest/doctest.h>
#include <map>
#include <numbers>

#include "solver/imaging/finished_image.hpp"
#include "solver/imaging/image_operator.hpp"
#include "solver/imaging/imaging_condition.hpp"
#include "solver/verify/adjoint_box.hpp"

using namespace onda;
using namespace onda::verify;

namespace {

const ImagingCondition& condition(std::string_view name) {
    return *std::ranges::find(imaging_conditions(), name, &ImagingCondition::name);
}

/// A shot in a small box, with noise for signals and data.
struct ImagedBox {
    explicit ImagedBox(const verify::Case& c) : box(box_of(c, 2, Precision::float64), {}) {}
    explicit ImagedBox(std::size_t which) : ImagedBox(kAdjointCases[which]) {}

    [[nodiscard]] NodeValues image(const ImagingCondition& of, const HistoryPlan& plan) {
        ImageSums sums = of.sums;
        sums.illuminates = true;
        GradientRun run(*medium, 1, box.time(), plan, sums);
        run.run(std::vector{box.points_of(box.source_signals())},
                [&](const Wavefield&) { return std::vector{box.adjoint_of(box.data(), sums.density)}; },
                {times, control});
        lit = run.illumination(0);
        const ImagePlanes planes = of.make({run, 0, box.setup(), box.readers(), box.experiment().dt_s});
        NodeValues values(static_cast<std::size_t>(box.points()));
        planes(0, values);
        return values;
    }
    [[nodiscard]] HistoryPlan all_levels() const { return {1, box.time().steps, 0}; }
    /// p[0], p[1], … of a run, on all nodes; of two stresses in 2-D either of them.
    [[nodiscard]] std::vector<std::vector<double>> levels(const ShotPoints& points, double scale,
                                                          int stress = 0) const {
        const bool has_two = box.setup().scheme.equation->fields.size() > 1;
        const auto field = medium->make_wavefield();
        Propagator propagator(*field, std::vector{points}, box.time());
        std::vector<std::vector<double>> all(static_cast<std::size_t>(box.time().steps + 1),
                                             std::vector<double>(static_cast<std::size_t>(box.points())));
        for (std::int64_t n = 1; n <= box.time().steps; ++n) {
            propagator.advance(1);
            std::vector<double>& level = all[std::size_t(n)];
            field->download(Window::whole(box.experiment().grid), std::span<double>(level));
            if (has_two) {  // what is seen is the mean of both
                const std::vector<double> mean = level;
                field->fields().download(Window::whole(box.experiment().grid), std::span<double>(level), 0, {1, 0});
                for (std::size_t i = 0; stress == 0 && i < level.size(); ++i) level[i] = 2. * mean[i] - level[i];
            }
            for (double& value : level) value *= scale;
        }
        return all;
    }
    /// Whether a node lies away from sources, receivers and layers by more than the operator and interpolation reach.
    [[nodiscard]] bool is_apart(std::int64_t x, std::int64_t z) const {
        const Grid& grid = box.experiment().grid;
        const std::int64_t reach = box.setup().scheme.halo() + 5;
        for (const std::span<const Position> points :
             {std::span<const Position>(kSources), std::span<const Position>(kReceivers)})
            for (const Position& point : points)
                if (std::abs(point[0] - double(x)) < double(reach) && std::abs(point[2] - double(z)) < double(reach))
                    return false;
        if (box.setup().strips.empty()) return true;
        const std::int64_t layer = 6 + box.setup().scheme.halo();
        return x >= layer && x < grid.nx() - layer && z >= layer && z < grid.nz() - layer;
    }
    /// The largest difference of two images over the largest value, on nodes that lie apart.
    [[nodiscard]] double difference(const NodeValues& a, const NodeValues& b) const {
        const Grid& grid = box.experiment().grid;
        double worst = 0., largest = 0.;
        std::int64_t compared = 0;
        for (std::int64_t z = 0; z < grid.nz(); ++z)
            for (std::int64_t x = 0; x < grid.nx(); ++x) {
                if (!is_apart(x, z)) continue;
                const auto at = static_cast<std::size_t>(grid.at(x, 0, z));
                worst = std::max(worst, std::abs(a[at] - b[at]));
                largest = std::max(largest, std::abs(b[at]));
                ++compared;
            }
        CHECK(compared > 50);
        REQUIRE(largest > 0.);
        return worst / largest;
    }

    AdjointBox box;
    std::shared_ptr<Medium> medium = box.make_medium();
    PhaseTimes times;
    Onwards control;
    Illumination lit;
};

constexpr std::size_t kLayers = 2, kMirrors = 5, kDensityOfOrder2 = 7, kDensityMirrors = 9, kCompactMirrors = 10;

}  // namespace

TEST_CASE("conditions are what their sums over levels say") {
    for (const std::size_t which : {kLayers, kMirrors, kCompactMirrors}) {
        ImagedBox imaged(which);
        const AdjointBox& box = imaged.box;
        const Grid& grid = box.experiment().grid;
        const std::int64_t steps = box.time().steps;
        CAPTURE(kAdjointCases[which].name);
        const auto p = imaged.levels(box.points_of(box.source_signals()), 1.);
        const AdjointPoints adjoint = box.adjoint_of(box.data(), false);
        const auto reversed = imaged.levels(adjoint.points, adjoint.scale);
        const auto nu = [&](std::int64_t n) -> const std::vector<double>& {  // nu[n], 1 to N + 1
            return reversed[static_cast<std::size_t>(steps + 1 - n)];
        };
        // The weights of the neighbours within reach, by their offset.
        const Stencil<double> stencil = make_stencil<double>(box.setup().scheme, grid.spacing_m, 2);
        std::map<std::pair<int, int>, double> weights;
        if (which == kCompactMirrors) {
            for (const auto& [dx, dz] : {std::pair(1, 0), std::pair(-1, 0)}) weights[{dx, dz}] = stencil.compact[1];
            for (const int dz : {-1, 1}) {
                weights[{0, dz}] = stencil.compact[1];
                for (const int dx : {-1, 1}) weights[{dx, dz}] = stencil.compact[2];
            }
        } else {
            for (int k = 1; k <= stencil.radius; ++k)
                for (const int sign : {-1, 1}) {
                    weights[{sign * k, 0}] = stencil.axis[0][k];
                    weights[{0, sign * k}] = stencil.axis[2][k];
                }
        }
        NodeValues product(p.front().size()), k_sum(p.front().size()), gamma(p.front().size());
        std::ranges::fill(product, 0.);
        std::ranges::fill(k_sum, 0.);
        std::ranges::fill(gamma, 0.);
        const double inverse_dt2 = 1. / (box.experiment().dt_s * box.experiment().dt_s);
        std::vector<float> vp(static_cast<std::size_t>(grid.nx()));
        for (std::int64_t z = 0; z < grid.nz(); ++z) {
            box.readers().front()(0, z, vp);
            for (std::int64_t x = 0; x < grid.nx(); ++x) {
                const auto at = static_cast<std::size_t>(grid.at(x, 0, z));
                const double vp2 = std::pow(double(vp[std::size_t(x)]), 2);
                for (std::int64_t n = 1; n < steps; ++n) {
                    const auto m = static_cast<std::size_t>(n);
                    product[at] -= nu(n + 1)[at] * p[m][at];
                    k_sum[at] += nu(n + 1)[at] * (p[m + 1][at] - 2. * p[m][at] + p[m - 1][at]) * inverse_dt2;
                    if (!imaged.is_apart(x, z)) continue;
                    for (const auto& [offset, weight] : weights) {
                        const std::int64_t nx = x + offset.first, nz = z + offset.second;
                        if (nx < 0 || nz < 0 || nx >= grid.nx() || nz >= grid.nz()) continue;  // faces are left out
                        const auto there = static_cast<std::size_t>(grid.at(nx, 0, nz));
                        gamma[at] += 0.5 * vp2 * weight * (nu(n + 1)[there] - nu(n + 1)[at]) * (p[m][there] - p[m][at]);
                    }
                }
            }
        }
        NodeValues scattering(gamma.size()), tomographic(gamma.size());
        for (std::size_t i = 0; i < gamma.size(); ++i) {
            scattering[i] = k_sum[i] + gamma[i];
            tomographic[i] = k_sum[i] - gamma[i];
        }
        const auto made = [&](std::string_view name) { return imaged.image(condition(name), imaged.all_levels()); };
        const auto apart_of_faces = [&](const NodeValues& a, NodeValues b) {
            // Near faces neighbours are images, which the sums above leave out.
            NodeValues of_made = a;
            const std::int64_t reach = box.setup().scheme.halo();
            for (std::int64_t z = 0; z < grid.nz(); ++z)
                for (std::int64_t x = 0; x < grid.nx(); ++x)
                    if (x < reach || z < reach || x >= grid.nx() - reach || z >= grid.nz() - reach)
                        of_made[std::size_t(grid.at(x, 0, z))] = b[std::size_t(grid.at(x, 0, z))] = 0.;
            return imaged.difference(of_made, b);
        };
        CHECK(imaged.difference(made("cross_correlation"), product) <= 1e-12);
        CHECK(imaged.difference(made("velocity"), k_sum) <= 1e-11);
        CHECK(apart_of_faces(made("inverse_scattering"), scattering) <= 1e-11);
        CHECK(apart_of_faces(made("tomographic"), tomographic) <= 1e-11);
    }
}

TEST_CASE("in VTI inverse scattering adds to K what each stress has along its axes") {
    ImagedBox imaged(verify::Case{"VTI", Equation::vti_of_gradients, 2, "cpml", "cpml", "cpml"});
    const AdjointBox& box = imaged.box;
    const Grid& grid = box.experiment().grid;
    const std::int64_t steps = box.time().steps;
    const AdjointPoints adjoint = box.adjoint_of(box.data(), false);
    const std::array forward{imaged.levels(box.points_of(box.source_signals()), 1., 0),
                             imaged.levels(box.points_of(box.source_signals()), 1., 1)};
    const std::array reversed{imaged.levels(adjoint.points, adjoint.scale, 0),
                              imaged.levels(adjoint.points, adjoint.scale, 1)};
    const Stencil<double> stencil = make_stencil<double>(box.setup().scheme, grid.spacing_m, 2);
    NodeValues scattering = imaged.image(condition("velocity"), imaged.all_levels()), tomographic = scattering;
    std::vector<float> vp(static_cast<std::size_t>(grid.nx()));
    for (std::int64_t z = 0; z < grid.nz(); ++z) {
        box.readers().front()(0, z, vp);
        for (std::int64_t x = 0; x < grid.nx(); ++x) {
            if (!imaged.is_apart(x, z)) continue;
            const auto at = static_cast<std::size_t>(grid.at(x, 0, z));
            double gamma = 0.;
            for (std::int64_t n = 1; n < steps; ++n)
                for (const std::size_t field : {0U, 1U})  // the horizontal stress along x, the vertical one along z
                    for (int k = 1; k <= stencil.radius; ++k)
                        for (const int away : {-k, k}) {
                            const auto there = static_cast<std::size_t>(field == 0 ? grid.at(x + away, 0, z)
                                                                                   : grid.at(x, 0, z + away));
                            const auto& p = forward[field][std::size_t(n)];
                            const auto& nu = reversed[field][std::size_t(steps - n)];
                            gamma += 0.5 * stencil.axis[2 * field][k] * (nu[there] - nu[at]) * (p[there] - p[at]);
                        }
            gamma *= std::pow(double(vp[std::size_t(x)]), 2);
            scattering[at] += gamma;
            tomographic[at] -= gamma;
        }
    }
    const auto made = [&](std::string_view name) { return imaged.image(condition(name), imaged.all_levels()); };
    CHECK(imaged.difference(made("inverse_scattering"), scattering) <= 1e-10);
    CHECK(imaged.difference(made("tomographic"), tomographic) <= 1e-10);
}

TEST_CASE("of constant density and order 2 inverse scattering is the derivative with respect to impedance") {
    // Of higher orders both take the same products of derivatives by other neighbours.
    ImagedBox imaged(kDensityOfOrder2);
    std::vector<float> change;
    for (std::int64_t i = 0; i < imaged.box.points(); ++i) change.push_back(2000.F - scattered_density(i));
    imaged.box.change_density(std::move(change));
    imaged.medium = imaged.box.make_medium();
    const NodeValues impedance = imaged.image(condition("impedance"), imaged.all_levels()),
                     scattering = imaged.image(condition("inverse_scattering"), imaged.all_levels());
    CHECK(imaged.difference(scattering, impedance) <= 1e-6);
}

TEST_CASE("an image does not depend on how the forward field is kept") {
    for (const std::string_view name : {"cross_correlation", "tomographic"}) {
        ImagedBox imaged(kLayers);
        CAPTURE(name);
        const NodeValues full = imaged.image(condition(name), imaged.all_levels());
        const Illumination lit = imaged.lit;
        HistoryPlan states{1, 20, 3};
        CHECK(imaged.image(condition(name), states) == full);
        CHECK(imaged.lit.forward == lit.forward);
        HistoryPlan ring{1, 1, 0, RingPlace::device, RingValues::full, true};
        const NodeValues rebuilt = imaged.image(condition(name), ring);
        CHECK(imaged.difference(rebuilt, full) <= 1e-11);
        CHECK(imaged.difference(imaged.lit.forward, lit.forward) <= 1e-11);
        CHECK(imaged.difference(imaged.lit.adjoint, lit.adjoint) <= 1e-11);
    }
}

TEST_CASE("the table names every condition once, and says what is summed for it") {
    for (const ImagingCondition& row : imaging_conditions()) {
        CHECK(std::ranges::count(imaging_conditions(), row.name, &ImagingCondition::name) == 1);
        CHECK((row.sums.differences || row.sums.pressures));
        CHECK(!row.help.empty());
    }
    ImagedBox imaged(kMirrors);
    GradientRun run(*imaged.medium, 1, imaged.box.time(), imaged.all_levels(),
                    {.differences = false, .pressures = true});
    NodeValues planes(static_cast<std::size_t>(imaged.box.points()));
    CHECK_THROWS_AS(run.download_planes(LevelSum::products, 0, 0, planes), std::logic_error);
    HistoryPlan without{1, 1, 0, RingPlace::device};
    CHECK_THROWS_AS(GradientRun(*imaged.medium, 1, imaged.box.time(), without, {.pressures = true}), std::logic_error);
}

TEST_CASE("the operator on an image is that of the scheme, in any planes") {
    for (const std::size_t which : {kLayers, kDensityMirrors, kCompactMirrors})
        for (const int dimensions : {2, 3}) {
            const AdjointBox box(box_of(kAdjointCases[which], dimensions, Precision::float64), {});
            const Grid& grid = box.experiment().grid;
            CAPTURE(kAdjointCases[which].name);
            const NodeValues image = [&] {
                NodeValues values(static_cast<std::size_t>(box.points()));
                std::ranges::copy(noise(box.points(), 3), values.begin());
                return values;
            }();
            NodeValues whole(image.size()), parts(image.size());
            const ImagePlanes applied = operator_on(planes_of(image, grid), box.setup(), box.readers());
            applied(0, whole);
            const auto plane = static_cast<std::size_t>(grid.nx() * grid.ny());
            for (std::int64_t z = 0; z < grid.nz(); z += 5) {
                const auto count = static_cast<std::size_t>(std::min<std::int64_t>(5, grid.nz() - z));
                applied(z, std::span(parts).subspan(std::size_t(z) * plane, count * plane));
            }
            CHECK(parts == whole);
            // A step of a field at rest: p[1] = 2 p[0] - p[-1] + k L p[0].
            const auto field = box.make_medium()->make_wavefield(1, StripList{});
            field->upload(image, image);
            field->advance(0, 1);
            std::vector<double> next(image.size()), k(image.size());
            field->download(Window::whole(grid), std::span<double>(next));
            double worst = 0., largest = 0.;
            const std::int64_t reach = box.setup().scheme.halo();
            std::vector<std::vector<float>> row(box.readers().size(), std::vector<float>(std::size_t(grid.nx())));
            for (std::int64_t z = reach; z < grid.nz() - reach; ++z)
                for (std::int64_t y = dimensions == 3 ? reach : 0; y < (dimensions == 3 ? grid.ny() - reach : 1); ++y) {
                    for (std::size_t i = 0; i < row.size(); ++i) box.readers()[i](y, z, row[i]);
                    for (std::int64_t x = reach; x < grid.nx() - reach; ++x) {
                        std::array<double, kMaxParameters> parameters{};
                        for (std::size_t i = 0; i < row.size(); ++i) parameters[i] = double(row[i][std::size_t(x)]);
                        const double at_node =
                            box.setup().scheme.equation->arrays.front().value(parameters.data(), box.experiment().dt_s);
                        const auto at = static_cast<std::size_t>(grid.at(x, y, z));
                        const double expected = (next[at] - image[at]) / at_node;
                        worst = std::max(worst, std::abs(whole[at] - expected));
                        largest = std::max(largest, std::abs(expected));
                    }
                }
            REQUIRE(largest > 0.);
            CHECK(worst <= 1e-12 * largest);
        }
}

TEST_CASE("illumination divides, down to its floor") {
    const std::vector<float> source{4.F, 0.F, 16.F}, receiver{1.F, 9.F, 4.F};
    const auto divided = [&](std::string_view by, double floor) {
        std::vector<float> image{8.F, 8.F, -8.F};
        divide_by_illumination(image, source, receiver, by, floor);
        return image;
    };
    using Values = std::vector<float>;
    CHECK(divided("none", 0.3) == Values{8.F, 8.F, -8.F});
    CHECK(divided("source", 0.3) == Values{2.F, 4.F, -0.5F});  // 0.3 of 20/3 is 2
    CHECK(divided("receiver", 1e-6) == Values{8.F, float(8. / 9.), -2.F});
    CHECK(divided("both", 0.3) == Values{4.F, 8.F, -1.F});  // 0.3 of 10/3 is 1
    CHECK_THROWS_AS(divided("neither", 0.3), std::invalid_argument);
    std::vector<float> image{1.F};
    divide_by_illumination(image, Values{0.F}, Values{0.F}, "source", 0.1);
    CHECK(image == Values{1.F});
}

TEST_CASE("filters of images do what they say to plane waves") {
    const Grid grid{2, {161, 1, 121}, {10., 10., 5.}, {}};
    const auto wave = [&](double kx, double kz) {
        std::vector<float> values;
        for (std::int64_t z = 0; z < grid.nz(); ++z)
            for (std::int64_t x = 0; x < grid.nx(); ++x)
                values.push_back(float(std::cos(kx * 10. * double(x)) * std::cos(kz * 5. * double(z))));
        return values;
    };
    const auto factor_of = [&](const std::vector<float>& filtered, const std::vector<float>& original) {
        const auto middle = static_cast<std::size_t>(grid.at(80, 0, 60));
        double worst = 0.;
        const double factor = double(filtered[middle]) / double(original[middle]);
        for (std::size_t i = 0; i < filtered.size(); ++i)
            worst = std::max(worst, std::abs(double(filtered[i]) - factor * double(original[i])));
        CHECK(worst <= 1e-5 * std::max(1., std::abs(factor)));
        return factor;
    };
    // Of lengths that end on crests at all faces, where they are continued evenly.
    const double kx = 2. * std::numbers::pi / 400., kz = 2. * std::numbers::pi / 300.;
    for (const auto& [x, z] : {std::pair(kx, 0.), std::pair(0., kz), std::pair(kx, kz)}) {
        const std::vector<float> original = wave(x, z);
        std::vector<float> filtered = original;
        const double k2 = x * x + z * z, length = 2. * std::numbers::pi / std::sqrt(k2);
        remove_long_waves(filtered, grid, length);
        CHECK(factor_of(filtered, original) == doctest::Approx(0.5).epsilon(1e-3));
        filtered = original;
        remove_long_waves(filtered, grid, 2. * length);
        CHECK(factor_of(filtered, original) == doctest::Approx(1. - std::pow(0.5, 4.)).epsilon(1e-3));
        filtered = original;
        apply_minus_laplacian(filtered, grid);
        const double exact = std::pow(2. * std::sin(5. * x) / 10., 2) + std::pow(2. * std::sin(2.5 * z) / 5., 2);
        CHECK(factor_of(filtered, original) == doctest::Approx(exact).epsilon(1e-4));
    }
    std::vector<float> constant(static_cast<std::size_t>(grid.points()), 3.F);
    remove_long_waves(constant, grid, 200.);
    CHECK(std::ranges::all_of(constant, [](float v) { return std::abs(v) <= 1e-5F; }));
}

TEST_CASE("a mute is zero down to its depth, and a cosine below") {
    const Grid grid{2, {2, 1, 9}, {10., 10., 10.}, {}};
    std::vector<float> image(18, 1.F);
    mute_top(image, grid, 20., 40.);
    for (std::int64_t z = 0; z < 9; ++z) {
        const double below = double(z) * 10. - 20.;
        const double expected = below <= 0.    ? 0.
                                : below >= 40. ? 1.
                                               : 0.5 - 0.5 * std::cos(std::numbers::pi * below / 40.);
        CHECK(double(image[std::size_t(2 * z)]) == doctest::Approx(expected));
    }
    std::vector<float> whole(18, 1.F);
    mute_top(whole, grid, 0., 0.);
    CHECK(whole == std::vector<float>(18, 1.F));
}
