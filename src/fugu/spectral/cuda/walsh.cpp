#include "fugu/spectral/cuda/walsh.hpp"

#include "fugu/core/hadamard_base.hpp"
#include "fugu/spectral/cuda/detail/walsh_plan.hpp"
#include "fugu/spectral/cuda/stages.hpp"
#include "fugu/spectral/cuda/staging.hpp"
#include "fugu/spectral/detail/check_rows.hpp"
#include "fugu/spectral/dyadic.hpp"
#include "fugu/spectral/walsh.hpp"

namespace fugu::spectral::cuda {
namespace {

using spectral::detail::check_rows;

// Occupancy need not be queried if there is a multiprocessor for each of the blocks that wait for each other.
template <class T>
Chip chip_for(int log2_size, const device::Stream& stream) {
  Chip chip = chip_of(stream.context());
  if (log2_size > kernels::kOneLaunchMaxBits || kernels::walsh_once_blocks(log2_size) <= chip.multiprocessors)
    return chip;
  device::launch_on(stream, "walsh_once_occupancy", [&](device::StreamHandle) {
    return kernels::walsh_once_occupancy(element_of<T>(), log2_size, &chip.once_blocks_per_multiprocessor);
  });
  return chip;
}

template <class T>
void transform(const PlanRun<T>& run, int log2_size, const device::Stream& stream) {
  const Chip chip = chip_for<T>(log2_size, stream);
  run_plan(plan_walsh(log2_size, run.out.size, sizeof(T), chip, is_aligned(run.in)), run, stream);
}

template <class T>
constexpr bool kIsHalf = std::is_same_v<T, core::Float16> || std::is_same_v<T, core::Bfloat16>;

// Whether lanes, or from 2^5 values on matrix units, compute such rows of 16 bits where they lie, 1 for m
// standing for rows of 2^log2_size.
bool suits_half_rows(const void* in, const void* out, std::size_t values, int m, int log2_size,
                     const device::DeviceInfo& info) {
  if (!is_aligned(in) || !is_aligned(out)) return false;
  if (m == 1 && log2_size < kernels::kMinHalfRowBits) return values % kernels::kHalfPiece == 0;
  return log2_size >= kernels::kMinMatrixBits && log2_size <= kernels::kMaxHalfRowBits &&
         info.compute_major >= 8 &&
         kernels::half_rows_shared_bytes(m, log2_size) <= info.shared_bytes_per_block;
}

template <class T>
void run_half_rows(device::DeviceSpan<const T> in, device::DeviceSpan<T> out,
                   const kernels::HadamardRows& rows, double scale, const device::Stream& stream) {
  device::launch_on(stream, "half_rows", [&](device::StreamHandle handle) {
    return kernels::launch_half_rows(element_of<T>(), rows, in.data, out.data, out.size,
                                     static_cast<float>(scale), handle);
  });
}

template <class T>
void transform_halves(device::DeviceSpan<const T> in, device::DeviceSpan<T> out, int log2_size, double scale,
                      const device::Stream& stream) {
  const auto factor = static_cast<float>(scale);
  const auto address = reinterpret_cast<std::uintptr_t>(in.data) | reinterpret_cast<std::uintptr_t>(out.data);
  if (log2_size < 1 || log2_size > kernels::kMaxHalfBits)
    throw Error(Errc::usage, "rows of 16-bit values have 2^1 to 2^21 of them");
  if (address % sizeof(std::uint32_t) != 0)
    throw Error(Errc::usage, "16-bit values are not aligned to 4 bytes");
  if (suits_half_rows(in.data, out.data, out.size, 1, log2_size, stream.context().info()))
    return run_half_rows(in, out, {1, false, log2_size}, scale, stream);
  if (log2_size <= kernels::kMaxHalfTileBits) {
    return device::launch_on(stream, "half_tiles", [&](device::StreamHandle handle) {
      return kernels::launch_half_tiles(element_of<T>(), in.data, out.data, out.size, log2_size, factor,
                                        handle);
    });
  }
  const std::size_t most = 2 * kernels::kHalfRingPairs;
  const device::Buffer<float> between(stream, std::min(out.size, most), device::Contents::open);
  const auto done = zeros<std::uint32_t>(2 * (out.size >> log2_size), stream);
  device::launch_on(stream, "half_chain", [&](device::StreamHandle handle) {
    return kernels::launch_half_chain(element_of<T>(), in.data, out.data, between.data(), done.data(),
                                      out.size, log2_size, factor, handle);
  });
}

template <class T>
void check_base_rows(const void* in, device::DeviceSpan<T> out, HadamardBase base, int log2_size,
                     const device::Context& context) {
  if (!core::has_hadamard_base(base.rows))
    throw Error(Errc::usage, "the matrix must have 12, 20, 28 or 40 rows");
  if (log2_size < 1 || log2_size > kernels::kMaxBaseBits)
    throw Error(Errc::usage,
                "rows of m 2^k values have a k of 1 to " + std::to_string(kernels::kMaxBaseBits));
  if (out.size % (static_cast<std::size_t>(base.rows) << log2_size) != 0)
    throw Error(Errc::usage, std::to_string(out.size) + " values are not whole rows");
  if ((reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out.data)) % (2 * sizeof(T)) !=
      0)
    throw Error(Errc::usage, "rows are not aligned to the size of two values");
  if (kernels::base_row_bytes(base.rows, log2_size) > context.info().shared_bytes_per_block)
    throw Error(Errc::no_device, "a row needs more shared memory than a block of this GPU has");
}

template <class T>
void reorder(device::DeviceSpan<T> data, int log2_size, Ordering ordering, bool back,
             const device::Stream& stream) {
  if (ordering == Ordering::natural || data.size == 0) return;
  device::Buffer<T> other(stream, data.size, device::Contents::open);
  device::launch_on(stream, "reorder", [&](device::StreamHandle handle) {
    return kernels::launch_reorder(sizeof(T), data.data, other.data(), data.size, log2_size,
                                   ordering == Ordering::sequency, back, handle);
  });
  device::copy_on_device(data, other.span(), stream);
}

// The sums of the inverse, which are divided in its last pass, are less than 2^(3n) products of values.
template <class T>
bool sums_may_exceed(std::span<const T> f, std::span<const T> g) {
  if constexpr (std::is_floating_point_v<T>) {
    const FloatRange of_f = float_range(f);
    const FloatRange of_g = f.data() == g.data() ? of_f : float_range(g);
    return of_g.finite && of_f.may_exceed<T>(of_g.exponent + 3 * log2_exact(f.size()));
  } else {
    return false;
  }
}

}  // namespace

