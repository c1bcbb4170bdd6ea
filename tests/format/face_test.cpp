// The library's face, fugu/fugu.hpp: other programs' files, its own, and what it refuses.
#include "fugu/fugu.hpp"
#include "fugu/fugu_identify.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "foreign_samples.hpp"
#include "stream/scratch.hpp"

namespace fugu {
namespace {

using format::testing::Sample;
using stream::Scratch;
using test::Bytes;
using test::code_of;
using test::pattern;

Secret passphrase_of(const Sample& sample) {
  return Secret::passphrase(
      {reinterpret_cast<const char*>(sample.passphrase.data()), sample.passphrase.size()});
}

// Returns samples of bcrypt(1): these files prove the passphrase, and recognise() finds them by a weak magic.
std::vector<Sample> proven_samples() {
  std::vector<Sample> chosen;
  for (const Sample& sample : format::testing::samples())
    if (sample.codec() == "bfe") chosen.push_back(sample);
  return chosen;
}

TEST(Face, OpensWhatOtherProgramsWrote) {
  ASSERT_FALSE(proven_samples().empty());
  for (const Sample& sample : proven_samples()) {
    SCOPED_TRACE(sample.file);
    const std::vector<const format::Codec*> codecs = recognise(sample.bytes);
    ASSERT_EQ(codecs.size(), 1u);
    EXPECT_EQ(codecs.front()->name, "bfe");
    const Bytes plaintext = open(sample.bytes, passphrase_of(sample));
    EXPECT_EQ(format::testing::sha256_hex(plaintext), sample.plaintext_sha256);
    EXPECT_EQ(code_of([&] { open(sample.bytes, Secret::passphrase("not this one")); }), Errc::wrong_key);
  }
}

TEST(Face, SealsSoThatOnlyTheSecretOpens) {
  const Bytes plaintext = pattern(100'000);
  const Secret secret = Secret::key(pattern(32));
  Bytes sealed = seal(plaintext, secret);
  EXPECT_EQ(open(sealed, secret), plaintext);
  EXPECT_EQ(code_of([&] { open(sealed, Secret::key(pattern(33))); }), Errc::wrong_key);
  sealed[sealed.size() / 2] ^= std::byte{1};
  EXPECT_EQ(code_of([&] { open(sealed, secret); }), Errc::damaged);
}

TEST(Face, TakesOptionsByName) {
  const Bytes plaintext = format::testing::bytes_of("a text of which nobody would say that it is noise\n");
  const Secret secret = Secret::passphrase("swordfish");
  const FormatOptions given{{"cipher", "bf-cfb"}, {"md", "sha1"}, {"iter", "1"}};
  const Bytes sealed = seal(plaintext, secret, {.format = "openssl", .options = given});
  EXPECT_EQ(sealed.size(), plaintext.size() + 16);
  EXPECT_EQ(open(sealed, secret, {.format = "openssl", .options = given}), plaintext);
  const auto code = [&](const Secret& with, const SealOptions& options) {
    return code_of([&] { seal(plaintext, with, options); });
  };
  EXPECT_EQ(code(secret, {.format = "openssl", .options = {{"mode", "cbc"}}}), Errc::usage);
  for (const std::size_t bytes : {0u, 4097u})
    EXPECT_EQ(code(Secret::passphrase(std::string(bytes, 'a')), {}), Errc::usage) << bytes;
  EXPECT_EQ(code(secret, {.format = "no such"}), Errc::usage);
  EXPECT_EQ(code(secret, {.format = "bfe"}), Errc::usage);
  EXPECT_EQ(code(Secret::key(pattern(16)), {.format = "openssl"}), Errc::usage);
}

TEST(Face, FilesAppearWholeOrNotAtAll) {
  const Scratch scratch;
  const Bytes plaintext = pattern(5000);
  test::write_file(scratch.path("plain"), plaintext);
  const Secret secret = Secret::key(pattern(32));
  seal_file(scratch.path("plain"), scratch.path("sealed"), secret);
  EXPECT_EQ(code_of([&] { seal_file(scratch.path("plain"), scratch.path("sealed"), secret); }), Errc::io);
  EXPECT_TRUE(open_file(scratch.path("sealed"), scratch.path("same"), secret).authenticated);
  EXPECT_EQ(std::filesystem::file_size(scratch.path("same")), plaintext.size());
  EXPECT_EQ(
      code_of([&] { open_file(scratch.path("sealed"), scratch.path("never"), Secret::key(pattern(31))); }),
      Errc::wrong_key);
  EXPECT_FALSE(std::filesystem::exists(scratch.path("never")));
}

// As many as the engine has, on a file system in memory if there is one: threads that each write a part.
TEST(Face, FilesAreReadAndWrittenByManyThreads) {
  const auto engine = engine::make("cpu/scalar", {.threads = 4});
  EXPECT_EQ(engine->threads(), 4u);
  EXPECT_EQ(engine::make("auto", {.threads = 3})->threads(), 3u);
  const Scratch scratch(stream::memory_directory());
  const Bytes plaintext = pattern((std::size_t{7} << 20) + 5);
  test::write_file(scratch.path("plain"), plaintext);
  const Secret secret = Secret::key(pattern(32));
  seal_file(scratch.path("plain"), scratch.path("sealed"), secret, {.engine = engine.get()});
  open_file(scratch.path("sealed"), scratch.path("same"), secret, {.engine = engine.get()});
  EXPECT_TRUE(test::read_file(scratch.path("same")) == plaintext);
}

class Caller final : public Observer {
 public:
  Caller() = default;
  explicit Caller(Secret secret) : secret_(std::move(secret)) {}

  format::SecretKind secret_kind() const override { return secret_.kind(); }
  bool knows_secret() const override { return knows; }
  const auth::SecretBytes& secret(const format::Codec& codec) override {
    asked_for = codec.name;
    return secret_.bytes();
  }
  void begin(const format::Codec& codec) override {
    begun = codec.name;
    if (refuses) throw Error(Errc::usage, "refused");
  }

  bool refuses = false;
  bool knows = true;
  std::string_view begun;
  std::string_view asked_for;

 private:
  Secret secret_ = Secret::key(pattern(32));
};

Bytes opened_by(Caller& caller, std::span<const std::byte> sealed, const OpenOptions& options = {}) {
  stream::MemorySink plaintext;
  open(std::make_unique<stream::MemorySource>(sealed), plaintext, caller, options);
  return plaintext.take();
}

TEST(Face, AsksForTheSecretOnceTheInputIsUnderstood) {
  const Bytes plaintext = pattern(1000);
  const Bytes sealed = seal(plaintext, Secret::key(pattern(32)));
  Caller caller;
  stream::PumpCounters counters;
  caller.counters = &counters;
  EXPECT_EQ(opened_by(caller, sealed), plaintext);
  EXPECT_EQ(caller.begun, "sealed");
  EXPECT_EQ(caller.asked_for, "sealed");
  EXPECT_EQ(caller.untried(Error(Errc::damaged, "")), "");
  EXPECT_GE(counters.bytes_written, plaintext.size());  // and the gaps for tags
  for (const bool refuses : {false, true}) {
    Caller unasked;
    unasked.refuses = refuses;
    const std::span input = std::span(sealed).first(refuses ? sealed.size() : 20);
    EXPECT_EQ(code_of([&] { opened_by(unasked, input); }), refuses ? Errc::usage : Errc::damaged);
    EXPECT_EQ(unasked.begun, "sealed");
    EXPECT_EQ(unasked.asked_for, "");
    EXPECT_EQ(unasked.untried(Error(Errc::damaged, "")), refuses ? "" : "; the key was not tried");
  }
  EXPECT_EQ(code_of([&] { caller.choose(format::codecs()); }), Errc::unknown_format);
  EXPECT_EQ(
      code_of([&] { opened_by(caller, seal(plaintext, Secret::passphrase("x"), {.format = "openssl"})); }),
      Errc::usage);
}

// Expected: as FormatOptions and OpenOptions call them.
TEST(Face, SpeaksToCallersOfCpp) {
  const auto expect = [](std::string_view input, const OpenOptions& options, std::string_view says) {
    const auto open_it = [&] { open(std::as_bytes(std::span(input)), Secret::key(pattern(16)), options); };
    const Error error = test::error_of(open_it).value_or(Error(Errc::usage, ""));
    EXPECT_EQ(error.what(), says);
  };
  const std::string junk(64, '\xff');
  expect(junk, {.format = "raw"},
         "format = raw needs option mode: ecb, cbc, cfb, cfb8, ofb, ctr, ofb8 or pcbc");
  expect(junk, {.format = "raw", .options = {{"mode", "ecb"}, {"iv", "zero"}}},
         "option iv and option mode = ecb cannot be combined: this mode has no IV");
  expect(junk, {.format = "openssl"},
         "is in the format openssl, which takes a passphrase (Secret::passphrase)");
  expect("05c3febb9970204a", {.format = "raw", .options = {{"mode", "ecb"}}},
         "this is hexadecimal text: give encoding = hex");
  EXPECT_EQ(spelled("⟦a⟧ or ⟦pad⟧ ⟦", Spelling::program), "-a or --pad ⟦");
}

TEST(Face, WritesAndReadsText) {
  const Bytes plaintext = pattern(100);
  const Secret secret = Secret::key(pattern(32));
  for (const format::TextEncoding encoding : {format::TextEncoding::base64, format::TextEncoding::hex}) {
    const Bytes text = seal(plaintext, secret, {.text = TextForm{encoding}});
    EXPECT_TRUE(
        std::ranges::all_of(text, [](std::byte b) { return b >= std::byte{'\n'} && b <= std::byte{'z'}; }));
    EXPECT_EQ(open(text, secret), plaintext);
    EXPECT_EQ(open(text, secret, {.encoding = encoding}), plaintext);
  }
}

// Noise is no evidence for a secret, and the parameters need not be guessed where they are known.
TEST(Face, OpensWhatItHasSealed) {
  const Secret secret = Secret::passphrase("swordfish");
  const FormatOptions cfb{{"cipher", "bf-cfb"}};
  std::mt19937_64 random(1);
  const Bytes noise = test::random_bytes(random, 16);
  const Bytes sealed = seal(noise, secret, {.format = "openssl", .options = cfb});
  EXPECT_EQ(code_of([&] { open(sealed, secret, {.format = "openssl", .options = cfb}); }), Errc::undecided);
  EXPECT_EQ(open(sealed, secret, {.format = "openssl", .options = cfb, .made_by_seal = true}), noise);
  for (const format::Codec* codec : format::codecs()) {
    if (!codec->can(format::Ability::seal) || !codec->takes(format::SecretKind::passphrase)) continue;
    for (const std::size_t bytes : {0u, 3u, 16u}) {
      SCOPED_TRACE(codec->name);
      const Bytes own = seal(pattern(bytes), secret, {.format = codec->name});
      EXPECT_EQ(open(own, secret, {.format = codec->name, .made_by_seal = true}), pattern(bytes)) << bytes;
    }
  }
}

TEST(Face, EndsAfterARequestToStop) {
  const Bytes plaintext = pattern(1000);
  struct Way {
    const char* format;
    FormatOptions options;
    Secret secret;
  };
  const Way ways[] = {{"sealed", {}, Secret::key(pattern(32))},
                      {"raw", {{"mode", "cbc"}, {"iv", "zero"}}, Secret::key(pattern(16))},
                      {"openssl", {{"no-pbkdf2", ""}}, Secret::passphrase("swordfish")}};
  for (const Way& way : ways) {
    SCOPED_TRACE(way.format);
    SealOptions sealing{.format = way.format, .options = way.options};
    const Bytes sealed = seal(plaintext, way.secret, sealing);
    sealing.stop = test::stopped();
    EXPECT_EQ(code_of([&] { seal(plaintext, way.secret, sealing); }), Errc::interrupted);
    const OpenOptions opening{.format = way.format, .options = way.options, .stop = test::stopped()};
    EXPECT_EQ(code_of([&] { open(sealed, way.secret, opening); }), Errc::interrupted);
  }
}

// A pipe whose writer is silent.
TEST(Face, WaitsForInputNoLongerAfterARequestToStop) {
  const Scratch scratch;
  const std::string pipe = scratch.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int writer = ::open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  const auto ends = [&](auto work) {
    std::stop_source stop;
    const std::jthread requests([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      stop.request_stop();
    });
    return code_of([&] { work(stop.get_token()); });
  };
  const Secret secret = Secret::key(pattern(32));
  EXPECT_EQ(ends([&](auto stop) { seal_file(pipe, scratch.path("never"), secret, {.stop = stop}); }),
            Errc::interrupted);
  EXPECT_EQ(ends([&](auto stop) { open_file(pipe, scratch.path("never"), secret, {.stop = stop}); }),
            Errc::interrupted);
  EXPECT_EQ(scratch.names(), std::vector<std::string>{"pipe"});
  ::close(writer);
}

TEST(Face, SaysWhatItDoesNotKnow) {
  EXPECT_TRUE(recognise(pattern(1000)).empty());
  EXPECT_EQ(code_of([] { open(pattern(1000), Secret::passphrase("x")); }), Errc::unknown_format);
  EXPECT_FALSE(version().empty());
}

constexpr const char* kToldByPassphrase[][2] = {{"gpass/own_04.gps", "x/passwords.gps"},
                                                {"truecrypt/own_sha1.tc", "volume.tc"}};

TEST(Face, APassphraseTellsFormatsWithoutAHeader) {
  for (const auto& [file, name] : kToldByPassphrase) {
    const Bytes& sealed = format::testing::sample_named(file).bytes;
    const Secret passphrase = Secret::passphrase("correct horse");
    const std::string format = format::testing::sample_named(file).codec();
    EXPECT_EQ(open(sealed, passphrase), open(sealed, passphrase, {.format = format})) << file;
    stream::MemorySink none;
    EXPECT_TRUE(open(std::make_unique<stream::MemorySource>(sealed), none, passphrase).by_trial) << file;
    EXPECT_EQ(code_of([&] { open(sealed, Secret::passphrase("wrong")); }), Errc::unknown_format) << file;
    EXPECT_EQ(code_of([&] { open(sealed, Secret::key(pattern(32))); }), Errc::unknown_format) << file;
    const std::span cut = std::span(sealed).first(sealed.size() - 1);
    EXPECT_EQ(code_of([&] { open(cut, passphrase); }), Errc::unknown_format) << file;
  }
}

TEST(Face, NobodyIsAskedToTryUnlessTheExtensionTells) {
  for (const auto& [file, name] : kToldByPassphrase) {
    const Bytes& sealed = format::testing::sample_named(file).bytes;
    Caller asks(Secret::passphrase("correct horse"));
    asks.knows = false;
    EXPECT_EQ(code_of([&] { opened_by(asks, sealed); }), Errc::unknown_format) << file;
    EXPECT_EQ(code_of([&] { opened_by(asks, sealed, {.name = "volume"}); }), Errc::unknown_format) << file;
    EXPECT_EQ(asks.asked_for, "") << file;
    EXPECT_FALSE(opened_by(asks, sealed, {.name = name}).empty()) << file;
    EXPECT_EQ(asks.asked_for, format::testing::sample_named(file).codec());
  }
}

// The extension tells nothing of what is recognised.
TEST(Face, AnExtensionIsNotBelieved) {
  const Bytes sealed = seal(pattern(100), Secret::key(pattern(32)));
  EXPECT_EQ(open(sealed, Secret::key(pattern(32)), {.name = "a.gps"}), pattern(100));
  const Bytes age = format::testing::bytes_of("age-encryption.org/v1\n");
  EXPECT_EQ(code_of([&] { open(age, Secret::passphrase("p"), {.name = "a.gps"}); }), Errc::unknown_format);
}

}  // namespace
}  // namespace fugu
