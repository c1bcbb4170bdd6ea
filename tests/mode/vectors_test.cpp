// Every published vector in both directions through the modes on every engine. vectors/SOURCES.md states the
// source of each.
#include "fugu/mode/mode.hpp"
#include "support/each_engine.hpp"
#include "support/testing.hpp"
#include "support/vector_reader.hpp"

namespace fugu::mode {
namespace {

class EveryEngine : public ::testing::TestWithParam<test::EngineCase> {};

TEST_P(EveryEngine, GivesEveryVector) {
  const auto engine = GetParam().make();
  for (const test::Vector& vector : test::read_all_vectors()) {
    Settings settings{vector.mode, Padding::none, {}, vector.words, vector.counter};
    if (!vector.iv.empty()) std::ranges::copy(vector.iv, settings.iv.emplace().begin());
    cipher::Schedule schedule;
    cipher::expand(vector.key, schedule);
    const auto run = [&](Direction direction, std::vector<std::byte> data) {
      CipherStream(*engine, schedule, settings, direction).process(data, data.size(), true);
      return data;
    };
    EXPECT_EQ(run(Direction::encrypt, vector.plaintext), vector.ciphertext) << vector.where;
    EXPECT_EQ(run(Direction::decrypt, vector.ciphertext), vector.plaintext) << vector.where;
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, EveryEngine, ::testing::ValuesIn(test::engines()),
                         [](const auto& test) { return test::identifier(test.param); });

}  // namespace
}  // namespace fugu::mode
