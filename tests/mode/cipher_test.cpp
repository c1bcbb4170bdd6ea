// Compares fugu::Cipher with the definitions of the modes over OpenSSL's Blowfish, and with OpenSSL's own
// modes.
#include "fugu/mode/cipher.hpp"

#include "fugu/engine/registry.hpp"
#include "naive.hpp"
#include "support/each_engine.hpp"
#include "support/openssl_blowfish.hpp"
#include "support/testing.hpp"
#include "support/vector_reader.hpp"

namespace fugu {
namespace {

using core::ByteOrder;
using core::Direction;
using mode::Mode;
using mode::Padding;
using mode::testing::NaiveEncryption;
using mode::testing::padded;
using test::Bytes;
using test::code_of;
using test::pattern;
using test::Random;

const mode::Iv kIv = std::array{std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                                std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xfd}};

Bytes iv_for(Mode mode) {
  return mode == Mode::ecb ? Bytes{} : Bytes(kIv.begin(), kIv.end());
}

// Calls take any number of bytes, also 0 and 1, in place or elsewhere. The last call is finish().
Bytes in_pieces(Cipher cipher, const Bytes& data, Random& random) {
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  Bytes out;
  for (std::size_t done = 0; done < data.size();) {
    const std::size_t bytes = std::min(data.size() - done, below(random() % 4 == 0 ? 700 : 19));
    Bytes memory(bytes + 16 + Cipher::kMaxExtraBytes);
    const std::size_t in_at = below(17);
    const std::size_t out_at = random() % 2 == 0 ? in_at : below(17);
    memory.resize(2 * memory.size());
    const auto source = std::span(memory).subspan(in_at, bytes);
    std::ranges::copy(std::span(data).subspan(done, bytes), source.begin());
    const std::size_t expected = cipher.update_bytes(bytes);
    const auto target = std::span(memory).subspan(out_at, expected);
    EXPECT_EQ(cipher.update(source, target), expected);
    out.insert(out.end(), target.begin(), target.end());
    done += bytes;
    if (random() % 3 == 0) cipher = Cipher(cipher);
  }
  Bytes last(Cipher::kMaxExtraBytes);
  last.resize(cipher.finish(last));
  out.insert(out.end(), last.begin(), last.end());
  return out;
}

class EveryMode : public ::testing::TestWithParam<Mode> {};

TEST_P(EveryMode, AnyPiecesGiveTheDefinition) {
  Random random(1);
  for (const Padding padding : {Padding::pkcs7, Padding::zero, Padding::space, Padding::none}) {
    for (int round = 0; round < 60; ++round) {
      const Bytes key = test::random_bytes(random, static_cast<std::size_t>(1 + random() % 72));
      const ByteOrder words = round % 3 == 0 ? ByteOrder::little : ByteOrder::big;
      const ByteOrder counter =
          GetParam() == Mode::ctr && round % 2 == 0 ? ByteOrder::little : ByteOrder::big;
      const bool is_padded = mode::is_padded(GetParam());
      const bool whole = is_padded && padding == Padding::none;
      Bytes plaintext =
          test::random_bytes(random, static_cast<std::size_t>(whole ? random() % 200 * 8 : random() % 1600));
      if (!plaintext.empty()) plaintext.back() = std::byte{0x77};  // differs from the filler
      const Bytes ciphertext = NaiveEncryption(key, {GetParam(), padding, kIv, words, counter})(
          is_padded ? *padded(plaintext, padding) : plaintext);
      const CipherOptions options{.padding = padding, .words = words, .counter = counter};
      const auto name = mode::name_of(GetParam());
      const Bytes iv = iv_for(GetParam());
      ASSERT_EQ(in_pieces(Cipher(key, name, iv, Direction::encrypt, options), plaintext, random), ciphertext);
      ASSERT_EQ(in_pieces(Cipher(key, name, iv, Direction::decrypt, options), ciphertext, random), plaintext);
    }
  }
}

TEST_P(EveryMode, GoesOnFromItsIv) {
  const Bytes key = pattern(57);
  const auto name = mode::name_of(GetParam());
  const Bytes plaintext = pattern(8 * 20);
  const Bytes ciphertext = NaiveEncryption(key, {GetParam(), Padding::none, kIv, {}, {}})(plaintext);
  for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
    const bool encrypting = direction == Direction::encrypt;
    Bytes data = encrypting ? plaintext : ciphertext;
    Bytes iv = iv_for(GetParam());
    for (std::size_t done = 0; done < data.size(); done += 40) {
      Cipher cipher(key, name, iv, direction, {.padding = Padding::none});
      const auto part = std::span(data).subspan(done, 40);
      EXPECT_EQ(cipher.update(part, part), 40u);
      if (!iv.empty()) iv.assign(cipher.iv().begin(), cipher.iv().end());
    }
    EXPECT_EQ(data, encrypting ? ciphertext : plaintext);
  }
}

