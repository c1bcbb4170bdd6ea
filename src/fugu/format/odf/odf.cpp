// Password-protected OpenDocument and StarOffice documents with Blowfish: ODF 1.0 and 1.1, and sxw.
//
// A document is a zip archive whose META-INF/manifest.xml says how each file is encrypted: the deflated
// content, stored, in CFB under a key of its own from PBKDF2-HMAC-SHA1 of the password's SHA-1. A checksum,
// mostly of the first 1024 bytes, reveals a wrong password. The output is the same archive with these files
// deflated, all others unchanged, and a manifest without encryption.
#include <numeric>
#include <set>

#include "fugu/auth/digest.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/format/detail/characters.hpp"
#include "fugu/format/detail/codecs.hpp"
#include "fugu/format/detail/digests.hpp"
#include "fugu/format/detail/filters.hpp"
#include "fugu/format/odf/detail/package.hpp"
#include "fugu/format/salvage.hpp"
#include "fugu/stream/memory.hpp"

namespace fugu::format {
namespace {

constexpr std::size_t kFirst1k = 1024;

// The lengths for which OpenOffice's SHA-1 differs from SHA-1.
bool is_odd_length(std::size_t bytes) {
  return bytes % 64 >= 52 && bytes % 64 <= 55;
}

auth::SecretBytes digest_of(const std::string& name, bool is_openoffice, std::span<const std::byte> bytes) {
  if (!is_openoffice || name != "sha1") return auth::digest(name, {bytes});
  const Sha1Digest digest = sha1_variant(bytes, {.is_openoffice = true});
  return auth::SecretBytes(std::span<const std::byte>(digest));
}

void measure(OdfContent& content, const OutputLimit& limit) {
  const std::unique_ptr<Checksum> crc = make_checksum("crc32b");
  const std::unique_ptr<stream::Sink> nowhere = stream::discard();
  content.plain_bytes = 0;
  Watched measured(*nowhere, [&](std::span<const std::byte> plain) {
    crc->update(plain);
    content.plain_bytes += plain.size();
  });
  const auto inflated = inflater(Compression::deflate, measured, limit);
  inflated->write(content.bytes);
  inflated->finish();
  content.crc = static_cast<std::uint32_t>(load_little(crc->finish()));
}

// Programs derive the key from a password in different ways: in its charset, in the padding of their SHA-1,
// and in the number of bits that the cipher feeds back. All files of a document share the form that fits one.
class OdfOpener {
 public:
  OdfOpener(engine::Engine& engine, const auth::SecretBytes& password, OutputLimit limit)
      : engine_(engine), limit_(limit) {
    passwords_.emplace_back(password.span());
    auth::SecretBytes other = windows_1252_of(password.span());
    if (!other.empty()) passwords_.push_back(std::move(other));
  }

  // Whether a form fits the file with this `ciphertext`; it is then used from here on.
  bool fits(const OdfEntry& entry, std::span<const std::byte> ciphertext) {
    auth::SecretBytes derived;
    for (const Form& form : forms()) {
      if (form.mode == mode::Mode::cfb64) derived = key(entry, form);  // the next form has the same key
      core::WipedBytes tried(ciphertext.begin(), ciphertext.end());
      decrypt(entry, form, derived.span(), tried);
      if (!is_right(entry, tried)) continue;
      form_ = form;
      return true;
    }
    return false;
  }

  // Throws Error{damaged} when checksum or size are wrong.
  OdfContent open(const OdfEntry& entry, core::WipedBytes ciphertext) const {
    OdfContent content;
    content.bytes = std::move(ciphertext);
    content.is_deflated = true;
    decrypt(entry, form_, key(entry, form_).span(), content.bytes);
    if (!is_right(entry, content.bytes)) throw Error(Errc::damaged, "a file in it fails its checksum");
    measure(content, limit_);
    if (entry.plain_bytes && *entry.plain_bytes != content.plain_bytes)
      throw Error(Errc::damaged, "a file in it does not have the size that the manifest says");
    return content;
  }

