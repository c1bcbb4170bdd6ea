// META-INF/manifest.xml of a document. Private to odf.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fugu/format/job.hpp"
#include "fugu/mode/settings.hpp"

namespace fugu::format {

struct OdfEntry {
  std::string path;
  std::optional<std::uint64_t> plain_bytes;  // the size once inflated
  std::string checksum_digest;               // OpenSSL's name; empty: no checksum
  bool checksum_of_first_1k = false;         // of the deflated content
  std::vector<std::byte> checksum;
  mode::Iv iv;
  std::string start_digest = "sha1";  // derives the start key of PBKDF2
  std::vector<std::byte> salt;
  std::uint32_t iterations = 0;
  std::size_t key_bytes = 16;
};

struct OdfManifest {
  std::string media_type;         // of the document
  std::vector<OdfEntry> entries;  // the encrypted ones
  std::string plain;              // the manifest of the decrypted document
};

inline constexpr std::string_view kOdfManifestPath = "META-INF/manifest.xml";

// Throws Error{damaged} for an invalid manifest, and Error{unknown_format} for a document that is not
// encrypted or has another cipher, naming the program that opens it. With a `salvage` damage is noted there,
// and the entries that hold are returned.
OdfManifest read_odf_manifest(std::span<const std::byte> xml, SalvageReport* salvage = nullptr);

}  // namespace fugu::format
