// Compares Base64 with the `openssl` program.
#include "fugu/stream/base64.hpp"

#include "stream/scratch.hpp"
#include "stream/text_encoding.hpp"

namespace fugu::stream {
namespace {

std::string run_openssl(const Scratch& scratch, const Bytes& bytes, const std::string& arguments) {
  const std::string in = scratch.path("in");
  const std::string out = scratch.path("out");
  write_file(in, bytes);
  const std::string command = "openssl enc -base64 " + arguments + " -in '" + in + "' -out '" + out + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return text_of(read_file(out));
}

TEST(Base64, WritesWhatOpensslWrites) {
  const Scratch scratch;
  for (const std::size_t bytes : std::initializer_list<std::size_t>{0, 1, 2, 3, 47, 48, 49, 95, 96, 97, 1000,
                                                                    1536, 4095, 65535, 200'001}) {
    const Bytes plain = pattern(bytes);
    EXPECT_EQ(kBase64.encode(plain, TextLines::wrapped), run_openssl(scratch, plain, "")) << bytes;
    EXPECT_EQ(kBase64.encode(plain, TextLines::single), run_openssl(scratch, plain, "-A")) << bytes;
  }
}

TEST(Base64, AnyLineLengthAndWhiteSpace) {
  const Bytes plain = pattern(501);
  const std::string text = kBase64.encode(plain, TextLines::single);
  for (const std::string_view space : {"\n", "\r\n", " ", "\t\v\f", "\n\n\n"}) {
    for (const std::size_t length : std::initializer_list<std::size_t>{1, 2, 3, 5, 76, 400}) {
      std::string broken(space);
      for (std::size_t at = 0; at < text.size(); at += length) {
        broken += text.substr(at, length);
        broken += space;
      }
      EXPECT_EQ(kBase64.decode(broken), plain) << length;
    }
  }
  EXPECT_EQ(text_of(kBase64.decode("Z\ng\n=\n=\n")), "f");
}

// "foobar>?" and its end, as RFC 4648 and Python's base64 write it.
TEST(Base64, SpellingsOfOtherPrograms) {
  const std::pair<const char*, const char*> spellings[] = {{"Zm9vYg==", "foob"},
                                                           {"Zm9vYg", "foob"},
                                                           {"Zm9vYg=", "foob"},
                                                           {"Zm9vYmE", "fooba"},
                                                           {"\"Zm9vYg\"", "foob"},
                                                           {"'Zm9vYg=='\n", "foob"},
                                                           {"\"\"", ""},
                                                           {" \"Zm9v\nYg\" ", "foob"},
                                                           {"Zm9vYg%3D%3d", "foob"},
                                                           {"Pj4-Pz8_", ">>>???"},
                                                           {"Pj4+Pz8/", ">>>???"},
                                                           {"Pj4%2BPz8%2F", ">>>???"},
                                                           {"Pj4+Pz8\\/", ">>>???"},
                                                           {"\"Pj4\\u002BPz8\\u002f\"", ">>>???"},
                                                           {"Zm9v%0AYg%3D%3D%0D%0A", "foob"},
                                                           {"\"Zm9v\\nYg==\\n\"", "foob"},
                                                           {"Zm9v\\r\\nYg", "foob"},
                                                           {"Pz8_", "?\?\?"},
                                                           {"Zg%3D=", "f"}};
  for (const auto& [text, plain] : spellings) {
    for (const std::size_t step : {1u, 2u, 3u, 100u})
      EXPECT_EQ(text_of(kBase64.decode(text, step)), plain) << text;
    Bytes into;
    EXPECT_TRUE(kBase64.decode(text, into)) << text;
    EXPECT_EQ(text_of(into), plain) << text;
  }
}

TEST(Base64, UrlAlphabetOfAnySize) {
  const Bytes plain = pattern(70'000);
  std::string text = kBase64.encode(plain, TextLines::single);
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  text.erase(text.find_last_not_of('=') + 1);
  for (const std::size_t step : {7u, 1000u, 65'536u}) EXPECT_EQ(kBase64.decode(text, step), plain);
}

// What stands before a truncated end is known.
TEST(Base64, WritesTheBytesBeforeAFault) {
  Bytes into;
  EXPECT_FALSE(kBase64.decode("Zm9vY", into));
  EXPECT_EQ(text_of(into), "foo");
  EXPECT_FALSE(kBase64.decode("Zm9vYh", into));
  EXPECT_EQ(text_of(into), "foob");
}

}  // namespace
}  // namespace fugu::stream
