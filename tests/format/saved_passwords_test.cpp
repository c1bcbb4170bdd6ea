// Tests of saved passwords and messages in addition to those of every sample: what is named and refused,
// other forms of output, other versions. What no program of theirs made here is encrypted by OpenSSL.
#include "foreign_samples.hpp"
#include "fugu/auth/digest.hpp"
#include "fugu/auth/reference.hpp"

namespace fugu::format {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string open_text(std::string_view codec, const Bytes& file, std::string_view secret = "",
                      const GivenOptions& options = {}) {
  return text_of(open_with(codec, file, bytes_of(secret), {.options = options}).plaintext);
}

std::string open_text(std::string_view codec, std::string_view file, std::string_view secret = "") {
  return open_text(codec, bytes_of(file), secret);
}

Error refusal(std::string_view codec, std::string_view file, std::string_view secret = "") {
  return error_of([&] { open_text(codec, file, secret); }).value();
}

TEST(SavedPasswords, WithoutASecretNoneIsAskedFor) {
  for (const Sample& sample : samples()) {
    if (find_codec(sample.codec())->needs_secret()) continue;
    const AskSecret asks(SecretKind::key, do_not_tell);
    EXPECT_EQ(sha256_hex(open_with(sample.codec(), sample.bytes, asks).plaintext), sample.plaintext_sha256);
  }
}

class OfXml : public ::testing::Test {
 protected:
  void SetUp() override {
    if (find_codec("navicat") == nullptr) GTEST_SKIP() << "built without the formats of XML";
  }
};
using Navicat = OfXml;
using Fpm = OfXml;

// --- JBoss

TEST(Jboss, PlainHexadecimalWithItsTopBitSetIsTheSame) {  // neg_2: -55fd5fac8f894a49 as two's complement
  EXPECT_EQ(open_text("jboss", "aa02a0537076b5b7"), open_text("jboss", "-55fd5fac8f894a49\n"));
}

TEST(Jboss, WhatIsNoNumberIsDamage) {
  for (const char* text : {"", "-", "--1", "5dfc52b51bd3555g", "+5dfc52b51bd35553", "5dfc 52b5", "12345678"})
    EXPECT_EQ(refusal("jboss", text).code(), Errc::damaged) << text;
}

// --- SecureCRT

TEST(SecureCrt, AesIsNamed) {
  for (const char* file :
       {"S:\"Username\"=a\r\nS:\"Password V2\"=02:00112233\r\n", "03:0011223344556677", "02:00"}) {
    expect_error(Errc::unknown_format, "AES", refusal("securecrt", file));
  }
}

TEST(SecureCrt, TheSessionMayHaveAByteOrderMarkAndStandFirst) {
  const std::string digits = text_of(sample_named("securecrt/node_03.txt").bytes);
  EXPECT_EQ(open_text("securecrt", "\xef\xbb\xbfS:\"Password\"=" + digits + "\r\nS:\"Other\"=1\r\n"), "a");
  EXPECT_EQ(open_text("securecrt", "u" + digits.substr(digits.starts_with('u') ? 1 : 0)), "a");
}

TEST(SecureCrt, OtherLengthsAreDamage) {
  for (const char* file : {"", "u", "u0011223344556677", "u001122334455667788", "S:\"Password\"=\n"})
    EXPECT_EQ(refusal("securecrt", file).code(), Errc::damaged) << file;
}

// A lone surrogate under both keys.
TEST(SecureCrt, WhatIsNoUtf16IsDamage) {
  const Bytes inner_key = bytes_of_hex("5fb045a29417d916c6c6a2ff064182b7");
  const Bytes outer_key = bytes_of_hex("24a63dde5bd3b3829c7e06f40816aa07");
  const Bytes inner = openssl_cbc(inner_key, {}, bytes_of_hex("00d8000000000000"));
  const Bytes message =
      openssl_cbc(outer_key, {}, bytes_of_hex("00112233") + inner + bytes_of_hex("44556677"));
  EXPECT_EQ(refusal("securecrt", test::hex_of(message)).code(), Errc::damaged);
}

// --- Navicat

TEST_F(Navicat, PublishedStrings) {
  EXPECT_EQ(open_text("navicat", "0EA71F51DD37BFB60CCBA219BE3A"), "This is a test");
  EXPECT_EQ(open_text("navicat", "15057D7BA390\r\n"), "123456");
}

// The last byte is a XOR of "a": "DB" gives ff.
TEST_F(Navicat, WhatIsNoUtf8IsDamage) {
  EXPECT_EQ(open_text("navicat", "45"), "a");
  EXPECT_EQ(refusal("navicat", "DB").code(), Errc::damaged);
}

TEST_F(Navicat, AesIsNamed) {
  expect_error(Errc::unknown_format, "version 12 or later, which encrypts with AES",
               refusal("navicat", "B75D320B6211468D63EB3B67C9E85933"));
}

TEST_F(Navicat, AnExportWithAnotherRootOrAfterItsEndIsDamage) {
  for (const char* file :
       {"<a/>", "<Connections/><Connections></Connections>", "<Connections></Connections>x"})
    EXPECT_EQ(refusal("navicat", file).code(), Errc::damaged) << file;
}

Bytes utf16_little(std::string_view ascii) {
  Bytes bytes = bytes_of("\xff\xfe");
  for (const char c : ascii) bytes.insert(bytes.end(), {static_cast<std::byte>(c), std::byte{0}});
  return bytes;
}

// As regedit writes them; the passwords are the published ones.
const std::string kServer =
    "\r\n\r\n[HKEY_CURRENT_USER\\Software\\PremiumSoft\\Navicat]\r\n\"Host\"=\"no\"\r\n\r\n"
    "[HKEY_CURRENT_USER\\Software\\PremiumSoft\\Navicat\\Servers\\my \"db\"]\r\n\"Host\"=\"db.example\"\r\n"
    "\"Pwd\"=\"0EA71F51DD37BFB60CCBA219BE3A\"\r\n\"UserName\"=\"do\\\\ma\\\"in\"\r\n\"Port\"=dword:"
    "00000cea\r\n\r\n"
    "[HKEY_CURRENT_USER\\Software\\PremiumSoft\\Navicat\\Servers\\my "
    "\"db\"\\Tables]\r\n\"Pwd\"=\"00\"\r\n\r\n"
    "[HKEY_CURRENT_USER\\Software\\PremiumSoft\\NavicatPG\\Servers\\second]\r\n\"Pwd\"="
    "\"15057D7BA390\"\r\n\r\n"
    "[HKEY_CURRENT_USER\\Software\\PremiumSoft\\NavicatPG\\Servers\\third]\r\n\"Pwd\"=\"\"\r\n";

TEST_F(Navicat, AnExportOfTheRegistry) {
  const std::string table =
      "my \"db\"\tdb.example\tdo\\ma\"in\tThis is a test\nsecond\t\t\t123456\nthird\t\t\t\n";
  for (const Bytes& file :
       {utf16_little("Windows Registry Editor Version 5.00" + kServer), bytes_of("REGEDIT4" + kServer)}) {
    const Result result = open_with("navicat", file, {});
    EXPECT_EQ(text_of(result.plaintext), table);
    EXPECT_TRUE(!result.opened.all_content && result.opened.notes.size() == 1);
    EXPECT_EQ(recognise(std::span(file).first(std::min(file.size(), kRecogniseBytes)), file.size()),
              std::vector{find_codec("navicat")});
    for (std::size_t bytes = 0; bytes < file.size(); ++bytes) {
      const auto failure = error_of([&] { open_text("navicat", slice(file, 0, bytes)); });
      EXPECT_TRUE(!failure || failure->code() == Errc::damaged) << bytes << failure->text();
    }
  }
}

TEST_F(Navicat, AnExportCutInsideAPasswordIsDamage) {
  EXPECT_EQ(refusal("navicat", "REGEDIT4" + kServer.substr(0, kServer.find("51DD37"))).code(), Errc::damaged);
}

TEST_F(Navicat, OtherExportsOfTheRegistryAreNoneOfItsOwn) {
  for (const std::string text : {"[HKEY_CURRENT_USER\\Software\\Other]\r\n", ""}) {
    const Bytes file = utf16_little("Windows Registry Editor Version 5.00\r\n\r\n" + text);
    EXPECT_TRUE(recognise(file, file.size()).empty());
  }
}

// --- FPM

TEST_F(Fpm, AsCsv) {
  const Sample& sample = sample_named("fpm/own_perl.fpm");
  const Result table = open_sample(sample, {.options = {{"to", "csv"}}});
  EXPECT_FALSE(table.opened.all_content);  // without the launchers
  const std::string csv = text_of(table.plaintext);
  const std::string json = open_text("fpm", sample.bytes, "correct horse");
  EXPECT_TRUE(csv.starts_with("Group,Title,Username,Password,URL,Notes\n")) << csv;
  EXPECT_EQ(std::ranges::count(csv, '\n'), 4);
  const std::size_t title = json.find("\"title\": ") + 9;
  EXPECT_NE(csv.find(json.substr(title, json.find(',', title) - title)), std::string::npos) << csv;
}

TEST_F(Fpm, AWrongPassphraseNamesFpm2) {
  const Sample& sample = sample_named("fpm/own_perl.fpm");
  expect_error(Errc::wrong_key, "FPM2", error_of([&] { open_text("fpm", sample.bytes, "no"); }));
}

// The sample with `more` put in behind `mark`.
Result open_changed_fpm(std::string_view mark, std::string_view more) {
  std::string text = text_of(sample_named("fpm/own_perl.fpm").bytes);
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) throw std::logic_error("the sample has no such mark");
  return open_with("fpm", bytes_of(text.insert(at + mark.size(), more)), bytes_of("correct horse"));
}

