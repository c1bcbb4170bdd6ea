// Transforms and convolutions of arrays in host memory, on the CPU or through a GPU.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "fugu/core/half.hpp"
#include "fugu/platform/system.hpp"
#include "fugu/spectral/boolean.hpp"
#include "fugu/spectral/cuda/staging.hpp"
#include "fugu/spectral/cuda/walsh.hpp"
#include "fugu/spectral/dyadic.hpp"
#include "fugu/spectral/exactness.hpp"
#include "fugu/spectral/walsh.hpp"
#include "fugu/threads/thread_pool.hpp"
#include "python/extension/arrays.hpp"
#include "python/extension/long_work.hpp"

namespace fugu::python {
namespace {

using spectral::Ordering;
using spectral::TableMeans;
using spectral::WalshOptions;

enum class Direction : bool { forward, inverse };

// Transforms share threads that wait a second for the next call: to start sixteen takes as long as a
// transform of 2^20 values on one (16 cores of Xeon). Read and changed under the GIL.
using KeptThreads = std::shared_ptr<threads::ThreadPool>;
KeptThreads kept_threads;

// None for fewer values than are worth waking a thread.
KeptThreads threads_for(std::size_t values) {
  constexpr std::size_t kSharedValues = std::size_t{1} << 17;
  const unsigned most = values < kSharedValues ? 1 : platform::usable_processors();
  if (most < 2) return nullptr;
  if (!kept_threads || kept_threads->threads() != most)
    kept_threads = std::make_shared<threads::ThreadPool>(most, std::chrono::microseconds(200));
  return kept_threads;
}

struct Transform {
  Ordering ordering;
  Direction direction;
  int log2_size;
  std::optional<int> device;
  KeptThreads threads;

