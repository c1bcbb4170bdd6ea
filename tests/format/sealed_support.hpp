// Functions for the tests of the sealed format that seal and open in memory.
#pragma once

#include <memory>

#include "fugu/auth/digest.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/engine/registry.hpp"
#include "fugu/format/sealed/sealed.hpp"
#include "support/memory.hpp"

namespace fugu::test {

// The smallest segments that the library allows; the command line cannot ask for them.
inline constexpr format::SealedBounds kTestBounds{.min_segment_log2 = 4};

inline format::SealedSecret key() {
  static const auth::SecretBytes bytes{std::span<const std::byte>(pattern(32))};
  return {format::SealedSlot::key, bytes};
}

inline format::SealedSecret passphrase() {
  static const auth::SecretBytes bytes{std::string_view("correct horse")};
  return {format::SealedSlot::passphrase, bytes};
}

// The same content as a file of version 1, of which the library writes none: SEALED.md, "Keys".
inline Bytes as_version_1(const Bytes& file, const format::SealedSecret& secret) {
  const format::SealedHeader header = format::parse_sealed_header(file, kTestBounds);
  const format::SealedKeys keys = format::unlock_sealed(header, secret);
  const auth::SecretBytes kek =
      secret.slot == format::SealedSlot::key
          ? auth::hkdf_extract(header.slot_salt, secret.bytes.span())
          : auth::scrypt(secret.bytes, header.slot_salt, header.cost, auth::kSha256Bytes);
  const auto expand = [](std::span<const std::byte> prk, std::string_view info) {
    Bytes out(32);
    auth::hkdf_expand(prk, std::as_bytes(std::span(info)), out);
    return out;
  };
  const std::size_t checked = header.bytes.size() - 48;
  Bytes old = file;
  old[8] = std::byte{1};
  const Bytes pad = expand(kek.span(), "fugu1 wrap");
  for (std::size_t i = 0; i < 32; ++i) old[checked - 32 + i] = keys.file_key.span()[i] ^ pad[i];
  const auth::Sha256Digest check = auth::sha256(std::span(old).first(checked));
  std::ranges::copy(std::span(check).first(16), &old[checked]);
  const auto tag =
      auth::hmac_sha256(expand(keys.prk.span(), "fugu1 header"), std::span(old).first(checked + 16));
  std::ranges::copy(tag, &old[checked + 16]);
  return old;
}

// The outcome of opening a file: an error if there was one, and the bytes that were released.
struct Opened {
  std::optional<Error> error;
  Bytes released;

  bool ok() const { return !error; }
};

class SealedBench {
 public:
  explicit SealedBench(std::unique_ptr<engine::Engine> engine = engine::make("auto"))
      : engine_(std::move(engine)) {}

  Bytes seal(std::span<const std::byte> plain, const format::SealedSecret& secret,
             const format::SealedOptions& options, std::size_t chunk_bytes = 0) {
    BytesSource source(plain);
    BytesSink sink;
    format::encrypt_sealed({*engine_, source, sink, chunk_bytes, nullptr, {}}, secret, options);
    return sink.bytes;
  }

  using Read =
      std::function<void(const format::Job&, const format::SealedHeader&, const format::SealedKeys&)>;

  Opened open_with(std::span<const std::byte> file, const format::SealedSecret& secret, const Read& read,
                   const format::SealedBounds& bounds = kTestBounds, std::size_t chunk_bytes = 0,
                   Seekable seekable = Seekable::yes) {
    BytesSource source(file, seekable);
    BytesSink sink;
    Opened opened;
    try {
      const format::SealedHeader header = format::read_sealed_header(source, bounds);
      const format::SealedKeys keys = format::unlock_sealed(header, secret);
      read(format::Job{*engine_, source, sink, chunk_bytes, nullptr, {}}, header, keys);
    } catch (const Error& error) {
      opened.error = error;
    }
    opened.released = std::move(sink.bytes);
    return opened;
  }

  Opened open(std::span<const std::byte> file, const format::SealedSecret& secret,
              const format::SealedBounds& bounds = kTestBounds, std::size_t chunk_bytes = 0,
              Seekable seekable = Seekable::yes) {
    return open_with(file, secret, format::decrypt_sealed, bounds, chunk_bytes, seekable);
  }

  engine::Engine& engine() { return *engine_; }

 private:
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace fugu::test
