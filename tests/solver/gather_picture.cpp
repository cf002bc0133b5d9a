// Receivers are found on the lines that they lie on; gains, reduced time and spectra are what they are called.
// Takes less than a second.
#include "solver/pictures/gather_picture.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <numbers>

#include "solver/pictures/sorted_traces.hpp"
#include "solver/pictures/wavenumber_picture.hpp"

using namespace onda;

namespace {

using Places = std::vector<std::array<double, 3>>;

/// A pulse on each of 21 traces, at 0.1 s and 1 ms for each 2 m of offset, a tenth as large on every second.
ShotGather moving_pulse() {
    ShotGather gather{1, {{0., 0., 0.}}, {}, 0.001, 601, {}};
    for (int r = -10; r <= 10; ++r) {
        gather.receivers_m.push_back({20. * r, 0., 0.});
        for (int n = 0; n < 601; ++n) {
            const double t = 0.001 * n - 0.1 - std::abs(20. * r) / 2000.;
            gather.pressure.push_back(float((r % 2 == 0 ? 1. : 0.1) * std::exp(-std::pow(t / 0.005, 2.))));
        }
    }
    return gather;
}

/// The time of the largest value of a trace of wiggles.
double time_of_peak(const GatherPanel& shown, std::int64_t trace) {
    const Raster& raster = shown.panel.traces->raster;
    const auto first = raster.values.begin() + trace * raster.columns;
    const auto peak = std::max_element(first, first + raster.columns) - first;
    const auto& axis = shown.panel.vertical;
    return axis.first + double(peak) * (axis.last - axis.first) / double(raster.columns - 1);
}

float peak_of(const GatherPanel& shown, std::int64_t trace) {
    const Raster& raster = shown.panel.traces->raster;
    const auto first = raster.values.begin() + trace * raster.columns;
    return *std::max_element(first, first + raster.columns);
}

TraceDisplay wiggles() {
    TraceDisplay display;
    display.style = TraceDisplay::Style::wiggles;
    return display;
}

}  // namespace

TEST_CASE("the lines of a grid, of an oblique line, and of receivers that lie on none") {
    Places grid;
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 10; ++x) grid.push_back({5. * x, 100. * y, 0.});
    const auto lines = receiver_lines(grid);
    REQUIRE(lines.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(lines[i].first == 10 * i);
        CHECK(lines[i].count == 10);
        CHECK(lines[i].axis.title == "Receiver x [m]");
        CHECK(lines[i].axis.last == 45.);
    }
    // The line that comes nearest to the source, where it is not much shorter than others.
    const auto shown = [&](const std::vector<ReceiverLine>& of, Places sources) {
        return shown_line(of, grid, sources);
    };
    CHECK(shown(lines, {}) == 0);
    CHECK(shown(lines, {{10., 130., 5.}}) == 1);
    CHECK(place_of(lines[1]) == ", y = 100 m");
    CHECK(line_to_show(grid, Places{{10., 130., 5.}}).at == "y = 100 m");
    std::vector<ReceiverLine> uneven = lines;
    uneven[1].count = 4;
    CHECK(shown(uneven, {{10., 140., 5.}}) == 2);
    CHECK(place_of(receiver_lines(std::span(grid).first(10))[0]).empty());

    Places well{{0., 0., 0.}};
    for (int i = 0; i < 20; ++i) well.push_back({100. + i, 0., 30. * i});
    const auto oblique = receiver_lines(well);
    REQUIRE(oblique.size() == 1);
    CHECK(oblique[0].first == 1);
    CHECK(oblique[0].count == 20);
    CHECK(oblique[0].axis.title == "Receiver z [m]");

    Places scattered;
    for (int i = 0; i < 30; ++i) scattered.push_back({std::sin(7. * i), std::cos(3. * i * i), 0.});
    REQUIRE(receiver_lines(scattered).size() == 1);
    CHECK(receiver_lines(scattered)[0].axis.title == "receiver");
    CHECK(receiver_lines(scattered)[0].count == 30);
    CHECK(receiver_lines(Places{{1., 2., 3.}})[0].count == 1);
    CHECK(receiver_lines(Places{{1., 2., 3.}, {1., 2., 3.}})[0].axis.title == "receiver");
    CHECK(receiver_lines(Places{{0., 0., 0.}, {0., 0., 50.}})[0].axis.title == "Receiver z [m]");
}

