// Inflating, compared with zlib's and bzip2's own compression, and its limits.
#include "fugu/format/detail/inflate.hpp"

#include <bzlib.h>
#include <zlib.h>

#include "fugu/format/detail/filters.hpp"
#include "fugu/format/openpgp/detail/packets.hpp"
#include "memory.hpp"

namespace fugu::format {
namespace {

Bytes compressed_by_zlib(const Bytes& data, int window_bits) {
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  Bytes out(deflateBound(&stream, data.size()) + 64);
  Bytes in = data;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

Bytes compressed_by_bzip2(const Bytes& data) {
  Bytes in = data;
  in.reserve(1);  // bzip2 refuses a null pointer
  Bytes out(data.size() + data.size() / 100 + 600);
  auto bytes = static_cast<unsigned>(out.size());
  if (BZ2_bzBuffToBuffCompress(reinterpret_cast<char*>(out.data()), &bytes,
                               reinterpret_cast<char*>(in.data()), static_cast<unsigned>(in.size()), 9, 0,
                               0) != BZ_OK)
    throw std::bad_alloc();
  out.resize(bytes);
  return out;
}

Bytes compressed(Compression kind, const Bytes& data) {
  switch (kind) {
    case Compression::deflate:
      return compressed_by_zlib(data, -15);
    case Compression::zlib:
      return compressed_by_zlib(data, 15);
    case Compression::gzip:
      return compressed_by_zlib(data, 31);
    case Compression::bzip2:
      break;
  }
  return compressed_by_bzip2(data);
}

constexpr Compression kKinds[] = {Compression::deflate, Compression::zlib, Compression::gzip,
                                  Compression::bzip2};

Bytes inflated(Compression kind, const Bytes& data, std::size_t step_bytes, OutputLimit limit = {}) {
  BytesSink sink;
  const auto filter = inflater(kind, sink, limit);
  for (std::size_t at = 0; at < data.size(); at += step_bytes)
    filter->write(std::span(data).subspan(at, std::min(step_bytes, data.size() - at)));
  filter->finish();
  return std::move(sink.bytes);
}

TEST(Inflate, AnySizeInAnySteps) {
  for (const Compression kind : kKinds) {
    for (const std::size_t bytes : {0u, 1u, 1000u, 65536u, 200000u}) {
      const Bytes data = test::pattern(bytes);
      const Bytes packed = compressed(kind, data);
      for (const std::size_t step : {std::size_t{1}, std::size_t{7}, packed.size()})
        EXPECT_EQ(inflated(kind, packed, step), data) << static_cast<int>(kind) << " " << bytes;
    }
  }
}

TEST(Inflate, TruncatedAndFollowedByMoreIsDamaged) {
  for (const Compression kind : kKinds) {
    const Bytes packed = compressed(kind, test::pattern(500));
    for (const Bytes& wrong : {slice(packed, 0, packed.size() - 1), packed + bytes_of("A")})
      EXPECT_EQ(code_of([&] { inflated(kind, wrong, 64); }), Errc::damaged);
  }
}

// gzip(1) and bzip2(1) read two streams as one.
TEST(Inflate, StreamsOneAfterTheOther) {
  for (const Compression kind : {Compression::gzip, Compression::bzip2}) {
    const Bytes once = compressed(kind, test::pattern(500));
    EXPECT_EQ(inflated(kind, joined({once, once}), 50).size(), 1000u);
  }
}

// The number of bytes that libbz2 gives in calls for `most` each, as GnuPG makes them.
std::size_t bytes_in_calls_of(std::size_t most, Bytes packed) {
  bz_stream stream{};
  if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) throw std::bad_alloc();
  stream.next_in = reinterpret_cast<char*>(packed.data());
  stream.avail_in = static_cast<unsigned>(packed.size());
  std::size_t bytes = 0;
  for (bool is_full = true; is_full;) {
    std::array<char, 1000> out;
    stream.next_out = out.data();
    stream.avail_out = static_cast<unsigned>(most);
    const int status = BZ2_bzDecompress(&stream);
    bytes += most - stream.avail_out;
    is_full = status == BZ_OK && stream.avail_out == 0;
  }
  BZ2_bzDecompressEnd(&stream);
  return bytes;
}

TEST(Inflate, DamagedBzip2GivesWhatGnuPgGetsOfIt) {
  Bytes data;
  for (std::uint32_t state = 1; data.size() < 300; state = 1664525 * state + 1013904223)
    data.push_back(static_cast<std::byte>('a' + (state >> 30)));
  const Bytes packed = compressed(Compression::bzip2, data);
  int less_in_one_call = 0;
  for (std::size_t at = 4; at < packed.size(); ++at) {
    for (const unsigned change : {0x01u, 0x61u, 0x6du, 0xa3u, 0xcdu, 0xf7u}) {
      const Bytes changed = flipped(packed, at, change);
      BytesSink sink;
      const auto error = error_of([&] { inflater(Compression::bzip2, sink, {})->write(changed); });
      const std::size_t theirs = bytes_in_calls_of(255, changed);
      EXPECT_GE(sink.bytes.size(), theirs) << at << " " << change;
      less_in_one_call += bytes_in_calls_of(1000, changed) < theirs;
    }
  }
  EXPECT_GT(less_in_one_call, 0);
}

TEST(Inflate, StopsAtItsLimit) {
  for (const Compression kind : kKinds) {
    const Bytes packed = compressed(kind, test::pattern(5000));
    EXPECT_EQ(inflated(kind, packed, 64, OutputLimit(5000)).size(), 5000u);
    EXPECT_EQ(error_of([&] { inflated(kind, packed, 64, OutputLimit(4999)); }).value().text(),
              "the content inflates to more than the 4999 bytes of ⟦max-output⟧");
  }
}

// Zeros shrink to about a thousandth of their size.
TEST(Inflate, RefusesBombs) {
  constexpr std::size_t kBytes = std::size_t{66} << 20;
  const Bytes packed = compressed(Compression::zlib, Bytes(kBytes));
  ASSERT_LT(packed.size() * 900, kBytes);
  EXPECT_EQ(code_of([&] { inflated(Compression::zlib, packed, 65536); }), Errc::damaged);
  EXPECT_EQ(inflated(Compression::zlib, packed, 65536, OutputLimit(kBytes)).size(), kBytes);
}

// Returns raw deflate data that repeat every 16 KiB, so that they deflate well once more.
Bytes deflated_evenly(const Bytes& head, std::size_t zeros) {
  constexpr std::size_t kStep = std::size_t{16} << 10;
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
  const auto flushed = [&](const Bytes& data) {
    Bytes out(data.size() + 100);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(data.data()));
    stream.avail_in = static_cast<uInt>(data.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FULL_FLUSH), Z_OK);
    out.resize(out.size() - stream.avail_out);
    return out;
  };
  Bytes out = flushed(head);
  const Bytes step = flushed(Bytes(kStep));
  deflateEnd(&stream);
  for (std::size_t at = 0; at < zeros; at += kStep) out.insert(out.end(), step.begin(), step.end());
  out.insert(out.end(), {std::byte{3}, std::byte{0}});  // an empty last block
  return out;
}

