// Tables of standards, and families that are computed.
#include "fugu/spectral/named/named.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include "fugu/core/splitmix.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/sbox/field.hpp"

namespace fugu::spectral {
namespace {

// S-boxes of ciphers and of the literature; vectors/sbox/published.txt has published properties of them.
struct TableRow {
  std::string_view name, size, origin;
  std::string_view digits;  // S(0), S(1), ..., or = and the name of a box that has the same values
};
constexpr TableRow kTables[] = {
#include "fugu/spectral/named/named_boxes.inc"  // made of named_boxes.tsv
};

SBox power_map(int bits, std::uint64_t exponent, std::uint32_t polynomial) {
  const BinaryField field(bits, polynomial);
  std::vector<std::uint32_t> values(std::size_t{1} << bits);
  for (std::uint32_t x = 0; x < values.size(); ++x) values[x] = field.power(x, exponent);
  return {bits, bits, std::move(values)};
}

// Daemen: y_i = x_i + (x_{i+1} + 1) x_{i+2}, indices modulo N.
SBox chi(int bits) {
  std::vector<std::uint32_t> values(std::size_t{1} << bits);
  const auto bit = [&](std::uint32_t x, int i) { return x >> (i % bits) & 1; };
  for (std::uint32_t x = 0; x < values.size(); ++x) {
    for (int i = 0; i < bits; ++i) values[x] |= (bit(x, i) ^ ((bit(x, i + 1) ^ 1) & bit(x, i + 2))) << i;
  }
  return {bits, bits, std::move(values)};
}

SBox random_function(int inputs, int outputs, std::uint64_t seed) {
  core::SplitMix64 random(seed);
  std::vector<std::uint32_t> values(std::size_t{1} << inputs);
  for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random.next() >> (64 - outputs));
  return {inputs, outputs, std::move(values)};
}

SBox random_permutation(int bits, std::uint64_t seed) {
  core::SplitMix64 random(seed);
  std::vector<std::uint64_t> numbers(std::size_t{1} << bits);
  for (std::uint64_t& number : numbers) number = random.next();
  std::vector<std::uint32_t> values(numbers.size());
  std::iota(values.begin(), values.end(), 0u);
  for (std::size_t i = values.size() - 1; i > 0; --i)
    std::swap(values[i], values[static_cast<std::size_t>(numbers[i] % (i + 1))]);
  return {bits, bits, std::move(values)};
}

// "8 x 8" and its values, each of as many hexadecimal digits as the outputs need.
SBox table_box(std::string_view size, std::string_view digits) {
  const auto number = [](std::string_view text) {
    int value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  const int inputs = number(size);
  const int outputs = number(size.substr(size.find('x') + 2));
  const auto width = static_cast<std::size_t>(outputs + 3) / 4;
  std::vector<std::uint32_t> values(digits.size() / width);
  for (std::size_t x = 0; x < values.size(); ++x)
    std::from_chars(&digits[x * width], &digits[x * width] + width, values[x], 16);
  return {inputs, outputs, std::move(values)};
}

// No two names differ in case alone.
std::optional<SBox> standard_box(std::string_view key) {
  for (const TableRow& row : kTables) {
    if (box_key(row.name) != key) continue;
    if (row.digits.starts_with('=')) return standard_box(box_key(row.digits.substr(1)));
    return table_box(row.size, row.digits);
  }
  return std::nullopt;
}

// The parts of "power:8:254:0x11b".
class Parameters {
 public:
  explicit Parameters(std::string_view name) : rest_(name), family_(next()) {}

  std::string_view family() const { return family_; }
  bool more() const { return !rest_.empty(); }

  std::uint64_t number(std::uint64_t least, std::uint64_t most) {
    std::string_view text = next();
    const bool hexadecimal = text.starts_with("0x");
    if (hexadecimal) text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) refuse();
    return value;
  }
  int bits(int most) { return static_cast<int>(number(1, static_cast<std::uint64_t>(most))); }

  [[noreturn]] static void refuse() {
    throw Error(
        Errc::usage,
        "the families are chi:N, power:N:D[:0xPOLY], random:N:M:SEED and permutation:N:SEED, N from 1 to " +
            std::to_string(kMaxInputs) + ", M to " + std::to_string(kMaxOutputs));
  }

 private:
  std::string_view next() {
    const std::size_t end = rest_.find(':');
    const std::string_view part = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    return part;
  }

  std::string_view rest_;
  std::string_view family_;
};

SBox power_of(Parameters& parameters) {
  const int bits = parameters.bits(kMaxInputs);
  const std::uint64_t exponent = parameters.number(0, ~std::uint64_t{0});
  const std::uint64_t top = std::uint64_t{1} << bits;
  const std::uint64_t polynomial =
      parameters.more() ? parameters.number(top, 2 * top - 1) : usual_polynomial(bits);
  return power_map(bits, exponent, static_cast<std::uint32_t>(polynomial));
}

std::optional<SBox> family_box(std::string_view name) {
  constexpr std::uint64_t kAnySeed = ~std::uint64_t{0};
  Parameters parameters(name);
  const std::string_view family = parameters.family();
  std::optional<SBox> box;
  if (family == "chi") {
    box = chi(parameters.bits(kMaxInputs));
  } else if (family == "power") {
    box = power_of(parameters);
  } else if (family == "random") {
    const int inputs = parameters.bits(kMaxInputs);
    const int outputs = parameters.bits(kMaxOutputs);
    box = random_function(inputs, outputs, parameters.number(0, kAnySeed));
  } else if (family == "permutation") {
    const int bits = parameters.bits(kMaxInputs);
    box = random_permutation(bits, parameters.number(0, kAnySeed));
  }
  if (box && parameters.more()) parameters.refuse();
  return box;
}

}  // namespace

std::span<const BoxName> box_names() {
  static const std::vector<BoxName> names = [] {
    std::vector<BoxName> all;
    for (const TableRow& row : kTables) all.push_back({row.name, row.size, row.origin});
    all.insert(all.end(), {{"chi:N", "N x N", "y_i = x_i + (x_{i+1} + 1) x_{i+2}"},
                           {"power:N:D[:0xPOLY]", "N x N", "x^D in GF(2^N)"},
                           {"random:N:M:SEED", "N x M", "splitmix64"},
                           {"permutation:N:SEED", "N x N", "splitmix64, Fisher-Yates"}});
    return all;
  }();
  return names;
}

std::string box_key(std::string_view name) {
  std::string key(name);
  std::ranges::transform(key, key.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return key;
}

std::optional<SBox> named_box(std::string_view name) {
  const std::string key = box_key(name);
  std::optional<SBox> box = standard_box(key);
  return box || key.find(':') == std::string::npos ? box : family_box(key);
}

}  // namespace fugu::spectral