TEST_CASE(
    "receivers that keep their offsets from shot to shot are towed, those that stay or have moved otherwise are not") {
    const auto gather_at = [](double source_m, double first_m) {
        ShotGather gather;
        gather.sources_m = {{source_m, 0., 10.}};
        for (int i = 0; i < 12; ++i) gather.receivers_m.push_back({first_m + 25. * i, 0., 10.});
        return gather;
    };
    const ShotGather first = gather_at(1000., 600.);
    CHECK(keep_offsets(first, gather_at(1100., 700.)));
    CHECK_FALSE(keep_offsets(first, gather_at(1100., 600.)));
    CHECK_FALSE(keep_offsets(first, gather_at(1100., 710.)));
    CHECK_FALSE(keep_offsets(first, first));
}

TEST_CASE("a single trace stands in the middle") {
    ShotGather gather = moving_pulse();
    gather.receivers_m.resize(1);
    gather.pressure.resize(601);
    const GatherPanel shown = gather_panel(gather, receiver_lines(gather.receivers_m)[0], {});
    REQUIRE(shown.panel.traces.has_value());
    const auto& axis = shown.panel.horizontal;
    CHECK(0.5 * (axis.first + axis.last) == shown.panel.traces->positions[0]);
    CHECK(axis.last > axis.first);
    CHECK(shown.panel.traces->reach > 0.);
}

TEST_CASE("few receivers are wiggles, many are colours") {
    const ShotGather gather = moving_pulse();
    const auto lines = receiver_lines(gather.receivers_m);
    const GatherPanel few = gather_panel(gather, lines[0], {});
    CHECK(few.panel.traces.has_value());
    CHECK(few.panel.fields.empty());
    ShotGather many = gather;
    for (int copy = 0; copy < 9; ++copy) {
        many.receivers_m.insert(many.receivers_m.end(), gather.receivers_m.begin(), gather.receivers_m.end());
        many.pressure.insert(many.pressure.end(), gather.pressure.begin(), gather.pressure.end());
    }
    const GatherPanel grey = gather_panel(many, all_receivers(210), {});
    REQUIRE(grey.panel.fields.size() == 1);
    CHECK_FALSE(grey.panel.traces.has_value());
    CHECK(grey.panel.fields[0].raster.rows == 601);
    CHECK(grey.panel.fields[0].raster.columns == 210);
    CHECK(grey.panel.fields[0].columns);  // the pulse is 10 ms late from trace to trace, and 8 ms long
    CHECK(grey.panel.fields[0].range->low == -grey.panel.fields[0].range->high);
}

TEST_CASE("in reduced time waves of the velocity are level") {
    const ShotGather gather = moving_pulse();
    const auto line = receiver_lines(gather.receivers_m)[0];
    TraceDisplay display = wiggles();
    display.by_offset = true;
    const GatherPanel plain = gather_panel(gather, line, display);
    CHECK(plain.panel.horizontal.title == "Offset [m]");
    CHECK(time_of_peak(plain, 0) == doctest::Approx(0.2).epsilon(0.006));
    CHECK(time_of_peak(plain, 10) == doctest::Approx(0.1).epsilon(0.01));
    display.reduction_m_s = 2000.;
    const GatherPanel reduced = gather_panel(gather, line, display);
    for (std::int64_t trace = 0; trace < 21; ++trace)
        CHECK(time_of_peak(reduced, trace) == doctest::Approx(0.1).epsilon(0.012));
}

TEST_CASE("gains: a power of time, and automatic; panels can share a clip") {
    const ShotGather gather = moving_pulse();
    const auto line = receiver_lines(gather.receivers_m)[0];
    TraceDisplay display = wiggles();
    display.gain = 2.;
    const GatherPanel gained = gather_panel(gather, line, display);
    CHECK(peak_of(gained, 10) == doctest::Approx(std::pow(0.1 / 0.6, 2.)).epsilon(0.02));
    CHECK(peak_of(gained, 0) == doctest::Approx(std::pow(0.2 / 0.6, 2.)).epsilon(0.02));
    display.gain = 0.;
    display.agc_s = 0.1;
    const GatherPanel controlled = gather_panel(gather, line, display);
    CHECK(controlled.quantity == "Pressure after AGC (0.1 s)");
    CHECK(peak_of(controlled, 9) == doctest::Approx(peak_of(controlled, 10)).epsilon(0.01));
    display.agc_s = 0.;
    std::vector<GatherPanel> panels;
    panels.push_back(gather_panel(gather, line, display));
    display.clip_pa = 7.;
    panels.push_back(gather_panel(gather, line, display));
    share_clip(panels);
    for (const GatherPanel& panel : panels) CHECK(panel.panel.traces->clip == 7.);
    CHECK(scale_of_wiggles(panels[0]) == "one trace spacing = 7 Pa");
    panels[0].clip = 7.8e-4;
    CHECK(scale_of_wiggles(panels[0]) == "one trace spacing = 780 \xc2\xb5Pa");
    panels[0].clip = 1234.;
    CHECK(scale_of_wiggles(panels[0]) == "one trace spacing = 1200 Pa");
    panels[0].clip = 7.;
    panels[0].quantity = "Pressure after AGC (0.1 s)";
    CHECK(scale_of_wiggles(panels[0]) == "one trace spacing = 7 of pressure after AGC (0.1 s)");
}

