// Hints at options of raw. Nothing is decided by them.
#include "fugu/format/raw/raw.hpp"

#include <algorithm>

#include "fugu/format/judge/evidence.hpp"
#include "fugu/stream/hex.hpp"

namespace fugu::format {
namespace {

using mode::Padding;

constexpr std::size_t kFilledKeyBytes = 16;
constexpr std::size_t kMinKeyDigits = 16;

// No less than this is called text or noise.
constexpr std::size_t kMinJudgedBytes = 16;

const char* advice(Padding looks_like) {
  switch (looks_like) {
    case Padding::zero:
      return "the padding is not valid, and the end looks zero-padded: give ⟦pad zero⟧";
    case Padding::space:
      return "the padding is not valid, and the end looks padded with spaces: give ⟦pad space⟧";
    case Padding::none:
      return "the padding is not valid, and the end looks like text without any: give ⟦pad zero⟧, or ⟦pad "
             "none⟧";
    default:
      return nullptr;
  }
}

// "hex" or "base64" if the key is nothing but their digits; empty otherwise.
std::string_view spelling_of(const auth::SecretBytes& key) {
  const std::string_view text = trimmed(text_of(key.span()));
  if (text.size() < kMinKeyDigits) return {};
  if (text.size() % 2 == 0 && std::ranges::all_of(text, [](char c) { return stream::hex_digit(c) >= 0; }))
    return "hex";
  return text.size() % 4 == 0 && parse_base64(text) ? "base64" : "";
}

std::vector<std::string> key_hints(const RawParameters& parameters, const auth::SecretBytes& secret) {
  const std::string_view spelling = parameters.key_steps.empty() ? spelling_of(secret) : "";
  if (spelling.empty()) return {};
  const std::string name(spelling);
  return {"the key is all " + (spelling == "hex" ? "hexadecimal digits" : name) +
          ": if they stand for bytes, give ⟦key " + name + "⟧"};
}

double bits_of(engine::Engine& engine, const RawBeginning& beginning) {
  return beginning_bits(engine, schedule_of(beginning.plan.key.span()), beginning.plan.settings,
                        beginning.ciphertext);
}

}  // namespace

Error padding_error(engine::Engine& engine, const mode::WrongPadding& wrong, const RawParameters& parameters,
                    const auth::SecretBytes& secret, const RawBeginning& beginning) {
  const char* const looks = advice(wrong.looks_like());
  if (bits_of(engine, beginning) >= kPlausibleBits)
    return {Errc::damaged,
            "the key fits, but the file does not end as it should: it was cut, or its end changed, or " +
                std::string(looks != nullptr ? looks : "it has another padding (⟦pad⟧)")};
  if (looks != nullptr) return {Errc::wrong_key, looks};
  std::string text = wrong.text();
  const bool is_short = parameters.key_steps.empty() && secret.size() < kFilledKeyBytes;
  if (is_short && parameters.settings.padding == Padding::pkcs7)
    text += "; PHP's openssl_encrypt fills keys shorter than 16 bytes with zeros: give ⟦key-fill 16⟧";
  for (const std::string& hint : key_hints(parameters, secret)) text += "; " + hint;
  return {Errc::wrong_key, text};
}

std::vector<std::string> result_hints(engine::Engine& engine, const RawParameters& parameters,
                                      const auth::SecretBytes& secret, const RawBeginning& beginning) {
  if (beginning.ciphertext.size() < kMinJudgedBytes) return {};
  return bits_of(engine, beginning) <= 0 ? key_hints(parameters, secret) : std::vector<std::string>();
}

}  // namespace fugu::format
