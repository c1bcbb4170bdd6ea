// Key derivations hear of a stop before and after they run.
#include <gtest/gtest.h>

#include <functional>
#include <string_view>
#include <thread>

#include "fugu/auth/kdf.hpp"
#include "support/errors.hpp"

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
  const StoppableDerivations stoppable(stop.get_token());
  EXPECT_EQ(code_of(derive), Errc::interrupted);
  EXPECT_EQ(key_derivations_under_way(), before);
}

// They are finished first.
TEST(StoppableDerivations, EndWhatHasBegun) {
  expect_end_once_begun([] { pbkdf2("sha1", passphrase(), {}, 1'000'000, 20); });
  expect_end_once_begun([] { scrypt(passphrase(), {}, {.log2_n = 16, .r = 8, .p = 2}, 32); });
}

TEST(StoppableDerivations, DoNotBeginAfterAStop) {
  std::stop_source stop;
  stop.request_stop();
  const StoppableDerivations stoppable(stop.get_token());
  EXPECT_EQ(code_of([] { pbkdf2("sha1", passphrase(), {}, 0x7fffffff, 20 * 100); }), Errc::interrupted);
  EXPECT_EQ(code_of([] { scrypt(passphrase(), {}, {.log2_n = 16, .r = 8, .p = 4096}, 32); }),
            Errc::interrupted);
}

TEST(StoppableDerivations, AreThoseOfOneThreadAndScope) {
  const auto derive = [] { return pbkdf2("sha1", passphrase(), {}, 2, 20); };
  std::stop_source stop;
  stop.request_stop();
  {
    const StoppableDerivations stoppable(stop.get_token());
    {
      const StoppableDerivations inner{std::stop_token{}};
      EXPECT_EQ(derive().size(), 20u);
    }
    EXPECT_EQ(code_of(derive), Errc::interrupted);
    std::jthread([&] { EXPECT_EQ(derive().size(), 20u); });
  }
  EXPECT_EQ(derive().size(), 20u);
}

}  // namespace
}  // namespace fugu::auth