TEST_F(Fpm, WhatIsNotKnownIsNamedAndKeepsTheStore) {
  const Bytes plaintext = open_changed_fpm("", "").plaintext;
  struct Row {
    std::string_view mark, more, named;
  };
  constexpr Row kRows[] = {
      {"<LauncherList>", "<LauncherItem><title>ssh</title></LauncherItem>", "in LauncherList"},
      {"<PasswordItem>", "<default/>", "in PasswordList"},
      {"</password>", "<password>hfcccoglkdjiieij</password>", "in PasswordList"},
      {"<title", " lang=\"en\"", "in PasswordList"},
      {"</user>", "words", "in PasswordList"},
      {"<PasswordList>", "<Folder/>", "in PasswordList"},
      {"</LauncherList>", "<NoteList><note>a</note></NoteList>", "in NoteList"},
      {"<KeyInfo", " rounds=\"2\"", "in KeyInfo"},
      {"<FPM", " cipher=\"x\"", "in cipher"},
      {"</PasswordList>", "words", "in text"},
  };
  for (const Row& row : kRows) {
    const Result result = open_changed_fpm(row.mark, row.more);
    EXPECT_EQ(result.plaintext, plaintext) << row.more;
    EXPECT_FALSE(result.opened.all_content) << row.more;
    EXPECT_THAT(result.opened.notes, ElementsAre(EndsWith(std::string(row.named)))) << row.more;
  }
}

