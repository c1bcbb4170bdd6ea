#include "fugu/format/sealed/sealed.hpp"

#include "fugu/format/detail/message.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kPrefixBytes = 16;
constexpr std::size_t kCheckBytes = 16;
constexpr std::size_t kHeaderTagBytes = auth::kSha256Bytes;
constexpr std::size_t kMinHeaderBytes = kPrefixBytes + kCheckBytes + kHeaderTagBytes;
constexpr std::size_t kMaxHeaderBytes = 65536;
constexpr std::array<std::size_t, 3> kSlotBytes{48, 51, 67};  // types 1 to 3
constexpr std::uint8_t kSuite = 1;

[[noreturn]] void not_sealed() {
  throw Error(Errc::unknown_format, "is not a sealed file");
}

[[noreturn]] void damaged(const char* what) {
  throw Error(Errc::damaged, std::string("header is damaged (") + what + ")");
}

[[noreturn]] void unsupported(const std::string& what) {
  throw Error(Errc::unknown_format, what + "; this program reads sealed files of versions 1 and 2");
}

void append_number(std::vector<std::byte>& out, std::size_t value, std::size_t count) {
  out.resize(out.size() + count);
  store_little(value, std::span(out).last(count));
}

std::size_t slot_bytes(SealedSlot slot) {
  return kSlotBytes.at(static_cast<std::size_t>(slot) - 1);
}

std::size_t header_bytes_of(std::span<const std::byte> prefix) {
  const std::uint64_t bytes = load_little(prefix.subspan(12, 4));
  if (bytes < kMinHeaderBytes || bytes > kMaxHeaderBytes) damaged("length");
  return static_cast<std::size_t>(bytes);
}

// A file that ends inside the magic is not ours; one that ends after it is truncated.
void check_prefix(std::span<const std::byte> prefix) {
  if (!begins_with_sealed_magic(prefix)) not_sealed();
  if (prefix.size() < kPrefixBytes)
    throw Error(Errc::damaged, "file ends inside its header: it was truncated");
}

void check_digest(std::span<const std::byte> header) {
  const auto before = header.first(header.size() - kHeaderTagBytes - kCheckBytes);
  const auth::Sha256Digest digest = auth::sha256(before);
  if (!std::ranges::equal(std::span(digest).first(kCheckBytes), header.subspan(before.size(), kCheckBytes))) {
    damaged("checksum");
  }
}

void read_prefix(Reader& reader, SealedHeader& header, const SealedBounds& bounds) {
  static_cast<void>(reader.take(kSealedMagic.size()));
  header.version = reader.little(1);
  if (header.version != 1 && header.version != kSealedVersion) {
    unsupported("is sealed with format version " + std::to_string(header.version));
  }
  if (const auto suite = reader.little(1); suite != kSuite) {
    unsupported("is sealed with cipher suite " + std::to_string(suite));
  }
  header.segment_log2 = reader.little(1);
  if (header.segment_log2 < bounds.min_segment_log2 || header.segment_log2 > bounds.max_segment_log2) {
    unsupported("has segments of 2^" + std::to_string(header.segment_log2) + " bytes");
  }
  if (reader.little(1) != 0) unsupported("has flags that this program does not know");
  static_cast<void>(reader.little(4));
}

void read_slot_type(Reader& reader, SealedHeader& header) {
  reader.take_into(header.salt);
  const auto slots = reader.little(1);
  const auto type = reader.little(1);
  if (slots != 1) unsupported("has " + std::to_string(slots) + " key slots");
  if (type < 1 || type > (header.version == 1 ? 2 : kSlotBytes.size()))
    unsupported("has a key slot of type " + std::to_string(type));
  header.slot = static_cast<SealedSlot>(type);
}

void read_slot(Reader& reader, SealedHeader& header, const SealedBounds& bounds) {
  const std::size_t bytes = reader.little(2);
  if (bytes != slot_bytes(header.slot) || bytes != reader.left().size()) damaged("key slot");
  if (!header.has_key()) {
    header.cost = {reader.little(1), reader.little(1), reader.little(1)};
    const bool in_bounds = header.cost.log2_n >= bounds.min_scrypt_log2_n &&
                           header.cost.log2_n <= bounds.max_scrypt_log2_n && header.cost.r == 8 &&
                           header.cost.p == 1;
    if (!in_bounds) unsupported("needs a passphrase derivation out of bounds (scrypt)");
  }
  if (header.slot == SealedSlot::shared) reader.take_into(header.run_salt);
  reader.take_into(header.slot_salt);
  reader.take_into(header.wrapped);
}

