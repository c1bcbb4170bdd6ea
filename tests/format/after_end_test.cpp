// What follows a container's end (codec.hpp): bytes are appended to every sample of every format, which is
// then opened. EncFS, a directory, has a test of its own.
#include "foreign_samples.hpp"
#include "fugu/auth/digest.hpp"
#include "fugu/format/bfa/detail/content.hpp"
#include "fugu/format/detail/digests.hpp"

namespace fugu::format {
namespace {

enum class End : std::uint8_t {
  marked,    // the format says where it ends: refused, or opened with a note and less than all_content
  of_input,  // more bytes are more ciphertext: refused, or other plaintext comes out
};

struct Row {
  std::string_view codec;
  End end;
  std::string_view why;
};

// A format without a row fails the test.
constexpr Row kRows[] = {
    {"sealed", End::marked, "a segment shorter than the others is the last"},
    {"openssl", End::of_input, "a salt and ciphertext, no length"},
    {"raw", End::of_input, "ciphertext alone"},
    {"cryptcbc", End::of_input, "a salt or IV and ciphertext, no length"},
    {"vim", End::of_input, "a header and a stream, no length"},
    {"bfe", End::marked, "a copy of the key is last"},
    {"bfa", End::marked, "its header has the plaintext's length"},
    {"mcrypt", End::of_input, "the digest and the count of the last block's bytes end the ciphertext"},
    {"nppcrypt", End::of_input, "text or bytes up to the end"},
    {"securepad", End::of_input, "digits up to the end, and zeros in the last block alone"},
    {"openpgp", End::marked, "a packet has a length, armor a last line"},
    {"kwallet", End::marked, "a digest ends it"},
    {"luks1", End::of_input, "sectors up to the end of the device"},
    {"pwsafe", End::of_input, "fields up to the end"},
    {"odf", End::marked, "a zip archive ends in its directory"},
    {"deadboltedit", End::of_input, "a line and base64, no length"},
    {"burp", End::of_input, "ciphertext alone"},
    {"hmailserver", End::of_input, "lines or digits up to the end"},
    {"jboss", End::of_input, "digits up to the end"},
    {"securecrt", End::marked, "a line among others, or digits up to the end"},
    {"navicat", End::of_input, "XML, or digits up to the end"},
    {"fpm", End::marked, "XML ends in its root"},
    {"gpass", End::of_input, "padding ends it"},
    {"oubliette", End::marked, "its header has the data's length"},
    {"truecrypt", End::of_input, "sectors up to the end of the file"},
    {"vnd", End::of_input, "sectors up to the end of the file"},
    {"plain", End::of_input, "sectors up to the end of the file"},
    {"dcpcrypt", End::of_input, "ciphertext alone"},
    {"fish", End::of_input, "lines up to the end"},
};

const Row& row_of(std::string_view codec) {
  const Row* row = std::ranges::find(kRows, codec, &Row::codec);
  if (row == std::end(kRows)) throw std::logic_error("no row for " + std::string(codec));
  return *row;
}

std::vector<std::pair<std::string, Bytes>> suffixes(const Bytes& file) {
  test::Random random(1);
  std::vector<std::pair<std::string, Bytes>> all;
  for (const std::size_t bytes : {1U, 8U, 16U, 4096U}) {
    all.emplace_back(std::to_string(bytes) + " zeros", Bytes(bytes));
    all.emplace_back(std::to_string(bytes) + " bytes of noise", test::random_bytes(random, bytes));
  }
  all.emplace_back("the file itself", file);
  all.emplace_back("a line feed and the file itself", bytes_of("\n") + file);
  all.emplace_back("text", bytes_of("\nand more text\n"));
  all.emplace_back("a digit", bytes_of("A"));  // in base64, zeros
  all.emplace_back("another digit", bytes_of("0"));
  return all;
}

using Open = std::function<Result(std::span<const std::byte>)>;

// Returns whether it opened.
bool expect_seen(const Row& row, const Bytes& plaintext, const Bytes& file, const std::string& what,
                 const Open& open) {
  Result result;
  try {
    result = open(file);  // throws std::logic_error when it finished its output although it failed
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == Errc::damaged || error.code() == Errc::wrong_key ||
                error.code() == Errc::unknown_format)
        << what << ": " << error.text();
    return false;
  }
  if (row.end == End::marked) {
    EXPECT_TRUE(!result.opened.all_content && !result.opened.notes.empty()) << what;
  } else {
    EXPECT_TRUE(result.plaintext != plaintext) << what;
  }
  return true;
}

bool is_text(const Sample& sample) {
  const auto begins = [text = text_of(sample.bytes)](const char* with) { return text.starts_with(with); };
  const bool is_ascii = std::ranges::all_of(sample.bytes, [](std::byte b) { return b < std::byte{0x80}; });
  return is_ascii && (begins("-----BEGIN PGP") || begins("<nppcrypt") || begins("DeadboltEdit") ||
                      sample.codec() == "securepad");
}

// White space after a text is part of it.
void expect_white_space_is_nothing(const Sample& sample, const Bytes& plaintext, const Open& open) {
  for (const std::string_view space : {"\n", "\r\n", "\n \t\r\n\n"})
    EXPECT_EQ(open(joined({sample.bytes, bytes_of(space)})).plaintext, plaintext) << sample.file;
}

// Anything else is never passed over.
void expect_strangers_are_refused(const Sample& sample, const Open& open) {
  const std::string_view strangers = sample.codec() == "openpgp" && is_text(sample)
                                         ? std::string_view("\0", 1)
                                         : std::string_view("\0!\x80", 3);
  for (const char stranger : strangers) {  // text may stand around an armored message, as in a mail
    Bytes file = sample.bytes;
    file.insert(file.end(), 8, static_cast<std::byte>(stranger));  // whole groups of any encoding
    EXPECT_EQ(code_of([&] { open(file); }), Errc::damaged) << sample.file;
  }
}

// Of formats without an end, where the header has a text of its own.
void expect_joined_files_are_named(const Sample& sample, const Open& open) {
  const std::string header = sample.bytes.size() > 16 ? text_of(slice(sample.bytes, 0, 8)) : "";
  if (row_of(sample.codec()).end == End::marked || (header != "Salted__" && header != "RandomIV")) return;
  expect_error(Errc::damaged, "files were joined", error_of([&] {
                 open(joined({sample.bytes, sample.bytes}));
               }));
}

void append_to(const Sample& sample, const Open& open) {
  const Row& row = row_of(sample.codec());
  const Bytes plaintext = open(sample.bytes).plaintext;
  for (const auto& [name, suffix] : suffixes(sample.bytes))
    expect_seen(row, plaintext, joined({sample.bytes, suffix}), sample.file + " and " + name, open);
  expect_joined_files_are_named(sample, open);
  if (!is_text(sample)) return;
  expect_white_space_is_nothing(sample, plaintext, open);
  expect_strangers_are_refused(sample, open);
}

class AfterTheEnd : public ::testing::TestWithParam<std::string_view> {};

TEST_P(AfterTheEnd, BytesAreSeen) {
  const int most = test::cases(50);
  int tried = 0;
  for (const Sample& sample : committed()) {
    if (sample.codec() != GetParam() || is_refused(sample)) continue;
    const How how{.options = options_for(sample), .accept_weak_evidence = true};
    append_to(sample, [&](std::span<const std::byte> file) {
      return open_with(sample.codec(), file, sample.passphrase, how);
    });
    if (++tried == most) break;
  }
  EXPECT_GT(tried, 0);
}

INSTANTIATE_TEST_SUITE_P(Damaged, AfterTheEnd, ::testing::ValuesIn(codecs_of(committed())),
                         [](const auto& codec) { return std::string(codec.param); });

constexpr std::string_view kText = "A text of a few words, and of a length that needs padding.\n";

void append_to_file(std::string_view codec, const Bytes& file, const AskSecret& secret,
                    const GivenOptions& options = {}) {
  Sample sample;
  sample.file = std::string(codec) + "/new";
  sample.bytes = file;
  const How how{.options = options, .accept_weak_evidence = true};
  append_to(sample, [&](std::span<const std::byte> bytes) { return open_with(codec, bytes, secret, how); });
}

const auth::SecretBytes& password() {
  static const auth::SecretBytes bytes(std::string_view("a backup password"));
  return bytes;
}

TEST(AfterTheEndOfANewFile, Sealed) {
  const AskSecret key(SecretKind::key, password());
  append_to_file("sealed", seal_with("sealed", bytes_of(kText), key), key);
}

const GivenOptions kOpenssl1{{"cipher", "bf-cbc"}, {"md", "md5"}, {"no-pbkdf2", ""}};

TEST(AfterTheEndOfANewFile, Openssl) {
  const AskSecret passphrase(SecretKind::passphrase, password());
  for (const char* cipher : {"bf-cbc", "bf-ecb", "bf-cfb", "bf-ofb"}) {
    GivenOptions options = kOpenssl1;
    options["cipher"] = cipher;
    append_to_file("openssl", seal_with("openssl", bytes_of(kText), passphrase, options), passphrase,
                   options);
  }
}

TEST(AfterTheEndOfANewFile, Raw) {
  const AskSecret key(SecretKind::key, password());
  for (const std::string mode : {"ecb", "cbc", "cfb", "cfb8", "ofb", "ctr"}) {
    GivenOptions options{{"mode", mode}};
    if (mode != "ecb") options["iv"] = "prefix";
    append_to_file("raw", seal_with("raw", bytes_of(kText), key, options), key, options);
  }
}

TEST(AfterTheEndOfANewFile, DeadboltEdit) {
  const AskSecret passphrase(SecretKind::passphrase, password());
  const Bytes base64 = base64_of(seal_with("openssl", bytes_of(kText), passphrase, kOpenssl1));
  constexpr std::string_view kLine =
      "DeadboltEdit Encrypted ~~ Do Not Modify :0:d41d8cd98f00b204e9800998ecf8427e:\n";
  append_to_file("deadboltedit", joined({bytes_of(kLine), base64}), passphrase);
}

TEST(AfterTheEndOfANewFile, Burp) {  // the file of vaults_test.cpp
  const Bytes file = bytes_of_hex(
      "ee2d53e7148a31fdcaf79cd2d08059d7c4a0c417f53ef2c4e75c4958e81368d5"
      "2acf74374510df04c28ad40de6b60f6f0536391259af49d759528057b42b63ea");
  append_to_file("burp", file, AskSecret(SecretKind::passphrase, password()), {{"salt", "00000001a2b3c4d5"}});
}

// Its header, no name, eight letters and their CRC-32 fill whole blocks or not: less than a block may follow.
TEST(AfterTheEndOfANewFile, BfaContent) {
  for (const std::size_t letters : {7U, 8U, 15U}) {
    Bytes content = *parse_hex("141119751d00000000000000000000000000");
    content.resize(29);
    content[18] = static_cast<std::byte>(letters);
    const Bytes name(letters, std::byte{'x'});
    const auto crc = make_checksum("crc32b");
    crc->update(name);
    content = joined({content, name, crc->finish()});
    BytesSink none;
    const auto waiting = bfa_content(none, content.size() + 1, {});
    waiting->write(content);
    EXPECT_EQ(error_of([&] { waiting->finish(); }).value().text(), "the file ends early: it is truncated");
    for (const std::size_t more : {0U, 7U, 8U, 9U}) {
      BytesSink sink;
      const auto taker = bfa_content(sink, content.size(), {});
      Bytes all = content;
      all.resize(content.size() + more);
      const auto failure = error_of([&] {
        taker->write(all);
        taker->finish();
      });
      EXPECT_EQ(failure.has_value(), more >= 8) << letters << " letters and " << more << " bytes";
      EXPECT_EQ(sink.finished == 1, more < 8);
    }
  }
}

TEST(AfterTheEndOfANewFile, EveryFormatHasARow) {
  for (const Codec* codec : codecs()) {
    if (codec->can(Ability::tree)) continue;
    EXPECT_FALSE(row_of(codec->name).why.empty());
  }
}

}  // namespace
}  // namespace fugu::format
