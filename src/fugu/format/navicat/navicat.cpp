// Passwords that Navicat 11 and older saved, and exports with them: of connections (.ncx), and of the
// Windows registry (.reg), where each connection is a key below ...\PremiumSoft\...\Servers.
//
//   V = E(ff x 8); for each block C: P = D(C) xor V, V = V xor C; for a rest of n < 8 bytes: C xor the first
//   n bytes of E(V)
//
// The text is hexadecimal. The key is SHA-1 of a fixed string, so no secret is needed. Only the look of the
// password reveals damage. Navicat 12 has AES in the same attribute.

#include "fugu/auth/digest.hpp"
#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/xml.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

constexpr std::string_view kKeyText = "3DC5CA39";
constexpr std::size_t kAesBlockBytes = 16;
constexpr const char* kRoot = "Connections";
constexpr std::string_view kUtf16Mark = "\xff\xfe";

class Passwords {
 public:
  explicit Passwords(engine::Engine& engine)
      : engine_(engine), schedule_(schedule_of(auth::digest("sha1", {bytes_in(kKeyText)}).span())) {}

  core::WipedBytes open(std::string_view digits) const {
    const auto bytes = parse_hex(digits);
    if (!bytes) throw Error(Errc::damaged, "a saved password is not in hexadecimal digits");
    core::WipedBytes password = decrypted(*bytes);
    if (is_text(password)) return password;
    if (bytes->size() % kAesBlockBytes == 0)
      throw Error(
          Errc::unknown_format,
          "a Navicat password of version 12 or later, which encrypts with AES, not Blowfish; or damaged");
    throw Error(Errc::damaged, "a saved password is damaged: it is not text");
  }

 private:
  core::WipedBytes decrypted(std::span<const std::byte> ciphertext) const {
    core::WipedBytes text(ciphertext.begin(), ciphertext.end());
    const std::size_t whole = text.size() - text.size() % kBlockBytes;
    run(std::span(text).first(whole), Direction::decrypt);
    core::WipedBytes value(kBlockBytes, std::byte{0xff});
    run(value, Direction::encrypt);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (i == whole) run(value, Direction::encrypt);
      text[i] ^= value[i % kBlockBytes];
      value[i % kBlockBytes] ^= i < whole ? ciphertext[i] : std::byte{0};
    }
    return text;
  }

  void run(std::span<std::byte> blocks, Direction direction) const {
    transform(engine_, schedule_, {.mode = Mode::ecb}, direction, blocks);
  }

  static bool is_text(std::span<const std::byte> text) {
    const auto is_control = [](std::byte b) { return b < std::byte{' '} || b == std::byte{0x7f}; };
    return is_utf8(text) && std::ranges::none_of(text, is_control);
  }

  engine::Engine& engine_;
  cipher::Schedule schedule_;
};

bool is_export(std::string_view file) {
  return file.find("<Connections") != file.npos && file.find("ConnectionName=") != file.npos;
}

// One line of the table.
struct Connection {
  std::string name, host, user, password;

  void write(const Passwords& passwords, stream::Sink& sink) const {
    for (const std::string* value : {&name, &host, &user}) {
      write_text(sink, *value);
      write_text(sink, "\t");
    }
    sink.write(passwords.open(password));
    write_text(sink, "\n");
  }
};

void write_connections(const Passwords& passwords, std::span<const std::byte> file, stream::Sink& sink) {
  pugi::xml_document document;
  for (const pugi::xml_node& node : only_root(document, file, kRoot).children("Connection")) {
    const auto value_of = [&](const char* name) { return std::string(node.attribute(name).value()); };
    Connection{value_of("ConnectionName"), value_of("Host"), value_of("UserName"), value_of("Password")}
        .write(passwords, sink);
  }
}

// A registry export as UTF-8; it is UTF-16 behind a byte order mark, or older and as it is.
core::WipedBytes registry_text(std::span<const std::byte> file) {
  if (!starts_with(file, kUtf16Mark)) return {file.begin(), file.end()};
  const std::span<const std::byte> little = file.subspan(kUtf16Mark.size());
  core::WipedBytes big(little.begin(), little.end() - static_cast<std::ptrdiff_t>(little.size() % 2));
  for (std::size_t i = 0; i < big.size(); i += 2) std::swap(big[i], big[i + 1]);
  stream::MemorySink text;
  for_each_character(big, Charset::utf16_big, [&](char32_t c) { write_utf8(text, c); });
  return {text.bytes().begin(), text.bytes().end()};
}

