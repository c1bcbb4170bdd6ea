// Files that no codec opens, and the programs that do.
#include "fugu/format/detail/other_programs.hpp"

#include <algorithm>
#include <string_view>

#include "fugu/format/detail/openssl_files.hpp"

namespace fugu::format {
namespace {

using namespace std::string_view_literals;

struct OtherProgram {
  std::string_view magic;
  std::string_view says;
};

// Each format's own specification; OpenPGP packets by RFC 9580, 4.2: tags 1, 3 and 18 in the old and new
// form.
constexpr OtherProgram kOthers[] = {
    {"age-encryption.org/v1"sv, "this is an age file: open it with age"},
    {"-----BEGIN AGE ENCRYPTED FILE"sv, "this is an age file: open it with age"},
    {"-----BEGIN PGP "sv, "this is OpenPGP: open it with gpg"},
    {"-----BEGIN "sv, "this is PEM, as openssl writes keys and certificates: it is opened with openssl"},
    {"\x8c\x0d\x04"sv, "this is OpenPGP: open it with gpg"},
    {"\x8c\x0d\x05"sv, "this is OpenPGP: open it with gpg"},
    {"\xc3\x0d\x04"sv, "this is OpenPGP: open it with gpg"},
    {"\x85\x01\x0c\x03"sv, "this is OpenPGP: open it with gpg"},
    {"\x85\x02\x0c\x03"sv, "this is OpenPGP: open it with gpg"},
    {"\x1f\x8b\x08"sv, "this is a gzip file: open it with gunzip"},
    {"BZh"sv, "this is a bzip2 file: open it with bunzip2"},
    {"\xfd"
     "7zXZ\0"sv,
     "this is an xz file: open it with unxz"},
    {"\x28\xb5\x2f\xfd"sv, "this is a zstd file: open it with unzstd"},
    {"\x04\x22\x4d\x18"sv, "this is an lz4 file: open it with unlz4"},
    {"PK\x03\x04"sv, "this is a zip archive: open it with unzip"},
    {"7z\xbc\xaf\x27\x1c"sv, "this is a 7z archive: open it with 7z"},
    {"Rar!\x1a\x07"sv, "this is a rar archive: open it with unrar"},
    {"LUKS\xba\xbe"sv, "this is a LUKS volume: open it with cryptsetup"},
    {"PWS3"sv, "this is a Password Safe 3 database, of another cipher: open it with Password Safe"},
    {"%PDF-"sv, "this is a PDF document, which a PDF reader opens"},
};

}  // namespace

std::string other_program(std::span<const std::byte> head) {
  if (std::string command = openssl_file(head); !command.empty()) return command;
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  const auto found =
      std::ranges::find_if(kOthers, [&](const OtherProgram& other) { return text.starts_with(other.magic); });
  return std::string(found == std::end(kOthers) ? std::string_view() : found->says);
}

}  // namespace fugu::format
