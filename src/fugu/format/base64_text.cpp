// Decodes short texts with the stream's decoder.
#include "fugu/format/detail/base64_text.hpp"

#include "fugu/error.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {

std::optional<std::vector<std::byte>> parse_base64(std::string_view text) {
  stream::MemorySource source(std::as_bytes(std::span(text)));
  std::vector<std::byte> bytes(text.size());
  try {
    bytes.resize(stream::base64_decoder(stream::borrow(source))->read(bytes));
  } catch (const Error&) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace fugu::format
