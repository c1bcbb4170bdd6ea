// Expected values: the catalogue of parametrised CRC algorithms (check values of "123456789": CRC-32/BZIP2
// and CRC-32/ISO-HDLC), RFC 1950's Adler-32 of "Wikipedia", RFC 1321.
#include "fugu/format/detail/digests.hpp"

#include "foreign_samples.hpp"
#include "support/testing.hpp"

namespace fugu::format {
namespace {

Bytes sum(const std::string& name, std::string_view text) {
  const auto checksum = make_checksum(name);
  for (const std::byte byte : bytes_of(text)) checksum->update({&byte, 1});
  return checksum->finish();
}

Bytes low_first(std::uint32_t value) {
  Bytes bytes;
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
  return bytes;
}

TEST(Checksum, PublishedValues) {
  EXPECT_EQ(sum("crc32", "123456789"), low_first(0xfc891918));
  EXPECT_EQ(sum("crc32b", "123456789"), low_first(0xcbf43926));
  EXPECT_EQ(sum("adler32", "Wikipedia"), low_first(0x11e60398));
  EXPECT_EQ(sum("md5", "").size(), 16u);
  EXPECT_THROW(make_checksum("tiger"), Error);
}

}  // namespace
}  // namespace fugu::format
