// Parts of a sealed file: a unit is a segment. Private to sealed.
#pragma once

#include "fugu/format/parts.hpp"
#include "fugu/format/sealed/sealed.hpp"

namespace fugu::format {

// Encrypts the segments of a file whose header and keys exist; the header itself is not written. The job's
// source holds full segments from number `first_index` on and, with `to_end`, the rest of the plaintext. A
// segment is encrypted once for a file key: two contents of one segment would share a keystream and a
// Poly1305 key.
void encrypt_sealed_segments(const Job& job, const SealedHeader& header, const SealedKeys& keys,
                             std::uint64_t first_index = 0, bool to_end = true);

// Decrypts the stored segments from number `first_index` on, at their places in the job's source, which is
// seekable, up to byte `body_end` after the header. `to_end`: the file ends there. Throws as
// decrypt_sealed().
void decrypt_sealed_segments(const Job& job, const SealedHeader& header, const SealedKeys& keys,
                             std::uint64_t first_index, std::uint64_t body_end, bool to_end);

// Throw as encrypt_sealed() and decrypt_sealed().
PartPlan plan_sealing(std::uint64_t plain_bytes, const SealedSecret& secret, const SealedOptions& options);
PartPlan plan_opening(std::uint64_t file_bytes, const SealedHeader& header, const SealedKeys& keys);

std::uint64_t sealed_units(const PartPlan& plan);
std::uint64_t sealed_output_offset(const PartPlan& plan, std::uint64_t unit);
void run_sealed_units(const PartPlan& plan, const Job& job, std::uint64_t first, std::uint64_t end);

}  // namespace fugu::format
