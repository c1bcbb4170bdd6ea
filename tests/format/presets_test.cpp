// Formats without samples: the tests make files with OpenSSL's Blowfish by the sources of the programs.
#include "foreign_samples.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/auth/reference.hpp"
#include "support/testing.hpp"

namespace fugu::format {
namespace {

Bytes bf_cbc(std::string_view text, std::span<const std::byte> key, std::array<std::byte, 8> iv) {
  const std::size_t padding = 8 - text.size() % 8;
  std::string padded(text);
  padded.append(padding, static_cast<char>(padding));
  Bytes data = bytes_of(padded);
  auth::ReferenceBlowfish(auth::ReferenceMode::cbc, true, key, iv).update(data, data);
  return data;
}

std::array<std::byte, 8> iv_of(std::span<const std::byte> bytes) {
  std::array<std::byte, 8> iv;
  std::copy_n(bytes.begin(), iv.size(), iv.begin());
  return iv;
}

constexpr std::string_view kText = "A text of a few words, and of a length that needs padding.\n";

TEST(Presets, BurpsPasswordIsTheKey) {
  const Bytes iv = bytes_of("[lkd.$G\xa3");
  for (const std::string password :
       {"p", "password", "a password of more than fifty-six bytes, which is the cipher's limit"}) {
    const Bytes file = bf_cbc(kText, bytes_of(password), iv_of(iv));
    EXPECT_EQ(open_with("burp", file, bytes_of(password)).plaintext, bytes_of(kText));
    EXPECT_EQ(code_of([&] { open_with("burp", file, bytes_of("another")); }), Errc::wrong_key);
  }
}

// Python's hashlib computed the key, `openssl enc -bf-cbc -K -iv` the file.
TEST(Presets, BurpsNewerSchemeHasASalt) {
  const auto file = parse_hex(
      "ee2d53e7148a31fdcaf79cd2d08059d7c4a0c417f53ef2c4e75c4958e81368d5"
      "2acf74374510df04c28ad40de6b60f6f0536391259af49d759528057b42b63ea");
  const GivenOptions salt{{"salt", "00000001a2b3c4d5"}};
  const Bytes password = bytes_of("a backup password");
  EXPECT_EQ(open_with("burp", *file, password, {.options = salt}).plaintext, bytes_of(kText));
  const GivenOptions wrong{{"salt", "00000001a2b3c4d6"}};
  EXPECT_EQ(code_of([&] { open_with("burp", *file, password, {.options = wrong}); }), Errc::wrong_key);
}

TEST(Presets, DeadboltEditIsALineAndOpenssl) {
  const Bytes salt = bytes_of("8 octets");
  const auth::SecretBytes stream =
      auth::bytes_to_key("md5", auth::SecretBytes(std::string_view("secret")), salt, 24);
  Bytes binary = bytes_of("Salted__8 octets");
  const Bytes ciphertext = bf_cbc(kText, stream.span().first(16), iv_of(stream.span().subspan(16)));
  binary.insert(binary.end(), ciphertext.begin(), ciphertext.end());
  Bytes file = bytes_of("DeadboltEdit Encrypted ~~ Do Not Modify :0:d41d8cd98f00b204e9800998ecf8427e:\n");
  const Bytes body = base64_of(binary);
  file.insert(file.end(), body.begin(), body.end());
  EXPECT_EQ(open_with("deadboltedit", file, bytes_of("secret")).plaintext, bytes_of(kText));
  EXPECT_EQ(code_of([&] { open_with("deadboltedit", file, bytes_of("wrong one")); }), Errc::wrong_key);
  EXPECT_EQ(recognise(file, file.size()).front()->name, "deadboltedit");
}

}  // namespace
}  // namespace fugu::format