TEST_F(Fpm, AllListsAreReadAndTextGoesOnBehindAComment) {
  const Result whole = open_changed_fpm("", "");
  EXPECT_TRUE(whole.opened.all_content && whole.opened.notes.empty());
  const Result commented = open_changed_fpm("<title>fmjhab", "<!-- a comment -->");
  EXPECT_EQ(commented.plaintext, whole.plaintext);
  EXPECT_TRUE(commented.opened.all_content);
  const Result two = open_changed_fpm(
      "</PasswordList>",
      "<PasswordList><PasswordItem><title>fmjhabmangecglfh</title></PasswordItem></PasswordList>");
  EXPECT_EQ(std::ranges::count(two.plaintext, std::byte{'{'}), 4);
  EXPECT_TRUE(two.opened.all_content);
}

TEST_F(Fpm, NothingStandsBesideTheRoot) {
  const std::string text = text_of(sample_named("fpm/own_perl.fpm").bytes);
  const std::string root = text.substr(text.find("<FPM"));
  for (const std::string& file : {"x" + root, "<a/>" + text, root + "<a/>", root + "x", root + '\0' + root})
    EXPECT_EQ(refusal("fpm", file, "correct horse").code(), Errc::damaged);
}

// --- GPass

Bytes counted(std::string_view text) {
  return Bytes{static_cast<std::byte>(text.size())} + bytes_of(text);
}

