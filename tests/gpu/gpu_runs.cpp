// A run on the GPU gives the bits of the CPU, within the memory that was predicted, and refuses what it cannot do
// before it begins. Skipped where no GPU can compute.
#include <nlohmann/json.hpp>
#include <set>

#include "io/hdf5/hdf5.hpp"
#include "kernels/cuda/cuda.hpp"
#include "tests/gpu/gpu_support.hpp"
#include "tests/program/program.hpp"

using namespace onda;
using namespace onda::test;
using Json = nlohmann::json;

namespace {

/// Layers, sponges, rigid and free faces; two shots off the nodes, a line of receivers, a window of snapshots.
const std::string kRun2d = R"(schema_version: 1
grid: {shape: [181, 141], spacing_m: [10, 8], origin_m: [100, -16]}
model: {type: layered, layers: [{top_m: 0, vp_m_s: 1500}, {top_m: 400, vp_m_s: 2200}]}
time: {duration_s: 1.6}
boundary: {left: cpml, right: rigid, top: free_surface, bottom: sponge, cpml_width: 12, sponge_width: 8}
wavelet: {type: ricker, peak_frequency_hz: 10}
sources:
  - {position_m: [400, 24], shot: 1}
  - {position_m: [603, 331], shot: 2, amplitude: 2}
receivers:
  - {type: line, first_m: [203, 20], last_m: [1803, 20], count: 17}
output:
  pictures: false
  snapshots: {every_steps: 90, window_min_m: [200, 0], window_max_m: [1800, 900], decimation: [2, 3]}
)";

const std::string kRun3d = R"(schema_version: 1
grid: {shape: [61, 52, 45], spacing_m: [10, 12, 9]}
model: {type: gradient, vp_m_s: 1500, gradient_per_s: 1}
time: {duration_s: 1.5}
boundary: {left: sponge, right: zero, front: rigid, back: free_surface, top: free_surface, bottom: cpml, sponge_width: 8, cpml_width: 7}
wavelet: {type: ricker, peak_frequency_hz: 10}
sources:
  - {position_m: [200, 170, 150], shot: 1}
  - {position_m: [333, 421, 87], shot: 2}
receivers:
  - {type: line, first_m: [100, 170, 100], last_m: [505, 170, 100], count: 25}
output:
  pictures: false
  snapshots: {every_steps: 150}
)";

/// The kernels that were compiled for such a run, without those of the thesis and the twin.
std::set<std::string> kernels_of_scheme(int dimensions, const Scheme& scheme, Precision precision) {
    Setup setup;
    setup.grid = {dimensions, {64, dimensions == 3 ? 64 : 1, 64}, {10., 10., 10.}, {}};
    setup.scheme = scheme;
    setup.precision = precision;
    std::set<std::string> kernels;
    for (const cuda::Variant& variant : cuda::variants(setup))
        if (variant.kernel != "twin" && !variant.kernel.starts_with("thesis-")) kernels.insert(variant.kernel);
    return kernels;
}

/// Runs `text` with the program and these settings; the results are in folder/out.
struct ProgramRun {
    ProgramRun(const std::string& text, const std::vector<std::string>& settings) {
        write_text(folder.path() / "run.yaml", text);
        std::vector<std::string> arguments{"run", (folder.path() / "run.yaml").string(), "--output", out().string()};
        for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
        outcome = run_onda(arguments);
        if (outcome.code == 0) summary = Json::parse(text_of(out() / "summary.json"));
    }
    [[nodiscard]] std::filesystem::path out() const { return folder.path() / "out"; }
    [[nodiscard]] std::vector<float> pressure(const std::string& file, const std::string& shot) const {
        return hdf5::File::open(out() / file).open_group("shots/" + shot).open_dataset("pressure").read_all<float>();
    }

    TemporaryFolder folder;
    Outcome outcome;
    Json summary;
};

