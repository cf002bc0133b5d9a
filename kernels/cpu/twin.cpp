// The twin: reads and writes the arrays of an equation, and looks at no neighbour (of the star 16 bytes a point in
// float).
#include "kernels/cpu/kernel.hpp"

namespace onda::cpu {
namespace {

constexpr int kMostReads = 1 + kMostFurtherFields + kMostMediumArrays;
constexpr int kMostUpdates = 1 + kMostFurtherFields + kMostMemoryFields;

/// The arrays that a step reads, and those that it overwrites; without scratch fields, which a step can do without.
template <typename T>
struct Streams {
    MediumView<T> read[kMostReads];
    MediumView<T> update[kMostUpdates];
    int reads = 0, updates = 0;

    explicit Streams(const StepArguments<T>& a) {
        const auto field = [&a](const T* at) { return MediumView<T>{at, a.pitch, a.plane}; };
        read[reads++] = field(a.p);
        update[updates++] = field(a.q);
        for (int i = 0; i < kMostFurtherFields; ++i) {
            if (a.further_p[i] == nullptr) continue;
            read[reads++] = field(a.further_p[i]);
            update[updates++] = field(a.further_q[i]);
        }
        for (const MediumView<T>& array : a.medium)
            if (array.at != nullptr) read[reads++] = array;
        for (const T* memory : a.memory)
            if (memory != nullptr) update[updates++] = {memory, a.k_pitch, a.k_plane};
    }
};

/// Adds next to nothing of all that is read to what is overwritten.
template <typename T, int Reads, int Updates>
void stream(const StepArguments<T>& a, const Streams<T>& streams) {
#pragma omp parallel num_threads(a.threads)
    {
        const FlushDenormals<T> flush;
        const RowRange rows = rows_of_thread(a.ny * a.nz, omp_get_thread_num(), omp_get_num_threads());
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
            const std::int64_t y = row % a.ny, z = row / a.ny;
            const auto at = [y, z](const MediumView<T>& array) { return array.at + y * array.pitch + z * array.plane; };
            const T* read[Reads];
            T* update[Updates];
            for (int i = 0; i < Reads; ++i) read[i] = at(streams.read[i]);
            for (int i = 0; i < Updates; ++i) update[i] = const_cast<T*>(at(streams.update[i]));
#pragma omp simd
            for (std::int64_t x = 0; x < a.nx; ++x) {
                T sum = read[0][x];
                for (int i = 1; i < Reads; ++i) sum += read[i][x];
                for (int i = 0; i < Updates; ++i) update[i][x] = fused(T(1e-12), sum, update[i][x]);
            }
        }
    }
}

template <typename T>
void step(const StepArguments<T>& a) {
    const Streams<T> streams(a);
    switch (10 * streams.reads + streams.updates) {
        case 21: return stream<T, 2, 1>(a, streams);  // the star
        case 31: return stream<T, 3, 1>(a, streams);  // variable density; drag
        case 41: return stream<T, 4, 1>(a, streams);  // drag with variable density
        case 32: return stream<T, 3, 2>(a, streams);  // attenuation, with one memory field and with two
        case 43: return stream<T, 4, 3>(a, streams);
        case 42: return stream<T, 4, 2>(a, streams);  // the same with variable density
        case 53: return stream<T, 5, 3>(a, streams);
        case 52: return stream<T, 5, 2>(a, streams);  // VTI
        case 63: return stream<T, 6, 3>(a, streams);  // VTI with the strain, as gradients take it
        default: return stream<T, 8, 2>(a, streams);  // TTI
    }
}

}  // namespace

template <>
void twin_step<ONDA_ISA, float>(const StepArguments<float>& a) {
    step(a);
}
template <>
void twin_step<ONDA_ISA, double>(const StepArguments<double>& a) {
    step(a);
}

}  // namespace onda::cpu
