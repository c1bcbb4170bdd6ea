#include "fugu/stream/posix/detail/file_status.hpp"

#include <unistd.h>

#include <cstring>
#include <string_view>
#include <vector>

namespace fugu::stream {
namespace {

constexpr const char* kAccessList = "system.posix_acl_access";
constexpr std::string_view kOfTheOwner = "user.";
constexpr std::size_t kMaxBytes = 65536;  // of a value and of the list of names (XATTR_SIZE_MAX)

bool is_absent(int error) {
  return error == ENODATA || error == EOPNOTSUPP || error == ENOSYS;
}

Error not_kept(const std::string& name, int error) {
  const std::string what = name == kAccessList ? "access control list" : "attribute " + name;
  return system_error("cannot keep its " + what, error);
}

std::vector<std::string> names_of(const std::string& path) {
  std::vector<char> list(kMaxBytes);
  const ssize_t bytes = ::listxattr(path.c_str(), list.data(), list.size());
  if (bytes < 0 && !is_absent(errno)) throw system_error("cannot list its attributes", errno);
  std::vector<std::string> names;
  for (ssize_t at = 0; at < bytes; at += static_cast<ssize_t>(names.back().size()) + 1)
    names.emplace_back(list.data() + at);
  return names;
}

// False when there is no such attribute.
bool copy(const std::string& path, const std::string& name, int to) {
  std::vector<char> value(kMaxBytes);
  const ssize_t bytes = ::getxattr(path.c_str(), name.c_str(), value.data(), value.size());
  if (bytes < 0 && is_absent(errno)) return false;
  if (bytes < 0 || ::fsetxattr(to, name.c_str(), value.data(), static_cast<std::size_t>(bytes), 0) != 0)
    throw not_kept(name, errno);
  return true;
}

}  // namespace

void copy_extended_attributes(int from, const std::string& path_of_from, int to) {
  const std::string link = "/proc/self/fd/" + std::to_string(from);
  const std::string& path = ::access(link.c_str(), F_OK) == 0 ? link : path_of_from;
  if (path.empty()) throw Error(Errc::io, "cannot list its attributes: /proc is not mounted");
  for (const std::string& name : names_of(path)) {
    if (name.starts_with(kOfTheOwner)) copy(path, name, to);
  }
  if (copy(path, kAccessList, to)) return;
  // The directory's default list may have set one.
  if (::fremovexattr(to, kAccessList) != 0 && !is_absent(errno)) throw not_kept(kAccessList, errno);
}

}  // namespace fugu::stream