template <class T>
void walsh(device::DeviceSpan<const std::type_identity_t<T>> in, device::DeviceSpan<T> out, int log2_size,
           Ordering ordering, double scale, const device::Stream& stream) {
  check_rows(out.size, log2_size);
  if (in.size != out.size) throw Error(Errc::usage, "the input and the output differ in size");
  if constexpr (kIsHalf<T>) {
    transform_halves(in, out, log2_size, scale, stream);
  } else {
    if (std::is_integral_v<T> && scale != 1) throw Error(Errc::usage, "integers cannot be scaled");
    transform(PlanRun<T>{in.data, out, nullptr, {0, scale, nullptr}}, log2_size, stream);
  }
  reorder(out, log2_size, ordering, false, stream);
}

template <class T>
void hadamard(device::DeviceSpan<const std::type_identity_t<T>> in, device::DeviceSpan<T> out,
              HadamardBase base, int log2_size, double scale, const device::Stream& stream) {
  if (in.size != out.size) throw Error(Errc::usage, "the input and the output differ in size");
  check_base_rows(in.data, out, base, log2_size, stream.context());
  if constexpr (kIsHalf<T>) {
    if (suits_half_rows(in.data, out.data, out.size, base.rows, log2_size, stream.context().info()))
      return run_half_rows(in, out, {base.rows, base.transposed, log2_size}, scale, stream);
  }
  device::launch_on(stream, "hadamard_rows", [&](device::StreamHandle handle) {
    return kernels::launch_hadamard_rows(element_of<T>(), {base.rows, base.transposed, log2_size}, in.data,
                                         out.data, out.size, static_cast<float>(scale), handle);
  });
}

template <class T>
void inverse_walsh(device::DeviceSpan<T> data, int log2_size, Ordering ordering,
                   const device::Stream& stream) {
  spectral::detail::check_inverse<T>(log2_size);
  check_rows(data.size, log2_size);
  device::Buffer<std::uint32_t> inexact(stream, 1, device::Contents::open);
  device::wipe(inexact.span(), stream);
  reorder(data, log2_size, ordering, true, stream);
  transform(PlanRun<T>{data.data, data, nullptr, kernels::division(log2_size, inexact.data())}, log2_size,
            stream);
  if constexpr (std::is_integral_v<T>) {
    std::uint32_t fractions = 0;
    device::copy_to_host(std::span<std::uint32_t>(&fractions, 1), inexact.span(), stream);
    stream.synchronize();
    if (fractions != 0) {
      throw Error(Errc::usage, "not the spectrum of an integer function: the inverse has fractions");
    }
  }
}

template <class T>
void walsh_stages(device::DeviceSpan<T> data, int first, int stages, const device::Stream& stream) {
  if (first < kMinStridedStage || stages < 0 || data.size % (std::size_t{1} << (first + stages)) != 0) {
    throw Error(Errc::usage, "stages " + std::to_string(first) + " to " + std::to_string(first + stages) +
                                 " are not those of " + std::to_string(data.size) + " values");
  }
  const WalshPlan plan{
      plan_stages(first, stages, sizeof(T), chip_of(stream.context()), is_aligned(data.data)), std::nullopt};
  run_plan(plan, data, stream);
}

