// All 2^m - 1 components of a box, in bytes if the CPU and the box allow.
#include "fugu/spectral/sbox/linear.hpp"

#include <algorithm>

#include "fugu/error.hpp"
#include "fugu/spectral/sbox/detail/byte_profile.hpp"
#include "fugu/spectral/sbox/detail/rows.hpp"

namespace fugu::spectral {
namespace detail {

ByteBox byte_box(const SBox& box) {
  ByteBox result;
  const auto sign = [](std::uint32_t bits) {
    return static_cast<std::int8_t>(std::popcount(bits) % 2 == 0 ? 1 : -1);
  };
  for (std::size_t x = 0; x < kBytePoints; ++x) {
    const std::uint32_t value = box[x % box.size()];
    for (std::uint32_t lane = 0; lane < kByteLanes; ++lane) result.patterns[x][lane] = sign(value & lane);
    for (int j = 0; j < kMaxOutputs; ++j) result.coordinates[j][x] = sign(value >> j & 1);
  }
  result.blocks_bits = box.outputs() - kByteLaneBits;
  return result;
}

}  // namespace detail

namespace {

// The masks per piece of work.
constexpr std::uint64_t kPieceMasks = std::uint64_t{1} << 22;

bool runs_in_bytes(const SBox& box) {
  return box.inputs() <= 8 && box.outputs() >= detail::kByteLaneBits && best_isa() >= Isa::avx2;
}

// The components' maxima, and the masks that reach the overall maximum.
struct Found {
  Histogram largest;  // max |W(.,b)|
  std::uint64_t linearity = 0;
  std::vector<std::uint32_t> masks;

  void note(std::uint64_t value, std::span<const std::uint32_t> reached) {
    if (value < linearity) return;
    if (value > linearity) masks.clear();
    linearity = value;
    masks.insert(masks.end(), reached.begin(), reached.end());
    std::ranges::sort(masks);
    if (masks.size() > kMaxListedMasks) masks.resize(kMaxListedMasks);
  }
};

Found profile_in_bytes(const SBox& box, const SBoxOptions& options, const Progress& done) {
  const detail::ByteBox bytes = detail::byte_box(box);
  const std::uint64_t blocks = std::uint64_t{1} << bytes.blocks_bits;
  const std::uint64_t piece = std::min(blocks, kPieceMasks / detail::kByteLanes);
  const std::uint64_t scale = 256 / box.size();  // max |W| of the box of 8 inputs over that of this one
  Found found;
  std::mutex merging;
  const detail::Workers workers(blocks == piece ? 1 : options.threads, nullptr, options.stop);
  workers.for_ranges(blocks / piece, 1, [&](std::size_t first, std::size_t last) {
    detail::ByteProfile profile;
    for (std::size_t i = first; i < last; ++i) {
      detail::profile_blocks_avx2(bytes, i * piece, (i + 1) * piece, profile);
      if (done) done(piece * detail::kByteLanes);
    }
    const std::lock_guard lock(merging);
    for (std::size_t half = 0; half < profile.counts.size(); ++half) {
      if (profile.counts[half] != 0)
        found.largest[static_cast<std::int64_t>(2 * half / scale)] += profile.counts[half];
    }
    found.note(2 * profile.largest / scale, profile.masks);
  });
  return found;
}

// For any CPU and box: transforms components one by one.
Found profile_one_by_one(const SBox& box, const SBoxOptions& options, const Progress& done) {
  const std::uint64_t count = std::uint64_t{box.last_mask()} + 1;
  const std::uint64_t piece = std::min(count, std::uint64_t{1} << 16);
  const detail::CoordinateSigns coordinates(box);
  Found found;
  std::mutex merging;
  detail::Workers(options.threads, nullptr, options.stop)
      .for_ranges(static_cast<std::size_t>(count / piece), 1, [&](std::size_t first, std::size_t last) {
        detail::ComponentSigns signs(coordinates);
        std::vector<std::int32_t> values(box.size());
        Found mine;
        for (std::uint64_t b = std::max<std::uint64_t>(first * piece, 1); b < last * piece; ++b) {
          const auto mask = static_cast<std::uint32_t>(b);
          signs.write(mask, values.data());
          walsh(std::span(values), box.inputs(), {.threads = 1});
          const auto [low, high] = std::ranges::minmax(values);
          const std::int32_t largest = std::max(high, -low);
          ++mine.largest[largest];
          mine.note(static_cast<std::uint64_t>(largest), {&mask, 1});
          if (done && (b + 1) % piece == 0) done(piece);
        }
        const std::lock_guard lock(merging);
        for (const auto& [value, times] : mine.largest) found.largest[value] += times;
        found.note(mine.linearity, mine.masks);
      });
  return found;
}

}  // namespace

ExhaustiveProfile exhaustive_components(const SBox& box, const SBoxOptions& options) {
  if (box.inputs() > kMaxExhaustiveInputs) {
    throw Error(Errc::usage, "all components of " + std::to_string(box.inputs()) + " inputs: at most " +
                                 std::to_string(kMaxExhaustiveInputs) + " inputs are possible");
  }
  const Progress done = detail::begun(options, std::uint64_t{box.last_mask()} + 1);
  Found found =
      runs_in_bytes(box) ? profile_in_bytes(box, options, done) : profile_one_by_one(box, options, done);
  ExhaustiveProfile profile{
      .nonlinearities = {}, .linearity = found.linearity, .masks = std::move(found.masks)};
  const auto size = static_cast<std::int64_t>(box.size());
  for (const auto& [largest, count] : found.largest) profile.nonlinearities[(size - largest) / 2] += count;
  return profile;
}

double exhaustive_seconds(const SBox& box) {
  const double masks = static_cast<double>(box.last_mask()) + 1;
  if (runs_in_bytes(box)) return masks * 2e-8;
  return masks * static_cast<double>(box.size()) * 6e-9;
}

}  // namespace fugu::spectral
