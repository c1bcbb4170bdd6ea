#include "fugu/platform/system.hpp"

#include "fugu/platform/windows/files.hpp"

#include <bcrypt.h>  // needs the types of windows.h

#include <algorithm>
#include <system_error>
#include <thread>

namespace fugu {

unsigned platform::usable_processors() noexcept {
  return std::max(1u, std::thread::hardware_concurrency());
}

void platform::lock_memory(const void* memory, std::size_t bytes) noexcept {
  ::VirtualLock(const_cast<void*>(memory), bytes);
}

void platform::use_huge_pages(void*, std::size_t) noexcept {}

void platform::system_random(std::span<std::byte> out) {
  constexpr std::size_t kMaxAtOnce = std::size_t{1} << 30;
  while (!out.empty()) {
    const auto step = static_cast<ULONG>(std::min(out.size(), kMaxAtOnce));
    if (::BCryptGenRandom(nullptr, reinterpret_cast<UCHAR*>(out.data()), step,
                          BCRYPT_USE_SYSTEM_PREFERRED_RNG) != 0)
      throw Error(Errc::io, "the system's random generator failed");
    out = out.subspan(step);
  }
}

bool platform::has_threads() noexcept {
  return true;
}

void platform::start_without_signals(const std::function<void()>& start) {
  start();
}

std::wstring platform::wide(std::string_view text) {
  const int bytes = static_cast<int>(text.size());
  std::wstring result(text.size(), L'\0');  // UTF-16 has at most as many units
  const int units = ::MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, result.data(), bytes);
  result.resize(static_cast<std::size_t>(units));
  return result;
}

std::string platform::narrow(std::wstring_view text) {
  const int units = static_cast<int>(text.size());
  std::string result(3 * text.size(), '\0');
  const int bytes = ::WideCharToMultiByte(CP_UTF8, 0, text.data(), units, result.data(),
                                          static_cast<int>(result.size()), nullptr, nullptr);
  result.resize(static_cast<std::size_t>(bytes));
  return result;
}

// In the words of errno where it has the reason as well: those of Windows are in the user's language and in
// its encoding.
Error platform::last_error(std::string_view what) {
  const auto number = static_cast<int>(::GetLastError());
  const std::error_condition known = std::system_category().default_error_condition(number);
  if (known.category() == std::generic_category()) return system_error(what, known.value());
  return Error(Errc::io, std::string(what) + ": error " + std::to_string(number) + " of Windows");
}

platform::Handle platform::open_handle(std::string_view what, const std::wstring& name, DWORD access,
                                       DWORD share, DWORD disposition) {
  const HANDLE opened =
      ::CreateFileW(name.c_str(), access, share, nullptr, disposition, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (opened == INVALID_HANDLE_VALUE) throw last_error(what);
  return Handle(opened);
}

}  // namespace fugu
