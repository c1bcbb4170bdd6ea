// Compares CipherStream with the definitions of the modes over OpenSSL's Blowfish, and with OpenSSL's own
// modes.
#include "fugu/engine/registry.hpp"
#include "naive.hpp"
#include "support/testing.hpp"

namespace fugu::mode {
namespace {

using testing::Bytes;
using testing::NaiveEncryption;
using testing::padded;
using testing::pattern;

constexpr std::size_t kLongest = 1040;

// Of which there are fewer under sanitizers: not all beyond some blocks.
std::size_t next_length(std::size_t bytes) {
  return bytes + (bytes < 72 ? 1 : test::step(13));
}

const Bytes& key() {
  static const Bytes bytes = pattern(16);
  return bytes;
}

const cipher::Schedule& schedule() {
  static const cipher::Schedule expanded = [] {
    cipher::Schedule s;
    cipher::expand(key(), s);
    return s;
  }();
  return expanded;
}

engine::Engine& scalar_engine() {
  static const auto engine = engine::make("cpu/scalar");
  return *engine;
}

// Feeds `data` in chunks of `chunk_bytes`.
Bytes run(const Settings& settings, Direction direction, const Bytes& data,
          std::size_t chunk_bytes = 1 << 20) {
  CipherStream stream(scalar_engine(), schedule(), settings, direction);
  Bytes out;
  std::size_t at = 0;
  do {
    const std::size_t bytes = std::min(chunk_bytes, data.size() - at);
    Bytes chunk = test::slice(data, at, at + bytes);
    chunk.resize(bytes + kMaxPaddingBytes);
    at += bytes;
    chunk.resize(stream.process(chunk, bytes, at == data.size()));
    out.insert(out.end(), chunk.begin(), chunk.end());
  } while (at < data.size());
  return out;
}

std::optional<Errc> failure(const Settings& settings, Direction direction, const Bytes& data) {
  return test::code_of([&] { run(settings, direction, data); });
}

struct Case {
  std::string name;
  Settings settings;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

std::vector<Case> every_setting() {
  constexpr std::array<std::byte, 8> kIv{std::byte{0xfe}, std::byte{0xdc}, std::byte{0xba}, std::byte{0x98},
                                         std::byte{0x76}, std::byte{0x54}, std::byte{0x32}, std::byte{0xff}};
  std::vector<Case> cases;
  const auto add = [&](std::string name, Mode mode, Padding padding, ByteOrder counter = ByteOrder::big) {
    cases.push_back({name + "_words_be", {mode, padding, kIv, ByteOrder::big, counter}});
    cases.push_back({name + "_words_le", {mode, padding, kIv, ByteOrder::little, counter}});
  };
  for (const auto& [name, padding] :
       {std::pair{"pkcs7", Padding::pkcs7}, std::pair{"zero", Padding::zero},
        std::pair{"space", Padding::space}, std::pair{"none", Padding::none},
        std::pair{"x923", Padding::x923}, std::pair{"one_and_zeros", Padding::one_and_zeros},
        std::pair{"one_and_zeros_or_none", Padding::one_and_zeros_or_none},
        std::pair{"always_zero", Padding::always_zero}, std::pair{"always_space", Padding::always_space}}) {
    add(std::string("ecb_") + name, Mode::ecb, padding);
    add(std::string("cbc_") + name, Mode::cbc, padding);
    add(std::string("pcbc_") + name, Mode::pcbc, padding);
  }
  const auto add_padded_stream = [&](std::string name, Mode mode, Padding padding) {
    add(std::move(name), mode, padding);
    for (std::size_t i = cases.size() - 2; i < cases.size(); ++i) cases[i].settings.pads_streams = true;
  };
  add_padded_stream("cfb64_padded", Mode::cfb64, Padding::pkcs7);
  add_padded_stream("ofb_padded", Mode::ofb, Padding::x923);
  add_padded_stream("ofb8_padded", Mode::ofb8, Padding::one_and_zeros);
  add_padded_stream("ctr_padded", Mode::ctr, Padding::zero);
  add_padded_stream("cfb8_padded", Mode::cfb8, Padding::pkcs7);
  add("cfb64", Mode::cfb64, Padding::pkcs7);
  add("cfb8", Mode::cfb8, Padding::pkcs7);
  add("ofb", Mode::ofb, Padding::pkcs7);
  add("ofb8", Mode::ofb8, Padding::pkcs7);
  add("ctr_be", Mode::ctr, Padding::pkcs7, ByteOrder::big);
  add("ctr_le", Mode::ctr, Padding::pkcs7, ByteOrder::little);
  return cases;
}

class EverySetting : public ::testing::TestWithParam<Case> {};

bool pads(const Settings& settings) {
  return is_padded(settings.mode) || settings.pads_streams;
}

// A data byte at the end that equals the filler would be taken for padding, so another byte replaces it.
Bytes data_for(const Settings& settings, std::size_t bytes) {
  Bytes data = pattern(bytes);
  if (pads(settings) && !data.empty()) data.back() = std::byte{0xff};
  return data;
}

TEST_P(EverySetting, EveryLengthBothWays) {
  const Settings& settings = GetParam().settings;
  for (std::size_t bytes = 0; bytes <= kLongest; bytes = next_length(bytes)) {
    const Bytes plaintext = data_for(settings, bytes);
    const auto input = pads(settings) ? padded(plaintext, settings.padding) : plaintext;
    if (!input) {
      EXPECT_EQ(failure(settings, Direction::encrypt, plaintext), Errc::usage) << bytes;
      EXPECT_EQ(failure(settings, Direction::decrypt, plaintext), Errc::damaged) << bytes;
      continue;
    }
    const Bytes ciphertext = NaiveEncryption(key(), settings)(*input);
    ASSERT_EQ(run(settings, Direction::encrypt, plaintext), ciphertext) << bytes;
    ASSERT_EQ(run(settings, Direction::decrypt, ciphertext), plaintext) << bytes;
  }
}

TEST_P(EverySetting, ChunksMakeNoDifference) {
  const Settings& settings = GetParam().settings;
  const bool any_length = !pads(settings) || settings.padding != Padding::none;
  const Bytes plaintext = data_for(settings, any_length ? kLongest - 3 : kLongest);
  const Bytes ciphertext =
      NaiveEncryption(key(), settings)(pads(settings) ? *padded(plaintext, settings.padding) : plaintext);
  for (std::size_t chunk_bytes = 8; chunk_bytes <= kLongest; chunk_bytes += 8 * test::step(3)) {
    ASSERT_EQ(run(settings, Direction::encrypt, plaintext, chunk_bytes), ciphertext) << chunk_bytes;
    ASSERT_EQ(run(settings, Direction::decrypt, ciphertext, chunk_bytes), plaintext) << chunk_bytes;
  }
}

INSTANTIATE_TEST_SUITE_P(CipherStream, EverySetting, ::testing::ValuesIn(every_setting()),
                         [](const auto& test) { return test.param.name; });

// The counter begins three blocks before 2^64 in either order. It also wraps between two chunks.
TEST(CipherStream, CounterWraps) {
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
    Settings settings{.mode = Mode::ctr, .counter = order};
    settings.iv.emplace().fill(std::byte{0xff});
    settings.iv->at(order == ByteOrder::big ? 7 : 0) = std::byte{0xfd};
    const Bytes plaintext = pattern(8 * 9 + 5);
    const Bytes ciphertext = NaiveEncryption(key(), settings)(plaintext);
    for (const std::size_t chunk_bytes : {8u, 16u, 24u, 32u, 1024u})
      EXPECT_EQ(run(settings, Direction::encrypt, plaintext, chunk_bytes), ciphertext) << chunk_bytes;
  }
}

// There are more bytes than the scratch memory holds windows for.
TEST(CipherStream, Cfb8DecryptionOutgrowsItsScratch) {
  const Settings settings{.mode = Mode::cfb8, .iv = Iv{}};
  const Bytes plaintext = pattern((std::size_t{1} << 20) + 12345);
  const Bytes ciphertext = run(settings, Direction::encrypt, plaintext);
  const Bytes head(ciphertext.begin(), ciphertext.begin() + 4096);
  EXPECT_EQ(head, NaiveEncryption(key(), settings)(pattern(4096)));
  EXPECT_EQ(run(settings, Direction::decrypt, ciphertext, std::size_t{1} << 24), plaintext);
}

TEST(CipherStream, TakesNoMoreThanTheLastBlock) {
  Settings settings{.mode = Mode::ecb};
  for (const auto& [padding, fill] :
       {std::pair{Padding::zero, std::byte{0}}, std::pair{Padding::space, std::byte{0x20}}}) {
    settings.padding = padding;
    const Bytes ciphertext = NaiveEncryption(key(), settings)(Bytes(16, fill));
    EXPECT_EQ(run(settings, Direction::decrypt, ciphertext), Bytes(8, fill));
  }
}

// DCPcrypt's end of cbc: a rest is combined with the encryption of the ciphertext block before it, or of the
// iv, for which OpenSSL's ecb stands here.
TEST(CipherStream, ResidualBlock) {
  Settings settings;
  settings.padding = Padding::residual;
  settings.iv.emplace().fill(std::byte{0x3c});
  for (std::size_t bytes = 0; bytes < 40; ++bytes) {
    const Bytes plaintext = pattern(bytes);
    const std::size_t whole = bytes - bytes % 8;
    Bytes expected(plaintext.begin(), plaintext.begin() + static_cast<std::ptrdiff_t>(whole));
    auth::ReferenceBlowfish(auth::ReferenceMode::cbc, true, key(), *settings.iv).update(expected, expected);
    Bytes before(settings.iv->begin(), settings.iv->end());
    if (whole != 0) before.assign(expected.end() - 8, expected.end());
    auth::ReferenceBlowfish(auth::ReferenceMode::ecb, true, key()).update(before, before);
    for (std::size_t i = whole; i < bytes; ++i) expected.push_back(plaintext[i] ^ before[i - whole]);
    for (const std::size_t chunk_bytes : {8u, 16u, 1024u}) {
      EXPECT_EQ(run(settings, Direction::encrypt, plaintext, chunk_bytes), expected) << bytes;
      EXPECT_EQ(run(settings, Direction::decrypt, expected, chunk_bytes), plaintext) << bytes;
    }
  }
  settings.mode = Mode::ecb;
  EXPECT_EQ(failure(settings, Direction::decrypt, {}), Errc::usage);
}

TEST(CipherStream, Iso10126IsRandomBeforeItsCount) {
  Settings settings{.mode = Mode::ecb, .padding = Padding::iso10126};
  std::set<Bytes> ends;
  for (std::size_t bytes = 0; bytes < 8; ++bytes) {
    const Bytes ciphertext = run(settings, Direction::encrypt, Bytes(bytes));
    EXPECT_EQ(run(settings, Direction::decrypt, ciphertext), Bytes(bytes));
    settings.padding = Padding::none;
    const Bytes block = run(settings, Direction::decrypt, ciphertext);
    settings.padding = Padding::iso10126;
    ASSERT_EQ(block.size(), 8U);
    EXPECT_EQ(std::to_integer<std::size_t>(block.back()), 8 - bytes);
    ends.insert(Bytes(block.begin(), block.end() - 1));
  }
  EXPECT_GT(ends.size(), 5U);  // those of 4 bytes and more differ but once in 2^32
}

// The last byte counts; x923 wants zeros before it, iso10126 takes anything.
TEST(CipherStream, CountsInTheLastByte) {
  Settings settings{.mode = Mode::ecb};
  const auto size_of = [&](Padding padding, Bytes block) -> std::optional<std::size_t> {
    settings.padding = padding;
    const Bytes ciphertext = NaiveEncryption(key(), settings)(block);
    if (failure(settings, Direction::decrypt, ciphertext) == Errc::wrong_key) return std::nullopt;
    return run(settings, Direction::decrypt, ciphertext).size();
  };
  for (unsigned last = 0; last < 256; ++last) {
    Bytes block(8, std::byte{0x77});
    block.back() = static_cast<std::byte>(last);
    const bool counts = last >= 1 && last <= 8;
    const auto left = counts ? std::optional<std::size_t>(8 - last) : std::nullopt;
    EXPECT_EQ(size_of(Padding::iso10126, block), left) << last;
    EXPECT_EQ(size_of(Padding::x923, block), last == 1 ? left : std::nullopt) << last;
    block.assign(7, std::byte{0});
    block.push_back(static_cast<std::byte>(last));
    EXPECT_EQ(size_of(Padding::x923, block), left) << last;
    block.front() = std::byte{1};
    EXPECT_EQ(size_of(Padding::x923, block), last == 8 ? std::nullopt : left) << last;
  }
  EXPECT_EQ(size_of(Padding::one_and_zeros, Bytes(8)), std::nullopt);
  EXPECT_EQ(size_of(Padding::one_and_zeros_or_none, Bytes(8)), 8u);
}

// Takes every last block whose padding encryption cannot have written.
TEST(CipherStream, RefusesPaddingThatIsNone) {
  for (const Mode mode : {Mode::ecb, Mode::cbc}) {
    const Settings settings{.mode = mode, .iv = Iv{}};
    Bytes block(16, std::byte{8});
    const auto failure_of = [&](const Bytes& data) {
      return failure(settings, Direction::decrypt, NaiveEncryption(key(), settings)(data));
    };
    EXPECT_EQ(failure_of(block), std::nullopt);
    for (std::size_t i = 8; i < 15; ++i)
      EXPECT_EQ(failure_of(test::flipped(block, i, 8 ^ 7)), Errc::wrong_key) << i;
    for (unsigned last = 0; last < 256; ++last) {
      block.back() = static_cast<std::byte>(last);
      const bool valid = last == 1 || last == 8;
      EXPECT_EQ(failure_of(block), valid ? std::nullopt : std::optional(Errc::wrong_key)) << last;
    }
  }
}

TEST(CipherStream, RefusesLengthsThatNoEncryptionGives) {
  for (const Mode mode : {Mode::ecb, Mode::cbc}) {
    Settings settings{.mode = mode, .iv = Iv{}};
    for (const Padding padding : {Padding::pkcs7, Padding::zero, Padding::space, Padding::none}) {
      settings.padding = padding;
      for (const std::size_t bytes : {1u, 7u, 9u, 15u})
        EXPECT_EQ(failure(settings, Direction::decrypt, Bytes(bytes)), Errc::damaged) << bytes;
    }
    settings.padding = Padding::pkcs7;
    EXPECT_EQ(failure(settings, Direction::decrypt, {}), Errc::damaged);
  }
}

TEST(CipherStream, RefusesWhatCannotBeCombined) {
  Settings settings;
  settings.iv.emplace();
  settings.counter = ByteOrder::little;
  EXPECT_EQ(failure(settings, Direction::encrypt, {}), Errc::usage);
  settings.counter = ByteOrder::big;
  CipherStream stream(scalar_engine(), schedule(), settings, Direction::encrypt);
  Bytes chunk(24);
  EXPECT_THROW(stream.process(chunk, 9, false), Error);
  EXPECT_THROW(stream.process(chunk, 25, true), Error);
  EXPECT_THROW(stream.process(chunk, 24, true), Error) << "no room for the padding";
}

TEST(CipherStream, EndsWithItsLastChunk) {
  for (const Mode mode : {Mode::cbc, Mode::ctr}) {
    const Settings settings{.mode = mode, .iv = Iv{}};
    CipherStream stream(scalar_engine(), schedule(), settings, Direction::encrypt);
    Bytes chunk(24);
    stream.process(chunk, 8, false);
    stream.process(chunk, 8, true);
    EXPECT_THROW(stream.process(chunk, 8, true), Error);
    EXPECT_THROW(stream.process(chunk, 0, false), Error);
  }
}

TEST(CipherStream, HasNoIvOfItsOwn) {
  for (const Mode mode : {Mode::cbc, Mode::cfb64, Mode::cfb8, Mode::ofb, Mode::ctr})
    EXPECT_EQ(failure({.mode = mode}, Direction::encrypt, {}), Errc::usage);
}

TEST(Mode, SaysWhatIsSerial) {
  for (const Mode mode : {Mode::cbc, Mode::cfb64, Mode::cfb8}) {
    EXPECT_TRUE(is_serial(mode, Direction::encrypt));
    EXPECT_FALSE(is_serial(mode, Direction::decrypt));
  }
  for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
    EXPECT_TRUE(is_serial(Mode::ofb, direction));
    EXPECT_FALSE(is_serial(Mode::ecb, direction));
    EXPECT_FALSE(is_serial(Mode::ctr, direction));
  }
}

}  // namespace
}  // namespace fugu::mode
