// Base64, hexadecimal digits and signed numbers, from a source and in memory: decoded bytes that are encoded
// again must decode to the same bytes. Nothing here writes signed numbers.
#include <functional>

#include "fugu/stream/base64.hpp"
#include "fugu/stream/dress.hpp"
#include "fugu/stream/hex.hpp"
#include "fuzz.hpp"

namespace {

using namespace fugu;

using MakeDecoder = std::function<std::unique_ptr<stream::Source>(std::unique_ptr<stream::Source>)>;
using DecodeInMemory = stream::DecodedText(std::string_view, std::span<std::byte>) noexcept;
using MakeEncoder = std::unique_ptr<stream::Sink>(stream::Sink&, stream::TextLines);

fuzz::Bytes decode(const MakeDecoder& make_decoder, std::span<const std::byte> text) {
  const auto source = make_decoder(std::make_unique<fuzz::BytesSource>(text));
  fuzz::Bytes out;
  for (fuzz::Bytes part(7);;) {
    const std::size_t got = source->read(part);
    if (got == 0) return out;
    out.insert(out.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
  }
}

void try_both_ways(const MakeDecoder& make_decoder, DecodeInMemory decode_in_memory, MakeEncoder make_encoder,
                   std::span<const std::byte> text) {
  fuzz::Bytes plain;
  fuzz::Bytes in_memory(text.size() + 8);
  const stream::DecodedText decoded =
      decode_in_memory({reinterpret_cast<const char*>(text.data()), text.size()}, in_memory);
  in_memory.resize(decoded.bytes);
  try {
    plain = decode(make_decoder, text);
  } catch (const Error&) {
    fuzz::require(!decoded, "a text decodes in memory alone");
    return;
  }
  fuzz::require(decoded && in_memory == plain, "a text decodes otherwise in memory");
  if (make_encoder == nullptr) return;
  for (const stream::TextLines lines : {stream::TextLines::wrapped, stream::TextLines::single}) {
    fuzz::BytesSink again;
    const auto encoder = make_encoder(again, lines);
    encoder->write(plain);
    encoder->finish();
    fuzz::require(decode(make_decoder, again.bytes) == plain, "a text encoding does not round-trip");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = std::as_bytes(std::span(data, size));
  try_both_ways(stream::base64_decoder, stream::decode_base64, stream::base64_encoder, text);
  try_both_ways(stream::hex_decoder, stream::decode_hex, stream::hex_encoder, text);
  try_both_ways(stream::signed_hex_decoder, stream::decode_signed_hex, nullptr, text);
  for (const auto digits : {stream::Digits::hex, stream::Digits::base64}) {
    const std::string_view characters(reinterpret_cast<const char*>(data), size);
    const stream::Dress* const dress = stream::dress_of(characters, digits);
    const auto read = [&](std::unique_ptr<stream::Source> source) {
      return stream::whole_decoder(std::move(source), dress->read);
    };
    if (dress != nullptr) try_both_ways(read, dress->read, nullptr, text);
  }
  return 0;
}
