// Base64 against RFC 4648's test vectors (section 10) and the `openssl` program.
#include "fugu/stream/base64.hpp"

#include <gtest/gtest.h>
#include <stdio.h>  // popen

#include <fstream>
#include <random>

#include "stream/memory.hpp"
#include "stream/scratch.hpp"

namespace fugu::stream {
namespace {

std::string encode(const Bytes& bytes, TextLines lines, std::size_t step = kNever) {
  MemorySink out;
  const std::unique_ptr<Sink> encoder = base64_encoder(out, lines);
  for (std::size_t at = 0; at < bytes.size(); at += std::min(step, bytes.size() - at)) {
    encoder->write(std::span(bytes).subspan(at, std::min(step, bytes.size() - at)));
  }
  encoder->finish();
  EXPECT_EQ(out.finished, 1);
  return to_text(out.bytes);
}

Bytes decode(std::string_view text, std::size_t step = std::size_t{64} * 1024) {
  return read_all(*base64_decoder(std::make_unique<MemorySource>(to_bytes(text))), step);
}

std::string run_openssl(const Scratch& scratch, const Bytes& bytes, const std::string& arguments) {
  const std::string in = scratch.path("in");
  const std::string out = scratch.path("out");
  write_file(in, bytes);
  const std::string command = "openssl enc -base64 " + arguments + " -in '" + in + "' -out '" + out + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return to_text(read_file(out));
}

TEST(Base64, Rfc4648Vectors) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, text] : vectors) {
    EXPECT_EQ(encode(to_bytes(plain), TextLines::single), text);
    EXPECT_EQ(to_text(decode(text)), plain);
  }
}

TEST(Base64, EveryByteAndCharacter) {
  Bytes all(256);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::byte>(i);
  const Scratch scratch;
  EXPECT_EQ(encode(all, TextLines::single), run_openssl(scratch, all, "-A"));
}

TEST(Base64, WritesWhatOpensslWrites) {
  const Scratch scratch;
  for (const std::size_t bytes : std::initializer_list<std::size_t>{0, 1, 2, 3, 47, 48, 49, 95, 96, 97, 1000,
                                                                    1536, 4095, 65535, 200'001}) {
    const Bytes plain = pattern(bytes);
    EXPECT_EQ(encode(plain, TextLines::wrapped), run_openssl(scratch, plain, "")) << bytes;
    EXPECT_EQ(encode(plain, TextLines::single), run_openssl(scratch, plain, "-A")) << bytes;
  }
}

TEST(Base64, ReadsWhatOpensslWrites) {
  const Scratch scratch;
  for (const std::size_t bytes : std::initializer_list<std::size_t>{1, 2, 3, 48, 49, 100'000}) {
    const Bytes plain = pattern(bytes);
    EXPECT_EQ(decode(run_openssl(scratch, plain, "")), plain) << bytes;
    EXPECT_EQ(decode(run_openssl(scratch, plain, "-A")), plain) << bytes;
  }
}

TEST(Base64, OpensslReadsWhatIsWritten) {
  const Scratch scratch;
  for (const std::size_t bytes : std::initializer_list<std::size_t>{1, 2, 3, 47, 48, 49, 100'000}) {
    const Bytes plain = pattern(bytes);
    const Bytes text = to_bytes(encode(plain, TextLines::wrapped));
    EXPECT_EQ(run_openssl(scratch, text, "-d"), to_text(plain)) << bytes;
  }
}

TEST(Base64, StepsDoNotShow) {
  const Bytes plain = pattern(70'000);
  for (const TextLines lines : {TextLines::wrapped, TextLines::single}) {
    const std::string text = encode(plain, lines);
    for (const std::size_t step : std::initializer_list<std::size_t>{1, 2, 3, 7, 47, 48, 49, 1000}) {
      EXPECT_EQ(encode(plain, lines, step), text) << step;
      EXPECT_EQ(decode(text, step), plain) << step;
    }
  }
}

TEST(Base64, AnyLineLengthAndWhiteSpace) {
  const Bytes plain = pattern(501);
  const std::string text = encode(plain, TextLines::single);
  for (const std::string_view space : {"\n", "\r\n", " ", "\t\v\f", "\n\n\n"}) {
    for (const std::size_t length : std::initializer_list<std::size_t>{1, 2, 3, 5, 76, 400}) {
      std::string broken(space);
      for (std::size_t at = 0; at < text.size(); at += length) {
        broken += text.substr(at, length);
        broken += space;
      }
      EXPECT_EQ(decode(broken), plain) << length;
    }
  }
  EXPECT_EQ(to_text(decode("Z\ng\n=\n=\n")), "f");
}

TEST(Base64, EmptyAndWhiteSpaceAloneAreNothing) {
  EXPECT_TRUE(decode("").empty());
  EXPECT_TRUE(decode(" \r\n\n").empty());
}

TEST(Base64, DamageIsToldWithItsOffset) {
  const std::pair<const char*, const char*> cases[] = {
      {"Zm9v!mFy", "character at byte 4 is not base64"},
      {"Zm9vY-Fy", "character at byte 5 is not base64"},
      {"Zm9v\n\nYm_y", "character at byte 8 is not base64"},
      {"=", "character at byte 0 is padding that cannot stand here"},
      {"Zm9vY===", "character at byte 5 is padding that cannot stand here"},
      {"Zm8=Zm9v", "character at byte 4 follows the end of the base64 text"},
      {"Zm8==", "character at byte 4 follows the end of the base64 text"},
      {"Zg==\nZ", "character at byte 5 follows the end of the base64 text"},
      {"Zg=Z", "character at byte 3 stands where '=' is missing"},
      {"Zh==", "character at byte 2 follows stray bits"},
      {"Zm9=", "character at byte 3 follows stray bits"},
      {"Z", "base64 text ends inside a group"},
      {"Zm9vYg", "base64 text ends inside a group"},
      {"Zm9vYg=", "base64 text ends inside a group"},
      {"Zm9vYg=\n", "base64 text ends inside a group"},
  };
  for (const auto& [text, what] : cases) {
    const Error error = error_of([damaged = text] { decode(damaged); });
    EXPECT_EQ(error.code(), Errc::damaged) << text;
    EXPECT_EQ(error.text(), what) << text;
  }
}

TEST(Base64, OffsetsCountBeyondTheBuffer) {
  std::string text = encode(pattern(300'000), TextLines::wrapped);
  text[123'456] = '*';
  EXPECT_EQ(error_of([&] { decode(text); }).text(), "character at byte 123456 is not base64");
}

TEST(Base64, ErrorsOfTheInnerSideComeThrough) {
  MemorySink broken(10);
  const std::unique_ptr<Sink> encoder = base64_encoder(broken, TextLines::wrapped);
  encoder->write(pattern(30));
  EXPECT_EQ(error_of([&] { encoder->finish(); }).text(), "write fault");
  const auto decoder = base64_decoder(std::make_unique<MemorySource>(to_bytes("Zm9v"), 2));
  Bytes into(3);
  EXPECT_EQ(error_of([&] { decoder->read(into); }).text(), "read fault");
}

}  // namespace
}  // namespace fugu::stream
