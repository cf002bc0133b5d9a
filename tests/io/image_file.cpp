// gradient.h5 returns the images and misfits that were written, at the right place, whoever reads them: the program
// itself, plots, which distrust the file, and h5py by its plain layout. It is complete or absent, a damaged one is
// refused, and its size is predicted.
// Takes 2 s.
#include "io/results/image_file.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <limits>
#include <omp.h>

#include "io/hdf5/hdf5.hpp"
#include "io/results/result_reader.hpp"
#include "io/text/error.hpp"
#include "tests/io/file_size_limit.hpp"
#include "tests/io/files_support.hpp"
#include "tests/io/result_file_checks.hpp"

using namespace onda;

namespace {

using Path = std::filesystem::path;

const ImageNodes kNodes{{3, {5, 4, 3}, {2., 3., 5.}, {100., 200., 300.}}, {7, 0, 2}};

std::vector<float> image_values(const FileGeometry& geometry, double scale) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < geometry.shape[0] * geometry.shape[1] * geometry.shape[2]; ++i)
        values.push_back(float(scale * std::sin(double(i))));
    return values;
}

ShotMisfit misfit_values(std::int64_t shot, std::size_t traces, std::size_t samples) {
    ShotMisfit misfit{.shot = shot, .dead = 1, .excluded = 2, .dt_s = 0.002};
    for (std::size_t i = 0; i < traces; ++i) {
        misfit.of_trace.push_back(double(shot) / (3. + double(i)));
        misfit.value += misfit.of_trace.back();
    }
    for (std::size_t i = 0; i < traces * samples; ++i) misfit.adjoint_source.push_back(float(std::cos(double(i))));
    return misfit;
}

bool equal(const ShotMisfit& a, const ShotMisfit& b) {
    return a.shot == b.shot && a.value == b.value && a.of_trace == b.of_trace && a.dead == b.dead &&
           a.excluded == b.excluded && a.adjoint_source == b.adjoint_source &&
           (a.adjoint_source.empty() || a.dt_s == b.dt_s);
}

/// Every image, and shots 1, 2, … of 6 traces.
void write_images(const Path& file, const ImageNodes& nodes, std::int64_t shots, std::size_t samples = 0) {
    ImageWriter writer(file, nodes, sample_provenance(), false);
    for (std::size_t i = 0; i < kStoredImageKinds.size(); ++i)
        writer.write(*kStoredImageKinds[i], 0, image_values(nodes.geometry, double(i + 1)));
    for (std::int64_t shot = 1; shot <= shots; ++shot) writer.write(misfit_values(shot, 6, samples));
    writer.commit();
}

/// What h5py finds in the file of two shots that has kNodes.
void check_layout(const Path& file) {
    const auto root = hdf5::File::open(file);
    CHECK(root.text("format") == "onda-gradient");
    CHECK(root.text("git_commit") == "abc");
    CHECK(root.open_dataset("y_m").read_all<double>() == std::vector<double>{200., 203., 206., 209.});
    const auto vp = root.open_dataset("gradient/vp");
    CHECK(vp.extents() == hdf5::Extents{3, 4, 5});
    CHECK(vp.texts("axis_labels") == std::vector<std::string>{"z", "y", "x"});
    CHECK(vp.numbers("spacing") == std::vector<double>{5., 3., 2.});
    CHECK(vp.numbers("origin") == std::vector<double>{300., 200., 100.});
    CHECK(vp.numbers("first_node") == std::vector<double>{2., 0., 7.});
    CHECK(vp.text("units") == "misfit/(m/s)");
    CHECK(root.open_dataset("misfit/shot").read_all<std::int64_t>() == std::vector<std::int64_t>{1, 2});
    CHECK(root.open_dataset("misfit/traces").read_all<std::int64_t>() == std::vector<std::int64_t>{6, 6});
    CHECK(root.open_dataset("shots/2/adjoint_source").extents() == hdf5::Extents{6, 4});
}

}  // namespace

