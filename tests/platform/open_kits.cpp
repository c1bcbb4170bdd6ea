// Opens every sample of vectors/foreign and vectors/documents by fugu::open() on buffers, without a format
// and without options, and prints what came of each: the digest of the content or the error. Then some
// results of the pump and of the laboratory. On every system the output is the same; files and directories
// play no part.
//
// usage: cat KIT... | open_kits
#include <iostream>
#include <string>
#include <vector>

#include "fugu/auth/digest.hpp"
#include "fugu/format/codec.hpp"
#include "fugu/fugu.hpp"
#include "fugu/spectral/lab/box.hpp"
#include "fugu/spectral/named/named.hpp"
#include "support/bytes.hpp"

namespace {

using Bytes = std::vector<std::byte>;

int samples = 0;
int opened = 0;

std::string digest(const Bytes& bytes) {
  return fugu::test::hex_of(fugu::auth::sha256(bytes));
}

Bytes secret_of(const std::string& field) {
  if (field.starts_with("hex:")) return fugu::test::bytes_of_hex(std::string_view(field).substr(4));
  const auto bytes = std::as_bytes(std::span(field));
  return {bytes.begin(), bytes.end()};
}

std::string outcome_of(const Bytes& file, const Bytes& secret) {
  ++samples;
  try {
    const std::string_view text(reinterpret_cast<const char*>(secret.data()), secret.size());
    const std::string sha256 = digest(fugu::open(file, fugu::Secret::passphrase(text)));
    ++opened;
    return sha256;
  } catch (const fugu::Error& error) {
    return error.text();
  }
}

// Records of lines "field = value", the last of which is the file.
void open_kits(std::istream& kits) {
  std::string name;
  Bytes secret;
  for (std::string line; std::getline(kits, line);) {
    const std::size_t at = line.find(" = ");
    if (line.starts_with('#') || at == std::string::npos) continue;
    const std::string field = line.substr(0, at);
    const std::string value = line.substr(at + 3);
    if (field == "name") name = value;
    if (field == "passphrase") secret = secret_of(value);
    if (field == "file")
      std::cout << name << ": " << outcome_of(fugu::test::bytes_of_hex(value), secret) << '\n';
  }
}

// Content of many chunks, of which the last is full, short or a byte long.
void pump_chunks() {
  const fugu::Secret secret = fugu::Secret::passphrase("correct horse battery");
  constexpr std::size_t kChunkBytes = 4096;
  for (const std::size_t size : {8 * kChunkBytes, 8 * kChunkBytes + 1, 9 * kChunkBytes - 8}) {
    for (const char* format : {"openssl", "sealed"}) {
      Bytes content(size);
      for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<std::byte>(i * i >> 5);
      fugu::FormatOptions options;
      if (format == std::string_view("sealed")) options = {{"scrypt-cost", "10"}};
      const Bytes sealed =
          fugu::seal(content, secret, {.format = format, .options = options, .chunk_bytes = kChunkBytes});
      const bool same = fugu::open(sealed, secret, {.format = format, .chunk_bytes = kChunkBytes}) == content;
      std::cout << format << " of " << size << " bytes: " << sealed.size()
                << (same ? ", the same again" : ", differs") << '\n';
    }
  }
}

// One value of each kind from the table of properties, and a transform.
void measure_aes() {
  fugu::spectral::lab::Box box(*fugu::spectral::named_box("AES"));
  std::cout << "AES: linearity " << box.all_linearity() << ", differential uniformity "
            << box.differential().uniformity << ", boomerang uniformity " << box.boomerang().uniformity
            << ", degree " << box.degree() << '\n';
}

}  // namespace

int main() {
  try {
    open_kits(std::cin);
    std::cout << opened << " of " << samples << " opened\n";
    pump_chunks();
    measure_aes();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
