// Passwords that Navicat 11 and older saved, and exports of connections (.ncx) with them.
//
//   V = E(ff x 8); for each block C: P = D(C) xor V, V = V xor C; for a rest of n < 8 bytes: C xor the first
//   n bytes of E(V)
//
// The text is hexadecimal. The key is SHA-1 of a fixed string, so no secret is needed. Nothing tells damage
// but what the password looks like. Navicat 12 has AES in the same attribute.
#include <algorithm>
#include <string>

#include "fugu/auth/digest.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/xml.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;
using mode::Direction;

constexpr std::string_view kKeyText = "3DC5CA39";
constexpr std::size_t kAesBlockBytes = 16;
constexpr const char* kRoot = "Connections";

class Passwords {
 public:
  explicit Passwords(engine::Engine& engine) : engine_(engine) {
    cipher::expand(auth::digest("sha1", {std::as_bytes(std::span(kKeyText))}).span(), schedule_);
  }

  core::WipedBytes open(std::string_view digits) const {
    const auto bytes = parse_hex(digits);
    if (!bytes) throw Error(Errc::damaged, "a saved password is not in hexadecimal digits");
    core::WipedBytes password = decrypted(*bytes);
    if (is_text(password)) return password;
    if (bytes->size() % kAesBlockBytes == 0)
      throw Error(Errc::unknown_format,
                  "a password of Navicat 12 or later, which encrypts with AES, not Blowfish; or damaged");
    throw Error(Errc::damaged, "a saved password is damaged: it is no text");
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
    transform(engine_, schedule_, {.mode = mode::Mode::ecb}, direction, blocks);
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

void write_connections(const Passwords& passwords, std::span<const std::byte> file, stream::Sink& sink) {
  pugi::xml_document document;
  for (const pugi::xml_node& connection : only_root(document, file, kRoot).children("Connection")) {
    for (const char* name : {"ConnectionName", "Host", "UserName"}) {
      const std::string_view value = connection.attribute(name).value();
      sink.write(std::as_bytes(std::span(value)));
      sink.write(std::as_bytes(std::span("\t", 1)));
    }
    sink.write(passwords.open(connection.attribute("Password").value()));
    sink.write(std::as_bytes(std::span("\n", 1)));
  }
}

Recognition recognise_navicat(std::span<const std::byte> head, std::optional<std::uint64_t>) {
  return is_export(text_of(head)) ? Recognition::by_magic : Recognition::no;
}

Opened open_navicat(const Job& job, const OpenRequest&) {
  Lookahead source(job.source);
  const core::WipedBytes file = take_all(source, "passwords of Navicat");
  count_read(job, file.size());
  const std::string_view text = trimmed(text_of(file));
  if (text.empty()) throw Error(Errc::damaged, "holds no saved password");
  const Passwords passwords(job.engine);
  const bool is_table = text.starts_with('<') || is_export(text);
  stream::MemorySink plain;
  is_table ? write_connections(passwords, file, plain) : plain.write(passwords.open(text));
  write_counted(job, plain.bytes());
  job.sink.finish();
  Opened opened;
  opened.parameters = "Navicat 11 or older";
  opened.evidence.certain = true;
  opened.all_content = !is_table;
  if (is_table) opened.notes.push_back("of each connection, its name, host, user and password were written");
  return opened;
}

Description describe_navicat(stream::Source&, const OptionValues&) {
  return {"saved passwords of Navicat", {}};
}

constexpr std::string_view kExtensions[] = {".ncx"};

}  // namespace

const Codec kNavicatCodec{
    .name = "navicat",
    .extensions = kExtensions,
    .summary = "passwords that Navicat saved, and exported connections (.ncx)",
    .made_by = "Navicat 11 and older",
    .details =
        "A password alone, in hexadecimal digits, is opened with --format navicat. An export becomes "
        "a table: name, host, user and password of each connection, separated by tabs.",
    .wrong_secret = kNoSecretToTell,
    .abilities = abilities({Ability::open}),
    .options = {},
    .recognise = recognise_navicat,
    .open = open_navicat,
    .describe = describe_navicat,
    .holds_passwords = true,
    .is_text = true,
    .has_messages = true,
};

}  // namespace fugu::format
