#include "measure/openssl_stream.hpp"

namespace fugu::cli {
namespace {

using auth::ReferenceMode;
using core::kBlockBytes;
using mode::Mode;
using Iv = std::array<std::byte, kBlockBytes>;

ReferenceMode reference_mode(const mode::Settings& settings) {
  static constexpr std::pair<Mode, ReferenceMode> kModes[] = {{Mode::ecb, ReferenceMode::ecb},
                                                              {Mode::ctr, ReferenceMode::ecb},
                                                              {Mode::cbc, ReferenceMode::cbc},
                                                              {Mode::cfb64, ReferenceMode::cfb64},
                                                              {Mode::ofb, ReferenceMode::ofb}};
  const bool little = settings.words == core::ByteOrder::little ||
                      (settings.mode == Mode::ctr && settings.counter == core::ByteOrder::little);
  const auto row = std::ranges::find(kModes, settings.mode, &std::pair<Mode, ReferenceMode>::first);
  if (!little && !mode::keeps_length(settings.padding) && row != std::end(kModes)) return row->second;
  throw Error(Errc::usage, "OpenSSL's Blowfish has no cfb8, ofb8, pcbc, unpadded end or little-endian words");
}

// ecb gets an IV that it ignores.
Iv iv_of(const mode::Settings& settings) {
  if (!settings.iv && settings.mode != Mode::ecb) throw Error(Errc::usage, "the mode needs an IV");
  return settings.iv.value_or(Iv{});
}

// The IV for the block after `data`, where `iv` is that of its first block. Call before the ciphertext is
// overwritten.
Iv next_iv(const mode::Settings& settings, std::span<const std::byte> data) {
  Iv iv = iv_of(settings);
  if (settings.mode == Mode::ctr) {
    core::store_u64_big(iv.data(), core::load_u64_big(iv.data()) + data.size() / kBlockBytes);
  } else if (settings.mode != Mode::ecb && !data.empty()) {
    std::ranges::copy(data.last(kBlockBytes), iv.begin());
  }
  return iv;
}

}  // namespace

OpensslStream::OpensslStream(const mode::Settings& settings, core::Direction direction,
                             std::span<const std::byte> key)
    : reference_(reference_mode(settings),
                 settings.mode == Mode::ctr || direction == core::Direction::encrypt, key, iv_of(settings)) {
  if (settings.mode == Mode::ctr) counter_ = core::load_u64_big(iv_of(settings).data());
}

OpensslStream::~OpensslStream() {
  core::wipe(keystream_.data(), keystream_.size());
}

void OpensslStream::restart(Iv iv) {
  if (counter_) {
    counter_ = core::load_u64_big(iv.data());
  } else {
    reference_.restart(iv);
  }
}

void OpensslStream::fill_keystream(std::span<std::byte> keystream) {
  for (std::size_t i = 0; i < keystream.size(); i += kBlockBytes)
    core::store_u64_big(&keystream[i], (*counter_)++);
  reference_.update(keystream, keystream);
}

void OpensslStream::process(std::span<const std::byte> in, std::span<std::byte> out) {
  if (!counter_) return reference_.update(in, out);
  while (!in.empty()) {
    const std::size_t bytes = std::min(in.size(), keystream_.size());
    fill_keystream(std::span(keystream_).first((bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes));
    for (std::size_t i = 0; i < bytes; ++i) out[i] = in[i] ^ keystream_[i];
    in = in.subspan(bytes);
    out = out.subspan(bytes);
  }
}

OpensslThreads::OpensslThreads(const mode::Settings& settings, core::Direction direction,
                               std::span<const std::byte> key, threads::ThreadPool& pool)
    : settings_(settings), pool_(pool) {
  const unsigned count = mode::is_serial(settings.mode, direction) ? 1 : pool.threads();
  for (unsigned i = 0; i < count; ++i) streams_.emplace_back(settings, direction, key);
}

void OpensslThreads::process(std::span<std::byte> data) {
  if (streams_.size() == 1) return streams_.front().process(data, data);
  const std::size_t blocks = data.size() / kBlockBytes;
  const std::size_t most = (blocks + streams_.size() - 1) / streams_.size() * kBlockBytes;
  std::size_t count = 0;
  for (std::size_t at = 0; at < data.size(); at += most) {
    streams_[count++].restart(iv_of(settings_));
    settings_.iv = next_iv(settings_, data.subspan(at, std::min(most, data.size() - at)));
  }
  pool_.for_each(count, [&](std::size_t i) {
    const auto piece = data.subspan(i * most, std::min(most, data.size() - i * most));
    streams_[i].process(piece, piece);
  });
}

}  // namespace fugu::cli
