// Processes the chunks of a file in place; the last one is padded.
#include "fugu/mode/cipher_stream.hpp"

#include "fugu/error.hpp"
#include "fugu/mode/detail/padding.hpp"
#include "fugu/mode/detail/serial.hpp"

namespace fugu::mode {

namespace {

Padding padding_of(const Settings& settings) {
  if (settings.padding == Padding::residual && settings.mode != Mode::cbc)
    throw Error(Errc::usage, "only cbc ends in a residual block");
  return is_padded(settings.mode) || settings.pads_streams ? settings.padding : Padding::none;
}

}  // namespace

CipherStream::CipherStream(engine::Engine& engine, const cipher::Schedule& schedule, const Settings& settings,
                           Direction direction)
    : engine_(engine),
      schedule_(schedule),
      words_(settings.words),
      padding_(padding_of(settings)),
      chain_(settings, direction) {}

std::size_t CipherStream::process(std::span<std::byte> buffer, std::size_t size_bytes, bool last) {
  if (at_end_) throw Error(Errc::usage, "a chunk after the last one");
  if (size_bytes > buffer.size() || (!last && size_bytes % core::kBlockBytes != 0)) {
    throw Error(Errc::usage, "a chunk that is not the last one is not whole blocks");
  }
  at_end_ = last;
  const bool at_padding = last && (is_padded(chain_.mode()) || padding_ != Padding::none);
  if (!at_padding) {
    transform(buffer.first(size_bytes));
    return size_bytes;
  }
  return chain_.direction() == Direction::encrypt ? encrypt_last(buffer, size_bytes)
                                                  : decrypt_last(buffer.first(size_bytes));
}

std::size_t CipherStream::encrypt_last(std::span<std::byte> buffer, std::size_t size_bytes) {
  const std::size_t padded_bytes = add_padding(padding_, buffer, size_bytes);
  transform_residual(buffer.first(padded_bytes));
  return padded_bytes;
}

std::size_t CipherStream::decrypt_last(std::span<std::byte> data) {
  check_ciphertext_size(padding_, data.size());
  transform_residual(data);
  return unpadded_size(padding_, data);
}

void CipherStream::transform(std::span<std::byte> data) {
  chain_.transform(engine_, schedule_, data, data.data());
}

// Only Padding::residual leaves more than whole blocks in a mode of whole blocks.
void CipherStream::transform_residual(std::span<std::byte> data) {
  if (padding_ != Padding::residual) return transform(data);
  const std::size_t rest = data.size() % core::kBlockBytes;
  transform(data.first(data.size() - rest));
  Iv keystream;
  core::store_u64_big(keystream.data(),
                      encrypt_block(schedule_, words_, core::load_u64_big(chain_.iv().data())));
  for (std::size_t i = 0; i < rest; ++i) data[data.size() - rest + i] ^= keystream[i];
}

}  // namespace fugu::mode
