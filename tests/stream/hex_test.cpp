// Hexadecimal digits against RFC 4648's test vectors (section 10) and the `xxd` program.
#include "fugu/stream/hex.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "stream/memory.hpp"
#include "stream/scratch.hpp"

namespace fugu::stream {
namespace {

std::string encode(const Bytes& bytes, TextLines lines, std::size_t step = kNever) {
  MemorySink out;
  const std::unique_ptr<Sink> encoder = hex_encoder(out, lines);
  for (std::size_t at = 0; at < bytes.size(); at += std::min(step, bytes.size() - at)) {
    encoder->write(std::span(bytes).subspan(at, std::min(step, bytes.size() - at)));
  }
  encoder->finish();
  EXPECT_EQ(out.finished, 1);
  return to_text(out.bytes);
}

Bytes decode(std::string_view text, std::size_t step = std::size_t{64} * 1024) {
  return read_all(*hex_decoder(std::make_unique<MemorySource>(to_bytes(text))), step);
}

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

TEST(Hex, Rfc4648Vectors) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "66"},
                                                         {"fo", "666F"},
                                                         {"foo", "666F6F"},
                                                         {"foob", "666F6F62"},
                                                         {"fooba", "666F6F6261"},
                                                         {"foobar", "666F6F626172"}};
  for (const auto& [plain, text] : vectors) {
    EXPECT_EQ(to_text(decode(text)), plain);
    EXPECT_STRCASEEQ(encode(to_bytes(plain), TextLines::single).c_str(), text);
  }
}

TEST(Hex, BothWaysWithXxd) {
  if (!has_xxd()) GTEST_SKIP() << "there is no xxd program";
  const Scratch scratch;
  for (const std::size_t bytes : {0u, 1u, 29u, 30u, 31u, 59u, 60u, 256u, 65'536u, 200'001u}) {
    const Bytes plain = pattern(bytes);
    const std::string text = run_xxd(scratch, plain, "-p");
    EXPECT_EQ(encode(plain, TextLines::wrapped), text) << bytes;
    EXPECT_EQ(decode(text), plain) << bytes;
    EXPECT_EQ(decode(run_xxd(scratch, plain, "-p -u -c 7")), plain) << bytes;
    EXPECT_EQ(run_xxd(scratch, to_bytes(encode(plain, TextLines::single)), "-r -p"), to_text(plain)) << bytes;
  }
}

TEST(Hex, EveryByteInEitherCase) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    char text[3];
    for (const char* format : {"%02x", "%02X"}) {
      std::snprintf(text, sizeof text, format, byte);
      EXPECT_EQ(decode(text), Bytes{static_cast<std::byte>(byte)});
    }
  }
}

TEST(Hex, StepsDoNotShow) {
  const Bytes plain = pattern(70'000);
  for (const TextLines lines : {TextLines::wrapped, TextLines::single}) {
    const std::string text = encode(plain, lines);
    for (const std::size_t step : {1u, 2u, 7u, 29u, 30u, 31u, 1000u}) {
      EXPECT_EQ(encode(plain, lines, step), text) << step;
      EXPECT_EQ(decode(text, step), plain) << step;
    }
  }
}

TEST(Hex, WhiteSpaceMayStandAnywhere) {
  EXPECT_EQ(to_text(decode(" 6 6\n\n6\r\nF\t6f\v\f ")), "foo");
  EXPECT_TRUE(decode(" \r\n\n").empty());
  for (const std::size_t step : {1u, 2u, 3u}) EXPECT_EQ(to_text(decode("6 66 f6f", step)), "foo");
}

TEST(Hex, DamageIsToldWithItsOffset) {
  const std::pair<const char*, const char*> cases[] = {
      {"666g", "character at byte 3 is not a hexadecimal digit"},
      {"g666", "character at byte 0 is not a hexadecimal digit"},
      {"0x66", "character at byte 1 is not a hexadecimal digit"},
      {"66\n\n6-", "character at byte 5 is not a hexadecimal digit"},
      {"66:66", "character at byte 2 is not a hexadecimal digit"},
      {"6", "hexadecimal text ends inside a byte"},
      {"66 6", "hexadecimal text ends inside a byte"},
      {"666f6\n", "hexadecimal text ends inside a byte"},
  };
  for (const auto& [text, what] : cases) {
    for (const std::size_t step : {1u, 2u, 100u}) {
      const Error error = error_of([damaged = text, step] { decode(damaged, step); });
      EXPECT_EQ(error.code(), Errc::damaged) << text;
      EXPECT_EQ(error.text(), what) << text;
    }
  }
}

TEST(Hex, OffsetsCountBeyondTheBuffer) {
  std::string text = encode(pattern(300'000), TextLines::wrapped);
  text[123'456] = '*';
  EXPECT_EQ(error_of([&] { decode(text); }).text(), "character at byte 123456 is not a hexadecimal digit");
}

TEST(Hex, ErrorsOfTheInnerSideComeThrough) {
  MemorySink broken(10);
  const std::unique_ptr<Sink> encoder = hex_encoder(broken, TextLines::wrapped);
  encoder->write(pattern(30));
  EXPECT_EQ(error_of([&] { encoder->finish(); }).text(), "write fault");
  const auto decoder = hex_decoder(std::make_unique<MemorySource>(to_bytes("6666"), 2));
  Bytes into(2);
  EXPECT_EQ(error_of([&] { decoder->read(into); }).text(), "read fault");
}

}  // namespace
}  // namespace fugu::stream
