// EncFS volumes of versions 4 to 6: directories whose files are encrypted one by one, under encrypted names.
//
// The configuration holds the volume's key and 32 bits that verify it, encrypted under a key that
// PBKDF2-HMAC-SHA1 derives from the passphrase, before EncFS 1.5 EVP_BytesToKey with SHA-1. A file is a
// sequence of blocks, each in CBC with an IV derived from its number and the file's IV; a shorter last block
// is in two passes of CFB. A block may begin with a MAC. Names have MACs of 16 bits.
#include "fugu/format/detail/codecs.hpp"

#include <set>

#include "fugu/format/detail/text_watch.hpp"
#include "fugu/format/encfs/detail/volume.hpp"
#include "fugu/format/salvage.hpp"

namespace fugu::format {
namespace {

using stream::TreeEntry;
using stream::TreeEntryKind;
using stream::TreePath;

constexpr std::array<std::string_view, 3> kConfigNames{".encfs6.xml", ".encfs5", ".encfs4"};
constexpr double kCheckBits = 32;
constexpr std::size_t kChunkBytes = std::size_t{4} << 20;

// Failures that end the work; others concern one part.
bool ends_all(Errc code) {
  return code == Errc::interrupted || code == Errc::engine || code == Errc::no_device || code == Errc::memory;
}

// One traversal of a volume.
class Walk {
 public:
  Walk(const TreeJob& job, EncfsVolume& volume) : job_(job), volume_(volume) {}

  // Returns whether all parts were opened.
  bool run() {
    directories_.push_back({{}, {}, volume_.top_iv()});
    job_.sink.make_directory({}, job_.source.attributes({}));
    while (!directories_.empty()) {
      const Place directory = std::move(directories_.back());
      directories_.pop_back();
      guard(directory, [&] { open_directory(directory); });
    }
    return all_;
  }

 private:
  struct Place {
    TreePath encrypted;
    TreePath plain;  // as far as it is known
    EncfsVolume::PathIv iv;
  };

  // "sub/text.txt (PkdZd4BMGokr21/frmYH34BbNlxWPmHBEbk9jNz)"
  static std::string title(const Place& place) {
    const std::string encrypted = stream::text_of(place.encrypted);
    if (place.encrypted.empty()) return ".";
    const bool known = place.plain.size() == place.encrypted.size();
    return known ? stream::text_of(place.plain) + " (" + encrypted + ')' : encrypted;
  }

  template <class Work>
  void guard(const Place& place, Work work) {
    try {
      work();
    } catch (const Error& error) {
      if (ends_all(error.code())) throw;
      all_ = false;
      if (job_.failed) job_.failed(title(place), error);
    }
  }

  void open_directory(const Place& directory) {
    std::set<std::string> seen;
    const stream::TreeListing listing = job_.source.list(directory.encrypted);
    for (const TreeEntry& entry : listing.entries) {
      if (directory.encrypted.empty() && std::ranges::count(kConfigNames, entry.name) != 0) continue;
      Place place = directory;
      place.encrypted.push_back(entry.name);
      guard(place, [&] {
        const std::string name = volume_.name(entry.name, place.iv);
        if (!stream::is_tree_name(name))
          throw Error(Errc::damaged, "its name would lead out of the directory");
        place.plain.push_back(name);
        if (!seen.insert(name).second) throw Error(Errc::damaged, "another one has the same name");
        if (entry.problem) throw Error(*entry.problem);
        open_entry(entry.kind, place);
      });
    }
    if (listing.problem) throw Error(*listing.problem);
  }

  void open_entry(TreeEntryKind kind, const Place& place) {
    if (kind == TreeEntryKind::file) return open_file(place);
    if (kind == TreeEntryKind::link) return open_link(place);
    if (kind == TreeEntryKind::other) throw Error(Errc::io, "is not a file, a directory or a link");
    job_.sink.make_directory(place.plain, job_.source.attributes(place.encrypted));
    directories_.push_back(place);
  }