Bytes gpass_entry(std::uint32_t id, std::uint32_t parent, std::string_view type, const Bytes& attributes) {
  return little_endian(id, 4) + little_endian(parent, 4) + little_endian(type.size(), 4) + bytes_of(type) +
         little_endian(attributes.size(), 4) + attributes;
}

Bytes gpass_file(Bytes payload) {
  const std::size_t padding = 8 - payload.size() % 8;
  payload.insert(payload.end(), padding, static_cast<std::byte>(padding));
  const auto key = auth::digest("sha1", {bytes_of("secret")});
  return openssl_cbc(key.span(), bytes_of_hex("0517017b0c03365e"), std::move(payload));
}

// 300 is ac 02 in 7 bits per byte.
Bytes gpass_payload() {
  const Bytes times = bytes_of_hex("ac02ac020100");
  return bytes_of("GPassFile version 1.1.0") +
         gpass_entry(1, 0, "folder", counted("bank") + counted("") + times) +
         gpass_entry(2, 1, "general",
                     counted("caf\xc3\xa9") + counted("two\nlines") + times + counted("me") +
                         counted("pa\"ss") + counted("host")) +
         gpass_entry(3, 0, "shell", bytes_of("unknown"));
}

TEST(Gpass, Version05AsCsvAndJson) {
  const Bytes file = gpass_file(gpass_payload());
  EXPECT_EQ(open_text("gpass", file, "secret", {{"to", "csv"}}),
            "Group,Title,Username,Password,URL,Notes\n"
            "\"\",\"bank\",\"\",\"\",\"\",\"\"\n"
            "\"bank\",\"caf\xc3\xa9\",\"me\",\"pa\"\"ss\",\"host\",\"two\nlines\"\n"
            "\"\",\"\",\"\",\"\",\"\",\"\"\n");
  const std::string json = open_text("gpass", file, "secret");
  for (const char* part :
       {"\"created\": 300,", "\"expires\": 1,", "\"user\": \"me\"", "\"type\": \"shell\"", "caf\xc3\xa9"})
    EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
  EXPECT_TRUE(json.starts_with("[\n {\n  \"id\": 1,") && json.ends_with("}\n]\n")) << json;
}

TEST(Gpass, Version04AsJson) {  // its payload is eight lines per entry, the last the size of the description
  const Sample& sample = sample_named("gpass/own_04.gps");
  const std::string payload = open_text("gpass", sample.bytes, "correct horse", {{"to", "payload"}});
  const std::size_t name = payload.find('\n') + 1;
  const std::string json = open_text("gpass", sample.bytes, "correct horse");
  EXPECT_TRUE(json.starts_with("[\n {\n  \"name\": \"" +
                               payload.substr(name, payload.find('\n', name) - name) + "\",\n"))
      << json;
}

// The size of a description counts the line feed after it.
TEST(Gpass, DescriptionsOf04HaveNoLineFeedAtTheirEnd) {
  const Sample& sample = sample_named("gpass/own_04.gps");
  const std::string json = open_text("gpass", sample.bytes, "correct horse");
  EXPECT_NE(json.find("\"description\": "), std::string::npos);
  EXPECT_EQ(json.find("\\n\"\n }"), std::string::npos) << json;
}

TEST(Gpass, AContentThatEndsEarlyIsDamageUnlessWrittenAsItIs) {
  const Bytes payload = gpass_payload();
  for (std::size_t bytes = 24; bytes < payload.size(); ++bytes) {
    const Bytes cut = slice(payload, 0, bytes);
    const auto failure = error_of([&] { open_text("gpass", gpass_file(cut), "secret"); });
    EXPECT_TRUE(!failure || failure->code() == Errc::damaged) << bytes;
    EXPECT_EQ(open_text("gpass", gpass_file(cut), "secret", {{"to", "payload"}}), text_of(cut));
  }
}

