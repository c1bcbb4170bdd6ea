// The Blowfish launchers of a build without CUDA; see spectral_none.cpp.
#include "kernels/blowfish/blowfish_launch.hpp"

namespace fugu::kernels {
namespace {

constexpr int kNoCuda = 35;  // cudaErrorInsufficientDriver

}  // namespace

BlowfishShape blowfish_shape(int, std::size_t, int) noexcept {
  return {};
}
int prepare_blowfish(core::Op, core::ByteOrder, const BlowfishShape&) noexcept {
  return kNoCuda;
}
int launch_blowfish(core::Op, core::ByteOrder, BlowfishArguments, const BlowfishShape&,
                    CUstream_st*) noexcept {
  return kNoCuda;
}
int launch_weak_keys(const WeakKeySearch&, int, std::size_t, CUstream_st*) noexcept {
  return kNoCuda;
}

}  // namespace fugu::kernels