  // As much as inflates.
  OdfContent open_damaged(const OdfEntry& entry, core::WipedBytes ciphertext) const {
    decrypt(entry, form_, key(entry, form_).span(), ciphertext);
    stream::MemorySink plain;
    try {
      inflater(Compression::deflate, plain, limit_)->write(ciphertext);
    } catch (const Error& error) {
      if (error.code() != Errc::damaged) throw;
    }
    OdfContent content;
    content.bytes.assign(plain.bytes().begin(), plain.bytes().end());
    content.plain_bytes = content.bytes.size();
    return content;
  }

 private:
  struct Form {
    std::size_t password = 0;  // an index in passwords_
    bool is_openoffice = false;
    mode::Mode mode = mode::Mode::cfb64;
  };

  // LibreOffice and OpenOffice write CFB of whole blocks; the specification can also be read as CFB of bytes.
  std::vector<Form> forms() const {
    std::vector<Form> forms;
    for (std::size_t i = 0; i < passwords_.size(); ++i) {
      for (const bool is_openoffice : {false, true}) {
        if (is_openoffice && !is_odd_length(passwords_[i].size())) continue;
        for (const mode::Mode mode : {mode::Mode::cfb64, mode::Mode::cfb8})
          forms.push_back({i, is_openoffice, mode});
      }
    }
    return forms;
  }

  auth::SecretBytes key(const OdfEntry& entry, const Form& form) const {
    const auth::SecretBytes start =
        digest_of(entry.start_digest, form.is_openoffice, passwords_[form.password].span());
    return auth::pbkdf2("sha1", start, entry.salt, entry.iterations, entry.key_bytes);
  }

  void decrypt(const OdfEntry& entry, const Form& form, std::span<const std::byte> key,
               std::span<std::byte> data) const {
    transform(engine_, key, {.mode = form.mode, .iv = entry.iv}, core::Direction::decrypt, data);
  }

  bool is_right(const OdfEntry& entry, std::span<const std::byte> deflated) const {
    if (entry.checksum_digest.empty()) {
      if (!entry.plain_bytes) return false;
      limit_.check(deflated.size(), *entry.plain_bytes);  // later, the limit would look like a wrong password
      OdfContent content;
      content.bytes.assign(deflated.begin(), deflated.end());
      try {
        measure(content, OutputLimit(entry.plain_bytes));
      } catch (const Error& error) {
        if (!concerns_input(error)) throw;
        return false;
      }
      return content.plain_bytes == entry.plain_bytes;
    }
    if (entry.checksum_of_first_1k) deflated = first_of(deflated, kFirst1k);
    for (const bool is_openoffice : {false, true}) {
      if (is_openoffice && !is_odd_length(deflated.size())) continue;
      const auth::SecretBytes digest = digest_of(entry.checksum_digest, is_openoffice, deflated);
      if (std::ranges::equal(digest.span(), entry.checksum)) return true;
    }
    return false;
  }