  void open_file(const Place& place) {
    const std::unique_ptr<stream::Source> source = job_.source.open(place.encrypted);
    SalvageReport report;
    std::optional<TextWatch::Noise> noise;
    job_.sink.make_file(place.plain, source->attributes(), [&](stream::Sink& sink) {
      TextWatch watch(sink);
      stream::Sink& into = volume_.has_macs() ? sink : static_cast<stream::Sink&>(watch);
      const Job job{job_.engine, *source, into, 0, job_.counters, nullptr, job_.stop};
      const stream::OrderedStage work = volume_.file(*source, place.iv, job_.salvages ? &report : nullptr);
      pump_chunks(job, *source, into, chunk_bytes(*source), 0, work);
      noise = watch.noise();
      if (noise && noise->is_sure && !job_.salvages) throw Error(Errc::damaged, what_shows(*noise));
      sink.finish();
    });
    if (!report.whole()) throw Error(Errc::damaged, what_is_lost(report) + "; it has zeros there");
    if (noise && noise->is_sure) throw Error(Errc::damaged, what_shows(*noise));
  }

  void open_link(const Place& place) {
    const std::string target = volume_.link_target(job_.source.link_target(place.encrypted));
    if (!stream::stays_inside(place.plain, target))
      throw Error(Errc::damaged, "it is a link out of the directory");
    job_.sink.make_link(place.plain, target);
  }

  // Whole blocks, and at most the size of a small file.
  std::size_t chunk_bytes(const stream::Source& source) const {
    const std::size_t block = volume_.block_bytes();
    std::size_t bytes = job_.chunk_bytes != 0 ? job_.chunk_bytes : kChunkBytes;
    if (const auto size = source.size_bytes(); size && *size < bytes)
      bytes = static_cast<std::size_t>(*size) + 1;
    return (bytes + block - 1) / block * block;
  }

  const TreeJob& job_;
  EncfsVolume& volume_;
  std::vector<Place> directories_;
  bool all_ = true;
};

std::string parameters(const EncfsConfig& config) {
  return "EncFS " + std::to_string(config.version) + ", Blowfish with a key of " +
         std::to_string(8 * config.key_bytes) + " bits, blocks of " + std::to_string(config.block_bytes) +
         " bytes" + (config.mac_bytes != 0 ? " with MACs" : "");
}

Opened open_config(const Job& job, const OpenRequest&) {
  static_cast<void>(read_encfs_config(job.source));
  throw Error(Errc::usage, "is the configuration of an EncFS volume: give the directory that it is in");
}

Opened open_encfs(const TreeJob& job, const OpenRequest& request) {
  const std::unique_ptr<stream::Source> head = open_tree_head(job.source, kEncfsCodec);
  if (head == nullptr) throw Error(Errc::unknown_format, "not an EncFS volume: it has no configuration");
  const EncfsConfig config = read_encfs_config(*head);
  EncfsVolume volume(job.engine, config, request.secret(SecretKind::passphrase));
  Opened opened = likely(parameters(config), kCheckBits);
  opened.authenticated = config.mac_bytes != 0;
  opened.all_content = Walk(job, volume).run();
  return opened;
}

Description describe_encfs(stream::Source& source, const OptionValues&) {
  constexpr const char* kNames[] = {"not encrypted", "stream", "block", "block, base32"};
  const EncfsConfig config = read_encfs_config(source);
  Description description{.title = "EncFS " + std::to_string(config.version) + " volume"};
  description.add_text("creator", "written by", config.creator);
  description.add_number("key_bits", "key", 8 * config.key_bytes, " bits");
  description.add_number("iterations", config.has_salt() ? "PBKDF2-HMAC-SHA1" : "EVP_BytesToKey with SHA1",
                         config.iterations, " iterations");
  description.add_number("block_bytes", "blocks", config.block_bytes, " bytes");
  description.add_number("mac_bytes", "MAC per block", config.mac_bytes, " bytes");
  description.add_number("random_bytes", "", config.random_bytes);
  description.add_text("names", "names", kNames[static_cast<std::size_t>(config.names)]);
  description.add_flag("chained_names", "names depend on their directory", config.chains_names);
  description.add_flag("file_ivs", "an IV per file", config.has_file_ivs);
  description.add_flag("chained_file_ivs", "", config.chains_file_ivs);
  description.add_flag("holes", "", config.has_holes);
  return description;
}

}  // namespace

const Codec kEncfsCodec{
    .name = "encfs",
    .summary = "EncFS 4 to 6 volumes with Blowfish, from a directory into a directory",
    .made_by = "EncFS 1.0 to 1.9",
    .details =
        "Reads a volume without mounting it. Names stay inside the directory that is written: links out of "
        "it are named, not created.",
    .wrong_secret = "a check of 32 bits in its configuration",
    .recognise = recognise_if<is_encfs_config>,
    .open = open_config,
    .tree_heads = kConfigNames,
    .open_tree = open_encfs,
    .describe = describe_encfs,
};

}  // namespace fugu::format