TEST_CASE("titles tell the receivers of a line, and how many of its traces are left out") {
    ReceiverLine line = all_receivers(300);
    CHECK(title_of(line, 300) == ", receivers 1 to 300 of 300");
    CHECK(title_of(line, 300, 2) == ", receivers 1 to 300 of 300, every 2nd trace");
    line.first = 300;
    line.at = "y = 100 m";
    CHECK(title_of(line, 900, 3) == ", y = 100 m, receivers 301 to 600 of 900, every 3rd trace");
}

TEST_CASE("times begin with the first sample, and amplitudes that are no pressure have no unit") {
    TraceDisplay display = wiggles();
    display.start_s = -0.2;
    display.is_pressure = false;
    const ShotGather gather = moving_pulse();
    GatherPanel shown = gather_panel(gather, receiver_lines(gather.receivers_m).front(), display);
    CHECK(shown.panel.vertical.first == doctest::Approx(-0.2));
    CHECK(shown.panel.vertical.last == doctest::Approx(0.4));
    CHECK(shown.panel.vertical.title == "Time [s]");
    CHECK(shown.quantity == "Amplitude");
    display.start_s.reset();
    shown = gather_panel(gather, receiver_lines(gather.receivers_m).front(), display);
    CHECK(shown.panel.vertical.first == 0.);
    CHECK(shown.panel.vertical.title == "Time after the first sample [s]");
}

TEST_CASE("a plane wave is a line in wavenumber and frequency, on the side that it goes to") {
    constexpr double velocity_m_s = 1600., spacing_m = 10., dt_s = 0.002, peak_hz = 20.;
    for (const int direction : {1, -1})
        for (const bool mirrored : {false, true}) {
            CAPTURE(direction);
            CAPTURE(mirrored);
            ShotGather gather{1, {{0., 0., 0.}}, {}, dt_s, 400, {}};
            for (int r = 0; r < 64; ++r) {
                const double x = spacing_m * (mirrored ? 63 - r : r);
                gather.receivers_m.push_back({x, 0., 0.});
                for (int n = 0; n < 400; ++n) {
                    const double t = dt_s * n - 0.4 - direction * (x - 315.) / velocity_m_s;
                    const double a = std::pow(std::numbers::pi * peak_hz * t, 2.);
                    gather.pressure.push_back(float((1. - 2. * a) * std::exp(-a)));
                }
            }
            const auto lines = receiver_lines(gather.receivers_m);
            const GatherPanel shown = wavenumber_panel(gather, lines.front(), std::vector{velocity_m_s}, kViridis);
            const Raster& raster = shown.panel.fields.front().raster;
            CHECK(shown.panel.horizontal.last == doctest::Approx(0.05));
            const auto peak = std::ranges::max_element(raster.values) - raster.values.begin();
            CHECK(raster.values[std::size_t(peak)] == doctest::Approx(0.));
            const double f =
                shown.panel.vertical.first * (1. - double(peak / raster.columns) / double(raster.rows - 1));
            const double k = -0.05 + 0.1 * double(peak % raster.columns) / double(raster.columns - 1);
            CHECK(f == doctest::Approx(peak_hz).epsilon(0.05));
            CHECK(k == doctest::Approx(direction * f / velocity_m_s).epsilon(0.05));
            // On the other side there is nothing.
            const std::int64_t mirror = raster.columns - 1 - peak % raster.columns;
            CHECK(raster.values[std::size_t(peak / raster.columns * raster.columns + mirror)] < -40.f);
            const PictureLine& marked = shown.panel.lines.front();
            CHECK(marked.y.back() == doctest::Approx(velocity_m_s * marked.x.back()));
            CHECK(marked.label == "1600 m/s");
        }
}