template <class T>
void walsh_received(device::DeviceSpan<T> row, const Received<T>& received, const device::Stream& stream) {
  const int row_bits = log2_exact(row.size);
  if (received.column_bits < kMinStridedStage || row_bits < received.column_bits) {
    throw Error(Errc::usage, std::to_string(row.size) + " values are not a row of received parts of 2^" +
                                 std::to_string(received.column_bits));
  }
  WalshPlan plan = plan_rows(row_bits, row.size, sizeof(T), chip_of(stream.context()));
  device::launch_on(stream, "walsh_received", [&](device::StreamHandle handle) {
    const kernels::ReceivedParts parts{received.values, received.column_bits, received.own};
    return kernels::launch_walsh_received(element_of<T>(), plan.passes.front(), row.data, parts, row.size,
                                          handle);
  });
  plan.passes.erase(plan.passes.begin());
  run_plan(plan, row, stream);
}

template <class T>
void dyadic_convolve(device::DeviceSpan<T> f, device::DeviceSpan<T> g, const device::Stream& stream) {
  if (f.size != g.size) throw Error(Errc::usage, "the functions must have the same length");
  const int n = log2_exact(f.size);
  const bool aligned = is_aligned(f.data) && is_aligned(g.data);
  const ConvolutionPlan plan = plan_convolution(n, sizeof(T), chip_of(stream.context()), aligned);
  const ChainCounters counters(plan.forward, 3, stream);
  run_plan(plan.forward, PlanRun<T>{f.data, f, f.data == g.data ? nullptr : g.data}, counters.of_row(0),
           stream);
  device::launch_on(stream, "convolve_pass", [&](device::StreamHandle handle) {
    return kernels::launch_convolve_pass(element_of<T>(), plan.middle, f.data, g.data, f.size,
                                         plan.forward.passes.empty() ? n : 0, handle);
  });
  // 2^n divides every value, even after overflow: nothing can be inexact.
  run_plan(plan.forward, PlanRun<T>{f.data, f, nullptr, kernels::division(n)}, counters.of_row(2), stream);
}

template <class T>
void dyadic_convolve(std::span<T> f, std::span<T> g, const device::Stream& stream) {
  if (f.size() != g.size()) throw Error(Errc::usage, "the functions must have the same length");
  log2_exact(f.size());
  if constexpr (std::is_integral_v<T>) {
    if (convolution_width(f, g) == ConvolutionWidth::bits128) {
      throw Error(Errc::usage, "the convolution needs 128-bit integers, which only the cpu computes");
    }
  }
  const bool may_exceed = sums_may_exceed<T>(f, g);
  on_device(f, stream, [&](device::DeviceSpan<T> on_gpu) {
    if (f.data() == g.data()) return dyadic_convolve(on_gpu, on_gpu, stream);
    device::Buffer<T> other(stream, g.size(), device::Contents::open);
    upload(other.span(), std::span<const T>(g), stream);
    dyadic_convolve(on_gpu, other.span(), stream);
  });
  if constexpr (std::is_floating_point_v<T>) {
    if (may_exceed) require_finite(std::span<const T>(f));
  }
}

#define FUGU_INSTANTIATE(T)                                                                         \
  template void walsh<T>(device::DeviceSpan<const T>, device::DeviceSpan<T>, int, Ordering, double, \
                         const device::Stream&);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
FUGU_INSTANTIATE(core::Float16)
FUGU_INSTANTIATE(core::Bfloat16)
#undef FUGU_INSTANTIATE

#define FUGU_INSTANTIATE(T)                                                                                \
  template void hadamard<T>(device::DeviceSpan<const T>, device::DeviceSpan<T>, HadamardBase, int, double, \
                            const device::Stream&);
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(core::Float16)
FUGU_INSTANTIATE(core::Bfloat16)
#undef FUGU_INSTANTIATE

#define FUGU_INSTANTIATE(T)                                                                 \
  template void inverse_walsh(device::DeviceSpan<T>, int, Ordering, const device::Stream&); \
  template void walsh_stages(device::DeviceSpan<T>, int, int, const device::Stream&);       \
  template void walsh_received(device::DeviceSpan<T>, const Received<T>&, const device::Stream&);
FUGU_INSTANTIATE(std::int32_t)
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

#define FUGU_INSTANTIATE(T)                                                                           \
  template void dyadic_convolve(device::DeviceSpan<T>, device::DeviceSpan<T>, const device::Stream&); \
  template void dyadic_convolve(std::span<T>, std::span<T>, const device::Stream&);
FUGU_INSTANTIATE(std::int64_t)
FUGU_INSTANTIATE(float)
FUGU_INSTANTIATE(double)
#undef FUGU_INSTANTIATE

}  // namespace fugu::spectral::cuda