void check_equal(const ProgramRun& gpu, const ProgramRun& cpu) {
    CAPTURE(gpu.outcome.err);
    REQUIRE(gpu.outcome.code == 0);
    CHECK(gpu.summary["backend"]["name"] == "cuda");
    CHECK(gpu.summary["hashes"] == cpu.summary["hashes"]);
    CHECK(gpu.summary["largest_observed_pressure_pa"] == cpu.summary["largest_observed_pressure_pa"]);
    for (const std::string shot : {"1", "2"})
        for (const std::string file : {"seismograms.h5", "snapshots.h5"}) {
            CAPTURE(file);
            const std::vector<float> values = gpu.pressure(file, shot);
            CHECK(values == cpu.pressure(file, shot));
            CHECK(*std::ranges::max_element(values) > 0.f);
        }
}

/// \param settings of the run, which make `scheme`.
void compare(const std::string& text, int dimensions, const Scheme& scheme, std::vector<std::string> settings,
             Precision precision = Precision::float32) {
    settings.emplace_back(precision == Precision::float64 ? "scheme.precision=double" : "scheme.precision=float");
    const auto with = [&settings](std::vector<std::string> more) {
        more.insert(more.begin(), settings.begin(), settings.end());
        return more;
    };
    const ProgramRun cpu(text, with({"backend.name=cpu"}));
    CAPTURE(cpu.outcome.err);
    REQUIRE(cpu.outcome.code == 0);
    CHECK(cpu.summary["time"]["steps"].get<int>() >= 300);
    std::set<std::string> kernels = kernels_of_scheme(dimensions, scheme, precision);
    REQUIRE(!kernels.empty());
    kernels.insert("auto");
    for (const std::string& kernel : kernels) {
        CAPTURE(kernel);
        const ProgramRun gpu(text, with({"backend.name=cuda", "backend.kernel=" + kernel}));
        check_equal(gpu, cpu);
        if (kernel != "auto") CHECK(gpu.summary["backend"]["kernel"] == kernel);
        CHECK(contains(gpu.outcome.err, "backend   CUDA"));
    }
}

}  // namespace

TEST_CASE("2-D: every kernel gives the files of the CPU") {
    need_gpu();
    compare(kRun2d, 2, make_scheme(Equation::star, 8), {});
}

TEST_CASE("3-D: every kernel gives the files of the CPU") {
    need_gpu();
    compare(kRun3d, 3, make_scheme(Equation::star, 8), {});
}

TEST_CASE("the compact stencil: every kernel gives the files of the CPU") {
    need_gpu();
    const auto compact = make_scheme(Equation::compact, 2);
    compare(kRun2d, 2, compact, {"scheme.stencil=compact27", "grid.spacing_m=10", "time.duration_s=2.5"});
    compare(kRun3d, 3, compact, {"scheme.stencil=compact27", "grid.spacing_m=9", "time.duration_s=2.5"});
}

TEST_CASE("the 5-point star and optimised coefficients: every kernel gives the files of the CPU") {
    need_gpu();
    compare(kRun2d, 2, make_scheme(Equation::star, 2), {"scheme.space_order=2"});
    compare(kRun3d, 3, make_scheme(Equation::star, 8, Coefficients::optimised), {"scheme.coefficients=optimised"});
}

TEST_CASE("variable density, with particle motion: every kernel gives the files of the CPU") {
    need_gpu();
    const Scheme scheme = make_scheme(Equation::variable_density, 8);
    const std::string motion = "output.seismograms.particle_motion=[velocity_z, acceleration_x]";  // hashed, too
    compare(kRun2d, 2, scheme, {"model.rho=gardner", motion});
    compare(kRun3d, 3, scheme, {"model.rho=gardner", motion});
    compare(kRun3d, 3, scheme, {"model.rho=gardner"}, Precision::float64);
}

