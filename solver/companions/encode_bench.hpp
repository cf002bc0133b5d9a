/// \file
/// How long it takes to blend shots with codes of +1 and -1: each way to multiply packed codes with a matrix, and the
/// libraries that multiply them as floats, timed and compared with a product in double.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/companions/packed_codes.hpp"
#include "kernels/cuda/reports.hpp"

namespace onda {

/// Random codes (size, size), values (size, width), and their product.
class EncodeProblem {
public:
    /// \param size, width 1 or more. \throws std::bad_alloc
    EncodeProblem(std::int64_t size, std::int64_t width);

    [[nodiscard]] std::int64_t size() const { return codes_.rows(); }
    [[nodiscard]] std::int64_t width() const { return width_; }
    [[nodiscard]] const PackedCodes& codes() const { return codes_; }
    /// The same codes as floats, row-major.
    [[nodiscard]] std::span<const float> codes_as_floats() const { return as_floats_; }
    [[nodiscard]] std::span<const float> values() const { return values_; }
    /// Operations of the product: a multiplication and an addition for each code and column.
    [[nodiscard]] double operations() const;
    /// Bytes that a product must read and write at least.
    [[nodiscard]] std::int64_t bytes(bool packed) const;
    /// The largest error of a product in float, in eps (sum of |values|) of its column, eps = 2^-24; infinite if an
    /// element is no number.
    [[nodiscard]] double error(std::span<const float> product) const;

private:
    std::int64_t width_;
    PackedCodes codes_;
    std::vector<float> values_, as_floats_;
    std::vector<double> product_, of_sizes_;
};

/// The parts of a product, which do not overlap.
struct EncodeTimes {
    /// On a GPU its memory and a first launch, on a CPU what the first product takes longer than others.
    double start_up_ms = 0.;
    double transfer_ms = 0.;           ///< to a GPU and back; none on a CPU
    std::vector<double> execution_ms;  ///< of a product, one a round
};

/// One way to multiply, on one device.
struct EncodeWay {
    std::string name, what;
    bool packed = true;            ///< false: a library, which takes the codes as floats
    double additions = 1.;         ///< for a code and a value, without those that tables take
    bool on_tensor_cores = false;  ///< then they are multiply-adds of these
    double per_column = 1., further = 4.;
    /// Why it does not compute products of so many columns here; empty if it does.
    std::function<std::string(std::int64_t width)> problem;
    std::function<EncodeTimes(const EncodeProblem& problem, std::span<float> product, int rounds)> multiply;
    /// What the compiler made of a kernel of a GPU; none otherwise.
    std::function<std::optional<cuda::Resources>()> resources;

    /// An element has an error of at most this times eps (sum of |values| of its column).
    [[nodiscard]] double error_factor(std::int64_t columns) const {
        return per_column * static_cast<double>(columns) + further;
    }
};
/// Those of the CPU, with BLAS where it is found, or of the GPUs, with cuBLAS.
std::vector<EncodeWay> encode_ways(bool on_gpu);
/// What was looked for and is not there; empty if it is: "cuBLAS is left out: ...".
std::string missing_library(bool on_gpu);
/// The ways of these names, or all that compute products of so many columns if there are none.
/// \throws Error(usage) for a name that is none, with the nearest one, and for a way that cannot.
std::vector<EncodeWay> chosen_ways(const std::vector<EncodeWay>& ways, const std::vector<std::string>& names,
                                   std::int64_t width);

/// A way, measured.
struct EncodeRow {
    EncodeWay way;
    EncodeTimes times;
    double median_ms = 0.;  ///< of the rounds
    double error = 0.;      ///< over the bound of the way

    [[nodiscard]] bool holds() const { return error <= 1.; }
    [[nodiscard]] double whole_ms() const { return times.transfer_ms + median_ms; }
};
/// \param rounds of so many products that they take a millisecond; on a CPU none begin after ten seconds.
EncodeRow measure_encode(const EncodeWay& way, const EncodeProblem& problem, int rounds);

/// Which way is the fastest, and what it has over the best of the others: how many additions it takes, and how many a
/// second, from what was measured. A sentence each.
std::vector<std::string> encode_verdict(std::span<const EncodeRow> rows, const EncodeProblem& problem);

}  // namespace onda
