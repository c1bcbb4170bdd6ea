#include "fugu/format/detail/s2k.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "fugu/auth/digest.hpp"

namespace fugu::format {
namespace {

// Salt and passphrase repeated, to hash in large steps.
auth::SecretBytes repeated(const auth::SecretBytes& passphrase, std::span<const std::byte> salt,
                           std::uint64_t count) {
  constexpr std::size_t kStepBytes = std::size_t{16} << 10;
  const std::size_t once = salt.size() + passphrase.size();
  const std::uint64_t wanted = std::min<std::uint64_t>(count, kStepBytes);
  const std::size_t times = std::max<std::size_t>(1, once == 0 ? 1 : static_cast<std::size_t>(wanted) / once);
  auth::SecretBytes bytes(times * once);
  for (std::size_t i = 0; i < times; ++i) {
    std::ranges::copy(salt, bytes.data() + i * once);
    std::ranges::copy(passphrase.span(), bytes.data() + i * once + salt.size());
  }
  return bytes;
}

}  // namespace

auth::SecretBytes s2k(const std::string& digest, const auth::SecretBytes& passphrase,
                      std::span<const std::byte> salt, std::uint64_t count, std::size_t key_bytes) {
  auth::Digest hash(digest);
  const std::size_t once = salt.size() + passphrase.size();
  const auth::SecretBytes step = repeated(passphrase, salt, count);
  auth::SecretBytes stream(key_bytes + hash.size());
  std::vector<std::byte> zeros;
  for (std::size_t at = 0; at < key_bytes; at += hash.size()) {
    hash.update(zeros);
    std::uint64_t left = std::max<std::uint64_t>(count, once);
    while (left != 0 && once != 0) {
      const std::size_t bytes = static_cast<std::size_t>(std::min<std::uint64_t>(left, step.size()));
      hash.update(step.span().first(bytes));
      left -= bytes;
    }
    hash.finish(stream.span().subspan(at));
    zeros.push_back(std::byte{0});
  }
  return auth::SecretBytes(std::as_const(stream).span().first(key_bytes));
}

auth::SecretBytes sha1_chain(const auth::SecretBytes& passphrase, std::span<const std::byte> salt,
                             std::size_t key_bytes) {
  auth::Digest sha1("sha1");
  auth::SecretBytes chain(key_bytes + sha1.size());
  for (std::size_t at = 0; at < key_bytes; at += sha1.size()) {
    sha1.update(salt).update(passphrase.span()).update(chain.span().first(at));
    sha1.finish(chain.span().subspan(at));
  }
  return auth::SecretBytes(std::as_const(chain).span().first(key_bytes));
}

}  // namespace fugu::format
