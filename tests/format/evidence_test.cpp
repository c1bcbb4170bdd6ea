// The evidence that decrypted bytes are the beginning of a file.
#include "fugu/format/judge/evidence.hpp"

#include "fugu/format/detail/beginnings.hpp"
#include "openssl_files.hpp"
#include "support/many_cases.hpp"
#include "support/testing.hpp"

namespace fugu::format {
namespace {

// By Markov's inequality; a larger share would break every bound that is built on it.
TEST(Evidence, NoiseReachesKBitsOnceInTwoToTheK) {
  std::mt19937_64 random(11);
  const int draws = test::cases(1'000'000);
  const std::array<int, 4> bits{4, 8, 12, 16};
  std::array<int, 4> reached{};
  for (int i = 0; i < draws; ++i) {
    const double found = evidence_bits(random_data(random, 8 + 8 * (random() % 3)));
    ASSERT_GE(found, -2.0);
    for (std::size_t k = 0; k < bits.size(); ++k) reached[k] += found >= bits[k];
  }
  for (std::size_t k = 0; k < bits.size(); ++k) EXPECT_LE(reached[k], draws >> bits[k]) << bits[k];
}

TEST(Evidence, MuchNoiseIsNoEvidenceEither) {
  std::mt19937_64 random(12);
  for (int i = 0; i < 8; ++i) EXPECT_LT(evidence_of(random_data(random, 65536)).going_on[0].all, 16);
}

// A byte that a row leaves open is noise.
TEST(Evidence, ARowIsWorthItsOwnBytesAlone) {
  std::mt19937_64 random(13);
  const auto filled = [&](std::string_view row) {
    Bytes bytes = random_data(random, row.size() + 64);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] != '?') bytes[i] = static_cast<std::byte>(row[i]);
    }
    return bytes;
  };
  for (const auto& [row, says] : kBeginnings) {
    const auto known = row.size() - static_cast<std::size_t>(std::ranges::count(row, '?'));
    EXPECT_LE(evidence_bits(filled(row)), 8 * static_cast<double>(known) + 4) << row;
  }
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