  WalshOptions options(const std::stop_token& stop) const {
    return {.ordering = ordering, .pool = threads.get(), .stop = stop};
  }
};

template <class T>
void expand_table(const HostBuffer& table, TableMeans means, std::span<T> out) {
  if (table.element() == ItemType::packed) return spectral::expand(table.bytes(), means, out);
  const T zero = means == TableMeans::polarity ? T{1} : T{0};
  const T one = means == TableMeans::polarity ? T{-1} : T{1};
  std::ranges::transform(table.values<const std::uint8_t>(), out.begin(),
                         [=](std::uint8_t value) { return value != 0 ? one : zero; });
}

// One thread takes as long for this as sixteen for a transform.
template <class T>
void copy(std::span<const T> from, std::span<T> to, threads::ThreadPool* pool) {
  constexpr std::size_t kGrain = std::size_t{1} << 15;
  const auto part = [&](std::size_t first, std::size_t last) {
    std::ranges::copy(from.subspan(first, last - first), to.subspan(first).begin());
  };
  pool == nullptr ? part(0, to.size()) : pool->for_ranges(to.size(), kGrain, part);
}

template <class To>
void convert(const HostBuffer& from, TableMeans means, std::span<To> to, threads::ThreadPool* pool) {
  const ItemType element = from.element();
  if (element == ItemType::boolean || element == ItemType::packed) return expand_table(from, means, to);
  with_number(element, [&](auto type) {
    using From = decltype(type);
    if constexpr (std::is_same_v<From, To>) {
      if (from.bytes().data() != std::as_bytes(to).data()) copy(from.values<const To>(), to, pool);
    } else if constexpr (std::is_same_v<From, std::int32_t> && std::is_same_v<To, std::int64_t>) {
      std::ranges::copy(from.values<const From>(), to.begin());
    } else {
      throw Error(Errc::usage, "the output and the result have different types");
    }
  });
}

template <class T>
void run_on_device(std::span<const T> from, std::span<T> to, const Transform& transform) {
  const bool inverse = transform.direction == Direction::inverse;
  const device::Stream stream(context_of(*transform.device));
  const int n = transform.log2_size;
  spectral::cuda::on_device_within_range(from, to, n, stream, [&](device::DeviceSpan<T> there) {
    inverse ? spectral::cuda::inverse_walsh(there, transform.log2_size, transform.ordering, stream)
            : spectral::cuda::walsh(there, transform.log2_size, transform.ordering, stream);
  });
}

template <class T>
void run_transform(std::span<T> values, const Transform& transform, const std::stop_token& stop) {
  if (transform.device) return run_on_device(std::span<const T>(values), values, transform);
  const WalshOptions options = transform.options(stop);
  transform.direction == Direction::inverse ? spectral::inverse_walsh(values, transform.log2_size, options)
                                            : spectral::walsh(values, transform.log2_size, options);
}

// 2^n times a function of 32-bit integers may need more bits before the inverse divides.
void run_wide_inverse(std::span<const std::int32_t> x, std::span<std::int32_t> out,
                      const Transform& transform, const std::stop_token& stop) {
  std::vector<std::int64_t> wide(x.begin(), x.end());
  run_transform(std::span(wide), transform, stop);
  const auto fits = [](std::int64_t value) { return value == static_cast<std::int32_t>(value); };
  if (!std::ranges::all_of(wide, fits))
    throw Error(Errc::usage, "the function does not fit int32; give int64");
  std::ranges::transform(wide, out.begin(),
                         [](std::int64_t value) { return static_cast<std::int32_t>(value); });
}

template <class T>
[[noreturn]] void refuse_overflow() {
  if constexpr (std::is_same_v<T, std::int32_t>)
    throw Error(Errc::usage, "coefficients may exceed int32; give int64");
  throw Error(Errc::usage, "coefficients may exceed int64; give float64");
}

// Refuses overflow; `out` then keeps its contents, or holds x if that is allowed.
template <class T>
void transform_numbers(const HostBuffer& x, std::span<T> out, const Transform& transform,
                       bool out_may_become_x, const std::stop_token& stop) {
  const bool is_table = x.element() == ItemType::boolean || x.element() == ItemType::packed;
  const bool forward = transform.direction == Direction::forward;
  if (forward && !transform.device && !is_table && out_may_become_x) {
    convert(x, TableMeans::polarity, out, transform.threads.get());
    if (!spectral::walsh_if_exact(out, transform.log2_size, transform.options(stop))) refuse_overflow<T>();
    return;
  }
  const std::uint64_t row_size = std::uint64_t{1} << transform.log2_size;
  if (!is_table && !spectral::sums_fit(x.values<const T>(), row_size, transform.options(stop))) {
    if constexpr (std::is_same_v<T, std::int32_t>) {
      if (!forward) return run_wide_inverse(x.values<const T>(), out, transform, stop);
    }
    refuse_overflow<T>();
  }
  if (transform.device && !is_table) return run_on_device(x.values<const T>(), out, transform);
  convert(x, TableMeans::polarity, out, transform.threads.get());
  run_transform(out, transform, stop);
}

// Transforms of at most this many values run on the calling thread: they take less than tens of milliseconds,
// of which starting a thread would take a tenth on 16 cores.
constexpr std::uint64_t kShortTransform = std::uint64_t{1} << 24;

// Rows are the last dimension of `out`; x has as many values, of the same type or a truth table's.
// `out_may_become_x`: even if the result is refused, so that x need not be checked before it is copied.
void transform(nb::handle x_object, nb::handle out_object, int ordering, bool inverse, bool out_may_become_x,
               std::optional<int> device) {
  const HostBuffer x(x_object, Access::read);
  const HostBuffer out(out_object, Access::write);
  const int log2_size = spectral::log2_exact(out.columns());
  with_number(out.element(), [&](auto type) {
    const std::span values = out.values<decltype(type)>();
    const Transform how{static_cast<Ordering>(ordering), inverse ? Direction::inverse : Direction::forward,
                        log2_size, device, threads_for(values.size())};
    const Work work = [&](const std::stop_token& stop) {
      transform_numbers(x, values, how, out_may_become_x, stop);
    };
    values.size() > kShortTransform ? run_long(work) : run_short(work);
  });
}

// Rows of 16-bit floats as their bits. Returns what spectral::walsh_halves() does.
bool walsh_halves(nb::handle x_object, nb::handle out_object, bool brain, int ordering, int log2_size,
                  double scale) {
  const HostBuffer x(x_object, Access::read);
  const HostBuffer out(out_object, Access::write);
  const auto transform =
      brain ? spectral::walsh_halves<core::Bfloat16> : spectral::walsh_halves<core::Float16>;
  const std::size_t values = out.bytes().size() / sizeof(std::uint16_t);
  const KeptThreads threads = threads_for(values);
  bool fits = true;
  run(values, [&](const std::stop_token& stop) {
    fits = transform(x.values<const std::uint16_t>(), out.values<std::uint16_t>(), log2_size, scale,
                     {.ordering = static_cast<Ordering>(ordering), .pool = threads.get(), .stop = stop});
  });
  return fits;
}

template <class T>
void convolve_row(std::span<T> f, std::span<T> g, std::optional<int> device, const WalshOptions& options) {
  if constexpr (std::is_same_v<T, std::int32_t>) {
    throw Error(Errc::engine, "convolution in 32 bits");  // the package gives int64
  } else if (device) {
    spectral::cuda::dyadic_convolve(f, g, device::Stream(context_of(*device)));
  } else if (f.data() == g.data()) {
    spectral::dyadic_autocorrelate(f, options);
  } else {
    spectral::dyadic_convolve(f, g, options);
  }
}

// Row by row into `out`, which may be f or g; without g, the autocorrelation of f.
void convolve(nb::handle f_object, std::optional<nb::object> g_object, nb::handle out_object,
              std::optional<int> device) {
  const HostBuffer f(f_object, Access::read);
  const std::optional<HostBuffer> g =
      g_object ? std::optional<HostBuffer>(std::in_place, *g_object, Access::read) : std::nullopt;
  const HostBuffer out(out_object, Access::write);
  const TableMeans means = g ? TableMeans::bits : TableMeans::polarity;
  with_number(out.element(), [&](auto type) {
    using T = decltype(type);
    const std::span to = out.values<T>();
    const KeptThreads threads = threads_for(to.size());
    run(to.size(), [&](const std::stop_token& stop) {
      std::vector<T> used(g ? to.size() : 0);
      if (g) convert(*g, means, std::span(used), threads.get());
      convert(f, means, to, threads.get());
      const std::size_t columns = out.columns();
      for (std::size_t at = 0; at < to.size(); at += columns) {
        const std::span row = to.subspan(at, columns);
        convolve_row(row, g ? std::span(used).subspan(at, columns) : row, device,
                     {.pool = threads.get(), .stop = stop});
      }
    });
  });
}

}  // namespace

void bind_transforms(nb::module_& module) {
  using namespace nb::literals;
  module.def("transform", transform, "x"_a, "out"_a, "ordering"_a, "inverse"_a, "out_may_become_x"_a,
             "device"_a.none());
  module.def("walsh_halves", walsh_halves, "x"_a, "out"_a, "brain"_a, "ordering"_a, "log2_size"_a, "scale"_a);
  module.def("convolve", convolve, "f"_a, "g"_a.none(), "out"_a, "device"_a.none());
  module.def("end_threads", [] { kept_threads.reset(); });
  // For a forked child, where they do not exist: nobody waits for them.
  module.def("forget_threads", [] { new KeptThreads(std::move(kept_threads)); });
}

}  // namespace fugu::python
