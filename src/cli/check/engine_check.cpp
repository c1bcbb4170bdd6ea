#include "cli/check/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "cli/check/embedded_vectors.hpp"
#include "fugu/cipher/schedule.hpp"
#include "fugu/mode/mode.hpp"
#include "measure/openssl_stream.hpp"

namespace fugu::cli {
namespace {

using engine::Op;
using Bytes = std::vector<std::byte>;

// --- published vectors

Bytes run_stream(engine::Engine& engine, const EmbeddedVector& vector, core::Direction direction,
                 std::span<const std::byte> input) {
  cipher::Schedule schedule;
  cipher::expand(vector.key, schedule);
  mode::Settings settings{vector.mode, mode::Padding::none, {}, vector.words, vector.counter};
  std::ranges::copy(vector.iv, settings.iv.emplace().begin());
  mode::CipherStream stream(engine, schedule, settings, direction);
  Bytes buffer(input.begin(), input.end());
  buffer.resize(input.size() + mode::kMaxPaddingBytes);
  buffer.resize(stream.process(buffer, input.size(), true));
  return buffer;
}

bool vector_agrees(engine::Engine& engine, const EmbeddedVector& vector) {
  return std::ranges::equal(run_stream(engine, vector, core::Direction::encrypt, vector.plaintext),
                            vector.ciphertext) &&
         std::ranges::equal(run_stream(engine, vector, core::Direction::decrypt, vector.ciphertext),
                            vector.plaintext);
}

// Returns the first difference; empty: none.
std::string difference_at_vectors(engine::Engine& engine, std::size_t& agreed) {
  for (const EmbeddedVector& vector : embedded_vectors()) {
    if (!vector_agrees(engine, vector)) return fmt::format("vector {}", vector.where);
    ++agreed;
  }
  return "";
}

// --- random segments against OpenSSL

constexpr std::size_t kMostSegments = 5;
constexpr std::size_t kMostBlocks = 700;  // more than any engine processes at a time
constexpr std::string_view kOpNames[] = {"ecb encryption", "ecb decryption", "ctr", "cbc decryption",
                                         "cfb decryption"};

struct OpensslWork {
  mode::Mode mode;
  core::Direction direction;
};

OpensslWork work_of(Op op) {
  switch (op) {
    case Op::ecb_encrypt:
      return {mode::Mode::ecb, core::Direction::encrypt};
    case Op::ecb_decrypt:
      return {mode::Mode::ecb, core::Direction::decrypt};
    case Op::cbc_decrypt:
      return {mode::Mode::cbc, core::Direction::decrypt};
    case Op::cfb_decrypt:
      return {mode::Mode::cfb64, core::Direction::decrypt};
    case Op::ctr:
      break;
  }
  return {mode::Mode::ctr, core::Direction::encrypt};
}

// Uses only what the standard fixes for every library, so no distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : generator_(seed) {}

  std::uint64_t any() { return generator_(); }
  std::size_t up_to(std::size_t most) { return static_cast<std::size_t>(generator_() % (most + 1)); }
  Bytes bytes(std::size_t count) {
    Bytes result(count);
    for (std::byte& byte : result) byte = static_cast<std::byte>(generator_());
    return result;
  }

 private:
  std::mt19937_64 generator_;
};

struct Case {
  Bytes key;
  std::uint64_t iv = 0;
  std::uint64_t first_block = 0;
  Bytes input;
  cipher::Schedule schedule;
  Bytes output;

  explicit Case(Random& random)
      : key(random.bytes(1 + random.up_to(cipher::kMaxKeyBytes - 1))),
        iv(random.any()),
        first_block(random.any()),
        input(random.bytes(core::kBlockBytes * random.up_to(kMostBlocks))),
        output(input.size()) {
    cipher::expand(key, schedule);
  }

  engine::Segment segment() { return {&schedule, iv, first_block, input, output}; }
};

Bytes by_openssl(Op op, const Case& c) {
  const OpensslWork work = work_of(op);
  mode::Settings settings{work.mode, mode::Padding::none, {}, {}, {}};
  core::store_u64_big(settings.iv.emplace().data(), op == Op::ctr ? c.iv + c.first_block : c.iv);
  Bytes result(c.input.size());
  OpensslStream(settings, work.direction, c.key).process(c.input, result);
  return result;
}

bool round_agrees(engine::Engine& engine, Op op, Random& random) {
  std::vector<Case> cases;
  cases.reserve(kMostSegments);
  for (std::size_t i = random.up_to(kMostSegments - 1) + 1; i > 0; --i) cases.emplace_back(random);
  std::vector<engine::Segment> segments;
  for (Case& c : cases) segments.push_back(c.segment());
  engine.run(op, segments);
  return std::ranges::all_of(cases, [op](const Case& c) { return c.output == by_openssl(op, c); });
}

std::string difference_from_openssl(engine::Engine& engine, std::uint64_t rounds, std::uint64_t seed,
                                    std::size_t& agreed) {
  Random random(seed);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const auto op = static_cast<Op>(round % std::size(kOpNames));
    if (!round_agrees(engine, op, random))
      return fmt::format("{} differs from OpenSSL in round {} of seed {}",
                         kOpNames[static_cast<std::size_t>(op)], round, seed);
    ++agreed;
  }
  return "";
}

}  // namespace

Verdict check_engine(engine::Engine& engine, std::uint64_t rounds, std::uint64_t seed) {
  std::size_t vectors = 0, cross_checks = 0;
  std::string difference = difference_at_vectors(engine, vectors);
  if (difference.empty()) difference = difference_from_openssl(engine, rounds, seed, cross_checks);
  return {std::string(engine.name()),
          std::move(difference),
          fmt::format("{} known-answer vectors, {} cross-checks against OpenSSL", vectors, cross_checks),
          {{"vectors", vectors}, {"cross_checks", cross_checks}}};
}

}  // namespace fugu::cli
