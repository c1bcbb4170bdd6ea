// What the tests of spectra share: the transforms by their definitions, in O(N^2), with which every fast
// transform is compared; S-boxes, by a function of x or at random; usage errors; agents of kernels on the
// host.
#pragma once

#include <complex>

#include "fugu/spectral/boolean.hpp"
#include "fugu/spectral/sbox/field.hpp"
#include "fugu/spectral/sbox/sbox.hpp"
#include "fugu/spectral/walsh.hpp"
#include "support/testing.hpp"

namespace fugu::spectral::test {

// Of transforms.
using Types = testing::Types<std::int32_t, std::int64_t, float, double>;

// The instruction sets of this machine.
inline std::vector<Isa> isas() {
  std::vector<Isa> all;
  for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa) all.push_back(static_cast<Isa>(isa));
  return all;
}

inline std::uint32_t parity(std::uint64_t x) {
  return static_cast<std::uint32_t>(std::popcount(x)) % 2;
}

inline int sign(std::uint64_t a, std::uint64_t x) {
  return parity(a & x) == 0 ? 1 : -1;
}

// W(a) = sum over x of (-1)^{a.x} f(x). `Sum` is wide enough for the sums.
template <class Sum, class T>
Sum walsh_coefficient(std::span<const T> f, std::uint64_t a) {
  Sum sum = 0;
  for (std::size_t x = 0; x < f.size(); ++x) sum += static_cast<Sum>(sign(a, x)) * static_cast<Sum>(f[x]);
  return sum;
}

// All W(a), in natural order.
template <class Sum, class T>
std::vector<Sum> walsh_definition(const std::vector<T>& f) {
  std::vector<Sum> spectrum(f.size());
  for (std::size_t a = 0; a < f.size(); ++a) spectrum[a] = walsh_coefficient<Sum>(std::span(f), a);
  return spectrum;
}

// All W(a) again, of sizes that are too large for the sum: H_(4+k) = H_4 x H_k, so it transforms every block
// of 16 values, then every column in the same way.
template <class T>
std::vector<T> walsh_by_factors(const std::vector<T>& f) {
  constexpr std::size_t kSize = 16;
  if (f.size() <= kSize) return walsh_definition<T>(f);
  std::vector<T> expected;
  for (auto block = f.begin(); block != f.end(); block += kSize) {
    const std::vector<T> done = walsh_definition<T>(std::vector<T>(block, block + kSize));
    expected.insert(expected.end(), done.begin(), done.end());
  }
  for (std::size_t column = 0; column < kSize; ++column) {
    std::vector<T> part;
    for (std::size_t i = column; i < f.size(); i += kSize) part.push_back(expected[i]);
    const std::vector<T> done = walsh_by_factors(part);
    for (std::size_t i = 0; i < done.size(); ++i) expected[column + i * kSize] = done[i];
  }
  return expected;
}

// C(s) = sum over x of f(x) g(x ^ s)
template <class Sum, class T>
std::vector<Sum> convolution_definition(const std::vector<T>& f, const std::vector<T>& g) {
  std::vector<Sum> result(f.size());
  for (std::size_t s = 0; s < f.size(); ++s) {
    Sum sum = 0;
    for (std::size_t x = 0; x < f.size(); ++x) sum += static_cast<Sum>(f[x]) * static_cast<Sum>(g[x ^ s]);
    result[s] = sum;
  }
  return result;
}

// Returns whole numbers of at most `magnitude`, the same for the same seed. Floats are whole, too, so that
// sums are exact.
template <class T>
std::vector<T> random_values(std::size_t count, int magnitude, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<T> values(count);
  const std::uint64_t range = 2 * static_cast<std::uint64_t>(magnitude) + 1;
  for (T& value : values) value = static_cast<T>(static_cast<std::int64_t>(generator() % range) - magnitude);
  return values;
}

template <class A, class B>
void expect_near(const std::vector<std::complex<A>>& a, const std::vector<std::complex<B>>& b,
                 double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(a[i].real()), static_cast<double>(b[i].real()), tolerance) << i;
    ASSERT_NEAR(static_cast<double>(a[i].imag()), static_cast<double>(b[i].imag()), tolerance) << i;
  }
}

