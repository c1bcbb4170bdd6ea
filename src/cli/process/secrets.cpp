#include "cli/process/secrets.hpp"

#include <fcntl.h>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/process/console.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/posix/descriptor.hpp"

namespace fugu::cli {
namespace {

// The place and spelling that `text` begins with, such as hex-file:, and what follows; none if nothing does.
std::optional<SecretSource> parse_place(std::string_view text, std::span<const std::string_view> places) {
  const auto is_here = [&](std::string_view name) { return text.starts_with(name) && text != name; };
  const auto found = std::ranges::find_if(places, is_here);
  if (found == places.end()) return std::nullopt;
  const SecretPlace place = found->ends_with("file:")  ? SecretPlace::file
                            : found->ends_with("env:") ? SecretPlace::environment
                            : *found == "fd:"          ? SecretPlace::descriptor
                                                       : SecretPlace::command;
  const SecretSpelling spelling = found->starts_with("hex-")      ? SecretSpelling::hex
                                  : found->starts_with("base64-") ? SecretSpelling::base64
                                                                  : SecretSpelling::bytes;
  return SecretSource{place, std::string(text.substr(found->size())), spelling};
}

bool grants_others(const std::filesystem::path& path, std::filesystem::perms what) {
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(path, failure);
  return !failure && (status.permissions() & what) == what;
}

// Whether a regular file is accessible to all through every directory above it.
bool is_open_to_all(const std::string& name) {
  std::error_code failure;
  std::filesystem::path path = std::filesystem::canonical(name, failure);
  if (failure || !std::filesystem::is_regular_file(path, failure)) return false;
  if (!grants_others(path, std::filesystem::perms::others_read)) return false;
  while (path != path.parent_path()) {
    path = path.parent_path();
    if (!grants_others(path, std::filesystem::perms::others_exec)) return false;
  }
  return true;
}

stream::Descriptor open_secret_file(const std::string& path) {
  stream::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw system_error("cannot open", errno);
  if (is_open_to_all(path))
    say_note(
        fmt::format("{}: any user of this machine can read this secret; chmod 600 makes it private", path));
  return file;
}

int descriptor_number(const std::string& text) {
  int number = -1;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size() || number < 0)
    refuse("fd: takes the number of an open descriptor");
  if (::fcntl(number, F_GETFD) < 0) throw Error(Errc::io, "is not open");
  return number;
}

// Removes the variable and wipes its bytes in this process's environment: neither children nor /proc show it.
auth::SecretBytes take_variable(const std::string& name) {
  char* value = std::getenv(name.c_str());
  if (value == nullptr) refuse("it is not set, or was read before (each is read once)");
  const std::size_t length = std::strlen(value);
  auth::SecretBytes secret(std::string_view(value, length));
  core::wipe(value, length);
  ::unsetenv(name.c_str());
  return secret;
}

auth::SecretBytes first_line(const auth::SecretBytes& text) {
  const auto all = text.span();
  const auto end = std::find(all.begin(), all.end(), std::byte{'\n'});
  return auth::SecretBytes(all.first(static_cast<std::size_t>(end - all.begin())));
}

auth::SecretBytes decode_hex(const auth::SecretBytes& text) {
  auth::SecretBytes digits(text.size());
  std::size_t count = 0;
  for (const std::byte byte : text.span())
    if (std::isspace(static_cast<unsigned char>(byte)) == 0) digits.data()[count++] = byte;
  auth::SecretBytes key(count / 2);
  const std::string_view characters(reinterpret_cast<const char*>(digits.data()), count);
  if (!format::parse_hex(characters, key.span()))
    refuse("does not hold hexadecimal digits, two per byte; file: and env: take bytes as they are");
  return key;
}

auth::SecretBytes decode_base64(const auth::SecretBytes& text) {
  auth::SecretBytes key(text.size() + 8);
  const std::string_view characters(reinterpret_cast<const char*>(text.span().data()), text.size());
  const stream::DecodedText done = stream::decode_base64(characters, key.span());
  if (!done) refuse("is not base64; file: and env: take bytes as they are");
  return auth::SecretBytes(std::as_const(key).span().first(done.bytes));
}

auth::SecretBytes decode(SecretSpelling spelling, auth::SecretBytes text) {
  if (spelling == SecretSpelling::hex) return decode_hex(text);
  return spelling == SecretSpelling::base64 ? decode_base64(text) : std::move(text);
}

// 25 characters from 32 that are not easily confused: 125 bits.
auth::SecretBytes generated_passphrase() {
  constexpr std::string_view kCharacters = "abcdefghijkmnpqrstuvwxyz23456789";
  constexpr std::size_t kGroups = 5;
  constexpr std::size_t kGroupCharacters = 5;
  static_assert(kCharacters.size() == 32);
  const auth::SecretBytes random = auth::random_secret(kGroups * kGroupCharacters);
  auth::SecretBytes passphrase(random.size() + kGroups - 1);
  std::size_t used = 0;
  for (std::size_t i = 0; i < random.size(); ++i) {
    if (i != 0 && i % kGroupCharacters == 0) passphrase.data()[used++] = std::byte{'-'};
    passphrase.data()[used++] =
        static_cast<std::byte>(kCharacters[static_cast<std::size_t>(random.span()[i]) % 32]);
  }
  return passphrase;
}

void show_passphrase(const auth::SecretBytes& passphrase) {
  const auto show = [](std::string_view text) { show_on_terminal(std::as_bytes(std::span(text))); };
  show("The passphrase, shown only once: ");
  show_on_terminal(passphrase.span());
  show("\n");
}

auth::SecretBytes ask_passphrase(bool confirm, std::string_view name) {
  constexpr int kMaxTries = 3;
  if (confirm && has_terminal()) say_note("press Enter to have a random passphrase generated and shown");
  for (int tries = 1;; ++tries) {
    auth::SecretBytes passphrase = ask_secret(fmt::format("{}: ", name));
    if (!confirm) return passphrase;
    if (passphrase.empty()) {
      passphrase = generated_passphrase();
      show_passphrase(passphrase);
      return passphrase;
    }
    const auth::SecretBytes again = ask_secret(fmt::format("{} again: ", name));
    if (std::ranges::equal(passphrase.span(), again.span())) return passphrase;
    if (tries == kMaxTries) refuse("the two passphrases differ; nothing was written");
    say("the two passphrases differ; try again");
  }
}

std::string title(const SecretSource& source) {
  if (source.place == SecretPlace::environment) return fmt::format("environment variable {}", source.where);
  if (source.place == SecretPlace::descriptor) return fmt::format("descriptor {}", source.where);
  return source.place == SecretPlace::command ? "the passphrase command" : source.where;
}

auth::SecretBytes read_passphrase_line(int descriptor) {
  return read_line(descriptor, "is empty; its first line has to be the passphrase");
}

// Anywhere but on a terminal. `read` takes from a descriptor what is the secret there.
auth::SecretBytes read_at(const SecretSource& source, auth::SecretBytes (*read)(int)) {
  if (source.place == SecretPlace::environment) return take_variable(source.where);
  if (source.place == SecretPlace::descriptor) return read(descriptor_number(source.where));
  if (source.place == SecretPlace::command) return first_line(output_of_command(source.where));
  return read(open_secret_file(source.where).get());
}

// A key is everything on its descriptor: nothing is left for the data.
void refuse_key_from_data(const Arguments& arguments, std::string_view option, const SecretSource& source) {
  const auto is_standard_input = [](std::string_view name) { return name == "-" || name == "/dev/stdin"; };
  const bool takes_all =
      source.place == SecretPlace::descriptor ? source.where == "0" : is_standard_input(source.where);
  const auto& operands = arguments.operands();
  const bool holds_data =
      (operands.empty() && !arguments.has("files-from")) || std::ranges::any_of(operands, is_standard_input);
  if (!takes_all || !holds_data) return;
  refuse(
      "--{} reads all of standard input, but the data is there too; name a FILE or another place for the key",
      option);
}

}  // namespace

