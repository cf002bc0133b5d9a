// A report is one page with all it shows, of at most 15 MB whatever a run holds; the same values give the same bytes,
// no text ends an element of the page, and what was quantised comes back within the stated error.
// Takes 2 s.
#include "solver/report/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <zlib.h>

#include "io/text/printable.hpp"
#include "solver/program/printable_json.hpp"
#include "solver/report/page_files.hpp"

using namespace onda;
using Json = nlohmann::json;

namespace {

std::string page_of(const Report& report, std::vector<ReportShot> shots, const ReportChoice& choice) {
    std::vector<PutShot> parts;
    for (ReportShot& shot : shots)
        parts.emplace_back([&shot, &choice](const PutText& put) { put_report_shot(shot, choice, put); });
    std::string page;
    put_report(report, parts, [&page](std::string_view piece) { page += piece; });
    return page;
}

/// The texts of all elements that begin with `tag`.
std::vector<std::string> elements(const std::string& page, const std::string& tag) {
    std::vector<std::string> texts;
    for (std::size_t at = page.find(tag); at != std::string::npos; at = page.find(tag, at + 1)) {
        const std::size_t begin = at + tag.size(), end = page.find("</script>", begin);
        REQUIRE(end != std::string::npos);
        texts.push_back(page.substr(begin, end - begin));
    }
    return texts;
}

Json facts_of(const std::string& page) {
    const auto found = elements(page, R"(<script type="application/json" id="report">)");
    REQUIRE(found.size() == 1);
    return Json::parse(found.front());
}

Json shot_of(const std::string& page, std::size_t index = 0) {
    return Json::parse(elements(page, R"(<script type="application/json" class="shot">)").at(index));
}

std::vector<unsigned char> from_base64(const std::string& text) {
    REQUIRE(text.size() % 4 == 0);
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<unsigned char> bytes;
    for (std::size_t i = 0; i < text.size(); i += 4) {
        unsigned group = 0;
        int given = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const std::size_t digit = digits.find(text[i + k]);
            group = group << 6 | (digit == std::string::npos ? 0U : static_cast<unsigned>(digit));
            given += digit == std::string::npos ? 0 : 1;
        }
        for (int k = 0; k < given - 1; ++k) bytes.push_back(static_cast<unsigned char>(group >> (16 - 8 * k) & 255U));
    }
    return bytes;
}

/// What a block of the page holds.
template <typename T>
std::vector<T> block(const std::string& page, const Json& reference) {
    const std::string id = reference.at("block");
    const auto found = elements(page, "<script type=\"text/plain\" id=\"" + id + "\">");
    REQUIRE(found.size() == 1);
    const std::vector<unsigned char> packed = from_base64(found.front());
    std::vector<T> values(reference.at("count").get<std::size_t>());
    uLongf bytes = values.size() * sizeof(T);
    std::vector<unsigned char> raw(bytes + 1);
    uLongf room = raw.size();
    REQUIRE(uncompress(raw.data(), &room, packed.data(), packed.size()) == Z_OK);
    REQUIRE(room == bytes);
    std::memcpy(values.data(), raw.data(), bytes);
    return values;
}

ShotGather gather_of(std::size_t receivers, std::int64_t samples, bool noise, std::int64_t shot = 1) {
    ShotGather gather{shot, {{100., 0., 10.}}, {}, 0.001, samples, {}};
    std::mt19937 random(7);
    std::normal_distribution<float> normal(0.f, 1e-3f);
    for (std::size_t r = 0; r < receivers; ++r) {
        gather.receivers_m.push_back({10. * double(r), 0., 5.});
        for (std::int64_t n = 0; n < samples; ++n)
            gather.pressure.push_back(noise ? normal(random)
                                            : float(std::sin(0.02 * double(n) + 0.1 * double(r)) / (1. + double(r))));
    }
    return gather;
}

ReportPlane plane_of(std::int64_t columns, std::int64_t rows) {
    return {"xz", {"x", 0., 5., columns}, {"z", 0., 5., rows}, "", 0.};
}

Report report_of(const std::string& title) {
    Report report;
    report.summary = Json{{"format", "onda-summary"}, {"title", title}, {"run_id", "0123"}}.dump();
    report.config_yaml = "title: " + title + "\n";
    return report;
}

}  // namespace

