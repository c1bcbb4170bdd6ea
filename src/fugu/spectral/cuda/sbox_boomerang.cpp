// The boomerang tables of permutations on a GPU, some rows per launch. A call can be stopped between
// launches.
#include <algorithm>
#include <chrono>

#include "fugu/error.hpp"
#include "fugu/spectral/cuda/detail/box_tables.hpp"
#include "fugu/spectral/cuda/sbox.hpp"

namespace fugu::spectral::cuda {
namespace {

using device::Buffer;
using device::Contents;

// If a launch was shorter than this, the next one processes twice as many rows. A row of a linear box takes
// 10^4 times as long as a row of most boxes.
constexpr std::chrono::milliseconds kLaunch{5};

struct FoundBoomerang {
  std::vector<std::uint64_t> beta;  // counts of the entries beta != 0, indexed by beta / 2
  std::vector<std::uint64_t> phi;   // half the counts of the entries phi != 0, indexed by phi / 4
};

// Returns nothing if the box is not a permutation. `counters` is the number of words per block.
template <class Value>
std::optional<FoundBoomerang> found_boomerang(const DeviceBox& box, const Value* values, std::uint32_t blocks,
                                              std::size_t counters, const std::stop_token& stop) {
  const device::Stream& stream = box.stream();
  const auto size = static_cast<std::uint32_t>(box.size());
  const Buffer<Value> before(stream, blocks * box.size() / 2, Contents::open);
  const Buffer<std::uint32_t> words = zeros<std::uint32_t>(blocks * counters, stream);
  const Buffer<std::uint64_t> beta = zeros<std::uint64_t>(box.size() / 2 + 1, stream);
  const Buffer<std::uint64_t> phi = zeros<std::uint64_t>(box.size() / 2 + 1, stream);
  const Buffer<std::uint32_t> is_no_permutation = zeros<std::uint32_t>(1, stream);
  std::uint32_t rows = blocks;
  for (std::uint32_t first = 1, last = 1; first < size; first = last) {
    if (stop.stop_requested()) throw Error(Errc::interrupted, "interrupted");
    const auto begin = std::chrono::steady_clock::now();
    last = first + std::min(rows, size - first);
    device::launch_on(stream, "boomerang_rows", [&](device::StreamHandle handle) {
      return kernels::launch_boomerang_rows(
          kernels::BoomerangRows<Value>{box.inputs(), values, first, last, blocks, before.data(),
                                        words.data(), beta.data(), phi.data(), is_no_permutation.data()},
          handle);
    });
    if (values_of(is_no_permutation, stream)[0] != 0) return std::nullopt;
    if (std::chrono::steady_clock::now() - begin < kLaunch) rows *= 2;
  }
  return FoundBoomerang{values_of(beta, stream), values_of(phi, stream)};
}

std::optional<FoundBoomerang> found_boomerang(const DeviceBox& box, const std::stop_token& stop) {
  const auto multiprocessors = static_cast<std::uint32_t>(box.stream().context().info().multiprocessors);
  if (box.inputs() > kernels::kMaxBlockBits)
    return found_boomerang(box, box.values().data, multiprocessors, box.size(), stop);
  const Buffer<std::uint16_t> values = box.narrow_values();
  constexpr std::uint32_t kBlocksEach = 4;  // per multiprocessor, for fewer inputs
  return found_boomerang<std::uint16_t>(box, values.data(), kBlocksEach * multiprocessors, 0, stop);
}

}  // namespace

std::optional<Boomerang> boomerang(const DeviceBox& box, const std::stop_token& stop) {
  if (!has_boomerang_kernels(box.inputs(), box.outputs())) return std::nullopt;
  std::optional<FoundBoomerang> found = found_boomerang(box, stop);
  if (!found) return std::nullopt;
  for (std::uint64_t& count : found->phi) count *= 2;
  const std::uint64_t rows = box.size() - 1;
  Boomerang result;
  result.bct = histogram_of(found->beta, 0, 2, 1, rows * rows);
  result.fbct = histogram_of(found->phi, 0, 4, 1, rows * (rows - 1));
  complete(result);
  return result;
}

}  // namespace fugu::spectral::cuda
