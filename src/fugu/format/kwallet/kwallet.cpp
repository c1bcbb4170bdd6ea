// The wallets of KDE 3 to KDE Frameworks 6.
//
//   "KWALLET\n\r\0\r\n" | major 0 | minor 0 or 1 | cipher | hash | folders, u32 | for each folder: MD5 of its
//   name 16, entries, u32, for each: MD5 of its name 16 | ciphertext
//
// All big-endian. The plaintext is 8 random bytes, the payload's size as u32, the payload, random fill, and
// the payload's digest in the last 20 bytes, which proves the passphrase. The ciphers are Blowfish in ECB (0)
// or CBC (3), with little-endian words and SHA-1 in KDE 3 and 4; in KDE Frameworks 5 and 6 the cipher's words
// are big-endian and SHA-1's byte order is wrong. Only the digest distinguishes the two. The key of minor
// version 0 is hashed from the passphrase alone; that of version 1 comes from PBKDF2, with a salt in a
// separate file beside the wallet.
#include "fugu/auth/kdf.hpp"
#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/digests.hpp"
#include "fugu/format/detail/lookahead.hpp"
#include "fugu/format/judge/evidence.hpp"
#include "fugu/format/salvage.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

using Bytes = std::span<const std::byte>;

// A wallet's payload is what Qt's QDataStream writes: { QString folder, u32 entries, entries x { QString
// name, u32 type, QByteArray value } } to its end. A QString is its size in bytes as u32, ffffffff for null,
// and UTF-16BE.
constexpr std::uint32_t kNull = 0xffffffff;
constexpr const char* kEndsEarly = "the wallet's content ends early; ⟦to payload⟧ writes it as it is";

enum class EntryType : std::uint32_t { unknown, password, stream, map };  // as in KWallet::Wallet

// A QByteArray; data() is null if the array is.
Bytes byte_array(Reader& reader) {
  const std::uint32_t size = reader.big(4);
  return size == kNull ? Bytes() : reader.take(size);
}

// A QString: the same with an even size.
Bytes string(Reader& reader) {
  const Bytes bytes = byte_array(reader);
  if (bytes.size() % 2 != 0) throw Error(Errc::damaged, kEndsEarly);
  return bytes;
}

// Whether `read` takes all of the value.
template <class Read>
bool takes_all(Bytes value, Read read) {
  try {
    Reader reader(value, kEndsEarly);
    read(reader);
    return reader.at_end();
  } catch (const Error& error) {
    if (!concerns_input(error)) throw;
    return false;
  }
}

bool is_map(Bytes value) {
  return takes_all(value, [](Reader& reader) {
    for (std::uint32_t pairs = reader.big(4); pairs != 0; --pairs) {
      string(reader);
      string(reader);
    }
  });
}

void write_string(JsonWriter& json, Bytes text) {
  text.data() == nullptr ? json.null() : json.text(text, Charset::utf16_big);
}

void write_map(JsonWriter& json, Bytes value) {
  Reader reader(value, kEndsEarly);
  const std::uint32_t pairs = reader.big(4);
  json.begin_object();
  for (std::uint32_t i = 0; i < pairs; ++i) {
    json.name(string(reader), Charset::utf16_big);
    write_string(json, string(reader));
  }
  json.end_object();
}

void write_type(JsonWriter& json, EntryType type) {
  constexpr std::string_view kNames[] = {"unknown", "password", "stream", "map"};
  const auto number = static_cast<std::uint32_t>(type);
  number < std::size(kNames) ? json.text(std::string(kNames[number])) : json.number(number);
}

// Programs may store anything under any type: a value not of its type is written as bytes.
void write_entry(JsonWriter& json, EntryType type, Bytes value) {
  json.begin_object();
  json.name("type");
  write_type(json, type);
  const bool is_text = type == EntryType::password && takes_all(value, string);
  const bool is_pairs = type == EntryType::map && is_map(value);
  const bool is_stream = type == EntryType::stream;
  json.name(is_text || is_pairs || is_stream || value.data() == nullptr ? "value" : "base64");
  if (is_text) {
    Reader reader(value, kEndsEarly);
    write_string(json, string(reader));
  } else if (is_pairs) {
    write_map(json, value);
  } else if (value.data() == nullptr) {
    json.null();
  } else {
    json.base64(value);
  }
  json.end_object();
}

