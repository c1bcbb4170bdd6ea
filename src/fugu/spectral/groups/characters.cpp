#include "fugu/spectral/groups/characters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "fugu/error.hpp"
#include "fugu/spectral/detail/parallel.hpp"

namespace fugu::spectral {
namespace {

constexpr std::uint64_t kMaxOrder = std::numeric_limits<std::int64_t>::max();
constexpr std::uint32_t kMaxModulus = 65536;

[[noreturn]] void refuse_group(std::string_view text) {
  throw Error(Errc::usage, "'" + std::string(text) + "' is not a group; write one like 3^8, 2x3x4 or 2^3x5");
}

std::uint32_t read_number(std::string_view text, std::size_t& at) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (error != std::errc() || value == 0) refuse_group(text);
  at = static_cast<std::size_t>(end - text.data());
  return value;
}

constexpr long double kPi =
    3.141592653589793238462643383279502884L;  // libc++ has the digits of a double only

// `turn` counts eighths of a turn times 1 / L, so that every reflection is exact integer arithmetic; 0 <=
// turn <= 8 L.
template <class T>
std::complex<T> root_at(std::uint64_t turn, std::uint64_t modulus) {
  if (turn > 4 * modulus) return std::conj(root_at<T>(8 * modulus - turn, modulus));
  if (turn > 2 * modulus) {
    const std::complex<T> mirrored = root_at<T>(4 * modulus - turn, modulus);
    return {-mirrored.real(), mirrored.imag()};
  }
  if (turn > modulus) {
    const std::complex<T> mirrored = root_at<T>(2 * modulus - turn, modulus);
    return {mirrored.imag(), mirrored.real()};
  }
  const long double angle = kPi * static_cast<long double>(turn) / (4 * static_cast<long double>(modulus));
  if (turn == modulus) return {static_cast<T>(std::sqrt(0.5L)), static_cast<T>(std::sqrt(0.5L))};
  return {static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle))};
}

// The value that the inner loop writes for an exponent.
template <class T>
std::vector<T> values_of_exponents(std::uint32_t modulus) {
  if constexpr (std::is_integral_v<T>) {
    std::vector<T> values(modulus);
    std::iota(values.begin(), values.end(), T{0});
    return values;
  } else {
    return roots_of_unity<typename T::value_type>(modulus);
  }
}

// The last factors, up to about a thousand columns: their exponents are computed once per row, and every run
// of that many columns is the same run shifted by the exponent of the leading factors.
constexpr std::uint64_t kRunColumns = 1024;

struct Run {
  int first_factor;
  std::size_t columns;
};

Run run_of(const core::DigitSystem& digits) {
  Run run{digits.factors - 1, digits.radix[digits.factors - 1]};
  while (run.first_factor > 0 &&
         std::uint64_t{run.columns} * digits.radix[run.first_factor - 1] <= kRunColumns) {
    --run.first_factor;
    run.columns *= digits.radix[run.first_factor];
  }
  return run;
}

template <class T>
class RowWriter {
 public:
  RowWriter(const core::DigitSystem& digits, const std::vector<T>& values, RowOrder order)
      : digits_(digits), values_(values), order_(order), run_(run_of(digits)), exponents_(run_.columns) {}

  void write(std::uint64_t row, std::uint64_t first_column, std::span<T> out) {
    core::row_weights(digits_, row, order_ == RowOrder::equation1, weights_);
    const std::size_t needed = std::min(run_.columns, out.size());
    for (std::size_t i = 0; i < needed; ++i) {
      const auto z = static_cast<std::size_t>((first_column + i) % run_.columns);
      exponents_[z] = core::exponent_of(digits_, weights_, run_.first_factor, digits_.factors, z);
    }
    std::uint64_t column = first_column;
    for (std::size_t done = 0; done < out.size();) {
      const auto in_run = static_cast<std::size_t>(column % run_.columns);
      const std::size_t count = std::min(run_.columns - in_run, out.size() - done);
      write_run(column / run_.columns, in_run, out.subspan(done, count));
      done += count;
      column += count;
    }
  }

 private:
  void write_run(std::uint64_t high, std::size_t in_run, std::span<T> out) {
    const std::uint32_t shift = core::exponent_of(digits_, weights_, 0, run_.first_factor, high);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::uint32_t e = exponents_[in_run + i] + shift;
      out[i] = values_[e >= digits_.modulus ? e - digits_.modulus : e];
    }
  }

  const core::DigitSystem& digits_;
  const std::vector<T>& values_;
  RowOrder order_;
  Run run_;
  std::vector<std::uint32_t> exponents_;
  std::uint32_t weights_[core::kMaxFactors]{};
};

}  // namespace

