// Seals a file, says what it is, opens it, and notices a wrong passphrase. usage: file DIRECTORY
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "fugu/format/codec.hpp"
#include "fugu/fugu.hpp"

namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int count, char** words) try {
  const std::string directory = count > 1 ? words[1] : ".";
  const std::string text = "the same bytes\n";
  std::ofstream(directory + "/plain", std::ios::binary) << text;

  const fugu::Secret secret = fugu::Secret::passphrase("swordfish");
  fugu::seal_file(directory + "/plain", directory + "/plain.fugu", secret);
  const std::string sealed = content_of(directory + "/plain.fugu");
  for (const fugu::format::Codec* codec : fugu::recognise(std::as_bytes(std::span(sealed))))
    std::printf("plain.fugu is in the format %.*s\n", static_cast<int>(codec->name.size()),
                codec->name.data());
  fugu::open_file(directory + "/plain.fugu", directory + "/same", secret);
  if (content_of(directory + "/same") != text) return 1;

  try {
    fugu::open_file(directory + "/plain.fugu", directory + "/never", fugu::Secret::passphrase("halibut"));
  } catch (const fugu::Error& error) {
    std::printf("%s\n", error.what());
    return error.code() == fugu::Errc::wrong_key && !std::ifstream(directory + "/never") ? 0 : 1;
  }
  return 1;
} catch (const fugu::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