TEST_CASE("traces are sorted by midpoint at an offset, and by offset at a midpoint") {
    std::vector<ShotGather> shots;
    for (int s = 0; s < 6; ++s) {  // split spreads of 20 m, rolled along by 40 m; the last shot lacks its near traces
        ShotGather shot{s + 1, {{1000. - 40. * s, 0., 5.}}, {}, 0.002, 3, {}};
        for (int r = s == 5 ? 8 : 0; r < 11; ++r)
            shot.receivers_m.push_back({1000. - 40. * s - 100. + 20. * r, 0., 0.});
        shots.push_back(shot);
    }
    CHECK(usual_distance_m(shots) == doctest::Approx(20.));
    const SortedTraces near = common_offset(shots, 25., 10.);
    REQUIRE(near.traces.size() == 5);
    CHECK(near.axis == "Midpoint x [m]");
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(near.traces[i].shot == 5 - std::int64_t(i));
        CHECK(near.traces[i].receiver == 6);
        CHECK(near.traces[i].place_m == doctest::Approx(850. + 40. * double(i)));
        CHECK(near.traces[i].off_m == doctest::Approx(5.));
    }
    CHECK(line_of(near).axis.title == "Midpoint x [m]");
    CHECK(common_offset(shots, 500., 10.).traces.empty());

    const SortedTraces middle = common_midpoint(shots, {960., 0.}, 5.);
    CHECK(middle.axis == "Offset [m]");
    std::vector<double> offsets;
    for (const SortedTrace& trace : middle.traces) {
        offsets.push_back(trace.place_m);
        const ShotGather& shot = shots[std::size_t(trace.shot - 1)];
        CHECK(0.5 * (shot.sources_m[0][0] + shot.receivers_m[trace.receiver][0]) == doctest::Approx(960.));
    }
    CHECK(offsets == std::vector<double>{-80., 0., 80.});
    CHECK(line_of(middle).places == offsets);
    // Across the line nothing is found, and two traces of one offset stand one after the other.
    CHECK(common_midpoint(shots, {960., 50.}, 5.).traces.empty());
    const std::vector<ShotGather> again = shots;
    shots.insert(shots.end(), again.begin(), again.end());
    const ReceiverLine uneven = line_of(common_midpoint(shots, {960., 0.}, 5.));
    CHECK(uneven.axis.title == "Trace, by offset");
    CHECK(uneven.places.front() == 1.);
}

TEST_CASE("the amplitude spectrum of a Gaussian") {
    // exp(-(t / T)^2) has the spectrum T sqrt(pi) exp(-(pi f T)^2).
    const ShotGather gather = moving_pulse();
    const double width = 0.005;
    const Spectrum one = amplitude_spectrum(gather, {10});
    for (const double f : {0., 20., 40., 80.}) {
        const auto k = static_cast<std::size_t>(std::lround(f / one.step_hz));
        const double exact = width * std::sqrt(std::numbers::pi) *
                             std::exp(-std::pow(std::numbers::pi * double(k) * one.step_hz * width, 2.));
        CHECK(one.amplitude[k] == doctest::Approx(exact).epsilon(1e-4));
    }
    // The mean of a trace and one of a tenth: sqrt((1 + 0.01) / 2).
    const Spectrum mean = amplitude_spectrum(gather, {9, 10});
    CHECK(mean.amplitude[0] == doctest::Approx(one.amplitude[0] * std::sqrt(0.505)).epsilon(1e-3));
    const Panel panel = spectrum_panel({one, mean}, {"one", "mean"});
    REQUIRE(panel.lines.size() == 2);
    CHECK(panel.vertical.title == "Amplitude (dB re maximum)");
    CHECK(spectrum_panel({one, mean}, {"one", "mean"}, true).vertical.title == "Amplitude (dB re maximum of one)");
    CHECK(*std::ranges::max_element(panel.lines[0].y) == doctest::Approx(0.));
    // Both are relative to the larger one.
    CHECK(*std::ranges::max_element(panel.lines[1].y) == doctest::Approx(10. * std::log10(0.505)).epsilon(1e-3));
    // -60 dB at exp(-(pi f T)^2) = 1e-3.
    CHECK(panel.horizontal.last ==
          doctest::Approx(1.05 * std::sqrt(std::log(1000.)) / (std::numbers::pi * width)).epsilon(0.02));
}
