// An EncFS volume: its configuration, which is .encfs6.xml, .encfs5 or .encfs4, and its names, files and
// links. Private to encfs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fugu/auth/digest.hpp"
#include "fugu/format/job.hpp"
#include "fugu/mode/settings.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::format {

enum class EncfsNames : std::uint8_t { plain, stream, block, block32 };

struct EncfsConfig {
  unsigned version = 6;         // of the configuration
  std::string creator;          // "EncFS 1.9.5"
  unsigned cipher_version = 3;  // of its interface: 2 makes IVs differently
  EncfsNames names = EncfsNames::stream;
  std::size_t key_bytes = 0;
  std::size_t block_bytes = 0;   // as stored, with MAC and random bytes
  std::size_t mac_bytes = 0;     // at the beginning of each block, 0 to 8
  std::size_t random_bytes = 0;  // after the MAC
  bool has_file_ivs = false;
  bool chains_names = false;          // a name's IV depends on the directories above
  bool chains_file_ivs = false;       // a file's IV depends on its path
  bool has_holes = false;             // blocks of zeros are stored as zeros
  std::vector<std::byte> salt;        // empty: the key comes from EVP_BytesToKey
  std::vector<std::byte> volume_key;  // encrypted
  std::uint32_t iterations = 0;

  bool has_salt() const { return !salt.empty(); }
};

inline constexpr std::size_t kEncfsMaxConfigBytes = std::size_t{64} << 10;

// Throws Error{damaged} for what EncFS does not write, and Error{unknown_format} for other ciphers than
// Blowfish, naming the program that opens them.
EncfsConfig read_encfs_config(stream::Source& source);

// Whether a file begins as a configuration, of whatever cipher.
bool is_encfs_config(std::span<const std::byte> head);

// A key of EncFS, with its cipher, MACs and IVs. Not thread-safe.
class EncfsKey {
 public:
  // `key_and_iv`: the bytes of the key, then 8.
  EncfsKey(engine::Engine& engine, unsigned version, std::span<const std::byte> key_and_iv);
  ~EncfsKey();
  EncfsKey(const EncfsKey&) = delete;
  EncfsKey& operator=(const EncfsKey&) = delete;

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
  void transform(mode::Mode mode, std::uint64_t block_iv, std::span<std::byte> data);

  engine::Engine& engine_;
  unsigned version_;
  std::uint64_t iv_;
  cipher::Schedule schedule_;
  auth::Hmac hmac_;
};

class EncfsVolume {
 public:
  // Throws Error{wrong_key}.
  EncfsVolume(engine::Engine& engine, const EncfsConfig& config, const auth::SecretBytes& passphrase);

  // IVs chain down the directories if names are chained; empty if they are not.
  using PathIv = std::optional<std::uint64_t>;
  PathIv top_iv() const { return config_.chains_names ? PathIv(0) : std::nullopt; }

  // `iv` is the directory's before the call and the name's after it. Throws Error{damaged} if the name does
  // not belong to this volume.
  std::string name(std::string_view encrypted, PathIv& iv);

  // Decrypts a link's target: a sequence of names that begins at the top, wherever the link is. An absolute
  // target is a single name. Throws as name().
  std::string link_target(std::string_view encrypted);

  // The blocks of the file that `source` holds; `path_iv` is its name's. Throws Error{damaged} for an
  // impossible file header, and for a block that fails its MAC; with a `salvage` this is noted, and zeros
  // stand there. The result refers to this volume.
  stream::OrderedStage file(stream::Source& source, PathIv path_iv, SalvageReport* salvage = nullptr);

  std::size_t block_bytes() const { return config_.block_bytes; }
  bool has_macs() const { return config_.mac_bytes != 0; }

 private:
  std::size_t open_blocks(std::span<std::byte> data, std::uint64_t first, std::uint64_t file_iv,
                          SalvageReport* salvage);
  std::span<std::byte> content_of(std::span<std::byte> block, std::uint64_t number, SalvageReport* salvage);

  EncfsConfig config_;
  EncfsKey key_;
};

}  // namespace fugu::format
