// The files of Perl's Crypt::CBC with Crypt::Blowfish, versions 1.21 to 3.05.
//
//   "Salted__" | salt 8 | ciphertext      header salt, the default since 2.14
//   "RandomIV" | iv 8 | ciphertext        header randomiv, the default before
//   ciphertext                            header none
//
// Nothing else is stored. Keys have 56 bytes unless the writer chose otherwise, which distinguishes a
// "Salted__" from that of `openssl enc`. Unauthenticated: damage can go unseen.
#include "fugu/format/detail/codecs.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "fugu/auth/secret.hpp"
#include "fugu/format/detail/recipes.hpp"

namespace fugu::format {
namespace {

constexpr Literal kRandomIv = "RandomIV";

constexpr std::array<std::string_view, 3> kHeaders{"salt", "randomiv", "none"};

constexpr std::array kOptions{
    word_option("header NAME", kHeaders,
                "salt, randomiv or none (the default where --iv or --salt is given)."),
    marked(word_option("pbkdf NAME", kCryptCbcPbkdfs,
                       "Key derivation: opensslv1, opensslv2, pbkdf2 (the default when encrypting), "
                       "randomiv, randomiv-cut (Crypt::CBC 2.00 and 2.01: at most 56 bytes of the "
                       "passphrase), or none for a key."),
           &OptionRow::names_format),
    text_option("md NAME", "Digest of pbkdf2: sha256 (the default) or another that OpenSSL knows."),
    number_option("iter N", {1, std::numeric_limits<std::int32_t>::max()},
                  "PBKDF2 iterations, 10000 by default."),
    number_option("key-bytes N", {1, cipher::kMaxKeyBytes}, "Key length. Default: found by trial, 56 first.",
                  OptionUse::open),
    word_option("mode NAME", kCryptCbcModes,
                "Chain mode: cbc, pcbc, cfb, ofb or ctr. ofb uses only one core.", OptionUse::open),
    word_option("pad NAME", kCryptCbcPaddings,
                "standard, space, null, oneandzeroes, rijndael_compat or none. With cfb, null takes "
                "off the zeros that fill its last block.",
                OptionUse::open),
    text_option("iv IV",
                "The IV of a file without a header: 16 hexadecimal digits, text:12345678, "
                "base64:MTIzNDU2Nzg= or zero.",
                OptionUse::open),
    bytes_option("salt HEX", {kSaltBytes, kSaltBytes}, "The salt of a file without a header, 16 digits.",
                 OptionUse::open),
};

enum class Header : std::uint8_t { salt, random_iv, none };

// The derivations that the options leave open, each with its prior.
std::vector<Recipe> derivations(const OptionValues& options, Header header, SecretKind kind) {
  const Recipe pbkdf2{
      .derivation = Derivation::pbkdf2,
      .digest = options.text("md").value_or("sha256"),
      .iterations = static_cast<std::uint32_t>(options.number("iter").value_or(kDefaultPbkdf2Iterations))};
  const Recipe literal{.derivation = Derivation::literal};
  if (const auto name = options.text("pbkdf"))
    return {std::array{Recipe{.digest = "md5"}, Recipe{.digest = "sha256"}, pbkdf2,
                       Recipe{.derivation = Derivation::md5_chain},
                       Recipe{.derivation = Derivation::md5_chain_of_cut},
                       literal}[place_of(kCryptCbcPbkdfs, *name)]};
  if (kind == SecretKind::key) return {literal};
  if (header == Header::random_iv || (header == Header::none && !options.has("salt")))
    return derivations_of(&DerivationRow::random_iv);
  if (options.has("md") || options.has("iter")) return {pbkdf2};
  return derivations_of(&DerivationRow::crypt_cbc);
}

std::vector<Recipe> recipes(const OptionValues& options, Header header, SecretKind kind) {
  CryptCbcGiven given;
  given.key_bytes = options.number("key-bytes");
  given.mode = chosen(options, "mode", kCryptCbcModes, kCryptCbcModeValues);
  given.padding = chosen(options, "pad", kCryptCbcPaddings, kCryptCbcPaddingValues);
  given.all_key_sizes = true;
  std::vector<Recipe> all;
  for (const Recipe& derivation : derivations(options, header, kind))
    add_crypt_cbc_recipes(derivation, given, all);
  return all;
}

Header header_of(const OptionValues& options, std::span<const std::byte> head) {
  if (const auto name = options.text("header")) return static_cast<Header>(place_of(kHeaders, *name));
  if (options.has("iv") || options.has("salt")) return Header::none;
  if (starts_with(head, kSalted)) return Header::salt;
  if (starts_with(head, kRandomIv)) return Header::random_iv;
  throw Error(Errc::unknown_format,
              "no 'Salted__' or 'RandomIV' at the beginning: if Crypt::CBC wrote it without a header, give "
              "⟦header none⟧ and ⟦iv⟧ or ⟦salt⟧");
}

RecipeInput given_input(const OptionValues& options) {
  options.refuse_together({"iv", "salt"});
  RecipeInput input;
  if (const auto iv = options.text("iv")) input.iv = parse_iv(*iv, kIvValues);
  if (const auto salt = options.bytes("salt")) input.salt = *salt;
  const std::string pbkdf = options.text("pbkdf").value_or("");
  const bool can_do_without = input.iv || !input.salt.empty() || pbkdf == "randomiv";
  if (!can_do_without) {
    throw Error(
        Errc::usage,
        "a file of Crypt::CBC without a header needs ⟦iv⟧ or ⟦salt⟧ (with a passphrase and neither of "
        "them, Crypt::CBC 3 threw the salt away, and nothing opens the file)");
  }
  return input;
}

RecipeInput read_input(const OptionValues& options, Header header, Lookahead& source) {
  if (header == Header::none) return given_input(options);
  options.refuse_together({"header", "iv"});
  options.refuse_together({"header", "salt"});
  const std::string_view magic = header == Header::salt ? kSalted : kRandomIv;
  const std::vector<std::byte> found = source.take(magic.size(), "its header");
  if (text_of(found) != magic)
    throw Error(Errc::unknown_format, "no '" + std::string(magic) + "' at the beginning");
  RecipeInput input;
  const std::vector<std::byte> bytes = source.take(kSaltBytes, "its header");
  source.expect_no_more(magic);
  if (header == Header::salt) {
    input.salt = bytes;
  } else {
    input.iv = iv_of(bytes);
  }
  return input;
}

// Throws the error of a file that none of them fits.
void refuse(const std::vector<Tried>& all, const Lookahead& source) {
  const bool has_rest = source.bytes_left().value_or(0) % kBlockBytes != 0;  // as in ofb or ctr
  if (has_rest && std::ranges::all_of(all, [](const Tried& t) { return mode::is_padded(t.recipe.mode); }))
    throw Error(Errc::damaged,
                "the length is not a multiple of 8 bytes: truncated, or written in another mode");
  throw Error(has_rest ? Errc::undecided : Errc::wrong_key,
              std::string("wrong passphrase, or parameters that were not tried") +
                  (has_rest ? ", or compressed data or the like" : "") +
                  "; if the passphrase is right, give ⟦format cryptcbc⟧ and ⟦pbkdf⟧, ⟦md⟧, ⟦iter⟧, "
                  "⟦key-bytes⟧, ⟦mode⟧ and ⟦pad⟧");
}

// A passphrase that is not cut gives the same key both ways.
void leave_out_cut(std::vector<Recipe>& recipes, const auth::SecretBytes& passphrase) {
  if (recipes.size() == 1) return;
  std::erase_if(recipes, [&](const Recipe& recipe) {
    return recipe.derivation == Derivation::md5_chain_of_cut && passphrase.size() <= recipe.key_bytes;
  });
}

const auth::SecretBytes& secret_of(const OpenRequest& request, const std::vector<Recipe>& tried) {
  const bool is_literal = tried.front().derivation == Derivation::literal;
  return request.secret(is_literal ? SecretKind::key : SecretKind::passphrase);
}

void require_iv(const Recipe& recipe, const RecipeInput& input) {
  if (recipe.derivation == Derivation::literal && !input.iv)
    throw Error(Errc::usage, "a file whose passphrase is the key needs ⟦iv⟧, or the header RandomIV");
}

// How files with this header are opened. Asks for the secret.
RecipesOfFormat how_to_open(const OpenRequest& request, Header header) {
  std::vector<Recipe> tried = recipes(request.options, header, request.secret.kind());
  const auth::SecretBytes& secret = secret_of(request, tried);
  for (Recipe& recipe : tried) {
    if (recipe.derivation == Derivation::literal) recipe.key_bytes = secret.size();
  }
  leave_out_cut(tried, secret);
  const bool padding_given = request.options.has("pad") || tried.size() == 1;
  const auto read = [options = request.options, header, first = tried.front()](Lookahead& source) {
    RecipeInput input = read_input(options, header, source);
    require_iv(first, input);
    return input;
  };
  return {std::move(tried), read, refuse, request.accept_weak_evidence, padding_given};
}

Opened open_cryptcbc(const Job& job, const OpenRequest& request) {
  Lookahead source(job.source);
  const Header header = header_of(request.options, source.peek(kSalted.size()));
  const RecipeInput input = read_input(request.options, header, source);
  const RecipesOfFormat how = how_to_open(request, header);
  require_iv(how.recipes.front(), input);
  const Verdict verdict = find_recipe(job, how, input, secret_of(request, how.recipes), source);
  run_recipe(with_source(job, source), verdict.found);
  return opened_by(verdict, how);
}

// The header of the first message that has one.
Header header_of_messages(const OptionValues& options, std::span<const core::WipedBytes> some) {
  const auto begins = [](const core::WipedBytes& message) {
    return starts_with(message, kSalted) || starts_with(message, kRandomIv);
  };
  const auto found = std::ranges::find_if(some, begins);
  return header_of(options, found == some.end() ? bytes_in(kSalted) : std::span(*found));
}

std::unique_ptr<MessageCipher> open_cryptcbc_messages(const OpenRequest& request,
                                                      std::span<const core::WipedBytes> some) {
  const RecipesOfFormat how = how_to_open(request, header_of_messages(request.options, some));
  return recipe_messages(how, secret_of(request, how.recipes), some);
}

void add_seal_defaults_cryptcbc(OptionValues& options) {
  if (!options.has("pbkdf")) options.set("pbkdf", "pbkdf2");
  options.set("key-bytes", std::to_string(kCryptCbcKeyBytes));
  options.set("mode", "cbc");
  options.set("pad", "standard");
}

std::string seal_cryptcbc(const Job& job, const SealRequest& request) {
  const std::string pbkdf = request.options.text("pbkdf").value_or("pbkdf2");
  if (pbkdf != "pbkdf2" && pbkdf != "opensslv2")
    throw Error(Errc::usage, "files of Crypt::CBC are written with ⟦pbkdf pbkdf2 or opensslv2⟧ only");
  if (request.options.text("header").value_or("salt") != "salt")
    throw Error(Errc::usage, "files of Crypt::CBC are written with ⟦header salt⟧ only");
  RecipeInput input;
  input.salt.resize(kSaltBytes);
  auth::random_bytes(input.salt);
  OptionValues options = request.options;
  add_seal_defaults_cryptcbc(options);
  const Recipe recipe = recipes(options, Header::salt, SecretKind::passphrase).front();
  write_counted(job, bytes_in(kSalted));
  write_counted(job, input.salt);
  seal_recipe(job, recipe, request.secret(SecretKind::passphrase), input);
  return recipe_name(recipe);
}

Description describe_cryptcbc(stream::Source& input, const OptionValues& options) {
  Lookahead source(input);
  const Header header = header_of(options, source.peek(kSalted.size()));
  Description description{.title = "Crypt::CBC"};
  description.add_text("header", "header", std::string(kHeaders[static_cast<std::size_t>(header)]));
  if (header != Header::none) {
    static_cast<void>(read_input(options, header, source));
    if (const auto bytes = source.bytes_left())
      description.add_number("ciphertext_bytes", "ciphertext", *bytes, " bytes");
  }
  return description;
}

}  // namespace

const Codec kCryptCbcCodec{
    .name = "cryptcbc",
    .extensions = kExtensions<".cbc">,
    .summary = "Perl's Crypt::CBC with Blowfish",
    .made_by = "Crypt::CBC 1.21 to 3.05 with Crypt::Blowfish or Crypt::Blowfish_PP",
    .wrong_secret = "nothing but padding and how the beginning looks",
    .secrets = secrets({SecretKind::passphrase, SecretKind::key}),
    .max_key_bytes = cipher::kMaxKeyBytes,
    .options = kOptions,
    .recognise = recognise_if<begins_with<kRandomIv>>,
    .open = open_cryptcbc,
    .seal = seal_cryptcbc,
    .add_seal_defaults = add_seal_defaults_cryptcbc,
    .describe = describe_cryptcbc,
    .is_serial =
        [](const OptionValues& options, Direction direction) {
          return direction == Direction::encrypt || options.text("mode") == "ofb";
        },
    .has_messages = true,
    .open_messages = open_cryptcbc_messages,
};

}  // namespace fugu::format
