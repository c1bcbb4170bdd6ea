// The codec that FUGU_FUZZ_CODEC names, on any bytes, under passphrases that open samples.
// Input: choice u8, then the file.
#include <array>
#include <string_view>

#include "fugu/format/codec.hpp"
#include "fuzz.hpp"

namespace {

constexpr std::array<std::string_view, 4> kPassphrases{"hello world", "secret", "password", "pass word 8"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fugu;
  fuzz::Input input(data, size);
  const std::uint64_t choice = input.number(1);
  const format::Codec* const codec = format::find_codec(FUGU_FUZZ_CODEC);
  fuzz::require(codec != nullptr, "no such codec");
  static_cast<void>(codec->recognise(input.rest(), input.rest().size()));
  const auth::SecretBytes passphrase(kPassphrases[choice & 3U]);
  format::OptionValues options(codec->options);
  const bool is_bare = (choice & 16U) != 0 && std::string_view(FUGU_FUZZ_CODEC) == "mcrypt";
  if (is_bare) options.set("bare");
  fuzz::BytesSource described(input.rest(), fuzz::Seekable::yes);
  fuzz::BytesSource source(input.rest(), (choice & 4U) != 0 ? fuzz::Seekable::yes : fuzz::Seekable::no);
  fuzz::BytesSink sink;
  try {
    static_cast<void>(codec->describe(described, options));
  } catch (const Error&) {
  }
  try {
    static_cast<void>(codec->open(
        {fuzz::engine(), source, sink, (choice & 8U) != 0 ? 64U : 0U, nullptr, {}},
        {options, format::AskSecret(format::SecretKind::passphrase, passphrase), (choice & 32U) != 0}));
  } catch (const Error&) {
  }
  return 0;
}
