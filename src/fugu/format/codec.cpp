// The common functions of codecs: asking for a secret, finding a row.
#include "fugu/format/codec.hpp"

#include "fugu/format/detail/codecs.hpp"

namespace fugu::format {

const auth::SecretBytes& AskSecret::operator()(SecretKind wanted) const {
  if (wanted == kind_) return ask_();
  throw Error(Errc::wrong_key,
              wanted == SecretKind::key ? "needs a key, not a passphrase" : "needs a passphrase, not a key");
}

void check_new_passphrase(const auth::SecretBytes& passphrase) {
  if (passphrase.empty()) throw Error(Errc::usage, "the passphrase is empty; nothing was written");
  if (passphrase.size() > kMaxPassphraseBytes) {
    throw Error(Errc::usage, "the passphrase has more than " + std::to_string(kMaxPassphraseBytes) +
                                 " bytes; nothing was written");
  }
}

void Description::add_text(const char* key, const char* label, const std::string& text) {
  fields.push_back({key, text, label, text});
}

void Description::add_number(const char* key, const char* label, std::uint64_t number,
                             std::string_view unit) {
  fields.push_back({key, number, label, std::to_string(number).append(unit)});
}

void Description::add_flag(const char* key, const char* label, bool flag) {
  fields.push_back({key, flag, label, flag ? "yes" : "no"});
}

const Codec& default_codec() {
  return *codecs().front();
}

const Codec* find_codec(std::string_view name) {
  const auto found = std::ranges::find(codecs(), name, &Codec::name);
  return found == codecs().end() ? nullptr : *found;
}

std::string_view known_extension(std::string_view name) {
  const std::string_view base = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
  for (const Codec* codec : codecs()) {
    for (const std::string_view extension : codec->extensions)
      if (base.ends_with(extension) && base != extension) return extension;
  }
  return {};
}

std::string decrypted_name(const std::string& name) {
  const std::string_view extension = known_extension(name);
  if (extension.empty()) return name + std::string(kDecryptedSuffix);
  return name.substr(0, name.size() - extension.size());
}

std::string names_of(std::span<const Codec* const> codecs, std::string_view separator) {
  if (codecs.size() < 2) return joined(codecs, "", &Codec::name);
  return joined(codecs.first(codecs.size() - 1), ", ", &Codec::name) + std::string(separator) +
         std::string(codecs.back()->name);
}

// Whether the format has files without a header: if it has others, an option says that a file has none.
bool has_files_without_header(const Codec& codec) {
  return codec.recognise == nullptr || std::ranges::any_of(codec.options, [](const OptionRow& option) {
           return option.names_format && (option.type == OptionType::flag || option.type == OptionType::word);
         });
}

std::vector<const Codec*> recognise(std::span<const std::byte> head,
                                    std::optional<std::uint64_t> size_bytes) {
  std::vector<const Codec*> by_magic;
  std::vector<const Codec*> perhaps;
  for (const Codec* codec : codecs()) {
    if (codec->recognise == nullptr) continue;
    const Recognition said = codec->recognise(head, size_bytes);
    if (said == Recognition::by_magic) by_magic.push_back(codec);
    if (said == Recognition::perhaps) perhaps.push_back(codec);
  }
  return by_magic.empty() ? perhaps : by_magic;
}

}  // namespace fugu::format
