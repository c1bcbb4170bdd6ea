// The evidence that decrypted bytes are the beginning of a file.
#include "fugu/format/judge/evidence.hpp"

#include <gtest/gtest.h>

#include "openssl_files.hpp"

namespace fugu::format {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): fugu::format::testing

// By Markov's inequality, noise has a mean likelihood ratio of at most 1; a larger one would break every
// bound that is built on it. Rare large values dominate such a mean, so the test counts the tail itself.
TEST(Evidence, NoiseIsNotPlausible) {
  std::mt19937_64 random(11);
  int above_four = 0;
  int above_eight = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double bits = evidence_bits(random_data(random, 1 + random() % 16));
    EXPECT_GE(bits, -2.0);
    above_four += bits > 4;
    above_eight += bits > 8;
  }
  EXPECT_LE(above_four, kDraws / 16);
  EXPECT_LE(above_eight, kDraws / 256);
}

TEST(Evidence, FilesArePlausible) {
  EXPECT_GT(evidence_bits(text(64)), 64);
  EXPECT_GT(evidence_bits(bytes_of("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")), 24);
  EXPECT_GT(evidence_bits(bytes_of("Съешь же ещё этих мягких французских булок")), 16);
  EXPECT_GT(evidence_bits(Bytes(64)), 64) << "a disk image";
  EXPECT_GT(evidence_bits(bytes_of("BZh91AY&SY")), 16);
  EXPECT_LT(evidence_bits({}), 1);
}

}  // namespace
}  // namespace fugu::format
