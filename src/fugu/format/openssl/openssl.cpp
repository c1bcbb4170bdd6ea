// The format of `openssl enc` with Blowfish.
//
//   "Salted__" | salt 8 | ciphertext          with a salt header
//   ciphertext                                -nosalt, or -S with OpenSSL 3
//
// Nothing else is stored: the user gives mode, digest, iterations and key length, or they are found by trial.
// Unauthenticated: damage can go unseen.
#include <algorithm>
#include <limits>
#include <set>

#include "fugu/auth/kdf.hpp"
#include "fugu/auth/secret.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/detail/recipes.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kHeaderBytes = kSalted.size() + kSaltBytes;
constexpr std::size_t kMaxKeyBytes = auth::kMaxBytesToKeyBytes - kBlockBytes;

constexpr OptionRow kOptions[] = {
    word_option("cipher NAME", kOpensslCiphers,
                "bf-cbc (the default when encrypting), bf-ecb, bf-cfb or bf-ofb."),
    text_option("md NAME",
                "Digest of the key derivation: sha256 (the default when encrypting) or another that OpenSSL "
                "knows."),
    flag_option("pbkdf2", "Derive the key with PBKDF2 (the default when encrypting)."),
    flag_option("no-pbkdf2",
                "Derive the key as openssl enc does without -pbkdf2, by EVP_BytesToKey. Weak: one hash per "
                "guess."),
    number_option(
        "iter N", {1, std::numeric_limits<std::int32_t>::max()},
        "PBKDF2 iterations, 10000 by default with --pbkdf2 and when encrypting. With --no-pbkdf2 how often "
        "EVP_BytesToKey hashes, 1 by default, 2048 in Ruby's pkcs5_keyivgen."),  // OpenSSL's own limit
    marked(flag_option("nosalt", "No salt and no header."), &OptionRow::names_format),
    marked(bytes_option("salt HEX", {kSaltBytes, kSaltBytes},
                        "This salt, 16 digits, and no header, as OpenSSL 3 does with -S."),
           &OptionRow::names_format),
    flag_option("nopad", "No padding: the length is a multiple of 8."),
    number_option("key-bytes N", {1, kMaxKeyBytes},
                  "Key length, 16 by default; files of OpenSSL 3.0.0 to 3.0.3 in bf-cfb and bf-ofb have 8."),
};

std::optional<std::string> given_digest(const OptionValues& options) {
  const std::optional<std::string> name = options.text("md");
  if (name && !auth::digest_exists(*name)) {
    throw Error(Errc::usage,
                "⟦md⟧ takes a digest that OpenSSL knows, as listed by: openssl list -digest-commands");
  }
  return name;
}

// 0: EVP_BytesToKey; empty: not given.
std::optional<std::uint32_t> given_iterations(const OptionValues& options) {
  options.refuse_together({"pbkdf2", "no-pbkdf2"});
  if (options.has("no-pbkdf2")) return 0;
  if (!options.has("pbkdf2") && !options.has("iter")) return std::nullopt;
  return static_cast<std::uint32_t>(options.number("iter").value_or(kDefaultPbkdf2Iterations));
}

bool has_header(const OptionValues& options) {
  options.refuse_together({"nosalt", "salt"});
  return !options.has("nosalt") && !options.has("salt");
}

bool is_padded(const OptionValues& options, std::optional<Mode> mode) {
  if (!options.has("nopad")) return true;
  if (mode && !mode::is_padded(*mode)) {
    throw Error(Errc::usage, "⟦nopad⟧ and ⟦cipher " + *options.text("cipher") +
                                 "⟧ cannot be combined: this mode is never padded");
  }
  return false;
}

std::vector<Recipe> recipes_of(const OptionValues& options) {
  OpensslGiven given;
  given.mode = chosen(options, "cipher", kOpensslCiphers, kOpensslModes);
  given.digest = given_digest(options);
  given.pbkdf2_iterations = given_iterations(options);
  if (options.has("no-pbkdf2"))
    given.bytes_to_key_count = static_cast<std::uint32_t>(options.number("iter").value_or(1));
  given.key_bytes = options.number("key-bytes");
  given.padded = is_padded(options, given.mode);
  given.has_header = has_header(options);
  return openssl_recipes(given);
}

void check(const OptionValues& options, OptionUse) {
  static_cast<void>(recipes_of(options));
}

void add_seal_defaults(OptionValues& options) {
  if (!options.has("cipher")) options.set("cipher", "bf-cbc");
  if (!options.has("md")) options.set("md", "sha256");
  if (!options.has("iter") && !options.has("no-pbkdf2")) options.set("pbkdf2");
  if (!options.has("key-bytes")) options.set("key-bytes", "16");
}

