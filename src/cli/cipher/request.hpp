// From options to a format and what it takes, and the combinations that mean nothing refused.
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
  const format::Codec* codec = nullptr;  // null: what recognises the input
  std::optional<TextForm> text;          // of the encrypted side; binary, or what is recognised, otherwise
  SecretSource secret;
  format::SecretKind secret_kind = format::SecretKind::passphrase;
  std::size_t max_key_bytes = 0;
  bool accept_weak_evidence = false;
  std::vector<std::pair<std::string, std::string>> options;  // of formats: name and value

  // The options as this format takes them. Where the format is recognised, parameters of others are left
  // aside: several files may be of several formats. Throws Error{usage} for work that it cannot do.
  format::OptionValues options_of(const format::Codec& of) const;

  // Whether a file is known to keep one core busy and no more.
  bool is_serial() const;
};

// Throws Error{usage}.
CipherRequest cipher_request(const Arguments& arguments, core::Direction direction);

}  // namespace fugu::cli
