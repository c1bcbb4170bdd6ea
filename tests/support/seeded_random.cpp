// Salts and keys of a test come from a seed, so that a test that passed goes on passing: what a judge makes
// of noise depends on the noise. FUGU_TEST_SEED names another, to look for the tests that hold for most seeds
// alone.

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/rand.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

std::uint64_t seed() {
  const char* given = std::getenv("FUGU_TEST_SEED");
  return given ? std::strtoull(given, nullptr, 10) : 1;
}

// splitmix64: Steele, Lea and Flood, OOPSLA 2014.
std::uint64_t drawn() {
  constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;
  static std::atomic<std::uint64_t> state = seed() << 32;
  std::uint64_t z = state.fetch_add(kStep) + kStep;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

int fill(unsigned char* out, int bytes) {
  for (int i = 0; i < bytes; ++i) out[i] = static_cast<unsigned char>(drawn());
  return 1;
}

int ready() {
  return 1;
}

const RAND_METHOD kSeeded{nullptr, fill, nullptr, nullptr, fill, ready};
[[maybe_unused]] const int kSet = RAND_set_rand_method(&kSeeded);

}  // namespace
