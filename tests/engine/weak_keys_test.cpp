// The search for weak keys on all cores finds the keys that OpenSSL's schedule found.
#include "fugu/engine/cpu/weak_keys.hpp"

#include <atomic>
#include <fstream>
#include <sstream>

#include "fugu/error.hpp"
#include "support/testing.hpp"
#include "support/vector_reader.hpp"

namespace fugu::engine {
namespace {

using cipher::WeakKey;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

// Those of vectors/sbox/weak_keys.txt, ascending.
std::vector<WeakKey> known_weak_keys() {
  std::ifstream file(fugu::test::vectors_directory() / "sbox/weak_keys.txt");
  std::vector<WeakKey> all;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    WeakKey weak;
    char bar[4];
    fields >> std::hex >> weak.key >> bar[0] >> std::dec >> weak.box >> bar[1] >> weak.x >> bar[2] >>
        weak.y >> bar[3] >> std::hex >> weak.value;
    if (!fields) throw std::runtime_error("sbox/weak_keys.txt: " + line);
    all.push_back(weak);
  }
  if (all.empty()) throw std::runtime_error("sbox/weak_keys.txt holds no key");
  return all;
}

// Searches three pieces and a part of one. A weak key is the first key of the second piece, or the last of
// all.
TEST(WeakKeysOnCores, AreFoundInAnyPiece) {
  const WeakKey weak = known_weak_keys()[0];
  constexpr std::uint64_t kKeys = 3 * 4096 + 5;
  threads::ThreadPool pool(3);
  std::atomic<std::uint64_t> keys = 0;
  const auto count = [&keys](std::uint64_t more) { keys += more; };
  EXPECT_THAT(cpu::find_weak_keys(weak.key - 4096, kKeys, pool, count), Contains(weak));
  EXPECT_EQ(keys, kKeys);
  EXPECT_THAT(cpu::find_weak_keys(weak.key - 4096 - 4, 4096 + 5, pool), Contains(weak));
}

TEST(WeakKeysOnCores, AreThoseThatOpensslFound) {
  threads::ThreadPool pool(2);
  for (const WeakKey& weak : known_weak_keys())
    EXPECT_THAT(cpu::find_weak_keys(weak.key, 1, pool), ElementsAre(weak));
}

TEST(WeakKeysOnCores, NoKeysAndKeysBeyondTheLast) {
  threads::ThreadPool pool(2);
  EXPECT_THAT(cpu::find_weak_keys(7, 0, pool), IsEmpty());
  EXPECT_THAT(cpu::find_weak_keys(~std::uint64_t{0}, 1, pool), IsEmpty());
  EXPECT_THROW(cpu::find_weak_keys(~std::uint64_t{0}, 2, pool), Error);
}

TEST(WeakKeysOnCores, AreNotSearchedOnceTheCallerHasThrown) {
  threads::ThreadPool pool(1);
  int calls = 0;
  const auto stop = [&calls](std::uint64_t) {
    ++calls;
    throw Error(Errc::interrupted, "enough");
  };
  EXPECT_THROW(cpu::find_weak_keys(0, 3 * 4096, pool, stop), Error);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace fugu::engine