TEST_CASE("media that absorb and anisotropic ones: every kernel gives the files of the CPU") {
    need_gpu();
    const std::string of_layers = "model.layers=[{top_m: 0, vp_m_s: 1500, q: 40}, {top_m: 400, vp_m_s: 2200, q: 80}]";
    compare(kRun2d, 2, make_scheme(Equation::attenuation_of_two, 8), {of_layers});
    compare(kRun3d, 3, make_scheme(Equation::attenuation, 8), {"model.q=40"});
    compare(kRun3d, 3, make_scheme(Equation::attenuation_density, 8), {"model.q=40", "model.rho=gardner"});
    compare(kRun3d, 3, make_scheme(Equation::drag, 8), {"model.q=40", "attenuation.method=drag"});
    compare(kRun2d, 2, make_scheme(Equation::vti, 8), {"model.anisotropy=shales"});
    // Without free surfaces, where there is water.
    compare(kRun3d, 3, make_scheme(Equation::vti, 8),
            {"model.epsilon=0.2", "model.delta=0.1", "boundary.back=cpml", "boundary.top=sponge"});
}

TEST_CASE("double precision: every kernel gives the files of the CPU") {
    need_gpu();
    compare(kRun3d, 3, make_scheme(Equation::star, 8), {}, Precision::float64);
}

TEST_CASE("auto takes the GPU, unless only the CPU has what is asked for") {
    need_gpu();
    const ProgramRun gpu(kRun2d, {"time.duration_s=0.1"});
    CHECK(gpu.summary["backend"]["name"] == "cuda");
    CHECK(gpu.summary["backend"]["instruction_set"] == cuda::platform().gpus.front().architecture);
    const ProgramRun cpu(kRun2d, {"time.duration_s=0.1", "backend.kernel=vectorised"});
    CHECK(cpu.summary["backend"]["name"] == "cpu");
    CHECK(contains(cpu.outcome.err, "note      backend cuda is not taken"));
    CHECK(gpu.summary["hashes"] == cpu.summary["hashes"]);
}

TEST_CASE("kernels, tiles, copies and settings that the GPU does not have are refused with what there is") {
    need_gpu();
    const auto message = [](const std::string& setting, const std::string& value) {
        const ProgramRun run(kRun3d, {"backend.name=cuda", "backend." + setting + "=" + value});
        CAPTURE(run.outcome.err);
        CHECK(run.outcome.code == 78);
        CHECK(!std::filesystem::exists(run.out()));
        CHECK(contains(run.outcome.err, "backend." + setting + ": "));
        return run.outcome.err;
    };
    const std::string kernel = message("kernel", "vectorised");
    CHECK(contains(kernel, "inplane-full"));
    CHECK(contains(kernel, "it is a kernel of backend.name: cpu"));
    CHECK(contains(message("tile", "7x5"), "x"));
    message("copy", "floppy");
    CHECK(contains(message("isa", "generic"), "the cuda backend has no isa"));
}

TEST_CASE("slabs on one GPU and on all there are, and workers on all, give the bits of the CPU") {
    need_gpu();
    const std::vector<std::string> shape{"grid.shape=[61, 52, 141]", "time.duration_s=0.6"};
    const auto hashes = [&shape](std::vector<std::string> settings) {
        settings.insert(settings.end(), shape.begin(), shape.end());
        const ProgramRun run(kRun3d, settings);
        CAPTURE(run.outcome.err);
        REQUIRE(run.outcome.code == 0);
        return run.summary["hashes"];
    };
    const Json expected = hashes({"backend.name=cpu"});
    CHECK(hashes({"backend.name=cuda", "backend.devices=[0]", "backend.slabs=3"}) == expected);
    CHECK(hashes({"backend.name=cuda", "backend.devices=all"}) == expected);
    CHECK(hashes({"backend.name=cuda", "backend.devices=all", "backend.slabs=4"}) == expected);
    CHECK(hashes({"backend.name=cuda", "backend.devices=all", "backend.split=[60, 88]"}) == expected);
    for (const char* const twice : {"time.stepping=leap", "time.order=4"}) {
        CAPTURE(twice);
        CHECK(hashes({"backend.name=cuda", "backend.devices=[0]", "backend.slabs=3", twice}) ==
              hashes({"backend.name=cpu", twice}));
    }
}