Recipe sealing_recipe(OptionValues options) {
  add_seal_defaults(options);
  return recipes_of(options).front();
}

mode::Settings sealed_settings(const Tried& tried) {
  mode::Settings settings = settings_of(tried);
  settings.padding = tried.recipe.padding;
  return settings;
}

UnitPlan plan_sealing(const Recipe& recipe, const SealRequest& request) {
  UnitPlan plan{.direction = Direction::encrypt};
  RecipeInput input;
  input.salt = request.options.bytes("salt").value_or(std::vector<std::byte>());
  if (has_header(request.options)) {
    input.salt.resize(kSaltBytes);
    auth::random_bytes(input.salt);
    const auto magic = std::as_bytes(std::span(kSalted));
    plan.header.assign(magic.begin(), magic.end());
    plan.header.insert(plan.header.end(), input.salt.begin(), input.salt.end());
  }
  Tried made = keyed(recipe, request.secret(SecretKind::passphrase), input);
  plan.settings = sealed_settings(made);
  plan.key = auth::SecretBytes(made.key->span());
  return plan;
}

std::string seal(const Job& job, const SealRequest& request) {
  const Recipe recipe = sealing_recipe(request.options);
  const UnitPlan plan = plan_sealing(recipe, request);
  if (!plan.header.empty()) write_counted(job, plan.header);
  run_cipher(job, plan.key.span(), plan.settings, Direction::encrypt);
  return recipe_name(recipe);
}

UnitPlan plan_seal(std::uint64_t plain_bytes, const SealRequest& request) {
  return divided(plan_sealing(sealing_recipe(request.options), request), plain_bytes);
}

constexpr const char* kDamagedMagic = "the first 8 bytes, 'Salted__' in files of openssl enc, are damaged";

// More of its bytes than chance gives in one file of 2^34.
bool is_nearly_salted(std::span<const std::byte> head) {
  constexpr std::size_t kLeastEqual = 5;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < kSalted.size() && i < head.size(); ++i)
    equal += std::to_integer<char>(head[i]) == kSalted[i] ? 1U : 0U;
  return equal >= kLeastEqual && head.size() >= kHeaderBytes;
}

constexpr auto kIsSalted = recognise_if<begins_with<"Salted__">>;

Recognition recognise(std::span<const std::byte> head, std::optional<std::uint64_t> size_bytes) {
  const Recognition by_all = kIsSalted(head, size_bytes);
  return by_all == Recognition::no && is_nearly_salted(head) ? Recognition::perhaps : by_all;
}

void take_header(Lookahead& source, SalvageReport* salvage) {
  const std::span<const std::byte> header = source.peek(kHeaderBytes);
  const std::string_view text = text_of(header);
  if (text.starts_with("U2FsdGVkX1")) throw Error(Errc::unknown_format, "this is base64: give ⟦a⟧");
  if (text.empty()) throw Error(Errc::damaged, "is empty");
  if (!text.starts_with(kSalted.substr(0, text.size()))) {
    const bool is_damaged = is_nearly_salted(header);
    if (salvage == nullptr && !is_damaged)
      throw Error(
          Errc::unknown_format,
          "no 'Salted__' at the beginning: not written by openssl enc with a salt; if it was written without "
          "a header, give ⟦nosalt⟧ or ⟦salt⟧");
    if (salvage == nullptr) throw Error(Errc::damaged, kDamagedMagic);
    note_damage(*salvage, kDamagedMagic);
  }
  if (header.size() < kHeaderBytes) throw Error(Errc::damaged, "the input ends inside the salt");
  source.skip(kSalted.size());
}

RecipeInput read_input(Lookahead& source, const OptionValues& options, SalvageReport* salvage) {
  RecipeInput input;
  if (const auto salt = options.bytes("salt")) input.salt = *salt;
  if (!has_header(options)) return input;
  take_header(source, salvage);
  input.salt = source.take(kSaltBytes, "the salt");
  source.expect_no_more(kSalted);
  return input;
}

struct TriedOnes {
  std::string text;  // "bf-cbc; bf-ecb, each under EVP_BytesToKey with SHA256; ...": in a fixed order
  std::size_t count;
};

TriedOnes what_was_tried(const std::vector<Tried>& all) {
  std::set<std::string> ciphers;
  std::set<std::string> derivations;
  for (const Tried& tried : all) {
    if (tried.recipe.is_crypt_cbc) continue;
    ciphers.insert(cipher_name(tried.recipe.mode));
    derivations.insert(derivation_name(tried.recipe));
  }
  return {joined(ciphers, "; ") + ", each under " + joined(derivations, "; "),
          ciphers.size() * derivations.size()};
}

