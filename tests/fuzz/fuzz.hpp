// The common part of the fuzz targets: parts of an input, memory as source and sink, one engine.
//
// Each target is `int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t)`. An Error is a correct answer
// to a bad input. A fault that no sanitizer sees is reported by fail().
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "format/sealed_support.hpp"
#include "fugu/format/codec.hpp"

namespace fugu::fuzz {

using test::Bytes;
using test::BytesSink;
using test::BytesSource;
using test::Seekable;

[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "fuzz target: %s\n", what);
  std::abort();
}

inline void require(bool ok, const char* what) {
  if (!ok) fail(what);
}

// An Error is an answer like another.
template <class Work>
void try_to(Work work) {
  try {
    work();
  } catch (const Error&) {
  }
}

// Whether a passphrase takes so few iterations that the target stays fast.
inline bool asks_for_few(const format::Description& description) {
  const auto found = std::ranges::find(description.fields, "iterations", &format::DescriptionField::key);
  const auto* const count =
      found == description.fields.end() ? nullptr : std::get_if<std::uint64_t>(&found->value);
  return count != nullptr && *count <= 1000;
}

// Takes small numbers from the front of an input, which are zero when it is used up.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : left_(std::as_bytes(std::span(data, size))) {}

  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    for (; bytes != 0 && !left_.empty(); --bytes) {
      value = value << 8 | std::to_integer<std::uint64_t>(left_.front());
      left_ = left_.subspan(1);
    }
    return value;
  }

  std::span<const std::byte> rest() const { return left_; }

 private:
  std::span<const std::byte> left_;
};

// Uses one thread and no vector code, so that faults do not depend on the machine.
inline engine::Engine& engine() {
  static const std::unique_ptr<engine::Engine> engine = engine::make("cpu/scalar", {.threads = 1});
  return *engine;
}

// The secrets are those of the seeds. scrypt is as cheap as a reader allows.
inline constexpr format::SealedBounds kBounds{
    .min_segment_log2 = 4, .max_segment_log2 = 16, .max_scrypt_log2_n = 10};

inline const auth::SecretBytes& key() {
  static const auth::SecretBytes bytes{std::span<const std::byte>(test::pattern(32))};
  return bytes;
}

inline const auth::SecretBytes& passphrase() {
  static const auth::SecretBytes bytes{std::string_view("correct horse, b\xc3\xa4tterie")};
  return bytes;
}

inline format::SealedSecret secret_for(const format::SealedHeader& header) {
  return {header.slot, header.slot == format::SealedSlot::key ? key() : passphrase()};
}

// Reads `file` with read(job, header, keys); empty if that threw an Error.
template <class Read>
std::optional<Bytes> open_sealed(std::span<const std::byte> file, std::size_t chunk_bytes, Seekable seekable,
                                 Read read) {
  BytesSource source(file, seekable);
  BytesSink sink;
  try {
    const format::SealedHeader header = format::read_sealed_header(source, kBounds);
    read(format::Job{engine(), source, sink, chunk_bytes, nullptr, {}}, header,
         format::unlock_sealed(header, secret_for(header)));
  } catch (const Error&) {
    return std::nullopt;
  }
  return std::move(sink.bytes);
}

}  // namespace fugu::fuzz
