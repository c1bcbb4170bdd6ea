// Compares the common part of the text encodings with the test vectors of RFC 4648, section 10.
#include "fugu/stream/detail/text_codec.hpp"

#include "fugu/stream/base64.hpp"
#include "fugu/stream/hex.hpp"
#include "stream/scratch.hpp"

namespace fugu::stream {
namespace {

// Bytes as text and back, in one call or in steps.
struct TextEncoding {
  const char* name;
  std::unique_ptr<Sink> (*encoder)(Sink& inner, TextLines lines);
  std::unique_ptr<Source> (*decoder)(std::unique_ptr<Source> inner);
  DecodedText (*in_memory)(std::string_view text, std::span<std::byte> into) noexcept;

  std::string encode(std::span<const std::byte> bytes, TextLines lines,
                     std::size_t step = std::numeric_limits<std::size_t>::max()) const {
    BytesSink out;
    const std::unique_ptr<Sink> sink = encoder(out, lines);
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(step, bytes.size())))
      sink->write(bytes.first(std::min(step, bytes.size())));
    sink->finish();
    EXPECT_EQ(out.finished, 1);
    return text_of(out.bytes);
  }

  Bytes decode(std::string_view text, std::size_t step = std::size_t{64} * 1024) const {
    return read_all(*decoder(std::make_unique<FaultySource>(bytes_of(text))), step);
  }

  DecodedText decode(std::string_view text, Bytes& into) const {
    into.resize(text.size() + 8);
    const DecodedText decoded = in_memory(text, into);
    into.resize(decoded.bytes);
    return decoded;
  }

  // In one call and in steps.
  void expect_decoded(std::string_view text, const Bytes& plain) const {
    for (const std::size_t step : {1u, 2u, 3u, 100u}) EXPECT_EQ(decode(text, step), plain) << text;
    Bytes into;
    EXPECT_TRUE(decode(text, into)) << text;
    EXPECT_EQ(into, plain) << text;
  }
};

inline constexpr TextEncoding kHex{"hex", hex_encoder, hex_decoder, decode_hex};
inline constexpr TextEncoding kSignedHex{"signed hex", hex_encoder, signed_hex_decoder, decode_signed_hex};
inline constexpr TextEncoding kBase64{"base64", base64_encoder, base64_decoder, decode_base64};

struct Case {
  TextEncoding encoding;
  std::vector<const char*> of_foobar;  // of none, the first letter, the first two and so on
  std::vector<std::pair<const char*, std::string>> damaged;  // text, message
  std::size_t line_bytes;
  const char* stranger;  // the message about a character that is not a digit

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.encoding.name; }
};

constexpr const char* kInsideByte =
    "hexadecimal text ends inside a byte; for a number of Java's BigInteger give ⟦signed-hex⟧";

constexpr const char* kOneSeparator = "separates the digits: one : or - comes between all bytes, or none";
constexpr const char* kStrayBackslash =
    "is a backslash: \\x comes once before all digits, or before each byte";
constexpr const char* kLateX = "is an x: 0x or \\x comes once, before all digits";
constexpr const char* kMixedAlphabets = "is not in the alphabet of the text before it (+ and /, or - and _)";
constexpr const char* kStrayEscape =
    "is in an escape that does not belong to base64 text, or is escaped twice";

std::string character_at(int byte, const char* what) {
  return "character at byte " + std::to_string(byte) + " " + what;
}

