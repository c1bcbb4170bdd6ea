// The header of a sealed file, unchanged and as one of each version with its checksum corrected, so that the
// code behind the check is reached.
#include "fugu/auth/digest.hpp"
#include "fuzz.hpp"

namespace {

using namespace fugu;

void parse(const fuzz::Bytes& file) {
  fuzz::try_to([&] {
    const format::SealedHeader header = format::parse_sealed_header(file, fuzz::kBounds);
    fuzz::require(header.bytes.size() <= file.size(), "a header longer than the file");
    fuzz::require(std::equal(header.bytes.begin(), header.bytes.end(), file.begin()), "another header");
    fuzz::require(header.version == 1 || header.version == 2, "a version that does not exist");
    fuzz::require(header.segment_log2 >= 4 && header.segment_log2 <= 16, "segment size out of bounds");
    static_cast<void>(format::claimed_plain_bytes(header, file.size()));
    if (header.slot == format::SealedSlot::key) {
      static_cast<void>(format::unlock_sealed(header, fuzz::secret_for(header)));
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> input = std::as_bytes(std::span(data, size));
  fuzz::Bytes file(input.begin(), input.end());
  parse(file);
  if (file.size() < 64) return 0;
  std::size_t header_bytes = 0;
  for (std::size_t i = 0; i < 4; ++i) header_bytes |= std::to_integer<std::size_t>(file[12 + i]) << (8 * i);
  if (header_bytes < 64 || header_bytes > file.size()) return 0;
  for (const std::byte version : {file[8], std::byte{1}, std::byte{2}}) {
    file[8] = version;
    const auth::Sha256Digest digest = auth::sha256(std::span(file).first(header_bytes - 48));
    std::copy_n(digest.begin(), 16, file.begin() + static_cast<std::ptrdiff_t>(header_bytes - 48));
    parse(file);
  }
  return 0;
}
