#include "fugu/format/cryptcbc/cryptcbc.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "fugu/auth/kdf.hpp"
#include "fugu/auth/random.hpp"
#include "fugu/error.hpp"
#include "fugu/format/detail/message.hpp"
#include "fugu/format/detail/recipe.hpp"

namespace fugu::format {
namespace {

using core::kBlockBytes;
using mode::Direction;
using mode::Mode;

constexpr std::string_view kSalted = "Salted__";
constexpr std::string_view kRandomIv = "RandomIV";
constexpr std::size_t kSaltBytes = 8;
constexpr std::size_t kUsualKeyBytes = 56;
constexpr std::uint32_t kUsualIterations = 10'000;

// A recipe reaches this many bits at most once in 16 under a wrong passphrase: worth a hint at what accepts
// it.
constexpr double kWeakMatchBits = 4;

// How much likelier the best has to be than the second best: one byte of padding more says enough.
constexpr double kNeededLeadBits = 7;

constexpr std::array<std::string_view, 3> kHeaders{"salt", "randomiv", "none"};

// Names as Crypt::CBC's options have them, with what they stand for.
constexpr std::array<std::string_view, 5> kPbkdfs{"opensslv1", "opensslv2", "pbkdf2", "randomiv", "none"};
constexpr std::array<std::string_view, 5> kModes{"cbc", "pcbc", "cfb", "ofb", "ctr"};
constexpr std::array kModeValues{Mode::cbc, Mode::pcbc, Mode::cfb64, Mode::ofb, Mode::ctr};
constexpr std::array<std::string_view, 6> kPaddings{"standard",     "space",           "null",
                                                    "oneandzeroes", "rijndael_compat", "none"};
constexpr std::array kPaddingValues{TailPadding::pkcs7,
                                    TailPadding::spaces,
                                    TailPadding::zeros,
                                    TailPadding::one_and_zeros,
                                    TailPadding::one_and_zeros_or_none,
                                    TailPadding::none};

constexpr std::array kOptions{
    OptionRow{.name = "header",
              .type = OptionType::word,
              .value = "NAME",
              .help = "salt, randomiv or none (the default where --iv or --salt is given).",
              .words = kHeaders},
    OptionRow{.name = "pbkdf",
              .type = OptionType::word,
              .value = "NAME",
              .help = "Key derivation: opensslv1, opensslv2, pbkdf2 (the default when encrypting), randomiv, "
                      "or none for a key.",
              .words = kPbkdfs},
    OptionRow{.name = "md",
              .type = OptionType::text,
              .value = "NAME",
              .help = "Digest of pbkdf2: sha256 (the default) or another that OpenSSL knows."},
    OptionRow{.name = "iter",
              .type = OptionType::number,
              .value = "N",
              .help = "PBKDF2 iterations, 10000 by default.",
              .at_least = 1,
              .at_most = std::numeric_limits<std::int32_t>::max()},
    OptionRow{.name = "key-bytes",
              .type = OptionType::number,
              .value = "N",
              .help = "Key length, 56 by default.",
              .use = OptionUse::open,
              .at_least = 1,
              .at_most = cipher::kMaxKeyBytes},
    OptionRow{.name = "mode",
              .type = OptionType::word,
              .value = "NAME",
              .help = "Chain mode: cbc, pcbc, cfb, ofb or ctr. ofb works on one core alone.",
              .use = OptionUse::open,
              .words = kModes},
    OptionRow{.name = "pad",
              .type = OptionType::word,
              .value = "NAME",
              .help = "standard, space, null, oneandzeroes, rijndael_compat or none. With cfb, null takes "
                      "off the zeros that fill its last block.",
              .use = OptionUse::open,
              .words = kPaddings},
    OptionRow{.name = "iv",
              .type = OptionType::text,
              .value = "HEX",
              .help = "The iv of a file without a header, 16 digits.",
              .use = OptionUse::open},
    OptionRow{.name = "salt",
              .type = OptionType::bytes,
              .value = "HEX",
              .help = "The salt of a file without a header, 16 digits.",
              .use = OptionUse::open,
              .at_least = kSaltBytes,
              .at_most = kSaltBytes},
};

enum class Header : std::uint8_t { salt, random_iv, none };

template <class Names>
std::size_t place_of(const Names& names, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

std::string_view name_of(TailPadding padding) {
  if (padding == TailPadding::zeros_or_none) return "null";
  return kPaddings[static_cast<std::size_t>(std::ranges::find(kPaddingValues, padding) -
                                            kPaddingValues.begin())];
}

std::string pbkdf_name(const Recipe& recipe) {
  switch (recipe.derivation) {
    case Derivation::bytes_to_key:
      return recipe.digest == "md5" ? "opensslv1" : "opensslv2";
    case Derivation::pbkdf2:
      return "pbkdf2";
    case Derivation::md5_chain:
      return "randomiv";
    case Derivation::literal:
      break;
  }
  return "none";
}

bool has_padding(const Recipe& recipe) {
  return mode::is_padded(recipe.mode) || recipe.padding == TailPadding::zeros_or_none;
}

// "Crypt::CBC, pbkdf pbkdf2 (sha256, 10000 iterations), key of 56 bytes, cbc, padding standard"
std::string describe(const Recipe& recipe) {
  std::string text = "Crypt::CBC, pbkdf " + pbkdf_name(recipe);
  if (recipe.derivation == Derivation::pbkdf2)
    text += " (" + recipe.digest + ", " + std::to_string(recipe.iterations) + " iterations)";
  text += ", key of " + std::to_string(recipe.key_bytes) + " bytes, " + std::string(name_of(recipe.mode));
  if (has_padding(recipe)) text += ", padding " + std::string(name_of(recipe.padding));
  return text;
}

// The options that leave nothing to try.
std::string flags(const Recipe& recipe) {
  std::string text = "--format cryptcbc --pbkdf " + pbkdf_name(recipe);
  if (recipe.derivation == Derivation::pbkdf2)
    text += " --md " + recipe.digest + " --iter " + std::to_string(recipe.iterations);
  text += " --key-bytes " + std::to_string(recipe.key_bytes) + " --mode " + std::string(name_of(recipe.mode));
  if (has_padding(recipe)) text += " --pad " + std::string(name_of(recipe.padding));
  return text;
}

// The choices that the options leave open, each with its prior.
std::vector<Recipe> derivations(const OptionValues& options, Header header) {
  Recipe v1{.derivation = Derivation::bytes_to_key, .digest = "md5", .prior = 0.5};
  Recipe v2{.derivation = Derivation::bytes_to_key, .digest = "sha256", .prior = 0.15};
  Recipe pbkdf2{.derivation = Derivation::pbkdf2,
                .digest = options.text("md").value_or("sha256"),
                .iterations = static_cast<std::uint32_t>(options.number("iter").value_or(kUsualIterations)),
                .prior = 0.35};
  Recipe chain{.derivation = Derivation::md5_chain, .digest = "", .prior = 1};
  Recipe literal{.derivation = Derivation::literal, .digest = "", .prior = 1};
  if (const auto name = options.text("pbkdf")) {
    std::array named{v1, v2, pbkdf2, chain, literal};
    Recipe& only = named[place_of(kPbkdfs, *name)];
    only.prior = 1;
    return {only};
  }
  if (header == Header::random_iv || (header == Header::none && !options.has("salt"))) return {chain};
  if (options.has("md") || options.has("iter")) {
    pbkdf2.prior = 1;
    return {pbkdf2};
  }
  return {v1, v2, pbkdf2};
}

std::vector<std::pair<std::size_t, double>> key_sizes(const OptionValues& options) {
  if (const auto bytes = options.number("key-bytes")) return {{*bytes, 1}};
  return {{kUsualKeyBytes, 0.8}, {16, 0.1}, {32, 0.04}, {24, 0.03}, {8, 0.03}};
}

std::vector<std::pair<Mode, double>> modes(const OptionValues& options) {
  if (const auto name = options.text("mode")) return {{kModeValues[place_of(kModes, *name)], 1}};
  return {{Mode::cbc, 0.8}, {Mode::pcbc, 0.05}, {Mode::cfb64, 0.05}, {Mode::ofb, 0.05}, {Mode::ctr, 0.05}};
}

std::vector<std::pair<TailPadding, double>> paddings(const OptionValues& options, Mode mode) {
  const auto name = options.text("pad");
  if (!mode::is_padded(mode)) return {{name == "null" ? TailPadding::zeros_or_none : TailPadding::none, 1}};
  if (name) return {{kPaddingValues[place_of(kPaddings, *name)], 1}};
  return {{TailPadding::pkcs7, 0.8},
          {TailPadding::spaces, 0.045},
          {TailPadding::zeros, 0.045},
          {TailPadding::one_and_zeros, 0.045},
          {TailPadding::one_and_zeros_or_none, 0.045},
          {TailPadding::none, 0.02}};
}

std::vector<Recipe> recipes(const OptionValues& options, Header header) {
  std::vector<Recipe> all;
  for (const Recipe& derivation : derivations(options, header)) {
    for (const auto& [bytes, size_prior] : key_sizes(options)) {
      for (const auto& [mode, mode_prior] : modes(options)) {
        for (const auto& [padding, padding_prior] : paddings(options, mode)) {
          Recipe recipe = derivation;
          recipe.key_bytes = bytes;
          recipe.mode = mode;
          recipe.padding = padding;
          recipe.prior *= size_prior * mode_prior * padding_prior;
          all.push_back(recipe);
        }
      }
    }
    if (derivation.derivation == Derivation::literal) break;
  }
  return all;
}

Header header_of(const OptionValues& options, std::span<const std::byte> head) {
  if (const auto name = options.text("header")) return static_cast<Header>(place_of(kHeaders, *name));
  if (options.has("iv") || options.has("salt")) return Header::none;
  if (starts_with(head, kSalted)) return Header::salt;
  if (starts_with(head, kRandomIv)) return Header::random_iv;
  throw Error(Errc::unknown_format,
              "no 'Salted__' or 'RandomIV' at the beginning: if Crypt::CBC wrote it without a header, give "
              "--header none "
              "and --iv or --salt");
}

std::array<std::byte, kBlockBytes> parse_iv(const OptionValues& options) {
  const std::string digits = *options.text("iv");
  constexpr std::array kRow{OptionRow{.name = "iv",
                                      .type = OptionType::bytes,
                                      .value = "HEX",
                                      .help = "",
                                      .at_least = kBlockBytes,
                                      .at_most = kBlockBytes}};
  OptionValues checked(kRow);
  checked.set("iv", digits);
  std::array<std::byte, kBlockBytes> iv;
  std::ranges::copy(*checked.bytes("iv"), iv.begin());
  return iv;
}

RecipeInput given_input(const OptionValues& options) {
  options.refuse_together({"iv", "salt"});
  RecipeInput input;
  if (options.has("iv")) input.iv = parse_iv(options);
  if (const auto salt = options.bytes("salt")) input.salt = *salt;
  const std::string pbkdf = options.text("pbkdf").value_or("");
  const bool can_do_without = input.iv || !input.salt.empty() || pbkdf == "randomiv";
  if (!can_do_without) {
    throw Error(
        Errc::usage,
        "a file of Crypt::CBC without a header needs --iv or --salt (with a passphrase and neither of "
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
  if (header == Header::salt) {
    input.salt = bytes;
  } else {
    std::ranges::copy(bytes, input.iv.emplace().begin());
  }
  return input;
}

[[noreturn]] void nothing_fits(const std::vector<Tried>& all, const Lookahead& source) {
  const auto bytes = source.bytes_left();
  if (bytes && *bytes % kBlockBytes != 0 &&
      std::ranges::all_of(all, [](const Tried& t) { return mode::is_padded(t.recipe.mode); }))
    throw Error(Errc::damaged,
                "the length is not a multiple of 8 bytes: truncated, or written in another mode");
  throw Error(Errc::wrong_key,
              all.size() == 1
                  ? "wrong passphrase, or not " + describe(all.front().recipe) + ", or a damaged end"
                  : "wrong passphrase, or parameters that were not tried; if the passphrase is right, give "
                    "--pbkdf, --md, --iter, --key-bytes, --mode and --pad");
}

// The one to decrypt with.
Tried choose(std::vector<Tried> all, const OpenRequest& request, const Lookahead& source) {
  Tried& best = all.front();
  if (best.padding == PaddingState::invalid) nothing_fits(all, source);
  if (all.size() == 1) return std::move(best);
  const bool usual = best.recipe.prior >= 0.05 && best.padding == PaddingState::valid;
  if (best.bits < kWeakMatchBits && !usual && !request.accept_weak_evidence) nothing_fits(all, source);
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Tried& other = all[i];
    if (other.padding == PaddingState::invalid || gives_same(best, other)) continue;
    if (best.bits - other.bits >= kNeededLeadBits) break;
    throw Error(Errc::unknown_format, "the passphrase fits " + describe(best.recipe) + " and also " +
                                          describe(other.recipe) + "; give " + flags(best.recipe) + ", or " +
                                          flags(other.recipe));
  }
  return std::move(best);
}

// Spaces and zeros that are taken off may have been data.
bool keeps_all(const Recipe& recipe) {
  return recipe.padding != TailPadding::spaces && recipe.padding != TailPadding::zeros &&
         recipe.padding != TailPadding::zeros_or_none;
}

Recognition recognise_cryptcbc(std::span<const std::byte> head, std::optional<std::uint64_t>) {
  if (starts_with(head, kRandomIv)) return Recognition::by_magic;
  return Recognition::no;
}

Opened open_cryptcbc(const Job& job, const OpenRequest& request) {
  Lookahead source(job.source);
  const Header header = header_of(request.options, source.peek(kSalted.size()));
  const RecipeInput input = read_input(request.options, header, source);
  count_read(job, static_cast<std::size_t>(source.position()));
  std::vector<Recipe> tried = recipes(request.options, header);
  const bool is_literal = tried.front().derivation == Derivation::literal;
  const auth::SecretBytes& secret = request.secret(is_literal ? SecretKind::key : SecretKind::passphrase);
  if (is_literal) std::ranges::for_each(tried, [&](Recipe& recipe) { recipe.key_bytes = secret.size(); });
  if (is_literal && !input.iv) throw Error(Errc::usage, "a file whose passphrase is the key needs its --iv");
  const bool all_given = tried.size() == 1;
  const Tried found = choose(try_recipes(job.engine, tried, secret, input, source), request, source);

  Opened opened;
  opened.parameters = describe(found.recipe);
  opened.evidence.bits = std::max(0.0, found.bits);
  opened.by_trial = !all_given;
  opened.all_content = keeps_all(found.recipe);
  const bool is_empty = found.is_all && found.beginning.empty() && found.padding_bytes == 0;
  require_evidence(opened.evidence, all_given || is_empty, request.accept_weak_evidence, opened.parameters,
                   flags(found.recipe));
  if (found.recipe.mode == Mode::cfb64 && found.recipe.padding == TailPadding::none)
    opened.notes.push_back(
        "Crypt::CBC's cfb fills the last block with up to 7 zeros, which are left in place: --pad null takes "
        "them off");
  run_recipe(with_source(job, source), found);
  return opened;
}

std::string seal_cryptcbc(const Job& job, const SealRequest& request) {
  const std::string pbkdf = request.options.text("pbkdf").value_or("pbkdf2");
  if (pbkdf != "pbkdf2" && pbkdf != "opensslv2")
    throw Error(Errc::usage, "files of Crypt::CBC are written with --pbkdf pbkdf2 or opensslv2 only");
  if (request.options.text("header").value_or("salt") != "salt")
    throw Error(Errc::usage, "files of Crypt::CBC are written with --header salt only");
  RecipeInput input;
  input.salt.resize(kSaltBytes);
  auth::random_bytes(input.salt);
  OptionValues options = request.options;
  options.set("pbkdf", pbkdf);
  options.set("key-bytes", std::to_string(kUsualKeyBytes));
  const Recipe recipe = recipes(options, Header::salt).front();
  write_counted(job, std::as_bytes(std::span(kSalted)));
  write_counted(job, input.salt);
  seal_recipe(job, recipe, request.secret(SecretKind::passphrase), input);
  return describe(recipe);
}

Description describe_cryptcbc(stream::Source& input, const OptionValues& options) {
  Lookahead source(input);
  const Header header = header_of(options, source.peek(kSalted.size()));
  Description description{"Crypt::CBC", {}};
  const auto name = std::string(kHeaders[static_cast<std::size_t>(header)]);
  description.fields.push_back({"header", name, "header", name});
  if (header != Header::none) {
    static_cast<void>(read_input(options, header, source));
    if (const auto bytes = source.bytes_left())
      description.fields.push_back(
          {"ciphertext_bytes", *bytes, "ciphertext", std::to_string(*bytes) + " bytes"});
  }
  return description;
}

bool is_serial_cryptcbc(const OptionValues& options, Direction direction) {
  return direction == Direction::encrypt || options.text("mode") == "ofb";
}

}  // namespace

const Codec kCryptCbcCodec{
    .name = "cryptcbc",
    .extension = ".cbc",
    .summary = "Perl's Crypt::CBC with Blowfish",
    .made_by = "Crypt::CBC 1.21 to 3.05 with Crypt::Blowfish or Crypt::Blowfish_PP",
    .wrong_secret = "nothing but padding and how the beginning looks",
    .abilities = abilities({Ability::open, Ability::seal}),
    .secrets = secrets({SecretKind::passphrase, SecretKind::key}),
    .max_key_bytes = cipher::kMaxKeyBytes,
    .options = kOptions,
    .recognise = recognise_cryptcbc,
    .open = open_cryptcbc,
    .seal = seal_cryptcbc,
    .describe = describe_cryptcbc,
    .is_serial = is_serial_cryptcbc,
};

}  // namespace fugu::format
