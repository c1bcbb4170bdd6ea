#include "cli/cipher/reference_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fugu/core/wipe.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {

ReferenceCheck::~ReferenceCheck() {
  core::wipe(expected_.data(), expected_.size());
}

void ReferenceCheck::begin(const mode::Settings& settings, std::span<const std::byte> key) {
  try {
    reference_.emplace(settings, core::Direction::decrypt, key);
  } catch (Error& error) {
    error.add_context("--openssl cannot check this");
    throw;
  }
}

void ReferenceCheck::chunk(std::span<const std::byte> ciphertext, std::span<const std::byte> plaintext) {
  expected_.resize(ciphertext.size());
  reference_->process(ciphertext, expected_);
  const auto differs = std::ranges::mismatch(plaintext, expected_);
  if (differs.in1 != plaintext.end()) {
    offset_ += static_cast<std::uint64_t>(differs.in1 - plaintext.begin());
    throw Error(Errc::mismatch,
                fmt::format("OpenSSL's Blowfish gives another plaintext at byte {}", offset_));
  }
  offset_ += plaintext.size();
}

}  // namespace fugu::cli
