// Processes the chunks of a file in place; the last one is padded.
#include "fugu/mode/mode.hpp"

#include <algorithm>
#include <utility>

#include "fugu/mode/detail/serial.hpp"

namespace fugu::mode {

namespace {

Padding padding_of(const Settings& settings) {
  if (!can_end_so(settings.mode, settings.padding))
    throw Error(Errc::usage, std::string(name_of(settings.mode)) + " cannot end in this way");
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
  if (size_bytes > buffer.size() || (!last && size_bytes % core::kBlockBytes != 0))
    throw Error(Errc::usage, "a chunk that is not the last one is not whole blocks");
  at_end_ = last;
  if (steals(padding_)) return process_stealing(buffer, size_bytes, last);
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

// A part of a block is left over only where the padding keeps the data's length.
void CipherStream::transform_residual(std::span<std::byte> data) {
  if (!keeps_length(padding_)) return transform(data);
  const std::size_t rest = data.size() % core::kBlockBytes;
  transform(data.first(data.size() - rest));
  if (padding_ == Padding::clear_rest) return;
  Iv keystream;
  core::store_u64_big(keystream.data(),
                      encrypt_block(schedule_, words_, core::load_u64_big(chain_.iv().data())));
  for (std::size_t i = 0; i < rest; ++i) data[data.size() - rest + i] ^= keystream[i];
}

// The end changes the last two blocks, and the last chunk may be shorter: each leaves one to the next.
std::size_t CipherStream::process_stealing(std::span<std::byte> buffer, std::size_t size_bytes, bool last) {
  const std::size_t bytes = size_bytes + held_bytes_;
  if (buffer.size() < bytes) throw Error(Errc::usage, "no room for the previous block");
  std::copy_backward(buffer.data(), buffer.data() + size_bytes, buffer.data() + bytes);
  std::copy_n(held_.data(), held_bytes_, buffer.data());
  if (last) {
    steal(buffer.first(bytes));
    return bytes;
  }
  held_bytes_ = std::min(bytes, held_.size());
  const auto data = buffer.first(bytes - held_bytes_);
  std::copy_n(buffer.data() + data.size(), held_bytes_, held_.data());
  transform(data);
  return data.size();
}

// The last block has `rest` bytes, 1 to 8, which its encryption takes from the end of the block before.
void CipherStream::steal(std::span<std::byte> data) {
  constexpr std::size_t n = core::kBlockBytes;
  const bool encrypting = chain_.direction() == Direction::encrypt;
  if (data.size() < n)
    throw Error(encrypting ? Errc::usage : Errc::damaged, "ciphertext stealing needs 8 bytes or more");
  if (data.size() == n) return transform(data);
  const std::size_t rest = (data.size() - 1) % n + 1;
  const bool is_swapped = padding_ == Padding::cs3 || (padding_ == Padding::cs2 && rest != n);
  const auto whole = data.first(data.size() - rest);
  const auto end = data.last(n + rest);
  const auto last = is_swapped ? end.first(n) : end.last(n);
  const auto kept = is_swapped ? end.last(rest) : end.first(rest);
  Iv one, other;
  if (encrypting) {
    std::ranges::copy(data.last(rest), other.begin());
    transform(whole);
    std::ranges::copy(end.first(n), one.begin());
    transform(other);
    std::copy_n(one.begin(), rest, kept.begin());
    std::ranges::copy(other, last.begin());
    return;
  }
  Chain block({.mode = Mode::ecb, .words = words_}, Direction::decrypt);
  block.transform(engine_, schedule_, last, one.data());
  for (std::size_t i = 0; i < rest; ++i) other[i] = std::exchange(one[i], kept[i]) ^ kept[i];
  std::ranges::copy(one, end.begin());
  transform(whole);
  std::copy_n(other.begin(), rest, data.last(rest).begin());
}

}  // namespace fugu::mode
