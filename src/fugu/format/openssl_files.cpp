// Finds Blowfish in files of OpenSSL, and the command to open them.
#include "fugu/format/detail/openssl_files.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "fugu/format/detail/decoded_head.hpp"
#include "fugu/format/detail/message.hpp"

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
         " with Blowfish, which OpenSSL opens with the provider of fugu: openssl " + std::string(call) +
         inform + std::string(kProviders);
}

std::string cms_command(std::string_view der, std::string_view form) {
  if (inside(der).starts_with(kEncryptedData))
    return command("encrypted data of CMS", "cms -EncryptedData_decrypt -secretkey HEX", form);
  if (der.find(kPassword) != std::string_view::npos)
    return command("a CMS message under a password", "cms -decrypt -pwri_password PASSWORD", form);
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
  const std::vector<std::byte> der = decoded_head(std::as_bytes(std::span(text)), TextEncoding::base64);
  return der_command(text_of(der), form);
}

std::string_view after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
}

std::string pem_command(std::string_view text) {
  const std::string_view body = after(text, "\n");
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

}  // namespace

std::string openssl_file(std::span<const std::byte> head) {
  const std::string_view text = text_of(head);
  if (std::string command = first_pem_command(text); !command.empty()) return command;
  if (text.find("application/pkcs7-mime") != std::string_view::npos ||
      text.find("application/x-pkcs7-mime") != std::string_view::npos)
    return smime_command(text);
  return der_command(text, "DER");
}

}  // namespace fugu::format
