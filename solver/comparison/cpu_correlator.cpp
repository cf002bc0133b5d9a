#include "solver/comparison/cpu_correlator.hpp"

#include <algorithm>
#include <complex>
#include <omp.h>
#include <optional>

#include "solver/signal/fourier.hpp"

namespace onda {
namespace {

using Complex = std::complex<double>;

/// Lines that are transformed together, so that whole lines of cache are read across them.
constexpr std::int64_t kColumns = 8;

/// The places of the lags of an axis on a periodic grid.
std::vector<std::int64_t> wrapped_lags(const CorrelationShape& shape, std::size_t axis) {
    std::vector<std::int64_t> places;
    const std::int64_t n = shape.padded[axis];
    for (std::int64_t i = 0; i < shape.lags.count[axis]; ++i)
        places.push_back(((shape.lags.first[axis] + i) % n + n) % n);
    return places;
}

/// Transforms along y or z, in both directions.
struct LineTransform {
    explicit LineTransform(std::int64_t length)
        : n(length), there(static_cast<std::size_t>(length), false), back(static_cast<std::size_t>(length), true) {}

    /// Transforms `columns` lines side by side in place. \param step from an element of a line to the next.
    void run(Complex* first, std::int64_t columns, std::int64_t step, bool inverse,
             std::vector<Complex>& buffer) const {
        buffer.resize(static_cast<std::size_t>(2 * n * kColumns));
        Complex* const in = buffer.data();
        Complex* const out = in + n * kColumns;
        for (std::int64_t k = 0; k < n; ++k)
            for (std::int64_t c = 0; c < columns; ++c) in[c * n + k] = first[k * step + c];
        for (std::int64_t c = 0; c < columns; ++c) (inverse ? back : there).transform(in + c * n, out + c * n);
        for (std::int64_t k = 0; k < n; ++k)
            for (std::int64_t c = 0; c < columns; ++c) first[k * step + c] = out[c * n + k];
    }

    std::int64_t n;
    kissfft<double> there, back;
};

class CpuCorrelator : public Correlator {
public:
    CpuCorrelator(const CorrelationShape& shape, int threads)
        : shape_(shape),
          threads_(threads > 0 ? threads : omp_get_max_threads()),
          half_(shape.padded[0] / 2 + 1),
          along_x_(static_cast<std::size_t>(shape.padded[0])),
          moving_(static_cast<std::size_t>(product_of(shape.moving))),
          lags_(static_cast<std::size_t>(product_of(shape.lags.count))) {
        if (shape.padded[1] > 1) along_y_.emplace(shape.padded[1]);
        if (shape.padded[2] > 1) along_z_.emplace(shape.padded[2]);
        for (std::vector<Complex>* spectrum : {&fixed_, &spectrum_})
            spectrum->resize(static_cast<std::size_t>(half_ * shape.padded[1] * shape.padded[2]));
    }

    void set_fixed(std::span<const float> values) override { transform(values, shape_.fixed, fixed_); }
    void set_moving(std::span<const float> values) override { std::ranges::copy(values, moving_.begin()); }
    void set_template(std::span<const float> values) override { template_.assign(values.begin(), values.end()); }
    void rotate(const TemplateTurn& turn) override {
        const Triple& n = shape_.moving;
#pragma omp parallel for num_threads(threads_) schedule(static)
        for (std::int64_t row = 0; row < n[1] * n[2]; ++row)
            for (std::int64_t x = 0; x < n[0]; ++x)
                moving_[static_cast<std::size_t>(row * n[0] + x)] =
                    turned_value(template_.data(), turn, x, row % n[1], row / n[1]);
    }
    double moving_energy() override {
        double sum = 0.;
        for (const float value : moving_) sum += static_cast<double>(value) * value;
        return sum;
    }
    void forward() override {
        transform(moving_, shape_.moving, spectrum_);
    }
    void multiply() override {
        const double scale = 1. / static_cast<double>(product_of(shape_.padded));
#pragma omp parallel for num_threads(threads_) schedule(static)
        for (std::size_t i = 0; i < spectrum_.size(); ++i) {
            const double a = fixed_[i].real(), b = fixed_[i].imag(), c = spectrum_[i].real(), d = spectrum_[i].imag();
            spectrum_[i] = {(a * c + b * d) * scale, (b * c - a * d) * scale};
        }
    }
    void inverse() override;
    std::vector<double> lags() override {
        return lags_;
    }
    std::vector<LagPeak> peaks(int count, std::int64_t apart) override {
        return find_peaks(lags_, shape_.lags, count, apart, threads_);
    }

private:
    void transform(std::span<const float> values, const Triple& n, std::vector<Complex>& spectrum) const;
    void rows_forward(std::span<const float> values, const Triple& n, std::vector<Complex>& spectrum) const;
    /// Along y, of these planes. Those that hold nothing or are not wanted are left alone.
    void lines_along_y(std::vector<Complex>& spectrum, std::span<const std::int64_t> planes, bool inverse) const;
    void lines_along_z(std::vector<Complex>& spectrum, bool inverse) const;

