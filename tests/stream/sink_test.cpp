// Sinks that do not make files.
#include "fugu/stream/sink.hpp"

#include <csignal>

#include "fugu/stream/dress.hpp"
#include "stream/scratch.hpp"

namespace fugu::stream {
namespace {

std::unique_ptr<Sink> compare_with_text(std::string_view expected) {
  return compare_with(std::make_unique<FaultySource>(bytes_of(expected)));
}

TEST(Sink, FullDeviceIsAnError) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  expect_fails(Errc::io, system_error("write failed", ENOSPC).text(),
               [&] { to_descriptor(full)->write(pattern(1)); });
  EXPECT_EQ(::close(full), 0);
}

TEST(Sink, ClosedDescriptorIsAnErrorAtTheLatestInFinish) {
  EXPECT_EQ(error_of([] { to_descriptor(-1)->write(pattern(1)); }).code(), Errc::io);
  EXPECT_EQ(error_of([] { to_descriptor(-1)->finish(); }).code(), Errc::io);
}

TEST(Sink, FinishLeavesTheDescriptorOpen) {
  const Pipe pipe;
  to_descriptor(pipe.write_end())->finish();
  EXPECT_EQ(::write(pipe.write_end(), "x", 1), 1);
}

// SIGPIPE has its default action here, so a signal would end this process.
TEST(Sink, BrokenPipeRaisesNoSignal) {
  Pipe pipe;
  pipe.close_read_end();
  ASSERT_NE(::signal(SIGPIPE, SIG_DFL), SIG_ERR);
  const Error error = error_of([&] { to_descriptor(pipe.write_end())->write(pattern(1)); });
  EXPECT_EQ(error.code(), Errc::io);
  sigset_t pending;
  ASSERT_EQ(::sigpending(&pending), 0);
  EXPECT_EQ(::sigismember(&pending, SIGPIPE), 0);
  sigset_t mask;
  ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, nullptr, &mask), 0);
  EXPECT_EQ(::sigismember(&mask, SIGPIPE), 0);
}

