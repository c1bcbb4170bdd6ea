// Transforms of arrays in GPU memory, in place there and on their owner's stream.
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <complex>

#include "fugu/core/hadamard_base.hpp"
#include "fugu/spectral/cuda/vilenkin_chrestenson.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "python/extension/arrays.hpp"
#include "python/extension/long_work.hpp"

namespace fugu::python {
namespace {

using device::DeviceSpan;
using device::Stream;

ItemType element_of(const GpuArray& array) {
  if (array.type == "int32") return ItemType::int32;
  if (array.type == "int64") return ItemType::int64;
  if (array.type == "float32") return ItemType::float32;
  if (array.type == "float64") return ItemType::float64;
  throw Error(Errc::usage, "arrays of " + array.type + " are not supported on a GPU");
}

template <class T>
void copy_unless_same(DeviceSpan<T> to, const GpuArray& from, const Stream& stream) {
  if (from.span<T>().data != to.data) device::copy_on_device(to, from.span<const T>(), stream);
}

template <class T>
void walsh_of(const GpuArray& x, const GpuArray& out, int log2_size, int ordering, double scale,
              const Stream& stream) {
  spectral::cuda::walsh(x.span<const T>(), out.span<T>(), log2_size,
                        static_cast<spectral::Ordering>(ordering), scale, stream);
}

void walsh(const GpuArray& x, const GpuArray& out, int log2_size, int ordering, double scale,
           const Place& place) {
  run_short([&](const std::stop_token&) {
    const Stream stream = place.adopted();
    if (out.type == "float16") return walsh_of<core::Float16>(x, out, log2_size, ordering, scale, stream);
    if (out.type == "bfloat16") return walsh_of<core::Bfloat16>(x, out, log2_size, ordering, scale, stream);
    with_number(element_of(out),
                [&](auto type) { walsh_of<decltype(type)>(x, out, log2_size, ordering, scale, stream); });
  });
}

// walsh() of arrays by their addresses: for callers to whom a microsecond matters.
void walsh_at(Pointer x, Pointer out, std::size_t values, std::string_view type, int log2_size, int ordering,
              double scale, int device, Pointer stream) {
  const std::string name(type);
  walsh({x, values, name}, {out, values, name}, log2_size, ordering, scale, {device, stream});
}

template <class T>
void hadamard_rows_of(const GpuArray& x, const GpuArray& out, spectral::cuda::HadamardBase base,
                      int log2_size, double scale, const Stream& stream) {
  spectral::cuda::hadamard(x.span<const T>(), out.span<T>(), base, log2_size, scale, stream);
}

// Returns false, with nothing done, where the GPU's blocks are too small for such rows.
bool hadamard_rows(const GpuArray& x, const GpuArray& out, int rows, bool transposed, int log2_size,
                   double scale, const Place& place) try {
  run_short([&](const std::stop_token&) {
    const Stream stream = place.adopted();
    const auto run = x.type == "float16"    ? hadamard_rows_of<core::Float16>
                     : x.type == "bfloat16" ? hadamard_rows_of<core::Bfloat16>
                                            : hadamard_rows_of<float>;
    run(x, out, {rows, transposed}, log2_size, scale, stream);
  });
  return true;
} catch (const Error& error) {
  if (error.code() != Errc::no_device) throw;
  return false;
}

std::vector<std::vector<int>> hadamard_base(int rows) {
  std::vector<std::vector<int>> matrix(static_cast<std::size_t>(rows),
                                       std::vector<int>(static_cast<std::size_t>(rows)));
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < rows; ++column)
      matrix[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] =
          core::hadamard_base(rows, row, column);
  }
  return matrix;
}

void inverse_walsh(const GpuArray& x, const GpuArray& out, int log2_size, int ordering, const Place& place) {
  run_short([&](const std::stop_token&) {
    const Stream stream = place.adopted();
    with_number(element_of(out), [&](auto type) {
      const DeviceSpan span = out.span<decltype(type)>();
      copy_unless_same(span, x, stream);
      spectral::cuda::inverse_walsh(span, log2_size, static_cast<spectral::Ordering>(ordering), stream);
    });
  });
}

