// The manifest's elements and attributes by their local names, since programs choose different prefixes.
#include "fugu/format/odf/detail/package.hpp"

#include <pugixml.hpp>

#include "fugu/format/detail/message.hpp"
#include "fugu/format/salvage.hpp"

namespace fugu::format {
namespace {

constexpr std::uint64_t kMaxIterations = 100'000'000;
constexpr std::size_t kMaxKeyBytes = 56;

[[noreturn]] void damaged(const std::string& what) {
  throw Error(Errc::damaged, "its manifest is damaged: " + what);
}

[[noreturn]] void not_ours(const std::string& what) {
  throw Error(Errc::unknown_format, "an OpenDocument file with " + what + ": open it with LibreOffice");
}

bool is_called(std::string_view qualified, std::string_view name) {
  return qualified.substr(qualified.rfind(':') + 1) == name;  // npos + 1 is 0
}

pugi::xml_attribute find_attribute(const pugi::xml_node& in, std::string_view name) {
  return in.find_attribute([&](const pugi::xml_attribute& one) { return is_called(one.name(), name); });
}

std::string attribute(const pugi::xml_node& in, std::string_view name) {
  return find_attribute(in, name).value();
}

pugi::xml_node child(const pugi::xml_node& in, std::string_view name) {
  for (const pugi::xml_node& one : in.children()) {
    if (is_called(one.name(), name)) return one;
  }
  return {};
}

std::optional<std::uint64_t> number(const pugi::xml_node& in, std::string_view name) {
  const std::string text = attribute(in, name);
  const std::optional<std::uint64_t> value = parse_number(text);
  if (!value && !text.empty()) damaged(std::string(name) + " is not a number");
  return value;
}

std::vector<std::byte> base64(const pugi::xml_node& in, std::string_view name) {
  std::optional<std::vector<std::byte>> bytes = parse_base64(attribute(in, name));
  if (!bytes) damaged(std::string(name) + " is not base64");
  return std::move(*bytes);
}

// "SHA1", or a URI that ends in "#sha1".
std::string digest_named(std::string_view text) {
  std::string name(text.substr(text.rfind('#') + 1));  // npos + 1 is 0
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return name;
}

void read_checksum(const pugi::xml_node& data, OdfEntry& entry) {
  std::string name = digest_named(attribute(data, "checksum-type"));
  if (name.empty()) return;
  for (const std::string_view part : {"/1k", "-1k"}) {
    entry.checksum_of_first_1k = entry.checksum_of_first_1k || name.ends_with(part);
    if (name.ends_with(part)) name.erase(name.size() - part.size());
  }
  if (name != "sha1" && name != "sha256") not_ours("an unknown checksum");
  entry.checksum_digest = name;
  entry.checksum = base64(data, "checksum");
  if (entry.checksum.size() != (name == "sha1" ? 20U : 32U)) damaged("a checksum has an invalid size");
}

void read_algorithm(const pugi::xml_node& data, OdfEntry& entry) {
  const pugi::xml_node algorithm = child(data, "algorithm");
  const std::string name = digest_named(attribute(algorithm, "algorithm-name"));
  if (name != "blowfish cfb" && name != "blowfish")
    not_ours(name.find("aes") != name.npos ? "AES, not Blowfish" : "a cipher other than Blowfish");
  const std::vector<std::byte> iv = base64(algorithm, "initialisation-vector");
  if (iv.size() != entry.iv.size()) damaged("an initialisation vector does not have 8 bytes");
  entry.iv = iv_of(iv);
}

void read_derivation(const pugi::xml_node& data, OdfEntry& entry) {
  const pugi::xml_node derivation = child(data, "key-derivation");
  const std::string name = digest_named(attribute(derivation, "key-derivation-name"));
  if (name != "pbkdf2") not_ours("an unknown key derivation");
  entry.salt = base64(derivation, "salt");
  const std::uint64_t iterations = number(derivation, "iteration-count").value_or(0);
  const std::uint64_t key_bytes = number(derivation, "key-size").value_or(entry.key_bytes);
  if (iterations == 0 || iterations > kMaxIterations) damaged("an iteration count is out of bounds");
  if (key_bytes == 0 || key_bytes > kMaxKeyBytes) damaged("a key size is out of bounds");
  entry.iterations = static_cast<std::uint32_t>(iterations);
  entry.key_bytes = static_cast<std::size_t>(key_bytes);
  const std::string start =
      digest_named(attribute(child(data, "start-key-generation"), "start-key-generation-name"));
  if (!start.empty() && start != "sha1" && start != "sha256") not_ours("an unknown start key");
  if (!start.empty()) entry.start_digest = start;
}

// Removes the encryption data from the element and returns it.
OdfEntry take_encryption(pugi::xml_node file, const pugi::xml_node& data) {
  OdfEntry entry;
  entry.path = attribute(file, "full-path");
  entry.plain_bytes = number(file, "size");
  read_algorithm(data, entry);
  read_checksum(data, entry);
  read_derivation(data, entry);
  file.remove_child(data);
  file.remove_attribute(find_attribute(file, "size"));
  return entry;
}

class Text final : public pugi::xml_writer {
 public:
  void write(const void* data, std::size_t size) override {
    text.append(static_cast<const char*>(data), size);
  }
  std::string text;
};

}  // namespace

OdfManifest read_odf_manifest(std::span<const std::byte> xml, SalvageReport* salvage) {
  pugi::xml_document document;
  constexpr unsigned kKeepAll = pugi::parse_full | pugi::parse_ws_pcdata;
  const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size(), kKeepAll);
  const pugi::xml_node root = document.document_element();
  const auto note = [&](auto step) {
    try {
      step();
    } catch (const Error& error) {
      if (salvage == nullptr) throw;
      note_damage(*salvage, error.text());
    }
  };
  note([&] {
    if (!parsed || !is_called(root.name(), "manifest")) damaged("it is not a manifest in XML");
  });
  OdfManifest manifest;
  for (const pugi::xml_node& file : root.children()) {
    if (!is_called(file.name(), "file-entry")) continue;
    if (attribute(file, "full-path") == "/") manifest.media_type = attribute(file, "media-type");
    const pugi::xml_node data = child(file, "encryption-data");
    if (data) note([&] { manifest.entries.push_back(take_encryption(file, data)); });
  }
  if (manifest.entries.empty() && (salvage == nullptr || salvage->damage.empty()))
    throw Error(Errc::unknown_format, "an OpenDocument file that is not encrypted: open it with LibreOffice");
  Text writer;
  document.save(writer, "", pugi::format_raw | pugi::format_no_declaration, parsed.encoding);
  manifest.plain = std::move(writer.text);
  return manifest;
}

}  // namespace fugu::format