inline std::vector<std::uint64_t> random_bits(int n, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<std::uint64_t> words(n < 6 ? 1 : std::size_t{1} << (n - 6));
  for (std::uint64_t& word : words) word = generator();
  if (n < 6) words[0] &= (std::uint64_t{1} << (1 << n)) - 1;
  return words;
}

inline TruthTable random_function(int n, std::uint64_t seed) {
  TruthTable table(n);
  table.words() = random_bits(n, seed);
  return table;
}

inline bool bit(const std::vector<std::uint64_t>& words, std::size_t x) {
  return (words[x / 64] >> (x % 64) & 1) != 0;
}

// Computes the stages [first, first + count) one after the other: a, b become a + b, a - b.
template <class T>
std::vector<T> stages(std::vector<T> x, int first, int count) {
  for (int stage = first; stage < first + count; ++stage) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t other = i | std::size_t{1} << stage;
      if (i == other) continue;
      const T a = x[i], b = x[other];
      x[i] = a + b;
      x[other] = a - b;
    }
  }
  return x;
}

// ---- S-boxes ----

// Returns the box whose S(x) is the low bits of value(x).
template <class Value>
SBox box_of(int inputs, int outputs, Value value) {
  const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << outputs) - 1);
  std::vector<std::uint32_t> values(std::size_t{1} << inputs);
  for (std::uint32_t x = 0; x < values.size(); ++x) values[x] = static_cast<std::uint32_t>(value(x)) & mask;
  return {inputs, outputs, std::move(values)};
}

inline SBox random_box(int inputs, int outputs, std::mt19937& random) {
  return box_of(inputs, outputs, [&](std::uint32_t) { return random(); });
}

// Returns the same random box at every call.
inline SBox random_box(int inputs, int outputs) {
  std::mt19937 random(static_cast<unsigned>(inputs + 32 * outputs));
  return random_box(inputs, outputs, random);
}

inline SBox random_permutation(int bits, std::mt19937& random) {
  std::vector<std::uint32_t> values(std::size_t{1} << bits);
  std::iota(values.begin(), values.end(), 0u);
  std::ranges::shuffle(values, random);
  return {bits, bits, std::move(values)};
}

// Returns x -> x^exponent over GF(2^bits).
inline SBox power_box(int bits, std::uint32_t polynomial, std::uint32_t exponent) {
  const BinaryField field(bits, polynomial);
  return box_of(bits, bits, [&](std::uint32_t x) { return field.power(x, exponent); });
}

// Returns the truth tables of the coordinates, one after the other, with 2^bits points each.
inline std::vector<std::uint32_t> coordinate_words(const SBox& box, int bits) {
  const std::size_t words = std::size_t{1} << (bits - 5);
  std::vector<std::uint32_t> result(words * static_cast<std::size_t>(box.outputs()));
  for (std::size_t x = 0; x < std::size_t{1} << bits; ++x) {
    for (int j = 0; j < box.outputs(); ++j)
      result[static_cast<std::size_t>(j) * words + x / 32] |= (box[x % box.size()] >> j & 1) << (x % 32);
  }
  return result;
}

// ---- errors ----

inline std::string usage_error(const std::function<void()>& call) {
  const auto error = fugu::test::error_of(call);
  if (!error) return "no error";
  EXPECT_EQ(error->code(), Errc::usage);
  return error->text();
}

// Of work that is asked to stop.
inline void expect_interrupted(const std::function<void()>& call) {
  EXPECT_EQ(fugu::test::code_of(call), Errc::interrupted);
}

// ---- agents ----

enum class ThreadOrder { upwards, downwards };

// Runs a phase of a kernel's agent: phase(state, thread) for every thread. Every thread of a block completes
// it before any begins the next, as with a barrier. If a phase reads what another thread writes in the same
// phase, its results differ between the two orders.
template <class State, class Phase>
void run_phase(std::vector<State>& threads, ThreadOrder order, Phase phase) {
  const std::size_t count = threads.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t thread = order == ThreadOrder::upwards ? i : count - 1 - i;
    phase(threads[thread], static_cast<unsigned>(thread));
  }
}

}  // namespace fugu::spectral::test

namespace fugu::spectral {
using namespace test;  // NOLINT(google-global-names-in-headers): fugu::spectral::test
}
