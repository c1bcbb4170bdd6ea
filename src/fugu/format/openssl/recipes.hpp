// The recipes of `openssl enc`, and the options that name them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/format/judge/judge.hpp"

namespace fugu::format {

inline constexpr std::uint32_t kDefaultPbkdf2Iterations = 10'000;

inline constexpr std::array kOpensslModes{mode::Mode::cbc, mode::Mode::ecb, mode::Mode::cfb64,
                                          mode::Mode::ofb};
// In the same order.
inline constexpr std::array<std::string_view, 4> kOpensslCiphers{"bf-cbc", "bf-ecb", "bf-cfb", "bf-ofb"};

// The parameters that a user gives. Those left empty are found by trial among those of real files; iterations
// alone mean SHA-256, as with `openssl enc`. When mode, digest and derivation are given, only the rules of
// `openssl enc` are tried.
struct OpensslGiven {
  std::optional<mode::Mode> mode = {};  // one of kOpensslModes
  std::optional<std::string> digest = {};
  std::optional<std::uint32_t> pbkdf2_iterations = {};  // 0: EVP_BytesToKey
  std::uint32_t bytes_to_key_count = 1;                 // openssl enc has 1, Ruby's pkcs5_keyivgen 2048
  std::optional<std::size_t> key_bytes = {};  // 8: bf-cfb and bf-ofb of OpenSSL 3.0.0 to 3.0.3 (#18359)
  bool padded = true;                         // false: -nopad
  bool has_header = true;
  bool of_any_program = false;  // also of programs that call OpenSSL's functions
};

// All recipes that are left open, in the order of trial: those of openssl enc, and also those of Crypt::CBC
// unless something indicates openssl enc.
std::vector<Recipe> openssl_recipes(const OpensslGiven& given);

// Of either program: "bf-cbc, PBKDF2-HMAC-SHA256, 10000 iterations"
std::string describe_salted(const Recipe& recipe);

// "⟦cipher bf-cbc⟧ ⟦md sha256⟧ ⟦iter 10000⟧": the options that leave nothing to try. Those of Crypt::CBC name
// the format.
std::string salted_flags(const Recipe& recipe);

// Throws Error{damaged} if no recipe gives what `source` holds in this size.
void check_salted_size(const std::vector<Recipe>& recipes, const Lookahead& source);

// The one of `all`, the result of try_recipes(), to decrypt `source` with. `accepted`: weak evidence
// suffices. Throws Error{wrong_key} listing what was tried when nothing matches, and Error{unknown_format}
// when a flag has to decide.
Verdict choose_salted(std::vector<Tried> all, const Lookahead& source, bool accepted);

}  // namespace fugu::format
