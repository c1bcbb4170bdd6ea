// A document: META-INF/manifest.xml, its zip archive, which is written again with some of its files replaced,
// and the archive's local headers (APPNOTE.TXT, 4.3.7), each in front of its file. Private to odf.
#pragma once

#include "fugu/format/detail/inflate.hpp"
#include "fugu/mode/settings.hpp"
#include "fugu/stream/source.hpp"

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

// The replacement of a file.
struct OdfContent {
  core::WipedBytes bytes;
  bool is_deflated = false;  // `bytes` are deflated (RFC 1951); the next two members describe the content
  std::uint64_t plain_bytes = 0;
  std::uint32_t crc = 0;  // zip's CRC-32
};

class OdfPackage {
 public:
  // `source` outlives it. Throws Error{usage} for a source that cannot seek, Error{damaged} for anything but
  // a zip archive up to the source's end.
  OdfPackage(stream::Source& source, stream::PumpCounters* counters);
  ~OdfPackage();
  OdfPackage(const OdfPackage&) = delete;
  OdfPackage& operator=(const OdfPackage&) = delete;

  bool holds(std::string_view path) const;
  std::vector<std::string> paths() const;

  // The bytes of a file, with its CRC-32 checked. Throws Error{damaged}.
  core::WipedBytes read(const std::string& path, const OutputLimit& limit,
                        SalvageReport* salvage = nullptr) const;

  // `make` is called when it is the file's turn to be written; the archive holds one content at a time.
  void replace(const std::string& path, std::function<OdfContent()> make);

  // Writes the archive, with the other files unchanged. `limit` is for the whole: many names may stand for
  // one file's bytes. Throws what the contents throw. Call once.
  void write(stream::Sink& sink, const OutputLimit& limit);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

inline constexpr std::string_view kEndRecord = "PK\x05\x06";  // of the directory (4.3.16)
inline constexpr std::size_t kEndRecordBytes = 22;

struct ZipLocalFile {
  std::string_view name;
  std::uint64_t method;
  bool has_sizes;
  std::uint64_t stored_bytes;
  std::span<const std::byte> data;  // the file's data, and the rest of the archive
};

// Empty unless `at` begins with a local header.
std::optional<ZipLocalFile> zip_local_file(std::span<const std::byte> at);

// The archive with local headers that say what its directory says; empty if they do. Throws Error{damaged}
// for a directory that they cannot follow.
std::optional<std::vector<std::byte>> with_zip_headers(stream::Source& archive);

// The archive up to its last file, and a new directory of all files whose local headers are found; of a file
// that was cut, what there is. Throws Error{damaged} for an archive of more than kMaxWholeBytes.
std::vector<std::byte> with_zip_directory(stream::Source& archive);

}  // namespace fugu::format