TEST(Gpass, AttributesThatAreNotKnownAreWrittenInBase64) {
  const Result result = open_with("gpass", gpass_file(gpass_payload()), bytes_of("secret"));
  const std::string json = text_of(result.plaintext);
  EXPECT_NE(json.find("\"base64\": \"dW5rbm93bg==\""), std::string::npos) << json;  // "unknown"
  EXPECT_THAT(result.opened.notes, ElementsAre(StartsWith("1 of 3 entries")));
  const Bytes more = gpass_entry(
      4, 0, "folder", counted("bank") + counted("") + bytes_of_hex("010203040506") + bytes_of("more"));
  const std::string known = open_text("gpass", gpass_file(gpass_payload() + more), "secret");
  EXPECT_NE(known.find("\"base64\": \"BQZtb3Jl\""), std::string::npos) << known;  // 05 06 "more"
}

TEST(Gpass, ATableLeavesOutWhatHasNoColumn) {
  const Result table =
      open_with("gpass", gpass_file(gpass_payload()), bytes_of("secret"), {.options = {{"to", "csv"}}});
  EXPECT_FALSE(table.opened.all_content);
  EXPECT_TRUE(table.opened.notes.front().ends_with("they were not written")) << table.opened.notes.front();
}

TEST(Gpass, OfTwoFoldersWithOneIdTheFirstIsMeant) {
  const Bytes times = bytes_of_hex("01020304");
  const Bytes payload = bytes_of("GPassFile version 1.1.0") +
                        gpass_entry(1, 0, "folder", counted("first") + counted("") + times) +
                        gpass_entry(1, 0, "folder", counted("second") + counted("") + times) +
                        gpass_entry(2, 1, "shell", {});
  const std::string csv = open_text("gpass", gpass_file(payload), "secret", {{"to", "csv"}});
  EXPECT_NE(csv.find("\n\"first\","), std::string::npos) << csv;
}

TEST(Gpass, BytesAfterTheLastEntryAreDamage) {
  for (std::size_t bytes = 1; bytes < 16; ++bytes) {
    const auto failure =
        error_of([&] { open_text("gpass", gpass_file(gpass_payload() + Bytes(bytes)), "secret"); });
    EXPECT_EQ(failure.value().code(), Errc::damaged) << bytes;
  }
}

// Looking through all entries for each one's folder would take longer than a test may.
TEST(Gpass, ManyEntriesFindTheirFolders) {
  constexpr std::uint32_t kEntries = 100'000;
  Bytes payload = bytes_of("GPassFile version 1.1.0");
  for (std::uint32_t id = 1; id <= kEntries; ++id) {
    const Bytes entry = gpass_entry(id, id - 1, "a", {});
    payload.insert(payload.end(), entry.begin(), entry.end());
  }
  EXPECT_EQ(std::ranges::count(open_text("gpass", gpass_file(payload), "secret", {{"to", "csv"}}), '\n'),
            kEntries + 1);
}

// --- Oubliette

TEST(Oubliette, OtherCiphersWrongPassphrasesAndOtherLengthsAreTold) {
  const Sample& sample = sample_named("oubliette/own_49.oub");
  const auto code = [&](Bytes file, std::string_view passphrase) {
    return code_of([&] { open_text("oubliette", file, passphrase); });
  };
  Bytes other = sample.bytes;
  other[4] = std::byte{'R'};
  EXPECT_EQ(code(other, "correct horse"), Errc::unknown_format);
  EXPECT_EQ(code(sample.bytes, "correct hors"), Errc::wrong_key);
  EXPECT_EQ(code(sample.bytes + Bytes(1), "correct horse"), Errc::damaged);
  EXPECT_EQ(code(slice(sample.bytes, 0, sample.bytes.size() - 1), "correct horse"), Errc::damaged);
}

// --- DCPcrypt

// The file that EncryptStream makes of a text under the hash of a passphrase.
Bytes dcpcrypt_file(const std::string& hash, std::string_view text,
                    auth::ReferenceMode mode = auth::ReferenceMode::cbc,
                    const Bytes& passphrase = bytes_of("secret")) {
  const auth::SecretBytes digest = auth::digest(hash, {passphrase});
  const auto key = digest.span().first(std::min<std::size_t>(digest.size(), 56));
  std::array<std::byte, 8> iv{};
  auth::ReferenceBlowfish(auth::ReferenceMode::ecb, true, key).update(iv, iv);
  Bytes file = bytes_of(text);
  auth::ReferenceBlowfish(mode, true, key, iv).update(file, file);
  return file;
}

