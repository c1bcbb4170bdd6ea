// Messages of IRC that FiSH, mircryption or eggdrop encrypted: lines, and whole logs.
//
//   "+OK " or "mcps ", then blocks of ECB, 12 characters each, or "*" and base64 of an IV and CBC
//
// The key is the passphrase; padding is zeros. Of a block's 12 characters the first 6 are its second word,
// the others its first, 6 bits per character, lowest first, so that the last of 6 has 2 bits only. Only these
// zeros and the look of the messages reveal a wrong passphrase. Everything around them stays as it is.
#include <cmath>
#include <set>

#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/judge/evidence.hpp"
#include "fugu/stream/base64.hpp"

namespace fugu::format {
namespace {

constexpr std::string_view kAlphabet = "./0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::size_t kWordDigits = 6;
constexpr std::size_t kBlockDigits = 2 * kWordDigits;
constexpr std::size_t kMinBase64Digits = 22;                              // of an IV and a block
constexpr std::string_view kFormatting = "\x01\x02\x03\x0f\x16\x1d\x1f";  // control characters of messages
constexpr double kMinBits = 5;         // below this nothing looks like a message
constexpr double kMinBitsOfSome = 16;  // needed where some candidates are not messages

struct Token {
  std::size_t begin = 0;  // in the text, with the prefix
  std::size_t end = 0;
  bool is_cbc = false;
  bool is_cut = false;          // digits that are not a whole block follow
  core::WipedBytes bytes = {};  // the ciphertext, with its IV for CBC; later the message
  std::size_t zeros = 0;        // removed from the message
  double bits = 0;              // that it is a message
  double bits_of_part = 0;      // that a part of it is one
};

bool is_base64(char c) {
  return stream::base64_digit(c) >= 0 && c != '-' && c != '_';
}

// An IV and whole blocks. `text` begins after the "*".
bool parse_cbc(std::string_view text, Token& token) {
  const auto end = std::ranges::find_if_not(text, is_base64);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  if (digits.size() < kMinBase64Digits) return false;
  token.is_cbc = true;
  token.bytes.resize(digits.size() + 2 * kBlockBytes);
  std::string padded(digits);
  padded.resize((digits.size() + 3) / 4 * 4, '=');
  const stream::DecodedText decoded = stream::decode_base64(padded, token.bytes);
  token.bytes.resize(decoded.bytes / kBlockBytes * kBlockBytes);
  token.is_cut = !decoded || decoded.bytes != token.bytes.size();
  std::size_t size = token.is_cut ? token.bytes.size() * 4 / 3 : digits.size();
  while (!token.is_cut && size < digits.size() + 2 && text.substr(size).starts_with('=')) ++size;
  token.end += 1 + size;
  return true;
}

// False if the last digit has more than its two bits.
bool add_word(std::string_view digits, core::WipedBytes& block, std::size_t at) {
  std::uint64_t word = 0;
  for (std::size_t i = kWordDigits; i != 0; --i) word = word << 6 | kAlphabet.find(digits[i - 1]);
  for (std::size_t i = 0; i < 4; ++i) block[at + i] = static_cast<std::byte>(word >> (24 - 8 * i));
  return word >> 32 == 0;
}

bool parse_ecb(std::string_view text, Token& token) {
  const std::size_t run = std::min(text.find_first_not_of(kAlphabet), text.size());
  if (run < kBlockDigits) return false;
  token.is_cut = run % kBlockDigits != 0;
  token.end += run / kBlockDigits * kBlockDigits;
  for (std::size_t at = 0; at + kBlockDigits <= run; at += kBlockDigits) {
    const std::size_t block = token.bytes.size();
    token.bytes.resize(block + kBlockBytes);
    const std::string_view digits = text.substr(at, kBlockDigits);
    if (!add_word(digits.substr(0, kWordDigits), token.bytes, block + 4) ||
        !add_word(digits.substr(kWordDigits), token.bytes, block))
      return false;
  }
  return true;
}

std::optional<Token> token_at(std::string_view text, std::size_t at) {
  for (const std::string_view prefix : {"+OK ", "mcps "}) {
    if (!text.substr(at).starts_with(prefix)) continue;
    const std::string_view rest = text.substr(at + prefix.size());
    Token token{.begin = at, .end = at + prefix.size()};
    const bool is_token = rest.starts_with('*') ? parse_cbc(rest.substr(1), token) : parse_ecb(rest, token);
    if (is_token) return token;
  }
  return std::nullopt;
}

std::vector<Token> find_tokens(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = text.find_first_of("+m"); at < text.size(); at = text.find_first_of("+m", at)) {
    const bool begins = at == 0 || std::string_view(" \t\n").find(text[at - 1]) != std::string_view::npos;
    std::optional<Token> token = begins ? token_at(text, at) : std::nullopt;
    at = token ? token->end : at + 1;
    if (token) tokens.push_back(std::move(*token));
  }
  return tokens;
}

// Negative for what is no message.
double judge(std::span<const std::byte> ciphertext, std::span<const std::byte> message, std::size_t zeros) {
  core::WipedBytes text(message.begin(), message.end());
  for (std::byte& byte : text) {
    const char c = static_cast<char>(byte);
    if (kFormatting.find(c) != std::string_view::npos) byte = std::byte{'{'};  // '{' is as rare as these
    if (byte != std::byte{'\t'} && (byte < std::byte{' '} || byte == std::byte{0x7f})) return -1;
  }
  const double bits = 8.0 * static_cast<double>(zeros) + evidence_bits(new_blocks(ciphertext, text));
  return is_utf8(text) ? std::max(bits, 0.0) : bits;
}

void decrypt(engine::Engine& engine, const cipher::Schedule& schedule, Token& token) {
  mode::Settings settings{.mode = token.is_cbc ? Mode::cbc : Mode::ecb};
  if (token.is_cbc) {
    settings.iv = iv_of(token.bytes);
    token.bytes.erase(token.bytes.begin(), token.bytes.begin() + kBlockBytes);
  }
  const core::WipedBytes ciphertext(token.bytes.begin(), token.bytes.end());
  transform(engine, schedule, settings, Direction::decrypt, token.bytes);
  while (!token.bytes.empty() && token.bytes.back() == std::byte{0}) {
    token.bytes.pop_back();
    ++token.zeros;
  }
  token.bits = judge(ciphertext, token.bytes, token.zeros);
  token.bits_of_part = evidence_bits(new_blocks(ciphertext, token.bytes));
}

// The evidence of those that open, less the number of ways to choose them among all. Logs repeat messages:
// each counts once.
double evidence_of(std::span<const Token> tokens) {
  double bits = 0;
  std::uint64_t open = 0;
  std::set<std::string_view> messages;
  for (const Token& token : tokens) {
    if (!messages.insert(text_of(token.bytes)).second) continue;
    bits += std::max(0.0, token.bits);
    open += token.bits >= 0 ? 1 : 0;
  }
  return bits - log2_choices(messages.size(), open);
}

// People and programs write the mode before the key; each message says its own.
std::span<const std::byte> key_in(std::span<const std::byte> passphrase) {
  constexpr std::size_t kPrefixBytes = 4;
  if (starts_with(passphrase, "cbc:") || starts_with(passphrase, "ecb:"))
    passphrase = passphrase.subspan(kPrefixBytes);
  if (passphrase.empty()) throw Error(Errc::wrong_key, "wrong passphrase: it is empty");
  return first_of(passphrase, cipher::kMaxClassicKeyBytes);
}

core::WipedBytes replaced(std::span<const std::byte> text, std::span<const Token> tokens) {
  core::WipedBytes plain;
  plain.reserve(text.size());
  std::size_t at = 0;
  for (const Token& token : tokens) {
    if (token.bits < 0) continue;
    append(plain, text.subspan(at, token.begin - at));
    append(plain, token.bytes);
    at = token.end;
  }
  append(plain, text.subspan(at));
  return plain;
}

Recognition recognise_fish(std::span<const std::byte> head, std::optional<std::uint64_t>) {
  return find_tokens(text_of(head)).empty() ? Recognition::no : Recognition::perhaps;
}

Opened open_fish(const Job& job, const OpenRequest& request) {
  const core::WipedBytes text = read_whole(job, "a log");
  std::vector<Token> tokens = find_tokens(text_of(text));
  if (tokens.empty())
    throw Error(Errc::unknown_format,
                "no encrypted message, which begins with '+OK ' or 'mcps ', in any line");
  const cipher::Schedule schedule = schedule_of(key_in(request.secret(SecretKind::passphrase).span()));
  for (Token& token : tokens) {
    if (job.stop.stop_requested()) throw Error(Errc::interrupted, "interrupted");
    decrypt(job.engine, schedule, token);
  }
  Opened opened = likely("FiSH, messages: " + std::to_string(tokens.size()), evidence_of(tokens));
  const auto left = std::ranges::count_if(tokens, [](const Token& token) { return token.bits < 0; });
  if (opened.evidence.bits < (left == 0 ? kMinBits : kMinBitsOfSome)) {
    const double most = std::ranges::max(tokens, {}, &Token::bits_of_part).bits_of_part;
    if (most - std::log2(static_cast<double>(tokens.size())) >= kPlausibleBits)
      throw Error(Errc::damaged, "the passphrase fits, but the messages are damaged: bytes in them changed");
    throw Error(Errc::wrong_key, "wrong passphrase: the plaintext is not text");
  }
  write_whole(job, replaced(text, tokens));
  const auto note = [&](auto count, const char* what) {
    if (count == 0) return;
    opened.all_content = false;
    opened.notes.push_back(std::to_string(count) + " of " + std::to_string(tokens.size()) + " messages " +
                           what);
  };
  note(left, "are left as they are: damaged, or under another key");
  note(std::ranges::count_if(tokens, [](const Token& token) { return token.is_cut && token.bits >= 0; }),
       "do not end with a whole block: what follows the last one is left as it is");
  return opened;
}

Description describe_fish(stream::Source& input, const OptionValues&) {
  Lookahead source(input);
  const std::vector<Token> tokens = find_tokens(text_of(take_all(source, "a log")));
  const auto cbc = static_cast<std::uint64_t>(std::ranges::count_if(tokens, &Token::is_cbc));
  Description description{.title = "messages of FiSH"};
  description.add_number("ecb_messages", "messages in ecb", tokens.size() - cbc);
  description.add_number("cbc_messages", "messages in cbc", cbc);
  return description;
}

}  // namespace

const Codec kFishCodec{
    .name = "fish",
    .summary = "IRC messages in lines and logs (FiSH, mircryption, eggdrop)",
    .made_by = "FiSH for mIRC, irssi, HexChat and weechat, mircryption, eggdrop's encrypt",
    .details = "The messages of a log are decrypted in their places; other text stays as it is.",
    .wrong_secret = "nothing certain: zeros after the messages, and how they look",
    .recognise = recognise_fish,
    .open = open_fish,
    .describe = describe_fish,
    .no_salvage = "lines that do not open are left as they are",
    .is_text = true,
};

}  // namespace fugu::format