const Case kCases[] = {
    {.encoding = kHex,
     .of_foobar = {"", "66", "666f", "666f6f", "666f6f62", "666f6f6261", "666f6f626172"},
     .damaged = {{"666g", "character at byte 3 is not a hexadecimal digit"},
                 {"g666", "character at byte 0 is not a hexadecimal digit"},
                 {"660x66", character_at(3, kLateX)},
                 {"00x66", character_at(2, kLateX)},
                 {"0 x66", character_at(2, kLateX)},
                 {"0x0x66", character_at(3, kLateX)},
                 {"0x66, 0x66",
                  "character at byte 4 separates the digits: take out all but digits and spaces"},
                 {"0x66:66", character_at(4, kOneSeparator)},
                 {"66\\x66", character_at(2, kStrayBackslash)},
                 {"\\x6\\x66", character_at(3, kStrayBackslash)},
                 {"\\x66\\x6666", "character at byte 8 follows a byte without the \\x of the others"},
                 {"\\x6666\\x66", character_at(6, kStrayBackslash)},
                 {"\\x66:66", character_at(4, kOneSeparator)},
                 {"\\u66", character_at(0, kStrayBackslash)},
                 {"66:66-66", character_at(5, kOneSeparator)},
                 {"66:6666", "character at byte 5 follows a byte without the separator of the others"},
                 {"66:66 66", "character at byte 6 follows a byte without the separator of the others"},
                 {"66::66", character_at(3, kOneSeparator)},
                 {"6666:66", character_at(4, kOneSeparator)},
                 {"66:6 6", "character at byte 4 is white space inside a byte"},
                 {"-6666", "character at byte 0 is a minus sign: for a number with a sign give ⟦signed-hex⟧"},
                 {"X66", character_at(0, kLateX)},
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
     .of_foobar = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"},
     .damaged = {{"Zm9v!mFy", "character at byte 4 is not base64"},
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
                 {"Zm9v,Zg==", "character at byte 4 is a comma: take out all but the base64 text"},
                 {"Zm9v\"", "character at byte 4 is a quotation mark: these may only enclose the whole text"},
                 {"\"Zm9v\" Z", "character at byte 7 follows the end of the base64 text"},
                 {"\"Zm9v'",
                  "character at byte 5 is a quotation mark: these may only enclose the whole text"},
                 {"\"Zm9v", "the base64 text has a quotation mark before it but none after it"},
                 {"Zm9v\\t", character_at(5, kStrayEscape)},
                 {"Zm9v%252B", character_at(6, kStrayEscape)},
                 {"Zg%3D\\u003d", "character at byte 5 begins an escape of another kind than the one before"},
                 {"Zg%3", "base64 text ends inside an escape"},
                 {"+_==", character_at(1, kMixedAlphabets)},
                 {"Zm9v--+-", character_at(6, kMixedAlphabets)},
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
  for (std::size_t letters = 0; letters < GetParam().of_foobar.size(); ++letters) {
    const std::string plain = std::string("foobar").substr(0, letters), text = GetParam().of_foobar[letters];
    EXPECT_EQ(encoding_.encode(bytes_of(plain), TextLines::single), text);
    encoding_.expect_decoded(text, bytes_of(plain));
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
  BytesSink broken(10);
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

// Compares Base64 with the `openssl` program.

std::string run(const std::string& program, const Scratch& scratch, const Bytes& input) {
  write_file(scratch.path("in"), input);
  const std::string command = program + " < '" + scratch.path("in") + "' > '" + scratch.path("out") + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return get(scratch.path("out"));
}

TEST(Base64, WritesWhatOpensslWrites) {
  const Scratch scratch;
  for (const std::size_t bytes : std::initializer_list<std::size_t>{0, 1, 2, 3, 47, 48, 49, 95, 96, 97, 1000,
                                                                    1536, 4095, 65535, 200'001}) {
    const Bytes plain = pattern(bytes);
    EXPECT_EQ(kBase64.encode(plain, TextLines::wrapped), run("openssl enc -base64", scratch, plain)) << bytes;
    EXPECT_EQ(kBase64.encode(plain, TextLines::single), run("openssl enc -base64 -A", scratch, plain))
        << bytes;
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
  for (const auto& [text, plain] : spellings) kBase64.expect_decoded(text, bytes_of(plain));
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

// Compares hexadecimal digits with the `xxd` program.

bool has_xxd() {
  return std::system("xxd -v 2> /dev/null") == 0;
}

TEST(Hex, BothWaysWithXxd) {
  FUGU_NEED_PACKAGE(has_xxd(), "there is no xxd program");
  const Scratch scratch;
  for (const std::size_t bytes : {0u, 1u, 29u, 30u, 31u, 59u, 60u, 256u, 65'536u, 200'001u}) {
    const Bytes plain = pattern(bytes);
    const std::string text = run("xxd -p", scratch, plain);
    EXPECT_EQ(kHex.encode(plain, TextLines::wrapped), text) << bytes;
    EXPECT_EQ(kHex.decode(text), plain) << bytes;
    EXPECT_EQ(kHex.decode(run("xxd -p -u -c 7", scratch, plain)), plain) << bytes;
    EXPECT_EQ(run("xxd -r -p", scratch, bytes_of(kHex.encode(plain, TextLines::single))), text_of(plain))
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
        "0x 05c3fe", "X'05\nc3fe'"})
    kHex.expect_decoded(text, plain);
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