TEST_CASE("images and misfits come back bit for bit, as the layout says and through both readers") {
    const TemporaryFolder folder;
    const Path file = folder.path() / "gradient.h5";
    write_images(file, kNodes, 2, 4);

    check_layout(file);
    const ImageContents contents = image_contents(file);
    CHECK(contents.kinds == std::vector<const StoredImageKind*>(kStoredImageKinds.begin(), kStoredImageKinds.end()));
    CHECK(contents.nodes.first == kNodes.first);
    CHECK(contents.nodes.geometry.shape == kNodes.geometry.shape);
    CHECK(contents.nodes.geometry.origin_m == kNodes.geometry.origin_m);
    const ImageReader reader(file);
    CHECK(reader.shots() == std::vector<std::int64_t>{1, 2});
    CHECK(reader.nodes().first == kNodes.first);
    CHECK(reader.nodes().geometry.spacing_m == kNodes.geometry.spacing_m);
    for (std::size_t i = 0; i < kStoredImageKinds.size(); ++i) {
        const auto values = image_values(kNodes.geometry, double(i + 1));
        CHECK(read_image(file, *kStoredImageKinds[i], {}, kNodes.geometry.shape) == values);
        CHECK(reader.has(*kStoredImageKinds[i]));
        CHECK(reader.read(*kStoredImageKinds[i], {}, kNodes.geometry.shape) == values);
        const std::vector<float> box{values[20 + 5 + 3], values[20 + 5 + 4], values[20 + 10 + 3], values[20 + 10 + 4]};
        CHECK(read_image(file, *kStoredImageKinds[i], {3, 1, 1}, {2, 2, 1}) == box);
        CHECK(reader.read(*kStoredImageKinds[i], {3, 1, 1}, {2, 2, 1}) == box);
    }
    for (const std::int64_t shot : {1, 2}) CHECK(equal(read_misfit(file, shot), misfit_values(shot, 6, 4)));
    CHECK(kind_of_file(file) == FileKind::gradient);
}

TEST_CASE("a shot may lie in another file, whose misfits the table has") {
    const TemporaryFolder folder;
    write_images(folder.path() / "00001.gradient.h5", kNodes, 1);
    const Path file = folder.path() / "gradient.h5";
    ImageWriter writer(file, kNodes, sample_provenance(), false);
    writer.write(kVpGradient, 0, image_values(kNodes.geometry, 1.));
    writer.link({.shot = 1, .value = misfit_values(1, 6, 0).value, .traces = 6}, "00001.gradient.h5");
    writer.commit();
    CHECK(hdf5::File::open(file).open_dataset("misfit/value").read_all<double>() ==
          std::vector<double>{misfit_values(1, 6, 0).value});
    const ImageReader reader(file);
    CHECK(reader.has(1));
    CHECK_FALSE(reader.has(kSourceIllumination));
    CHECK(message_of([&] { read_misfit(file, 1); }, ExitCode::bad_data).find("shots/1") != std::string::npos);
}

TEST_CASE("planes come in their order, and all of them") {
    const TemporaryFolder folder;
    ImageWriter writer(folder.path() / "gradient.h5", kNodes, {}, false);
    const auto values = image_values(kNodes.geometry, 1.);
    const auto planes = [&](std::size_t first, std::size_t count) {
        return std::span(values).subspan(first * 20, count * 20);
    };
    writer.write(kVpGradient, 0, planes(0, 2));
    CHECK_THROWS_WITH_AS(writer.write(kVpGradient, 0, planes(0, 1)), doctest::Contains("no planes from z = 0"), Error);
    CHECK_THROWS_WITH_AS(writer.write(kVpGradient, 2, std::span(values).first(19)), doctest::Contains("no planes"),
                         Error);
    CHECK_THROWS_WITH_AS(writer.commit(), doctest::Contains("2 of 3 planes"), Error);
}

TEST_CASE("planes at a time give the bytes of the whole") {
    const TemporaryFolder folder;
    const auto values = image_values(kNodes.geometry, 1.);
    const Path file = folder.path() / "gradient.h5";
    ImageWriter writer(file, kNodes, {}, false);
    for (std::size_t plane = 0; plane < 3; ++plane)
        writer.write(kVpGradient, std::int64_t(plane), std::span(values).subspan(plane * 20, 20));
    writer.write(misfit_values(1, 2, 0));
    writer.commit();
    CHECK(read_image(file, kVpGradient, {}, kNodes.geometry.shape) == values);
}

TEST_CASE("what is not finite, or does not fit together, is refused") {
    const TemporaryFolder folder;
    ImageWriter writer(folder.path() / "gradient.h5", kNodes, {}, false);
    auto values = image_values(kNodes.geometry, 1.);
    values[28] = std::numeric_limits<float>::quiet_NaN();
    const std::string place = message_of([&] { writer.write(kVpGradient, 0, values); }, ExitCode::unstable);
    CHECK(contains(place, "/gradient/vp, (106, 203, 305) m: is nan"));
    ShotMisfit misfit = misfit_values(3, 6, 4);
    misfit.of_trace[4] = std::numeric_limits<double>::infinity();
    CHECK(contains(message_of([&] { writer.write(misfit); }, ExitCode::unstable),
                   "misfit of shot 3, receiver 5: is inf"));
    misfit = misfit_values(3, 6, 4);
    misfit.adjoint_source[9] = std::numeric_limits<float>::quiet_NaN();
    CHECK(contains(message_of([&] { writer.write(misfit); }, ExitCode::unstable),
                   "adjoint source of shot 3, receiver 3, sample 1: is nan"));
    misfit = misfit_values(3, 6, 4);
    misfit.adjoint_source.pop_back();
    CHECK_THROWS_WITH_AS(writer.write(misfit), doctest::Contains("do not fit together"), Error);
    writer.write(misfit_values(3, 6, 4));
    CHECK_THROWS_WITH_AS(writer.write(misfit_values(3, 6, 4)), doctest::Contains("shot 3 written twice"), Error);
}