// False if it is damaged.
bool write_folder(const Job& job, JsonWriter& json, Reader& reader) {
  const Bytes folder = string(reader);
  std::uint32_t entries = reader.big(4);
  json.name(folder, Charset::utf16_big);
  json.begin_object();
  const bool is_whole = holds(job, [&] {
    for (; entries != 0; --entries) {
      const Bytes name = string(reader);
      const auto type = static_cast<EntryType>(reader.big(4));
      const Bytes value = byte_array(reader);
      json.name(name, Charset::utf16_big);
      write_entry(json, type, value);
    }
  });
  json.end_object();
  return is_whole;
}

// Writes a wallet's payload as JSON: an object of folders, each an object of entries with a type and a value.
// Throws Error{damaged} for a payload that ends early, unless the job salvages.
void write_wallet_json(const Job& job, Bytes payload, stream::Sink& sink) {
  JsonWriter json(sink);
  Reader reader(payload, kEndsEarly);
  json.begin_object();
  holds(job, [&] {
    while (!reader.at_end() && write_folder(job, json, reader)) {
    }
  });
  json.end_object();
}

using namespace std::string_view_literals;
using core::ByteOrder;

constexpr Literal kMagic = "KWALLET\n\r\0\r\n";
constexpr std::size_t kFixedBytes = kMagic.size() + 4;
constexpr std::size_t kNameBytes = 16;  // an MD5
constexpr std::size_t kSizeBytes = 4;
constexpr std::size_t kMinBytes = kBlockBytes + kSizeBytes + sizeof(Sha1Digest);
constexpr std::size_t kMaxFillBytes = kBlockBytes;  // between the content and its digest
constexpr std::size_t kMaxSaltBytes = 1024;
constexpr std::string_view kSaltExtension = ".salt";
constexpr int kRounds = 2000;
constexpr std::size_t kPieceBytes = 16;
constexpr std::size_t kMaxPieces = 4;
constexpr std::size_t kKeyBytes = 56;
constexpr std::uint32_t kIterations = 50000;

constexpr std::array kForms{"json"sv, "payload"sv};
constexpr std::array kOptions{
    form_row(kForms, "What to write: json (the default) or payload, the content as the wallet stores it."),
    bytes_option("wallet-salt HEX", {1, kMaxSaltBytes},
                 "The bytes of the wallet's .salt file, where that is not beside it.", OptionUse::open),
};

struct Wallet {
  unsigned minor = 0;
  mode::Mode mode = Mode::ecb;
  std::uint32_t folders = 0;
  std::uint64_t entries = 0;
  core::WipedBytes ciphertext;

  bool has_salt() const { return minor != 0; }
  std::string describe() const {
    return std::string("KWallet, bf-") + (mode == Mode::ecb ? "ecb, " : "cbc, ") +
           (has_salt() ? "PBKDF2-HMAC-SHA512, 50000 iterations" : "SHA-1, 2000 rounds");
  }
};

mode::Mode mode_of(std::byte cipher) {
  if (cipher == std::byte{0}) return Mode::ecb;
  if (cipher == std::byte{3}) return Mode::cbc;
  if (cipher == std::byte{2})
    throw Error(
        Errc::unknown_format,
        "a wallet encrypted with GnuPG, which has no passphrase of its own: open it with KWallet Manager");
  throw Error(Errc::unknown_format, "a wallet with a cipher that KWallet never used");
}

void read_folders(Lookahead& source, Wallet& wallet) {
  wallet.folders = static_cast<std::uint32_t>(load_big(source.take(4, "its table of folders")));
  for (std::uint32_t i = 0; i < wallet.folders; ++i) {
    const std::vector<std::byte> folder = source.take(kNameBytes + 4, "its table of folders");
    const std::uint64_t entries = load_big(std::span(folder).last(4));
    wallet.entries += entries;
    for (std::uint64_t j = 0; j < entries; ++j) source.take(kNameBytes, "its table of folders");
  }
}

