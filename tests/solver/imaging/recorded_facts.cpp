// What recorded traces are: shots, fold, offsets, amplitudes and spectra of lines whose numbers are known, in any
// direction, in one file or several; their faults by trace. Whatever bytes a file has, it has facts or is refused.
// Takes 3 s.
#include "solver/data/recorded_facts.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <numbers>
#include <random>

#include "io/results/trace_file.hpp"
#include "tests/io/files_support.hpp"

using namespace onda;
using std::numbers::pi;

namespace {

constexpr std::int64_t kLineSamples = 401;
constexpr double kLineInterval_s = 0.002;
constexpr int kLineShots = 10, kLineReceivers = 12;
constexpr std::size_t kSegyHeads = 3600, kTraceBytes = 240 + 4 * kLineSamples;

/// Shot s of a roll-along line: sources 20 m apart, receivers 10 m apart behind each, in a direction.
ShotGather roll_along(int shot, double angle = 0.) {
    const auto at = [&](double along, double z) {
        return std::array{5000. + along * std::cos(angle), 7000. + along * std::sin(angle), z};
    };
    ShotGather gather{shot, {at(20. * shot, 6.)}, {}, kLineInterval_s, kLineSamples, {}};
    for (int r = 0; r < kLineReceivers; ++r) {
        gather.receivers_m.push_back(at(20. * shot - 100. - 10. * r, 8.));
        for (std::int64_t i = 0; i < kLineSamples; ++i) {
            const double t = double(i) * kLineInterval_s - 0.4;
            gather.pressure.push_back(float((r + 1) * std::exp(-200. * t * t) * std::cos(2. * pi * 30. * t)));
        }
    }
    return gather;
}

std::filesystem::path written_line(const TemporaryFolder& folder, const std::string& name, int first, int last,
                                   double angle = 0., TraceFormat format = TraceFormat::segy_ieee) {
    const auto file = folder.path() / name;
    TraceFileWriter writer(
        file, {format, "Onda", "", 3, kLineInterval_s, kLineSamples, kLineReceivers, coordinate_parts(10'000.)}, true);
    for (int shot = first; shot <= last; ++shot) writer.write(roll_along(shot, angle));
    writer.finish().commit();
    return file;
}

void put_bytes(const std::filesystem::path& file, const std::vector<char>& bytes) {
    std::ofstream(file, std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

/// A big-endian number. \param first its first byte, from 1, as tables of SEG-Y count.
void set_number(std::vector<char>& bytes, std::size_t first, std::size_t width, std::int64_t value) {
    for (std::size_t byte = 0; byte < width; ++byte)
        bytes[first - 1 + byte] = static_cast<char>(value >> (8 * (width - 1 - byte)));
}

std::size_t begin_of(std::size_t trace) {
    return kSegyHeads + trace * kTraceBytes;
}

void set_sample(std::vector<char>& bytes, std::size_t trace, std::size_t sample, std::uint32_t word) {
    set_number(bytes, begin_of(trace) + 241 + 4 * sample, 4, word);
}

}  // namespace

TEST_CASE("a line has the shots, offsets, fold, amplitudes and spectrum that it was made with, in any direction") {
    const TemporaryFolder folder;
    for (const double angle : {0., 0.5 * pi, 0.7, -2.}) {
        CAPTURE(angle);
        const RecordedData data({written_line(folder, "line.sgy", 1, kLineShots, angle)});
        const RecordedFacts facts = facts_of(data);
        REQUIRE(facts.shots.size() == kLineShots);
        for (int i = 0; i < kLineShots; ++i) {
            CHECK(facts.shots[i].number == i + 1);
            CHECK(facts.shots[i].traces.size() == kLineReceivers);
        }
        // Receivers of neighbouring shots lie at the same places but for two.
        CHECK(facts.receivers == kLineReceivers + 2 * (kLineShots - 1));
        CHECK(facts.offsets_m[0] == doctest::Approx(100.).epsilon(1e-4));
        CHECK(facts.offsets_m[2] == doctest::Approx(210.).epsilon(1e-4));
        CHECK(facts.sources_m.low[2] == doctest::Approx(6.));
        CHECK(facts.receivers_m.high[2] == doctest::Approx(8.));
        // Midpoints are 5 m apart within a shot, and 20 m from shot to shot: 12 * 5 / 20 = 3.
        CHECK(facts.fold.is_line);
        CHECK(facts.fold.bin_m == doctest::Approx(5.).epsilon(1e-4));
        CHECK(facts.fold.columns == kLineReceivers + 4 * (kLineShots - 1));
        CHECK(facts.fold.traces[facts.fold.fullest()] == 3.f);
        double all = 0.;
        for (const float traces : facts.fold.traces) all += traces;
        CHECK(all == kLineShots * kLineReceivers);
        // The rms of exp(-200 t²) cos(2 pi 30 t): the integral of its square is sqrt(pi / 400) / 2.
        const double rms = std::sqrt(0.5 * std::sqrt(pi / 400.) / (double(kLineSamples) * kLineInterval_s));
        CHECK(facts.rms[0] == doctest::Approx(rms).epsilon(1e-4));
        CHECK(facts.rms[2] == doctest::Approx(kLineReceivers * rms).epsilon(1e-4));
        CHECK(facts.live == kLineShots * kLineReceivers);
        // The spectrum is exp(-(pi (f - 30))² / 200): 20 dB down at 30 ± sqrt(200 log 10) / pi.
        const double half = std::sqrt(200. * std::log(10.)) / pi, step = facts.spectrum.step_hz;
        CHECK(std::abs(facts.peak_hz - 30.) <= step);
        CHECK(std::abs(facts.band_hz[0] - (30. - half)) <= step);
        CHECK(std::abs(facts.band_hz[1] - (30. + half)) <= step);
        CHECK((facts.dead.empty() && facts.zero.empty() && facts.not_finite.empty() && facts.duplicates.empty()));
    }
}

TEST_CASE("several files are one line, and a seismograms.h5 is as good") {
    const TemporaryFolder folder;
    const RecordedFacts whole = facts_of(RecordedData({written_line(folder, "line.sgy", 1, kLineShots)}));
    const RecordedData parts(
        {written_line(folder, "a.sgy", 1, 4), written_line(folder, "b.su", 5, kLineShots, 0., TraceFormat::su)});
    const RecordedFacts of_parts = facts_of(parts);
    CHECK(of_parts.shots.size() == kLineShots);
    CHECK(of_parts.receivers == whole.receivers);
    CHECK(of_parts.fold.traces == whole.fold.traces);
    CHECK(of_parts.rms == whole.rms);
    CHECK(of_parts.peak_hz == whole.peak_hz);
    CHECK(parts.name(4 * kLineReceivers) == "trace 1 of b.su");
    CHECK(parts.files()[1].format == "SU, little endian");
    SeismogramWriter writer(folder.path() / "s.h5", {}, false);
    for (int shot = 1; shot <= kLineShots; ++shot) writer.write(roll_along(shot));
    writer.commit();
    const RecordedData own({folder.path() / "s.h5"});
    const RecordedFacts of_own = facts_of(own);
    CHECK(of_own.fold.traces == whole.fold.traces);
    CHECK(of_own.rms == whole.rms);
    CHECK(own.name(kLineReceivers) == "shot 2, receiver 1");
    CHECK(own.read(kLineReceivers - 1, 2) == parts.read(kLineReceivers - 1, 2));
    CHECK(gather_of(own, of_own.shots[6]).pressure == roll_along(7).pressure);
}

TEST_CASE("files of different sample intervals are refused together") {
    const TemporaryFolder folder;
    const auto line = written_line(folder, "line.sgy", 1, 2);
    std::vector<char> bytes = bytes_of(written_line(folder, "other.sgy", 3, 3));
    set_number(bytes, 3217, 2, 4000);
    for (std::size_t i = 0; i < kLineReceivers; ++i) set_number(bytes, begin_of(i) + 117, 2, 4000);
    put_bytes(folder.path() / "other.sgy", bytes);
    const std::string message = message_of(
        [&] {
            static_cast<void>(RecordedData({line, folder.path() / "other.sgy"}));
        },
        ExitCode::bad_data);
    CHECK(message.find("other.sgy: has a sample every 0.004 s") != std::string::npos);
}

TEST_CASE("dead, zero, duplicate and not finite traces are told, and are in no amplitude") {
    const TemporaryFolder folder;
    const auto file = written_line(folder, "line.sgy", 1, 3);
    std::vector<char> bytes = bytes_of(file);
    set_number(bytes, begin_of(4) + 29, 2, 2);
    for (std::size_t i = 0; i < kLineSamples; ++i) set_sample(bytes, 4, i, 0x7fc00000);  // NaN in a dead trace
    for (std::size_t i = 0; i < kLineSamples; ++i) set_sample(bytes, 7, i, 0);
    set_sample(bytes, 20, 100, 0x7fc00000);
    set_sample(bytes, 21, 400, 0xff800000);  // -infinity
    // Trace 30 once more at the end.
    const auto trace = bytes.begin() + std::ptrdiff_t(kSegyHeads + 30 * kTraceBytes);
    const std::vector<char> copy(trace, trace + std::ptrdiff_t(kTraceBytes));
    bytes.insert(bytes.end(), copy.begin(), copy.end());
    put_bytes(file, bytes);
    const RecordedFacts facts = facts_of(RecordedData({file}));
    using List = std::vector<std::size_t>;
    CHECK(facts.dead == List{4});
    CHECK(facts.zero == List{7});
    CHECK(facts.not_finite == List{20, 21});
    CHECK(facts.duplicates == std::vector<std::pair<std::size_t, std::size_t>>{{36, 30}});
    CHECK(facts.live == 37 - 4);
    CHECK(std::isfinite(facts.rms[2]));
    CHECK(std::abs(facts.peak_hz - 30.) <= facts.spectrum.step_hz);
    const RecordedData data({file});
    const ShotGather gather = gather_of(data, facts.shots[1]);
    CHECK(std::ranges::all_of(gather.pressure, [](float x) { return std::isfinite(x); }));
}

TEST_CASE("a spread of receivers has a map, and one wrong coordinate does not fill the memory") {
    const TemporaryFolder folder;
    const auto file = folder.path() / "map.sgy";
    ShotGather gather{1, {{0., 0., 5.}}, {}, kLineInterval_s, kLineSamples, {}};
    for (int y = 0; y < 6; ++y)
        for (int x = 0; x < 9; ++x) gather.receivers_m.push_back({20. * x, 20. * y, 0.});
    gather.pressure.assign(54 * kLineSamples, 1.f);
    TraceFileWriter writer(
        file, {TraceFormat::segy_ieee, "Onda", "", 3, kLineInterval_s, kLineSamples, 54, coordinate_parts(10'000.)},
        true);
    writer.write(gather);
    writer.finish().commit();
    const RecordedFacts facts = facts_of(RecordedData({file}));
    CHECK_FALSE(facts.fold.is_line);
    CHECK(facts.fold.columns == 9);
    CHECK(facts.fold.rows == 6);
    CHECK(facts.fold.traces == std::vector<float>(54, 1.f));
    CHECK(facts.fold.place_m(53)[0] == doctest::Approx(80.));
    CHECK(facts.fold.place_m(53)[1] == doctest::Approx(50.));
    std::vector<char> bytes = bytes_of(file);
    set_number(bytes, begin_of(50) + 81, 4, 2'000'000'000);
    set_number(bytes, begin_of(50) + 71, 2, 10'000);
    set_number(bytes, begin_of(51) + 85, 4, -2'000'000'000);
    put_bytes(file, bytes);
    const RecordedFacts wide = facts_of(RecordedData({file}));
    CHECK(wide.fold.traces.size() <= 4'000'000);
    CHECK(wide.fold.bin_m > 10.);
}

TEST_CASE("whatever bytes a file has, it has facts or is refused") {
    const TemporaryFolder folder;
    std::mt19937 draw(1);
    int refusals = 0, facts = 0;
    for (const TraceFormat format : {TraceFormat::segy_ibm, TraceFormat::su}) {
        const std::string name = format == TraceFormat::su ? "m.su" : "m.sgy";
        const std::vector<char> whole = bytes_of(written_line(folder, name, 1, 2, 0.3, format));
        for (int i = 0; i < 150; ++i) {
            std::vector<char> bytes = whole;
            for (int change = 0; change < 12; ++change) {
                // Most of them in headers, whose bytes are few.
                const std::size_t trace = draw() % (2 * kLineReceivers);
                const std::size_t heads = format == TraceFormat::su ? 0 : kSegyHeads;
                const std::size_t at = change < 9 ? heads + trace * kTraceBytes + draw() % 240 : draw() % bytes.size();
                bytes[at] = static_cast<char>(draw());
            }
            put_bytes(folder.path() / name, bytes);
            try {
                const RecordedData data({folder.path() / name});
                const RecordedFacts of_it = facts_of(data);
                CHECK(of_it.shots.size() >= 1);
                for (const RecordedShot& shot : of_it.shots) CHECK(!gather_of(data, shot).receivers_m.empty());
                ++facts;
            } catch (const Error& error) {
                CHECK((error.code() == ExitCode::bad_data || error.code() == ExitCode::io_error));
                ++refusals;
            }
        }
    }
    CHECK(refusals > 20);
    CHECK(facts > 20);
}

TEST_CASE("a fold in wider bins has as many traces, where they are") {
    Fold area;
    area.bin_m = 5.;
    area.is_line = false;
    area.origin_m = {10., 20., 0.};
    area.columns = 7;
    area.rows = 3;
    for (int i = 1; i <= 21; ++i) area.traces.push_back(static_cast<float>(i));
    const Fold wider = in_wider_bins(area, 8);
    CHECK(wider.columns == 4);
    CHECK(wider.rows == 2);
    CHECK(wider.bin_m == 10.);
    CHECK(wider.traces ==
          std::vector<float>{1 + 2 + 8 + 9, 3 + 4 + 10 + 11, 5 + 6 + 12 + 13, 7 + 14, 15 + 16, 17 + 18, 19 + 20, 21});
    CHECK(wider.place_m(0) == std::array<double, 2>{12.5, 22.5});
    CHECK(in_wider_bins(area, 21).traces == area.traces);

    Fold line;
    line.bin_m = 5.;
    line.origin_m = area.origin_m;
    line.along = {0., 1.};
    line.columns = 5;
    line.traces = {1, 2, 3, 4, 5};
    const Fold of_line = in_wider_bins(line, 2);
    CHECK(of_line.traces == std::vector<float>{10, 5});
    CHECK(of_line.place_m(0) == std::array<double, 2>{10., 27.5});
}
