#include "cli/process/secret_input.hpp"

#include "fugu/stream/posix/descriptor.hpp"

namespace fugu::cli {
namespace {

[[noreturn]] void refuse_length() {
  throw Error(Errc::usage, "holds more than " + std::to_string(kMaxSecretBytes) + " bytes");
}

auth::SecretBytes front(const auth::SecretBytes& buffer, std::size_t bytes) {
  return auth::SecretBytes(buffer.span().first(bytes));
}

}  // namespace

auth::SecretBytes read_line(int descriptor, std::string_view when_empty) {
  auth::SecretBytes buffer(kMaxSecretBytes + 1);
  for (std::size_t used = 0; used < buffer.size(); ++used) {
    const bool ended = stream::read_some(descriptor, buffer.span().subspan(used, 1)) == 0;
    if (ended && used == 0) throw Error(Errc::io, std::string(when_empty));
    if (ended || buffer.data()[used] == std::byte{'\n'}) return front(buffer, used);
  }
  refuse_length();
}

auth::SecretBytes read_all(int descriptor) {
  auth::SecretBytes buffer(kMaxSecretBytes + 1);
  std::size_t used = 0;
  while (used < buffer.size()) {
    const std::size_t got = stream::read_some(descriptor, buffer.span().subspan(used));
    if (got == 0) return front(buffer, used);
    used += got;
  }
  refuse_length();
}

}  // namespace fugu::cli
