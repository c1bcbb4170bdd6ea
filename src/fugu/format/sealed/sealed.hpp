// The sealed format, versions 1 and 2: authenticated, parallel, seekable. SEALED.md beside this file is the
// specification.
//
//   header (148, 151 or 167 bytes) | content tag | content tag | ... | shorter content, tag
//
// Rules that hold here:
// - No byte of a segment reaches the sink before its tag matched.
// - Success means that the last, short segment was present and authentic. Until a function here has returned,
//   its output is incomplete: the caller gives a file its name afterwards.
// - Memory is a ring of at most four chunks of whole segments, whatever the size of the file.
// - Parsing the header trusts no length: header_bytes is bounded before anything is allocated, the check is
//   compared before any field is believed, and every byte belongs to a field.
#pragma once

#include <array>

#include "fugu/auth/digest.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::format {

inline constexpr std::array<std::byte, 8> kSealedMagic{std::byte{0x89}, std::byte{'F'}, std::byte{'U'},
                                                       std::byte{'G'},  std::byte{'U'}, std::byte{0x0d},
                                                       std::byte{0x0a}, std::byte{0x1a}};
inline constexpr unsigned kSealedVersion = 2;  // the version of new headers; 1 is read too
inline constexpr std::size_t kSegmentTagBytes = auth::kPoly1305TagBytes;
inline constexpr std::size_t kMinSealedKeyBytes = 16;
inline constexpr std::size_t kMaxSealedKeyBytes = 1024;

// `shared`: a passphrase that was derived once for many files. A secret is a key or a passphrase.
enum class SealedSlot : std::uint8_t { key = 1, passphrase = 2, shared = 3 };

// Bounds that a reader or writer accepts. The command line never widens the segment sizes; tests use small
// ones.
struct SealedBounds {
  unsigned min_segment_log2 = 16;
  unsigned max_segment_log2 = 24;
  unsigned min_scrypt_log2_n = 10;
  unsigned max_scrypt_log2_n = 20;
};

struct SealedSecret {
  SealedSlot slot = SealedSlot::passphrase;
  const auth::SecretBytes& bytes;
  auth::DerivedKeys* derived = nullptr;  // keys derived from passphrases; null: none are remembered
};

struct SealedHeader {
  unsigned version = kSealedVersion;
  unsigned segment_log2 = 20;
  SealedSlot slot = SealedSlot::passphrase;
  auth::ScryptCost cost;               // passphrases
  auth::DerivedKeys::Salt run_salt{};  // of scrypt, in shared slots
  std::array<std::byte, 32> salt{};
  std::array<std::byte, 16> slot_salt{};
  std::array<std::byte, 32> wrapped{};
  std::vector<std::byte> bytes;  // the whole header as stored in the file

  bool has_key() const { return slot == SealedSlot::key; }
  std::size_t segment_bytes() const { return std::size_t{1} << segment_log2; }
  std::size_t stored_segment_bytes() const { return segment_bytes() + kSegmentTagBytes; }
};

// The secrets that the segments' keys are derived from.
struct SealedKeys {
  auth::SecretBytes file_key;  // fk
  auth::SecretBytes prk;
};

// Also of a file that ends inside the magic, but not of an empty one.
bool begins_with_sealed_magic(std::span<const std::byte> file);

// Reads the header and nothing more. Throws Error{unknown_format} for another format, version or parameter,
// Error{damaged} for a truncated or altered header. `without_magic` is called where the checksum shows that
// the magic alone is damaged, which is otherwise another format.
FUGU_EXPORT SealedHeader read_sealed_header(stream::Source& source, const SealedBounds& bounds = {},
                                            const std::function<void()>& without_magic = {});

// The same for a whole header in memory; bytes after it are ignored.
FUGU_EXPORT SealedHeader parse_sealed_header(std::span<const std::byte> file,
                                             const SealedBounds& bounds = {});

// Throws Error{wrong_key} when the header takes a secret of the other kind.
FUGU_EXPORT void require_slot(const SealedHeader& header, SealedSlot given);

// Throws Error{wrong_key} when the secret does not open the header; where the keys `fit` what follows it,
// returns them all the same: the header's tag is damaged.
FUGU_EXPORT SealedKeys unlock_sealed(const SealedHeader& header, const SealedSecret& secret,
                                     const std::function<bool(const SealedKeys&)>& fit = {});

