// Decrypts and salvages a whole sealed file, from a file and from a pipe, in chunks of any size.
// Input: chunk size u8 (times 16), then the file.
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fugu;
  fuzz::Input input(data, size);
  const auto chunk_bytes = static_cast<std::size_t>(16 * input.number(1) + 1);
  const auto file = input.rest();
  const auto whole = fuzz::open_sealed(file, chunk_bytes, fuzz::Seekable::yes, format::decrypt_sealed);
  const auto piped = fuzz::open_sealed(file, 16, fuzz::Seekable::no, format::decrypt_sealed);
  fuzz::require(whole == piped, "a file and a pipe differ");
  bool saved_all = false;
  const auto salvaged = fuzz::open_sealed(
      file, chunk_bytes, fuzz::Seekable::yes,
      [&](const format::Job& job, const format::SealedHeader& header, const format::SealedKeys& keys) {
        saved_all = format::salvage_sealed(job, header, keys).whole();
      });
  fuzz::require(saved_all == whole.has_value(), "salvage and decryption disagree");
  if (whole) fuzz::require(salvaged == whole, "salvage gives another plaintext");
  return 0;
}