TEST_CASE("a wavefield comes back within the error of 8 bits on a scale of square roots") {
    std::vector<float> p;
    for (int i = -1000; i <= 1000; ++i) p.push_back(float(2.5e-3 * std::pow(i / 1000., 3.)));
    std::vector<std::int8_t> q(p.size());
    const double peak = double(quantise_wavefield(p, q));
    CHECK(peak == doctest::Approx(2.5e-3));
    for (std::size_t i = 0; i < p.size(); ++i) {
        const double root = q[i] / 127., back = root * std::abs(root) * peak, value = double(p[i]);
        CHECK(std::abs(back - value) <= peak * (std::sqrt(std::abs(value) / peak) / 127. + 1. / 64516.) * 1.0001);
    }
    CHECK(q.front() == -127);
    CHECK(q.back() == 127);
    const std::vector<float> silence(5, 0.f), faint{1e-45f, -1e-45f};
    std::vector<std::int8_t> of_silence(5, 1), of_faint(2);
    CHECK(quantise_wavefield(silence, of_silence) == 0.f);
    CHECK(of_silence == std::vector<std::int8_t>(5, 0));
    quantise_wavefield(faint, of_faint);
    CHECK(of_faint == std::vector<std::int8_t>{127, -127});
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> broken{infinity, -infinity, std::numeric_limits<float>::quiet_NaN(), 1.f};
    std::vector<std::int8_t> of_broken(4, 1);
    CHECK(quantise_wavefield(broken, of_broken) == 1.f);
    CHECK(of_broken == std::vector<std::int8_t>{127, -127, 0, 127});
}

TEST_CASE("traces and the model come back within the error of 16 bits, and positions as they are") {
    const ShotGather gather = gather_of(7, 400, false);
    ReportShot shot{1, gather.sources_m, {}, thin_gather(gather, 1'000'000, 50.), {}};
    Report report = report_of("errors");
    std::vector<float> vp(30);
    std::iota(vp.begin(), vp.end(), 1500.f);
    ReportParameter parameter{"vp", "velocity", "m/s", {}, std::vector<std::uint16_t>(30)};
    parameter.range = quantise_parameter(vp, parameter.values);
    report.planes.push_back(plane_of(6, 5));
    report.planes.back().parameters.push_back(parameter);
    const std::string page = page_of(report, {shot}, choose_for_report(1, 7, 400));
    const Json kept = shot_of(page).at("gather");
    CHECK(kept.at("every_receiver") == 1);
    CHECK(kept.at("every_sample") == 1);
    const auto traces = block<std::int16_t>(page, kept.at("traces"));
    const auto peaks = block<float>(page, kept.at("peaks"));
    const auto positions = block<double>(page, kept.at("positions")), offsets = block<double>(page, kept.at("offsets"));
    REQUIRE(traces.size() == 2800);
    for (std::size_t i = 0; i < traces.size(); ++i) {
        const double peak = double(peaks[i / 400]);
        CHECK(std::abs(traces[i] / 32767. * peak - double(gather.pressure[i])) <= peak / 65534. * 1.001);
    }
    for (std::size_t r = 0; r < 7; ++r) {
        CHECK(positions[3 * r] == gather.receivers_m[r][0]);
        CHECK(offsets[r] == 10. * double(r) - 100.);
    }
    const Json stored = facts_of(page).at("planes").at(0).at("parameters").at(0);
    const auto values = block<std::uint16_t>(page, stored.at("values"));
    for (std::size_t i = 0; i < vp.size(); ++i)
        CHECK(std::abs(1500. + 29. * values[i] / 65535. - double(vp[i])) <= 29. / 131070. * 1.001);
}

namespace {

/// Five lines along x, 100 m apart, of 40 receivers each; a pulse passes them at `velocity_m_s`.
ShotGather lines_of_receivers(double velocity_m_s) {
    ShotGather gather{1, {{150., 210., 5.}}, {}, 0.004, 100, {}};
    for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 40; ++x) {
            gather.receivers_m.push_back({10. * x, 100. * y, 5.});
            for (int n = 0; n < 100; ++n) {
                const double t = 0.004 * n - 0.05 - 10. * x / velocity_m_s;
                gather.pressure.push_back(float((1. - 2000. * t * t) * std::exp(-1000. * t * t) * (1. + x + 40. * y)));
            }
        }
    return gather;
}

}  // namespace

