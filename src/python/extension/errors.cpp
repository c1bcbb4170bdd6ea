// Maps the library's errors to the exceptions of fugu._errors, by kind.
#include <iterator>

#include "fugu/error.hpp"
#include "python/extension/bind.hpp"

namespace fugu::python {
namespace {

// By Errc, in its order.
constexpr const char* kClasses[] = {"UsageError",       "FileError",          "WrongKeyError",
                                    "DamagedError",     "UnknownFormatError", "EngineError",
                                    "NoDeviceError",    "MismatchError",      "Interrupted",
                                    "OutOfMemoryError", "UnknownFormatError"};
static_assert(std::size(kClasses) == static_cast<std::size_t>(Errc::undecided) + 1);

void translate(const std::exception_ptr& thrown, void* errors) {
  const auto set = [&](Errc code, const std::string& text) {
    const nb::handle module(static_cast<PyObject*>(errors));
    PyErr_SetObject(nb::getattr(module, kClasses[static_cast<std::size_t>(code)]).ptr(), text_of(text).ptr());
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

void bind_errors(nb::module_&) {
  // The translator is never removed, so it keeps the module.
  nb::register_exception_translator(translate, nb::module_::import_("fugu._errors").release().ptr());
}

}  // namespace fugu::python
