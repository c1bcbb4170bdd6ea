// Every published vector on every engine, under every subset of the CPU's features.
#include "fugu/engine/engine.hpp"
#include "support/each_engine.hpp"
#include "support/testing.hpp"
#include "support/vector_reader.hpp"

namespace fugu::engine {
namespace {

using test::Bytes;

struct Call {
  Op op;
  const std::vector<std::byte>& in;
  const std::vector<std::byte>& out;
};

// Returns the parts of a vector that an engine computes. Serial directions and modes belong to fugu::mode.
std::vector<Call> calls_of(const test::Vector& vector) {
  const auto& plain = vector.plaintext;
  const auto& sealed = vector.ciphertext;
  switch (vector.mode) {
    case mode::Mode::ecb:
      return {{Op::ecb_encrypt, plain, sealed}, {Op::ecb_decrypt, sealed, plain}};
    case mode::Mode::cbc:
      return {{Op::cbc_decrypt, sealed, plain}};
    case mode::Mode::cfb64:
      return {{Op::cfb_decrypt, sealed, plain}};
    case mode::Mode::ctr:
      return {{Op::ctr, plain, sealed}, {Op::ctr, sealed, plain}};
    case mode::Mode::ofb:
    case mode::Mode::ofb8:
    case mode::Mode::pcbc:
    case mode::Mode::cfb8:
      break;
  }
  return {};
}

std::uint64_t iv_of(const test::Vector& vector) {
  if (vector.iv.empty()) return 0;
  const std::uint64_t image = core::load_u64_big(vector.iv.data());
  return vector.mode == mode::Mode::ctr ? core::counter_bytes(image, vector.counter) : image;
}

// Engines use different code for short and long input, and vectors are short. Therefore the vector is also
// put into longer input, after its IV, to which its first block then chains.
void check_at(Engine& engine, const test::Vector& vector, const Call& call, std::size_t at_block,
              std::size_t total_blocks) {
  const std::size_t bytes = call.in.size() / 8 * 8;
  const auto at = static_cast<std::ptrdiff_t>(8 * at_block);
  Bytes data = test::pattern(std::max(8 * total_blocks, 8 * at_block + bytes));
  std::copy_n(call.in.begin(), bytes, data.begin() + at);
  Segment segment;
  cipher::Schedule schedule;
  cipher::expand(vector.key, schedule);
  segment.schedule = &schedule;
  segment.iv = iv_of(vector);
  segment.first_block = 0 - std::uint64_t{at_block};
  segment.in = segment.out = data;
  segment.words = vector.words;
  segment.counter = vector.counter;
  if (at_block != 0) std::copy(vector.iv.begin(), vector.iv.end(), data.begin() + at - 8);
  engine.run(call.op, {&segment, 1});
  ASSERT_TRUE(
      std::equal(call.out.begin(), call.out.begin() + static_cast<std::ptrdiff_t>(bytes), data.begin() + at))
      << vector.where << " at block " << at_block << " of " << total_blocks;
}

class EveryFeatureSubset : public testing::TestWithParam<test::EngineCase> {};

TEST_P(EveryFeatureSubset, GivesEveryPublishedValue) {
  const auto engine = GetParam().make();
  std::map<Op, int> calls;
  for (const test::Vector& vector : test::read_all_vectors()) {
    for (const Call& call : calls_of(vector)) {
      if (call.in.size() < core::kBlockBytes) continue;
      ++calls[call.op];
      for (const std::size_t at : {0u, 1u, 62u, 65u, 130u}) check_at(*engine, vector, call, at, 192);
      check_at(*engine, vector, call, 0, 0);
    }
  }
  for (const Op op : {Op::ecb_encrypt, Op::ecb_decrypt, Op::ctr, Op::cbc_decrypt, Op::cfb_decrypt})
    EXPECT_GT(calls[op], 0) << "no vector for operation " << static_cast<int>(op);
}

INSTANTIATE_TEST_SUITE_P(Cpu, EveryFeatureSubset, testing::ValuesIn(test::engines_of_every_subset()));

}  // namespace
}  // namespace fugu::engine
