#include "fugu/spectral/detail/narrow_spectrum.hpp"

#include <limits>
#include <string>

#include "fugu/error.hpp"
#include "fugu/spectral/detail/packed_bits.hpp"
#include "fugu/spectral/detail/walsh_passes.hpp"
#include "fugu/spectral/limits.hpp"

namespace fugu::spectral::detail {
namespace {

constexpr int kMaxColumnStages = 14;
static_assert(1 << kMaxColumnStages <= std::numeric_limits<std::int16_t>::max());  // |W| is at most this
constexpr std::size_t kLineWords = 8;                                              // a cache line of bits
constexpr std::size_t kLinesAtATime = 4;

// Aligned: otherwise every vector store would straddle two lines.
struct alignas(64) TileRow {
  std::int16_t values[kNarrowWidth];
};

// Rows that fit the L2 cache, and enough of them for every thread.
int row_bits_of(int variables, const WalshOptions& options) {
  constexpr int kRowsBits = 5;
  constexpr int kMinRowBits = 14;
  constexpr int kMaxRowBits = kSecondLevelBits<std::int32_t>;
  static_assert(kMaxVariables - kMaxRowBits <= kMaxColumnStages && kRowsBits <= kMaxColumnStages);
  if (limits_of(options).cache_bits == 0) {
    const bool shared = std::size_t{1} << variables >= kParallelValues;
    return shared ? std::clamp(variables - kRowsBits, kMinRowBits, kMaxRowBits) : variables;
  }
  const int narrow = std::max(limits_of(options).cache_bits, std::countr_zero(kNarrowWidth));
  return std::min(variables, std::max(narrow, variables - kMaxColumnStages));
}

}  // namespace

void require_room(const TruthTable& function, std::size_t room) {
  if (room == function.size()) return;
  throw Error(Errc::usage, "the spectrum has " + std::to_string(function.size()) +
                               " values, the output room for " + std::to_string(room));
}

NarrowSpectrum::NarrowSpectrum(const TruthTable& function, const WalshOptions& options,
                               const Workers& workers)
    : function_(function),
      row_bits_(row_bits_of(function.variables(), options)),
      values_(rows() == 1 ? 0 : function.size()) {
  if (rows() > 1) transform_columns(options, workers);
}

// Reads whole cache lines of bits from every row, so that each is fetched from memory once.
void NarrowSpectrum::transform_columns(const WalshOptions& options, const Workers& workers) {
  const NarrowKernels kernels = narrow_kernels(limits_of(options).isa);
  const std::size_t row_words = std::size_t{1} << (row_bits_ - 6);
  const std::size_t line = std::min(kLineWords, row_words);
  const int stages = function_.variables() - row_bits_;
  workers.for_ranges(row_words / line, kLinesAtATime, [&](std::size_t first, std::size_t last) {
    std::vector<std::uint64_t> bits(rows() * line);
    std::vector<TileRow> tile(rows());
    for (std::size_t at = first * line; at < last * line; at += line) {
      for (std::size_t row = 0; row < rows(); ++row)
        std::copy_n(&function_.words()[row * row_words + at], line, &bits[row * line]);
      for (std::size_t word = 0; word < line; ++word) {
        for (std::size_t row = 0; row < rows(); ++row) {
          expand<TableMeans::polarity>(reinterpret_cast<const std::byte*>(&bits[row * line + word]),
                                       std::span<std::int16_t>(tile[row].values));
        }
        kernels.columns(tile.front().values, stages, &values_.span()[(at + word) * 64],
                        std::size_t{1} << row_bits_);
      }
    }
  });
}

void NarrowSpectrum::read_row(std::size_t row, std::span<std::int32_t> out) const {
  if (rows() == 1)
    return spectral::expand(std::as_bytes(std::span(function_.words())), TableMeans::polarity, out);
  std::ranges::copy(values_.span().subspan(row << row_bits_, out.size()), out.begin());
}

}  // namespace fugu::spectral::detail
