// Compares hexadecimal digits with the `xxd` program.
#include "fugu/stream/hex.hpp"

#include <cstdlib>

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
  return to_text(read_file(scratch.path("out")));
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
    EXPECT_EQ(run_xxd(scratch, to_bytes(kHex.encode(plain, TextLines::single)), "-r -p"), to_text(plain))
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

TEST(Hex, WhiteSpaceMayStandAnywhere) {
  EXPECT_EQ(to_text(kHex.decode(" 6 6\n\n6\r\nF\t6f\v\f ")), "foo");
  for (const std::size_t step : {1u, 2u, 3u}) EXPECT_EQ(to_text(kHex.decode("6 66 f6f", step)), "foo");
}

}  // namespace
}  // namespace fugu::stream