bool is_registry(std::string_view text) {
  return (text.starts_with("Windows Registry Editor") || text.starts_with("REGEDIT4")) &&
         text.find("\\PremiumSoft\\") != text.npos;
}

// The name of the key of a connection, in the line "[HKEY_CURRENT_USER\...\Servers\NAME]"; empty for others.
std::string_view server_in(std::string_view line) {
  constexpr std::string_view kServers = "\\Servers\\";
  const std::size_t at = line.find(kServers);
  if (!line.starts_with('[') || !line.ends_with(']') || at == line.npos) return {};
  const std::string_view name = line.substr(at + kServers.size());
  return name.find('\\') == name.npos ? name.substr(0, name.size() - 1) : std::string_view();
}

// The text of a line such as "Host"="db.example"; a backslash protects the next character.
std::optional<std::string> registry_value(std::string_view line, std::string_view name) {
  const std::string before = '"' + std::string(name) + "\"=\"";
  if (!line.starts_with(before)) return std::nullopt;
  std::string value;
  for (std::size_t i = before.size(); i < line.size(); ++i) {
    if (line[i] == '"') return value;
    if (line[i] == '\\' && i + 1 < line.size()) ++i;
    value += line[i];
  }
  throw Error(Errc::damaged, "the end of a value is missing: the export is damaged or truncated");
}

void write_registry(const Passwords& passwords, std::string_view text, stream::Sink& sink) {
  Connection connection;
  const auto end_connection = [&] {
    if (!connection.name.empty()) connection.write(passwords, sink);
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = trimmed(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
    if (line.starts_with('[')) {
      end_connection();
      connection = {.name = std::string(server_in(line)), .host = {}, .user = {}, .password = {}};
    }
    if (auto value = registry_value(line, "Host")) connection.host = *value;
    if (auto value = registry_value(line, "UserName")) connection.user = *value;
    if (auto value = registry_value(line, "Pwd")) connection.password = *value;
  }
  end_connection();
}

bool is_table(std::span<const std::byte> head) {
  return is_export(text_of(head)) || is_registry(text_of(registry_text(head)));
}

// Whether it is a table.
bool write_passwords(const Passwords& passwords, std::span<const std::byte> file, stream::Sink& sink) {
  const std::string_view text = trimmed(text_of(file));
  const core::WipedBytes registry = registry_text(file);
  const bool is_xml = text.starts_with('<') || is_export(text);
  if (is_xml) {
    write_connections(passwords, file, sink);
  } else if (is_registry(text_of(registry))) {
    write_registry(passwords, text_of(registry), sink);
  } else {
    sink.write(passwords.open(text));
    return false;
  }
  return true;
}

Opened open_navicat(const Job& job, const OpenRequest&) {
  const core::WipedBytes file = read_whole(job, "passwords of Navicat");
  if (trimmed(text_of(file)).empty()) throw Error(Errc::damaged, "has no saved password");
  stream::MemorySink plain;
  const bool is_part = write_passwords(Passwords(job.engine), file, plain);
  write_whole(job, plain.bytes());
  Opened opened = proved("Navicat 11 or older");
  opened.all_content = !is_part;
  if (is_part) opened.notes.push_back("for each connection, the name, host, user and password were written");
  return opened;
}

}  // namespace

const Codec kNavicatCodec{
    .name = "navicat",
    .extensions = kExtensions<".ncx">,
    .summary = "passwords that Navicat saved, and exported connections (.ncx, .reg)",
    .made_by = "Navicat 11 and older",
    .details =
        "A password alone, in hexadecimal digits, is opened with --format navicat. An export becomes "
        "a table: name, host, user and password of each connection, separated by tabs.",
    .wrong_secret = kNoSecretToTell,
    .secrets = 0,
    .recognise = recognise_if<is_table>,
    .open = open_navicat,
    .describe = describe_as<"saved Navicat passwords">,
    .no_salvage = "its XML has to be whole",
    .holds_passwords = true,
    .is_text = true,
    .has_messages = true,
};

}  // namespace fugu::format