TEST_P(EveryMode, EveryEngineGivesTheSame) {
  const Bytes key = pattern(16);
  const Bytes plaintext = pattern(100'003);
  const auto name = mode::name_of(GetParam());
  const Bytes iv = iv_for(GetParam());
  const Bytes head = NaiveEncryption(key, {GetParam(), Padding::pkcs7, kIv, {}, {}})(pattern(4096));
  for (const char* engine_name : {"cpu/scalar", "auto"}) {
    const auto engine = engine::make(engine_name);
    Random random(2);
    const CipherOptions options{.engine = engine.get()};
    const Bytes ciphertext = in_pieces(Cipher(key, name, iv, Direction::encrypt, options), plaintext, random);
    EXPECT_TRUE(std::equal(head.begin(), head.end(), ciphertext.begin()));
    EXPECT_EQ(in_pieces(Cipher(key, name, iv, Direction::decrypt, {}), ciphertext, random), plaintext);
    EXPECT_EQ(in_pieces(Cipher(key, name, iv, Direction::decrypt, options), ciphertext, random), plaintext);
  }
}

INSTANTIATE_TEST_SUITE_P(Cipher, EveryMode,
                         ::testing::Values(Mode::ecb, Mode::cbc, Mode::cfb64, Mode::cfb8, Mode::ofb,
                                           Mode::ctr, Mode::ofb8, Mode::pcbc),
                         [](const auto& test) { return std::string(mode::name_of(test.param)); });

TEST(Cipher, IsWhatOpensslsOwnModesGiveForEveryKeyLength) {
  const Bytes plaintext = pattern(8 * 37);
  for (std::size_t key_bytes = 1; key_bytes <= cipher::kMaxClassicKeyBytes; ++key_bytes) {
    const Bytes key = pattern(key_bytes);
    for (const auto& [mode, name] : {std::pair{Mode::ecb, "BF-ECB"}, std::pair{Mode::cbc, "BF-CBC"},
                                     std::pair{Mode::cfb64, "BF-CFB"}, std::pair{Mode::ofb, "BF-OFB"}}) {
      const Bytes expected =
          test::OpenSslBlowfish(name, true, key).apply(plaintext, core::load_u64_big(kIv.data()));
      Bytes out(plaintext.size());
      Cipher(key, mode::name_of(mode), iv_for(mode), Direction::encrypt, {.padding = Padding::none})
          .update(plaintext, out);
      ASSERT_EQ(out, expected) << name << " " << key_bytes;
    }
  }
}

TEST(Cipher, CtrStartsAnywhere) {
  const Bytes key = pattern(16);
  const Bytes plaintext = pattern(200);
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
    const Bytes ciphertext = NaiveEncryption(key, {Mode::ctr, Padding::none, kIv, {}, order})(plaintext);
    for (std::size_t offset = 0; offset <= plaintext.size(); ++offset) {
      Bytes rest = test::slice(ciphertext, offset);
      Cipher(key, "ctr", kIv, Direction::decrypt, {.counter = order, .offset = offset}).update(rest, rest);
      ASSERT_EQ(rest, test::slice(plaintext, offset)) << offset;
    }
  }
}

TEST(Cipher, RefusesWhatItCannotDo) {
  const Bytes key = pattern(16);
  const auto made = [&](const Bytes& k, std::string_view mode, std::span<const std::byte> iv,
                        CipherOptions options = {}) {
    return code_of([&] { Cipher(k, mode, iv, Direction::encrypt, options); });
  };
  EXPECT_EQ(made({}, "cbc", kIv), Errc::usage);
  EXPECT_EQ(made(pattern(73), "cbc", kIv), Errc::usage);
  EXPECT_EQ(made(key, "cbd", kIv), Errc::usage);
  EXPECT_EQ(made(key, "", kIv), Errc::usage);
  EXPECT_EQ(made(key, "cbc", {}), Errc::usage);
  EXPECT_EQ(made(key, "ctr", std::span(kIv).first(7)), Errc::usage);
  EXPECT_EQ(made(key, "ecb", kIv), Errc::usage);
  EXPECT_EQ(made(key, "cbc", kIv, {.counter = ByteOrder::little}), Errc::usage);
  EXPECT_EQ(made(key, "cbc", kIv, {.offset = 8}), Errc::usage);
  EXPECT_EQ(made(key, "ecb", {}, {.offset = 9}), Errc::usage);
}

