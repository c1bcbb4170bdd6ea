// Rows of boxes of more than 16 outputs where few pairs share an entry: counted in a block's shared memory, a
// bit or four per entry.
#include <algorithm>
#include <utility>

#include "fugu/spectral/cuda/detail/box_tables.hpp"
#include "fugu/spectral/cuda/detail/buffers.hpp"
#include "kernels/sbox/sbox_launch.hpp"

namespace fugu::spectral::cuda {
namespace {

using device::Buffer;
using device::Contents;
using device::StreamHandle;

constexpr int kSparseBits = 28;  // values of rows on the device at a time: 512 MiB, 16 bits each

bool is_sparse(const DeviceBox& box) {
  return kernels::is_sparse(box.inputs(), box.outputs()) &&
         kernels::sparse_plane_bytes(box.outputs()) <= box.stream().context().info().shared_bytes_per_block;
}

// Values by the place of their columns, by column.
template <class T>
std::vector<T> by_column(const std::vector<T>& values, int outputs) {
  std::vector<T> result(values.size());
  for (std::uint32_t place = 0; place < values.size(); ++place)
    result[kernels::sparse_column(place, outputs)] = values[place];
  return result;
}

// Rows on their way from pairs to columns.
class SparseBatch {
 public:
  explicit SparseBatch(const DeviceBox& box)
      : box_(box),
        most_(std::min(std::uint32_t{1} << (kSparseBits - box.outputs()),
                       static_cast<std::uint32_t>(box.size()))),
        nibbles_(box.stream(), (std::size_t{most_} << box.outputs()) / 8, Contents::open),
        halves_(box.stream(), (std::size_t{most_} << box.outputs()) / 2, Contents::open) {}

  // `columns` lacks the rows and their values.
  void for_all(kernels::SparseColumns columns) const {
    const auto size = static_cast<std::uint32_t>(box_.size());
    columns.halves = halves_.data();
    for (columns.first = 1; columns.first < size; columns.first = columns.last) {
      columns.last = std::min(columns.first + most_, size);
      run(columns);
    }
  }

 private:
  void run(const kernels::SparseColumns& columns) const {
    const kernels::SparseRows rows{box_.inputs(), box_.outputs(), box_.values().data,
                                   columns.first, columns.last,   nibbles_.data()};
    device::launch_on(box_.stream(), "sparse_rows",
                      [&](StreamHandle handle) { return kernels::launch_sparse_rows(rows, handle); });
    device::launch_on(box_.stream(), "sparse_transform", [&](StreamHandle handle) {
      return kernels::launch_sparse_transform(
          {box_.outputs(), columns.last - columns.first, nibbles_.data(), halves_.data()}, handle);
    });
    device::launch_on(box_.stream(), "sparse_columns",
                      [&](StreamHandle handle) { return kernels::launch_sparse_columns(columns, handle); });
  }

  const DeviceBox& box_;
  std::uint32_t most_;
  Buffer<std::uint32_t> nibbles_;
  Buffer<std::uint32_t> halves_;
};

}  // namespace

std::optional<FoundRows> sparse_rows(const DeviceBox& box) {
  if (!is_sparse(box)) return std::nullopt;
  const device::Stream& stream = box.stream();
  const auto blocks = static_cast<std::uint32_t>(stream.context().info().multiprocessors);
  const Buffer<std::uint32_t> lists(stream, blocks * std::max<std::size_t>(box.size() / 2, 1024),
                                    Contents::open);
  const Buffer<std::uint64_t> counts =
      zeros<std::uint64_t>(std::max<std::size_t>(box.size() / 2, kernels::kMostSparsePairs) + 1, stream);
  const Buffer<std::uint32_t> scalars = filled(std::vector{0u, kernels::kNoWeight, 0u}, stream);
  device::launch_on(stream, "sparse_differences", [&](StreamHandle handle) {
    return kernels::launch_sparse_differences(
        {box.inputs(), box.outputs(), box.values().data, 1, static_cast<std::uint32_t>(box.size()), blocks,
         lists.data(), counts.data(), scalars.data(), scalars.data() + 1, scalars.data() + 2},
        handle);
  });
  const std::vector<std::uint32_t> found = values_of(scalars, stream);
  if (found[2] != 0) return std::nullopt;
  return FoundRows{values_of(counts, stream), found[0], found[1]};
}

std::optional<FoundColumns> sparse_columns(const DeviceBox& box) {
  if (!is_sparse(box)) return std::nullopt;
  const device::Stream& stream = box.stream();
  const std::size_t columns = std::size_t{1} << box.outputs();
  const Buffer<std::uint32_t> largest = zeros<std::uint32_t>(columns, stream);
  const Buffer<std::uint64_t> sums = zeros<std::uint64_t>(columns, stream);
  const Buffer<std::uint32_t> structures = zeros<std::uint32_t>(columns, stream);
  const Buffer<std::uint32_t> lightest = filled(std::vector{kernels::kNoWeight}, stream);
  SparseBatch(box).for_all({box.outputs(), 0, 0, static_cast<std::uint32_t>(box.size() / 2), nullptr,
                            largest.data(), sums.data(), structures.data(), lightest.data()});
  FoundColumns found{by_column(values_of(largest, stream), box.outputs()),
                     by_column(values_of(sums, stream), box.outputs()),
                     by_column(values_of(structures, stream), box.outputs()), values_of(lightest, stream)[0]};
  // r(a,0) = 2^inputs in every row whose counters had room.
  if (found.structures[0] + 1 != box.size()) return std::nullopt;
  return found;
}

}  // namespace fugu::spectral::cuda
