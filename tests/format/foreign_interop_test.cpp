// Exchanges files with the other programs themselves, if they are installed: Perl's Crypt::CBC, Vim, GnuPG
// and mcrypt.
#include "foreign_samples.hpp"
#include "programs.hpp"

namespace fugu::format {
namespace {

constexpr const char* kPassphrase = "secret";

// Returns lines, since Vim writes lines. The text is longer than Vim's buffers of 8 KiB.
Bytes text() {
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += "line " + std::to_string(i) + " of a text\n";
  return bytes_of(lines);
}

Result open_file(std::string_view codec, const std::string& path, const GivenOptions& options = {}) {
  return open_with(codec, read_file(path), bytes_of(kPassphrase), {.options = options});
}

// The programs encrypt the file "plain" of a directory.
class Programs : public ::testing::Test {
 protected:
  Programs() { write_file(directory.path("plain"), text()); }

  const Scratch directory;
};
using GnuPg = Programs;
using Mcrypt = Programs;

class CryptCbc : public Programs {
 protected:
  void SetUp() override {
    FUGU_NEED_PACKAGE(runs("perl -MCrypt::CBC -MCrypt::Blowfish -e 1"),
                      "Perl's Crypt::CBC and Crypt::Blowfish are not installed");
  }
  void run_perl(const std::string& options, const char* method, const char* from, const char* to) {
    output_of(
        "perl -MCrypt::CBC -e 'binmode STDIN; binmode STDOUT; local $/; my $c = Crypt::CBC->new(-pass => "
        "\"secret\", "
        "-cipher => \"Blowfish\", -nodeprecate => 1" +
        options + "); print $c->" + method + "(<STDIN>)' < " + directory.path(from) + " > " +
        directory.path(to));
  }
};

TEST_F(CryptCbc, OpensWhatPerlWrites) {
  const std::pair<const char*, GivenOptions> cases[] = {
      {"", {}},
      {", -pbkdf => \"opensslv2\"", {}},
      {", -pbkdf => \"pbkdf2\"", {}},
      {", -pbkdf => \"pbkdf2\", -iter => 77", {{"pbkdf", "pbkdf2"}, {"iter", "77"}}},
      {", -keysize => 16", {}},
      {", -chain_mode => \"pcbc\"", {}},
      {", -chain_mode => \"ofb\"", {}},
      {", -chain_mode => \"cfb\"", {{"mode", "cfb"}, {"pad", "null"}}},
      {", -padding => \"oneandzeroes\"", {{"pad", "oneandzeroes"}}},
  };
  for (const auto& [perl, options] : cases) {
    run_perl(perl, "encrypt", "plain", "cbc");
    EXPECT_EQ(open_file("cryptcbc", directory.path("cbc"), options).plaintext, text()) << perl;
  }
}

TEST_F(CryptCbc, PerlOpensWhatIsWritten) {
  for (const std::string pbkdf : {"pbkdf2", "opensslv2"}) {
    write_file(directory.path("cbc"),
               seal_with("cryptcbc", text(), bytes_of(kPassphrase), {{"pbkdf", pbkdf}}));
    run_perl(", -pbkdf => \"" + pbkdf + "\"", "decrypt", "cbc", "back");
    EXPECT_EQ(read_file(directory.path("back")), text()) << pbkdf;
  }
}

class Vim : public Programs {
 protected:
  void SetUp() override {
    FUGU_NEED_PACKAGE(runs("vim --version | grep -q +cryptv"), "Vim with +cryptv is not installed");
  }
  void run_vim(const std::string& arguments) {
    output_of("timeout 60 vim -es -u NONE -i NONE -n -N " + arguments + " < /dev/null");
  }
};

TEST_F(Vim, OpensWhatVimWrites) {
  for (const char* method : {"blowfish", "blowfish2"}) {
    run_vim(directory.path("plain") + " -c 'set cm=" + method + " key=secret' -c 'w! " +
            directory.path("vim") + "' -c 'q!'");
    EXPECT_EQ(open_file("vim", directory.path("vim")).plaintext, text()) << method;
  }
}

TEST_F(Vim, VimOpensWhatIsWritten) {
  write_file(directory.path("vim"), seal_with("vim", text(), bytes_of(kPassphrase)));
  run_vim("--cmd 'set key=secret' " + directory.path("vim") + " -c 'set key=' -c 'w! " +
          directory.path("back") + "' -c 'q!'");
  EXPECT_EQ(read_file(directory.path("back")), text());
}

TEST_F(GnuPg, OpensWhatGpgWrites) {
  FUGU_NEED_PACKAGE(runs("gpg --version"), "GnuPG is not installed");
  const std::string gpg =  // from 2.3 on, gpg takes ciphers of 64-bit blocks only on request
      "gpg $(gpg --dump-options | grep -x -e --allow-old-cipher-algos) --homedir " + directory.directory() +
      " --batch --yes --quiet --no-permission-warning --pinentry-mode loopback --passphrase secret "
      "--cipher-algo BLOWFISH --s2k-count 65536 ";
  for (const char* options : {"", "--armor", "-z 0", "--compress-algo bzip2", "--rfc2440"}) {
    output_of(gpg + options + " -o " + directory.path("gpg") + " -c " + directory.path("plain"));
    EXPECT_EQ(open_file("openpgp", directory.path("gpg")).plaintext, text()) << options;
  }
  static_cast<void>(run_program("gpgconf --homedir " + directory.directory() + " --kill gpg-agent"));
}

TEST_F(Mcrypt, OpensWhatMcryptWrites) {
  FUGU_NEED_PACKAGE(runs("mcrypt --version"), "mcrypt is not installed");
  for (const char* options :
       {"-a blowfish -m cbc", "-a blowfish-compat -m cfb", "-a blowfish -m ncfb",
        "-a blowfish -m nofb -h md5", "-a blowfish-compat -m ctr -o s2k-isalted-sha1"}) {
    output_of(std::string("mcrypt -q -k secret ") + options + " < " + directory.path("plain") + " > " +
              directory.path("nc"));
    EXPECT_EQ(open_file("mcrypt", directory.path("nc")).plaintext, text()) << options;
  }
}

}  // namespace
}  // namespace fugu::format