    CorrelationShape shape_;
    int threads_;
    std::int64_t half_;  ///< complex numbers of a row of the spectrum
    FourierTransform along_x_;
    std::optional<LineTransform> along_y_, along_z_;
    std::vector<Complex> fixed_, spectrum_;
    std::vector<float> moving_, template_;
    std::vector<double> lags_;
};

void CpuCorrelator::rows_forward(std::span<const float> values, const Triple& n, std::vector<Complex>& spectrum) const {
#pragma omp parallel num_threads(threads_)
    {
        std::vector<double> series(static_cast<std::size_t>(shape_.padded[0]));
#pragma omp for schedule(static)
        for (std::int64_t row = 0; row < shape_.padded[1] * shape_.padded[2]; ++row) {
            const std::int64_t y = row % shape_.padded[1], z = row / shape_.padded[1];
            const std::span line(spectrum.data() + row * half_, static_cast<std::size_t>(half_));
            if (y >= n[1] || z >= n[2]) {
                std::ranges::fill(line, Complex{});
                continue;
            }
            std::copy_n(values.data() + (z * n[1] + y) * n[0], n[0], series.begin());
            std::fill(series.begin() + n[0], series.end(), 0.);
            along_x_.forward(series, line);
        }
    }
}

void CpuCorrelator::lines_along_y(std::vector<Complex>& spectrum, std::span<const std::int64_t> planes,
                                  bool inverse) const {
    if (!along_y_) return;
#pragma omp parallel num_threads(threads_)
    {
        std::vector<Complex> buffer;
#pragma omp for schedule(static)
        for (std::size_t plane = 0; plane < planes.size(); ++plane)
            for (std::int64_t x = 0; x < half_; x += kColumns)
                along_y_->run(spectrum.data() + planes[plane] * shape_.padded[1] * half_ + x,
                              std::min(kColumns, half_ - x), half_, inverse, buffer);
    }
}

void CpuCorrelator::lines_along_z(std::vector<Complex>& spectrum, bool inverse) const {
    if (!along_z_) return;
    const std::int64_t step = half_ * shape_.padded[1];
#pragma omp parallel num_threads(threads_)
    {
        std::vector<Complex> buffer;
#pragma omp for schedule(static)
        for (std::int64_t y = 0; y < shape_.padded[1]; ++y)
            for (std::int64_t x = 0; x < half_; x += kColumns)
                along_z_->run(spectrum.data() + y * half_ + x, std::min(kColumns, half_ - x), step, inverse, buffer);
    }
}

void CpuCorrelator::transform(std::span<const float> values, const Triple& n, std::vector<Complex>& spectrum) const {
    rows_forward(values, n, spectrum);
    std::vector<std::int64_t> planes;
    for (std::int64_t z = 0; z < n[2]; ++z) planes.push_back(z);
    lines_along_y(spectrum, planes, false);
    lines_along_z(spectrum, false);
}

void CpuCorrelator::inverse() {
    const auto along_x = wrapped_lags(shape_, 0), along_y = wrapped_lags(shape_, 1), along_z = wrapped_lags(shape_, 2);
    lines_along_z(spectrum_, true);
    lines_along_y(spectrum_, along_z, true);
    const Triple& count = shape_.lags.count;
#pragma omp parallel num_threads(threads_)
    {
        std::vector<double> series(static_cast<std::size_t>(shape_.padded[0]));
        std::vector<Complex> line(static_cast<std::size_t>(half_));
#pragma omp for schedule(static)
        for (std::int64_t row = 0; row < count[1] * count[2]; ++row) {
            const std::int64_t y = along_y[static_cast<std::size_t>(row % count[1])],
                               z = along_z[static_cast<std::size_t>(row / count[1])];
            std::copy_n(spectrum_.data() + (z * shape_.padded[1] + y) * half_, half_, line.begin());
            along_x_.inverse(line, series);
            for (std::int64_t i = 0; i < count[0]; ++i)
                lags_[static_cast<std::size_t>(row * count[0] + i)] =
                    series[static_cast<std::size_t>(along_x[static_cast<std::size_t>(i)])];
        }
    }
}

}  // namespace

std::unique_ptr<Correlator> make_cpu_correlator(const CorrelationShape& shape, int threads, int) {
    return std::make_unique<CpuCorrelator>(shape, threads);
}

}  // namespace onda
