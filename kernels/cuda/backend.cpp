// The CUDA backend: one GPU holding p[n], p[n-1], k and, where it varies, rho of one grid. Everything of a time step
// runs on the device.
#include "kernels/backend.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "kernels/cuda/choice.hpp"
#include "kernels/cuda/cpml/cpml_layers.hpp"
#include "kernels/cuda/downloads.hpp"
#include "kernels/cuda/field_operations.hpp"
#include "kernels/cuda/runtime.hpp"
#include "kernels/cuda/traces.hpp"
#include "kernels/grid/halo.hpp"
#include "kernels/shot/source_entries.hpp"

namespace onda::cuda {
namespace {

/// Steps in one CUDA graph: even, so that p[n] ends where it began.
constexpr int kGraphSteps = 10;
/// Rows go to and from the device in pieces of about this size.
constexpr std::int64_t kPieceBytes = 8 << 20;

/// The halo along x is whole vectors: rows of copied rectangles begin on 16 bytes.
template <typename T>
Layout field_layout(const BackendSetup& setup) {
    const std::int64_t r = setup.scheme.halo(), vector = 16 / sizeof(T);
    return {setup.grid, {(r + vector - 1) / vector * vector, setup.grid.dimensions == 3 ? r : 0, r}, sizeof(T)};
}
template <typename T>
Layout model_layout(const BackendSetup& setup) {
    return {setup.grid, {0, 0, 0}, sizeof(T)};
}

template <typename T>
Layout density_layout(const BackendSetup& setup) {
    const std::int64_t r = setup.scheme.radius(), vector = 16 / sizeof(T);
    return {setup.grid, {(r + vector - 1) / vector * vector, setup.grid.dimensions == 3 ? r : 0, r}, sizeof(T)};
}

/// Room for rows of a model or a field in double precision: a piece, and for long rows at least one.
std::int64_t staging_bytes(const Grid& grid) {
    return std::max(std::min(kPieceBytes, grid.points() * 8), grid.nx() * 8);
}
/// Both fields, the model and the density are one allocation, each array on a page of its own (2 MiB of floats).
std::int64_t array_elements(const Layout& layout) {
    constexpr std::int64_t page = 1 << 19;
    return (layout.size + page - 1) / page * page;
}
template <typename T>
std::int64_t elements_of(const BackendSetup& setup) {
    const std::int64_t fields = 2 * array_elements(field_layout<T>(setup));
    const Layout model = model_layout<T>(setup);
    return setup.scheme.has_density() ? fields + array_elements(model) + density_layout<T>(setup).size
                                      : fields + model.size;
}

FieldShape shape_of(const Layout& layout) {
    const auto number = [](std::int64_t n) { return static_cast<int>(n); };
    return {number(layout.n[0]), number(layout.n[1]),    number(layout.n[2]),    layout.pitch,
            layout.plane,        number(layout.halo[0]), number(layout.halo[1]), number(layout.halo[2])};
}

/// Tapers end with whole vectors.
std::int64_t taper_size(std::int64_t n) {
    return (n + 3) / 4 * 4;
}

/// The nodes where a taper differs from 1 (at its ends: kernels/backend.hpp), as boxes: the faces of z, then of y
/// between them, then of x.
template <typename T>
SpongeBoxes sponge_boxes(const Grid& grid, const std::array<std::vector<T>, 3>& taper) {
    constexpr int vector = 16 / sizeof(T);
    int low[3] = {0, 0, 0}, high[3], n[3];  // the taper of an axis is 1 on [low, high)
    for (int a = 0; a < 3; ++a) {
        high[a] = n[a] = static_cast<int>(grid.n[a]);
        while (low[a] < n[a] && taper[a][low[a]] != T(1)) ++low[a];
        while (high[a] > low[a] && taper[a][high[a] - 1] != T(1)) --high[a];
    }
    SpongeBoxes boxes;
    const auto add = [&](int gap_begin, int gap_end, int y0, int y1, int z0, int z1) {
        const int vectors = (n[0] - (gap_end - gap_begin) + vector - 1) / vector;
        if (vectors == 0 || y0 >= y1 || z0 >= z1) return;
        boxes.box[boxes.count] = {y0, z0, y1 - y0, z1 - z0, gap_begin, gap_end, vectors};
        boxes.first[boxes.count + 1] =
            boxes.first[boxes.count] + static_cast<std::int64_t>(vectors) * (y1 - y0) * (z1 - z0);
        ++boxes.count;
    };
    add(0, 0, 0, n[1], 0, low[2]);
    add(0, 0, 0, n[1], high[2], n[2]);
    add(0, 0, 0, low[1], low[2], high[2]);
    add(0, 0, high[1], n[1], low[2], high[2]);
    const int gap_begin = (low[0] + vector - 1) / vector * vector;
    const int gap_end = high[0] == n[0] ? (n[0] + vector - 1) / vector * vector : high[0] / vector * vector;
    const bool meet = gap_begin > gap_end;
    if (low[0] > 0 || high[0] < n[0]) add(meet ? 0 : gap_begin, meet ? 0 : gap_end, low[1], high[1], low[2], high[2]);
    return boxes;
}

/// A captured sequence of launches.
class Graph {
public:
    Graph() = default;
    ~Graph() {
        if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    template <typename Work>
    void capture(const Stream& stream, const Work& work) {
        cudaGraph_t graph = nullptr;
        ONDA_CUDA_TRY(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
        try {
            work();
        } catch (...) {
            if (cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess) cudaGraphDestroy(graph);
            throw;
        }
        ONDA_CUDA_TRY(cudaStreamEndCapture(stream.get(), &graph));
        const cudaError_t status = cudaGraphInstantiate(&executable_, graph, 0);
        cudaGraphDestroy(graph);
        check_call(status, "cudaGraphInstantiate", __FILE__, __LINE__);
    }

    void launch(const Stream& stream) const { ONDA_CUDA_TRY(cudaGraphLaunch(executable_, stream.get())); }

private:
    cudaGraphExec_t executable_ = nullptr;
};

template <typename T>
class CudaBackend final : public Backend {
public:
    CudaBackend(const BackendSetup& setup, const Instance<T>& instance)
        : setup_(setup),
          grid_(setup.grid),
          halos_(setup.halos),
          instance_(instance),
          field_(field_layout<T>(setup)),
          model_(model_layout<T>(setup)),
          density_(density_layout<T>(setup)),
          memory_(elements_of<T>(setup)),
          staging_(staging_bytes(setup.grid)),
          counter_(1),
          largest_(kLargestBlocks),
          downloads_(std::make_shared<Downloads>()) {
        for (int i = 0; i < 2; ++i) p_[i] = memory_.data() + i * array_elements(field_) + field_.origin;
        T* const model = memory_.data() + 2 * array_elements(field_);
        k_ = model + model_.origin;
        if (setup.scheme.has_density()) half_rho_ = model + array_elements(model_) + density_.origin;
        for (int axis = 0; axis < 3; ++axis) {
            std::vector<LayerCopy> copies;
            const std::int64_t halo = setup.grid.has_axis(axis) ? setup.scheme.halo() : 0;
            for (const HaloCopy& copy : halo_copies(grid_.n[axis], halo, halos_[2 * axis], halos_[2 * axis + 1]))
                copies.push_back({static_cast<int>(copy.to), static_cast<int>(copy.from), copy.sign});
            copies_[axis] = upload_vector(copies);
        }
        set_sponge(setup.sponge);
        Fields<T> fields{grid_, field_, model_, density_,
                         make_stencil<T>(setup.scheme, grid_.spacing_m, grid_.dimensions)};
        fields.p[0] = p_[0];
        fields.p[1] = p_[1];
        fields.k = k_;
        fields.half_rho = half_rho_;
        // The padding, too: vectors at the end of a row read it.
        ONDA_CUDA_TRY(
            cudaMemsetAsync(memory_.data(), 0, static_cast<std::size_t>(memory_.size()) * sizeof(T), compute_.get()));
        stepper_ = instance.make(instance, fields);
        if (!setup.cpml.empty()) layers_ = std::make_unique<CpmlLayers<T>>(setup, fields);
        CudaBackend::reset();
    }

    std::string description() const override {
        return "CUDA, " + platform().gpus.front().name + " (" + platform().gpus.front().architecture + "), kernel " +
               instance_.kernel + ", tile " + instance_.tile + (instance_.copy.empty() ? "" : ", " + instance_.copy) +
               ", " + (sizeof(T) == 4 ? "float" : "double");
    }
    std::string kernel() const override { return instance_.kernel; }
    std::int64_t allocated_bytes() const override {
        std::int64_t bytes = memory_.bytes() + staging_.bytes() + counter_.bytes() + largest_.bytes() +
                             sources_.bytes() + traces_.device_bytes() + downloads_->device_bytes();
        for (int axis = 0; axis < 3; ++axis) bytes += copies_[axis].bytes() + taper_[axis].bytes();
        return bytes + (layers_ ? layers_->bytes() : 0);
    }

    void upload_model(const RowReader& vp_of_row, const RowReader& rho_of_row, double dt_s) override;
    void reset() override;
    void set_sources(const Sources& sources) override;
    void set_receivers(const NodeWeights& receivers, std::int64_t samples) override;

    void fill_halos() override {
        for (int axis = 0; axis < 3; ++axis)
            fill_halo(p(), shape_of(field_), axis, copies_[axis].data(), static_cast<int>(copies_[axis].size()),
                      compute_.get());
    }
    void step() override { stepper_->step(now_, compute_.get()); }
    void absorb() override {
        if (layers_) layers_->apply(now_, compute_.get());
        if (boxes_.count == 0) return;
        damp<T>(p(), q(), shape_of(field_), boxes_, {taper_[0].data(), taper_[1].data(), taper_[2].data()},
                compute_.get());
    }
    void inject(std::int64_t n) override {
        add_sources(q(), sources_.nodes(), counter_.data(), offset_of(n), compute_.get());
    }
    void swap() override { now_ = 1 - now_; }
    void record(std::int64_t n) override {
        if (capturing_ ? graph_records_ : traces_.records(n))
            traces_.record(p(), counter_.data(), offset_of(n), compute_.get());
        if (!capturing_) traces_.flush(n, compute_, copy_);
    }
    void advance(std::int64_t first, std::int64_t count) override;

    Extremum extremum() const override;
    void download(const Window& window, std::span<float> values) const override { copy_out(p(), window, values); }
    void download(const Window& window, std::span<double> values) const override { copy_out(p(), window, values); }
    void download_previous(const Window& window, std::span<double> values) const override {
        copy_out(q(), window, values);
    }
    std::unique_ptr<Download> start_download(const Window& window) override {
        return downloads_->start(p(), rows_of(window), compute_, copy_);
    }
    void upload(std::span<const double> p, std::span<const double> p_previous) override;
    void download_traces(std::span<float> values) const override { traces_.copy(values, compute_); }
    void download_traces(std::span<double> values) const override { traces_.copy(values, compute_); }

private:
    /// Sources on the device; kept as long as they are used.
    struct DeviceSources {
        DeviceBuffer<std::int64_t> element, first, samples;
        DeviceBuffer<std::int32_t> row;
        DeviceBuffer<T> amplitude, signal;
        [[nodiscard]] std::int64_t bytes() const {
            return element.bytes() + first.bytes() + samples.bytes() + row.bytes() + amplitude.bytes() + signal.bytes();
        }
        [[nodiscard]] SourceNodes<T> nodes() const {
            return {element.data(),
                    first.data(),
                    row.data(),
                    amplitude.data(),
                    signal.data(),
                    samples.data(),
                    static_cast<int>(element.size())};
        }
    };

    [[nodiscard]] T* p() const { return p_[now_]; }
    [[nodiscard]] T* q() const { return p_[1 - now_]; }
    [[nodiscard]] std::int64_t relative_element(std::int64_t node) const {
        const auto [x, y, z] = grid_.node(node);
        return field_.at(x, y, z) - field_.origin;
    }
    [[nodiscard]] int offset_of(std::int64_t n) const { return static_cast<int>(n - counted_); }
    void set_base(std::int64_t n) {
        set_counter(counter_.data(), n, compute_.get());
        counted_ = n;
    }
    [[nodiscard]] WindowRows rows_of(const Window& w) const {
        return {field_.at(w.first[0], w.first[1], w.first[2]) - field_.origin,
                w.step[0],
                w.step[1] * field_.pitch,
                w.step[2] * field_.plane,
                w.count[0],
                w.count[1],
                0,
                w.count[1] * w.count[2]};
    }
    /// Rows of `length` values that the staging memory holds, at most `all`.
    template <typename U>
    [[nodiscard]] std::int64_t rows_of_staging(std::int64_t length, std::int64_t all) const {
        return std::min(staging_.size() / (length * static_cast<std::int64_t>(sizeof(U))), all);
    }
    void set_sponge(const Sponge& sponge);
    std::unique_ptr<Graph> capture_steps();
    void replay(std::int64_t first);
    void fill_density_halo();
    std::vector<T> values_at(const T* array, const Layout& layout, const std::vector<std::int64_t>& nodes) const;
    template <typename U>
    void copy_out(const T* from, const Window& window, std::span<U> values) const;

    BackendSetup setup_;
    Grid grid_;
    FaceHalos halos_;
    Instance<T> instance_;
    Layout field_, model_, density_;
    DeviceBuffer<T> memory_;  ///< of both fields, the model and the density
    /// At node (0, 0, 0); half_rho_ is null at constant density.
    T *p_[2] = {nullptr, nullptr}, *k_ = nullptr, *half_rho_ = nullptr;
    DeviceBuffer<LayerCopy> copies_[3];
    DeviceBuffer<T> taper_[3];
    SpongeBoxes boxes_;
    DeviceBuffer<std::byte> staging_;     ///< for rows on their way
    DeviceBuffer<std::int64_t> counter_;  ///< the step that offsets of sources and receivers count from
    DeviceBuffer<Largest> largest_;
    Stream compute_, copy_;
    std::unique_ptr<Stepper> stepper_;
    std::unique_ptr<CpmlLayers<T>> layers_;  ///< null without
    std::shared_ptr<Downloads> downloads_;
    DeviceSources sources_;
    mutable TraceRecorder<T> traces_;  ///< asking for traces collects what is still on the device
    int now_ = 0;
    std::int64_t counted_ = 0;  ///< value of counter_ at this place of the stream
    bool capturing_ = false;
    bool graph_records_ = false;        ///< whether the steps of the graphs record samples
    std::unique_ptr<Graph> graphs_[2];  ///< kGraphSteps steps that begin with p[n] in p_[i]
};

template <typename T>
void CudaBackend<T>::set_sponge(const Sponge& sponge) {
    std::array<std::vector<T>, 3> taper;
    for (int axis = 0; axis < 3; ++axis) {
        taper[axis].assign(sponge.taper[axis].begin(), sponge.taper[axis].end());
        taper[axis].resize(static_cast<std::size_t>(taper_size(grid_.n[axis])), T(1));
        taper_[axis] = upload_vector(taper[axis]);
    }
    boxes_ = sponge_boxes(grid_, taper);
}

template <typename T>
void CudaBackend<T>::upload_model(const RowReader& vp_of_row, const RowReader& rho_of_row, double dt_s) {
    check_model(setup_, bool(rho_of_row));
    const std::int64_t nx = grid_.nx(), rows = grid_.ny() * grid_.nz();
    const std::int64_t piece = rows_of_staging<double>(nx, rows);  // a double is as long as vp and rho
    const PinnedBuffer<float> host(2 * piece * nx);
    auto* const device = reinterpret_cast<float*>(staging_.data());
    const auto negative = [this](int face) { return halos_[face] == Halo::mirror_negative; };
    const Walls walls{{negative(0), negative(2), negative(4)}, {negative(1), negative(3), negative(5)}};
    for (std::int64_t first = 0; first < rows; first += piece) {
        const std::int64_t count = std::min(piece, rows - first);
        const auto read = [&](const RowReader& values_of_row, std::int64_t offset) {
#pragma omp parallel for schedule(static)
            for (std::int64_t row = 0; row < count; ++row)
                values_of_row((first + row) % grid_.ny(), (first + row) / grid_.ny(),
                              {host.data() + offset + row * nx, static_cast<std::size_t>(nx)});
            ONDA_CUDA_TRY(cudaMemcpyAsync(device + offset, host.data() + offset,
                                          static_cast<std::size_t>(count * nx) * sizeof(float), cudaMemcpyHostToDevice,
                                          compute_.get()));
        };
        compute_.wait();
        read(vp_of_row, 0);
        if (rho_of_row) {
            read(rho_of_row, piece * nx);
            halve_density(half_rho_, shape_of(density_), first, count, device + piece * nx, compute_.get());
        }
        square_model(k_, shape_of(model_), first, count, device, rho_of_row ? device + piece * nx : nullptr, dt_s,
                     walls, compute_.get());
    }
    if (rho_of_row) fill_density_halo();
    compute_.wait();
}

template <typename T>
void CudaBackend<T>::fill_density_halo() {
    for (int axis = 0; axis < 3; ++axis) {
        std::vector<LayerCopy> copies;
        const std::int64_t halo = grid_.has_axis(axis) ? setup_.scheme.radius() : 0;
        for (const HaloCopy& copy : model_copies(grid_.n[axis], halo, halos_[2 * axis], halos_[2 * axis + 1]))
            copies.push_back({static_cast<int>(copy.to), static_cast<int>(copy.from), copy.sign});
        const DeviceBuffer<LayerCopy> on_device = upload_vector(copies);
        fill_halo(half_rho_, shape_of(density_), axis, on_device.data(), static_cast<int>(copies.size()),
                  compute_.get());
        compute_.wait();
    }
}

template <typename T>
void CudaBackend<T>::reset() {
    copy_.wait();
    ONDA_CUDA_TRY(cudaMemsetAsync(memory_.data(), 0, static_cast<std::size_t>(2 * array_elements(field_)) * sizeof(T),
                                  compute_.get()));
    if (layers_) layers_->reset(compute_.get());
    for (auto& graph : graphs_) graph.reset();
    sources_ = {};
    traces_ = {};
    set_base(0);
    compute_.wait();
}

/// A model array at nodes, read through the kernel that samples receivers: one entry of weight 1 each.
template <typename T>
std::vector<T> CudaBackend<T>::values_at(const T* array, const Layout& layout,
                                         const std::vector<std::int64_t>& nodes) const {
    std::vector<std::int64_t> element, first{0};
    for (const std::int64_t node : nodes) {
        const auto [x, y, z] = grid_.node(node);
        element.push_back(layout.at(x, y, z) - layout.origin);
        first.push_back(static_cast<std::int64_t>(element.size()));
    }
    std::vector<T> values;
    if (nodes.empty()) return values;
    const auto count = static_cast<std::int64_t>(nodes.size());
    const DeviceBuffer<std::int64_t> device_element = upload_vector(element), device_first = upload_vector(first);
    const DeviceBuffer<T> ones = upload_vector(std::vector<T>(nodes.size(), T(1))), sampled(count);
    sample_receivers<T>(array, {device_first.data(), device_element.data(), ones.data(), sampled.data(), count, 1},
                        counter_.data(), 0, compute_.get());
    compute_.wait();
    values.resize(nodes.size());
    ONDA_CUDA_TRY(cudaMemcpy(values.data(), sampled.data(), values.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

template <typename T>
void CudaBackend<T>::set_sources(const Sources& sources) {
    const std::vector<SourceEntry> entries = source_entries(sources.nodes);
    std::vector<std::int64_t> nodes, element, first{0}, samples{0};
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (nodes.empty() || nodes.back() != entries[i].node) {
            nodes.push_back(entries[i].node);
            element.push_back(relative_element(entries[i].node));
            first.push_back(static_cast<std::int64_t>(i));
        }
        first.back() = static_cast<std::int64_t>(i) + 1;
    }
    const std::vector<T> k = values_at(k_, model_, nodes);
    std::vector<double> rho(sources.signal.size(), 1.);
    if (half_rho_ != nullptr)
        rho = source_densities(sources.nodes, [&, half = values_at(half_rho_, density_, nodes)](std::int64_t node) {
            return 2. * static_cast<double>(half[std::ranges::lower_bound(nodes, node) - nodes.begin()]);
        });
    std::vector<T> amplitude, signal;
    std::vector<std::int32_t> row;
    std::size_t at = 0;
    for (const SourceEntry& entry : entries) {
        if (nodes[at] != entry.node) ++at;
        const double scale = source_scale(static_cast<double>(k[at]), rho[entry.row], grid_.cell_volume());
        amplitude.push_back(static_cast<T>(scale * entry.weight));
        row.push_back(static_cast<std::int32_t>(entry.row));
    }
    for (const std::vector<double>& series : sources.signal) {
        signal.insert(signal.end(), series.begin(), series.end());
        samples.push_back(static_cast<std::int64_t>(signal.size()));
    }
    compute_.wait();
    for (auto& graph : graphs_) graph.reset();
    sources_ = {upload_vector(element), upload_vector(first),     upload_vector(samples),
                upload_vector(row),     upload_vector(amplitude), upload_vector(signal)};
}

template <typename T>
void CudaBackend<T>::set_receivers(const NodeWeights& receivers, std::int64_t samples) {
    std::vector<std::int64_t> element;
    for (const std::int64_t node : receivers.node) element.push_back(relative_element(node));
    compute_.wait();
    for (auto& graph : graphs_) graph.reset();
    traces_ = TraceRecorder<T>(receivers, element, samples);
}

template <typename T>
std::unique_ptr<Graph> CudaBackend<T>::capture_steps() {
    struct Restore {
        CudaBackend& backend;
        std::int64_t counted = backend.counted_;
        int now = backend.now_;
        ~Restore() {
            backend.counted_ = counted;
            backend.now_ = now;
            backend.capturing_ = false;
        }
    } const restore{*this};
    counted_ = 0;  // in a graph, offsets count from its first step
    capturing_ = true;
    auto graph = std::make_unique<Graph>();
    graph->capture(compute_, [this] { Backend::advance(0, kGraphSteps); });
    return graph;
}

template <typename T>
void CudaBackend<T>::replay(std::int64_t first) {
    if (graph_records_ != traces_.records(first + 1)) {
        graph_records_ = !graph_records_;
        for (auto& stale : graphs_) stale.reset();
    }
    if (!graphs_[now_]) graphs_[now_] = capture_steps();
    set_base(first);
    graphs_[now_]->launch(compute_);
    traces_.flush(first + kGraphSteps, compute_, copy_);
}

template <typename T>
void CudaBackend<T>::advance(std::int64_t first, std::int64_t count) {
    while (count > 0) {
        // A graph records samples first + 1 … first + kGraphSteps, all of one batch.
        const bool fits = count >= kGraphSteps && traces_.samples_until_flush(first + 1) >= kGraphSteps &&
                          traces_.records(first + 1) == traces_.records(first + kGraphSteps);
        const std::int64_t steps = fits ? kGraphSteps : 1;
        if (fits)
            replay(first);
        else
            Backend::advance(first, 1);
        first += steps;
        count -= steps;
    }
    compute_.wait();
}

template <typename T>
Extremum CudaBackend<T>::extremum() const {
    find_largest(p(), shape_of(field_), largest_.data(), compute_.get());
    std::vector<Largest> results(kLargestBlocks);
    compute_.wait();
    ONDA_CUDA_TRY(
        cudaMemcpy(results.data(), largest_.data(), results.size() * sizeof results[0], cudaMemcpyDeviceToHost));
    const auto before = [](const Largest& a, const Largest& b) {
        return a.bits > b.bits || (a.bits == b.bits && a.node < b.node);
    };
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const Largest found = *std::ranges::min_element(results, before);
    const auto value = static_cast<double>(std::bit_cast<T>(static_cast<Bits>(found.bits)));
    return {value, found.node, std::isfinite(value)};
}

template <typename T>
template <typename U>
void CudaBackend<T>::copy_out(const T* from, const Window& window, std::span<U> values) const {
    WindowRows rows = rows_of(window);
    const std::int64_t all = rows.rows;
    const std::int64_t row_bytes = rows.count_x * static_cast<std::int64_t>(sizeof(U));
    rows.rows = rows_of_staging<U>(rows.count_x, all);
    auto* const piece = reinterpret_cast<U*>(staging_.data());
    for (; rows.first_row < all; rows.first_row += rows.rows) {
        rows.rows = std::min(rows.rows, all - rows.first_row);
        gather(from, rows, piece, compute_.get());
        compute_.wait();
        ONDA_CUDA_TRY(cudaMemcpy(values.data() + rows.first_row * rows.count_x, piece,
                                 static_cast<std::size_t>(rows.rows * row_bytes), cudaMemcpyDeviceToHost));
    }
}

template <typename T>
void CudaBackend<T>::upload(std::span<const double> p_now, std::span<const double> p_previous) {
    WindowRows rows = rows_of(Window::whole(grid_));
    const std::int64_t all = rows.rows;
    const std::int64_t most = rows_of_staging<double>(rows.count_x, all);
    auto* const piece = reinterpret_cast<double*>(staging_.data());
    for (const auto& [to, values] : {std::pair{p(), p_now}, std::pair{q(), p_previous}})
        for (rows.first_row = 0; rows.first_row < all; rows.first_row += most) {
            rows.rows = std::min(most, all - rows.first_row);
            compute_.wait();
            copy_to_device(piece, values.data() + rows.first_row * rows.count_x, rows.rows * rows.count_x);
            scatter(to, rows, piece, compute_.get());
        }
    if (layers_) layers_->reset(compute_.get());
    compute_.wait();
}

template <typename T>
std::int64_t bytes_of(const BackendSetup& setup) {
    std::int64_t bytes = DeviceBuffer<T>::bytes_for(elements_of<T>(setup)) +
                         DeviceBuffer<std::byte>::bytes_for(staging_bytes(setup.grid)) +
                         DeviceBuffer<std::int64_t>::bytes_for(1) + DeviceBuffer<Largest>::bytes_for(kLargestBlocks);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool mirrors = setup.halos[2 * axis] != Halo::zero || setup.halos[2 * axis + 1] != Halo::zero;
        bytes += DeviceBuffer<T>::bytes_for(taper_size(setup.grid.n[axis])) +
                 (mirrors ? DeviceBuffer<LayerCopy>::bytes_for(2 * setup.scheme.halo()) : 0);
    }
    return bytes + (setup.cpml.empty() ? 0 : CpmlLayers<T>::bytes_for(setup));
}

}  // namespace

std::int64_t predicted_bytes(const BackendSetup& setup) {
    return setup.precision == Precision::float32 ? bytes_of<float>(setup) : bytes_of<double>(setup);
}

std::int64_t predicted_shot_bytes(const BackendSetup& setup, const ShotSize& shot) {
    const std::int64_t element = setup.precision == Precision::float32 ? 4 : 8;
    const std::int64_t sources =
        shot.source_nodes * (8 + 8 + 4 + element) + shot.sources * (8 + shot.signal_samples * element);
    const std::int64_t receivers = shot.receivers * 8 + shot.receiver_nodes * (8 + element);
    const std::int64_t batches =
        2 * trace_batch(shot.receivers, shot.trace_samples, element) * shot.receivers * element;
    return sources + receivers + batches + shot.download_points * static_cast<std::int64_t>(sizeof(float));
}

std::unique_ptr<Backend> make_backend(const BackendSetup& setup) {
    check_setup(setup);
    if (setup.precision == Precision::float32) return std::make_unique<CudaBackend<float>>(setup, choose<float>(setup));
    return std::make_unique<CudaBackend<double>>(setup, choose<double>(setup));
}

}  // namespace onda::cuda