Wallet read_wallet(stream::Source& input) {
  Lookahead source(input);
  const std::vector<std::byte> fixed = source.take(kFixedBytes, "its header");
  if (!starts_with(fixed, kMagic)) throw Error(Errc::unknown_format, "not a KWallet wallet");
  const auto version = std::span(fixed).subspan(kMagic.size());
  if (version[0] != std::byte{0} || version[1] > std::byte{1})
    throw Error(Errc::unknown_format, "a wallet of a later version of KWallet");
  Wallet wallet;
  wallet.minor = std::to_integer<unsigned>(version[1]);
  wallet.mode = mode_of(version[2]);
  if (version[3] != std::byte{0} && version[3] != std::byte{2})
    throw Error(Errc::unknown_format, "a wallet with a hash that KWallet never used");
  read_folders(source, wallet);
  wallet.ciphertext = take_all(source, "a wallet");
  return wallet;
}

void require_whole(const Job& job, Wallet& wallet) {
  const std::size_t rest = wallet.ciphertext.size() % kBlockBytes;
  holds(job, wallet.ciphertext.size() >= kMinBytes && rest == 0, "the wallet is not whole: it is truncated");
  wallet.ciphertext.resize(wallet.ciphertext.size() - rest);
  if (wallet.ciphertext.size() < kMinBytes)
    throw Error(Errc::damaged, "nothing of the wallet's content is left");
}

std::vector<std::byte> salt_of(const stream::Source& input, const OptionValues& options) {
  if (const auto given = options.bytes("wallet-salt")) return *given;
  const std::unique_ptr<stream::Source> file = input.companion(kSaltExtension);
  if (!file)
    throw Error(Errc::unknown_format,
                "its .salt file is not beside it (home.salt for home.kwl): without it the wallet is lost");
  std::vector<std::byte> salt(kMaxSaltBytes);
  salt.resize(file->read(salt));
  if (salt.empty()) throw Error(Errc::damaged, "its .salt file is empty: without it the wallet is lost");
  return salt;
}

// The payload in the decrypted ciphertext. Empty when its size is wrong (with it bytes between content and
// digest that KWallet does not write), or its digest under both SHA-1 variants.
std::optional<Bytes> payload_in(Bytes all) {
  const std::uint64_t size = load_big(all.subspan(kBlockBytes, kSizeBytes));
  const std::size_t most = all.size() - kMinBytes;
  if (size > most || size + kMaxFillBytes < most) return std::nullopt;
  const auto payload = all.subspan(kBlockBytes + kSizeBytes, static_cast<std::size_t>(size));
  for (const ByteOrder words : {ByteOrder::big, ByteOrder::little}) {
    if (std::ranges::equal(sha1_variant(payload, {.words = words}), all.last(sizeof(Sha1Digest))))
      return payload;
  }
  return std::nullopt;
}

// What is left of a damaged wallet, unless it is noise. Where its size is damaged too, its digest follows.
std::optional<Bytes> damaged_payload(Bytes ciphertext, Bytes all) {
  if (evidence_bits(new_blocks(ciphertext, all)) < kSufficientEvidenceBits) return std::nullopt;
  const Bytes payload = all.subspan(kBlockBytes + kSizeBytes);
  const std::uint64_t size = load_big(all.subspan(kBlockBytes, kSizeBytes));
  return size + kMaxFillBytes < all.size() - kMinBytes ? payload : first_of(payload, size);
}

// Piece `index` of the passphrase; the last one takes the rest.
std::span<const std::byte> piece_of(std::span<const std::byte> passphrase, std::size_t index) {
  const auto from = passphrase.subspan(index * kPieceBytes);
  return index + 1 == kMaxPieces ? from : first_of(from, kPieceBytes);
}

Sha1Digest hashed(std::span<const std::byte> piece, ByteOrder words) {
  Sha1Digest digest = sha1_variant(piece, {.words = words});
  for (int round = 1; round < kRounds; ++round) digest = sha1_variant(digest, {.words = words});
  return digest;
}

// 2000 rounds of SHA-1 over each of up to four pieces of the passphrase: 20, 40 or 56 bytes.
auth::SecretBytes hashed_key(const auth::SecretBytes& passphrase, ByteOrder words) {
  const std::size_t pieces =
      std::clamp((passphrase.size() + kPieceBytes - 1) / kPieceBytes, std::size_t{1}, kMaxPieces);
  const std::size_t bytes = std::min(pieces * sizeof(Sha1Digest), kKeyBytes);
  const std::size_t share = pieces == kMaxPieces ? kKeyBytes / kMaxPieces : sizeof(Sha1Digest);
  auth::SecretBytes key(bytes);
  for (std::size_t i = 0; i < pieces; ++i) {
    Sha1Digest digest = hashed(piece_of(passphrase.span(), i), words);
    const std::size_t taken = std::min(share, bytes - i * share);
    std::ranges::copy(std::span(digest).first(taken), key.span().subspan(i * share).begin());
    core::wipe(digest.data(), digest.size());
  }
  return key;
}

