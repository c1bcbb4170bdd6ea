// The GPU reports the few candidate keys, and the CPU checks these while the GPU goes on.
#include "fugu/engine/cuda/weak_keys.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "fugu/cipher/schedule.hpp"
#include "fugu/device/buffer.hpp"
#include "fugu/error.hpp"
#include "kernels/blowfish/blowfish_launch.hpp"

namespace fugu::engine::cuda {
namespace {

// Hundreds of times as many keys as an H200 processes at a time, in some tenths of a second.
constexpr std::uint64_t kBatchKeys = std::uint64_t{1} << 22;
constexpr std::uint64_t kBatchGroups = kBatchKeys / kernels::kWeakKeysPerWarp;

// A batch of keys, from its launch to its results.
class Batch {
 public:
  explicit Batch(const device::Stream& stream)
      : suspects_(stream, kBatchGroups),
        found_(stream.context(), kBatchGroups),
        done_(stream.context(), device::EventKind::order) {}

  void start(std::uint64_t first, std::uint64_t count, device::DeviceSpan<const std::uint32_t> initial,
             const device::Stream& stream) {
    first_ = first;
    count_ = count;
    const std::uint64_t groups = (count - 1) / kernels::kWeakKeysPerWarp + 1;
    const device::DeviceInfo& info = stream.context().info();
    device::launch_on(stream, "weak keys kernel", [&](device::StreamHandle handle) {
      return kernels::launch_weak_keys({first, groups, initial.data, suspects_.data()}, info.multiprocessors,
                                       info.shared_bytes_per_block, handle);
    });
    const auto bytes = static_cast<std::size_t>(groups);
    device::copy_to_host(found_.span().first(bytes),
                         device::DeviceSpan<const std::uint8_t>(suspects_.span().subspan(0, bytes)), stream);
    done_.record(stream);
  }

  // Waits for it and returns its number of keys.
  std::uint64_t finish(std::vector<cipher::WeakKey>& found) {
    done_.synchronize();
    for (std::uint64_t group = 0; group * kernels::kWeakKeysPerWarp < count_; ++group) {
      for (unsigned keys = found_.data()[group]; keys != 0; keys &= keys - 1) {
        const std::uint64_t at =
            group * kernels::kWeakKeysPerWarp + static_cast<unsigned>(std::countr_zero(keys));
        if (at >= count_) break;
        const auto pairs = cipher::find_weak_keys(first_ + at, 1);
        found.insert(found.end(), pairs.begin(), pairs.end());
      }
    }
    return std::exchange(count_, 0);
  }

 private:
  std::uint64_t first_ = 0;
  std::uint64_t count_ = 0;  // 0: nothing in flight
  device::Buffer<std::uint8_t> suspects_;
  device::PinnedBuffer<std::uint8_t> found_;
  device::Event done_;
};

}  // namespace

std::vector<cipher::WeakKey> find_weak_keys(std::uint64_t first, std::uint64_t count,
                                            const device::Stream& stream,
                                            const std::function<void(std::uint64_t keys)>& done) {
  if (count != 0 && count - 1 > ~first) throw Error(Errc::usage, "keys end at 2^64 - 1");
  const auto words = cipher::initial_words();
  device::Buffer<std::uint32_t> initial(stream, words.size(), device::Contents::open);
  device::copy_to_device(initial.span(), words, stream);
  std::array<Batch, 2> batches{Batch(stream), Batch(stream)};
  std::vector<cipher::WeakKey> found;
  const auto finish = [&](Batch& batch) {
    const std::uint64_t keys = batch.finish(found);
    if (done) done(keys);
  };
  try {
    std::size_t turn = 0;
    for (std::uint64_t at = 0; at < count; at += std::min(kBatchKeys, count - at), ++turn) {
      batches[turn % 2].start(first + at, std::min(kBatchKeys, count - at), initial.span(), stream);
      if (turn != 0) finish(batches[(turn - 1) % 2]);
    }
    if (turn != 0) finish(batches[(turn - 1) % 2]);
  } catch (...) {
    static_cast<void>(stream.drain());  // nothing may be in flight into the batches' memory
    throw;
  }
  return found;
}

}  // namespace fugu::engine::cuda
