// Exchanges files with the `openssl` program: each side reads what the other writes, and without random bytes
// both write the same.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "fugu/format/openssl/openssl_enc.hpp"
#include "fugu/stream/base64.hpp"
#include "memory.hpp"
#include "programs.hpp"
#include "support/packages.hpp"

namespace fugu::format {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): fugu::format::testing
using mode::Mode;

constexpr Salt kSalt{std::byte{0x1b}, std::byte{0x5c}, std::byte{0x00}, std::byte{0xff},
                     std::byte{0x0a}, std::byte{0x53}, std::byte{0x61}, std::byte{0x7e}};
constexpr const char* kSaltHex = "1b5c00ff0a53617e";

Outcome run_openssl(const std::string& arguments) {
  return run_program("openssl " + arguments);
}

enum class Encoding : std::uint8_t { binary, lines, one_line };

// One way to call `openssl enc`, and the same parameters for this library.
struct Invocation {
  OpensslParameters parameters;
  SaltPlace salt_place = SaltPlace::header;
  Encoding encoding = Encoding::binary;

  std::string flags() const {
    std::string text = "enc -provider legacy -provider default";
    constexpr std::array kNames{"-bf-ecb", "-bf-cbc", "-bf-cfb", "", "-bf-ofb"};
    text +=
        std::string(" ") + kNames.at(static_cast<std::size_t>(parameters.mode)) + " -md " + parameters.digest;
    if (parameters.pbkdf2_iterations == kDefaultPbkdf2Iterations) {
      text += " -pbkdf2";
    } else if (parameters.pbkdf2_iterations != 0) {
      text += " -iter " + std::to_string(parameters.pbkdf2_iterations);
    }
    if (!parameters.padded) text += " -nopad";
    if (salt_place == SaltPlace::none) text += " -nosalt";
    if (salt_place == SaltPlace::given) text += std::string(" -S ") + kSaltHex;
    if (encoding != Encoding::binary) text += " -a";
    if (encoding == Encoding::one_line) text += " -A";
    return text;
  }
};

class Interop {
 public:
  explicit Interop(const std::string& passphrase) : passphrase_(std::string_view(passphrase)) {
    write_file(directory_.file("passphrase"), bytes_of(passphrase + "\n"));
  }

  Bytes openssl(const Invocation& invocation, bool encrypting, const Bytes& input) const {
    write_file(directory_.file("in"), input);
    const Outcome outcome = run_openssl(invocation.flags() + (encrypting ? " -e" : " -d") +
                                        " -pass 'file:" + directory_.file("passphrase") + "' -in '" +
                                        directory_.file("in") + "' -out '" + directory_.file("out") + "'");
    if (outcome.status != 0) throw std::runtime_error(invocation.flags() + ": " + outcome.output);
    return read_file(directory_.file("out"));
  }

  Bytes encrypt(const Invocation& invocation, const Bytes& plaintext) const {
    OpensslEncryptRequest request{invocation.parameters, invocation.salt_place, std::nullopt};
    if (invocation.salt_place == SaltPlace::given) request.salt = kSalt;
    return run_job(plaintext, [&](const Job& job) {
      if (invocation.encoding == Encoding::binary) return encrypt_openssl(job, request, passphrase_);
      const auto lines =
          invocation.encoding == Encoding::lines ? stream::TextLines::wrapped : stream::TextLines::single;
      const auto encoder = stream::base64_encoder(job.sink, lines);
      encrypt_openssl({job.engine, job.source, *encoder, job.chunk_bytes, nullptr, {}}, request, passphrase_);
    });
  }

  Bytes decrypt(const Invocation& invocation, const Bytes& file) const {
    OpensslDecryptRequest request;
    request.mode = invocation.parameters.mode;
    request.digest = invocation.parameters.digest;
    request.pbkdf2_iterations = invocation.parameters.pbkdf2_iterations;
    request.key_bytes = 16;
    request.padded = invocation.parameters.padded;
    request.salt_place = invocation.salt_place;
    if (invocation.salt_place == SaltPlace::given) request.salt = kSalt;
    return run_job({}, [&](const Job& job) {
      std::unique_ptr<stream::Source> source = std::make_unique<BytesSource>(file);
      if (invocation.encoding != Encoding::binary) source = stream::base64_decoder(std::move(source));
      decrypt_openssl({job.engine, *source, job.sink, job.chunk_bytes, nullptr, {}}, request, passphrase_);
    });
  }

  Bytes decrypt_by_trial(const Bytes& file) const {
    return run_job(file, [&](const Job& job) { decrypt_openssl(job, {}, passphrase_); });
  }

  const auth::SecretBytes& passphrase() const { return passphrase_; }

 private:
  auth::SecretBytes passphrase_;
  Directory directory_;
};

// Compares both directions, and the bytes if no salt is random.
void expect_round_trips(const Interop& interop, const Invocation& invocation, const Bytes& plaintext) {
  SCOPED_TRACE(invocation.flags() + ", " + std::to_string(plaintext.size()) + " bytes");
  const Bytes ours = interop.encrypt(invocation, plaintext);
  EXPECT_EQ(interop.openssl(invocation, false, ours), plaintext);
  const Bytes theirs = interop.openssl(invocation, true, plaintext);
  EXPECT_EQ(interop.decrypt(invocation, theirs), plaintext);
  if (invocation.salt_place == SaltPlace::header) {
    EXPECT_EQ(ours.size(), theirs.size());
    EXPECT_NE(ours, theirs) << "a salt was drawn twice";
  } else {
    EXPECT_EQ(ours, theirs);
  }
}