// All keys that the passphrase may give. KDE 3 used the charset of the user's locale.
std::vector<auth::SecretBytes> keys_of(const Wallet& wallet, const auth::SecretBytes& passphrase,
                                       std::span<const std::byte> salt) {
  std::vector<auth::SecretBytes> keys;
  if (wallet.has_salt()) {
    keys.push_back(auth::pbkdf2("sha512", passphrase, salt, kIterations, kKeyBytes));
    return keys;
  }
  const auth::SecretBytes single = windows_1252_of(passphrase.span());
  for (const ByteOrder words : {ByteOrder::big, ByteOrder::little})
    keys.push_back(hashed_key(passphrase, words));
  if (!single.empty()) keys.push_back(hashed_key(single, ByteOrder::big));
  return keys;
}

void write(const Job& job, const OptionValues& options, std::span<const std::byte> payload) {
  if (options.text("to") == "payload") return write_whole(job, payload);
  stream::MemorySink text;
  write_wallet_json(job, payload, text);
  write_whole(job, text.bytes());
}

Opened open_kwallet(const Job& job, const OpenRequest& request) {
  Wallet wallet = read_wallet(job.source);
  require_whole(job, wallet);
  count_read(job, wallet.ciphertext.size());
  const auto salt = wallet.has_salt() ? salt_of(job.source, request.options) : std::vector<std::byte>();
  core::WipedBytes damaged;  // what the key gives if it fits only the beginning
  for (const auth::SecretBytes& key : keys_of(wallet, request.secret(SecretKind::passphrase), salt)) {
    for (const ByteOrder words : {ByteOrder::little, ByteOrder::big}) {
      core::WipedBytes content = wallet.ciphertext;
      transform(job.engine, key.span(), {.mode = wallet.mode, .iv = mode::Iv{}, .words = words},
                Direction::decrypt, content);
      const auto payload = payload_in(content);
      if (!payload) {
        if (damaged_payload(wallet.ciphertext, content)) damaged = content;
        continue;
      }
      write(job, request.options, *payload);
      Opened opened = proved(wallet.describe());
      opened.checked = true;
      return opened;
    }
  }
  if (damaged.empty()) throw Error(Errc::wrong_key, "wrong passphrase, or the wallet is damaged");
  holds(job, false, "the passphrase fits, but the wallet is damaged: its digest is wrong");
  write(job, request.options, *damaged_payload(wallet.ciphertext, damaged));
  return likely(wallet.describe(), kSufficientEvidenceBits);
}

Description describe_kwallet(stream::Source& source, const OptionValues& options) {
  const Wallet wallet = read_wallet(source);
  const bool has_salt_file = source.companion(kSaltExtension) != nullptr || options.has("wallet-salt");
  Description description{.title = wallet.describe()};
  description.add_number("minor_version", "", wallet.minor);
  description.add_number("folders", "folders", wallet.folders);
  description.add_number("entries", "entries", wallet.entries);
  if (wallet.has_salt())
    description.fields.push_back(
        {"salt_file", has_salt_file, "salt file",
         has_salt_file ? "beside it" : "not beside it: without it the wallet is lost"});
  return description;
}

}  // namespace

const Codec kKwalletCodec{
    .name = "kwallet",
    .summary = "KWallet of KDE 3 to KDE Frameworks 6 (.kwl)",
    .made_by = "KDE's kwalletd, kwalletd5, kwalletd6, ksecretd",
    .details = "For a wallet with a salt, home.salt is read beside home.kwl.",
    .wrong_secret = "a digest of the content",
    .options = kOptions,
    .recognise = recognise_if<begins_with<kMagic>>,
    .open = open_kwallet,
    .describe = describe_kwallet,
    .companion = kSaltExtension,
    .holds_passwords = true,
};

}  // namespace fugu::format
