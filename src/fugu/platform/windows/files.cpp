#include "fugu/platform/windows/files.hpp"

#include <system_error>

namespace fugu::platform {

std::wstring wide(std::string_view text) {
  const int bytes = static_cast<int>(text.size());
  std::wstring result(text.size(), L'\0');  // UTF-16 has at most as many units
  const int units = ::MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, result.data(), bytes);
  result.resize(static_cast<std::size_t>(units));
  return result;
}

std::string narrow(std::wstring_view text) {
  const int units = static_cast<int>(text.size());
  std::string result(3 * text.size(), '\0');
  const int bytes = ::WideCharToMultiByte(CP_UTF8, 0, text.data(), units, result.data(),
                                          static_cast<int>(result.size()), nullptr, nullptr);
  result.resize(static_cast<std::size_t>(bytes));
  return result;
}

// In the words of errno where it has the reason as well: those of Windows are in the user's language and in
// its encoding.
Error last_error(std::string_view what) {
  const auto number = static_cast<int>(::GetLastError());
  const std::error_condition known = std::system_category().default_error_condition(number);
  if (known.category() == std::generic_category()) return system_error(what, known.value());
  return Error(Errc::io, std::string(what) + ": error " + std::to_string(number) + " of Windows");
}

Handle open_handle(std::string_view what, const std::wstring& name, DWORD access, DWORD share,
                   DWORD disposition) {
  const HANDLE opened =
      ::CreateFileW(name.c_str(), access, share, nullptr, disposition, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (opened == INVALID_HANDLE_VALUE) throw last_error(what);
  return Handle(opened);
}

}  // namespace fugu::platform
