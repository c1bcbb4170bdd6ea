// Turns options into a format and its parameters, and refuses meaningless combinations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/process/secrets.hpp"
#include "fugu/format/recognition.hpp"
#include "fugu/stream/text_lines.hpp"

namespace fugu::cli {

struct TextForm {
  format::TextEncoding encoding = format::TextEncoding::base64;
  stream::TextLines lines = stream::TextLines::wrapped;
};

struct CipherRequest {
  core::Direction direction = core::Direction::encrypt;
  const format::Codec* codec = nullptr;  // null: whichever recognises the input
  std::optional<TextForm> text;          // the encrypted side's; empty: binary, or as recognised
  SecretSource secret;
  format::SecretKind secret_kind = format::SecretKind::passphrase;
  std::size_t max_key_bytes = 0;
  bool accept_weak_evidence = false;
  bool opens_own = false;  // true: the input was made by seal() with these options, so nothing is guessed
  std::vector<std::pair<std::string, std::string>> options;  // names and values of formats' options

  // The options for this format. If the format is recognised, parameters of others are ignored: several files
  // may have several formats. Throws Error{usage} for work that it cannot do.
  format::OptionValues options_of(const format::Codec& of) const;

  // The request that opens what this one makes, whatever its evidence; an opening one is left as it is.
  CipherRequest to_open() const;

  // Whether a file is known to keep only one core busy.
  bool is_serial() const;
};

// Throws Error{usage}.
CipherRequest cipher_request(const Arguments& arguments, core::Direction direction);

// The formats' options that rekey was given, as CipherRequest::options.
std::vector<std::pair<std::string, std::string>> rekey_options(const Arguments& arguments);

}  // namespace fugu::cli
