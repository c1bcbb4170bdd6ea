// The conformance suite: what every engine must do, whatever it runs on. Expected values are OpenSSL's.
#include "fugu/engine/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "fugu/error.hpp"
#include "support/each_engine.hpp"
#include "support/openssl_blowfish.hpp"

namespace fugu::engine {
namespace {

using core::ByteOrder;
using test::Bytes;

constexpr Op kOps[] = {Op::ecb_encrypt, Op::ecb_decrypt, Op::ctr, Op::cbc_decrypt, Op::cfb_decrypt};

const char* name_of(Op op) {
  constexpr const char* kNames[] = {"ecb_encrypt", "ecb_decrypt", "ctr", "cbc_decrypt", "cfb_decrypt"};
  return kNames[static_cast<std::size_t>(op)];
}

struct Key {
  explicit Key(Bytes key_bytes) : bytes(std::move(key_bytes)) { cipher::expand(bytes, schedule); }

  Bytes bytes;
  cipher::Schedule schedule;
};

// What a call is asked for, apart from the data.
struct Request {
  Op op = Op::ecb_encrypt;
  std::uint64_t iv = 0;
  std::uint64_t first_block = 0;
  ByteOrder words = ByteOrder::big;
  ByteOrder counter = ByteOrder::big;
};

Segment segment_of(const Key& key, const Request& request, std::span<const std::byte> in,
                   std::span<std::byte> out) {
  return {&key.schedule, request.iv, request.first_block, in, out, request.words, request.counter};
}

Bytes run(Engine& engine, const Key& key, const Request& request, const Bytes& in) {
  Bytes out(in.size());
  const Segment segment = segment_of(key, request, in, out);
  engine.run(request.op, {&segment, 1});
  return out;
}

Bytes xor_of(Bytes a, std::span<const std::byte> b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] ^= b[i];
  return a;
}

// Input shifted by one block: what CBC and CFB decryption chain to.
Bytes previous_blocks(std::uint64_t iv, const Bytes& in) {
  Bytes out(in.size());
  if (in.empty()) return out;
  core::store_u64_big(out.data(), iv);
  std::copy(in.begin(), in.end() - 8, out.begin() + 8);
  return out;
}

// OpenSSL knows big-endian words only: with the other order the block cipher is ECB between two word swaps,
// and the modes are written from their definitions (NIST SP 800-38A, 6.2, 6.3, 6.5).
Bytes expected_little_endian(const Key& key, const Request& request, const Bytes& in) {
  const auto ecb = [&key](bool encrypt, const Bytes& data) {
    return test::swap_words(
        test::OpenSslBlowfish("BF-ECB", encrypt, key.bytes).apply(test::swap_words(data)));
  };
  switch (request.op) {
    case Op::ecb_encrypt:
      return ecb(true, in);
    case Op::ecb_decrypt:
      return ecb(false, in);
    case Op::cbc_decrypt:
      return xor_of(ecb(false, in), previous_blocks(request.iv, in));
    case Op::cfb_decrypt:
      return xor_of(ecb(true, previous_blocks(request.iv, in)), in);
    case Op::ctr:
      break;
  }
  return xor_of(
      ecb(true, test::counter_blocks(in.size() / 8, request.iv + request.first_block, request.counter)), in);
}

Bytes expected(const Key& key, const Request& request, const Bytes& in) {
  if (request.words == ByteOrder::little) return expected_little_endian(key, request, in);
  switch (request.op) {
    case Op::ecb_encrypt:
      return test::OpenSslBlowfish("BF-ECB", true, key.bytes).apply(in);
    case Op::ecb_decrypt:
      return test::OpenSslBlowfish("BF-ECB", false, key.bytes).apply(in);
    case Op::cbc_decrypt:
      return test::OpenSslBlowfish("BF-CBC", false, key.bytes).apply(in, request.iv);
    case Op::cfb_decrypt:
      return test::OpenSslBlowfish("BF-CFB", false, key.bytes).apply(in, request.iv);
    case Op::ctr:
      break;
  }
  return test::openssl_ctr(key.bytes, in, request.iv + request.first_block, request.counter);
}

// Every operation with every order of words and counter.
std::vector<Request> every_request(std::uint64_t iv, std::uint64_t first_block) {
  std::vector<Request> requests;
  for (const Op op : kOps) {
    for (const ByteOrder words : {ByteOrder::big, ByteOrder::little}) {
      requests.push_back({op, iv, first_block, words, ByteOrder::big});
      if (op == Op::ctr) requests.push_back({op, iv, first_block, words, ByteOrder::little});
    }
  }
  return requests;
}

std::string describe(const Request& request) {
  return std::string(name_of(request.op)) +
         (request.words == ByteOrder::little ? ", little-endian words" : "") +
         (request.counter == ByteOrder::little ? ", little-endian counter" : "");
}

class EachEngine : public testing::TestWithParam<test::EngineCase> {
 protected:
  std::unique_ptr<Engine> engine_ = GetParam().make();
  Key key_{test::pattern(16)};
};

constexpr std::uint64_t kIv = 0x0123456789abcdef;

TEST_P(EachEngine, EverySizeUpTo255Blocks) {
  for (const Request& request : every_request(kIv, 3)) {
    const Bytes in = test::pattern(std::size_t{8} * 255);
    const Bytes whole = expected(key_, request, in);
    for (std::size_t bytes = 0; bytes <= in.size(); bytes += 8) {
      const Bytes part(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(bytes));
      const Bytes out = run(*engine_, key_, request, part);
      ASSERT_TRUE(std::equal(out.begin(), out.end(), whole.begin()))
          << describe(request) << ", " << bytes << " bytes";
    }
  }
}

TEST_P(EachEngine, SplitAtEveryBlock) {
  const Bytes in = test::pattern(std::size_t{8} * 255);
  for (const Request& request : every_request(kIv, 0)) {
    const Bytes whole = expected(key_, request, in);
    for (std::size_t head = 8; head < in.size(); head += 8) {
      Bytes out(in.size());
      Request rest = request;
      rest.first_block += head / 8;
      if (request.op != Op::ctr) rest.iv = core::load_u64_big(in.data() + head - 8);
      const std::span<const std::byte> all(in);
      const std::span<std::byte> all_out(out);
      const Segment segments[] = {segment_of(key_, request, all.first(head), all_out.first(head)),
                                  segment_of(key_, rest, all.subspan(head), all_out.subspan(head))};
      engine_->run(request.op, segments);
      ASSERT_EQ(out, whole) << describe(request) << ", split at " << head;
    }
  }
}

TEST_P(EachEngine, AnyAlignmentAndNothingBeyondTheEnd) {
  constexpr std::byte kGuard{0xa5};
  for (const Request& request : every_request(kIv, 1)) {
    for (const std::size_t blocks : {std::size_t{1}, std::size_t{67}, std::size_t{255}}) {
      for (std::size_t shift = 0; shift < 8; ++shift) {
        const Bytes data = test::pattern(8 * blocks);
        Bytes in(shift, kGuard);
        in.insert(in.end(), data.begin(), data.end());
        const std::size_t out_shift = (3 * shift + 1) % 8;
        Bytes out(out_shift + data.size() + 64, kGuard);
        const Segment segment = segment_of(key_, request, std::span(in).subspan(shift),
                                           std::span(out).subspan(out_shift, data.size()));
        engine_->run(request.op, {&segment, 1});
        Bytes wanted(out_shift, kGuard);
        const Bytes middle = expected(key_, request, data);
        wanted.insert(wanted.end(), middle.begin(), middle.end());
        wanted.insert(wanted.end(), 64, kGuard);
        ASSERT_EQ(out, wanted) << describe(request) << ", " << blocks << " blocks, shift " << shift;
      }
    }
  }
}

// Large enough to be cut into pieces for several threads: each needs the ciphertext its neighbour overwrites.
TEST_P(EachEngine, InPlace) {
  for (const Request& request : every_request(kIv, 0)) {
    for (const std::size_t blocks : {std::size_t{1}, std::size_t{64}, std::size_t{255}, std::size_t{40001}}) {
      Bytes data = test::pattern(8 * blocks);
      const Bytes wanted = expected(key_, request, data);
      const Segment segment = segment_of(key_, request, data, data);
      engine_->run(request.op, {&segment, 1});
      ASSERT_EQ(data, wanted) << describe(request) << ", " << blocks << " blocks";
    }
  }
}

TEST_P(EachEngine, CountersWrapAt64Bits) {
  const Bytes in = test::pattern(std::size_t{8} * 255);
  for (const ByteOrder counter : {ByteOrder::big, ByteOrder::little}) {
    for (std::uint64_t before = 0; before <= 255; ++before) {
      const Request request{Op::ctr, ~std::uint64_t{0} - 9, 10 - before, ByteOrder::big, counter};
      ASSERT_EQ(run(*engine_, key_, request, in), expected(key_, request, in))
          << before << " blocks before the wrap, " << describe(request);
    }
    for (const std::uint64_t carry : {0xffull, 0xffffull, 0xffffffull, 0xffffffffull, 0xffffffffffull}) {
      const Request request{Op::ctr, carry - 100, 0, ByteOrder::big, counter};
      ASSERT_EQ(run(*engine_, key_, request, in), expected(key_, request, in))
          << carry << ", " << describe(request);
    }
  }
}

TEST_P(EachEngine, ManySegmentsEachWithItsOwnKey) {
  test::Random random(3);
  for (const Op op : kOps) {
    std::vector<std::unique_ptr<Key>> keys;
    std::vector<Bytes> in;
    std::vector<Bytes> out;
    std::vector<Request> requests;
    for (std::size_t i = 0; i < 100; ++i) {
      keys.push_back(std::make_unique<Key>(test::random_bytes(random, 1 + random() % 56)));
      in.push_back(test::random_bytes(random, 8 * (random() % (i % 10 == 0 ? 9000 : 300))));
      out.push_back(i % 2 == 0 ? Bytes(in[i].size()) : in[i]);
      requests.push_back({op, random(), random(), random() % 2 == 0 ? ByteOrder::big : ByteOrder::little,
                          random() % 2 == 0 ? ByteOrder::big : ByteOrder::little});
    }
    std::vector<Segment> segments;
    for (std::size_t i = 0; i < in.size(); ++i) {
      segments.push_back(segment_of(*keys[i], requests[i], i % 2 == 0 ? in[i] : out[i], out[i]));
    }
    engine_->run(op, segments);
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(out[i], expected(*keys[i], requests[i], in[i])) << describe(requests[i]) << ", segment " << i;
    }
  }
}