// A program of Unicode Delphi hashes UTF-16LE.
TEST(Dcpcrypt, ThePassphraseMayBeInUtf16) {
  constexpr std::string_view kText = "whole blocks of ordinary text.. ";
  const Bytes wide = bytes_of_hex("e9006b00");  // e acute, k
  const Bytes file = dcpcrypt_file("sha1", kText, auth::ReferenceMode::cbc, wide);
  const Result result = open_with("dcpcrypt", file, bytes_of("\xc3\xa9k"));
  EXPECT_EQ(text_of(result.plaintext), kText);
  EXPECT_THAT(result.opened.notes, ElementsAre(HasSubstr("UTF-16")));
}

TEST(Dcpcrypt, TheTextTellsTheHash) {
  constexpr std::string_view kText = "words of a text.";
  for (const std::string hash : {"sha1", "sha256", "md5", "ripemd160", "sha384"}) {
    const Result result = open_with("dcpcrypt", dcpcrypt_file(hash, kText), bytes_of("secret"));
    EXPECT_EQ(text_of(result.plaintext), kText) << hash;
    EXPECT_TRUE(result.opened.by_trial && result.opened.parameters.ends_with(hash))
        << result.opened.parameters;
    const Result given =
        open_with("dcpcrypt", dcpcrypt_file(hash, kText), bytes_of("secret"), {.options = {{"hash", hash}}});
    EXPECT_FALSE(given.opened.by_trial);
  }
}

// The samples that DCPcrypt itself wrote, but for those of one letter under another hash than the first.
TEST(Dcpcrypt, SamplesOpenWithoutTheirHash) {
  int opened = 0;
  for (const Sample& sample : samples()) {
    if (sample.codec() != "dcpcrypt") continue;
    const auto failure = error_of([&] {
      EXPECT_EQ(sha256_hex(open_sample(sample).plaintext), sample.plaintext_sha256) << sample.file;
    });
    opened += failure ? 0 : 1;
    EXPECT_TRUE(!failure || failure->text().find("give ⟦hash⟧") != std::string::npos) << failure->text();
  }
  EXPECT_EQ(opened, 9);
}

TEST(Dcpcrypt, WhereNoHashGivesTextItIsAsked) {
  const Bytes noise = bytes_of_hex("8d3f1ce0a77b02f9554e91cad6b8037f");
  expect_error(Errc::unknown_format, "give ⟦hash⟧",
               error_of([&] { open_with("dcpcrypt", noise, bytes_of("secret")); }));
  const Result forced = open_with("dcpcrypt", noise, bytes_of("secret"), {.accept_weak_evidence = true});
  EXPECT_EQ(text_of(forced.plaintext), open_text("dcpcrypt", noise, "secret", {{"hash", "sha1"}}));
}

TEST(Dcpcrypt, WholeBlockModesOfStreams) {
  constexpr std::string_view kText = "forty-three bytes of text, as the sample has";
  for (const auto& [name, mode] :
       {std::pair("cfb", auth::ReferenceMode::cfb64), std::pair("ofb", auth::ReferenceMode::ofb)}) {
    const Bytes file = dcpcrypt_file("sha1", kText, mode);
    for (const std::size_t chunk_bytes : {0u, 8u}) {
      const How how{.options = {{"mode", name}}, .chunk_bytes = chunk_bytes};
      EXPECT_EQ(text_of(open_with("dcpcrypt", file, bytes_of("secret"), how).plaintext), kText);
    }
  }
}

TEST(Dcpcrypt, Base64IsFoundWithoutAnOption) {
  const Sample& sample = sample_named("dcpcrypt/string_04.txt");
  EXPECT_EQ(sha256_hex(open_sample(sample).plaintext), sample.plaintext_sha256);
}

// --- FiSH

const char* const kLine = "+OK LkKg81I6uZY.";  // of the log, under "secret"