TEST_CASE(
    "a gather of several lines begins with the one nearest to the source, which stays where others are left out") {
    const ShotGather gather = lines_of_receivers(2000.);
    const ReportGather whole = thin_gather(gather, 1'000'000, 25.);
    REQUIRE(whole.lines.size() == 5);
    CHECK(whole.shown == 2);
    CHECK(whole.lines[2].at == "y = 200 m");
    CHECK(whole.lines[2].axis == "Receiver x [m]");
    CHECK(whole.lines[2].first == 80);
    CHECK(whole.lines[2].count == 40);
    // Room for 100 traces: every second line, counted from the one shown; for 30: half of that one.
    constexpr std::size_t bytes_of_trace = 2 * (100 + 18);
    const ReportGather some = thin_gather(gather, 130 * bytes_of_trace, 200.),
                       one = thin_gather(gather, 30 * bytes_of_trace, 200.);
    CHECK(some.every_line == 2);
    REQUIRE(some.lines.size() == 3);
    CHECK(some.numbers.size() == 120);
    CHECK(some.lines[some.shown].at == "y = 200 m");
    CHECK(some.lines[1].first == 40);
    REQUIRE(one.lines.size() == 1);
    CHECK(one.every_line == 5);
    CHECK(one.every_receiver == 2);
    REQUIRE(one.numbers.size() == 20);
    for (std::size_t i = 0; i < 20; ++i) {
        CHECK(one.numbers[i] == 80 + 2 * i);
        CHECK(one.positions_m[3 * i] == 20. * double(i));
        CHECK(one.peaks[i] == some.peaks[40 + 2 * i]);
    }
    // Traces that come in pieces, as `onda report` reads them, are the same.
    ReportGather pieces = begin_gather(gather, 30 * bytes_of_trace, 200.);
    for (std::size_t first = 0; first < 200; first += 27)
        add_traces(pieces, first,
                   std::span(gather.pressure).subspan(100 * first, 100 * std::min<std::size_t>(27, 200 - first)), 100);
    CHECK(pieces.traces == one.traces);
    CHECK(pieces.peaks == one.peaks);
}

TEST_CASE("the page is told which lines are aliased, have room for wiggles, and follow the source") {
    const auto lines_with = [](double velocity_m_s) {
        ReportShot shot{1, {}, {}, thin_gather(lines_of_receivers(velocity_m_s), 1'000'000, 25.), {}};
        shot.gather.by_offset = true;
        return shot_of(page_of(report_of("lines"), {shot}, choose_for_report(1, 200, 100))).at("gather");
    };
    const Json fast = lines_with(2000.), slow = lines_with(300.);
    CHECK(fast.at("shown") == 2);
    CHECK(fast.at("by_offset") == true);
    CHECK(fast.at("lines").at(2).at("at") == "y = 200 m");
    CHECK(fast.at("lines").at(2).at("wiggles") == true);
    CHECK(fast.at("lines").at(2).at("columns") == false);
    CHECK(slow.at("lines").at(2).at("columns") == true);
}

TEST_CASE("no text of a configuration or a summary ends an element or begins one") {
    const std::string hostile = "</script><script>alert(1)</script><!-- <b>&amp; \xff \"'";
    Report report = report_of(hostile.substr(0, hostile.find('\xff')));
    report.config_yaml += "# " + hostile;
    report.notes = {hostile};
    ReportShot shot{1, {}, {}, {}, {{hostile, 0.001, 20., {0.f, 1.f}}}};
    const std::string page = page_of(report, {shot}, choose_for_report(1, 0, 0));
    const Json facts = facts_of(page);
    CHECK(facts.at("summary").at("title").get<std::string>().starts_with("</script><script>alert(1)"));
    CHECK(facts.at("notes").at(0).get<std::string>().starts_with("</script>"));
    CHECK(page.find("<script>alert") == std::string::npos);
    CHECK(page.find("<!-- <b>") == std::string::npos);
    const std::size_t title = page.find("<title>") + 7;
    CHECK(page.substr(title, 9) == "&lt;/scri");
    // As many ends as beginnings: the data are elements of their own.
    const auto count = [&page](std::string_view what) {
        std::size_t found = 0;
        for (std::size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) ++found;
        return found;
    };
    CHECK(count("<script") == count("</script>"));
}

TEST_CASE("no text in JSON, name of a member or value, however deep, makes lines of its own") {
    Json value{{"a\nb", {{"\x1b[2J", Json::array({"c\rd", 7})}}}, {"plain", true}};
    make_texts_printable(value, [](const std::string& text) { return printable_whole(text); });
    CHECK(value == Json{{"a\\nb", {{"\\x1b[2J", Json::array({"c\\rd", 7})}}}, {"plain", true}});
    nlohmann::ordered_json ordered{{"z\t", 1}, {"a", 2}};
    make_texts_printable(ordered, [](const std::string& text) { return printable_whole(text); });
    CHECK(ordered.dump() == R"({"z\\t":1,"a":2})");
}

