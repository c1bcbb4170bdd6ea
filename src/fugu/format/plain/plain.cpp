// Images of Linux's dm-crypt without a header (cryptsetup --type plain), and of the older cryptoloop.
//
// Sectors of 512 bytes up to the end, as LUKS1 has them behind its header. The key is a hash of the
// passphrase: H(passphrase) | H("A" passphrase) | H("AA" passphrase) ..., cut; or the passphrase itself, cut
// or filled with zeros; or a key file's beginning. The file stores no parameter, and only what a disk may
// hold reveals a wrong secret.

#include "fugu/auth/digest.hpp"
#include "fugu/format/detail/volume.hpp"

namespace fugu::format {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kCipher = "blowfish";
constexpr std::array kCiphers{"blowfish-cbc-plain"sv,
                              "blowfish-cbc-plain64"sv,
                              "blowfish-cbc-essiv:sha256"sv,
                              "blowfish-cbc-essiv:sha1"sv,
                              "blowfish-cbc-essiv:md5"sv,
                              "blowfish-cbc-essiv:rmd160"sv,
                              "blowfish-ecb"sv,
                              "blowfish-plain"sv,
                              "blowfish"sv};
constexpr std::string_view kNoHash = "plain";
constexpr std::array kHashes{"ripemd160"sv, "sha256"sv, "sha1"sv,      "sha512"sv, "sha384"sv,
                             "sha224"sv,    "md5"sv,    "whirlpool"sv, kNoHash};
constexpr std::uint64_t kBits = 8;
constexpr std::uint64_t kMinKeyBits = 32;  // the least that the kernel's Blowfish takes
constexpr std::uint64_t kMaxKeyBits = kBits * cipher::kMaxKeyBytes;
constexpr std::size_t kMaxKeyFileBytes = 8192;

constexpr std::array kOptions{
    marked(word_option("cipher NAME", kCiphers,
                       "Cipher, mode and IVs, as in cryptsetup --cipher: blowfish-cbc-plain (the default; "
                       "blowfish for short), blowfish-cbc-plain64, blowfish-cbc-essiv:HASH, blowfish-ecb.",
                       OptionUse::open),
           &OptionRow::by_format),
    number_option("key-size BITS", {kMinKeyBits, kMaxKeyBits}, "The key's size in bits. Default: 256.",
                  OptionUse::open),
    word_option("hash NAME", kHashes,
                "The hash of the passphrase: ripemd160 (the default, as in cryptsetup before 2.7), sha256 "
                "(its default since), sha1, sha512, sha384, sha224, md5, whirlpool, or plain for none.",
                OptionUse::open),
    kRangeRow,
};

struct Parameters {
  std::string cipher;
  std::size_t key_bytes;
  std::string hash;

  explicit Parameters(const OptionValues& options)
      : cipher(options.text("cipher").value_or(std::string(kCiphers.front()))),
        key_bytes(static_cast<std::size_t>(options.number("key-size").value_or(256) / kBits)),
        hash(options.text("hash").value_or(std::string(kHashes.front()))) {}
};

void fill_from_hash(const std::string& hash, std::span<const std::byte> passphrase,
                    std::span<std::byte> key) {
  std::string before;
  while (!key.empty()) {
    const auth::SecretBytes digest = auth::digest(hash, {bytes_in(before), passphrase});
    const auto piece = first_of(digest.span(), key.size());
    std::ranges::copy(piece, key.begin());
    key = key.subspan(piece.size());
    before += 'A';
  }
}

void fill(const Parameters& parameters, const OpenRequest& request, std::span<std::byte> key) {
  const std::span<const std::byte> secret = request.secret(request.secret.kind()).span();
  const bool is_key = request.secret.kind() == SecretKind::key;
  if (is_key && request.options.has("hash"))
    throw Error(Errc::usage, "⟦hash⟧ is for passphrases: a key is used as it is");
  if (is_key && secret.size() < key.size())
    throw Error(Errc::wrong_key, "wrong key: it has " + std::to_string(secret.size()) +
                                     " bytes, fewer than the " + std::to_string(kBits * key.size()) +
                                     " bits of ⟦key-size⟧");
  if (secret.empty()) throw Error(Errc::wrong_key, "wrong passphrase: it is empty");
  if (!is_key && parameters.hash != kNoHash) return fill_from_hash(parameters.hash, secret, key);
  std::ranges::copy(first_of(secret, key.size()), key.begin());
}

// Of UnitPlan::key, which holds a byte that numbers the cipher's name, and the key.
DecryptSectors sectors_of(const UnitPlan& plan) {
  const std::span<const std::byte> key = plan.key.span();
  const std::string_view name = kCiphers.at(std::to_integer<std::size_t>(key.front())).substr(kCipher.size());
  const SectorMode mode = *sector_mode(name.substr(name.starts_with('-') ? 1 : 0));
  return [cipher = std::make_shared<const SectorCipher>(mode, key.subspan(1))](
             engine::Engine& engine, std::span<std::byte> sectors, std::uint64_t first) {
    cipher->decrypt(engine, sectors, first);
  };
}

UnitPlan plan_open(const Job& job, const OpenRequest& request, Opened& opened) {
  require_image(job);
  const Parameters parameters(request.options);
  UnitPlan plan{.direction = core::Direction::decrypt, .key = auth::SecretBytes(1 + parameters.key_bytes)};
  plan.key.data()[0] = static_cast<std::byte>(place_of(kCiphers, parameters.cipher));
  fill(parameters, request, plan.key.span().subspan(1));
  const bool is_key = request.secret.kind() == SecretKind::key;
  opened.parameters = parameters.cipher + ", " + std::to_string(kBits * parameters.key_bytes) + " bits" +
                      (is_key ? "" : ", " + parameters.hash);
  opened.evidence = disk_evidence(job, sectors_of(plan));
  const bool all_given = request.options.has("cipher") && request.options.has("key-size") &&
                         (is_key || request.options.has("hash"));
  require_disk(opened, request, all_given, "⟦cipher⟧, ⟦key-size⟧ and ⟦hash⟧ as given to cryptsetup");
  return plan;
}

void check_plain(const OptionValues& options, OptionUse) {
  check_range(options, OptionUse::open);
  if (options.number("key-size").value_or(0) % kBits != 0)
    throw Error(Errc::usage, "⟦key-size⟧ takes a multiple of 8 bits");
}

using Row = ImageRow<plan_open, sectors_of, "a plain dm-crypt image, if ⟦format⟧ is right">;

}  // namespace

const Codec kPlainCodec{
    .name = "plain",
    .summary = "disk images of dm-crypt without a header (cryptsetup --type plain)",
    .made_by = "cryptsetup open --type plain -c blowfish-..., cryptoloop (losetup -e blowfish)",
    .details =
        "The options are cryptsetup's, with its defaults before 2.7. A key is what cryptsetup reads from a "
        "key file. cryptoloop images have the IVs of blowfish-cbc-plain; how the key was made depends on the "
        "losetup: try --hash plain and ripemd160.",
    .wrong_secret = "nothing but magic numbers and zeros that the disk may hold",
    .secrets = secrets({SecretKind::passphrase, SecretKind::key}),
    .max_key_bytes = kMaxKeyFileBytes,
    .options = kOptions,
    .check = check_plain,
    .open = Row::open,
    .describe = Row::describe,
    .units = &Row::kUnits,
};

}  // namespace fugu::format
