#include "fugu/format/detail/plausibility.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <string_view>

namespace fugu::format {
namespace {

using namespace std::string_view_literals;

constexpr double kNoiseWeight = 0.5;
constexpr double kTextWeight = 0.2;
constexpr double kUtf8Weight = 0.1;
constexpr double kBinaryWeight = 0.1;
constexpr double kMagicWeight = 0.1;

// Bytes first..last, equally likely, with a total probability of `share`.
struct LikelyBytes {
  unsigned first;
  unsigned last;
  double share;
};

// 256 times the probability of each byte: its likelihood ratio to noise.
using ByteModel = std::array<double, 256>;

// Ranges are disjoint; bytes outside them share the rest of the probability.
constexpr ByteModel byte_model(std::initializer_list<LikelyBytes> ranges) {
  double left = 1;
  unsigned others = 256;
  for (const LikelyBytes& range : ranges) {
    left -= range.share;
    others -= range.last - range.first + 1;
  }
  ByteModel model{};
  model.fill(256 * left / others);
  for (const LikelyBytes& range : ranges) {
    for (unsigned byte = range.first; byte <= range.last; ++byte) {
      model[byte] = 256 * range.share / (range.last - range.first + 1);
    }
  }
  return model;
}

constexpr ByteModel kText = byte_model({{'a', 'z', 0.55},
                                        {' ', ' ', 0.13},
                                        {'0', '9', 0.08},
                                        {'A', 'Z', 0.06},
                                        {'!', '/', 0.05},
                                        {':', '@', 0.02},
                                        {'[', '`', 0.01},
                                        {'{', '~', 0.01},
                                        {'\n', '\n', 0.03},
                                        {'\r', '\r', 0.01},
                                        {'\t', '\t', 0.01},
                                        {0x80, 0xf4, 0.035}});
constexpr ByteModel kBinary =
    byte_model({{0x00, 0x00, 0.35}, {0x01, 0x0f, 0.15}, {' ', '~', 0.20}, {0xff, 0xff, 0.05}});

// From the formats' own specifications; magic numbers of three bytes include the next byte of nearly all
// files of that kind.
constexpr std::array kMagics{
    "\x1f\x8b\x08\x00"sv,  // gzip without a name
    "\x1f\x8b\x08\x08"sv,  // gzip with one
    "\xfd"
    "7zXZ\0"sv,              // xz
    "\x28\xb5\x2f\xfd"sv,    // zstd
    "\x04\x22\x4d\x18"sv,    // lz4
    "BZh91AY&SY"sv,          // bzip2
    "PK\x03\x04"sv,          // zip, jar, docx, odt
    "7z\xbc\xaf\x27\x1c"sv,  // 7z
    "Rar!\x1a\x07"sv,        // rar
    "%PDF-"sv,               // pdf
    "%!PS"sv,                // PostScript
    "\x89PNG\r\n\x1a\n"sv,   // png
    "GIF8"sv,                // gif
    "\xff\xd8\xff\xe0"sv,    // jpeg, JFIF
    "\xff\xd8\xff\xe1"sv,    // jpeg, Exif
    "\xff\xd8\xff\xdb"sv,    // jpeg
    "II*\0"sv,               // tiff
    "MM\0*"sv,               // tiff
    "RIFF"sv,                // wav, avi, webp
    "OggS"sv,                // ogg
    "fLaC"sv,                // flac
    "ID3\x03"sv,             // mp3
    "ID3\x04"sv,             // mp3
    "\x1a\x45\xdf\xa3"sv,    // matroska
    "\x7f"
    "ELF"sv,                               // elf
    "SQLite format 3\0"sv,                 // sqlite
    "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv,  // doc, xls
    "!<arch>\n"sv,                         // ar, deb
    "\xed\xab\xee\xdb"sv,                  // rpm
    "Salted__"sv,                          // openssl enc
    "-----BEGIN "sv,                       // OpenPGP armor, PEM
    "\x89"
    "FUGU\r\n\x1a"sv,  // fugu
};

// Stirling's series. std::lgamma writes a global, which threads would share.
double log_factorial(std::uint64_t n) {
  if (n < 2) return 0;
  const auto x = static_cast<double>(n);
  return x * std::log(x) - x + std::log(2 * std::numbers::pi * x) / 2 + 1 / (12 * x);
}

double ratio(const ByteModel& model, std::span<const std::byte> bytes) {
  double product = 1;
  for (const std::byte byte : bytes) product *= model[std::to_integer<std::size_t>(byte)];
  return product;
}

// A model of characters, not of bytes: an ASCII character as in text, or a lead byte and the continuation
// bytes that it announces (RFC 3629), each equally likely. For text in other scripts, including mixed ones.
double utf8_ratio(std::span<const std::byte> bytes) {
  struct Lead {
    unsigned first;
    unsigned last;
    int followers;
    double share;
  };
  constexpr std::array kLeads{Lead{0xc2, 0xdf, 1, 0.2}, Lead{0xe0, 0xef, 2, 0.19}, Lead{0xf0, 0xf4, 3, 0.01}};
  constexpr double kAsciiShare = 0.6;
  constexpr double kFollowerRatio = 256.0 / 64;
  double product = 1;
  int followers = 0;
  for (const std::byte byte : bytes) {
    const auto value = std::to_integer<unsigned>(byte);
    const auto lead =
        std::ranges::find_if(kLeads, [&](const Lead& l) { return value >= l.first && value <= l.last; });
    if (followers != 0) {
      product *= value >= 0x80 && value <= 0xbf ? kFollowerRatio : 0;
      --followers;
    } else if (value < 0x80) {
      product *= kAsciiShare * kText[value];
    } else if (lead != kLeads.end()) {
      product *= 256 * lead->share / (lead->last - lead->first + 1);
      followers = lead->followers;
    } else {
      return 0;
    }
  }
  return product;
}

// Noise follows a magic number, as in compressed files, or what the other models know.
double ratio_behind_magic(std::span<const std::byte> bytes) {
  return 0.8 + 0.1 * ratio(kText, bytes) + 0.1 * ratio(kBinary, bytes);
}

// Each magic number is one model: these bytes for certain, then others.
double magic_ratio(std::span<const std::byte> bytes) {
  double sum = 0;
  for (const std::string_view magic : kMagics) {
    if (bytes.size() < magic.size()) continue;
    if (std::ranges::equal(std::as_bytes(std::span(magic)), bytes.first(magic.size()))) {
      sum += std::exp2(8.0 * static_cast<double>(magic.size())) *
             ratio_behind_magic(bytes.subspan(magic.size()));
    }
  }
  return sum / static_cast<double>(kMagics.size());
}

double ratio_of_text(std::span<const std::byte> bytes) {
  return kTextWeight * ratio(kText, bytes) + kUtf8Weight * utf8_ratio(bytes);
}

std::span<const std::byte> first_of(std::span<const std::byte> beginning) {
  return beginning.first(std::min(beginning.size(), kPlausibilityBytes));
}

}  // namespace

double log2_choices(std::uint64_t of, std::uint64_t chosen) {
  return (log_factorial(of) - log_factorial(chosen) - log_factorial(of - chosen)) / std::numbers::ln2;
}

double plausibility_bits(std::span<const std::byte> beginning) {
  const auto bytes = first_of(beginning);
  return std::log2(kNoiseWeight + ratio_of_text(bytes) + kBinaryWeight * ratio(kBinary, bytes) +
                   kMagicWeight * magic_ratio(bytes));
}

double text_bits(std::span<const std::byte> beginning) {
  return std::log2(kNoiseWeight + ratio_of_text(first_of(beginning)));
}

}  // namespace fugu::format
