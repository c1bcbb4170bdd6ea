// Tables of standards, and families that are computed.
#include "fugu/spectral/sbox/named.hpp"

#include <bit>
#include <charconv>
#include <numeric>
#include <utility>
#include <vector>

#include "fugu/core/splitmix.hpp"
#include "fugu/error.hpp"
#include "fugu/spectral/sbox/detail/cast_tables.hpp"
#include "fugu/spectral/sbox/detail/gf2.hpp"

namespace fugu::spectral {
namespace {

// The tables of FIPS 46, four rows of 16.
constexpr std::string_view kDes[8] = {"e4d12fb83a6c59070f74e2d1a6cb953841e8d62bfc973a50fc8249175b3ea06d",
                                      "f18e6b34972dc05a3d47f28ec01a69b50e7ba4d158c6932fd8a13f42b67c05e9",
                                      "a09e63f51dc7b428d709346a285ecbf1d6498f30b12c5ae71ad069874fe3b52c",
                                      "7de3069a1285bc4fd8b56f03472c1ae9a690cb7df13e52843f06a1d8945bc72e",
                                      "2c417ab6853fd0e9eb2c47d150fa3986421bad78f9c5630eb8c71e2d6f09a453",
                                      "c1af92680d34e75baf427c9561de0b389ef528c3704a1db6432c95fabe17608d",
                                      "4b2ef08d3c975a61d0b7491ae35c2f8614bdc37eaf6805926bd814a7950fe23c",
                                      "d2846fb1a93e50c71fd8a374c56b0e927b419ce206adf35821e74a8dfc90356b"};
constexpr std::string_view kPresent = "c56b90ad3ef84712";
constexpr std::uint32_t kAscon[] = {4,  11, 31, 20, 26, 21, 9,  2,  27, 5,  8, 18, 29, 3,  6,  28,
                                    30, 19, 7,  14, 0,  13, 17, 24, 16, 12, 1, 25, 22, 10, 15, 23};

// For GF(2^1) to GF(2^20) the primitive polynomial with the fewest terms, and among these the smallest
// number.
constexpr std::uint32_t kPolynomials[] = {0x3,    0x7,     0xb,     0x13,    0x25,    0x43,    0x83,
                                          0x11d,  0x211,   0x409,   0x805,   0x1053,  0x201b,  0x402b,
                                          0x8003, 0x1002d, 0x20009, 0x40081, 0x80027, 0x100009};

SBox power_map(int bits, std::uint64_t exponent, std::uint32_t polynomial) {
  std::vector<std::uint32_t> values(std::size_t{1} << bits);
  for (std::uint32_t x = 0; x < values.size(); ++x) {
    std::uint32_t power = exponent == 0 ? 1 : x;
    for (int i = static_cast<int>(std::bit_width(exponent)) - 2; i >= 0; --i) {
      power = detail::field_product(power, power, polynomial, bits);
      if ((exponent >> i & 1) != 0) power = detail::field_product(power, x, polynomial, bits);
    }
    values[x] = power;
  }
  return {bits, bits, std::move(values)};
}

// FIPS 197, 5.1.1: the inverse in GF(2^8), then an affine map.
SBox aes() {
  const SBox inversion = power_map(8, 254, 0x11b);
  std::vector<std::uint32_t> values(256);
  for (std::size_t x = 0; x < values.size(); ++x) {
    const std::uint32_t y = inversion[x] * 0x101;
    values[x] = ((y ^ y >> 4 ^ y >> 5 ^ y >> 6 ^ y >> 7) & 0xff) ^ 0x63;
  }
  return {8, 8, std::move(values)};
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

std::uint32_t digit_value(char digit) {
  return static_cast<std::uint32_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

// The first and last of six bits choose a row, the four between them a column.
SBox des(std::string_view digits) {
  std::vector<std::uint32_t> values(64);
  for (std::size_t x = 0; x < values.size(); ++x) {
    const std::size_t row = (x >> 4 & 2) | (x & 1);
    values[x] = digit_value(digits[16 * row + (x >> 1 & 15)]);
  }
  return {6, 4, std::move(values)};
}

SBox present() {
  std::vector<std::uint32_t> values;
  for (const char digit : kPresent) values.push_back(digit_value(digit));
  return {4, 4, std::move(values)};
}

// The n of "PREFIXn", from 1 to `most`; 0 for any other name.
std::size_t numbered(std::string_view name, std::string_view prefix, std::size_t most) {
  if (name.size() != prefix.size() + 1 || !name.starts_with(prefix)) return 0;
  const auto number = static_cast<std::size_t>(name.back() - '0');
  return number <= most ? number : 0;
}

std::optional<SBox> standard_box(std::string_view name) {
  if (name == "AES") return aes();
  if (name == "PRESENT") return present();
  if (name == "Ascon") return SBox(5, 5, {std::begin(kAscon), std::end(kAscon)});
  if (const std::size_t i = numbered(name, "DES_S", 8); i != 0) return des(kDes[i - 1]);
  if (const std::size_t i = numbered(name, "CAST_S", 8); i != 0) {
    const auto& table = detail::kCastSboxes[i - 1];
    return SBox(8, 32, {std::begin(table), std::end(table)});
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
    throw Error(Errc::usage,
                "the families are chi:N, power:N:D[:0xPOLY], random:N:M:SEED and permutation:N:SEED");
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
      parameters.more() ? parameters.number(top, 2 * top - 1) : kPolynomials[bits - 1];
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
  static constexpr BoxName kNames[] = {
      {"AES", "8 x 8", "FIPS 197"},
      {"DES_S1 to DES_S8", "6 x 4", "FIPS 46"},
      {"PRESENT", "4 x 4", "CHES 2007"},
      {"Ascon", "5 x 5", "Ascon v1.2"},
      {"CAST_S1 to CAST_S8", "8 x 32", "RFC 2144"},
      {"chi:N", "N x N", "y_i = x_i + (x_{i+1} + 1) x_{i+2}"},
      {"power:N:D[:0xPOLY]", "N x N", "x^D in GF(2^N)"},
      {"random:N:M:SEED", "N x M", "splitmix64"},
      {"permutation:N:SEED", "N x N", "splitmix64, Fisher-Yates"},
  };
  return kNames;
}

std::optional<SBox> named_box(std::string_view name) {
  std::optional<SBox> box = standard_box(name);
  return box || name.find(':') == std::string_view::npos ? box : family_box(name);
}

}  // namespace fugu::spectral
