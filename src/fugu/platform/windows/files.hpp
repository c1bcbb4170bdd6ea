// What files and consoles need of Windows: names in its encoding, its errors, and handles that close
// themselves.
#pragma once

#include <windows.h>

#include <memory>
#include <string>
#include <string_view>

#include "fugu/error.hpp"

namespace fugu::platform {

// Convert between UTF-8, the encoding of all names in the library, and UTF-16. What is not valid becomes
// U+FFFD, which no file's name has.
std::wstring wide(std::string_view text);
std::string narrow(std::wstring_view text);

// "what: reason" for a call that has just failed.
Error last_error(std::string_view what);

struct CloseHandle {
  using pointer = HANDLE;
  void operator()(HANDLE handle) const noexcept { ::CloseHandle(handle); }
};
using Handle = std::unique_ptr<HANDLE, CloseHandle>;

// As CreateFileW(). Throws Error{io}: "what: reason".
Handle open_handle(std::string_view what, const std::wstring& name, DWORD access, DWORD share,
                   DWORD disposition);

}  // namespace fugu::platform
