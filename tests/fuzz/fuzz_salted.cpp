// The reader of openssl enc's format, with given parameters and by trial.
// Input: choice u8, then the file.
#include "fugu/format/openssl/openssl_enc.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fugu;
  fuzz::Input input(data, size);
  const std::uint64_t choice = input.number(1);
  format::OpensslDecryptRequest request;
  request.pbkdf2_iterations = 0;
  if ((choice & 1u) != 0) request.mode = static_cast<mode::Mode>(choice >> 1 & 7u);
  if ((choice & 16u) != 0) request.digest = "md5";
  if ((choice & 32u) != 0) request.key_bytes = 8;
  request.padded = (choice & 64u) == 0;
  if ((choice & 128u) != 0) request.salt_place = format::SaltPlace::none;
  fuzz::BytesSource source(input.rest(), (choice & 3u) != 0 ? fuzz::Seekable::yes : fuzz::Seekable::no);
  fuzz::BytesSink sink;
  try {
    format::decrypt_openssl({fuzz::engine(), source, sink, 4096, nullptr, {}}, request, fuzz::passphrase());
    fuzz::require(sink.bytes.size() <= input.rest().size(), "more plaintext than ciphertext");
  } catch (const Error&) {
  }
  return 0;
}
