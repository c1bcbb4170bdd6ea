// Files that no codec opens, and the programs that do.

#include "fugu/format/detail/beginnings.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/recognition.hpp"

namespace fugu::format {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kProviders = " -provider fugu -provider default -in FILE";

// Object identifiers, DER.
constexpr std::string_view kBfCbc = "\x06\x09\x2b\x06\x01\x04\x01\x97\x55\x01\x02"sv;
constexpr std::string_view kEncryptedData = "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x06"sv;  // RFC 5652, 8
constexpr std::string_view kPassword = "\x06\x0b\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x03\x09"sv;  // RFC 3211

constexpr char kSequence = 0x30, kInteger = 0x02, kIdentifier = 0x06;

// The content of an outer SEQUENCE, whose length may be indefinite (80).
std::string_view inside(std::string_view der) {
  if (der.size() < 2 || der[0] != kSequence) return {};
  const auto length = static_cast<unsigned char>(der[1]);
  const std::size_t more = length > 0x80 ? length & 0x7fU : 0;
  return der.substr(std::min(der.size(), 2 + more));
}

std::string command(std::string_view what, std::string_view call, std::string_view form) {
  const std::string inform = form.empty() ? "" : " -inform " + std::string(form);
  return "this is " + std::string(what) +
         " with Blowfish, which OpenSSL opens with fugu's provider: openssl " + std::string(call) + inform +
         std::string(kProviders);
}

std::string cms_command(std::string_view der, std::string_view form) {
  if (inside(der).starts_with(kEncryptedData))
    return command("encrypted data of CMS", "cms -EncryptedData_decrypt -secretkey HEX", form);
  if (der.find(kPassword) != std::string_view::npos)
    return command("a password-protected CMS message", "cms -decrypt -pwri_password PASSWORD", form);
  return command("a CMS message", "cms -decrypt -inkey KEY", form);
}

// `form` is the value of -inform.
std::string der_command(std::string_view der, std::string_view form) {
  const std::string_view content = inside(der);
  if (content.empty() || der.find(kBfCbc) == std::string_view::npos) return {};
  if (content[0] == kInteger) return command("a PKCS#12 file", "pkcs12 -nodes", "");
  if (content[0] == kIdentifier) return cms_command(der, form);
  if (content[0] == kSequence) return command("a private key", "pkey", form);
  return {};
}

// `text` begins with base64, in lines.
std::string base64_command(std::string_view text, std::string_view form) {
  const std::vector<std::byte> der = decoded_head(bytes_in(text), TextEncoding::base64);
  return der_command(text_of(der), form);
}

std::string_view after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
}

// PROTOCOL.key of OpenSSH: the magic, and the cipher's name behind its size. OpenSSH 7.6 gave up Blowfish.
std::string openssh_command(std::string_view body) {
  const std::vector<std::byte> key = decoded_head(bytes_in(body), TextEncoding::base64);
  if (!starts_with(key,
                   "openssh-key-v1\0\0\0\0\x0c"
                   "blowfish-cbc"sv))
    return "this is an OpenSSH private key, with a cipher other than Blowfish: open it with ssh-keygen";
  return "this is an OpenSSH private key with Blowfish, which OpenSSH up to 7.5 opens and encrypts again: "
         "ssh-keygen -p -Z aes256-ctr -f FILE";
}

std::string pem_command(std::string_view text) {
  const std::string_view body = after(text, "\n");
  if (text.starts_with("-----BEGIN OPENSSH PRIVATE KEY-----")) return openssh_command(body);
  const std::string_view headers_end = body.find("\r\n\r\n") < body.find("\n\n") ? "\r\n\r\n" : "\n\n";
  if (body.starts_with("Proc-Type:") &&
      body.substr(0, body.find(headers_end)).find("DEK-Info: BF-") != body.npos)
    return command("a private key", "pkey", "");
  return base64_command(body, "PEM");
}

// The first block with Blowfish; certificates and text may stand before it.
std::string first_pem_command(std::string_view text) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  std::string found;
  for (std::size_t at = text.find(kBegin); at != text.npos && found.empty(); at = text.find(kBegin, at + 1)) {
    if (at == 0 || text[at - 1] == '\n') found = pem_command(text.substr(at));
  }
  return found;
}

std::string smime_command(std::string_view text) {
  const std::string_view body =
      text.find("\r\n\r\n") < text.find("\n\n") ? after(text, "\r\n\r\n") : after(text, "\n\n");
  return base64_command(body, "SMIME");
}