TEST_P(EachEngine, EveryKeyLength) {
  test::Random random(4);
  const Bytes in = test::random_bytes(random, std::size_t{8} * 133);
  for (std::size_t bytes = 1; bytes <= cipher::kMaxClassicKeyBytes; ++bytes) {
    const Key key(test::random_bytes(random, bytes));
    for (const Op op : kOps) {
      const Request request{op, kIv, 7};
      ASSERT_EQ(run(*engine_, key, request, in), expected(key, request, in)) << name_of(op) << ", " << bytes;
    }
  }
}

TEST_P(EachEngine, RefusesWhatBreaksTheRulesAndWritesNothing) {
  const Bytes in = test::pattern(64);
  Bytes out(80);
  const std::span<std::byte> room(out);
  const Request request;
  const Segment good = segment_of(key_, request, std::span(in).first(16), room.subspan(64, 16));
  Segment without_key = segment_of(key_, request, in, room.first(64));
  without_key.schedule = nullptr;
  const Segment bad[] = {
      without_key,
      segment_of(key_, request, std::span(in).first(63), room.first(63)),
      segment_of(key_, request, in, room.first(56)),
      segment_of(key_, request, room.first(56), room.subspan(8, 56)),  // half in place
      segment_of(key_, request, in, room.subspan(16, 64)),             // over the other segment's output
  };
  for (const Segment& segment : bad) {
    const Segment segments[] = {good, segment};
    try {
      engine_->run(Op::ecb_encrypt, segments);
      ADD_FAILURE() << "segment " << &segment - bad << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::usage);
    }
    EXPECT_EQ(out, Bytes(80));
  }
}

