#include "fugu/format/odf/detail/key.hpp"

#include <algorithm>

#include "fugu/auth/digest.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/checksum.hpp"
#include "fugu/format/detail/filters.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/sha1_variant.hpp"
#include "fugu/stream/sink.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kFirst1k = 1024;

// The lengths for which OpenOffice's SHA-1 differs from SHA-1.
bool is_odd_length(std::size_t bytes) {
  return bytes % 64 >= 52 && bytes % 64 <= 55;
}

auth::SecretBytes digest_of(const std::string& name, bool is_openoffice, std::span<const std::byte> bytes) {
  if (!is_openoffice || name != "sha1") return auth::digest(name, {bytes});
  const Sha1Digest digest = sha1_variant(bytes, {.is_openoffice = true});
  return auth::SecretBytes(std::span<const std::byte>(digest));
}

void measure(OdfContent& content, const OutputLimit& limit) {
  const std::unique_ptr<Checksum> crc = make_checksum("crc32b");
  const std::unique_ptr<stream::Sink> nowhere = stream::discard();
  content.plain_bytes = 0;
  const auto measured = watched(*nowhere, [&](std::span<const std::byte> plain) {
    crc->update(plain);
    content.plain_bytes += plain.size();
  });
  const auto inflated = inflater(Compression::deflate, *measured, limit);
  inflated->write(content.bytes);
  inflated->finish();
  content.crc = static_cast<std::uint32_t>(load_little(crc->finish()));
}

}  // namespace

OdfOpener::OdfOpener(engine::Engine& engine, const auth::SecretBytes& password, OutputLimit limit)
    : engine_(engine), limit_(limit) {
  passwords_.emplace_back(password.span());
  auth::SecretBytes other = windows_1252_of(password.span());
  if (!other.empty()) passwords_.push_back(std::move(other));
}

// LibreOffice and OpenOffice write CFB of whole blocks; the specification can also be read as CFB of bytes.
std::vector<OdfOpener::Form> OdfOpener::forms() const {
  std::vector<Form> forms;
  for (std::size_t i = 0; i < passwords_.size(); ++i) {
    for (const bool is_openoffice : {false, true}) {
      if (is_openoffice && !is_odd_length(passwords_[i].size())) continue;
      for (const mode::Mode mode : {mode::Mode::cfb64, mode::Mode::cfb8})
        forms.push_back({i, is_openoffice, mode});
    }
  }
  return forms;
}

auth::SecretBytes OdfOpener::key(const OdfEntry& entry, const Form& form) const {
  const auth::SecretBytes start =
      digest_of(entry.start_digest, form.is_openoffice, passwords_[form.password].span());
  return auth::pbkdf2("sha1", start, entry.salt, entry.iterations, entry.key_bytes);
}

void OdfOpener::decrypt(const OdfEntry& entry, const Form& form, std::span<const std::byte> key,
                        std::span<std::byte> data) const {
  transform(engine_, key, {.mode = form.mode, .iv = entry.iv}, core::Direction::decrypt, data);
}

bool OdfOpener::is_right(const OdfEntry& entry, std::span<const std::byte> deflated) const {
  if (entry.checksum_digest.empty()) {
    OdfContent content;
    content.bytes.assign(deflated.begin(), deflated.end());
    try {
      measure(content, limit_);
    } catch (const Error&) {
      return false;
    }
    return content.plain_bytes == entry.plain_bytes;
  }
  if (entry.checksum_of_first_1k) deflated = deflated.first(std::min(deflated.size(), kFirst1k));
  for (const bool is_openoffice : {false, true}) {
    if (is_openoffice && !is_odd_length(deflated.size())) continue;
    if (std::ranges::equal(digest_of(entry.checksum_digest, is_openoffice, deflated).span(), entry.checksum))
      return true;
  }
  return false;
}

bool OdfOpener::fits(const OdfEntry& entry, std::span<const std::byte> ciphertext) {
  auth::SecretBytes derived;
  for (const Form& form : forms()) {
    if (form.mode == mode::Mode::cfb64) derived = key(entry, form);  // the next one's too
    OdfContent tried;
    tried.bytes.assign(ciphertext.begin(), ciphertext.end());
    decrypt(entry, form, derived.span(), tried.bytes);
    if (!is_right(entry, tried.bytes)) continue;
    form_ = form;
    return true;
  }
  return false;
}

OdfContent OdfOpener::open(const OdfEntry& entry, core::WipedBytes ciphertext) const {
  OdfContent content;
  content.bytes = std::move(ciphertext);
  content.is_deflated = true;
  decrypt(entry, form_, key(entry, form_).span(), content.bytes);
  if (!is_right(entry, content.bytes)) throw Error(Errc::damaged, "a file in it fails its checksum");
  measure(content, limit_);
  if (entry.plain_bytes && *entry.plain_bytes != content.plain_bytes)
    throw Error(Errc::damaged, "a file in it does not have the size that the manifest says");
  return content;
}

}  // namespace fugu::format