// ---- keys ----

auth::SecretBytes slot_key(const SealedHeader& header, const SealedSecret& secret) {
  if (header.has_key()) return auth::hkdf_extract(header.slot_salt, secret.bytes.span());
  const bool is_shared = header.slot == SealedSlot::shared;
  auth::DerivedKeys none;
  auth::SecretBytes derived =
      (secret.derived != nullptr ? *secret.derived : none)
          .scrypt(secret.bytes, is_shared ? header.run_salt : header.slot_salt, header.cost);
  return is_shared ? auth::hkdf_extract(derived.span(), header.slot_salt) : std::move(derived);
}

// Wraps fk, and also unwraps it. The label keeps the versions' pads apart: the pad of a version 2 header,
// which anyone who knows fk can compute, wraps nothing that a reader takes for version 1.
void wrap(const SealedHeader& header, std::span<const std::byte> slot_key, std::span<const std::byte> in,
          std::span<std::byte> out) {
  auth::SecretBytes pad(in.size());
  auth::hkdf_expand(slot_key, bytes_in(header.version == 1 ? "fugu1 wrap" : "fugu2 wrap"), pad.span());
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] ^ pad.span()[i];
}

// Since version 2 it depends on the slot's secret, so that fk does not suffice to make a header.
auth::SecretBytes header_key(const SealedHeader& header, std::span<const std::byte> slot_key,
                             std::span<const std::byte> prk) {
  auth::SecretBytes key(auth::kSha256Bytes);
  if (header.version == 1) {
    auth::hkdf_expand(prk, bytes_in("fugu1 header"), key.span());
  } else {
    auth::hkdf_expand(auth::hkdf_extract(slot_key, prk).span(), bytes_in("fugu2 header"), key.span());
  }
  return key;
}

// ---- writing ----

std::vector<std::byte> fields_of(const SealedHeader& header) {
  std::vector<std::byte> out;
  const std::size_t body = slot_bytes(header.slot);
  append(out, kSealedMagic);
  append_number(out, header.version, 1);
  append_number(out, kSuite, 1);
  append_number(out, header.segment_log2, 1);
  append_number(out, 0, 1);
  append_number(out, kPrefixBytes + header.salt.size() + 4 + body + kCheckBytes + kHeaderTagBytes, 4);
  append(out, header.salt);
  append_number(out, 1, 1);
  append_number(out, static_cast<std::size_t>(header.slot), 1);
  append_number(out, body, 2);
  if (!header.has_key()) {
    for (const unsigned part : {header.cost.log2_n, header.cost.r, header.cost.p})
      append_number(out, part, 1);
  }
  if (header.slot == SealedSlot::shared) append(out, header.run_salt);
  append(out, header.slot_salt);
  append(out, header.wrapped);
  return out;
}

void check_request(unsigned segment_log2, const SealedSecret& secret, const auth::ScryptCost& cost,
                   const SealedBounds& bounds) {
  if (segment_log2 < bounds.min_segment_log2 || segment_log2 > bounds.max_segment_log2) {
    throw Error(Errc::usage, "segments have 2^" + std::to_string(bounds.min_segment_log2) + " to 2^" +
                                 std::to_string(bounds.max_segment_log2) + " bytes");
  }
  if (secret.slot == SealedSlot::passphrase) {
    if (cost.log2_n < bounds.min_scrypt_log2_n || cost.log2_n > bounds.max_scrypt_log2_n || cost.r != 8 ||
        cost.p != 1) {
      throw Error(Errc::usage, "the passphrase derivation's cost is out of bounds");
    }
  } else if (secret.bytes.size() < kMinSealedKeyBytes || secret.bytes.size() > kMaxSealedKeyBytes) {
    throw Error(Errc::usage,
                "a sealed file's key has 16 to 1024 random bytes; seal with a passphrase instead");
  }
}

// Fills the slot for `secret` and every field that depends on it.
void seal_header(SealedHeader& header, const SealedKeys& keys, const SealedSecret& secret,
                 const auth::ScryptCost& cost) {
  header.version = kSealedVersion;
  header.slot = secret.slot;
  header.cost = cost;
  if (!header.has_key() && secret.derived != nullptr && secret.derived->new_files_share()) {
    header.slot = SealedSlot::shared;
    header.run_salt = secret.derived->new_salt();
  }
  auth::random_bytes(header.slot_salt);
  const auth::SecretBytes kek = slot_key(header, secret);
  wrap(header, kek.span(), keys.file_key.span(), header.wrapped);
  header.bytes = fields_of(header);
  const auth::Sha256Digest check = auth::sha256(header.bytes);
  append(header.bytes, std::span(check).first(kCheckBytes));
  const auth::SecretBytes hk = header_key(header, kek.span(), keys.prk.span());
  append(header.bytes, auth::hmac_sha256(hk.span(), header.bytes));
}

}  // namespace