class OpensslProgram : public ::testing::TestWithParam<Mode> {
 protected:
  void SetUp() override {
    FUGU_NEED_PACKAGE(run_openssl("version").status == 0, "there is no openssl program");
  }
};

// 4 digests x 3 derivations x 3 salts x 3 encodings = 108 cases per mode, each in both directions, with the
// sizes in turn.
TEST_P(OpensslProgram, ReadsAndWritesTheSameFiles) {
  constexpr std::array<std::size_t, 13> kSizes{0, 1, 7, 8, 9, 15, 16, 17, 100, 1000, 4096, 65'541, 200'000};
  const std::array<Interop, 3> interops{Interop("secret"), Interop("zwei Wörter & 'Zeichen'"), Interop("x")};
  std::size_t turn = 0;
  for (const std::string digest : {"md5", "sha1", "sha256", "sha512"}) {
    for (const std::uint32_t iterations : {0u, 10'000u, 321u}) {
      for (const SaltPlace place : {SaltPlace::header, SaltPlace::given, SaltPlace::none}) {
        for (const Encoding encoding : {Encoding::binary, Encoding::lines, Encoding::one_line}) {
          const Bytes plaintext = test::pattern(kSizes[turn % kSizes.size()]);
          const Invocation invocation{{GetParam(), digest, iterations, 16, true}, place, encoding};
          ASSERT_NO_THROW(expect_round_trips(interops[turn % interops.size()], invocation, plaintext));
          ++turn;
        }
      }
    }
  }
}

// Takes every length around the first blocks, and -nopad for whole blocks.
TEST_P(OpensslProgram, ReadsAndWritesTheSameLengths) {
  const Interop interop("lengths");
  for (std::size_t bytes = 0; bytes <= 33; ++bytes) {
    const Invocation invocation{{GetParam(), "md5", 0, 16, true}, SaltPlace::given, Encoding::binary};
    ASSERT_NO_THROW(expect_round_trips(interop, invocation, test::pattern(bytes)));
  }
  for (std::size_t bytes = 8; bytes <= 64; bytes += 8) {
    const Invocation invocation{{GetParam(), "sha256", 0, 16, false}, SaltPlace::header, Encoding::binary};
    ASSERT_NO_THROW(expect_round_trips(interop, invocation, test::pattern(bytes)));
  }
}

// The program is given only the cipher when it writes; the library only the passphrase when it opens.
TEST_P(OpensslProgram, FilesOpenWithoutParameters) {
  const Interop interop("no flags at all");
  const Bytes plaintext =
      bytes_of("root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n");
  for (const auto& [digest, iterations] :
       {std::pair{"sha256", 0u}, std::pair{"md5", 0u}, std::pair{"sha256", kDefaultPbkdf2Iterations}}) {
    const Invocation invocation{
        {GetParam(), digest, iterations, 16, true}, SaltPlace::header, Encoding::binary};
    EXPECT_EQ(interop.decrypt_by_trial(interop.openssl(invocation, true, plaintext)), plaintext) << digest;
  }
}

// `-P` prints the derived values, "key=HEX" and "iv =HEX", in capitals.
TEST_P(OpensslProgram, DerivesTheSameKeys) {
  const Interop interop("derive me");
  const auto hex = [](std::span<const std::byte> bytes) {
    std::string text;
    for (const std::byte byte : bytes) {
      std::array<char, 3> digits{};
      std::snprintf(digits.data(), digits.size(), "%02X", std::to_integer<unsigned>(byte));
      text += digits.data();
    }
    return text;
  };
  Directory directory;
  write_file(directory.file("passphrase"), bytes_of("derive me\n"));
  for (const std::string digest : {"md5", "sha1", "sha224", "sha256", "sha384", "sha512", "ripemd160"}) {
    for (const std::uint32_t iterations : {0u, 1u, 10'000u}) {
      for (const SaltPlace place : {SaltPlace::given, SaltPlace::none}) {
        const Invocation invocation{{GetParam(), digest, iterations, 16, true}, place, Encoding::binary};
        const Outcome printed =
            run_openssl(invocation.flags() + " -P -pass 'file:" + directory.file("passphrase") + "'");
        ASSERT_EQ(printed.status, 0) << printed.output;
        const auto salt =
            place == SaltPlace::given ? std::span<const std::byte>(kSalt) : std::span<const std::byte>();
        const OpensslKey derived = derive_openssl_key(invocation.parameters, interop.passphrase(), salt);
        EXPECT_NE(printed.output.find("key=" + hex(derived.key.span())), std::string::npos)
            << invocation.flags() << "\n"
            << printed.output;
        if (GetParam() != Mode::ecb) {
          EXPECT_NE(printed.output.find("iv =" + hex(derived.iv)), std::string::npos) << printed.output;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Modes, OpensslProgram, ::testing::Values(Mode::ecb, Mode::cbc, Mode::cfb64, Mode::ofb),
    [](const auto& test) {
      return std::string(std::array{"ecb", "cbc", "cfb", "", "ofb"}.at(static_cast<std::size_t>(test.param)));
    });

}  // namespace
}  // namespace fugu::format