TEST_CASE("a writer that is not committed, or that cannot write, leaves nothing") {
    const TemporaryFolder folder;
    const Path file = folder.path() / "gradient.h5";
    {
        ImageWriter writer(file, kNodes, {}, false);
        writer.write(kVpGradient, 0, image_values(kNodes.geometry, 1.));
    }
    CHECK(empty_folder(folder.path()));
    const ImageNodes cube{{3, {64, 64, 64}, {1., 1., 1.}, {}}, {}};
    omp_get_max_threads();  // LLVM's OpenMP begins with a file in shared memory
    for (const rlim_t limit : {100u, 5000u, 500'000u, 1'500'000u, 3'140'000u}) {
        const FileSizeLimit full(limit);
        CHECK(fault_of([&] { write_images(file, cube, 2); }).code() == ExitCode::io_error);
        CHECK(empty_folder(folder.path()));
    }
}

TEST_CASE("damaged files are refused, and so are those of another format") {
    const TemporaryFolder folder;
    const Path file = folder.path() / "gradient.h5";
    const ImageNodes cube{{3, {32, 32, 32}, {1., 1., 1.}, {}}, {}};
    write_images(file, cube, 2);
    const auto bytes = std::filesystem::file_size(file);
    // Within the values of the first image, which a checksum covers.
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    std::string text(bytes, '\0');
    stream.read(text.data(), std::streamsize(bytes));
    const auto values = image_values(cube.geometry, 1.);  // of the first kind
    const std::string some(reinterpret_cast<const char*>(&values[100]), 64);
    const auto at = text.find(some);
    REQUIRE(at != std::string::npos);
    stream.seekp(std::streamoff(at));
    stream.put(char(~text[at]));
    stream.close();
    CHECK(contains(message_of([&] { read_image(file, kVelocityChange, {}, cube.geometry.shape); }, ExitCode::bad_data),
                   "image/vp"));
    const auto guarded = [&] { static_cast<void>(ImageReader(file).read(kVelocityChange, {}, cube.geometry.shape)); };
    CHECK(fault_of(guarded).code() == ExitCode::bad_data);
    CHECK(read_image(file, kRhoGradient, {}, cube.geometry.shape) == image_values(cube.geometry, 4.));
    std::filesystem::resize_file(file, bytes / 2);
    CHECK(fault_of([&] { image_contents(file); }).code() == ExitCode::bad_data);

    SeismogramWriter other(folder.path() / "seismograms.h5", sample_provenance(), false);
    other.write(sample_gather(1, 3, 5));
    other.commit();
    CHECK(contains(message_of([&] { image_contents(folder.path() / "seismograms.h5"); }, ExitCode::bad_data),
                   "expected onda-gradient"));
}

TEST_CASE("the size is predicted within 2 %, or 1 kB and 200 bytes a shot of small files") {
    struct Case {
        FileGeometry geometry;
        std::int64_t shots;
        std::size_t samples;
    };
    for (const Case& c :
         {Case{{3, {64, 48, 40}, {1., 1., 1.}, {}}, 2, 0}, Case{{2, {601, 1, 251}, {1., 1., 1.}, {}}, 1, 0},
          Case{{2, {101, 1, 101}, {1., 1., 1.}, {}}, 40, 0}, Case{{2, {101, 1, 101}, {1., 1., 1.}, {}}, 8, 500},
          Case{{3, {301, 101, 150}, {1., 1., 1.}, {}}, 1, 100}}) {
        const TemporaryFolder folder;
        write_images(folder.path() / "gradient.h5", {c.geometry, {}}, c.shots, c.samples);
        const auto actual = double(std::filesystem::file_size(folder.path() / "gradient.h5"));
        const auto predicted = double(predicted_image_bytes(c.geometry, std::ssize(kStoredImageKinds), {{6, c.shots}},
                                                            std::int64_t(c.samples), sample_provenance().bytes()));
        CAPTURE(c.geometry.shape[0]);
        CAPTURE(c.shots);
        CAPTURE(actual - predicted);
        CHECK(std::abs(predicted - actual) <= std::max(0.02 * actual, 1000. + 200. * double(c.shots)));
    }
}