// Makes the header of a new file: salt, slot salt and file key are random. Throws Error{usage} for a segment
// size or cost out of bounds and for a key that is too short or too long.
FUGU_EXPORT SealedHeader make_sealed_header(unsigned segment_log2, const SealedSecret& secret,
                                            const auth::ScryptCost& cost, SealedKeys& keys,
                                            const SealedBounds& bounds = {});

// Makes a header of the current version for the same segments under another secret. Anyone who knows the
// old secret and has the old header still knows the segments' keys: SEALED.md, "Rekeying".
FUGU_EXPORT SealedHeader rekey_sealed_header(const SealedHeader& old, const SealedKeys& keys,
                                             const SealedSecret& secret, const auth::ScryptCost& cost,
                                             const SealedBounds& bounds = {});

inline constexpr unsigned kDefaultSegmentLog2 = 20;
inline constexpr std::uint64_t kMaxSealedBytes = std::uint64_t{1} << 40;

struct SealedOptions {
  unsigned segment_log2 = kDefaultSegmentLog2;
  auth::ScryptCost cost{};  // for passphrases
  SealedBounds bounds{};
};

// The plaintext size that a sealed file of `file_bytes` claims: empty when no complete file has that size.
// Only a claim, because nothing has been authenticated.
FUGU_EXPORT std::optional<std::uint64_t> claimed_plain_bytes(const SealedHeader& header,
                                                             std::uint64_t file_bytes);

// The segments of a file as units: `header` and `keys` outlive the result. A segment is encrypted once for a
// file key: two contents of one segment would share a keystream and a Poly1305 key.
FUGU_EXPORT UnitWork sealed_work(core::Direction direction, const SealedHeader& header,
                                 const SealedKeys& keys);

// Whether the first segment is authentic under `keys`, of a source that can be read again.
bool opens_a_segment(const Job& job, const SealedHeader& header, const SealedKeys& keys);

// Throws Error{usage} for options out of bounds, and for a plaintext longer than kMaxSealedBytes.
FUGU_EXPORT void encrypt_sealed(const Job& job, const SealedSecret& secret,
                                const SealedOptions& options = {});

// The readers: the job's source has been read up to the end of the header (read_sealed_header), which `keys`
// unlocked. Throw Error{damaged} naming the segment, or saying that the file ends early.
FUGU_EXPORT void decrypt_sealed(const Job& job, const SealedHeader& header, const SealedKeys& keys);

// Decrypts `count` bytes from `first`, or as many as there are, or all that follow. Reads the segments that
// hold them, and the last segment when the range reaches or passes the end. Throws Error{usage} for a source
// that cannot seek and for a range that begins beyond the end.
FUGU_EXPORT void decrypt_sealed_range(const Job& job, const SealedHeader& header, const SealedKeys& keys,
                                      std::uint64_t first, std::optional<std::uint64_t> count);

// Writes every authentic segment at its own offset. Damage is reported, not thrown. In a source that can seek
// the short last segment is found even if other bytes follow it.
FUGU_EXPORT SalvageReport salvage_sealed(const Job& job, const SealedHeader& header, const SealedKeys& keys);

// Copies the file under another secret, with a header of version 2; the segments are copied unread, except
// that the last one is verified if the source can seek. Returns what is wrong with it (Error{damaged}), if
// anything. Anyone who kept the old header and knows the old secret can still read the file, and can make
// any content that opens behind the new header: seal_anew() takes that away. Throws Error{usage} as
// encrypt_sealed().
FUGU_EXPORT std::optional<Error> rekey_sealed(const Job& job, const SealedHeader& header,
                                              const SealedKeys& keys, const SealedSecret& secret,
                                              const SealedOptions& options = {});

// Opens the file and seals its content under another secret and a new file key, in segments of the same size
// and chunk by chunk: the plaintext is in memory only. Throws as decrypt_sealed() and encrypt_sealed().
FUGU_EXPORT void seal_anew(const Job& job, const SealedHeader& header, const SealedKeys& keys,
                           const SealedSecret& secret, const SealedOptions& options = {});

}  // namespace fugu::format