  engine::Engine& engine_;
  OutputLimit limit_;
  std::vector<auth::SecretBytes> passwords_;
  Form form_;
};

constexpr std::size_t kMaxManifestBytes = std::size_t{64} << 20;

// The number of files tried until the password fits one; later misfits are damage.
constexpr std::size_t kTriedFiles = 4;

// Outputs up to this size are held until all checksums are right. Longer ones are checked before they are
// written, so that memory is bounded by the largest file in a document.
constexpr std::size_t kDelayedBytes = std::size_t{16} << 20;

constexpr std::array kOptions{kMaxOutputRow};

// But for a byte that was changed.
bool begins_document_type(std::string_view type) {
  constexpr std::string_view kTypes[] = {"application/vnd.oasis.opendocument.", "application/vnd.sun.xml."};
  return std::ranges::any_of(kTypes, [&](std::string_view one) {
    type = type.substr(0, one.size());
    const auto equal = std::inner_product(type.begin(), type.end(), one.begin(), std::size_t{0},
                                          std::plus<>(), std::equal_to<>());
    return equal + 1 >= one.size();
  });
}

// Encrypted files are stored, since their content is already deflated; unencrypted XML is deflated, or begins
// as XML does. If none of the first files is encrypted, the manifest decides.
Recognition recognise_odf(std::span<const std::byte> head, std::optional<std::uint64_t>) {
  constexpr std::size_t kTypeAt = 38;  // the type's place if the header is damaged
  std::optional<ZipLocalFile> file = zip_local_file(head);
  if (!begins_document_type(text_of(head.subspan(std::min(head.size(), kTypeAt)))) &&
      !(file && file->name == "mimetype" && begins_document_type(text_of(file->data))))
    return Recognition::no;
  while (file && file->has_sizes && file->stored_bytes <= file->data.size()) {
    file = zip_local_file(file->data.subspan(static_cast<std::size_t>(file->stored_bytes)));
    const bool is_text = file && (file->name.ends_with(".xml") || file->name.ends_with(".rdf"));
    if (!is_text || file->name.starts_with("META-INF/")) continue;
    return file->method != 0 || starts_with(file->data, "<") ? Recognition::no : Recognition::by_magic;
  }
  return Recognition::perhaps;
}

OdfManifest read_manifest(const OdfPackage& package, SalvageReport* salvage = nullptr) {
  if (!package.holds(kOdfManifestPath)) throw Error(Errc::damaged, "the archive has no manifest");
  return read_odf_manifest(
      package.read(std::string(kOdfManifestPath), OutputLimit(kMaxManifestBytes), salvage), salvage);
}

struct Document {
  std::vector<std::byte> mended;
  std::unique_ptr<stream::Source> source;  // reads `mended`
  std::unique_ptr<OdfPackage> package;
  OdfManifest manifest;
};

std::size_t whole_files(const Document& document, const OutputLimit& limit) {
  const std::vector<std::string> paths = document.package->paths();
  return static_cast<std::size_t>(std::ranges::count_if(paths, [&](const std::string& path) {
    try {
      static_cast<void>(document.package->read(path, limit));
      return true;
    } catch (const Error& error) {
      if (error.code() != Errc::damaged) throw;
      return false;
    }
  }));
}

// By the archive's directory. Where the job salvages, local headers are mended by that, or if by themselves
// they show more whole files, it by them.
Document read_document(const Job& job, const OutputLimit& limit) {
  Document document;
  const auto use = [&](Document& one, std::vector<std::byte> mended) {
    one.mended = std::move(mended);
    one.source = std::make_unique<stream::MemorySource>(one.mended);
    one.package = std::make_unique<OdfPackage>(*one.source, job.counters);
  };
  const bool is_whole = holds(job, [&] {
    document.package = std::make_unique<OdfPackage>(job.source, job.counters);
    if (job.salvage != nullptr) {
      if (auto mended = with_zip_headers(job.source)) {
        note_damage(*job.salvage, "a header in the zip archive is damaged");
        use(document, *std::move(mended));
      }
    }
    document.manifest = read_manifest(*document.package);
    for (const OdfEntry& entry : document.manifest.entries) {
      if (!document.package->holds(entry.path))
        throw Error(Errc::damaged, "the archive lacks a file that its manifest names: " + entry.path);
    }
  });
  if (job.salvage == nullptr) return document;
  const std::size_t whole = is_whole ? whole_files(document, limit) : 0;
  if (is_whole && whole == document.package->paths().size()) return document;
  Document by_headers;
  use(by_headers, with_zip_directory(job.source));
  if (is_whole && whole_files(by_headers, limit) <= whole) return document;
  by_headers.manifest = read_manifest(*by_headers.package, job.salvage);
  std::erase_if(by_headers.manifest.entries,
                [&](const OdfEntry& entry) { return !by_headers.package->holds(entry.path); });
  return by_headers;
}

// Reads the files before the password is requested: damage to one is found without it.
void find_form(const Document& document, const OpenRequest& request, std::optional<OdfOpener>& opener,
               const Job& job) {
  const OutputLimit limit(request.options);
  const std::span<const OdfEntry> entries = document.manifest.entries;
  for (const OdfEntry& entry : job.salvage != nullptr ? entries : first_of(entries, kTriedFiles)) {
    const core::WipedBytes ciphertext = document.package->read(entry.path, limit, job.salvage);
    if (!opener) opener.emplace(job.engine, request.secret(SecretKind::passphrase), limit);
    if (opener->fits(entry, ciphertext)) return;
  }
  if (job.salvage != nullptr && !job.salvage->damage.empty())
    throw Error(Errc::damaged, "no file in it is whole enough to tell whether the passphrase is right");
  throw Error(Errc::wrong_key, "wrong passphrase");
}

OdfContent open_entry(const Job& job, const OdfOpener& opener, const OdfPackage& package,
                      const OdfEntry& entry, const OutputLimit& limit) {
  core::WipedBytes ciphertext;
  try {
    ciphertext = package.read(entry.path, limit, job.salvage);
    return opener.open(entry, ciphertext);
  } catch (Error& error) {
    error.add_context(entry.path);
    if (job.salvage == nullptr || error.code() != Errc::damaged) throw;
    note_damage(*job.salvage, error.text());
    return opener.open_damaged(entry, std::move(ciphertext));
  }
}

OdfContent plain_manifest(const OdfManifest& manifest) {
  OdfContent content;
  const auto bytes = bytes_in(manifest.plain);
  content.bytes.assign(bytes.begin(), bytes.end());
  return content;
}

Opened open_odf(const Job& job, const OpenRequest& request) {
  const OutputLimit limit(request.options);
  const Document document = read_document(job, limit);
  OdfPackage& package = *document.package;
  const OdfManifest& manifest = document.manifest;
  std::optional<OdfOpener> opener;
  find_form(document, request, opener, job);
  const std::uint64_t source_bytes = job.source.size_bytes().value_or(0);
  const bool is_long = source_bytes > kDelayedBytes / 2;  // the content may be longer
  std::uint64_t inflated_bytes = 0;
  const auto open_next = [&](const OdfEntry& entry) {
    OdfContent content = open_entry(job, *opener, package, entry, limit);
    limit.check(source_bytes, inflated_bytes += content.plain_bytes);
    return content;
  };
  std::set<std::string_view> replaced{kOdfManifestPath};
  for (const OdfEntry& entry : manifest.entries) replaced.insert(entry.path);
  for (const std::string& path : package.paths()) {  // files that stay as they are have checksums too
    if (replaced.contains(path)) continue;
    limit.check(source_bytes, inflated_bytes += package.read(path, limit, job.salvage).size());
  }
  for (const OdfEntry& entry : manifest.entries) {
    if (is_long) static_cast<void>(open_next(entry));
    package.replace(entry.path, [&] { return open_next(entry); });
  }
  inflated_bytes = 0;  // from here on counts what is written
  package.replace(std::string(kOdfManifestPath), [&] { return plain_manifest(manifest); });
  const bool is_signed = package.holds("META-INF/documentsignatures.xml");
  Delayed sink(job.sink, kDelayedBytes);
  package.write(sink, limit);
  sink.finish();

  Opened opened = proved("OpenDocument, Blowfish CFB, PBKDF2-HMAC-SHA1, " +
                         std::to_string(manifest.entries.front().iterations) + " iterations");
  opened.checked = true;  // zip's CRC-32 of every file
  if (is_signed) opened.notes.push_back("the document is signed; the signature was not checked");
  return opened;
}

Description describe_odf(stream::Source& source, const OptionValues&) {
  const OdfPackage package(source, nullptr);
  const OdfManifest manifest = read_manifest(package);
  const OdfEntry& entry = manifest.entries.front();
  Description description{.title = "password-protected OpenDocument"};
  description.add_text("media_type", "type", manifest.media_type);
  description.add_text("cipher", "cipher", "Blowfish CFB");
  description.add_number("key_bits", "key", 8 * entry.key_bytes, " bits");
  description.add_number("iterations", "PBKDF2-HMAC-SHA1", entry.iterations, " iterations");
  description.add_number("encrypted_files", "encrypted files", manifest.entries.size());
  return description;
}

}  // namespace

const Codec kOdfCodec{
    .name = "odf",
    .summary = "password-protected OpenDocument and StarOffice documents with Blowfish",
    .made_by = "LibreOffice and OpenOffice (ODF 1.0 and 1.1), OpenOffice.org 1, StarOffice",
    .details = "Gives the same document without a password. Needs a file, not a pipe.",
    .wrong_secret = "a checksum per file of the document",
    .options = kOptions,
    .recognise = recognise_odf,
    .open = open_odf,
    .describe = describe_odf,
};

}  // namespace fugu::format
