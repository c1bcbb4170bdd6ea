// What programs in Delphi and Lazarus encrypt with DCPcrypt 2.
//
// The key is a hash of the passphrase, the IV a block of zeros encrypted under it. EncryptString: CFB8, in
// base64. EncryptStream: CBC, and a rest of n < 8 bytes is combined with the first n bytes of the last
// ciphertext block (or the IV), encrypted once more. Nothing reveals a wrong passphrase.

#include "fugu/auth/digest.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/judge/evidence.hpp"
#include "fugu/stream/base64.hpp"

namespace fugu::format {
namespace {

using namespace std::string_view_literals;

constexpr std::array kHashes{"sha1"sv, "sha256"sv, "md5"sv, "ripemd160"sv, "sha384"sv, "sha512"sv, "md4"sv};
constexpr std::array kModes{"string"sv, "cbc"sv, "cfb"sv, "cfb8"sv, "ofb"sv, "ctr"sv};
constexpr std::array kModeValues{Mode::cfb8, Mode::cbc, Mode::cfb64, Mode::cfb8, Mode::ofb, Mode::ctr};
constexpr double kUtf16LeadBits = 8;  // that UTF-16 needs over UTF-8
constexpr double kHashLeadBits = 8;   // of a hash over the others
constexpr double kFirstHashBits = 4;  // by which the first hash is likelier than the others

constexpr std::array kOptions{
    word_option("hash NAME", kHashes,
                "The hash of the passphrase: sha1, sha256, md5, ripemd160, sha384, sha512 or md4. Default: "
                "the one that gives text, sha1 first.",
                OptionUse::open),
    word_option("mode NAME", kModes,
                "string (base64 from EncryptString), or for EncryptStream cbc, cfb, cfb8, ofb or ctr. "
                "Default: string for base64, else cbc.",
                OptionUse::open),
};

struct Key {
  cipher::Schedule schedule;
  mode::Settings settings;
};

Key key_of(engine::Engine& engine, const std::string& hash, std::span<const std::byte> passphrase,
           Mode mode) {
  const auth::SecretBytes digest = auth::digest(hash, {passphrase});
  const mode::Padding padding = mode == Mode::cbc ? mode::Padding::residual : mode::Padding::none;
  Key key{schedule_of(first_of(digest.span(), cipher::kMaxKeyBytes)),
          {.mode = mode, .padding = padding, .iv = mode::Iv()}};
  transform(engine, key.schedule, {.mode = Mode::ecb}, Direction::encrypt, *key.settings.iv);
  return key;
}

double judge(engine::Engine& engine, const Key& key, std::span<const std::byte> seen) {
  core::WipedBytes beginning(seen.begin(), seen.end());
  mode::CipherStream(engine, key.schedule, key.settings, Direction::decrypt)
      .process(beginning, beginning.size(), true);
  return evidence_bits(beginning);
}

// The passphrase as programs of Unicode Delphi hash it.
auth::SecretBytes utf16_little(std::span<const std::byte> utf8) {
  auth::SecretBytes text(2 * utf8.size());
  std::size_t size = 0;
  const auto put = [&](char32_t unit) {
    text.data()[size++] = static_cast<std::byte>(unit);
    text.data()[size++] = static_cast<std::byte>(unit >> 8);
  };
  for_each_character(utf8, Charset::utf8, [&](char32_t character) { for_each_unit(character, put); });
  return auth::SecretBytes(std::as_const(text).span().first(size));
}

bool looks_like_string(Lookahead& source) {
  const std::string_view text = text_of(source.peek(kLookaheadBytes));
  const bool is_whole = text.size() < kLookaheadBytes;
  const auto is_of_base64 = [](char c) {
    return stream::base64_digit(c) >= 0 || c == '=' || c == '\n' || c == '\r';
  };
  return !text.empty() &&
         (is_whole ? parse_base64(text).has_value() : std::ranges::all_of(text, is_of_base64));
}

struct Candidate {
  std::string_view hash;
  bool is_wide = false;  // the passphrase in UTF-16
  Key key = {};
  double bits = 0;
};

// The best first.
std::vector<Candidate> candidates(engine::Engine& engine, const OpenRequest& request, Mode mode,
                                  std::span<const std::byte> seen) {
  const auth::SecretBytes& narrow = request.secret(SecretKind::passphrase);
  const auth::SecretBytes wide = utf16_little(narrow.span());
  const auto given = request.options.text("hash");
  std::vector<Candidate> all;
  for (const std::string_view hash : kHashes) {
    if (given ? hash != *given : !auth::digest_exists(std::string(hash))) continue;
    const double less = given || hash == kHashes.front() ? 0 : kFirstHashBits;
    for (const bool is_wide : {false, true}) {
      Key key = key_of(engine, std::string(hash), (is_wide ? wide : narrow).span(), mode);
      const double bits = judge(engine, key, seen) - less - (is_wide ? kUtf16LeadBits : 0);
      all.push_back({hash, is_wide, std::move(key), bits});
    }
  }
  std::ranges::stable_sort(all, std::greater(), &Candidate::bits);
  return all;
}

Opened open_dcpcrypt(const Job& job, const OpenRequest& request) {
  Lookahead input(job.source);
  const auto given = request.options.text("mode");
  const bool is_string = given ? *given == "string" : looks_like_string(input);
  const auto bytes = is_string ? stream::base64_decoder(stream::borrow(input)) : stream::borrow(input);
  Lookahead source(*bytes);
  const std::string_view name = given ? std::string_view(*given) : is_string ? "string" : "cbc";
  const Mode mode = kModeValues[place_of(kModes, name)];
  const std::vector<Candidate> all = candidates(job.engine, request, mode, source.peek(kBeginningBytes));
  const bool has_hash = request.options.has("hash");
  const Candidate& found = all.front();
  const bool text_tells =
      found.bits - all[1].bits >= kHashLeadBits || (found.hash == kHashes.front() && found.bits > 0);
  if (!has_hash && !text_tells && !request.accept_weak_evidence)
    throw Error(Errc::unknown_format,
                "no hash gives text: a wrong passphrase, another mode, or data that is not text; give "
                "⟦hash⟧, and ⟦mode⟧ if it is not " +
                    std::string(name) + ", or ⟦yes⟧ for " + std::string(found.hash));
  run_cipher(with_source(job, source), found.key.schedule, found.key.settings, Direction::decrypt);
  Opened opened = likely("DCPcrypt, " + std::string(name) + ", " + std::string(found.hash), found.bits);
  opened.by_trial = !has_hash;
  if (found.is_wide) opened.notes.push_back("the passphrase fits in UTF-16, not in UTF-8");
  return opened;
}

}  // namespace

const Codec kDcpcryptCodec{
    .name = "dcpcrypt",
    .summary = "data from Delphi and Lazarus programs with DCPcrypt",
    .made_by = "DCPcrypt 2: EncryptString and EncryptStream after InitStr",
    .wrong_secret = "nothing but how the beginning looks",
    .options = kOptions,
    .open = open_dcpcrypt,
    .describe = describe_as<"DCPcrypt, if ⟦format⟧ is right">,
    .is_serial = [](const OptionValues& options, Direction) { return options.text("mode") == "ofb"; },
    .is_text = true,
};

}  // namespace fugu::format
