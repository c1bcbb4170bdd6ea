// EncFS's configuration: XML as Boost's serialization writes it, before version 6 a dictionary of bytes:
//
//   count | for each entry: size, name | size, value
//
// Sizes and numbers are in groups of 7 bits, the highest first, 80 set in all but the last. A value is a
// number, or a size and bytes; that of an interface is its name with its size, and three numbers.
#include "fugu/format/encfs/detail/volume.hpp"

#include "fugu/core/block.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/xml.hpp"
#include "fugu/format/option.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

constexpr std::string_view kFileName = "its configuration";
constexpr std::size_t kMinKeyBytes = 16;  // EncFS's own bounds
constexpr std::size_t kMaxKeyBytes = 32;
constexpr std::size_t kMaxBlockBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxMacBytes = 8;
constexpr std::uint64_t kMaxIterations = 100'000'000;  // EncFS takes as many as a processor does in seconds
constexpr std::uint64_t kFirstVersionWithSalt = 20080816;
constexpr std::uint32_t kRoundsWithoutSalt = 16;

[[noreturn]] void damaged(const std::string& what) {
  throw Error(Errc::damaged, std::string(kFileName) + " is damaged: " + what);
}

[[noreturn]] void not_ours(const std::string& what) {
  throw Error(Errc::unknown_format, "an EncFS volume with " + what + ": open it with encfs");
}

pugi::xml_node element(const pugi::xml_node& in, const char* name) {
  const pugi::xml_node found = in.child(name);
  if (!found) damaged(std::string("it has no ") + name);
  return found;
}

std::uint64_t number(const pugi::xml_node& in, const char* name, std::uint64_t at_most) {
  const std::optional<std::uint64_t> value = parse_number(element(in, name).text().get());
  if (!value || *value > at_most) damaged(std::string(name) + " is out of bounds");
  return *value;
}

std::size_t size(const pugi::xml_node& in, const char* name, std::size_t at_most) {
  return static_cast<std::size_t>(number(in, name, at_most));
}

bool flag(const pugi::xml_node& in, const char* name) {
  return in.child(name) && number(in, name, 1) != 0;
}

std::vector<std::byte> base64(const pugi::xml_node& in, const char* name) {
  std::optional<std::vector<std::byte>> bytes = parse_base64(element(in, name).text().get());
  if (!bytes) damaged(std::string(name) + " is not base64");
  return std::move(*bytes);
}

struct Interface {
  std::string name;
  std::uint64_t version;
};

Interface interface(const pugi::xml_node& in, const char* name) {
  const pugi::xml_node node = element(in, name);
  return {element(node, "name").text().get(), number(node, "major", 1000)};
}

void read_cipher(const pugi::xml_node& in, EncfsConfig& config) {
  const Interface cipher = interface(in, "cipherAlg");
  if (cipher.name != "ssl/blowfish")
    not_ours(cipher.name.starts_with("ssl/") ? "the cipher " + cipher.name.substr(4) + ", not Blowfish"
                                             : "a cipher other than Blowfish");
  if (cipher.version != 2 && cipher.version != 3) not_ours("an older use of Blowfish");
  config.cipher_version = static_cast<unsigned>(cipher.version);
  const std::size_t bits = size(in, "keySize", 8 * kMaxKeyBytes);
  if (bits % 8 != 0 || bits < 8 * kMinKeyBytes) damaged("keySize is out of bounds");
  config.key_bytes = bits / 8;
}

void read_names(const pugi::xml_node& in, EncfsConfig& config) {
  const Interface names = interface(in, "nameAlg");
  struct Row {
    std::string_view name;
    std::uint64_t oldest_chained;  // before it, IVs were chained differently
    std::uint64_t newest;
    EncfsNames names;
  };
  constexpr Row kRows[] = {{"nameio/stream", 2, 2, EncfsNames::stream},
                           {"nameio/block", 3, 4, EncfsNames::block},
                           {"nameio/block32", 3, 4, EncfsNames::block32},
                           {"nameio/null", 1, 1, EncfsNames::plain}};
  for (const Row& row : kRows) {
    const std::uint64_t oldest = flag(in, "chainedNameIV") ? row.oldest_chained : 1;
    if (row.name != names.name || names.version < oldest || names.version > row.newest) continue;
    config.names = row.names;
    return;
  }
  not_ours("names in an older or unknown encoding");
}

void read_blocks(const pugi::xml_node& in, EncfsConfig& config) {
  config.block_bytes = size(in, "blockSize", kMaxBlockBytes);
  config.mac_bytes = size(in, "blockMACBytes", kMaxMacBytes);
  config.random_bytes = size(in, "blockMACRandBytes", kMaxBlockBytes);
  const bool whole_blocks = config.block_bytes % core::kBlockBytes == 0;
  if (!whole_blocks || config.block_bytes <= config.mac_bytes + config.random_bytes)
    damaged("blockSize is out of bounds");
  config.has_file_ivs = flag(in, "uniqueIV");
  config.chains_names = flag(in, "chainedNameIV");
  config.chains_file_ivs = flag(in, "externalIVChaining");
  config.has_holes = flag(in, "allowHoles");
  if (flag(in, "plainData")) not_ours("contents that are not encrypted");
}

