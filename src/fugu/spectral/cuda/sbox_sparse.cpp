// Rows of boxes of more than 16 outputs in which few pairs share an entry. They are counted in a block's
// shared memory, one or four bits per entry.
#include <algorithm>
#include <utility>

#include "fugu/spectral/cuda/detail/box_tables.hpp"
#include "fugu/spectral/cuda/detail/parts.hpp"
#include "fugu/spectral/cuda/detail/table_buffers.hpp"
#include "kernels/sbox/sparse_row_launch.hpp"

namespace fugu::spectral::cuda {
namespace {

using device::Buffer;
using device::Contents;
using device::StreamHandle;

constexpr int kSparseBits = 30;              // 2^30 16-bit values of rows on the device at a time: 2 GiB
constexpr unsigned kSparsePartsQueued = 16;  // parts of some milliseconds each

constexpr std::uint32_t kLaunchedRows = 1 << 16;  // rows of differences per launch
constexpr unsigned kLaunchesQueued = 2;           // launches of a tenth of a second each

bool is_sparse(const DeviceBox& box) {
  return kernels::is_sparse(box.inputs(), box.outputs()) &&
         kernels::sparse_plane_bytes(box.outputs()) <= box.stream().context().info().shared_bytes_per_block;
}

// Reorders values from the order of sparse_column() to the order of columns.
template <class T>
std::vector<T> by_column(const std::vector<T>& values, int outputs) {
  std::vector<T> result(values.size());
  for (std::uint32_t place = 0; place < values.size(); ++place)
    result[kernels::sparse_column(place, outputs)] = values[place];
  return result;
}

// Computes the tables batch by batch: counts the pairs of some rows, transforms them and adds up columns.
class SparseBatch {
 public:
  explicit SparseBatch(const DeviceBox& box)
      : box_(box),
        most_(std::min(std::uint32_t{1} << (kSparseBits - box.outputs()),
                       static_cast<std::uint32_t>(box.size()))),
        nibbles_(box.stream(), (std::size_t{most_} << box.outputs()) / 8, Contents::open),
        halves_(box.stream(), (std::size_t{most_} << box.outputs()) / 2, Contents::open) {}

  // Takes all rows a != 0.
  void run(const RowBuffers& rows, const ColumnBuffers& columns, const std::stop_token& stop) const {
    const auto size = static_cast<std::uint32_t>(box_.size());
    Parts parts(box_.stream(), stop, kSparsePartsQueued);
    for (std::uint32_t first = 1; first < size; first += most_) {
      parts.next();
      run(first, std::min(first + most_, size), rows, columns);
    }
  }

 private:
  void run(std::uint32_t first, std::uint32_t last, const RowBuffers& rows,
           const ColumnBuffers& columns) const {
    device::launch_on(box_.stream(), "sparse_rows", [&](StreamHandle handle) {
      return kernels::launch_sparse_rows({box_.inputs(), box_.outputs(), box_.values().data, first, last,
                                          nibbles_.data(), rows.largest_zero(), rows.lightest()},
                                         handle);
    });
    device::launch_on(box_.stream(), "sparse_transform", [&](StreamHandle handle) {
      return kernels::launch_sparse_transform(
          {box_.outputs(), last - first, nibbles_.data(), halves_.data(), rows.counts()}, handle);
    });
    device::launch_on(box_.stream(), "sparse_columns", [&](StreamHandle handle) {
      return kernels::launch_sparse_columns(
          {box_.outputs(), first, last, static_cast<std::uint32_t>(box_.size() / 2), halves_.data(),
           columns.largest(), columns.sums(), columns.structures(), columns.lightest()},
          handle);
    });
  }

  const DeviceBox& box_;
  std::uint32_t most_;
  Buffer<std::uint32_t> nibbles_;
  Buffer<std::uint32_t> halves_;
};

}  // namespace

std::optional<FoundRows> sparse_rows(const DeviceBox& box, const std::stop_token& stop) {
  if (!is_sparse(box)) return std::nullopt;
  const device::Stream& stream = box.stream();
  const auto blocks = static_cast<std::uint32_t>(stream.context().info().multiprocessors);
  const Buffer<std::uint32_t> lists(stream, blocks * std::max<std::size_t>(box.size() / 2, 1024),
                                    Contents::open);
  const RowBuffers rows(std::max<std::size_t>(box.size() / 2, kernels::kMostSparsePairs) + 1, stream);
  const Buffer<std::uint32_t> crowded = zeros<std::uint32_t>(1, stream);
  const auto size = static_cast<std::uint32_t>(box.size());
  Parts parts(stream, stop, kLaunchesQueued);
  for (std::uint32_t first = 1, last = 1; first < size; first = last) {
    if (parts.next() && values_of(crowded, stream)[0] != 0) return std::nullopt;
    last = first + std::min(kLaunchedRows, size - first);
    device::launch_on(stream, "sparse_differences", [&](StreamHandle handle) {
      return kernels::launch_sparse_differences(
          {box.inputs(), box.outputs(), box.values().data, first, last, blocks, lists.data(), rows.counts(),
           rows.largest_zero(), rows.lightest(), crowded.data()},
          handle);
    });
  }
  if (values_of(crowded, stream)[0] != 0) return std::nullopt;
  return rows.found(stream);
}

std::optional<FoundTables> sparse_tables(const DeviceBox& box, const std::stop_token& stop) {
  if (!is_sparse(box)) return std::nullopt;
  const device::Stream& stream = box.stream();
  const RowBuffers rows(std::max<std::size_t>(box.size() / 2, 15) + 1, stream);
  const ColumnBuffers columns(std::size_t{1} << box.outputs(), stream);
  SparseBatch(box).run(rows, columns, stop);
  const FoundColumns by_place = columns.found(stream);
  // r(a,0) = 2^inputs in every row without overflow, and sparse_column(0) = 0.
  if (by_place.structures[0] + 1 != box.size()) return std::nullopt;
  return FoundTables{rows.found(stream),
                     {by_column(by_place.largest, box.outputs()), by_column(by_place.sums, box.outputs()),
                      by_column(by_place.structures, box.outputs()), by_place.lightest}};
}

}  // namespace fugu::spectral::cuda
