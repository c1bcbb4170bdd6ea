// Rows of boxes of 16 to 20 outputs that fit bytes after the first stages.
#include <algorithm>
#include <vector>

#include "fugu/spectral/cuda/detail/box_tables.hpp"
#include "fugu/spectral/cuda/detail/parts.hpp"
#include "fugu/spectral/cuda/detail/table_buffers.hpp"
#include "kernels/sbox/byte_row_launch.hpp"

namespace fugu::spectral::cuda {
namespace {

using device::Buffer;
using device::Contents;
using device::StreamHandle;

constexpr int kByteBits = 31;             // 2^31 values of rows on the device at a time: 2 GiB
constexpr unsigned kBytePartsQueued = 8;  // parts of some milliseconds each

// Rows per block. A 32-bit number holds the sum over such rows of the squares of r / 8, or of r / 4 if that
// may be odd.
constexpr std::uint32_t kEvenRowsEach = 256, kOddRowsEach = 64;

constexpr std::size_t kEntryCounters = 16;  // indexed by delta / 2

bool suits(const DeviceBox& box) {
  const device::DeviceInfo& info = box.stream().context().info();
  return kernels::has_byte_rows(box.inputs(), box.outputs()) && info.compute_major >= 9 &&
         info.shared_bytes_per_block >= kernels::kMostByteRowBytes;
}

std::uint32_t sum_of_values(const DeviceBox& box) {
  const Buffer<std::uint32_t> sum = zeros<std::uint32_t>(1, box.stream());
  device::launch_on(box.stream(), "value_sum", [&](StreamHandle handle) {
    return kernels::launch_value_sum({box.values().data, static_cast<std::uint32_t>(box.size()), sum.data()},
                                     handle);
  });
  return values_of(sum, box.stream())[0];
}

// Computes the tables batch by batch: counts the pairs of some rows, transforms them and adds up columns.
template <class Value>
class ByteBatch {
 public:
  ByteBatch(const DeviceBox& box, const Value* values)
      : box_(box),
        values_(values),
        most_(std::min(std::uint32_t{1} << (kByteBits - box.outputs()),
                       static_cast<std::uint32_t>(box.size()))),
        odd_(sum_of_values(box)),
        bytes_(box.stream(), (std::size_t{most_} << box.outputs()) / sizeof(std::uint32_t), Contents::open),
        inexact_(zeros<std::uint32_t>(1, box.stream())),
        rows_(kEntryCounters, box.stream()),
        largest_(zeros<std::uint32_t>(std::size_t{1} << box.outputs(), box.stream())),
        sums_(zeros<std::uint64_t>(largest_.size(), box.stream())),
        lightest_(filled(std::vector{kernels::kNoWeight}, box.stream())) {}

  std::optional<FoundTables> run(const std::stop_token& stop) const {
    const auto size = static_cast<std::uint32_t>(box_.size());
    Parts parts(box_.stream(), stop, kBytePartsQueued);
    for (std::uint32_t first = 1; first < size; first += most_) {
      if (parts.next() && is_inexact()) return std::nullopt;
      run(first, std::min(first + most_, size));
    }
    FoundTables found{rows_.found(box_.stream()), columns()};
    if (is_inexact() || found.columns.largest[0] != 0) return std::nullopt;
    // r(a,0) = 2^inputs in every row. Any other r of this magnitude would have set inexact_.
    found.columns.largest[0] = size / 2;
    found.columns.sums[0] = std::uint64_t{size - 1} * (size / 2) * (size / 2);
    found.columns.structures[0] = size - 1;
    return found;
  }

 private:
  bool is_inexact() const { return values_of(inexact_, box_.stream())[0] != 0; }

  void run(std::uint32_t first, std::uint32_t last) const {
    device::launch_on(box_.stream(), "byte_rows", [&](StreamHandle handle) {
      return kernels::launch_byte_rows(
          kernels::ByteRows<Value>{box_.inputs(), box_.outputs(), values_, first, last, bytes_.data(),
                                   rows_.counts(), rows_.largest_zero(), rows_.lightest(), inexact_.data()},
          handle);
    });
    device::launch_on(box_.stream(), "byte_columns", [&](StreamHandle handle) {
      return kernels::launch_byte_columns(
          {box_.outputs(), first, last, odd_ == 0 ? kEvenRowsEach : kOddRowsEach, odd_, bytes_.data(),
           largest_.data(), sums_.data(), lightest_.data(), inexact_.data()},
          handle);
    });
  }

  FoundColumns columns() const {
    const device::Stream& stream = box_.stream();
    const Buffer<std::uint32_t> largest(stream, largest_.size(), Contents::open);
    const Buffer<std::uint64_t> sums(stream, sums_.size(), Contents::open);
    device::launch_on(stream, "byte_order", [&](StreamHandle handle) {
      return kernels::launch_byte_order(
          {box_.outputs(), largest_.data(), sums_.data(), largest.data(), sums.data()}, handle);
    });
    return {values_of(largest, stream), values_of(sums, stream), std::vector<std::uint32_t>(largest.size()),
            values_of(lightest_, stream)[0]};
  }

  const DeviceBox& box_;
  const Value* values_;
  std::uint32_t most_;
  std::uint32_t odd_;
  Buffer<std::uint32_t> bytes_;
  Buffer<std::uint32_t> inexact_;
  RowBuffers rows_;
  Buffer<std::uint32_t> largest_;
  Buffer<std::uint64_t> sums_;
  Buffer<std::uint32_t> lightest_;
};

}  // namespace

std::optional<FoundTables> byte_tables(const DeviceBox& box, const std::stop_token& stop) {
  if (!suits(box)) return std::nullopt;
  if (box.outputs() > kernels::kMostBlockBits)
    return ByteBatch<std::uint32_t>(box, box.values().data).run(stop);
  const Buffer<std::uint16_t> values = box.narrow_values();
  return ByteBatch<std::uint16_t>(box, values.data()).run(stop);
}

}  // namespace fugu::spectral::cuda