bool begins_with_sealed_magic(std::span<const std::byte> file) {
  const std::size_t have = std::min(file.size(), kSealedMagic.size());
  return have != 0 && std::ranges::equal(file.first(have), std::span(kSealedMagic).first(have));
}

SealedHeader parse_sealed_header(std::span<const std::byte> file, const SealedBounds& bounds) {
  const auto prefix = first_of(file, kPrefixBytes);
  check_prefix(prefix);
  const std::size_t bytes = header_bytes_of(prefix);
  if (file.size() < bytes) throw Error(Errc::damaged, "file ends inside its header: it was truncated");
  file = file.first(bytes);
  check_digest(file);
  SealedHeader header;
  Reader reader(file.first(bytes - kCheckBytes - kHeaderTagBytes), "header is damaged (length)");
  read_prefix(reader, header, bounds);
  read_slot_type(reader, header);
  read_slot(reader, header, bounds);
  header.bytes.assign(file.begin(), file.end());
  return header;
}

SealedHeader read_sealed_header(stream::Source& source, const SealedBounds& bounds,
                                const std::function<void()>& without_magic) {
  std::vector<std::byte> bytes(kPrefixBytes);
  bytes.resize(source.read(bytes));
  const bool is_mended = without_magic && bytes.size() == kPrefixBytes && !begins_with_sealed_magic(bytes);
  if (is_mended) std::ranges::copy(kSealedMagic, bytes.begin());
  check_prefix(bytes);
  SealedHeader header;
  try {
    bytes.resize(header_bytes_of(bytes));
    const std::size_t got = source.read(std::span(bytes).subspan(kPrefixBytes));
    bytes.resize(kPrefixBytes + got);
    header = parse_sealed_header(bytes, bounds);
  } catch (const Error&) {
    if (is_mended) not_sealed();
    throw;
  }
  if (is_mended) without_magic();
  return header;
}

void require_slot(const SealedHeader& header, SealedSlot given) {
  if (header.has_key() == (given == SealedSlot::key)) return;
  throw OtherSecretKind(Errc::wrong_key, header.has_key()
                                             ? "is sealed with a key (⟦key⟧), not with a passphrase"
                                             : "is sealed with a passphrase (⟦pass⟧), not with a key");
}

SealedKeys unlock_sealed(const SealedHeader& header, const SealedSecret& secret,
                         const std::function<bool(const SealedKeys&)>& fit) {
  require_slot(header, secret.slot);
  SealedKeys keys;
  keys.file_key = auth::SecretBytes(auth::kSha256Bytes);
  const auth::SecretBytes kek = slot_key(header, secret);
  wrap(header, kek.span(), header.wrapped, keys.file_key.span());
  keys.prk = auth::hkdf_extract(header.salt, keys.file_key.span());
  const std::span<const std::byte> bytes(header.bytes);
  const auto before = bytes.first(bytes.size() - kHeaderTagBytes);
  const auth::SecretBytes hk = header_key(header, kek.span(), keys.prk.span());
  const bool is_right =
      auth::equal_constant_time(auth::hmac_sha256(hk.span(), before), bytes.last(kHeaderTagBytes));
  if (!is_right && !(fit && fit(keys)))  // the first segment may be damaged too, or out of reach in a pipe
    throw Error(Errc::wrong_key, "wrong passphrase or key, or a damaged header");
  return keys;
}

SealedHeader make_sealed_header(unsigned segment_log2, const SealedSecret& secret,
                                const auth::ScryptCost& cost, SealedKeys& keys, const SealedBounds& bounds) {
  check_request(segment_log2, secret, cost, bounds);
  SealedHeader header;
  header.segment_log2 = segment_log2;
  auth::random_bytes(header.salt);
  keys.file_key = auth::random_secret(auth::kSha256Bytes);
  keys.prk = auth::hkdf_extract(header.salt, keys.file_key.span());
  seal_header(header, keys, secret, cost);
  return header;
}

SealedHeader rekey_sealed_header(const SealedHeader& old, const SealedKeys& keys, const SealedSecret& secret,
                                 const auth::ScryptCost& cost, const SealedBounds& bounds) {
  check_request(old.segment_log2, secret, cost, bounds);
  SealedHeader header = old;
  seal_header(header, keys, secret, cost);
  return header;
}

}  // namespace fugu::format
