// A ring of pieces of device memory in a block's shared memory: bulk copies fetch some pieces ahead of those
// that warps read. Needs compute capability 9.0.
#pragma once

#include <cstdint>

namespace fugu::kernels {

// Holds `slots` pieces of `bytes` bytes, a multiple of 16, at 16-byte aligned addresses.
template <unsigned slots, unsigned bytes>
class BulkRing {
 public:
  struct Shared {
    alignas(128) unsigned char pieces[slots][bytes];
    std::uint64_t full[slots];
    std::uint64_t empty[slots];
  };

  // Called by one thread, before a barrier. `warps` is the number of warps that read.
  __device__ static void prepare(Shared& shared, unsigned warps) {
    for (unsigned slot = 0; slot < slots; ++slot) {
      initialize(shared.full[slot], 1);
      initialize(shared.empty[slot], warps);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
  }

  __device__ explicit BulkRing(Shared& shared) : shared_(shared) {}

  // Called by one thread. Copies piece `number` once all warps have released the previous piece of its slot.
  __device__ void fetch(std::uint32_t number, const void* from) const {
    const unsigned slot = number % slots;
    if (number >= slots) await(shared_.empty[slot], number / slots - 1);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(address(&shared_.full[slot])), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :
                 : "r"(address(shared_.pieces[slot])), "l"(from), "r"(bytes),
                   "r"(address(&shared_.full[slot]))
                 : "memory");
  }

  // Waits for piece `number` and returns its address.
  template <class T>
  __device__ const T* take(std::uint32_t number) const {
    const unsigned slot = number % slots;
    await(shared_.full[slot], number / slots);
    return reinterpret_cast<const T*>(shared_.pieces[slot]);
  }

  // Called by all lanes of a warp once they have read the piece.
  __device__ void release(std::uint32_t number) const {
    __syncwarp();
    if (threadIdx.x % 32 == 0)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
                   :
                   : "r"(address(&shared_.empty[number % slots]))
                   : "memory");
  }

 private:
  __device__ static std::uint32_t address(const void* of) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(of));
  }
  __device__ static void initialize(std::uint64_t& barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(address(&barrier)), "r"(count) : "memory");
  }
  // Waits until the barrier has completed phase `phase`.
  __device__ static void await(std::uint64_t& barrier, std::uint32_t phase) {
    asm volatile(
        "{.reg .pred done;\n"
        "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra AGAIN;}"
        :
        : "r"(address(&barrier)), "r"(phase & 1)
        : "memory");
  }

  Shared& shared_;
};

}  // namespace fugu::kernels
