// Whether the secret is the right one, by all messages together. Private to format.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace fugu::format {

bool is_noise(std::span<const std::byte> plaintext);

struct Tally {
  std::uint64_t messages = 0;
  std::uint64_t tried = 0;  // of these, those that decode: others open under no key
  std::uint64_t opened = 0;
  std::uint64_t left = 0;    // left as they were, even if opened
  std::uint64_t others = 0;  // beside the messages
  std::uint64_t not_utf8 = 0;
  std::uint64_t noise = 0;  // of these
  double bits = 0;          // by paddings and other checks
  double content_bits = 0;  // by the contents of independent messages
  std::size_t longest = 0;  // of the others the longest, which is chosen whatever the key makes of it
  double longest_bits = 0;
  bool all_content = true;
  std::string first_reason = {};  // of the first message that failed, with its line

  void add(const Tally& other);

  // A message that was opened.
  void judge(std::span<const std::byte> plaintext);

  // What the content says of the secret.
  void weigh(std::span<const std::byte> plaintext, bool is_independent);

  // Less the choices of which of those that were tried fail: with many of them some open under any key.
  double evidence() const;

  // Sufficient to release what was opened.
  bool suffices() const;

  struct Question {
    bool has_secret;
    const char* noun;  // "line"
    bool is_all;       // no other messages follow
    bool accept_weak_evidence;
    bool needs_evidence;  // values that are none could open as well
  };

  // The last word. Throws Error{wrong_key}, or Error{damaged} without a secret.
  void require(const Question& question) const;
};

}  // namespace fugu::format