// Returns the size of the file in the packets.
std::uint64_t literal_bytes(const Bytes& packets, OutputLimit limit = {}) {
  std::uint64_t bytes = 0;
  const auto nowhere = stream::discard();
  Watched sink(*nowhere, [&](std::span<const std::byte> from) { bytes += from.size(); });
  bool is_signed = false;
  const auto message = message_content(sink, limit, is_signed, nullptr);
  message->write(packets);
  message->finish();
  return bytes;
}

// Two nested compressions of OpenPGP, neither beyond its limit, expand a few kilobytes to 66 MiB.
TEST(Inflate, RefusesBombsInsideCompressedPackets) {
  constexpr std::size_t kZeros = std::size_t{66} << 20;
  const Bytes literal{std::byte{0xaf}, std::byte{'b'}, {}, {}, {}, {}, {}};  // the length is "to the end"
  const Bytes compressed_packet{std::byte{0xa3}, std::byte{1}};              // the same length, with deflate
  const Bytes inner = deflated_evenly(literal, kZeros);
  ASSERT_GT(inner.size() * 200, kZeros);
  Bytes packets = joined({compressed_packet, inner});
  EXPECT_EQ(literal_bytes(packets), kZeros);
  packets = joined({compressed_packet, compressed(Compression::deflate, packets)});
  ASSERT_LT(packets.size() * 2000, kZeros);
  EXPECT_EQ(code_of([&] { literal_bytes(packets); }), Errc::damaged);
  EXPECT_EQ(literal_bytes(packets, OutputLimit(kZeros + literal.size())), kZeros);
}

// Each of two compressed packets stays below what is always allowed, and what they hold is dropped: the limit
// is on their sum.
TEST(Inflate, CountsAllCompressedPackets) {
  constexpr std::size_t kZeros = std::size_t{40} << 20;
  Bytes ignored{std::byte{0xab}};  // a marker packet to the end
  ignored.resize(kZeros);
  Bytes packet{std::byte{0xa2}, {}, {}, {}, {}, std::byte{1}};
  const Bytes body = compressed(Compression::deflate, ignored);
  for (std::size_t i = 0; i < 4; ++i)
    packet[1 + i] = static_cast<std::byte>((body.size() + 1) >> (24 - 8 * i));
  const Bytes literal{std::byte{0xac}, std::byte{6}, std::byte{'b'}, {}, {}, {}, {}, {}};
  EXPECT_EQ(literal_bytes(joined({packet, body, literal})), 0U);
  EXPECT_EQ(code_of([&] { literal_bytes(joined({packet, body, packet, body, literal})); }), Errc::damaged);
}

}  // namespace
}  // namespace fugu::format
