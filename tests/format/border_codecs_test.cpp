// Codecs are called without the face while memory runs out: only fugu::Error leaves the library.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "foreign_samples.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/format/openssl/openssl_enc.hpp"
#include "fugu/format/parts.hpp"
#include "fugu/format/raw/raw.hpp"
#include "fugu/format/sealed/detail/parts.hpp"
#include "fugu/format/sealed/sealed.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/hex.hpp"
#include "fugu/stream/memory.hpp"
#include "shortage.hpp"

namespace fugu::format {
namespace {

using test::expect_errors_only;
using testing::bytes_of;
using testing::GivenOptions;
using testing::Sample;
using testing::scalar_engine;

const testing::Bytes kPlain = bytes_of("Whoever reads this has the key: thirty-nine bytes and some more.");

// Returns a number that differs for most other outputs.
std::uint64_t digest_of(const stream::MemorySink& sink) {
  std::uint64_t digest = sink.bytes().size();
  for (const std::byte byte : sink.bytes()) digest = digest * 0x100000001b3 + std::to_integer<unsigned>(byte);
  return digest;
}

// Runs `work` on a job over `input` and compares its output.
template <class Work>
void expect_errors_only_of_job(std::span<const std::byte> input, const Work& work,
                               long about = test::kUsualShortages) {
  expect_errors_only(
      [&] {
        stream::MemorySource source(input);
        stream::MemorySink sink;
        work(Job{scalar_engine(), source, sink, 0, nullptr, nullptr});
        return digest_of(sink);
      },
      about);
}

OptionValues values_of(const Codec& codec, const GivenOptions& options) {
  OptionValues values(codec.options);
  for (const auto& [name, text] : options) values.set(name, text);
  return values;
}

void expect_errors_only_of(const Sample& sample) {
  SCOPED_TRACE(sample.file);
  const Codec& codec = *find_codec(sample.codec());
  const OptionValues values = values_of(codec, testing::options_for(sample));
  const bool is_key = values.text("pbkdf") == "none";
  const auth::SecretBytes bytes{std::span<const std::byte>(sample.passphrase)};
  const AskSecret secret(is_key ? SecretKind::key : SecretKind::passphrase, bytes);
  // Some samples need another program, and the codec says so.
  const auto unless_refused = [](const auto& work) {
    try {
      work();
    } catch (const Error& error) {
      if (error.code() == Errc::memory) throw;
    }
  };
  const auto open = [&](const Job& job) { unless_refused([&] { codec.open(job, {values, secret, true}); }); };
  const bool is_dear = sample.codec() == "cryptcbc" || sample.codec() == "openpgp";  // their keys are dear
  expect_errors_only_of_job(sample.bytes, open, is_dear ? 10 : test::kUsualShortages);
  expect_errors_only_of_job(
      sample.bytes, [&](const Job& job) { unless_refused([&] { codec.describe(job.source, values); }); });
  const auto head = std::span(sample.bytes).first(std::min(sample.bytes.size(), kRecogniseBytes));
  expect_errors_only([&] { return recognise(head, sample.bytes.size()); });
}

TEST(BorderOfCodecs, FilesOfOtherProgramsAreOpened) {
  std::map<std::string, int> tried;
  for (const Sample& sample : testing::samples()) {
    if (sample.bytes.size() < 20'000 && tried[sample.codec()]++ % 8 == 0) expect_errors_only_of(sample);
  }
  EXPECT_GT(tried.size(), 10u);
#if defined(FUGU_HAS_CONTAINERS)
  expect_errors_only_of(testing::documents().front());
#endif
}

TEST(BorderOfCodecs, FilesAreSealed) {
  const auth::SecretBytes key(32);
  const std::map<std::string, GivenOptions> all{{"sealed", {}},
                                                {"openssl", {{"salt", "0011223344556677"}, {"iter", "1"}}},
                                                {"raw", {{"mode", "cbc"}, {"iv", "0011223344556677"}}}};
  for (const auto& [name, options] : all) {
    SCOPED_TRACE(name);
    const Codec& codec = *find_codec(name);
    const OptionValues values = values_of(codec, options);
    const SecretKind kind = codec.takes(SecretKind::key) ? SecretKind::key : SecretKind::passphrase;
    const AskSecret secret(kind, key);
    stream::MemorySink sealed;
    stream::MemorySource plain(kPlain);
    codec.seal({scalar_engine(), plain, sealed, 0, nullptr, nullptr}, {values, secret});
    expect_errors_only([&] {  // salts and keys are random, so only the lengths are equal
      stream::MemorySource source(kPlain);
      stream::MemorySink sink;
      codec.seal({scalar_engine(), source, sink, 0, nullptr, nullptr}, {values, secret});
      return sink.bytes().size();
    });
    expect_errors_only_of_job(sealed.bytes(), [&](const Job& job) {
      codec.open(job, {values, secret, true});
    });
    expect_errors_only([&] { codec.check(values, OptionUse::seal); });
    expect_errors_only_of_job(sealed.bytes(), [&](const Job& job) { codec.describe(job.source, values); });
    if (codec.rekey == nullptr) continue;
    expect_errors_only([&] {
      stream::MemorySource source(sealed.bytes());
      stream::MemorySink sink;
      codec.rekey({scalar_engine(), source, sink, 0, nullptr, nullptr}, {values, secret}, secret);
      return sink.bytes().size();
    });
  }
}

// These are functions of the formats themselves.
TEST(BorderOfCodecs, TheirFunctionsAreCalled) {
  const auth::SecretBytes key(32);
  const RawParameters raw{.settings = {.iv = mode::Iv{}}};
  expect_errors_only_of_job(kPlain, [&](const Job& job) { encrypt_raw(job, raw, key); });
  const OpensslParameters parameters;
  const testing::Bytes salt(8);
  expect_errors_only([&] { return derive_openssl_key(parameters, key, salt).iv; });
  expect_errors_only([&] { return parameters.describe(); });
  expect_errors_only([&] { return parameters.flags(); });
  const auto segments = [](const Job& job, const SealedHeader& header, const SealedKeys& keys) {
    stream::MemorySink sealed;
    encrypt_sealed_segments({job.engine, job.source, sealed, 0, nullptr, nullptr}, header, keys);
    job.sink.write(sealed.bytes());
  };
  SealedKeys keys;
  const SealedSecret secret{SealedSlot::key, key};
  const SealedHeader header = make_sealed_header(16, secret, {}, keys);
  expect_errors_only_of_job(kPlain, [&](const Job& job) { segments(job, header, keys); });
  expect_errors_only_of_job(header.bytes, [&](const Job& job) {
    static_cast<void>(unlock_sealed(read_sealed_header(job.source), secret));
  });
}

TEST(BorderOfCodecs, TextsAreWrittenAndRead) {
  using Encoder = std::unique_ptr<stream::Sink>(stream::Sink&, stream::TextLines);
  using Decoder = std::unique_ptr<stream::Source>(std::unique_ptr<stream::Source>);
  const auto try_both = [](Encoder& encoder, Decoder& decoder) {
    const auto encode = [&](const Job& job) {
      const auto sink = encoder(job.sink, stream::TextLines::wrapped);
      sink->write(kPlain);
      sink->finish();
    };
    expect_errors_only_of_job(kPlain, encode);
    stream::MemorySource none({});
    stream::MemorySink text;
    encode({scalar_engine(), none, text, 0, nullptr, nullptr});
    std::array<std::byte, 100> decoded{};
    expect_errors_only_of_job(text.bytes(), [&](const Job& job) {
      job.sink.write(std::span(decoded).first(decoder(stream::borrow(job.source))->read(decoded)));
    });
  };
  try_both(stream::base64_encoder, stream::base64_decoder);
  try_both(stream::hex_encoder, stream::hex_decoder);
}

}  // namespace
}  // namespace fugu::format
