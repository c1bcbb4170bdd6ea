// Processes the chunks of a file in place; the last one is padded.
#include "fugu/mode/cipher_stream.hpp"

#include "fugu/error.hpp"
#include "fugu/mode/detail/padding.hpp"

namespace fugu::mode {

CipherStream::CipherStream(engine::Engine& engine, const cipher::Schedule& schedule, const Settings& settings,
                           Direction direction)
    : engine_(engine), schedule_(schedule), padding_(settings.padding), chain_(settings, direction) {}

std::size_t CipherStream::process(std::span<std::byte> buffer, std::size_t size_bytes, bool last) {
  if (at_end_) throw Error(Errc::usage, "a chunk after the last one");
  if (size_bytes > buffer.size() || (!last && size_bytes % core::kBlockBytes != 0)) {
    throw Error(Errc::usage, "a chunk that is not the last one is not whole blocks");
  }
  at_end_ = last;
  const bool at_padding = last && is_padded(chain_.mode());
  if (!at_padding) {
    transform(buffer.first(size_bytes));
    return size_bytes;
  }
  if (chain_.direction() == Direction::encrypt) {
    const std::size_t padded_bytes = add_padding(padding_, buffer, size_bytes);
    transform(buffer.first(padded_bytes));
    return padded_bytes;
  }
  check_ciphertext_size(padding_, size_bytes);
  transform(buffer.first(size_bytes));
  return unpadded_size(padding_, buffer.first(size_bytes));
}

void CipherStream::transform(std::span<std::byte> data) {
  chain_.transform(engine_, schedule_, data, data.data());
}

}  // namespace fugu::mode
