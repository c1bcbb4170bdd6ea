// Key derivations hear of a stop before and after they run.
#include <atomic>
#include <chrono>
#include <thread>

#include "fugu/auth/kdf.hpp"
#include "support/errors.hpp"
#include "support/testing.hpp"

namespace fugu::auth {
namespace {

using test::code_of;

const SecretBytes& passphrase() {
  static const SecretBytes secret(std::string_view("password"));
  return secret;
}

void expect_end_once_begun(const std::function<void()>& derive) {
  std::stop_source stop;
  const unsigned before = key_derivations_under_way();
  std::jthread stopper([&] {
    while (key_derivations_under_way() == before) std::this_thread::yield();
    stop.request_stop();
  });
  const RuledDerivations stoppable({.stop = stop.get_token()});
  EXPECT_EQ(code_of(derive), Errc::interrupted);
  EXPECT_EQ(key_derivations_under_way(), before);
}

// They are finished first.
TEST(RuledDerivations, EndWhatHasBegun) {
  expect_end_once_begun([] { pbkdf2("sha1", passphrase(), {}, 1'000'000, 20); });
  expect_end_once_begun([] { scrypt(passphrase(), {}, {.log2_n = 16, .r = 8, .p = 2}, 32); });
}

TEST(RuledDerivations, DoNotBeginAfterAStop) {
  std::stop_source stop;
  stop.request_stop();
  const RuledDerivations stoppable({.stop = stop.get_token()});
  EXPECT_EQ(code_of([] { pbkdf2("sha1", passphrase(), {}, 0x7fffffff, 20 * 100); }), Errc::interrupted);
  EXPECT_EQ(code_of([] { scrypt(passphrase(), {}, {.log2_n = 16, .r = 8, .p = 4096}, 32); }),
            Errc::interrupted);
}

TEST(RuledDerivations, AreThoseOfOneThreadAndScope) {
  const auto derive = [] { return pbkdf2("sha1", passphrase(), {}, 2, 20); };
  std::stop_source stop;
  stop.request_stop();
  {
    const RuledDerivations stoppable({.stop = stop.get_token()});
    {
      const RuledDerivations inner({});
      EXPECT_EQ(derive().size(), 20u);
    }
    EXPECT_EQ(code_of(derive), Errc::interrupted);
    std::jthread([&] { EXPECT_EQ(derive().size(), 20u); });
  }
  EXPECT_EQ(derive().size(), 20u);
}

TEST(DerivationMemory, IsWaitedForUnlessNoneIsTaken) {
  DerivationMemory memory(std::uint64_t{1} << 20);
  memory.take(std::uint64_t{2} << 20);
  std::atomic<bool> is_given_back = false;
  std::jthread other([&] {
    const RuledDerivations rules({.memory = &memory});
    scrypt(passphrase(), {}, {.log2_n = 2, .r = 8, .p = 1}, 32);
    EXPECT_TRUE(is_given_back);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  is_given_back = true;
  memory.give_back(std::uint64_t{2} << 20);
}

}  // namespace
}  // namespace fugu::auth
