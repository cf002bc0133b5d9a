#include "kernels/cuda/medium.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <omp.h>
#include <vector>

#include "kernels/cpu/denormals.hpp"
#include "kernels/cuda/buffers.hpp"
#include "kernels/cuda/field_operations.hpp"
#include "kernels/cuda/memory.hpp"

namespace onda::cuda {
namespace {

/// Rows go to the device in pieces of about this size.
constexpr std::int64_t kPieceBytes = 16 << 20;

}  // namespace

template <typename T>
CudaMedium<T>::CudaMedium(const Setup& setup, const Instance<T>& instance, const MediumReaders& readers, double dt_s)
    : Medium(setup), instance_(instance), fit_(fit_of(setup, dt_s)) {
    const DeviceScope scope(setup.ordinal);
    if (setup.medium.storage != Storage::full) {
        load_codes(readers, dt_s);
        return;
    }
    memory_ = DeviceBuffer<T>(allocations(setup).of("medium"));
    std::int64_t begin = 0;
    for (const MediumArray& array : setup.scheme.equation->arrays) {
        layouts_.push_back(medium_layout(setup, array, layout_rules(setup)));
        begin_.push_back(begin);
        load(layouts_.back(), MediumRows(Medium::setup(), array, readers, dt_s, fit_.get()), memory_.data() + begin);
        begin += array_elements(layouts_.back());
    }
}

template <typename T>
void CudaMedium<T>::load_codes(const MediumReaders& readers, double dt_s) {
    const Allocations planned = allocations(setup());
    const MediumArray& k = setup().scheme.equation->arrays.front();
    const MediumRows rows(setup(), k, readers, dt_s, nullptr);
    layouts_.push_back(medium_layout(setup(), k, layout_rules(setup())));
    begin_.push_back(0);
    if (setup().medium.storage == Storage::codes) {
        codes_ = DeviceBuffer<std::uint16_t>(planned.of("medium"));
        return load(layouts_.back(), rows, codes_.data());
    }
    std::vector<float> table = setup().medium.table;
    table.resize(MediumCode::kMostTableValues);
    table_ = upload_vector(planned.of("table of the medium"), table);
    indices_ = DeviceBuffer<std::uint8_t>(planned.of("medium"));
    load(layouts_.back(), rows, indices_.data());
}

// Two levels are what a step reads and writes again in the next; k all batches may share.
template <typename T>
std::unique_lock<std::mutex> CudaMedium<T>::take_turn(int shots) const {
    static std::array<std::mutex, 64> turns;  // of GPUs by their ordinals
    constexpr double kept = 0.8;              // of the cache, beside what passes through it
    const double fields = 2. * shots * static_cast<double>(setup().grid.points() * setup().element_bytes());
    const double cache = kept * gpu_cache_bytes(setup().ordinal);
    if (fields > cache || 2. * fields <= cache) return {};
    return std::unique_lock(turns[static_cast<std::size_t>(setup().ordinal) % turns.size()]);
}

template <typename T>
CodedK CudaMedium<T>::coded_k() const {
    const MediumCode& medium = setup().medium;
    CodedK k{medium.storage, nullptr, medium.code, table_.data()};
    if (medium.storage == Storage::codes) k.at = codes_.data() + layouts_.front().origin;
    if (medium.storage == Storage::table) k.at = indices_.data() + layouts_.front().origin;
    return k;
}

template <typename T>
std::array<std::array<T, kNodeClasses>, kMaxMemoryFields> CudaMedium<T>::of_class() const {
    std::array<std::array<T, kNodeClasses>, kMaxMemoryFields> all{};
    for (std::size_t field = 0; field < setup().scheme.equation->memory.size(); ++field) {
        const auto of_field = fit_->of_class(field);
        for (int c = 0; c < kNodeClasses; ++c)
            all[field][static_cast<std::size_t>(c)] =
                static_cast<T>(of_field[static_cast<std::size_t>(class_from_plane(c, setup().first_plane))]);
    }
    return all;
}

template <typename T>
CudaMedium<T>::~CudaMedium() = default;

template <typename T>
template <typename Stored>
void CudaMedium<T>::load(const Layout& layout, const MediumRows& rows, Stored* target) {
    const std::int64_t along_y = rows.rows_along_y(), all = along_y * rows.rows_along_z();
    const std::int64_t most_rows =
        std::max<std::int64_t>(1, kPieceBytes / (layout.pitch * std::int64_t{sizeof(Stored)}));
    const auto element_of_row = [&](std::int64_t row) {
        return layout.at(0, row % along_y - rows.halo()[1], row / along_y - rows.halo()[2]);
    };
    ONDA_CUDA_TRY(cudaMemset(target, 0, static_cast<std::size_t>(layout.size) * sizeof(Stored)));
    std::int64_t longest = 0;
    for (std::int64_t first = 0; first < all; first += most_rows)
        longest = std::max(longest, element_of_row(std::min(first + most_rows, all) - 1) - element_of_row(first));
    // From the halo before the first row of a piece to that behind the last one.
    PinnedBuffer<Stored> piece(pinned("rows of the medium on their way", Owner::medium,
                                      longest + layout.n[0] + 2 * rows.halo()[0], sizeof(Stored)));
    // Allocated here, since std::bad_alloc cannot escape from a parallel region.
    std::vector<MediumRows::Scratch> scratches(static_cast<std::size_t>(omp_get_max_threads()), rows.scratch());
    for (std::int64_t first = 0; first < all; first += most_rows) {
        const std::int64_t last = std::min(first + most_rows, all) - 1;
        const std::int64_t begin = element_of_row(first) - rows.halo()[0];
        const std::int64_t end = element_of_row(last) + layout.n[0] + rows.halo()[0];
#pragma omp parallel
        {
            const cpu::FlushDenormals<T> flush;
#pragma omp for schedule(static)
            for (std::int64_t i = 0; i < end - begin; ++i) piece.data()[i] = Stored(0);
            MediumRows::Scratch& scratch = scratches[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(static)
            for (std::int64_t row = first; row <= last; ++row)
                rows.write(row % along_y - rows.halo()[1], row / along_y - rows.halo()[2],
                           piece.data() + element_of_row(row) - begin, scratch);
        }
        copy_to_device(target + begin, piece.data(), end - begin);
    }
}

template <typename T>
void sample_elements(const ObservedField<T>& array, const std::vector<std::int64_t>& element, std::span<double> values,
                     const Stream& stream) {
    if (element.empty()) return;
    const auto count = static_cast<std::int64_t>(element.size());
    std::vector<std::int64_t> first(element.size() + 1);
    std::iota(first.begin(), first.end(), std::int64_t{0});
    const auto elements = upload_for_a_moment(element), firsts = upload_for_a_moment(first),
               zero = upload_for_a_moment(std::vector<std::int64_t>{0});
    const auto ones = upload_for_a_moment(std::vector<T>(element.size(), T(1))),
               sampled = upload_for_a_moment(std::vector<T>(element.size()));
    sample_receivers<T>(array, {firsts.data(), elements.data(), ones.data(), sampled.data(), count, 1}, zero.data(), 0,
                        stream.get());
    stream.wait();
    std::vector<T> host(element.size());
    ONDA_CUDA_TRY(cudaMemcpy(host.data(), sampled.data(), host.size() * sizeof(T), cudaMemcpyDeviceToHost));
    std::ranges::copy(host, values.begin());
}
template void sample_elements(const ObservedField<float>&, const std::vector<std::int64_t>&, std::span<double>,
                              const Stream&);
template void sample_elements(const ObservedField<double>&, const std::vector<std::int64_t>&, std::span<double>,
                              const Stream&);

template <typename T>
void CudaMedium<T>::values_at(std::size_t array, std::span<const std::int64_t> nodes, std::span<double> values) const {
    std::vector<std::int64_t> element;
    for (const std::int64_t node : nodes) {
        const auto [x, y, z] = setup().grid.node(node);
        element.push_back(layouts_[array].at(x, y, z) - layouts_[array].origin);
    }
    const DeviceScope scope(setup().ordinal);
    const Stream stream;
    if (setup().medium.storage == Storage::full) return sample_elements<T>({at_origin(array)}, element, values, stream);
    const auto elements = upload_for_a_moment(element);
    const auto sampled = upload_for_a_moment(std::vector<float>(element.size()));
    decode_elements(coded_k(), elements.data(), elements.size(), sampled.data(), stream.get());
    stream.wait();
    std::vector<float> host(element.size());
    ONDA_CUDA_TRY(cudaMemcpy(host.data(), sampled.data(), host.size() * sizeof(float), cudaMemcpyDeviceToHost));
    std::ranges::copy(host, values.begin());
}

template <typename T>
std::string CudaMedium<T>::description() const {
    const Gpu& gpu = platform().gpus.at(static_cast<std::size_t>(setup().ordinal));
    return "CUDA, GPU " + std::to_string(setup().ordinal) + ", " + gpu.name + " (" + gpu.architecture + "), kernel " +
           instance_.kernel + ", tile " + instance_.tile + (instance_.copy.empty() ? "" : ", " + instance_.copy) +
           ", " + (sizeof(T) == 4 ? "float" : "double") + setup().medium.description();
}

template class CudaMedium<float>;
template class CudaMedium<double>;

std::shared_ptr<Medium> make_medium(const Setup& setup, const MediumReaders& readers, double dt_s) {
    check_setup(setup);
    check_readers(setup, readers);
    if (setup.precision == Precision::float32)
        return std::make_shared<CudaMedium<float>>(setup, choose<float>(setup), readers, dt_s);
    return std::make_shared<CudaMedium<double>>(setup, choose<double>(setup), readers, dt_s);
}

}  // namespace onda::cuda
