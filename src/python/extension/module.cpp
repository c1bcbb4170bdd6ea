// fugu._fugu: the library's interface for the Python package, which checks arguments and defines the public
// names.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "fugu/error.hpp"
#include "fugu/version.hpp"
#include "python/extension/bind.hpp"

namespace fugu::python {
namespace {

constexpr std::size_t kMaxDevices = 64;

// Arrays of CuPy and PyTorch need the rest.
constexpr std::uint64_t kKeptBytes = std::uint64_t{256} << 20;

}  // namespace

// Contexts are never destroyed: when static objects are, CUDA may be gone already. There is no lock that a
// forked child could find held; of two threads that make a context at once, one destroys its own.
const device::Context& context_of(int device) {
  static std::array<std::atomic<const device::Context*>, kMaxDevices> contexts{};
  const auto index = static_cast<std::size_t>(device);
  if (index >= kMaxDevices) throw Error(Errc::no_device, "there is no GPU " + std::to_string(device));
  std::atomic<const device::Context*>& shared = contexts[index];
  if (const device::Context* const known = shared.load(std::memory_order_acquire)) return *known;
  auto made = std::make_unique<const device::Context>(device, kKeptBytes);
  const device::Context* expected = nullptr;
  return shared.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel) ? *made.release()
                                                                                         : *expected;
}

}  // namespace fugu::python

NB_MODULE(_fugu, module) {
  using namespace fugu::python;
  module.attr("VERSION") = nb::str(fugu::version().data(), fugu::version().size());
  bind_errors(module);
  bind_transforms(module);
  bind_gpu_transforms(module);
  bind_groups(module);
  bind_characters(module);
  bind_boolean(module);
  bind_sbox(module);
  bind_boxes(module);
  bind_blowfish_boxes(module);
  bind_equivalence(module);
  bind_cipher(module);
}
