// Compares hexadecimal digits with the `xxd` program.
#include "fugu/stream/hex.hpp"

#include "stream/scratch.hpp"
#include "stream/text_encoding.hpp"
#include "support/packages.hpp"

namespace fugu::stream {
namespace {

bool has_xxd() {
  return std::system("xxd -v 2> /dev/null") == 0;
}

std::string run_xxd(const Scratch& scratch, const Bytes& bytes, const std::string& arguments) {
  write_file(scratch.path("in"), bytes);
  const std::string command =
      "xxd " + arguments + " '" + scratch.path("in") + "' > '" + scratch.path("out") + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return text_of(read_file(scratch.path("out")));
}

TEST(Hex, BothWaysWithXxd) {
  FUGU_NEED_PACKAGE(has_xxd(), "there is no xxd program");
  const Scratch scratch;
  for (const std::size_t bytes : {0u, 1u, 29u, 30u, 31u, 59u, 60u, 256u, 65'536u, 200'001u}) {
    const Bytes plain = pattern(bytes);
    const std::string text = run_xxd(scratch, plain, "-p");
    EXPECT_EQ(kHex.encode(plain, TextLines::wrapped), text) << bytes;
    EXPECT_EQ(kHex.decode(text), plain) << bytes;
    EXPECT_EQ(kHex.decode(run_xxd(scratch, plain, "-p -u -c 7")), plain) << bytes;
    EXPECT_EQ(run_xxd(scratch, bytes_of(kHex.encode(plain, TextLines::single)), "-r -p"), text_of(plain))
        << bytes;
  }
}

TEST(Hex, EveryByteInEitherCase) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    char text[3];
    for (const char* format : {"%02x", "%02X"}) {
      std::snprintf(text, sizeof text, format, byte);
      EXPECT_EQ(kHex.decode(text), Bytes{static_cast<std::byte>(byte)});
    }
  }
}

// The same bytes in every spelling, whatever parts the text comes in.
TEST(Hex, SpellingsOfOtherPrograms) {
  const Bytes plain = {std::byte{0x05}, std::byte{0xc3}, std::byte{0xfe}};
  for (const std::string_view text :
       {"05c3fe", "0x05c3fe", "0X05C3FE\n", "\\x05c3fe", "\\x05 c3fe", "X'05c3fe'", "x'05C3FE' ", "05:c3:fe",
        "05-C3-FE", "05 c3 fe", " 05:c3:\n    fe\n", "05 : c3 : fe", "\\x05\\xc3\\xfe", "\\x05 \\xc3\n\\xfe",
        "0x 05c3fe", "X'05\nc3fe'"}) {
    for (const std::size_t step : {1u, 2u, 100u}) EXPECT_EQ(kHex.decode(text, step), plain) << text;
    Bytes into;
    EXPECT_TRUE(kHex.decode(text, into)) << text;
    EXPECT_EQ(into, plain) << text;
  }
  EXPECT_EQ(text_of(kHex.decode("\\x66")), "f");
  EXPECT_EQ(text_of(kHex.decode("66")), "f");
  EXPECT_EQ(kHex.decode("00"), Bytes{std::byte{0}});
  EXPECT_EQ(kHex.decode("0x00"), Bytes{std::byte{0}});
}

TEST(Hex, LongSpellingsInParts) {
  const Bytes plain = pattern(100'000);
  std::string escaped;
  std::string separated;
  char text[8];
  for (const std::byte byte : plain) {
    std::snprintf(text, sizeof text, "\\x%02x", std::to_integer<unsigned>(byte));
    escaped += text;
    separated += (separated.empty() ? "" : "-") + std::string(text + 2);
  }
  for (const std::size_t step : {1000u, 65'536u}) {
    EXPECT_EQ(kHex.decode(escaped, step), plain);
    EXPECT_EQ(kHex.decode(separated, step), plain);
  }
}

// new BigInteger(bytes).toString(16) of Java: values of the class's documentation, computed by hand.
TEST(SignedHex, NumbersWithASign) {
  const auto decode = [](std::string_view text) {
    Bytes into;
    EXPECT_TRUE(kSignedHex.decode(text, into)) << text;
    EXPECT_EQ(kSignedHex.decode(text), into) << text;
    return kHex.encode(into, TextLines::single);
  };
  EXPECT_EQ(decode("1"), "0000000000000001");
  EXPECT_EQ(decode("-1"), "ffffffffffffffff");
  EXPECT_EQ(decode("-80"), "ffffffffffffff80");
  EXPECT_EQ(decode("-8000000000000000"), "8000000000000000");
  EXPECT_EQ(decode("7fffffffffffffff\r\n"), "7fffffffffffffff");
  EXPECT_EQ(decode("-10000000000000000"), "ffffffffffffffff0000000000000000");
  EXPECT_EQ(decode("abc0123456789ABCDEF"), "0000000000000abc0123456789abcdef");
  EXPECT_EQ(decode("ffffffffffffffff"), "ffffffffffffffff");
  EXPECT_EQ(decode("0"), "0000000000000000");
  EXPECT_EQ(decode(" \n"), "");
}

TEST(SignedHex, AnythingElseIsDamage) {
  const std::pair<const char*, const char*> damaged[] = {
      {"-", "a minus sign without digits"},
      {"--1", "character at byte 1 is not a hexadecimal digit"},
      {" 12 34", "character at byte 3 is not a hexadecimal digit"},
      {"+12", "character at byte 0 is not a hexadecimal digit"},
      {"0x12", "character at byte 1 is not a hexadecimal digit"},
      {"-0", "character at byte 0 is the sign of a number that does not fit its bytes"},
      {"-8000000000000001", "character at byte 0 is the sign of a number that does not fit its bytes"},
      {" -ffffffffffffffff", "character at byte 1 is the sign of a number that does not fit its bytes"},
      {"123-", "character at byte 3 is not a hexadecimal digit"}};
  for (const auto& [text, what] : damaged)
    EXPECT_EQ(error_of([&, number = text] { kSignedHex.decode(number); }).text(), what) << text;
}

TEST(SignedHex, NumbersHaveALimit) {
  const std::string digits((std::size_t{16} << 20) + 1, '1');
  EXPECT_EQ(error_of([&] { kSignedHex.decode(digits); }).text(),
            "the text has more than 16 Mi characters, too many for this spelling");
}

}  // namespace
}  // namespace fugu::stream
