// Base64: what decodes must decode to the same after it was encoded again.
#include "fugu/stream/base64.hpp"
#include "fuzz.hpp"

namespace {

using namespace fugu;

fuzz::Bytes decode(std::span<const std::byte> text) {
  const auto source = stream::base64_decoder(std::make_unique<fuzz::BytesSource>(text));
  fuzz::Bytes out;
  for (fuzz::Bytes part(7);;) {
    const std::size_t got = source->read(part);
    if (got == 0) return out;
    out.insert(out.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes plain;
  try {
    plain = decode(std::as_bytes(std::span(data, size)));
  } catch (const Error&) {
    return 0;
  }
  for (const stream::Base64Lines lines : {stream::Base64Lines::wrapped_64, stream::Base64Lines::single}) {
    fuzz::BytesSink text;
    const auto encoder = stream::base64_encoder(text, lines);
    encoder->write(plain);
    encoder->finish();
    fuzz::require(decode(text.bytes) == plain, "base64 does not round-trip");
  }
  return 0;
}
