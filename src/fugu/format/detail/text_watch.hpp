// Whether a text that nothing vouches for has noise inside, as where a block of its ciphertext was changed or
// inserted. Private to format.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "fugu/format/detail/filters.hpp"

namespace fugu::format {

// Passes everything on, but for the end: `inner` is finished by whoever asks for the noise. ASCII costs some
// percent of a copy. What is no text, but for few places, is let through and not looked at.
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

  std::optional<Noise> noise() const;

 private:
  // Bytes that are no text, and what stands between them.
  struct Patch {
    std::uint64_t first;
    std::uint64_t last;
    std::bitset<256> odd;
  };

  void look(std::byte byte);
  void add_odd(std::uint64_t at, std::byte byte);

  bool may_be_text_ = true;
  std::uint64_t position_ = 0;
  unsigned followers_ = 0;  // of a character of UTF-8 that has begun
  std::byte lead_{};
  std::vector<Patch> patches_;
};

}  // namespace fugu::format