TEST(Cipher, RefusesAndLeavesTheOutputAlone) {
  const Bytes key = pattern(16);
  Bytes memory(24, std::byte{0x5a});
  const Bytes before = memory;
  Cipher cipher(key, "cbc", kIv, Direction::encrypt);
  EXPECT_EQ(code_of([&] { cipher.update(pattern(17), std::span(memory).first(15)); }), Errc::usage);
  EXPECT_EQ(code_of([&] { cipher.finish(std::span(memory).first(7)); }), Errc::usage);
  EXPECT_EQ(memory, before);
  EXPECT_EQ(cipher.finish(memory), 8u);
  EXPECT_EQ(code_of([&] { cipher.update({}, {}); }), Errc::usage) << "after the end";
  EXPECT_EQ(code_of([&] { cipher.finish(memory); }), Errc::usage) << "after the end";
}

TEST(Cipher, TellsDamageFromAWrongKey) {
  const Bytes ciphertext = NaiveEncryption(pattern(16), {Mode::cbc, Padding::none, kIv, {}, {}})(pattern(24));
  Bytes out(40);
  for (const std::size_t bytes : {0u, 1u, 23u}) {
    Cipher cipher(pattern(16), "cbc", kIv, Direction::decrypt);
    cipher.update(std::span(ciphertext).first(bytes), out);
    EXPECT_EQ(code_of([&] { cipher.finish(out); }), Errc::damaged) << bytes;
  }
  Cipher cipher(pattern(16), "cbc", kIv, Direction::decrypt);
  EXPECT_EQ(cipher.update(ciphertext, out), 16u) << "the last block is held back";
  EXPECT_EQ(code_of([&] { cipher.finish(out); }), Errc::wrong_key) << "the last byte is 23";
  Cipher unpadded(pattern(16), "cbc", kIv, Direction::encrypt, {.padding = Padding::none});
  unpadded.update(pattern(3), out);
  EXPECT_EQ(code_of([&] { unpadded.finish(out); }), Errc::usage);
}

TEST(Mode, HasOneName) {
  for (const mode::ModeName& row : mode::kModeNames) {
    EXPECT_EQ(mode::name_of(row.mode), row.name);
    EXPECT_EQ(mode::mode_named(row.name), row.mode);
    if (!row.alias.empty()) {
      EXPECT_EQ(mode::mode_named(row.alias), row.mode);
    }
  }
  EXPECT_EQ(mode::mode_named("cfb64"), Mode::cfb64);
  EXPECT_EQ(mode::mode_named("CBC"), std::nullopt);
  EXPECT_EQ(mode::mode_named(""), std::nullopt);
}

// Every published vector in both directions through the modes on every engine. vectors/SOURCES.md states the
// source of each.

class EveryEngine : public ::testing::TestWithParam<test::EngineCase> {};

TEST_P(EveryEngine, GivesEveryVector) {
  const auto engine = GetParam().make();
  for (const test::Vector& vector : test::read_all_vectors()) {
    mode::Settings settings{vector.mode, Padding::none, {}, vector.words, vector.counter};
    if (!vector.iv.empty()) std::ranges::copy(vector.iv, settings.iv.emplace().begin());
    cipher::Schedule schedule;
    cipher::expand(vector.key, schedule);
    const auto run = [&](Direction direction, Bytes data) {
      mode::CipherStream(*engine, schedule, settings, direction).process(data, data.size(), true);
      return data;
    };
    EXPECT_EQ(run(Direction::encrypt, vector.plaintext), vector.ciphertext) << vector.where;
    EXPECT_EQ(run(Direction::decrypt, vector.ciphertext), vector.plaintext) << vector.where;
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, EveryEngine, ::testing::ValuesIn(test::engines()),
                         [](const auto& test) { return test::identifier(test.param); });

}  // namespace
}  // namespace fugu