SecretSource passphrase_source(const Arguments& arguments, std::string_view option) {
  const std::optional<std::string> given = arguments.value(option);
  if (!given || *given == "tty") return {};
  if (const auto source = parse_place(*given, std::span(kPassphrasePlaces).subspan(1))) return *source;
  refuse("--{} takes tty, {}; a passphrase itself is never given on the command line", option,
         kPassphrasePlaceNames);
}

SecretSource key_source(const Arguments& arguments, std::string_view option) {
  const std::string given = arguments.value(option).value_or("");
  if (const auto source = parse_place(given, kKeyPlaces)) {
    refuse_key_from_data(arguments, option, *source);
    return *source;
  }
  refuse("--{} takes {}; a key itself is never given on the command line", option, kKeyPlaceNames);
}

std::vector<std::string> secret_files(const Arguments& arguments) {
  std::vector<std::string> files;
  for (const char* option : {"pass", "key", "new-pass", "new-key"}) {
    const std::optional<std::string> given = arguments.value(option);
    if (!given) continue;
    const auto source = parse_place(*given, kKeyPlaces);
    if (source && source->place == SecretPlace::file) files.push_back(source->where);
  }
  return files;
}

auth::SecretBytes read_passphrase(const SecretSource& source, bool confirm, std::string_view name) {
  if (source.place == SecretPlace::terminal) return ask_passphrase(confirm, name);
  auth::SecretBytes passphrase =
      with_context(title(source), [&] { return read_at(source, read_passphrase_line); });
  constexpr std::byte kMark[] = {std::byte{0xef}, std::byte{0xbb}, std::byte{0xbf}};
  if (std::ranges::equal(passphrase.span().first(std::min(passphrase.size(), std::size(kMark))), kMark))
    say_note(
        fmt::format("{}: the passphrase begins with a byte order mark (EF BB BF), as files from Windows do; "
                    "if it is not part of it, remove it with tail -c +4",
                    title(source)));
  if (!passphrase.empty() && passphrase.span().back() == std::byte{'\r'})
    say_note(
        fmt::format("{}: the passphrase ends in a carriage return (CR), as files from Windows do; if it is "
                    "not part of it, remove it with tr -d '\\r'",
                    title(source)));
  if (confirm) format::check_new_passphrase(passphrase);
  return passphrase;
}

auth::SecretBytes read_key(const SecretSource& source, std::size_t max_bytes) {
  return with_context(title(source), [&] {
    auth::SecretBytes key = decode(source.spelling, read_at(source, read_all));
    if (key.empty() || key.size() > max_bytes)
      refuse("holds {} bytes; a key has 1 to {}", key.size(), max_bytes);
    return key;
  });
}

}  // namespace fugu::cli
