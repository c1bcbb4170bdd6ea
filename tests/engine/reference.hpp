// Calls of the engine tests, and OpenSSL's results for them.
#pragma once

#include "fugu/engine/engine.hpp"
#include "support/openssl_blowfish.hpp"

namespace fugu::engine {

using core::ByteOrder;
using test::Bytes;

inline constexpr Op kOps[] = {Op::ecb_encrypt, Op::ecb_decrypt, Op::ctr, Op::cbc_decrypt, Op::cfb_decrypt};

inline const char* name_of(Op op) {
  constexpr const char* kNames[] = {"ecb_encrypt", "ecb_decrypt", "ctr", "cbc_decrypt", "cfb_decrypt"};
  return kNames[static_cast<std::size_t>(op)];
}

// One key as a schedule and as OpenSSL's cipher.
struct Key {
  explicit Key(const Bytes& bytes)
      : ecb_encrypt("BF-ECB", true, bytes),
        ecb_decrypt("BF-ECB", false, bytes),
        cbc_decrypt("BF-CBC", false, bytes),
        cfb_decrypt("BF-CFB", false, bytes) {
    cipher::expand(bytes, schedule);
  }

  cipher::Schedule schedule;
  test::OpenSslBlowfish ecb_encrypt;
  test::OpenSslBlowfish ecb_decrypt;
  test::OpenSslBlowfish cbc_decrypt;
  test::OpenSslBlowfish cfb_decrypt;
};

// The parameters of a call, without the data.
struct Request {
  Op op = Op::ecb_encrypt;
  std::uint64_t iv = 0;
  std::uint64_t first_block = 0;
  ByteOrder words = ByteOrder::big;
  ByteOrder counter = ByteOrder::big;
};

inline Segment segment_of(const Key& key, const Request& request, std::span<const std::byte> in,
                          std::span<std::byte> out) {
  return {&key.schedule, request.iv, request.first_block, in, out, request.words, request.counter};
}

inline Bytes run(Engine& engine, const Key& key, const Request& request, const Bytes& in) {
  Bytes out(in.size());
  const Segment segment = segment_of(key, request, in, out);
  engine.run(request.op, {&segment, 1});
  return out;
}

inline Bytes xor_of(Bytes a, std::span<const std::byte> b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] ^= b[i];
  return a;
}

// Returns the input shifted by one block, to which CBC and CFB decryption chain.
inline Bytes previous_blocks(std::uint64_t iv, const Bytes& in) {
  Bytes out(in.size());
  if (in.empty()) return out;
  core::store_u64_big(out.data(), iv);
  std::copy(in.begin(), in.end() - 8, out.begin() + 8);
  return out;
}

// OpenSSL has big-endian words only. For the other order, ECB is computed between two word swaps, and the
// modes are written from their definitions (NIST SP 800-38A, 6.2, 6.3, 6.5), CTR in both orders.
inline Bytes ecb_with_words(test::OpenSslBlowfish& ecb, ByteOrder words, const Bytes& in) {
  return words == ByteOrder::big ? ecb.apply(in) : test::swap_words(ecb.apply(test::swap_words(in)));
}

inline Bytes expected(Key& key, const Request& request, const Bytes& in) {
  const bool big = request.words == ByteOrder::big;
  switch (request.op) {
    case Op::ecb_encrypt:
      return ecb_with_words(key.ecb_encrypt, request.words, in);
    case Op::ecb_decrypt:
      return ecb_with_words(key.ecb_decrypt, request.words, in);
    case Op::cbc_decrypt:
      if (big) return key.cbc_decrypt.apply(in, request.iv);
      return xor_of(ecb_with_words(key.ecb_decrypt, request.words, in), previous_blocks(request.iv, in));
    case Op::cfb_decrypt:
      if (big) return key.cfb_decrypt.apply(in, request.iv);
      return xor_of(ecb_with_words(key.ecb_encrypt, request.words, previous_blocks(request.iv, in)), in);
    case Op::ctr:
      break;
  }
  const Bytes counters =
      test::counter_blocks(in.size() / 8, request.iv + request.first_block, request.counter);
  return xor_of(ecb_with_words(key.ecb_encrypt, request.words, counters), in);
}

// Returns every operation with every order of words and counter.
inline std::vector<Request> every_request(std::uint64_t iv, std::uint64_t first_block) {
  std::vector<Request> requests;
  for (const Op op : kOps) {
    for (const ByteOrder words : {ByteOrder::big, ByteOrder::little}) {
      requests.push_back({op, iv, first_block, words, ByteOrder::big});
      if (op == Op::ctr) requests.push_back({op, iv, first_block, words, ByteOrder::little});
    }
  }
  return requests;
}

inline std::string describe(const Request& request) {
  return std::string(name_of(request.op)) +
         (request.words == ByteOrder::little ? ", little-endian words" : "") +
         (request.counter == ByteOrder::little ? ", little-endian counter" : "");
}

}  // namespace fugu::engine