// Blowfish has blocks of 8 bytes, AES and most other ciphers of 16.
std::string_view what_the_length_says(const Lookahead& source) {
  const auto bytes = source.bytes_left();
  if (!bytes) return "";
  if (*bytes % kBlockBytes != 0) return "; bf-cbc and bf-ecb cannot have this length";
  return *bytes % (2 * kBlockBytes) == 0 ? "; perhaps AES or another cipher, which openssl enc -d opens" : "";
}

// The options that add untried parameters, or leave nothing to try.
std::string what_decides(const std::vector<Tried>& all) {
  std::string text = "⟦cipher⟧, ⟦md⟧ and ⟦pbkdf2⟧, ⟦iter⟧ or ⟦no-pbkdf2⟧";
  if (std::ranges::any_of(all, [](const Tried& tried) { return tried.recipe.is_crypt_cbc; }))
    text += ", or ⟦format cryptcbc⟧ and its options where Perl's Crypt::CBC wrote it";
  return text;
}

// Throws the error of a file that none of them fits.
void refuse(const std::vector<Tried>& all, const Lookahead& source) {
  const bool is_one = !all.empty() && all.front().seen.size() == 1;  // message
  const auto bytes = source.bytes_left();
  if (is_one && bytes && std::ranges::none_of(all, [&](const Tried& tried) {
        return can_have_size(tried.recipe, *bytes) && (*bytes != 0 || !is_unpadded(tried.recipe));
      }))
    throw Error(Errc::damaged, "the length is not one that " + cipher_name(all.front().recipe.mode) +
                                   " gives: truncated, or written in another mode");
  if (bytes == std::uint64_t{0})
    throw Error(Errc::unknown_format,
                "nothing follows the salt: truncated, or an empty file in a mode without padding; give " +
                    what_decides(all));
  const TriedOnes tried = what_was_tried(all);
  // Of so few, of one message, nothing of a mode without padding need show.
  constexpr std::uint64_t kMaxShort = 3 * kBlockBytes;
  const bool has_streams =
      std::ranges::any_of(all, [](const Tried& t) { return !mode::is_padded(t.recipe.mode); });
  if (const std::uint64_t left = bytes.value_or(kMaxShort + 1);
      left < kBlockBytes || (has_streams && left <= kMaxShort && is_one))
    throw NoneFits(Errc::undecided,
                   "only " + counted(left, "byte") + (left == 1 ? " follows" : " follow") +
                       " the salt: it was cut, or it is too short to tell whether the passphrase "
                       "is right; give " +
                       what_decides(all),
                   tried.text);
  const bool is_padded = std::ranges::any_of(all, [](const Tried& t) {
    return mode::is_padded(t.recipe.mode) && t.recipe.padding == TailPadding::pkcs7;
  });
  if (is_padded && !bytes)
    throw NoneFits(
        Errc::unknown_format,
        "the beginning does not tell whether passphrase and parameters are right, and a pipe's end cannot be "
        "seen in advance; give a file, or " +
            what_decides(all),
        tried.text);
  const bool may_be_noise = std::ranges::none_of(all, [&](const Tried& t) {
    return mode::is_padded(t.recipe.mode) && can_have_size(t.recipe, bytes.value_or(0));
  });
  if (may_be_noise)
    throw NoneFits(Errc::undecided,
                   "it decrypts to noise: the passphrase is wrong, or this is compressed data or the like; "
                   "if the passphrase is right, give " +
                       what_decides(all),
                   tried.text);
  throw NoneFits(Errc::wrong_key,
                 "wrong passphrase, or parameters that were not tried (" + std::to_string(tried.count) +
                     (tried.count == 1 ? " was" : " were") + std::string(what_the_length_says(source)) + ")" +
                     (has_streams ? ", or compressed data in bf-cfb or bf-ofb" : "") +
                     "; if the passphrase is right, give " + what_decides(all),
                 tried.text);
}

RecipesOfFormat how_to_open(const OpenRequest& request, SalvageReport* salvage) {
  std::vector<Recipe> recipes = recipes_of(request.options);
  const bool is_only = recipes.size() == 1;
  return {std::move(recipes),
          [options = request.options, salvage](Lookahead& source) {
            return read_input(source, options, salvage);
          },
          refuse, request.accept_weak_evidence, is_only};
}

// Leaves `source` after the header.
Tried find(const Job& job, Lookahead& source, const OpenRequest& request, Opened& opened) {
  const RecipesOfFormat how = how_to_open(request, job.salvage);
  const RecipeInput input = how.read_input(source);
  Verdict found = find_recipe(job, how, input, request.secret(SecretKind::passphrase), source);
  opened = opened_by(found, how);
  return std::move(found.found);
}

