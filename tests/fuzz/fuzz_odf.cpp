// Gives any bytes to the reader of documents: a zip archive and its manifest.
// Input: the archive. It is opened if its manifest asks for few iterations.
#include "fugu/format/codec.hpp"
#include "fuzz.hpp"

namespace {

using namespace fugu;

constexpr std::uint64_t kFewIterations = 1000;

bool asks_for_few(const format::Description& description) {
  for (const format::DescriptionField& field : description.fields) {
    const auto* const count = std::get_if<std::uint64_t>(&field.value);
    if (field.key == "iterations") return count != nullptr && *count <= kFewIterations;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  const format::Codec* const codec = format::find_codec("odf");
  fuzz::require(codec != nullptr, "no such codec");
  static_cast<void>(codec->recognise(file, size));
  const format::OptionValues options(codec->options);
  const auth::SecretBytes passphrase(std::string_view("correct horse"));
  fuzz::BytesSource described(file);
  fuzz::BytesSource source(file);
  fuzz::BytesSink sink;
  try {
    if (!asks_for_few(codec->describe(described, options))) return 0;
    static_cast<void>(codec->open({fuzz::engine(), source, sink, 0, nullptr, {}},
                                  {options, format::AskSecret(format::SecretKind::passphrase, passphrase)}));
  } catch (const Error&) {
  }
  return 0;
}
