// Finding out with which parameters a passphrase opens a file of `openssl enc`. Private to openssl_*.cpp.
//
// Each candidate is judged by its prior, by its padding and by how its beginning looks, all in bits: the sum
// is log2(prior * P(seen | this candidate wrote it) / P(seen | noise)). Summed over the candidates the
// quantity under the logarithm has mean 1 when the passphrase is wrong, so that some candidate reaches b bits
// at most once in 2^b. n bytes of padding are worth 8n bits less the 3 for the eight lengths they can have:
// one byte is never enough.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fugu/cipher/schedule.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/format/openssl/detail/parameters.hpp"

namespace fugu::format {

// The part of a ciphertext that can be seen before all of it is decrypted.
struct CiphertextView {
  std::span<const std::byte> head;                    // its beginning
  bool whole = false;                                 // head is all of it
  std::optional<std::uint64_t> size_bytes;            // where known
  std::optional<std::array<std::byte, 16>> last_two;  // its last two blocks, where they can be seen
};

// Whether a ciphertext of this size, where it is known, can come from these parameters.
bool can_have_size(const OpensslParameters& parameters, const CiphertextView& view);

enum class PaddingSeen : std::uint8_t { unseen, valid, invalid };

struct Judgement {
  double bits = 0;                            // prior included
  PaddingSeen padding = PaddingSeen::unseen;  // invalid: impossible, whatever the bits
  std::vector<std::byte> beginning;           // of the plaintext; wiped by Trial
};

struct Trial {
  OpensslParameters parameters;
  OpensslKey key;
  Judgement evidence;

  Trial() = default;
  Trial(Trial&&) = default;
  Trial& operator=(Trial&&) = default;
  ~Trial();
};

// Best first. What takes more than the iterations of -pbkdf2 is tried only where nothing before it was
// sufficient.
std::vector<Trial> try_all(engine::Engine& engine, const std::vector<Candidate>& candidates,
                           const auth::SecretBytes& passphrase, std::span<const std::byte> salt,
                           const CiphertextView& view);

// The one to decrypt with; `accepted`: also where the evidence is weak. Throws Error{wrong_key} or
// Error{unknown_format} when that cannot be said.
Trial choose(std::vector<Trial> trials, const CiphertextView& view, bool accepted);

}  // namespace fugu::format
