// The reader of openssl enc's format, with given parameters and by trial.
// Input: choice u8, then the file.
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fugu;
  constexpr const char* kCiphers[] = {"bf-cbc", "bf-ecb", "bf-cfb", "bf-ofb"};
  fuzz::Input input(data, size);
  const std::uint64_t choice = input.number(1);
  const format::Codec& codec = *format::find_codec("openssl");
  format::OptionValues options(codec.options);
  options.set("no-pbkdf2");
  if ((choice & 1u) != 0) options.set("cipher", kCiphers[choice >> 1 & 3u]);
  if ((choice & 16u) != 0) options.set("md", "md5");
  if ((choice & 32u) != 0) options.set("key-bytes", "8");
  if ((choice & 64u) != 0) options.set("nopad");
  if ((choice & 128u) != 0) options.set("nosalt");
  fuzz::BytesSource source(input.rest(), (choice & 3u) != 0 ? fuzz::Seekable::yes : fuzz::Seekable::no);
  fuzz::BytesSink sink;
  fuzz::try_to([&] {
    codec.open({fuzz::engine(), source, sink, 4096, nullptr, {}},
               {options, format::AskSecret(format::SecretKind::passphrase, fuzz::passphrase())});
    fuzz::require(sink.bytes.size() <= input.rest().size(), "more plaintext than ciphertext");
  });
  return 0;
}
