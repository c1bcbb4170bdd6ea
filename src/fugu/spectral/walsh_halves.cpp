// The transform of 16-bit floats, which become floats for as long as they are worked on.
#include <algorithm>

#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/detail/parallel.hpp"
#include "fugu/spectral/detail/walsh_kernels.hpp"
#include "fugu/spectral/limits.hpp"
#include "fugu/spectral/walsh.hpp"

namespace fugu::spectral {
namespace {

constexpr std::size_t kValuesAtATime = std::size_t{1} << 15;  // as floats, they fit in a second-level cache

template <class T>
class HalfRows {
 public:
  HalfRows(std::span<const T> in, std::span<T> out, int log2_size, double scale, const WalshOptions& options)
      : in_(in),
        out_(out),
        log2_size_(log2_size),
        factor_(static_cast<float>(scale)),
        options_(options),
        workers_(options, in.size()),
        kernels_(detail::half_kernels<T>(limits_of(options).isa)) {}

  bool transform() {
    const std::size_t row = std::size_t{1} << log2_size_;
    in_.size() >> log2_size_ >= workers_.threads() ? by_rows(row) : by_values(row);
    return !exceeded_;
  }

 private:
  // Each thread has rows of its own.
  void by_rows(std::size_t row) {
    const std::size_t rows_at_a_time = std::max<std::size_t>(1, kValuesAtATime / row);
    WalshOptions options = options_;
    options.threads = 1;
    options.pool = nullptr;
    workers_.for_ranges(in_.size() / row, rows_at_a_time, [&](std::size_t first, std::size_t last) {
      std::vector<float> wide(std::min(rows_at_a_time, last - first) * row);
      std::vector<std::uint8_t> finite(wide.size() / row);
      for (std::size_t at = first * row; at < last * row; at += wide.size()) {
        const std::size_t rows = std::min(wide.size(), last * row - at) / row;
        for (std::size_t i = 0; i < rows; ++i)
          finite[i] = kernels_.widen(&in_[at + i * row], &wide[i * row], row);
        walsh(std::span(wide).first(rows * row), log2_size_, options);
        for (std::size_t i = 0; i < rows; ++i)
          if (!kernels_.round(&wide[i * row], factor_, &out_[at + i * row], row) && finite[i] != 0)
            exceeded_ = true;
      }
    });
  }

  // All threads work on one row.
  void by_values(std::size_t row) {
    std::vector<float> wide(row);
    for (std::size_t at = 0; at < in_.size(); at += row) {
      std::atomic<bool> finite = true, fits = true;
      workers_.for_ranges(row, kValuesAtATime, [&](std::size_t first, std::size_t last) {
        if (!kernels_.widen(&in_[at + first], &wide[first], last - first)) finite = false;
      });
      walsh(std::span(wide), log2_size_, options_);
      workers_.for_ranges(row, kValuesAtATime, [&](std::size_t first, std::size_t last) {
        if (!kernels_.round(&wide[first], factor_, &out_[at + first], last - first)) fits = false;
      });
      if (finite && !fits) exceeded_ = true;
    }
  }

  std::span<const T> in_;
  std::span<T> out_;
  int log2_size_;
  float factor_;
  const WalshOptions& options_;
  detail::Workers workers_;
  detail::HalfKernels<T> kernels_;
  std::atomic<bool> exceeded_ = false;
};

}  // namespace

template <class T>
bool walsh_halves(std::span<const std::uint16_t> in, std::span<std::uint16_t> out, int log2_size,
                  double scale, const WalshOptions& options) {
  detail::check_rows(out.size(), log2_size);
  if (in.size() != out.size()) throw Error(Errc::usage, "the input and the output differ in size");
  const std::span from(reinterpret_cast<const T*>(in.data()), in.size());
  const std::span to(reinterpret_cast<T*>(out.data()), out.size());
  return HalfRows<T>(from, to, log2_size, scale, options).transform();
}

template bool walsh_halves<core::Float16>(std::span<const std::uint16_t>, std::span<std::uint16_t>, int,
                                          double, const WalshOptions&);
template bool walsh_halves<core::Bfloat16>(std::span<const std::uint16_t>, std::span<std::uint16_t>, int,
                                           double, const WalshOptions&);

}  // namespace fugu::spectral