void read_key(const pugi::xml_node& in, EncfsConfig& config) {
  const std::uint64_t version = number(in, "version", std::numeric_limits<std::uint32_t>::max());
  const bool has_salt = version <= 1000 || version >= kFirstVersionWithSalt;
  config.iterations = kRoundsWithoutSalt;
  if (has_salt) config.iterations = static_cast<std::uint32_t>(number(in, "kdfIterations", kMaxIterations));
  if (config.iterations == 0) damaged("kdfIterations is out of bounds");
  if (has_salt) config.salt = base64(in, "saltData");
  if (has_salt && config.salt.empty()) damaged("saltData is empty");
  config.volume_key = base64(in, "encodedKeyData");
  constexpr std::size_t kCheckBytes = 4;
  if (config.volume_key.size() != kCheckBytes + config.key_bytes + core::kBlockBytes)
    damaged("encodedKeyData does not have the size of a key");
}

std::vector<std::byte> read_all(stream::Source& source) {
  std::vector<std::byte> bytes(kEncfsMaxConfigBytes + 1);
  bytes.resize(source.read(bytes));
  if (bytes.size() > kEncfsMaxConfigBytes) damaged("it is too long for EncFS");
  return bytes;
}

pugi::xml_node root_of(pugi::xml_document& document, std::span<const std::byte> bytes) {
  try {
    return only_root(document, bytes, "boost_serialization");
  } catch (Error& error) {
    error.add_context(kFileName);
    throw;
  }
}

// --- before version 6

std::uint64_t take_number(Reader& reader) {
  std::uint64_t value = 0;
  for (;;) {
    const auto byte = std::to_integer<std::uint64_t>(reader.take(1).front());
    value = value << 7 | (byte & 0x7f);
    if (byte < 0x80) return value;
  }
}

std::span<const std::byte> take_bytes(Reader& reader) {
  return reader.take(take_number(reader));
}

// How a value is written in XML.
enum class Kind : std::uint8_t { number, text, base64, interface };

void append(pugi::xml_node to, const char* name, Kind kind, std::span<const std::byte> value) {
  Reader reader(value, "its configuration is damaged: a value ends early");
  pugi::xml_node node = to.append_child(name);
  if (kind == Kind::interface) {
    append(node, "name", Kind::text, value);
    take_bytes(reader);
    node.append_child("major").text().set(static_cast<unsigned long long>(take_number(reader)));
  } else if (kind == Kind::number) {
    node.text().set(static_cast<unsigned long long>(take_number(reader)));
  } else if (kind == Kind::text) {
    node.text().set(std::string(text_of(take_bytes(reader))).c_str());
  } else {
    stream::MemorySink text;
    const auto encoder = stream::base64_encoder(text, stream::TextLines::single);
    encoder->write(take_bytes(reader));
    encoder->finish();
    node.text().set(std::string(text_of(text.bytes())).c_str());
  }
}

// The dictionary in the form of version 6; returns its own version.
unsigned as_xml(std::span<const std::byte> bytes, pugi::xml_node to) {
  struct Row {
    std::string_view name;
    const char* in_xml;
    Kind kind;
  };
  constexpr Row kRows[] = {{"subVersion", "version", Kind::number},
                           {"creator", "creator", Kind::text},
                           {"cipher", "cipherAlg", Kind::interface},
                           {"naming", "nameAlg", Kind::interface},
                           {"keySize", "keySize", Kind::number},
                           {"blockSize", "blockSize", Kind::number},
                           {"blockMACBytes", "blockMACBytes", Kind::number},
                           {"blockMACRandBytes", "blockMACRandBytes", Kind::number},
                           {"uniqueIV", "uniqueIV", Kind::number},
                           {"chainedIV", "chainedNameIV", Kind::number},
                           {"externalIV", "externalIVChaining", Kind::number},
                           {"keyData", "encodedKeyData", Kind::base64}};
  Reader reader(bytes, "its configuration is damaged: it ends early");
  for (std::uint64_t left = take_number(reader); left != 0; --left) {
    const std::string_view name = text_of(take_bytes(reader));
    const std::span<const std::byte> value = take_bytes(reader);
    const auto row = std::ranges::find(kRows, name, &Row::name);
    if (row == std::end(kRows) || to.child(row->in_xml)) damaged("an entry is unknown, or occurs twice");
    append(to, row->in_xml, row->kind, value);
  }
  if (!reader.at_end()) damaged("something follows its end");
  if (to.child("version")) return 5;
  // What version 4 does not store.
  to.append_child("version").text().set(static_cast<unsigned long long>(kFirstVersionWithSalt - 1));
  pugi::xml_node names = to.append_child("nameAlg");
  names.append_child("name").text().set("nameio/stream");
  names.append_child("major").text().set(1);
  for (const char* none : {"blockMACBytes", "blockMACRandBytes"}) to.append_child(none).text().set(0);
  return 4;
}

bool is_xml(std::span<const std::byte> bytes) {
  return starts_with(bytes, "<");
}

}  // namespace

EncfsConfig read_encfs_config(stream::Source& source) {
  const std::vector<std::byte> bytes = read_all(source);
  pugi::xml_document document;
  EncfsConfig config;
  pugi::xml_node in = document;
  if (is_xml(bytes)) {
    const pugi::xml_node root = root_of(document, bytes);
    in = root.child("cfg") ? root.child("cfg") : element(root, "config");
  } else {
    config.version = as_xml(bytes, in);
  }
  config.creator = in.child("creator").text().get();
  read_cipher(in, config);
  read_names(in, config);
  read_blocks(in, config);
  read_key(in, config);
  return config;
}

// A dictionary names the cipher in its first bytes.
bool is_encfs_config(std::span<const std::byte> head) {
  const std::string_view text = text_of(head);
  if (!is_xml(head)) return text.find("\6cipher") != text.npos && text.find("\7keyData") != text.npos;
  return text.starts_with("<?xml") && text.find("<boost_serialization") != text.npos &&
         text.find("<cipherAlg") != text.npos;
}

}  // namespace fugu::format
