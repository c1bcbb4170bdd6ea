#include "fugu/spectral/detail/walsh_kernels.hpp"

#include "fugu/error.hpp"

namespace fugu::spectral::detail {
namespace {

void check_isa(Isa isa) {
  if (isa > best_isa()) throw Error(Errc::usage, "this CPU does not support the requested instruction set");
}

}  // namespace

// kernels of an instruction set's namespace
#if defined(__x86_64__)
#define FUGU_OF_ISA(isa, ...)                 \
  ((isa) == Isa::avx512 ? avx512::__VA_ARGS__ \
   : (isa) == Isa::avx2 ? avx2::__VA_ARGS__   \
                        : baseline::__VA_ARGS__)
#else
#define FUGU_OF_ISA(isa, ...) baseline::__VA_ARGS__
#endif

template <class T>
WalshKernels<T> walsh_kernels(Isa isa) {
  check_isa(isa);
  return FUGU_OF_ISA(isa, kernels<T>());
}

NarrowKernels narrow_kernels(Isa isa) {
  check_isa(isa);
  return FUGU_OF_ISA(isa, narrow_kernels());
}

template <class Half>
HalfKernels<Half> half_kernels(Isa isa) {
  check_isa(isa);
  return FUGU_OF_ISA(isa, half_kernels<Half>());
}

#undef FUGU_OF_ISA

template HalfKernels<core::Float16> half_kernels(Isa);
template HalfKernels<core::Bfloat16> half_kernels(Isa);
template WalshKernels<std::int32_t> walsh_kernels(Isa);
template WalshKernels<std::int64_t> walsh_kernels(Isa);
template WalshKernels<float> walsh_kernels(Isa);
template WalshKernels<double> walsh_kernels(Isa);

}  // namespace fugu::spectral::detail