// PKWARE's APPNOTE, 4.3.7 and 7.2: the data of an entry under strong encryption begin with the IV's size, the
// IV, a size, a version and the cipher.
bool is_zip_with_blowfish(std::span<const std::byte> head) {
  constexpr std::size_t kFlagsAt = 6, kSizesAt = 26, kNameAt = 30, kVersionBytes = 6;
  constexpr std::uint64_t kStrong = 0x41, kBlowfish = 0x6720;
  const auto number_at = [&](std::size_t at) {
    return at + 2 <= head.size() ? load_little(head.subspan(at, 2)) : 0;
  };
  if (!starts_with(head, "PK\x03\x04") || (number_at(kFlagsAt) & kStrong) != kStrong) return false;
  const auto iv_at = static_cast<std::size_t>(kNameAt + number_at(kSizesAt) + number_at(kSizesAt + 2));
  return number_at(iv_at + 2 + static_cast<std::size_t>(number_at(iv_at)) + kVersionBytes) == kBlowfish;
}

// Symmetric messages with Blowfish in a dump or a table: version 4, algorithm 4 and the derivation, in
// PostgreSQL's hexadecimal digits and in base64.
bool holds_pgcrypto(std::string_view text) {
  constexpr std::string_view kTexts[] = {"\\xc30d040403", "\\xc30c040401", "\\xc304040400", "ww0EBAM"};
  return std::ranges::any_of(kTexts, [&](std::string_view begin) { return text.find(begin) != text.npos; });
}

// fs/ecryptfs/crypto.c of Linux: a size, then a random number and the same number combined with the marker.
bool is_ecryptfs(std::span<const std::byte> head) {
  constexpr std::size_t kSizeFieldBytes = 8, kNumberBytes = 4;
  constexpr std::uint64_t kMarker = 0x3c81b7f5;
  return head.size() >= kSizeFieldBytes + 2 * kNumberBytes &&
         (load_big(head.subspan(kSizeFieldBytes, kNumberBytes)) ^
          load_big(head.subspan(kSizeFieldBytes + kNumberBytes, kNumberBytes))) == kMarker;
}

// What has Blowfish, but in no format that is opened.
std::string with_blowfish(std::span<const std::byte> head) {
  if (is_zip_with_blowfish(head))
    return "this is a zip archive under PKWARE's strong encryption with Blowfish: open it with SecureZIP or "
           "PKZIP";
  if (is_ecryptfs(head))
    return "this is an eCryptfs file, which may use Blowfish: mount its directory with mount -t ecryptfs";
  if (holds_pgcrypto(text_of(head)))
    return "this holds OpenPGP messages with Blowfish, as pgcrypto writes them: put one into a file of its "
           "own, its armor, or its digits without the \\x before them, and open that";
  return {};
}

constexpr std::string_view kGeli = "GEOM::ELI";  // sys/geom/eli/g_eli.h of FreeBSD

// "this is ...: openssl ...", with the command that opens it once OpenSSL has this project's provider; empty
// for any other file. Recognises PEM (RFC 1421 and 7468), PKCS#8, PKCS#12, CMS and S/MIME by the identifier
// of bf-cbc, 1.3.6.1.4.1.3029.1.2.
std::string openssl_file(std::span<const std::byte> head) {
  const std::string_view text = text_of(head);
  if (std::string command = first_pem_command(text); !command.empty()) return command;
  if (text.find("application/pkcs7-mime") != std::string_view::npos ||
      text.find("application/x-pkcs7-mime") != std::string_view::npos)
    return smime_command(text);
  return der_command(text, "DER");
}

}  // namespace

std::string other_program(std::span<const std::byte> head, std::span<const std::byte> last_sector) {
  if (starts_with(last_sector, kGeli))
    return "this is a disk of FreeBSD's GELI, which may use Blowfish: geli attach opens it";

  if (std::string command = openssl_file(head); !command.empty()) return command;
  if (std::string says = with_blowfish(head); !says.empty()) return says;
  const auto found = std::ranges::find_if(kBeginnings, [&](const Beginning& beginning) {
    return !beginning.says.empty() && begins_as(beginning.bytes, head);
  });
  return std::string(found == std::end(kBeginnings) ? std::string_view() : found->says);
}

}  // namespace fugu::format
