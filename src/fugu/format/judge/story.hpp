// A story: one complete account of how a secret and some parameters made a ciphertext, found by trial when a
// file does not store them. Private to format.
//
// A story explains every byte: a header, a salt and an IV in the data as noise, the blocks as the evidence of
// what they decrypt to (evidence.hpp), the padding as the one that its program writes, the rest of a damaged
// file as noise. Decryption maps each ciphertext to one plaintext, so that the evidence of the plaintext,
// padding included, is log2(P(ciphertext | story) / P(ciphertext | noise)), and what two stories share
// cancels. Added to log2(prior), whose sum over all stories tried together is 1, it is the story's bits:
// under a wrong secret some story reaches b of them, of the sure ones, at most once in 2^b.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fugu/auth/secret.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/format/judge/evidence.hpp"
#include "fugu/mode/mode.hpp"

namespace fugu::format {

// literal: the secret is the key. md5_chain: each MD5 covers everything before it, beginning with the
// passphrase; md5_chain_of_cut: the same for a passphrase cut to the key's length.
enum class Derivation : std::uint8_t { bytes_to_key, pbkdf2, md5_chain, md5_chain_of_cut, literal };

// The header of openssl enc, before a salt; other programs have it too.
inline constexpr std::string_view kSalted = "Salted__";
inline constexpr std::size_t kSaltBytes = 8;

using TailPadding = mode::Padding;  // of any mode
using mode::padding_bytes;

// The data's own bytes that may come off with such a padding: "zeros"; empty if none can.
constexpr std::string_view may_be_data(TailPadding padding) {
  if (padding == TailPadding::zero || padding == TailPadding::always_zero) return "zeros";
  if (padding == TailPadding::space || padding == TailPadding::always_space) return "spaces";
  return padding == TailPadding::one_and_zeros_or_none ? "80 and zeros" : "";
}

// Does not say where it begins.
constexpr bool is_filler(TailPadding padding) {
  return !may_be_data(padding).empty() && padding != TailPadding::one_and_zeros_or_none;
}

inline std::string unpadding_note(TailPadding padding) {
  return std::string(may_be_data(padding)) + " at the end are taken off as padding, also any that are data";
}

struct Recipe {
  Derivation derivation = Derivation::bytes_to_key;
  std::string digest = "md5";
  std::uint32_t iterations = 1;  // pbkdf2, bytes_to_key
  std::size_t key_bytes = 56;
  mode::Mode mode = mode::Mode::cbc;
  TailPadding padding = TailPadding::pkcs7;
  double prior = 1;
  bool is_crypt_cbc = false;  // Crypt::CBC's files begin like those of openssl enc
  core::ByteOrder words = core::ByteOrder::big;
  core::ByteOrder counter = core::ByteOrder::big;  // ctr
};

// How much is read: the first bytes and the end, a quarter of them, all, or all where the first leave a
// doubt.
enum class Depth : std::uint8_t { as_needed, glance, first, all };

// Parameters that a file or a caller gives beside the secret.
struct RecipeInput {
  std::vector<std::byte> salt;
  std::optional<mode::Iv> iv;  // empty: derived, after the key

  // Bytes that other stories may take for ciphertext: all are judged by the same ones.
  std::size_t bytes_before = 0;
  std::size_t bytes_behind = 0;

  Depth depth = Depth::as_needed;
  const cipher::Schedule* schedule = nullptr;  // of a literal key, if the caller has it

  // Inputs of the cipher that other messages under this key had: evidence is counted once.
  const std::set<std::uint64_t>* known = nullptr;
};

// What was decrypted of a ciphertext under one key, IV and mode. Stories that differ in padding share it.
struct Reading {
  core::WipedBytes beginning;
  bool is_whole = false;            // beginning is all but a rest of less than a block
  Bits bits;                        // of `beginning`, unless it is whole
  Bits middle;                      // of some parts between it and the end
  std::optional<EvidenceBits> end;  // empty: it cannot be seen
  core::WipedBytes last_block;
  bool is_end_fresh = true;  // as evidence_of() has it
};

// What a story makes of one ciphertext, or of one of several messages.
struct Seen {
  std::shared_ptr<const Reading> reading;
  std::optional<std::size_t> taken;  // bytes of padding; empty: the end was not seen
};

// A story that was tried.
struct Tried {
  Recipe recipe = {};
  std::shared_ptr<const auth::SecretBytes> key = {};
  mode::Iv iv = {};
  Bits bits = {};
  double before_end = 0;    // of the beginning and the padding: in another mode no more may be seen
  bool is_damaged = false;  // it needs that the file was cut, or its end changed
  double of_damage = 0;     // bits that this costs it
  std::vector<Seen> seen = {};
  std::vector<Recipe> other_ends =
      {};  // of the story that was chosen, if its end was not seen: with its plaintext

  std::size_t taken() const {
    std::size_t bytes = 0;
    for (const Seen& one : seen) bytes += one.taken.value_or(0);
    return bytes;
  }

  // The bits of evidence that the secret is right, whatever happened to the file.
  double bits_of_secret() const { return bits.sure - of_damage; }
};

// The bytes from which the key and then the IV are cut. A shorter stream is a prefix of a longer one.
auth::SecretBytes derive(const Recipe& recipe, const auth::SecretBytes& secret, const RecipeInput& input,
                         std::size_t bytes);
Tried cut(const Recipe& recipe, const std::shared_ptr<const auth::SecretBytes>& stream,
          const RecipeInput& input);

// The recipe, with the key and the IV derived from the secret.
Tried keyed(const Recipe& recipe, const auth::SecretBytes& secret, const RecipeInput& input);

mode::Settings settings_of(const Tried& tried);  // without a padding that changes the length

// Whether it can produce a ciphertext of this size.
bool can_have_size(const Recipe& recipe, std::uint64_t bytes);

// Whether both decrypt to the same, padding included.
bool have_one_plaintext(const Tried& a, const Tried& b);

bool is_seen_whole(const Tried& tried);
std::span<const std::byte> content_of(const Seen& seen);  // of what was seen whole

// Whether both give the same content.
bool gives_same(const Tried& a, const Tried& b);

// By how many bits `a` is likelier than `b`. Where the end of one is not seen, that of the other is no lead:
// behind zeros, cfb and ofb go on alike. Between pcbc and any other mode a lead
// has to grow with what `b` explains: the blocks of one are sums or differences of the other's, and of
// records they may be the more regular ones, by a tenth.
double lead_of(const Tried& a, const Tried& b);

}  // namespace fugu::format