TEST_P(EachEngine, TakesNoSegmentsAndEmptyOnes) {
  engine_->run(Op::ctr, {});
  const Segment empty = segment_of(key_, {}, {}, {});
  engine_->run(Op::ecb_encrypt, {&empty, 1});
}

// For ThreadSanitizer too: one engine, several callers at a time.
TEST_P(EachEngine, SeveralCallersAtATime) {
  const Bytes in = test::pattern(std::size_t{8} * 20011);
  std::vector<Bytes> wanted;
  for (const Op op : kOps) wanted.push_back(expected(key_, {op, kIv, 0}, in));
  std::vector<std::vector<Bytes>> got(4);
  std::vector<std::thread> callers;
  for (std::vector<Bytes>& mine : got) {
    callers.emplace_back([&] {
      for (int turn = 0; turn < 4; ++turn) {
        for (const Op op : kOps) mine.push_back(run(*engine_, key_, {op, kIv, 0}, in));
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const std::vector<Bytes>& mine : got) {
    for (std::size_t i = 0; i < mine.size(); ++i) EXPECT_EQ(mine[i], wanted[i % wanted.size()]);
  }
}

TEST_P(EachEngine, AllocatesAlignedMemory) {
  const Chunk chunk = engine_->allocate(engine_->preferred_chunk_bytes());
  ASSERT_EQ(chunk.size(), engine_->preferred_chunk_bytes());
  EXPECT_EQ(chunk.size() % core::kBlockBytes, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(chunk.data()) % 64, 0u);
  std::fill(chunk.span().begin(), chunk.span().end(), std::byte{1});
}

INSTANTIATE_TEST_SUITE_P(Cpu, EachEngine, testing::ValuesIn(test::engines()),
                         [](const auto& engine) { return test::identifier(engine.param); });

}  // namespace
}  // namespace fugu::engine
