// The guarantees of every engine's for_each.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "fugu/engine/engine.hpp"

namespace fugu::test {

inline void expect_each_turn_once(engine::Engine& engine) {
  constexpr std::size_t kTurns = 1000;
  std::vector<std::atomic<int>> turns(kTurns);
  engine.for_each(kTurns, [&](std::size_t i) { ++turns[i]; });
  for (std::size_t i = 0; i < kTurns; ++i) ASSERT_EQ(turns[i], 1) << "turn " << i;
}

inline void expect_turns_and_their_exceptions(engine::Engine& engine) {
  expect_each_turn_once(engine);
  const auto fail_now_and_then = [](std::size_t i) {
    if (i % 100 == 99) throw std::out_of_range("turn " + std::to_string(i));
  };
  EXPECT_THROW(engine.for_each(1000, fail_now_and_then), std::out_of_range);
  expect_each_turn_once(engine);
}

}  // namespace fugu::test
