// Bytes as text and back, in one call or in steps.
#pragma once

#include "fugu/stream/base64.hpp"
#include "fugu/stream/hex.hpp"
#include "stream/memory.hpp"
#include "support/testing.hpp"

namespace fugu::stream {

struct TextEncoding {
  const char* name;
  std::unique_ptr<Sink> (*encoder)(Sink& inner, TextLines lines);
  std::unique_ptr<Source> (*decoder)(std::unique_ptr<Source> inner);
  DecodedText (*in_memory)(std::string_view text, std::span<std::byte> into) noexcept;

  std::string encode(std::span<const std::byte> bytes, TextLines lines,
                     std::size_t step = std::numeric_limits<std::size_t>::max()) const {
    FaultySink out;
    const std::unique_ptr<Sink> sink = encoder(out, lines);
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(step, bytes.size())))
      sink->write(bytes.first(std::min(step, bytes.size())));
    sink->finish();
    EXPECT_EQ(out.finished, 1);
    return text_of(out.bytes);
  }

  Bytes decode(std::string_view text, std::size_t step = std::size_t{64} * 1024) const {
    return read_all(*decoder(std::make_unique<FaultySource>(bytes_of(text))), step);
  }

  DecodedText decode(std::string_view text, Bytes& into) const {
    into.resize(text.size() + 8);
    const DecodedText decoded = in_memory(text, into);
    into.resize(decoded.bytes);
    return decoded;
  }
};

inline constexpr TextEncoding kHex{"hex", hex_encoder, hex_decoder, decode_hex};
inline constexpr TextEncoding kSignedHex{"signed hex", hex_encoder, signed_hex_decoder, decode_signed_hex};
inline constexpr TextEncoding kBase64{"base64", base64_encoder, base64_decoder, decode_base64};

}  // namespace fugu::stream