CharacterGroup::CharacterGroup(std::span<const std::uint32_t> orders) {
  if (orders.empty() || orders.size() > static_cast<std::size_t>(core::kMaxFactors)) {
    throw Error(Errc::usage, "a group has 1 to " + std::to_string(core::kMaxFactors) + " factors");
  }
  for (const std::uint32_t q : orders) {
    if (q == 0 || q > kMaxModulus || order_ > kMaxOrder / q) {
      throw Error(Errc::usage,
                  "the group is too large: its order must stay below 2^63 and each factor at most 65536");
    }
    order_ *= q;
    const std::uint64_t modulus = std::lcm(std::uint64_t{digits_.modulus}, std::uint64_t{q});
    if (modulus > kMaxModulus) {
      throw Error(Errc::usage, "the least common multiple of the factors is above 65536");
    }
    digits_.modulus = static_cast<std::uint32_t>(modulus);
    digits_.radix[digits_.factors++] = q;
  }
  for (int s = 0; s < digits_.factors; ++s) digits_.weight[s] = digits_.modulus / digits_.radix[s];
}

CharacterGroup CharacterGroup::parse(std::string_view text) {
  std::vector<std::uint32_t> orders;
  for (std::size_t at = 0;;) {
    const std::uint32_t order = read_number(text, at);
    std::uint32_t times = 1;
    if (at < text.size() && text[at] == '^') times = read_number(text, ++at);
    if (times > static_cast<std::uint32_t>(core::kMaxFactors)) times = core::kMaxFactors + 1;
    orders.insert(orders.end(), times, order);
    if (at == text.size()) return CharacterGroup(orders);
    if (text[at] != 'x') refuse_group(text);
    ++at;
  }
}

TableTile whole_table(const CharacterGroup& group) {
  return {0, group.order(), 0, group.order()};
}

std::uint64_t tile_values(const CharacterGroup& group, const TableTile& tile) {
  const std::uint64_t order = group.order();
  if (tile.first_row > order || tile.rows > order - tile.first_row || tile.first_column > order ||
      tile.columns > order - tile.first_column) {
    throw Error(Errc::usage, "the requested part is not inside the table of " + std::to_string(order) +
                                 " by " + std::to_string(order));
  }
  if (tile.columns != 0 && tile.rows > kMaxOrder / tile.columns) {
    throw Error(Errc::usage, std::to_string(tile.rows) + " by " + std::to_string(tile.columns) +
                                 " values are more than any memory holds");
  }
  return tile.rows * tile.columns;
}

template <class T>
std::vector<std::complex<T>> roots_of_unity(std::uint32_t modulus) {
  std::vector<std::complex<T>> roots(modulus);
  for (std::uint32_t k = 0; k < modulus; ++k) roots[k] = root_at<T>(8 * std::uint64_t{k}, modulus);
  return roots;
}

template <class T>
void character_table(const CharacterGroup& group, const TableTile& tile, std::span<T> out, RowOrder order,
                     unsigned threads) {
  const std::uint64_t values = tile_values(group, tile);
  if (out.size() != values) {
    throw Error(Errc::usage, "the part has " + std::to_string(values) + " values, the output room for " +
                                 std::to_string(out.size()));
  }
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    if (group.modulus() > 256) throw Error(Errc::usage, "exponents modulo more than 256 need 16 bits");
  }
  if (values == 0) return;
  const std::vector<T> table = values_of_exponents<T>(group.modulus());
  const auto rows = static_cast<std::size_t>(tile.rows);
  const auto columns = static_cast<std::size_t>(tile.columns);
  const std::size_t grain = std::max<std::size_t>(1, 65536 / columns);
  const detail::Workers workers(threads, nullptr);
  workers.for_ranges(rows, grain, [&](std::size_t first, std::size_t last) {
    RowWriter<T> writer(group.digits(), table, order);
    for (std::size_t row = first; row < last; ++row) {
      writer.write(tile.first_row + row, tile.first_column, out.subspan(row * columns, columns));
    }
  });
}

template std::vector<std::complex<float>> roots_of_unity<float>(std::uint32_t);
template std::vector<std::complex<double>> roots_of_unity<double>(std::uint32_t);
#define FUGU_INSTANTIATE(T) \
  template void character_table(const CharacterGroup&, const TableTile&, std::span<T>, RowOrder, unsigned);
FUGU_INSTANTIATE(std::uint8_t)
FUGU_INSTANTIATE(std::uint16_t)
FUGU_INSTANTIATE(std::complex<float>)
FUGU_INSTANTIATE(std::complex<double>)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral
