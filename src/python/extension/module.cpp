// fugu._fugu: the library's interface for the Python package, which checks arguments and defines the public
// names and the classes of errors.
#include <array>
#include <atomic>

#include "fugu/error.hpp"
#include "fugu/version.hpp"
#include "python/extension/bind.hpp"

namespace fugu::python {
namespace {

constexpr std::size_t kMaxDevices = 64;

// Arrays of CuPy and PyTorch need the rest.
constexpr std::uint64_t kKeptBytes = std::uint64_t{256} << 20;

// The class in fugu._errors; the compiler refuses a kind without one.
const char* class_name(Errc code) {
  switch (code) {
    case Errc::usage:
      return "UsageError";
    case Errc::io:
      return "FileError";
    case Errc::wrong_key:
      return "WrongKeyError";
    case Errc::damaged:
      return "DamagedError";
    case Errc::unknown_format:
    case Errc::undecided:
      return "UnknownFormatError";
    case Errc::engine:
      return "EngineError";
    case Errc::no_device:
      return "NoDeviceError";
    case Errc::mismatch:
      return "MismatchError";
    case Errc::interrupted:
      return "Interrupted";
    case Errc::memory:
      return "OutOfMemoryError";
  }
  return "Error";
}

void translate(const std::exception_ptr& thrown, void* errors) {
  const auto set = [&](Errc code, const std::string& text) {
    const nb::handle module(static_cast<PyObject*>(errors));
    PyErr_SetObject(nb::getattr(module, class_name(code)).ptr(),
                    text_of(spelled(text, Spelling::python)).ptr());
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    set(error.code(), error.text());
  } catch (const std::bad_alloc&) {
    set(Errc::memory, "out of memory");
  }
}

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
  // The translator is never removed, so it keeps the module.
  nb::register_exception_translator(translate, nb::module_::import_("fugu._errors").release().ptr());
  bind_transforms(module);
  bind_gpu_transforms(module);
  bind_groups(module);
  bind_boolean(module);
  bind_sbox(module);
  bind_boxes(module);
  bind_equivalence(module);
  bind_cipher(module);
}
