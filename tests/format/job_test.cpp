#include "fugu/format/job.hpp"

#include "fugu/auth/reference.hpp"
#include "fugu/format/lines/lines.hpp"
#include "memory.hpp"
#include "support/testing.hpp"

namespace fugu::format {
namespace {

const mode::Settings kSettings{mode::Mode::cbc, mode::Padding::pkcs7, mode::Iv{}, {}, {}};

struct Sample {
  Bytes key = test::pattern(16);
  Bytes plaintext;
  Bytes ciphertext;  // bf-cbc, zero IV, by OpenSSL
  cipher::Schedule schedule;
};

Sample sample(std::size_t bytes) {
  Sample made;
  made.plaintext = test::pattern(bytes);
  made.ciphertext = made.plaintext;
  made.ciphertext.insert(made.ciphertext.end(), 8 - bytes % 8, static_cast<std::byte>(8 - bytes % 8));
  auth::ReferenceBlowfish(auth::ReferenceMode::cbc, true, made.key).update(made.ciphertext, made.ciphertext);
  cipher::expand(made.key, made.schedule);
  return made;
}

TEST(RunCipher, ChunkAndInputSizesMakeNoDifference) {
  for (const std::size_t bytes : {0u, 1u, 7u, 8u, 63u, 64u, 65u, 511u, 512u, 1000u}) {
    const Sample made = sample(bytes);
    for (const std::size_t chunk_bytes : {0u, 1u, 8u, 9u, 64u, 512u}) {
      for (const Seekable seekable : {Seekable::yes, Seekable::no}) {
        const auto with = [&](core::Direction direction) {
          return [&, direction](const Job& job) { run_cipher(job, made.schedule, kSettings, direction); };
        };
        EXPECT_EQ(run_job(made.plaintext, with(core::Direction::encrypt), seekable, chunk_bytes),
                  made.ciphertext);
        EXPECT_EQ(run_job(made.ciphertext, with(core::Direction::decrypt), seekable, chunk_bytes),
                  made.plaintext);
      }
    }
  }
}

class Recorder final : public Watcher {
 public:
  void begin(const mode::Settings& settings, std::span<const std::byte> key) override {
    mode = settings.mode;
    key_bytes.assign(key.begin(), key.end());
  }
  void chunk(std::span<const std::byte> ciphertext, std::span<const std::byte> plaintext) override {
    seen_ciphertext.insert(seen_ciphertext.end(), ciphertext.begin(), ciphertext.end());
    seen_plaintext.insert(seen_plaintext.end(), plaintext.begin(), plaintext.end());
  }

  std::optional<mode::Mode> mode;
  Bytes key_bytes;
  Bytes seen_ciphertext;
  Bytes seen_plaintext;
};

TEST(RunCipher, AWatcherSeesTheKeyAndCiphertextBesidePlaintext) {
  const Sample made = sample(1003);
  Recorder seen;
  stream::PumpCounters counters;
  BytesSource source(made.ciphertext);
  BytesSink sink;
  run_cipher({scalar_engine(), source, sink, 64, &counters, &seen}, made.key, kSettings,
             core::Direction::decrypt);
  EXPECT_EQ(seen.mode, mode::Mode::cbc);
  EXPECT_EQ(seen.key_bytes, made.key);
  EXPECT_EQ(seen.seen_ciphertext, made.ciphertext);
  EXPECT_EQ(seen.seen_plaintext, made.plaintext);
  EXPECT_EQ(counters.bytes_read, made.ciphertext.size());
  EXPECT_EQ(counters.bytes_written, made.plaintext.size());
}

TEST(RunCipher, NobodyWatchesAnEncryption) {
  const Sample made = sample(1003);
  Recorder seen;
  BytesSource source(made.plaintext);
  BytesSink sink;
  run_cipher({scalar_engine(), source, sink, 64, nullptr, &seen}, made.key, kSettings,
             core::Direction::encrypt);
  EXPECT_EQ(sink.bytes, made.ciphertext);
  EXPECT_FALSE(seen.mode);
  EXPECT_TRUE(seen.seen_ciphertext.empty());
}

// Of what many lines may be: another reading may fit bytes and secrets, but not a machine that fails.
TEST(WhyManyMessages, OnlyWhatConcernsTheInputIsNoFit) {
  struct Failing final : MessageCipher {
    explicit Failing(Errc why) : why_(why) {}
    MessageFindings run(core::WipedBytes&) const override { throw Error(why_, "a fault"); }
    Errc why_;
  };
  for (const Errc code :
       {Errc::usage, Errc::io, Errc::engine, Errc::no_device, Errc::memory, Errc::interrupted, Errc::damaged,
        Errc::wrong_key, Errc::undecided, Errc::unknown_format}) {
    const auto seen = [](const MakeCipher& make) {
      return test::code_of(
          [&] { static_cast<void>(why_many_messages("00\n11\n", true, TextEncoding::hex, make)); });
    };
    const bool passes = code < Errc::wrong_key || (code > Errc::unknown_format && code != Errc::undecided);
    const std::optional<Errc> expected = passes ? std::optional(code) : std::nullopt;
    EXPECT_EQ(seen([&](auto) { return std::make_unique<Failing>(code); }), expected)
        << static_cast<int>(code);
    EXPECT_EQ(seen([&](auto) -> std::unique_ptr<MessageCipher> { throw Error(code, "a fault"); }), expected);
  }
}

}  // namespace
}  // namespace fugu::format
