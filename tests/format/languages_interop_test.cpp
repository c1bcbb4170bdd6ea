// Exchanges messages with the languages and programs that people encrypt in, if they are installed: PHP,
// node, Java, Free Pascal and eggdrop. Perl's are in foreign_interop_test.cpp.
#include "foreign_samples.hpp"
#include "programs.hpp"

namespace fugu::format {
namespace {

const std::string kKey = "a secret key of 20 b";
constexpr const char* kIvDigits = "3132333435363738";  // "12345678"

Bytes message() {
  return bytes_of("Caf\xc3\xa9 and 43 bytes, which are no whole block");
}

Bytes sealed_raw(const GivenOptions& options) {
  return seal_with("raw", message(), bytes_of(kKey), options);
}

Bytes opened_raw(const Bytes& file, const GivenOptions& options) {
  return open_with("raw", file, bytes_of(kKey), {.options = options}).plaintext;
}

// Another name of a mode, and fugu's options for it.
struct Exchange {
  const char* mode;
  GivenOptions options;
};

const std::vector<Exchange>& openssl_modes() {
  static const std::vector<Exchange> modes{{"bf-cbc", {{"mode", "cbc"}, {"iv", kIvDigits}}},
                                           {"bf-ecb", {{"mode", "ecb"}}},
                                           {"bf-cfb", {{"mode", "cfb"}, {"iv", kIvDigits}}},
                                           {"bf-ofb", {{"mode", "ofb"}, {"iv", kIvDigits}}}};
  return modes;
}

// `command` followed by a mode, "encrypt" or "decrypt", a file and another, works from the one to the other.
void exchange(const std::string& command, const Scratch& directory) {
  const std::string in = directory.path("in"), out = directory.path("out");
  for (const Exchange& one : openssl_modes()) {
    const auto run = [&](const char* direction, const Bytes& input) {
      write_file(in, input);
      output_of(command + one.mode + direction + in + " " + out);
      return read_file(out);
    };
    EXPECT_EQ(opened_raw(run(" encrypt ", message()), one.options), message()) << one.mode;
    EXPECT_EQ(run(" decrypt ", sealed_raw(one.options)), message()) << one.mode;
  }
}

// PHP and node have OpenSSL's Blowfish where the legacy provider is on.
TEST(Languages, Php) {
  const Scratch directory;
  write_file(directory.path("openssl.cnf"),
             bytes_of("openssl_conf = a\n[a]\nproviders = b\n[b]\ndefault = c\n"
                      "legacy = c\n[c]\nactivate = 1\n"));
  const std::string php = "OPENSSL_CONF=" + directory.path("openssl.cnf") + " php -r ";
  FUGU_NEED_PACKAGE(runs(php + "'exit(in_array(\"bf-cbc\", openssl_get_cipher_methods()) ? 0 : 1);'"),
                    "PHP with OpenSSL's Blowfish is not installed");
  const std::string script =
      "'file_put_contents($argv[4], (\"openssl_\" . $argv[2])(file_get_contents($argv[3]), $argv[1], \"" +
      kKey + "\", OPENSSL_RAW_DATA, $argv[1] == \"bf-ecb\" ? \"\" : \"12345678\"));' -- ";
  exchange(php + script, directory);
}

TEST(Languages, Node) {
  const std::string node = "node --openssl-legacy-provider -e ";
  FUGU_NEED_PACKAGE(
      runs(node + "'require(\"crypto\").createCipheriv(\"bf-cbc\", \"1234567812345678\", \"12345678\")'"),
      "node with OpenSSL's Blowfish is not installed");
  const Scratch directory;
  const std::string script =
      "'const fs = require(\"fs\"), [mode, direction, from, to] = process.argv.slice(1);"
      "const make = require(\"crypto\")[direction == \"encrypt\" ? \"createCipheriv\" : "
      "\"createDecipheriv\"];"
      "const cipher = make(mode, \"" +
      kKey +
      "\", mode == \"bf-ecb\" ? null : \"12345678\");"
      "fs.writeFileSync(to, Buffer.concat([cipher.update(fs.readFileSync(from)), cipher.final()]));' ";
  exchange(node + script, directory);
}

constexpr const char* kJava = R"(
import java.math.BigInteger;
import java.nio.file.*;
import javax.crypto.Cipher;
import javax.crypto.spec.*;

class Exchange {
  static byte[] run(String mode, boolean encrypts, byte[] key, byte[] data) throws Exception {
    Cipher cipher = Cipher.getInstance("Blowfish/" + mode);
    int direction = encrypts ? Cipher.ENCRYPT_MODE : Cipher.DECRYPT_MODE;
    SecretKeySpec secret = new SecretKeySpec(key, "Blowfish");
    if (mode.startsWith("ECB")) cipher.init(direction, secret);
    else cipher.init(direction, secret, new IvParameterSpec("12345678".getBytes()));
    return cipher.doFinal(data);
  }