// For callers other than run_recipe(), which alone implements the other paddings.
void require_openssl_padding(const Tried& found, const char* who) {
  if (found.recipe.is_crypt_cbc && found.recipe.padding != TailPadding::pkcs7)
    throw Error(Errc::usage, std::string(who) + " cannot have the paddings of Crypt::CBC");
}

void run_found(const Job& job, const Tried& found) {
  const bool has_seen_end = found.seen.front().taken.has_value();
  if ((found.recipe.is_crypt_cbc || found.is_damaged || !has_seen_end) && job.watcher == nullptr)
    return run_recipe(job, found);
  require_openssl_padding(found, "⟦openssl⟧");
  run_cipher(job, found.key->span(), sealed_settings(found), Direction::decrypt);
}

Opened open(const Job& job, const OpenRequest& request) {
  Lookahead source(job.source);
  Opened opened;
  const Tried found = find(job, source, request, opened);
  run_found(with_source(job, source, job.watcher), found);
  return opened;
}

UnitPlan plan_open(const Job& job, const OpenRequest& request, Opened& opened) {
  Lookahead source(job.source);
  const auto head = source.peek(kHeaderBytes);
  std::vector<std::byte> header(head.begin(), head.end());
  const Tried found = find(job, source, request, opened);
  require_openssl_padding(found, "work in parts");
  source.require_no_more();  // the parts are not searched
  header.resize(static_cast<std::size_t>(source.position()));
  return divided({.direction = Direction::decrypt,
                  .header = std::move(header),
                  .settings = sealed_settings(found),
                  .key = auth::SecretBytes(found.key->span())},
                 file_bytes(job.source));
}

constexpr Units kUnits{plan_seal, plan_open, stream_work};

std::unique_ptr<MessageCipher> open_messages(const OpenRequest& request,
                                             std::span<const core::WipedBytes> some) {
  return recipe_messages(how_to_open(request, nullptr), request.secret(SecretKind::passphrase), some);
}

DescriptionField ciphertext_field(std::optional<std::uint64_t> file_bytes) {
  if (!file_bytes) return {"ciphertext_bytes", {}, "", ""};
  const std::uint64_t bytes = *file_bytes - std::min<std::uint64_t>(*file_bytes, kHeaderBytes);
  const bool whole = bytes % kBlockBytes == 0;
  return {
      "ciphertext_bytes", bytes, "ciphertext",
      std::to_string(bytes) + " bytes" + (whole ? "" : ", not whole blocks: bf-cfb or bf-ofb, or damaged")};
}

Description describe(stream::Source& source, const OptionValues& options) {
  Description description{.title = "openssl enc", .often_text = true};
  const std::optional<std::uint64_t> file_bytes = source.size_bytes();
  if (has_header(options)) {
    std::array<std::byte, kHeaderBytes> header;
    if (source.read(header) < header.size())
      throw Error(Errc::damaged, "file ends inside its header: it was truncated");
    if (recognise(header, file_bytes) == Recognition::perhaps) throw Error(Errc::damaged, kDamagedMagic);
    const std::string salt = hex_text(std::span(header).last(kSaltBytes));
    description.title += ", salt " + salt;
    description.add_text("salt", "", salt);
  }
  description.fields.push_back(ciphertext_field(file_bytes));
  description.fields.push_back({"", {}, "not stored", "cipher, digest, iterations, key length"});
  description.add_text("authentication", "authentication", "none");
  return description;
}

bool is_serial(const OptionValues& options, Direction direction) {
  return mode::is_serial(chosen(options, "cipher", kOpensslCiphers, kOpensslModes).value_or(Mode::cbc),
                         direction);
}

}  // namespace

const Codec kOpensslCodec{
    .name = "openssl",
    .extensions = kExtensions<".enc", ".openssl">,
    .summary = "openssl enc with Blowfish",
    .made_by = "openssl enc -bf-cbc, -bf-ecb, -bf-cfb or -bf-ofb",
    .wrong_secret = "the padding, and how the beginning of the plaintext looks",
    .passphrase_file_bytes = 1023,  // APP_PASS_LEN in apps/lib/apps.c, less the final NUL
    .options = kOptions,
    .recognise = recognise,
    .check = check,
    .open = open,
    .seal = seal,
    .add_seal_defaults = add_seal_defaults,
    .describe = describe,
    .watches = true,
    .is_serial = is_serial,
    .units = &kUnits,
    .has_messages = true,
    .open_messages = open_messages,
};

}  // namespace fugu::format
