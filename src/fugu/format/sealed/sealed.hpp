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
#pragma once

#include "fugu/format/codec.hpp"
#include "fugu/format/sealed/header.hpp"

namespace fugu::format {

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
