// Our own scrypt (RFC 7914): OpenSSL's runs in one call that cannot be stopped, up to 14 s for the costs that
// formats allow here, and does not expose its parts.
#include <algorithm>
#include <limits>
#include <new>
#include <string>
#include <utility>

#include "fugu/auth/detail/derivation.hpp"
#include "fugu/auth/detail/scrypt_mix.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/error.hpp"

namespace fugu::auth {
namespace {

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::size_t>::max() / 2;

// The bounds of RFC 7914, 2 and 6.
void check(const ScryptCost& cost) {
  constexpr unsigned kMostRp = (1u << 30) - 1;
  const bool in_bounds = cost.r != 0 && cost.p != 0 && cost.p <= kMostRp / cost.r && cost.log2_n >= 1 &&
                         cost.log2_n <= 63 && cost.log2_n < std::uint64_t{16} * cost.r;
  if (!in_bounds) throw Error(Errc::usage, "scrypt cost is out of bounds");
}

// 128 N r, at most kMostBytes.
std::uint64_t bytes_of(const ScryptCost& cost) {
  const std::uint64_t step = std::uint64_t{128} * cost.r;
  return step > (kMostBytes >> cost.log2_n) ? kMostBytes : step << cost.log2_n;
}

// The memory of scryptROMix: uninitialised, and wiped. It uses pages of the ordinary size: with huge pages a
// virtual machine took 2 s longer for the first use of 1 GiB.
class MixMemory {
 public:
  MixMemory(std::uint64_t n, std::size_t r) try
      : blocks_(2 * r * (n + 2)),
        data_(static_cast<SalsaBlock*>(::operator new(blocks_ * sizeof(SalsaBlock), kAlignment))) {
  } catch (const std::bad_alloc&) {
    refuse(std::uint64_t{128} * r * n);
  }
  MixMemory(const MixMemory&) = delete;
  MixMemory& operator=(const MixMemory&) = delete;
  ~MixMemory() {
    core::wipe_touched(data_, blocks_ * sizeof(SalsaBlock));
    ::operator delete(data_, kAlignment);
  }

  [[noreturn]] static void refuse(std::uint64_t bytes) {
    throw Error(Errc::memory, "the key derivation takes " + std::to_string((bytes + (1 << 20) - 1) >> 20) +
                                  " MiB of memory, which cannot be had");
  }

  std::span<SalsaBlock> span() { return {data_, blocks_}; }

 private:
  static constexpr std::align_val_t kAlignment{kSalsaBytes};

  std::size_t blocks_;
  SalsaBlock* data_;
};

void mix_lanes(std::span<std::byte> lanes, const ScryptCost& cost) {
  const std::uint64_t bytes = bytes_of(cost);
  if (bytes == kMostBytes) MixMemory::refuse(bytes);
  const Derivation counted(bytes);
  const std::uint64_t n = std::uint64_t{1} << cost.log2_n;
  const std::size_t lane = std::size_t{128} * cost.r;
  MixMemory memory(n, cost.r);
  for (; !lanes.empty(); lanes = lanes.subspan(lane)) ro_mix(lanes.first(lane), n, memory.span());
}

}  // namespace

void ro_mix(std::span<std::byte> lane, std::uint64_t n, std::span<SalsaBlock> memory) {
  const std::size_t blocks = lane.size() / kSalsaBytes;  // 2 r
  const auto step = [&](std::uint64_t i) { return memory.subspan(i * blocks, blocks); };
  const auto block = [&](std::size_t i) { return lane.subspan(kSalsaBytes * i).first<kSalsaBytes>(); };
  for (std::size_t i = 0; i < blocks; ++i) memory[i] = load_salsa(block(i));
  for (std::uint64_t i = 0; i < n; ++i)
    block_mix([from = step(i)](std::size_t k) { return from[k]; }, step(i + 1));
  std::span<SalsaBlock> x = step(n);
  std::span<SalsaBlock> y = step(n + 1);
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::span<const SalsaBlock> chosen = step(integerify(x.back()) % n);
    for (const SalsaBlock& line : chosen) __builtin_prefetch(&line);  // all of them in flight at once
    block_mix([x, chosen](std::size_t k) { return x[k] ^ chosen[k]; }, y);
    std::swap(x, y);
  }
  for (std::size_t i = 0; i < blocks; ++i) store_salsa(x[i], block(i));
}

SecretBytes scrypt(const SecretBytes& passphrase, std::span<const std::byte> salt, const ScryptCost& cost,
                   std::size_t bytes) {
  check(cost);
  const std::uint64_t of_lanes = std::uint64_t{128} * cost.r * cost.p;
  if (of_lanes > kMostBytes) MixMemory::refuse(of_lanes);  // for 32-bit sizes
  SecretBytes lanes = pbkdf2("sha256", passphrase, salt, 1, static_cast<std::size_t>(of_lanes));
  mix_lanes(lanes.span(), cost);
  return pbkdf2("sha256", passphrase, lanes.span(), 1, bytes);
}

}  // namespace fugu::auth
