// Whether a text that nothing vouches for has noise inside, as where a block of its ciphertext was changed or
// inserted. Private to format.
#pragma once

#include <bitset>
#include <optional>
#include <string>
#include <vector>

#include "fugu/format/detail/filters.hpp"

namespace fugu::format {

// Passes everything on, but for the end: `inner` is finished by whoever asks for the noise. Of what is
// longer than 1 MiB, one page in 256 is looked at, which costs a decryption less than 2 %. What is no text,
// but for few places, is let through and not looked at.
class TextWatch final : public Filter {
 public:
  struct Noise {
    std::uint64_t at;  // a byte of it, or just before
    bool is_sure;      // no charset has such bytes
  };

  using Filter::Filter;
  void write(std::span<const std::byte> from) override;
  bool begin_parts(std::uint64_t bytes) override;
  std::unique_ptr<Sink> part(std::uint64_t offset) override { return inner_.part(offset); }
  void advance(std::uint64_t bytes) override { inner_.advance(bytes); }
  void finish() override {}

  std::optional<Noise> noise();  // call it after the end

 private:
  // Bytes that are not text, and what stands between them.
  struct Patch {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    bool is_edge = false;  // of what is looked at
    std::bitset<256> odd = {};
  };

  std::uint64_t bytes_to_next_look() const;
  void end_look();
  void look(std::byte byte);
  void add_odd(std::uint64_t at, std::byte byte);

  static constexpr std::byte kUnseen{};

  bool may_be_text_ = true;
  std::uint64_t position_ = 0;
  std::uint64_t begin_ = 0;  // of the bytes that are looked at
  unsigned followers_ = 0;   // of a character of UTF-8 that has begun
  std::byte lead_ = kUnseen;
  std::vector<Patch> patches_;
};

std::string what_shows(const TextWatch::Noise& noise);

}  // namespace fugu::format
