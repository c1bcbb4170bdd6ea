#include "encfs_volumes.hpp"

#include "support/files.hpp"
#include "support/vector_reader.hpp"

namespace fugu::format::testing {

namespace fs = std::filesystem;
using test::TreeKeeper;

std::pair<std::string, std::string> split_at(const std::string& text, const std::string& separator) {
  const std::size_t at = text.find(separator);
  if (at == text.npos) return {};
  return {text.substr(0, at), text.substr(at + separator.size())};
}

namespace {

std::vector<Volume> read_volumes() {
  std::vector<Volume> volumes;
  std::ifstream kit(test::vectors_directory() / "trees/encfs.kit");
  for (std::string line; std::getline(kit, line);) {
    const auto [field, value] = split_at(line, " = ");
    if (field == "volume")
      volumes.push_back(
          {.name = value, .passphrase = {}, .encrypted = {}, .plain_files = {}, .plain_links = {}});
    if (volumes.empty() || line.empty()) continue;
    Volume& volume = volumes.back();
    if (field == "passphrase") volume.passphrase = value;
    if (field == "plain_file") volume.plain_files[split_at(value, " ").second] = split_at(value, " ").first;
    if (field == "plain_link") volume.plain_links.insert(split_at(value, " -> "));
    if (field == "plain_directory") volume.plain_directories[value] = 1;
    if (field == "link") volume.encrypted.links.insert(split_at(value, " -> "));
    if (field == "directory") volume.encrypted.directories[value] = 1;
    if (field == "file") {
      const auto [digits, path] = split_at(value, " ");
      volume.encrypted.files[path] = parse_hex(digits).value_or(Bytes());  // "-" is an empty file
    }
  }
  return volumes;
}

Tree read_tree(const fs::path& folder) {
  Tree tree;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = fs::relative(entry.path(), folder);
    if (entry.is_directory()) tree.directories[path] = 1;
    if (entry.is_regular_file()) tree.files[path] = test::read_file(entry.path());
  }
  return tree;
}

}  // namespace

const std::vector<Volume>& volumes() {
  static const std::vector<Volume> all = read_volumes();
  return all;
}

const Volume& volume_named(const char* name) {
  return *std::ranges::find(volumes(), name, &Volume::name);
}

// In the rows "encfs/vol_a/..." the parameters hold the decrypted name.
std::vector<Volume> shared_volumes() {
  std::map<std::string, Volume> volumes;
  if (!fs::is_directory(shared_samples())) return {};
  for (const Sample& sample : read_samples(shared_samples())) {
    if (sample.codec() != "encfs") continue;
    Volume& volume = volumes[sample.file.substr(0, sample.file.find('/', sizeof "encfs"))];
    volume.passphrase.assign(reinterpret_cast<const char*>(sample.passphrase.data()),
                             sample.passphrase.size());
    volume.plain_files[split_at(sample.parameters, "decrypted name ").second] = sample.plaintext_sha256;
  }
  std::vector<Volume> all;
  for (auto& [name, volume] : volumes) {
    volume.name = name;
    volume.encrypted = read_tree(shared_samples() / name);
    all.push_back(std::move(volume));
  }
  return all;
}

bool is_config(std::string_view path) {
  return std::ranges::count(find_codec("encfs")->tree_heads, path) != 0;
}

std::string config_name(const Tree& encrypted) {
  return std::ranges::find_if(encrypted.files, [](const auto& file) { return is_config(file.first); })->first;
}

Outcome open_volume(stream::TreeSource& source, const AskSecret& secret, std::size_t chunk_bytes) {
  const Codec* codec = find_codec("encfs");
  if (codec == nullptr) throw std::logic_error("there is no codec for EncFS in this build");
  const OptionValues options(codec->options);
  TreeKeeper sink;
  Outcome outcome;
  const auto failed = [&](const std::string& part, const Error& error) {
    outcome.failed.emplace(part, error.code());
  };
  outcome.opened =
      codec->open_tree({scalar_engine(), source, sink, chunk_bytes, nullptr, failed}, {options, secret});
  outcome.plain = std::move(sink.tree);
  return outcome;
}

Outcome open_volume(stream::TreeSource& source, std::string_view passphrase, std::size_t chunk_bytes) {
  const auth::SecretBytes secret(passphrase);
  return open_volume(source, AskSecret(SecretKind::passphrase, secret), chunk_bytes);
}

Outcome open_volume(const Tree& encrypted, std::string_view passphrase, std::size_t chunk_bytes) {
  TreeBytes source(encrypted);
  return open_volume(source, passphrase, chunk_bytes);
}

}  // namespace fugu::format::testing
