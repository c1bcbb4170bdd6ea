// Gives any bytes to the reader of documents: a zip archive and its manifest.
// Input: the archive. It is opened if its manifest asks for few iterations.
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fugu;
  const auto file = std::as_bytes(std::span(data, size));
  const format::Codec* const codec = format::find_codec("odf");
  fuzz::require(codec != nullptr, "no such codec");
  static_cast<void>(codec->recognise(file, size));
  const format::OptionValues options(codec->options);
  const auth::SecretBytes passphrase(std::string_view("correct horse"));
  fuzz::BytesSource described(file);
  fuzz::BytesSource source(file);
  fuzz::BytesSink sink;
  fuzz::try_to([&] {
    if (!fuzz::asks_for_few(codec->describe(described, options))) return;
    static_cast<void>(codec->open({fuzz::engine(), source, sink, 0, nullptr, {}},
                                  {options, format::AskSecret(format::SecretKind::passphrase, passphrase)}));
  });
  return 0;
}
