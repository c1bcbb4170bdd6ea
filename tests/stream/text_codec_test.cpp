// Compares the common part of the text encodings with the test vectors of RFC 4648, section 10.
#include "fugu/stream/detail/text_codec.hpp"

#include "stream/text_encoding.hpp"

namespace fugu::stream {
namespace {

struct Case {
  TextEncoding encoding;
  std::vector<std::pair<const char*, const char*>> vectors;  // bytes, and text with the encoder's letter case
  std::vector<std::pair<const char*, const char*>> damaged;  // text, message
  std::size_t line_bytes;
  const char* stranger;  // the message about a character that is not a digit

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.encoding.name; }
};

constexpr const char* kInsideByte =
    "hexadecimal text ends inside a byte; for a number of Java's BigInteger give ⟦signed-hex⟧";

const Case kCases[] = {
    {.encoding = kHex,
     .vectors = {{"", ""},
                 {"f", "66"},
                 {"fo", "666f"},
                 {"foo", "666f6f"},
                 {"foob", "666f6f62"},
                 {"fooba", "666f6f6261"},
                 {"foobar", "666f6f626172"}},
     .damaged =
         {{"666g", "character at byte 3 is not a hexadecimal digit"},
          {"g666", "character at byte 0 is not a hexadecimal digit"},
          {"660x66", "character at byte 3 is an x: 0x or \\x comes once, before all digits"},
          {"00x66", "character at byte 2 is an x: 0x or \\x comes once, before all digits"},
          {"0 x66", "character at byte 2 is an x: 0x or \\x comes once, before all digits"},
          {"0x0x66", "character at byte 3 is an x: 0x or \\x comes once, before all digits"},
          {"0x66, 0x66", "character at byte 4 separates the digits: take out all but digits and spaces"},
          {"0x66:66",
           "character at byte 4 separates the digits: one : or - comes between all bytes, or none"},
          {"66\\x66",
           "character at byte 2 is a backslash: \\x comes once before all digits, or before each byte"},
          {"\\x6\\x66",
           "character at byte 3 is a backslash: \\x comes once before all digits, or before each byte"},
          {"\\x66\\x6666", "character at byte 8 follows a byte without the \\x of the others"},
          {"\\x6666\\x66",
           "character at byte 6 is a backslash: \\x comes once before all digits, or before each byte"},
          {"\\x66:66",
           "character at byte 4 separates the digits: one : or - comes between all bytes, or none"},
          {"\\u66",
           "character at byte 0 is a backslash: \\x comes once before all digits, or before each byte"},
          {"66:66-66",
           "character at byte 5 separates the digits: one : or - comes between all bytes, or none"},
          {"66:6666", "character at byte 5 follows a byte without the separator of the others"},
          {"66:66 66", "character at byte 6 follows a byte without the separator of the others"},
          {"66::66", "character at byte 3 separates the digits: one : or - comes between all bytes, or none"},
          {"6666:66",
           "character at byte 4 separates the digits: one : or - comes between all bytes, or none"},
          {"66:6 6", "character at byte 4 is white space inside a byte"},
          {"-6666", "character at byte 0 is a minus sign: for a number with a sign give ⟦signed-hex⟧"},
          {"X66", "character at byte 0 is an x: 0x or \\x comes once, before all digits"},
          {"X'66'66", "character at byte 5 follows the end of the literal"},
          {"X'66", "the literal X'..' has no closing quote"},
          {"66'", "character at byte 2 is a quotation mark: take out the quotes"},
          {"\"66\"", "character at byte 0 is a quotation mark: take out the quotes"},
          {"66\n\n6.", "character at byte 5 is not a hexadecimal digit"},
          {"66:66:", "hexadecimal text ends after a separator"},
          {" 0x\n", "no digits follow the 0x or \\x"},
          {"\\x", "no digits follow the 0x or \\x"},
          {"66:6", kInsideByte},
          {"6", kInsideByte},
          {"66 6", kInsideByte},
          {"666f6\n", kInsideByte}},
     .line_bytes = 30,
     .stranger = "is not a hexadecimal digit"},
    {.encoding = kBase64,
     .vectors = {{"", ""},
                 {"f", "Zg=="},
                 {"fo", "Zm8="},
                 {"foo", "Zm9v"},
                 {"foob", "Zm9vYg=="},
                 {"fooba", "Zm9vYmE="},
                 {"foobar", "Zm9vYmFy"}},
     .damaged =
         {{"Zm9v!mFy", "character at byte 4 is not base64"},
          {"Zm9vY*Fy", "character at byte 5 is not base64"},
          {"Zm9v\n\nYm.y", "character at byte 8 is not base64"},
          {"=", "character at byte 0 is padding that cannot be here"},
          {"Zm9vY===", "character at byte 5 is padding that cannot be here"},
          {"Zm8=Zm9v", "character at byte 4 follows the end of the base64 text"},
          {"Zm8==", "character at byte 4 follows the end of the base64 text"},
          {"Zg==\nZ", "character at byte 5 follows the end of the base64 text"},
          {"Zg=Z", "character at byte 3 is in the place of a missing '='"},
          {"Zh==", "character at byte 2 follows stray bits"},
          {"Zm9=", "character at byte 3 follows stray bits"},
          {"Zm9v\"", "character at byte 4 is a quotation mark: these may only enclose the whole text"},
          {"\"Zm9v\" Z", "character at byte 7 follows the end of the base64 text"},
          {"\"Zm9v'", "character at byte 5 is a quotation mark: these may only enclose the whole text"},
          {"\"Zm9v", "the base64 text has a quotation mark before it but none after it"},
          {"Zm9v\\t",
           "character at byte 5 is in an escape that does not belong to base64 text, or is escaped twice"},
          {"Zm9v%252B",
           "character at byte 6 is in an escape that does not belong to base64 text, or is escaped twice"},
          {"Zg%3D\\u003d", "character at byte 5 begins an escape of another kind than the one before"},
          {"Zg%3", "base64 text ends inside an escape"},
          {"+_==", "character at byte 1 is not in the alphabet of the text before it (+ and /, or - and _)"},
          {"Zm9v--+-",
           "character at byte 6 is not in the alphabet of the text before it (+ and /, or - and _)"},
          {"Z", "base64 text ends inside a group: it is truncated"},
          {"Zm9vY", "base64 text ends inside a group: it is truncated"},
          {"Zm9vYh", "base64 text ends in stray bits: it is truncated"}},
     .line_bytes = 48,
     .stranger = "is not base64"}};

class TextCodec : public testing::TestWithParam<Case> {
 protected:
  const TextEncoding& encoding_ = GetParam().encoding;
};

TEST_P(TextCodec, Rfc4648Vectors) {
  for (const auto& [plain, text] : GetParam().vectors) {
    EXPECT_EQ(encoding_.encode(bytes_of(plain), TextLines::single), text);
    EXPECT_EQ(text_of(encoding_.decode(text)), plain);
    Bytes into;
    EXPECT_TRUE(encoding_.decode(text, into));
    EXPECT_EQ(text_of(into), plain);
  }
}

TEST_P(TextCodec, StepsDoNotShow) {
  const Bytes plain = pattern(70'000);
  const std::size_t line = GetParam().line_bytes;
  for (const TextLines lines : {TextLines::wrapped, TextLines::single}) {
    const std::string text = encoding_.encode(plain, lines);
    for (const std::size_t step : std::vector<std::size_t>{1, 2, 3, 7, line - 1, line, line + 1, 1000}) {
      EXPECT_EQ(encoding_.encode(plain, lines, step), text) << step;
      EXPECT_EQ(encoding_.decode(text, step), plain) << step;
    }
  }
}

TEST_P(TextCodec, WhiteSpaceAloneIsNothing) {
  EXPECT_TRUE(encoding_.decode(" \r\n\n").empty());
}

TEST_P(TextCodec, DamageIsToldWithItsOffset) {
  for (const auto& [text, what] : GetParam().damaged) {
    for (const std::size_t step : {1u, 2u, 100u}) {
      const Error error = error_of([&, damaged = text] { encoding_.decode(damaged, step); });
      EXPECT_EQ(error.code(), Errc::damaged) << text;
      EXPECT_EQ(error.text(), what) << text;
    }
    Bytes into;
    const DecodedText decoded = encoding_.decode(text, into);
    ASSERT_FALSE(decoded) << text;
    EXPECT_EQ(decoded.at_end ? decoded.fault
                             : "character at byte " + std::to_string(decoded.at) + " " + decoded.fault,
              what);
  }
}

TEST_P(TextCodec, OffsetsCountBeyondTheBuffer) {
  std::string text = encoding_.encode(pattern(300'000), TextLines::wrapped);
  text[123'456] = '*';
  EXPECT_EQ(error_of([&] { encoding_.decode(text); }).text(),
            std::string("character at byte 123456 ") + GetParam().stranger);
}

TEST_P(TextCodec, ErrorsOfTheInnerSideComeThrough) {
  FaultySink broken(10);
  const std::unique_ptr<Sink> encoder = encoding_.encoder(broken, TextLines::wrapped);
  encoder->write(pattern(30));
  EXPECT_EQ(error_of([&] { encoder->finish(); }).text(), "write fault");
  const std::string text = encoding_.encode(pattern(3), TextLines::single);
  const auto decoder = encoding_.decoder(std::make_unique<FaultySource>(bytes_of(text), 2));
  Bytes into(3);
  EXPECT_EQ(error_of([&] { decoder->read(into); }).text(), "read fault");
}

INSTANTIATE_TEST_SUITE_P(Each, TextCodec, testing::ValuesIn(kCases),
                         [](const auto& encoding) { return std::string(encoding.param.encoding.name); });

}  // namespace
}  // namespace fugu::stream
