// What files begin with, whether they are given or come out of an encrypted file. Private to format.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fugu::format {

// '?' stands for any byte.
struct Beginning {
  template <std::size_t N>
  constexpr Beginning(const char (&text)[N], std::string_view tells = {}) : bytes(text, N - 1), says(tells) {}

  std::string_view bytes;
  std::string_view says;  // what it is and what opens it, where that is not fugu
};

inline bool begins_as(std::string_view row, std::span<const std::byte> bytes) {
  return bytes.size() >= row.size() &&
         std::ranges::equal(row, bytes.first(row.size()), [](char wanted, std::byte byte) {
           return wanted == '?' || std::to_integer<char>(byte) == wanted;
         });
}

inline constexpr std::string_view kOpenpgpSays = "this is OpenPGP: open it with gpg";
inline constexpr std::string_view kVimSwapSays =
    "this is a Vim swap file with Blowfish: vim -r FILE opens it with its key";

// From the formats' own specifications, and what nearly all files of a kind have; OpenPGP packets by RFC
// 9580, 4.2: tags 1, 3 and 18 in the old and new form. Of those that say something, the first that fits does.
inline constexpr Beginning kBeginnings[] = {
    {"\x1f\x8b\x08?????\0\x03"},    // gzip, on Unix
    {"\x1f\x8b\x08?????\x02\x03"},  // with -9
    {"\x1f\x8b\x08?????\0\xff"},    // of a library
    {"\x1f\x8b\x08?????\x02\xff"},  // with -9
    {"\x1f\x8b\x08\x08"},           // with a name
    {"\x1f\x8b\x08", "this is a gzip file: open it with gunzip"},
    {"\3757zXZ\0\0\x04\xe6\xd6\xb4\x46"},  // xz, CRC-64
    {"\3757zXZ\0", "this is an xz file: open it with unxz"},
    {"\x28\xb5\x2f\xfd", "this is a zstd file: open it with unzstd"},
    {"\x04\x22\x4d\x18", "this is an lz4 file: open it with unlz4"},
    {"BZh91AY&SY"},
    {"BZh", "this is a bzip2 file: open it with bunzip2"},
    {"PK\x03\x04?\0"},               // zip, jar, docx, odt
    {"PK\x03\x04\x14\0\0\0\x08\0"},  // deflated
    {"PK\x03\x04\x0a\0\0\0\0\0"},    // stored
    {"PK\x03\x04", "this is a zip archive: open it with unzip"},
    {"7z\xbc\xaf\x27\x1c", "this is a 7z archive: open it with 7z"},
    {"Rar!\x1a\x07", "this is a rar archive, which Blowfish never encrypts: open it with unrar"},
    {"???????**ACE**", "this is an ACE archive, which may use Blowfish: open it with unace or acefile"},
    {"%PDF-", "this is a PDF document, which a PDF reader opens"},
    {"%!PS"},
    {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0??\0\0"},
    {"GIF89a"},
    {"GIF87a"},
    {"\xff\xd8\xff\xe0\0\x10JFIF\0\x01"},  // jpeg
    {"\xff\xd8\xff\xe1??Exif\0\0"},
    {"\xff\xd8\xff\xe0"},
    {"\xff\xd8\xff\xe1"},
    {"\xff\xd8\xff\xdb"},
    {"II*\0"},  // tiff
    {"MM\0*"},
    {"BM????\0\0\0\0"},  // bmp
    {"RIFF????WAVEfmt "},
    {"RIFF????"},  // avi, webp
    {"OggS\0\x02"},
    {"fLaC\0\0\0\x22"},
    {"ID3\x03\0"},  // mp3
    {"ID3\x04\0"},
    {"\xff\xfb"},
    {"????ftyp"},          // mp4, mov
    {"\x1a\x45\xdf\xa3"},  // matroska
    {"\177ELF"},
    {"MZ"},  // exe
    {"SQLite format 3\0"},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"},  // doc, xls
    {"!<arch>\n"},                         // ar, deb
    {"\xed\xab\xee\xdb"},                  // rpm
    {"Salted__"},                          // openssl enc
    {"\211FUGU\r\n\x1a"},
    {"\xff\xfe"},      // UTF-16, little-endian
    {"\xfe\xff"},      // UTF-16
    {"\xef\xbb\xbf"},  // UTF-8 with its mark
    {"<?xml version=\""},
    {"age-encryption.org/v1", "this is an age file: open it with age"},
    {"-----BEGIN AGE ENCRYPTED FILE", "this is an age file: open it with age"},
    {"-----BEGIN PGP ", kOpenpgpSays},
    {"-----BEGIN ", "this is PEM, as openssl writes keys and certificates: open it with openssl"},
    {"\x8c\x0d\x04", kOpenpgpSays},
    {"\x8c\x0d\x05", kOpenpgpSays},
    {"\xc3\x0d\x04", kOpenpgpSays},
    {"\x85\x01\x0c\x03", kOpenpgpSays},
    {"\x85\x02\x0c\x03", kOpenpgpSays},
    {"PuTTY-User-Key-File-",
     "this is a PuTTY private key, which Blowfish never encrypts: open it with puttygen"},
    {"bCVIM ", kVimSwapSays},
    {"bdVIM ", kVimSwapSays},
    {"Vim\x9fUnDo\xe5\x80\2VimCrypt~02!",
     "this is a Vim undo file with Blowfish, in which only the texts are encrypted: Vim reads it with the "
     "file that it belongs to"},
    {"GEOM::ELI",
     "this is FreeBSD's metadata of a GELI disk, which may use Blowfish: geli restore puts it back"},
    {"algorithm blowfish-cbc;",
     "these are the parameters of a disk of NetBSD's cgd, which cgdconfig opens with them"},
    {"LUKS\xba\xbe\0\2", "this is a LUKS2 volume: open it with cryptsetup"},
    {"LUKS\xba\xbe", "this is a LUKS volume: open it with cryptsetup"},
    {"PWS3", "this is a Password Safe 3 database, with another cipher: open it with Password Safe"}};

// "this is an age file: open it with age"; empty for unknown ones. `last_sector`: empty if it cannot be seen.
std::string other_program(std::span<const std::byte> head, std::span<const std::byte> last_sector);

}  // namespace fugu::format
