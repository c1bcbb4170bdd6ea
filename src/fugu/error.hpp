// The library's exception type.
//
// An Errc says what the user can do about a failure, so the program's exit codes follow from it; the text
// says what happened. Layers that know more put it in front with add_context(). No secret and no source path
// ever enters a text.
//
// Functions may also throw std::bad_alloc, and what a caller's own function, source or sink throws. No
// exception passes through C code, such as OpenSSL and libzip, or leaves a thread.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "fugu/export.hpp"

namespace fugu {

enum class Errc : std::uint8_t {
  usage,           // the request names something that does not exist or cannot be combined
  io,              // reading, writing, opening, renaming failed
  wrong_key,       // the passphrase or key does not open this input
  damaged,         // the input is truncated, altered or incomplete
  unknown_format,  // the format is not recognised or a parameter it does not store is missing
  engine,          // a compute engine failed
  no_device,       // the requested engine or device is not present on this machine
  mismatch,        // a self-test or verification found a difference
  interrupted,     // the caller requested a stop
  memory,          // not enough memory on a GPU, or for a key derivation of a known size
  undecided,       // nothing tells whether the secret is right: noise comes out, as of compressed data
};

// Whose words name an option. Texts of the library have its name, or name and value, in brackets: ⟦mode ecb⟧.
enum class Spelling : std::uint8_t { cpp, program, python };

// `text` in those words: "option mode = ecb", "--mode ecb", "options={"mode": "ecb"}".
FUGU_EXPORT std::string spelled(std::string_view text, Spelling spelling);

// "1 line", "40 lines"
FUGU_EXPORT std::string counted(std::uint64_t count, std::string_view noun);

class FUGU_EXPORT Error : public std::exception {
 public:
  Error(Errc code, std::string text);

  Errc code() const noexcept { return code_; }
  const std::string& text() const noexcept { return text_; }  // for spelled()

  // Whether another secret may do better.
  bool doubts_secret() const noexcept { return code_ == Errc::wrong_key || code_ == Errc::undecided; }

  const char* what() const noexcept override { return spelled_.c_str(); }  // Spelling::cpp

  // Prepends "outer: " to the text: a file name, a segment, a step.
  void add_context(std::string_view outer);

 private:
  Errc code_;
  std::string text_;
  std::string spelled_;
};

// "what: reason" for a failed system call; `errno_value` is errno as the call left it.
FUGU_EXPORT Error system_error(std::string_view what, int errno_value);

}  // namespace fugu