// Packed truth tables; a row has at least 4 bytes.
void boolean_spectrum(const GpuArray& x, const GpuArray& out, int variables, const Place& place) {
  run_short([&](const std::stop_token&) {
    const Stream stream = place.adopted();
    const DeviceSpan words = out.span<std::int32_t>();
    const std::size_t size = std::size_t{1} << variables;
    const auto* tables = reinterpret_cast<const std::uint32_t*>(x.data);
    for (std::size_t at = 0; at < out.values; at += size) {
      const DeviceSpan<const std::uint32_t> table{tables + at / 32, size / 32};
      spectral::cuda::boolean_spectrum(table, variables, words.subspan(at, size), stream);
    }
  });
}

void copy_to_host(const GpuArray& x, nb::handle out_object, const Place& place) {
  const HostBuffer out(out_object, Access::write);
  run_short([&](const std::stop_token&) {
    const Stream stream = place.adopted();
    const std::span bytes = out.writable_bytes();
    device::copy_to_host(bytes, {reinterpret_cast<const std::byte*>(x.data), bytes.size()}, stream);
    stream.synchronize();
  });
}

template <class T>
void convolve_rows(const GpuArray& f, const std::optional<GpuArray>& g, const GpuArray& out,
                   std::size_t columns, const Stream& stream) {
  if constexpr (std::is_same_v<T, std::int32_t>) {
    throw Error(Errc::usage, "on a GPU integers are convolved as int64: give int64");
  } else {
    const device::Buffer<T> used(stream, g ? g->values : 0, device::Contents::open);
    if (g) device::copy_on_device(used.span(), g->span<const T>(), stream);
    copy_unless_same(out.span<T>(), f, stream);
    for (std::size_t at = 0; at < out.values; at += columns) {
      const DeviceSpan row = out.span<T>().subspan(at, columns);
      spectral::cuda::dyadic_convolve(row, g ? used.span().subspan(at, columns) : row, stream);
    }
  }
}

void convolve(const GpuArray& f, const std::optional<GpuArray>& g, const GpuArray& out, std::size_t columns,
              const Place& place) {
  run_short([&](const std::stop_token&) {
    const Stream stream = place.adopted();
    with_number(element_of(out),
                [&](auto type) { convolve_rows<decltype(type)>(f, g, out, columns, stream); });
  });
}

template <class T>
void transform_over_group(const spectral::CharacterGroup& group, const GpuArray& x, const GpuArray& out,
                          bool inverse, const Stream& stream) {
  const DeviceSpan span = out.span<std::complex<T>>();
  copy_unless_same(span, x, stream);
  inverse ? spectral::cuda::inverse_vilenkin_chrestenson(group, span, stream)
          : spectral::cuda::vilenkin_chrestenson(group, span, stream);
}

void vilenkin_chrestenson(const std::vector<std::uint32_t>& orders, const GpuArray& x, const GpuArray& out,
                          bool inverse, const Place& place) {
  run_short([&](const std::stop_token&) {
    const Stream stream = place.adopted();
    const spectral::CharacterGroup group(orders);
    out.type == "complex64" ? transform_over_group<float>(group, x, out, inverse, stream)
                            : transform_over_group<double>(group, x, out, inverse, stream);
  });
}

using Range = std::array<std::uint64_t, 2>;  // first, count

// The rows and columns of the characters of a group, row by row into `out`.
void character_table(const std::vector<std::uint32_t>& orders, const Range& rows, const Range& columns,
                     bool equation1, const GpuArray& out, const Place& place) {
  run_short([&](const std::stop_token&) {
    const Stream stream = place.adopted();
    const spectral::CharacterGroup group(orders);
    const spectral::TableTile tile{rows[0], rows[1], columns[0], columns[1]};
    const auto order = equation1 ? spectral::RowOrder::equation1 : spectral::RowOrder::kronecker;
    const auto write = [&](auto type) {
      spectral::cuda::character_table(group, tile, out.span<decltype(type)>(), order, stream);
    };
    if (out.type == "complex64") return write(std::complex<float>{});
    if (out.type == "complex128") return write(std::complex<double>{});
    out.type == "uint8" ? write(std::uint8_t{}) : write(std::uint16_t{});
  });
}

