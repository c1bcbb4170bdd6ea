// Maps the library's errors to the exceptions of fugu._errors, by kind.
#include "fugu/error.hpp"
#include "python/extension/bind.hpp"

namespace fugu::python {
namespace {

// The compiler refuses a kind without a class.
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

void bind_errors(nb::module_&) {
  // The translator is never removed, so it keeps the module.
  nb::register_exception_translator(translate, nb::module_::import_("fugu._errors").release().ptr());
}

}  // namespace fugu::python
