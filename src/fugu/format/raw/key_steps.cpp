// The one table of key steps.
#include "fugu/format/raw/raw.hpp"

#include <algorithm>
#include <string>

#include "fugu/auth/digest.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/format/detail/characters.hpp"
#include "fugu/stream/hex.hpp"

namespace fugu::format {
namespace {

using auth::SecretBytes;
using Bytes = std::span<const std::byte>;

struct StepRow {
  std::string_view name;
  SecretBytes (*apply)(Bytes key, const StepRow& row, std::size_t number);
  bool has_number = false;
};

SecretBytes resized(Bytes key, std::size_t bytes, std::byte filler = {}) {
  SecretBytes result(bytes);
  const auto rest = std::ranges::copy(key.first(std::min(key.size(), bytes)), result.data()).out;
  std::fill(rest, result.data() + bytes, filler);
  return result;
}

SecretBytes filled(Bytes key, const StepRow& row, std::size_t bytes) {
  return resized(key, std::max(key.size(), bytes), row.name == "fillff" ? std::byte{0xff} : std::byte{0});
}

SecretBytes cut(Bytes key, const StepRow&, std::size_t bytes) {
  return resized(key, std::min(key.size(), bytes));
}

SecretBytes digest(Bytes key, const StepRow& row, std::size_t) {
  return auth::digest(std::string(row.name), {key});
}

SecretBytes decoded(Bytes key, const StepRow& row, std::size_t) {
  const std::string_view text = trimmed(text_of(key));
  std::optional<std::vector<std::byte>> bytes = row.name == "hex" ? parse_hex(text) : parse_base64(text);
  if (!bytes) throw Error(Errc::usage, "the key is not " + std::string(row.name));
  SecretBytes result{Bytes(*bytes)};
  core::wipe(bytes->data(), bytes->size());
  return result;
}

SecretBytes digits(Bytes key, const StepRow&, std::size_t) {
  SecretBytes text(2 * key.size());
  stream::encode_hex(key, reinterpret_cast<char*>(text.data()));
  return text;
}

SecretBytes upper(Bytes key, const StepRow&, std::size_t) {
  SecretBytes text(key);
  for (std::byte& c : text.span()) {
    if (c >= std::byte{'a'} && c <= std::byte{'z'}) c ^= std::byte{0x20};
  }
  return text;
}

SecretBytes utf16(Bytes key, const StepRow& row, std::size_t) {
  SecretBytes units(2 * key.size());  // no character has more units than bytes
  std::size_t bytes = 0;
  const bool is_little = row.name == "utf16le";
  for_each_character(key, charset_of(key), [&](char32_t character) {
    for_each_unit(character, [&](char32_t unit) {
      units.data()[bytes + (is_little ? 1 : 0)] = static_cast<std::byte>(unit >> 8);
      units.data()[bytes + (is_little ? 0 : 1)] = static_cast<std::byte>(unit & 0xff);
      bytes += 2;
    });
  });
  return resized(units.span(), bytes);
}

SecretBytes line_end(Bytes key, const StepRow& row, std::size_t) {
  SecretBytes longer = resized(key, key.size() + (row.name == "crlf" ? 2 : 1), std::byte{'\n'});
  if (row.name == "crlf") longer.data()[key.size()] = std::byte{'\r'};
  return longer;
}

SecretBytes without_line_end(Bytes key, const StepRow&, std::size_t) {
  std::string_view text = text_of(key);
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return SecretBytes(text);
}

SecretBytes number(Bytes key, const StepRow& row, std::size_t) {
  const std::optional<std::uint64_t> value = parse_number(trimmed(text_of(key)));
  if (!value) throw Error(Errc::usage, "the key is not a number of 64 bits");
  SecretBytes bytes(core::kBlockBytes);
  store_little(*value, bytes.span());
  if (row.name == "u64be") std::ranges::reverse(bytes.span());
  return bytes;
}

constexpr StepRow kSteps[] = {
    {"hex", decoded},
    {"base64", decoded},
    {"u64le", number},
    {"u64be", number},
    {"utf16le", utf16},
    {"utf16be", utf16},
    {"lf", line_end},
    {"crlf", line_end},
    {"nul", [](Bytes key, const StepRow&, std::size_t) { return resized(key, key.size() + 1); }},
    {"chomp", without_line_end},
    {"md5", digest},
    {"sha1", digest},
    {"sha256", digest},
    {"sha512", digest},
    {"ripemd160", digest},
    {"digits", digits},
    {"upper", upper},
    {"cut", cut, true},
    {"fill", filled, true},
    {"fillff", filled, true}};

struct Step {
  const StepRow* row;
  std::size_t number;
};

std::optional<Step> step_named(std::string_view name) {
  for (const StepRow& row : kSteps) {
    if (!row.has_number && name == row.name) return Step{&row, 0};
    if (!row.has_number || !name.starts_with(row.name)) continue;
    const auto number = parse_number(name.substr(row.name.size()));
    if (number && *number >= 1 && *number <= cipher::kMaxClassicKeyBytes)
      return Step{&row, static_cast<std::size_t>(*number)};
  }
  return std::nullopt;
}

std::string names() {
  std::string text;
  for (const StepRow& row : kSteps)
    text += (text.empty() ? "" : ", ") + std::string(row.name) + (row.has_number ? "N" : "");
  return text;
}

std::vector<Step> steps_in(std::string_view text) {
  std::vector<Step> steps;
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find(','));
    const std::optional<Step> step = step_named(name);
    if (!step)
      throw Error(Errc::usage, "⟦key-steps⟧ takes " + names() + ", with commas between them, N from 1 to 72");
    steps.push_back(*step);
    text.remove_prefix(std::min(text.size(), name.size() + 1));
  }
  return steps;
}

}  // namespace

void check_key_steps(std::string_view steps) {
  steps_in(steps);
}

auth::SecretBytes after_key_steps(std::string_view steps, const auth::SecretBytes& key) {
  SecretBytes result(key.span());
  for (const Step& step : steps_in(steps)) {
    if (result.size() > kMaxPassphraseBytes) throw Error(Errc::usage, "⟦key-steps⟧ makes the key too long");
    result = step.row->apply(result.span(), *step.row, step.number);
  }
  return result;
}

}  // namespace fugu::format
