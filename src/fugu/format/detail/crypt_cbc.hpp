// The recipes of Perl's Crypt::CBC: those to try, and the names of its options. Private to format: its files
// and those of openssl enc begin alike.
#pragma once

#include <array>
#include <string_view>

#include "fugu/format/judge/story.hpp"

namespace fugu::format {

// The names of its options' values, each list in the order of the values.
inline constexpr std::array<std::string_view, 6> kCryptCbcPbkdfs{"opensslv1", "opensslv2",    "pbkdf2",
                                                                 "randomiv",  "randomiv-cut", "none"};
inline constexpr std::array<std::string_view, 5> kCryptCbcModes{"cbc", "pcbc", "cfb", "ofb", "ctr"};
inline constexpr std::array kCryptCbcModeValues{mode::Mode::cbc, mode::Mode::pcbc, mode::Mode::cfb64,
                                                mode::Mode::ofb, mode::Mode::ctr};
inline constexpr std::array<std::string_view, 6> kCryptCbcPaddings{"standard",     "space",           "null",
                                                                   "oneandzeroes", "rijndael_compat", "none"};
inline constexpr std::array kCryptCbcPaddingValues{
    TailPadding::pkcs7,         TailPadding::always_space,          TailPadding::always_zero,
    TailPadding::one_and_zeros, TailPadding::one_and_zeros_or_none, TailPadding::none};

inline constexpr std::size_t kCryptCbcKeyBytes = 56;
inline constexpr std::uint32_t kCryptCbcIterations = 10'000;

// The known parameters besides the derivation.
struct CryptCbcGiven {
  std::optional<std::size_t> key_bytes = {};
  std::optional<mode::Mode> mode = {};
  std::optional<TailPadding> padding = {};
  bool all_key_sizes = false;  // also try sizes that hardly anyone chose
};

// Appends the recipes of `derivation`, which share its prior, for all parameters not given.
void add_crypt_cbc_recipes(const Recipe& derivation, const CryptCbcGiven& given, std::vector<Recipe>& into);

// "Crypt::CBC, pbkdf pbkdf2 (sha256, 10000 iterations), key of 56 bytes, cbc, padding standard"
std::string describe_crypt_cbc(const Recipe& recipe);

// The options that leave nothing to try.
std::string crypt_cbc_flags(const Recipe& recipe);

// Notes for people: what was removed with the padding, or left where it may not belong.
std::vector<std::string> crypt_cbc_notes(const Tried& found, bool padding_given);

// Whether the removed padding cannot have been data.
bool crypt_cbc_keeps_all(const Tried& found, bool padding_given);

}  // namespace fugu::format
