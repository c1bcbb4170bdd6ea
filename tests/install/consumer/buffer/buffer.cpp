// Seals a buffer under a passphrase, opens it again, and encrypts with a bare cipher in pieces.
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "fugu/fugu.hpp"
#include "fugu/mode/cipher.hpp"

namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

int main() try {
  const std::vector<std::byte> plaintext = bytes_of("attack at dawn");
  const fugu::Secret secret = fugu::Secret::passphrase("correct horse battery staple");
  const std::vector<std::byte> sealed = fugu::seal(plaintext, secret);
  const bool same = fugu::open(sealed, secret) == plaintext;
  std::printf("fugu %s: %zu bytes sealed as %zu, %s\n", fugu::version().data(), plaintext.size(),
              sealed.size(), same ? "opened again" : "NOT opened again");

  // The first vector of vectors/ecb.vec, published by Eric Young: key and block are zero.
  const std::vector<std::byte> zero(8);
  fugu::Cipher cipher(zero, "ecb", {}, fugu::core::Direction::encrypt,
                      {.padding = fugu::mode::Padding::none});
  std::vector<std::byte> block(zero.size() + fugu::Cipher::kMaxExtraBytes);
  std::size_t bytes = cipher.update(zero, block);
  bytes += cipher.finish(std::span(block).subspan(bytes));
  const bool published = bytes == 8 && fugu::core::load_u64_big(block.data()) == 0x4ef997456198dd78u;
  std::puts(published ? "4ef997456198dd78 as published" : "wrong ciphertext");
  return same && published ? 0 : 1;
} catch (const fugu::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
