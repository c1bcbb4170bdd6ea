// Decrypts the names, files and links of an EncFS volume. Private to encfs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "fugu/auth/secret.hpp"
#include "fugu/engine/engine.hpp"
#include "fugu/format/encfs/detail/config.hpp"
#include "fugu/stream/pump.hpp"

namespace fugu::format {

// A key of EncFS, with its cipher, MACs and IVs. Not thread-safe.
class EncfsKey {
 public:
  // `key_and_iv`: the bytes of the key, then 8.
  EncfsKey(engine::Engine& engine, unsigned version, std::span<const std::byte> key_and_iv);
  ~EncfsKey();

  // In place. A stream has any size; blocks have a multiple of 8 bytes.
  void decrypt_stream(std::span<std::byte> data, std::uint64_t seed);
  void decrypt_block(std::span<std::byte> data, std::uint64_t seed);

  // The blocks of `data`, of `block_bytes` each, that are not skipped. `first` is the number of the first.
  struct Blocks {
    std::span<std::byte> data;
    std::size_t block_bytes;
    std::uint64_t first;
    std::uint64_t file_iv;
    bool leave_zeros;  // blocks of zeros stay as they are
  };
  void decrypt_blocks(const Blocks& blocks);

  std::uint64_t mac64(std::span<const std::byte> data, std::optional<std::uint64_t> chained = {});

 private:
  std::uint64_t iv_of(std::uint64_t seed);

  struct State;
  std::unique_ptr<State> state_;
};

std::uint32_t encfs_mac32(std::uint64_t mac64);
std::uint16_t encfs_mac16(std::uint64_t mac64);

class EncfsVolume {
 public:
  // Throws Error{wrong_key}.
  EncfsVolume(engine::Engine& engine, const EncfsConfig& config, const auth::SecretBytes& passphrase);

  // IVs chain down the directories if names are chained; empty if they are not.
  using PathIv = std::optional<std::uint64_t>;
  PathIv top_iv() const { return config_.chains_names ? PathIv(0) : std::nullopt; }

  // `iv` is that of the directory, and becomes that of the name. Throws Error{damaged} if the name does not
  // belong to this volume.
  std::string name(std::string_view encrypted, PathIv& iv);

  // Decrypts a link's target: a sequence of names that begins at the top, wherever the link is. An absolute
  // target is a single name. Throws as name().
  std::string link_target(std::string_view encrypted);

  // The blocks of the file that `source` holds; `path_iv` is its name's. Throws Error{damaged} for an
  // impossible file header. The result refers to this.
  stream::OrderedStage file(stream::Source& source, PathIv path_iv);

  std::size_t block_bytes() const { return config_.block_bytes; }

 private:
  std::size_t open_blocks(std::span<std::byte> data, std::uint64_t first, std::uint64_t file_iv);
  std::span<const std::byte> checked(std::span<const std::byte> block, std::uint64_t number);

  EncfsConfig config_;
  EncfsKey key_;
};

}  // namespace fugu::format
