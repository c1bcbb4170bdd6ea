#include "cli/check/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
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

// An operation of engines, and OpenSSL's for the same work.
struct CheckedOp {
  Op op;
  std::string_view name;
  mode::Mode mode;
  core::Direction direction;
};
constexpr CheckedOp kOps[] = {
    {Op::ecb_encrypt, "ecb encryption", mode::Mode::ecb, core::Direction::encrypt},
    {Op::ecb_decrypt, "ecb decryption", mode::Mode::ecb, core::Direction::decrypt},
    {Op::ctr, "ctr", mode::Mode::ctr, core::Direction::encrypt},
    {Op::cbc_decrypt, "cbc decryption", mode::Mode::cbc, core::Direction::decrypt},
    {Op::cfb_decrypt, "cfb decryption", mode::Mode::cfb64, core::Direction::decrypt},
};

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

Bytes by_openssl(const CheckedOp& work, const Case& c) {
  mode::Settings settings{work.mode, mode::Padding::none, {}, {}, {}};
  core::store_u64_big(settings.iv.emplace().data(), work.op == Op::ctr ? c.iv + c.first_block : c.iv);
  Bytes result(c.input.size());
  OpensslStream(settings, work.direction, c.key).process(c.input, result);
  return result;
}

bool round_agrees(engine::Engine& engine, const CheckedOp& work, Random& random) {
  std::vector<Case> cases;
  cases.reserve(kMostSegments);
  for (std::size_t i = random.up_to(kMostSegments - 1) + 1; i > 0; --i) cases.emplace_back(random);
  std::vector<engine::Segment> segments;
  for (Case& c : cases) segments.push_back(c.segment());
  engine.run(work.op, segments);
  return std::ranges::all_of(cases, [&](const Case& c) { return c.output == by_openssl(work, c); });
}

std::string difference_from_openssl(engine::Engine& engine, std::uint64_t rounds, std::uint64_t seed,
                                    std::size_t& agreed) {
  Random random(seed);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const CheckedOp& work = kOps[round % std::size(kOps)];
    if (!round_agrees(engine, work, random))
      return fmt::format("{} differs from OpenSSL in round {} of seed {}", work.name, round, seed);
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
