// Turns options into a format and its parameters, and refuses meaningless combinations.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/cipher/run_secret.hpp"
#include "cli/files/share.hpp"
#include "cli/options.hpp"
#include "fugu/format/lines/lines.hpp"
#include "fugu/fugu.hpp"
#include "fugu/fugu_identify.hpp"

namespace fugu::cli {

struct CipherRequest {
  core::Direction direction = core::Direction::encrypt;
  const format::Codec* codec = nullptr;       // null: whichever recognises the input
  std::optional<format::LinesOptions> lines;  // each line or field is a message; but for threads and counters
  std::optional<TextForm> text;               // the encrypted side's; empty: binary, or as recognised
  SecretQuestion secret;
  bool accept_weak_evidence = false;
  bool salvage = false;
  FormatOptions options;

  SealOptions to_seal(const Share& share) const;

  // For files to be opened; if this request seals, for those that it makes.
  OpenOptions to_open(const Share& share) const;

  // Whether a file is known to keep only one core busy.
  bool is_serial() const;
};

// "sealed, cryptcbc or raw": the formats that can be written, or opened, and are `fit`.
std::string formats_that(core::Direction direction, const std::function<bool(const format::Codec&)>& fit);

// Throws Error{usage}.
CipherRequest cipher_request(const Arguments& arguments, core::Direction direction);

// The formats' options that rekey was given.
FormatOptions rekey_options(const Arguments& arguments);

}  // namespace fugu::cli