  public static void main(String[] words) throws Exception {
    byte[] key = "a secret key of 20 b".getBytes();
    byte[] plain = Files.readAllBytes(Path.of("plain"));
    for (int i = 0; i < words.length; ++i) {
      Files.write(Path.of("java" + i), run(words[i], true, key, plain));
      Files.write(Path.of("back" + i), run(words[i], false, key, Files.readAllBytes(Path.of("fugu" + i))));
    }
    for (int i = 0; i < 20; ++i) {  // as JBoss's SecureIdentityLoginModule does it
      byte[] sealed = run("ECB/PKCS5Padding", true, "jaas is the way".getBytes(), ("password " + i).getBytes());
      System.out.println(new BigInteger(sealed).toString(16));
    }
  }
}
)";

// Its packages are 120 MB, which tools/check does not fetch.
TEST(Languages, Java) {
  if (!runs("java --list-modules | grep -q jdk.compiler")) GTEST_SKIP() << "no JDK is installed";
  const std::vector<Exchange> modes{{"CBC/PKCS5Padding", {{"mode", "cbc"}, {"iv", kIvDigits}}},
                                    {"ECB/PKCS5Padding", {{"mode", "ecb"}}},
                                    {"CFB/NoPadding", {{"mode", "cfb"}, {"iv", kIvDigits}}},
                                    {"CFB8/NoPadding", {{"mode", "cfb8"}, {"iv", kIvDigits}}},
                                    {"OFB/NoPadding", {{"mode", "ofb"}, {"iv", kIvDigits}}}};
  const Scratch directory;
  write_file(directory.path("Exchange.java"), bytes_of(kJava));
  write_file(directory.path("plain"), message());
  std::string command = "cd " + directory.directory() + " && java Exchange.java";
  for (std::size_t i = 0; i < modes.size(); ++i) {
    write_file(directory.path("fugu" + std::to_string(i)), sealed_raw(modes[i].options));
    command += std::string(" ") + modes[i].mode;
  }
  std::istringstream passwords(output_of(command));
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const auto file = [&](const char* name) { return read_file(directory.path(name + std::to_string(i))); };
    EXPECT_EQ(opened_raw(file("java"), modes[i].options), message()) << modes[i].mode;
    EXPECT_EQ(file("back"), message()) << modes[i].mode;
  }
  int opened = 0;
  for (std::string digits; std::getline(passwords, digits); ++opened)
    EXPECT_EQ(open_with("jboss", bytes_of(digits), {}).plaintext,
              bytes_of("password " + std::to_string(opened)));
  EXPECT_EQ(opened, 20);
}

constexpr const char* kPascal = R"(
{$mode objfpc}{$H+}
uses Classes, BlowFish;
const kKey = 'a secret key of 20 b';
var
  source, target: TFileStream;
  encryption: TBlowFishEncryptStream;
  decryption: TBlowFishDeCryptStream;
  buffer: array[0..4095] of byte;
begin
  source := TFileStream.Create(ParamStr(2), fmOpenRead);
  target := TFileStream.Create(ParamStr(3), fmCreate);
  if ParamStr(1) = 'encrypt' then begin
    encryption := TBlowFishEncryptStream.Create(kKey, target);
    encryption.CopyFrom(source, source.Size);
    encryption.Free;
  end else begin
    decryption := TBlowFishDeCryptStream.Create(kKey, source);
    target.Write(buffer, decryption.Read(buffer, SizeOf(buffer)));
  end;
  target.Free;
end.
)";

// Its unit BlowFish has blocks alone, of little-endian words.
TEST(Languages, FreePascal) {
  const Scratch directory;
  write_file(directory.path("b.pas"), bytes_of(kPascal));
  FUGU_NEED_PACKAGE(runs("cd " + directory.directory() + " && fpc -v0 b.pas"),
                    "Free Pascal with its unit BlowFish is not installed");
  const GivenOptions options{{"mode", "ecb"}, {"words", "le"}, {"pad", "none"}};
  Bytes blocks = message();
  blocks.resize(40);
  write_file(directory.path("in"), blocks);
  const std::string program = directory.path("b");
  output_of(program + " encrypt " + directory.path("in") + " " + directory.path("out"));
  EXPECT_EQ(opened_raw(read_file(directory.path("out")), options), blocks);
  output_of(program + " decrypt " + directory.path("out") + " " + directory.path("back"));
  EXPECT_EQ(read_file(directory.path("back")), blocks);
}

// It does not run as root.
std::string as_nobody() {
  return ::geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
}

TEST(Languages, Eggdrop) {
  const Scratch directory;
  const std::string folder = directory.directory();
  std::filesystem::permissions(folder, std::filesystem::perms(0755));
  write_file(directory.path("egg.conf"),
             bytes_of("set mod-path \"/usr/lib/eggdrop/modules/\"\n"
                      "loadmodule blowfish\n"
                      "for {set i 1} {$i <= 20} {incr i} {\n"
                      "  foreach mode {cbc ecb} {\n"
                      "    set text [string range \"a few words and more\" 0 $i-1]\n"
                      "    puts \"+OK [encrypt $mode:secret $text]\\t$text\"\n"
                      "  }\n"
                      "}\n"
                      "exit\n"));
  std::filesystem::permissions(directory.path("egg.conf"), std::filesystem::perms(0644));
  const std::string command =
      "cd " + folder + " && timeout 60 " + as_nobody() + "eggdrop -nm " + directory.path("egg.conf");
  FUGU_NEED_PACKAGE(runs("eggdrop -v </dev/null | grep -q Eggdrop"), "eggdrop is not installed");
  std::istringstream lines(run_program(command).output);
  int opened = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("+OK ")) continue;
    const std::size_t tab = line.find('\t');
    const std::string text = line.substr(tab + 1);
    EXPECT_EQ(
        open_with("fish", bytes_of(line.substr(0, tab)), bytes_of("secret"), {.accept_weak_evidence = true})
            .plaintext,
        bytes_of(text))
        << line;
    ++opened;
  }
  EXPECT_EQ(opened, 40);
}

}  // namespace
}  // namespace fugu::format