TEST_CASE("a run too large for the GPU is refused with the grid that would fit, and nothing is created") {
    need_gpu();
    const ProgramRun run(kRun3d, {"backend.name=cuda", "grid.shape=[6000, 6000, 6000]", "model.gradient_per_s=0.1"});
    CAPTURE(run.outcome.err);
    CHECK(run.outcome.code == 71);
    CHECK(contains(run.outcome.err, "of GPU memory and"));
    CHECK(contains(run.outcome.err, " nodes would fit (this grid has 6000 x 6000 x 6000)"));
    CHECK(!std::filesystem::exists(run.out()));
}

TEST_CASE("the GPU memory of a run is what onda check said") {
    need_gpu();
    const std::vector<std::string> settings{"backend.name=cuda", "grid={shape: [401, 330, 310], spacing_m: 10}",
                                            "time.duration_s=0.05"};
    const ProgramRun run(kRun3d, settings);
    CAPTURE(run.outcome.err);
    REQUIRE(run.outcome.code == 0);
    std::vector<std::string> arguments{"check", (run.folder.path() / "run.yaml").string(), "--json"};
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    const Json check = Json::parse(run_onda(arguments).out), memory = run.summary["memory"];
    const double predicted = check["memory"]["device"]["peak_bytes"], held = memory["device"]["allocated_bytes"];
    MESSAGE("GPU: predicted ", predicted * 1e-6, " MB, held ", held * 1e-6, " MB, ratio ", predicted / held);
    CHECK(std::abs(predicted / held - 1.) <= 0.03);
    const double host = check["memory"]["peak_bytes"], peak = memory["peak_bytes"];
    MESSAGE("host: predicted ", host * 1e-6, " MB, peak ", peak * 1e-6, " MB, ratio ", host / peak);
    CHECK(std::abs(host / peak - 1.) <= 0.25);
    const auto largest = check["memory"]["device"]["largest_grid"].get<std::vector<std::int64_t>>();
    CHECK(largest.at(0) > 401);
    CHECK(check["memory"]["device"]["available_bytes"].get<double>() > predicted);
}

TEST_CASE("the quick promises hold on the GPU, and the kernels can be timed") {
    need_gpu();
    const Outcome verify = run_onda({"verify", "--quick", "--backend", "cuda"});
    CAPTURE(verify.out);
    CHECK(verify.code == 0);
    const Outcome bench = run_onda({"bench", "gpu", "--shape", "128", "128", "128", "--order", "8", "--rounds", "3"});
    CAPTURE(bench.err);
    CHECK(bench.code == 0);
    for (const std::string& kernel : kernels_of_scheme(3, make_scheme(Equation::star, 8), Precision::float32))
        CHECK(contains(bench.out, "\n" + kernel));
    const Outcome json = run_onda({"bench", "gpu", "--shape", "128", "128", "128", "--order", "8", "--rounds", "5",
                                   "--json", "-", "--roofline", "roofline.png", "--force"});
    CAPTURE(json.err);
    REQUIRE(json.code == 0);
    const auto report = nlohmann::json::parse(json.out);
    CHECK(report["machine"]["gpu"]["multiprocessors"].get<int>() > 0);
    CHECK(report["conditions"]["sm_mhz"]["median"].get<double>() > 100.);
    CHECK(report["conditions"]["power_w"]["max"].get<double>() > 10.);
    CHECK(report["peak"]["flops"].get<double>() > 1e12);
    CHECK(report["rows"][0]["facts"]["registers"].get<int>() > 0);
    CHECK(std::filesystem::remove("roofline.png"));
    CHECK(run_onda({"bench", "gpu", "--shape", "9000", "9000", "9000"}).code == 71);
    CHECK(run_onda({"bench", "gpu", "--kernel", "vectorised"}).code == 64);
}
