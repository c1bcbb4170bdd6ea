// The openssl format: what it refuses, and what a watcher sees.
#include <gtest/gtest.h>

#include "openssl_files.hpp"

namespace fugu::format {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): fugu::format::testing
using mode::Mode;

TEST(OpensslFormat, RefusesWhatIsNotAFile) {
  const Bytes file = encrypt(text(100), {});
  const auto code = [](const Bytes& bytes, const OpensslDecryptRequest& request = {}) {
    const auto error = failure(bytes, request);
    return error ? std::optional(error->code()) : std::nullopt;
  };
  EXPECT_EQ(code({}), Errc::damaged);
  for (std::size_t bytes = 1; bytes < 16; ++bytes) {
    EXPECT_EQ(code(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(bytes))), Errc::damaged)
        << bytes;
  }
  EXPECT_EQ(code(text(100)), Errc::unknown_format);
  EXPECT_EQ(code(bytes_of("U2FsdGVkX18BAgMEBQYHCA==\n")), Errc::unknown_format);
  OpensslDecryptRequest cbc;
  cbc.mode = Mode::cbc;
  EXPECT_EQ(code(Bytes(file.begin(), file.begin() + 16), cbc), Errc::damaged) << "nothing after the salt";
  EXPECT_EQ(code(Bytes(file.begin(), file.end() - 3), cbc), Errc::damaged);
  cbc.digest = "sha256";
  cbc.pbkdf2_iterations = 0;
  EXPECT_EQ(code(Bytes(file.begin(), file.end() - 3), cbc), Errc::damaged);
  EXPECT_EQ(code(Bytes(file.begin(), file.end() - 8), cbc), Errc::wrong_key) << "the last block is gone";
}

TEST(OpensslFormat, RefusesWhatCannotBeCombined) {
  const auto encrypting = [](OpensslEncryptRequest request) {
    return error_of(
        [&] { run_job({}, [&](const Job& job) { encrypt_openssl(job, request, passphrase()); }); });
  };
  EXPECT_EQ(encrypting({{}, SaltPlace::given, std::nullopt}).value().code(), Errc::usage);
  EXPECT_EQ(encrypting({{}, SaltPlace::none, kSalt}).value().code(), Errc::usage);
  EXPECT_EQ(encrypting({{Mode::ctr, "sha256", 0, 16, true}, SaltPlace::header, {}}).value().code(),
            Errc::usage);
  EXPECT_EQ(encrypting({{Mode::cbc, "sha257", 0, 16, true}, SaltPlace::header, {}}).value().code(),
            Errc::usage);
  EXPECT_EQ(encrypting({{Mode::cbc, "sha256", 0, 57, true}, SaltPlace::header, {}}).value().code(),
            Errc::usage);
  const auto decrypting = [](const OpensslDecryptRequest& request) {
    return failure(bytes_of("Salted__"), request);
  };
  OpensslDecryptRequest request;
  request.salt = kSalt;
  EXPECT_EQ(decrypting(request).value().code(), Errc::usage);
  request.salt_place = SaltPlace::none;
  EXPECT_EQ(decrypting(request).value().code(), Errc::usage);
  request.salt.reset();
  request.salt_place = SaltPlace::given;
  EXPECT_EQ(decrypting(request).value().code(), Errc::usage);
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
  const Bytes file = encrypt(text(1000), {});
  BytesSource source(file);
  BytesSink sink;
  FirstSight seen(sink);
  static_cast<void>(decrypt_openssl({scalar_engine(), source, sink, 0, nullptr, &seen}, {}, passphrase()));
  EXPECT_EQ(seen.mode, Mode::cbc);
  EXPECT_EQ(seen.key_bytes, 16u);
  EXPECT_EQ(seen.written_before, 0u);
}

}  // namespace
}  // namespace fugu::format