TEST_CASE("the page refers to nothing outside of itself and begins with a policy that forbids it") {
    std::string page = page_of(report_of("alone"), {}, choose_for_report(1, 0, 0));
    CHECK(page.starts_with("<!DOCTYPE html>"));
    CHECK(page.find("Content-Security-Policy\" content=\"default-src 'none'") != std::string::npos);
    CHECK(page.find("Permission is hereby granted, free of charge") != std::string::npos);
    CHECK(page.find("sourceMappingURL") == std::string::npos);
    // The library could load tables by their addresses; what it does here, the test in a browser watches.
    const std::string_view library = page_file("dygraph.js");
    const std::size_t at = page.find(library);
    REQUIRE(at != std::string::npos);
    page.erase(at, library.size());
    for (const std::string reference : {"src=\"", "<link", "@import", "url(", "fetch(", "XMLHttpRequest", "{{"}) {
        CAPTURE(reference);
        CHECK(page.find(reference) == std::string::npos);
    }
}

TEST_CASE("the largest survey of what nothing shortens stays below the limit, and is thinned alike") {
    constexpr std::size_t shots = 200, receivers = 3000;
    constexpr std::int64_t samples = 4000;
    const ReportChoice choice = choose_for_report(shots, receivers, samples);
    REQUIRE(choice.shots.size() == 3);
    CHECK(choice.shots == std::vector<std::size_t>{0, 99, 199});
    CHECK(choice.movies == choice.shots);
    std::mt19937 random(3);
    std::normal_distribution<float> normal(0.f, 1.f);
    std::vector<float> frame(120'000);
    for (float& p : frame) p = normal(random);
    std::vector<std::uint16_t> noise(400'000);
    for (std::uint16_t& value : noise) value = static_cast<std::uint16_t>(random());
    Report report = report_of("large");
    report.config_yaml = std::string(3'000'000, 'x');
    report.planes.push_back(plane_of(1000, 400));
    for (const char* name : {"vp", "rho"})
        report.planes.back().parameters.push_back({name, name, "m/s", {0., 1.}, noise});
    std::vector<ReportShot> shown;
    for (const std::size_t index : choice.shots) {
        ReportShot shot{std::int64_t(index),
                        {},
                        {},
                        thin_gather(gather_of(receivers, samples, true), choice.gather_bytes, 25.),
                        {}};
        CHECK(shot.gather.every_sample > 1);
        CHECK(shot.gather.every_receiver > 1);
        CHECK(double(shot.gather.every_sample) * 0.001 * 25. <= 0.4);
        ReportMovie& movie = shot.movies.emplace_back(ReportMovie{plane_of(400, 300), {}, {}, {}});
        for (const char* name : {"vp", "rho"})
            movie.plane.parameters.push_back(
                {name, name, "m/s", {0., 1.}, std::vector(noise.begin(), noise.begin() + 120'000)});
        for (int i = 1; i <= 33; ++i) movie.add(0.1 * i, frame);
        shown.push_back(std::move(shot));
    }
    const std::string page = page_of(report, shown, choice);
    MESSAGE("bytes of the page: ", page.size());
    CHECK(page.size() <= 15'000'000);
    CHECK(page.size() > 11'000'000);
    const Json times = shot_of(page).at("movies").at(0).at("times_s");
    CHECK(times.size() < 33);
    CHECK(times.back() == 0.1 * 33);  // the last frame stays
    CHECK(facts_of(page)
              .at("config_yaml")
              .get<std::string>()
              .ends_with("the rest of the configuration is left out here\n"));
}

TEST_CASE("the same values give the same bytes") {
    const auto make = [] {
        ReportShot shot{4, {{1., 2., 3.}}, {}, thin_gather(gather_of(20, 300, true, 4), 1'000'000, 30.), {}};
        ReportMovie& movie = shot.movies.emplace_back(ReportMovie{plane_of(10, 10), {}, {}, {}});
        movie.add(0.1, std::vector<float>(100, 0.5f));
        return page_of(report_of("same"), {shot}, choose_for_report(1, 20, 300));
    };
    CHECK(make() == make());
}

TEST_CASE("a list is thinned evenly") {
    CHECK(thinned(10, 10).step == 1);
    CHECK(thinned(11, 10).count == 6);
    CHECK(thinned(0, 10).count == 0);
    CHECK(spread_over(5, 9) == std::vector<std::size_t>{0, 1, 2, 3, 4});
    CHECK(spread_over(101, 3) == std::vector<std::size_t>{0, 50, 100});
    CHECK(spread_over(7, 1) == std::vector<std::size_t>{0});
}