TEST(Fish, TheModeBeforeTheKeyIsNoPartOfIt) {
  const Bytes& log = sample_named("fish/log_mixed.log").bytes;
  for (const char* key : {"cbc:secret", "ecb:secret"})
    EXPECT_EQ(open_text("fish", log, key), open_text("fish", log, "secret"));
}

TEST(Fish, TextAroundMessagesStays) {
  const std::string plain = open_text("fish", kLine, "secret");
  const std::string line = kLine;
  for (const char* before :
       {"", "[12:07] <alice> ", "\t", "+OK no message\r\n", "+OK\n+OK short\n", "x+OK wrg/Q/PspJ/1 "}) {
    for (const char* after : {"", "\r\n", "\n\n", " and more"})
      EXPECT_EQ(open_text("fish", before + line + after, "secret"), before + plain + after) << before;
  }
}

// What is no whole block stays behind the message: the end of a cut one, and letters that follow.
TEST(Fish, WhatFollowsTheLastWholeBlockStays) {
  const std::string blocks = "+OK sTZQF/C4qyL1";
  for (const std::string rest : {"IgXil/pAbyk", "I", "x7"}) {
    const Result result = open_with("fish", bytes_of(blocks + rest + "\n"), bytes_of("secret"));
    EXPECT_EQ(text_of(result.plaintext), open_text("fish", blocks, "secret") + rest + "\n");
    EXPECT_FALSE(result.opened.all_content);
    EXPECT_EQ(result.opened.notes.size(), 1u);
  }
}

// An IV and a block are 21 1/3 digits: the digit that holds bits of two blocks stays as well.
TEST(Fish, DigitsAfterTheLastBlockOfCbcStay) {
  const std::string digits = "w88nS4kntgGJo5NcI/21Shi579F5K6QM";  // eggdrop_cbc_30.txt
  const std::string plain = open_text("fish", "+OK *" + digits, "secret");
  for (std::size_t size = 22; size < digits.size(); ++size) {
    const Result cut = open_with("fish", bytes_of("+OK *" + digits.substr(0, size)), bytes_of("secret"));
    EXPECT_EQ(text_of(cut.plaintext), plain.substr(0, 8) + digits.substr(21, size - 21)) << size;
    EXPECT_FALSE(cut.opened.all_content);
  }
}

// Under another key its blocks are noise, which control characters show.
TEST(Fish, MessagesUnderAnotherKeyStay) {
  const std::string other = text_of(sample_named("fish/eggdrop_ecb_13.txt").bytes);
  const std::string plain = open_text("fish", kLine, "secret");
  const std::string log = std::string(kLine) + "\n" + other.substr(0, other.find('\n')) + "x\n";
  const Result result = open_with("fish", bytes_of(log), bytes_of("secret"));
  EXPECT_EQ(text_of(result.plaintext), plain + log.substr(log.find('\n')));
  EXPECT_FALSE(result.opened.all_content);
  EXPECT_THAT(result.opened.notes, ElementsAre(StartsWith("1 of 2 messages")));
}

TEST(Fish, AWrongKeyIsSeenInALog) {
  const Bytes& log = sample_named("fish/log_mixed.log").bytes;
  for (int i = 0; i < 200; ++i) {
    const auto failure = error_of([&] { open_text("fish", log, "wrong " + std::to_string(i)); });
    EXPECT_TRUE(failure && failure->code() == Errc::wrong_key) << i;
  }
}

// A log that repeats a message shows no more than the message.
TEST(Fish, ARepeatedMessageCountsOnce) {
  const std::string line = std::string(kLine) + "\n";
  const auto bits = [](const std::string& log) {
    return open_with("fish", bytes_of(log), bytes_of("secret")).opened.evidence.bits;
  };
  EXPECT_EQ(bits(line + line + line), bits(line));
}

TEST(Fish, WithoutAMessageNothingIsDone) {
  for (const char* log : {"+OK LkKg8zI6uZY.",  // the 6th is no ./01
                          "+OK Gpop ready for requests from 10.0.0.1\r\n", ""})
    EXPECT_EQ(refusal("fish", log, "secret").code(), Errc::unknown_format) << log;
}

}  // namespace
}  // namespace fugu::format
