#include "fugu/spectral/detail/walsh_kernels.hpp"

#include "fugu/error.hpp"

namespace fugu::spectral::detail {
namespace {

void check_isa(Isa isa) {
  if (isa > best_isa()) throw Error(Errc::usage, "this CPU does not support the requested instruction set");
}

}  // namespace

template <class T>
WalshKernels<T> walsh_kernels(Isa isa) {
  check_isa(isa);
#if defined(__x86_64__)
  if (isa == Isa::avx512) return avx512::kernels<T>();
  if (isa == Isa::avx2) return avx2::kernels<T>();
#endif
  return baseline::kernels<T>();
}

NarrowKernels narrow_kernels(Isa isa) {
  check_isa(isa);
#if defined(__x86_64__)
  if (isa == Isa::avx512) return avx512::narrow_kernels();
  if (isa == Isa::avx2) return avx2::narrow_kernels();
#endif
  return baseline::narrow_kernels();
}

template <class Half>
HalfKernels<Half> half_kernels(Isa isa) {
  check_isa(isa);
#if defined(__x86_64__)
  if (isa == Isa::avx512) return avx512::half_kernels<Half>();
  if (isa == Isa::avx2) return avx2::half_kernels<Half>();
#endif
  return baseline::half_kernels<Half>();
}

template HalfKernels<core::Float16> half_kernels(Isa);
template HalfKernels<core::Bfloat16> half_kernels(Isa);
template WalshKernels<std::int32_t> walsh_kernels(Isa);
template WalshKernels<std::int64_t> walsh_kernels(Isa);
template WalshKernels<float> walsh_kernels(Isa);
template WalshKernels<double> walsh_kernels(Isa);

}  // namespace fugu::spectral::detail
