// The openssl format: what it refuses, and what a watcher sees.
#include "openssl_files.hpp"
#include "support/testing.hpp"

namespace fugu::format {
namespace {

using mode::Mode;

TEST(OpensslFormat, RefusesWhatIsNotAFile) {
  const Bytes file = encrypt(text(100));
  const auto code = [](const Bytes& bytes, const GivenOptions& given = {}) {
    const auto error = failure(bytes, {given});
    return error ? std::optional(error->code()) : std::nullopt;
  };
  EXPECT_EQ(code({}), Errc::damaged);
  for (std::size_t bytes = 1; bytes < 16; ++bytes) {
    EXPECT_EQ(code(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(bytes))), Errc::damaged)
        << bytes;
  }
  EXPECT_EQ(code(text(100)), Errc::unknown_format);
  EXPECT_EQ(code(bytes_of("U2FsdGVkX18BAgMEBQYHCA==\n")), Errc::unknown_format);
  const GivenOptions cbc{{"cipher", "bf-cbc"}};
  EXPECT_EQ(code(Bytes(file.begin(), file.begin() + 16), cbc), Errc::damaged) << "nothing after the salt";
  EXPECT_EQ(code(Bytes(file.begin(), file.end() - 3), cbc), Errc::damaged);
  const GivenOptions all = parameters("bf-cbc", "sha256");
  EXPECT_EQ(code(Bytes(file.begin(), file.end() - 3), all), Errc::damaged);
  EXPECT_EQ(code(Bytes(file.begin(), file.end() - 8), all), Errc::damaged) << "the last block is gone";
}

TEST(OpensslFormat, RefusesWhatCannotBeCombined) {
  for (const GivenOptions& given :
       {GivenOptions{{"nosalt", ""}, {"salt", "0102030405060708"}}, GivenOptions{{"md", "sha257"}},
        GivenOptions{{"pbkdf2", ""}, {"no-pbkdf2", ""}}, GivenOptions{{"cipher", "bf-ofb"}, {"nopad", ""}}}) {
    EXPECT_EQ(code_of([&] { seal_with("openssl", {}, kPassphrase, given); }), Errc::usage);
    EXPECT_EQ(failure(bytes_of("Salted__"), {given}).value().code(), Errc::usage);
  }
}

class FirstSight final : public Watcher {
 public:
  explicit FirstSight(const BytesSink& sink) : sink_(sink) {}
  void begin(const mode::Settings& settings, std::span<const std::byte> key) override {
    mode = settings.mode;
    key_bytes = key.size();
    written_before = sink_.bytes.size();
  }
  void chunk(std::span<const std::byte>, std::span<const std::byte>) override {}

  std::optional<mode::Mode> mode;
  std::size_t key_bytes = 0;
  std::size_t written_before = 1;

 private:
  const BytesSink& sink_;
};

TEST(OpensslFormat, AWatcherIsToldTheParametersBeforeTheFirstByte) {
  const Bytes file = encrypt(text(1000));
  const Codec& codec = *find_codec("openssl");
  const auth::SecretBytes passphrase{std::span<const std::byte>(kPassphrase)};
  BytesSource source(file);
  BytesSink sink;
  FirstSight seen(sink);
  codec.open({scalar_engine(), source, sink, 0, nullptr, &seen},
             {OptionValues(codec.options), AskSecret(SecretKind::passphrase, passphrase)});
  EXPECT_EQ(seen.mode, Mode::cbc);
  EXPECT_EQ(seen.key_bytes, 16u);
  EXPECT_EQ(seen.written_before, 0u);
}

}  // namespace
}  // namespace fugu::format