// The fields of an array from another library by DLPack, which keeps it until this dies.
class DlpackView {
 public:
  explicit DlpackView(nb::ndarray<> array) : array_(std::move(array)) {}

  Pointer pointer() const { return reinterpret_cast<Pointer>(array_.data()); }
  int device() const { return array_.device_id(); }
  nb::typed<nb::tuple, int, nb::ellipsis> shape() const {
    nb::list sizes;
    for (std::size_t i = 0; i < array_.ndim(); ++i) sizes.append(array_.shape(i));
    return nb::tuple(sizes);
  }

  bool is_contiguous() const {
    std::int64_t expected = 1;
    for (std::size_t i = array_.ndim(); i-- != 0;) {
      if (array_.shape(i) != 1 && array_.stride(i) != expected) return false;
      expected *= static_cast<std::int64_t>(array_.shape(i));
    }
    return true;
  }

  // NumPy's name: "int32".
  std::string type() const {
    const nb::dlpack::dtype type = array_.dtype();
    const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
    if (type.lanes != 1) return "vectors";
    if (code == nb::dlpack::dtype_code::Bool) return "bool";
    const char* const name = code == nb::dlpack::dtype_code::Int       ? "int"
                             : code == nb::dlpack::dtype_code::UInt    ? "uint"
                             : code == nb::dlpack::dtype_code::Float   ? "float"
                             : code == nb::dlpack::dtype_code::Complex ? "complex"
                             : code == nb::dlpack::dtype_code::Bfloat  ? "bfloat"
                                                                       : "other";
    return name + std::to_string(type.bits);
  }

 private:
  nb::ndarray<> array_;
};

}  // namespace

void bind_gpu_transforms(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<GpuArray>(module, "GpuArray")
      .def(nb::init<Pointer, std::size_t, std::string>(), "data"_a, "values"_a, "type"_a);
  nb::class_<Place>(module, "Place").def(nb::init<int, Pointer>(), "device"_a, "stream"_a);
  nb::class_<DlpackView>(module, "DlpackView")
      .def(nb::init<nb::ndarray<>>(), nb::sig("def __init__(self, capsule: object) -> None"))
      .def_prop_ro("pointer", &DlpackView::pointer)
      .def_prop_ro("device", &DlpackView::device)
      .def_prop_ro("shape", &DlpackView::shape)
      .def_prop_ro("type", &DlpackView::type)
      .def_prop_ro("is_contiguous", &DlpackView::is_contiguous);
  module.def(
      "device_of", [](Pointer data) { return device::device_of(reinterpret_cast<const void*>(data)); },
      "pointer"_a);
  module.def("gpu_walsh", walsh, "x"_a, "out"_a, "log2_size"_a, "ordering"_a, "scale"_a, "place"_a);
  module.def("gpu_walsh_at", walsh_at, "x"_a, "out"_a, "values"_a, "type"_a, "log2_size"_a, "ordering"_a,
             "scale"_a, "device"_a, "stream"_a);
  module.def("gpu_hadamard_rows", hadamard_rows, "x"_a, "out"_a, "rows"_a, "transposed"_a, "log2_size"_a,
             "scale"_a, "place"_a);
  module.def("hadamard_base", hadamard_base, "rows"_a);
  module.def("gpu_inverse_walsh", inverse_walsh, "x"_a, "out"_a, "log2_size"_a, "ordering"_a, "place"_a);
  module.def("gpu_boolean_spectrum", boolean_spectrum, "x"_a, "out"_a, "variables"_a, "place"_a);
  module.def("gpu_copy_to_host", copy_to_host, "x"_a, "out"_a, "place"_a);
  module.def("gpu_convolve", convolve, "f"_a, "g"_a.none(), "out"_a, "columns"_a, "place"_a);
  module.def("gpu_vilenkin_chrestenson", vilenkin_chrestenson, "orders"_a, "x"_a, "out"_a, "inverse"_a,
             "place"_a);
  module.def("gpu_character_table", character_table, "orders"_a, "rows"_a, "columns"_a, "equation1"_a,
             "out"_a, "place"_a);
}

}  // namespace fugu::python