TEST(Sink, CompareAcceptsWhatIsEqual) {
  const Bytes bytes = pattern(700'000);
  for (const std::size_t step : std::initializer_list<std::size_t>{1000, 262'144, 700'000}) {
    const std::unique_ptr<Sink> sink = compare_with(std::make_unique<FaultySource>(bytes));
    for (std::size_t at = 0; at < bytes.size(); at += step)
      sink->write(std::span(bytes).subspan(at, std::min(step, bytes.size() - at)));
    sink->finish();
  }
  compare_with_text("")->finish();
}

TEST(Sink, CompareNamesTheFirstDifference) {
  Bytes bytes = pattern(700'000);
  const std::unique_ptr<Sink> sink = compare_with(std::make_unique<FaultySource>(bytes));
  bytes[654'321] ^= std::byte{1};
  bytes[699'999] ^= std::byte{1};
  expect_fails(Errc::mismatch, "its plaintext differs at byte 654321", [&] { sink->write(bytes); });
}

TEST(Sink, CompareNamesWhatIsLonger) {
  const std::unique_ptr<Sink> early = compare_with_text("abc");
  early->write(bytes_of("ab"));
  EXPECT_EQ(error_of([&] { early->finish(); }).text(), "ends early at byte 2");
  const std::unique_ptr<Sink> late = compare_with_text("ab");
  expect_fails(Errc::mismatch, "goes on past the expected end at byte 2",
               [&] { late->write(bytes_of("abc")); });
}

TEST(Sink, CompareReportsReadErrorsAsSuch) {
  const std::unique_ptr<Sink> sink = compare_with(std::make_unique<FaultySource>(pattern(10), 5));
  EXPECT_EQ(error_of([&] { sink->write(pattern(10)); }).code(), Errc::io);
}

// The library's memory source and sink.

TEST(Memory, SourceHandsOutEveryByteOnce) {
  const Bytes bytes = pattern(100);
  MemorySource source(bytes);
  EXPECT_EQ(source.size_bytes(), 100u);
  Bytes first(60);
  Bytes rest(60);
  EXPECT_EQ(source.read(first), 60u);
  EXPECT_EQ(source.read(rest), 40u);
  EXPECT_EQ(source.read(rest), 0u);
  EXPECT_EQ(test::joined({first, std::span(rest).first(40)}), bytes);
}

TEST(Memory, SourceLooksWithoutMoving) {
  const Bytes bytes = pattern(20);
  MemorySource source(bytes);
  std::array<std::byte, 8> part{};
  ASSERT_TRUE(source.read_at(part, 12));
  EXPECT_TRUE(std::equal(part.begin(), part.end(), bytes.begin() + 12));
  EXPECT_FALSE(source.read_at(part, 13));
  EXPECT_FALSE(source.read_at(part, ~std::uint64_t{0}));
  Bytes all(21);
  EXPECT_EQ(source.read(all), 20u);
}

TEST(Memory, SinkKeepsWhatIsWritten) {
  const Bytes bytes = pattern(1000);
  MemorySink sink;
  sink.reserve(10);
  for (std::size_t at = 0; at < bytes.size(); at += 100) sink.write(std::span(bytes).subspan(at, 100));
  EXPECT_TRUE(std::ranges::equal(sink.bytes(), bytes));
  EXPECT_EQ(sink.take(), bytes);
  EXPECT_TRUE(sink.bytes().empty());
}

// Dresses of digits: what xxd, hexdump, Python and Java print of these bytes was copied from them.

// Of "\x23\xb1\xd4\x4a\x9b\x14\xb4\xb5\x61\x0a\x00\x7f", by the programs.
const Bytes kBytes = test::bytes_of_hex("23b1d44a9b14b4b5610a007f");

std::string result(std::string_view text, Digits digits = Digits::hex) {
  const Dress* const dress = dress_of(text, digits);
  if (dress == nullptr) return "none";
  Bytes into(text.size() + 8);
  const DecodedText decoded = dress->read(text, into);
  into.resize(decoded.bytes);
  if (!decoded) return std::to_string(decoded.at) + " " + decoded.fault;
  return into == kBytes ? "right" : "other bytes";
}

TEST(Dress, IsReadAsItsProgramPrintsIt) {
  for (const char* text :
       {"[35, -79, -44, 74, -101, 20, -76, -75, 97, 10, 0, 127]",
        "35 177 212 74 155 20 180 181 97 10 0 127",
        "{0x23, 0xb1, 0xd4, 0x4a, 0x9b, 0x14, 0xb4, 0xb5, 0x61, 0x0a, 0x00, 0x7f}",
        "byte[] data = {(byte)0x23, (byte)0xb1, (byte)0xd4, 0x4a, (byte)0x9b, 0x14, (byte)0xb4, (byte)0xb5, "
        "0x61, "
        "0xa, 0x0, 0x7f};",
        "unsigned char d[] = {\n  0x23, 0xb1, 0xd4, 0x4a, 0x9b, 0x14, 0xb4, 0xb5, 0x61, 0x0a, 0x00, "
        "0x7f\n};\n"
        "unsigned int d_len = 12;\n",
        "Data: array[0..11] of Byte = ($23, $B1, $D4, $4A, $9B, $14, $B4, $B5, $61, $0A, $00, $7F);",
        "#35#177#212#74#155#20#180#181#97#10#0#127",
        "#$23#$B1#$D4#$4A#$9B#$14#$B4#$B5#$61#$0A#$00#$7F",
        "&H23, &HB1, &HD4, &H4A, &H9B, &H14, &HB4, &HB5, &H61, &HA, &H0, &H7F",
        "23,b1,d4,4a,9b,14,b4,b5,61,0a,00,7f",
        "['0x23', '0xb1', '0xd4', '0x4a', '0x9b', '0x14', '0xb4', '0xb5', "
        "'0x61', '0xa', '0x0', '0x7f']",
        "b'#\\xb1\\xd4J\\x9b\\x14\\xb4\\xb5a\\n\\x00\\x7f'",
        "bytearray(b'#\\xb1\\xd4J\\x9b\\x14\\xb4\\xb5a\\n\\x00\\x7f')",
        "\"#\\261\\324J\\233\\024\\264\\265a\\n\\0\\177\";",
        "\"#\\xb1\\xd4J\\x9b\" \"\\x14\\xb4\\xb5\"\n\"a\\n\\x00\\x7f\"",
        "\"#\\u00b1\\u00d4J\\u009b\\u0014\\u00b4\\u00b5a\\n\\u0000\\u007f\"",
        "%23%B1%D4J%9B%14%B4%B5a%0A%00%7F",
        "00000000: 23b1 d44a 9b14 b4b5 610a 007f            #..J....a...\n",
        "00000000  23 b1 d4 4a 9b 14 b4 b5  61 0a 00 7f              |#..J....a...|\n0000000c\n",
        "-----BEGIN X-----\nVersion: 1\n\nI7HUSpsUtLVhCgB/\n=njUN\n-----END X-----\n"})
    EXPECT_EQ(result(text), "right") << text;
}

TEST(Dress, PlusIsABlankInUrlsAlone) {
  Bytes into(64);
  const std::string_view url = "%ff%fe+%fd+12345", literal = "b'\\xff\\xfe+\\xfd+12345'";
  for (const auto& [text, blank] : {std::pair(url, ' '), {literal, '+'}}) {
    const DecodedText decoded = dress_of(text, Digits::hex)->read(text, into);
    EXPECT_EQ(decoded.bytes, 10U);
    EXPECT_EQ(into[2], static_cast<std::byte>(blank)) << text;
  }
}

TEST(Dress, DigitsThatAreInNoneStayWithTheirDecoder) {
  for (const char* text :
       {"", "23b1d44a9b14b4b5610a007f", "23 b1 d4 4a 9b 14 b4 b5", "23 45 67 12 34 56 78 90",
        "23:b1:d4:4a:9b", "0x23b1d44a9b14b4b5", "12, 34", "\\x66\\x6f\\x6f\\x66\\x6f\\x6f\\x66\\x6f",
        "Zm9vYmFy\nZm9vYmFy\n", "Zm9vYmFyZm9v%2BmFy%3D", "Zm9v Zm9v Zm9v Zm9v", "23-45-67-12-34-56-78-90",
        "\\xd07541e9a399887b3bbf", "\\xd0\\x75\\x41\\xe9\\xa3\\x99\\x88\\x7b", "a=%ff%ff%ff1234567",
        "Zm9v+ Zm9", "-36e4a3ced3bcb453"})
    EXPECT_EQ(result(text, Digits::base64), "none") << text;
}

TEST(Dress, BlanksAreJudgedWhereAllIsSeen) {
  const auto split = [](std::size_t first, std::size_t rest) {
    return std::string(first, 'A') + " " + std::string(rest, 'A');
  };
  EXPECT_NE(dress_of(split(600, 39), Digits::base64), nullptr);  // 640 characters: 480 bytes
  EXPECT_EQ(dress_of(split(9'000, 599), Digits::base64), nullptr);
}

TEST(Dress, WhatDoesNotBelongToItIsToldWithItsPlace) {
  const std::string list = "1,2,3,4,5,6,7,128,",
                    line = "00000000: 23b1 d44a 9b14 b4b5 610a 007f 23b1 d44a  #..J....a...#..J\n";
  for (const auto& [text, says] :
       {std::pair(list + "256", "18 is not part of the list of numbers"),
        {"[1,2,3,4,5,6,7,8-9]", "16 is not part of the list of numbers"},
        {list + "x", "18 is not part of the list of numbers"},
        {"[" + list + "9], [" + list + "9]", "20 is not part of the list of numbers"},
        {line + "*\n", "68 stands for lines that are left out: dump all of them, with hexdump -v"},
        {line + "00000020: 23b1\n", "68 begins a line whose offset does not fit: lines are missing"},
        {line + "00000010: 23b1 xyz\n", "68 is not a group of digits of a dump"},
        {"b'\\xff\\xff\\xff\\xff12345\\q'", "23 is not part of text with escaped bytes"},
        {"%ff%ff%ff12345%f", "14 is not part of text with escaped bytes"},
        {"b'\\xff\\xff\\xff\\xff12345' b'x'", "25 is not part of text with escaped bytes"},
        {"-----BEGIN X-----\n\nZm9vYmFyZm9v\n-----END X-----\nmore", "12 text follows the armor"},
        {"-----BEGIN X-----\n\nZm9vYmFyZm9v\n", "12 the armor's last line is missing"}})
    EXPECT_EQ(result(text, Digits::base64), says) << text;
}

}  // namespace
}  // namespace fugu::stream
