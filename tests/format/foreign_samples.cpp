#include "foreign_samples.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "fugu/auth/digest.hpp"
#include "fugu/auth/kdf.hpp"
#include "fugu/auth/reference.hpp"
#include "fugu/stream/base64.hpp"
#include "support/bytes.hpp"
#include "support/vector_reader.hpp"

namespace fugu::format::testing {
namespace {

// Tests open one file damaged in many places, and most of the time would go to deriving the same keys.
bool derive_once(const std::string& digest, const auth::SecretBytes& passphrase,
                 std::span<const std::byte> salt, std::uint32_t iterations, std::span<std::byte> key) {
  static std::map<std::tuple<std::string, Bytes, Bytes, std::uint32_t>, Bytes> derived;
  const auto copy = [](std::span<const std::byte> of) { return Bytes(of.begin(), of.end()); };
  Bytes& kept = derived[{digest, copy(passphrase.span()), copy(salt), iterations}];
  if (kept.size() < key.size()) {
    const auth::RuledDerivations by_openssl({});
    const auth::SecretBytes key_once = auth::pbkdf2(digest, passphrase, salt, iterations, key.size());
    kept = copy(key_once.span());
  }
  std::ranges::copy(std::span(kept).first(key.size()), key.begin());
  return true;
}
const auth::RuledDerivations kOnce({.fast_pbkdf2 = derive_once});

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return bytes_of(text.str());
}

std::vector<std::string> split(const std::string& line, char at) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

Bytes secret_of(const std::string& field) {
  constexpr std::string_view kHex = "hex:";
  return field.starts_with(kHex) ? test::bytes_of_hex(std::string_view(field).substr(kHex.size()))
                                 : bytes_of(field);
}

// Reads records of lines "field = value"; an empty line ends each record.
void read_kit(const std::filesystem::path& path, std::vector<Sample>& into) {
  std::ifstream kit(path);
  Sample sample;
  for (std::string line; std::getline(kit, line);) {
    const std::size_t at = line.find(" = ");
    if (line.starts_with('#') || at == std::string::npos) continue;
    const std::string field = line.substr(0, at);
    const std::string value = line.substr(at + 3);
    if (field == "name")
      sample = {.file = value, .parameters = {}, .passphrase = {}, .plaintext_sha256 = {}, .bytes = {}};
    if (field == "parameters") sample.parameters = value;
    if (field == "passphrase") sample.passphrase = secret_of(value);
    if (field == "plaintext_sha256") sample.plaintext_sha256 = value;
    if (field != "file") continue;
    sample.bytes = test::bytes_of_hex(value);
    into.push_back(sample);
  }
}

const Codec& codec_named(std::string_view name) {
  const Codec* codec = find_codec(name);
  if (codec == nullptr) throw std::logic_error("no codec " + std::string(name));
  return *codec;
}

// "K 1000 vnd/salt.bin" with the bytes of that file.
std::string with_salt_bytes(const std::string& parameters, const std::filesystem::path& folder) {
  const std::vector<std::string> words = split(parameters, ' ');
  if (words.size() < 3 || words[2] == "-") return parameters;
  return words[0] + ' ' + words[1] + " salt=" + test::hex_of(read_file(folder / words[2]));
}

}  // namespace

std::vector<Sample> read_samples(const std::filesystem::path& folder) {
  std::vector<Sample> all;
  std::ifstream manifest(folder / "manifest.tsv");
  std::string line;
  std::getline(manifest, line);  // the names of the columns
  while (std::getline(manifest, line)) {
    const std::vector<std::string> columns = split(line, '\t');
    if (columns.size() < 5) throw std::logic_error("a manifest's row has too few columns: " + line);
    if (!std::filesystem::is_regular_file(folder / columns[0])) continue;
    std::string parameters = columns[2];
    const Bytes salt = read_file((folder / columns[0]).replace_extension(".salt"));  // some wallets have one
    if (!salt.empty()) parameters += " salt=" + test::hex_of(salt);
    if (columns[1] == "vnd") parameters = with_salt_bytes(parameters, folder);
    all.push_back(
        {columns[0], parameters, secret_of(columns[3]), columns[4], read_file(folder / columns[0])});
  }
  return all;
}

std::filesystem::path shared_samples() {
  return test::vectors_directory() / "../../shared/foreign";
}

std::vector<Sample> read_shared_samples() {
  std::vector<Sample> all;
  for (const std::filesystem::path& folder :
       {shared_samples(), test::vectors_directory() / "../../shared/foreign2"})
    if (std::filesystem::is_directory(folder))
      std::ranges::move(read_samples(folder), std::back_inserter(all));
  return all;
}

bool has_line_end(const Sample& sample) {
  return sample.codec() == "fish" && sample.file.ends_with(".txt");
}

const char* every_damage() {
  return std::getenv("FUGU_EVERY_DAMAGE");
}

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = [] {
    std::vector<Sample> read;
    for (const auto& entry : std::filesystem::directory_iterator(test::vectors_directory() / "foreign"))
      read_kit(entry.path(), read);
    // A build without XML lacks some formats.
    std::erase_if(read, [](const Sample& sample) { return find_codec(sample.codec()) == nullptr; });
    std::ranges::sort(read, {}, &Sample::file);
    return read;
  }();
  return all;
}

const std::vector<Sample>& documents() {
  static const std::vector<Sample> all = [] {
    std::vector<Sample> read;
    read_kit(test::vectors_directory() / "documents/odf.kit", read);
    for (Sample& document : read) document.file.insert(0, "odf/");
    return read;
  }();
  return all;
}

std::vector<Sample> committed() {
  std::vector<Sample> all = samples();
  std::ranges::copy(documents(), std::back_inserter(all));
  return all;
}

const std::vector<Sample>& all_samples() {
  static const std::vector<Sample> all = [] {
    std::vector<Sample> read = committed();
    for (const Sample& sample : read_shared_samples()) {
      if (std::ranges::find(read, sample.bytes, &Sample::bytes) == read.end()) read.push_back(sample);
    }
    return read;
  }();
  return all;
}

const Sample& sample_named(std::string_view file) {
  const auto found = std::ranges::find(samples(), file, &Sample::file);
  if (found == samples().end()) throw std::logic_error("no sample " + std::string(file));
  return *found;
}

std::vector<std::string_view> codecs_of(const std::vector<Sample>& of) {
  std::set<std::string> sampled;  // each case of a binary calls this
  for (const Sample& sample : of) sampled.insert(sample.codec());
  std::vector<std::string_view> names;
  for (const Codec* codec : codecs()) {
    if (!codec->can(Ability::tree) && sampled.contains(std::string(codec->name)))
      names.push_back(codec->name);
  }
  return names;
}

bool is_refused(const Sample& sample) {
  return sample.parameters.find("-k bcrypt") != std::string::npos;
}

// mcrypt --bare has its command line as parameters: "-a blowfish -m cbc --noiv -b".
GivenOptions mcrypt_options(const Sample& sample) {
  const std::vector<std::string> words = split(sample.parameters, ' ');
  GivenOptions options;
  if (std::ranges::find(words, "-b") == words.end()) return options;
  options["bare"] = "";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "-m") options["mode"] = words[i + 1];
    if (words[i] == "--noiv") options["noiv"] = "";
    if (words[i] == "blowfish-compat") options["words"] = "le";
  }
  return options;
}

// KWallet has parameters such as "minor 1 salt=00ff to=json", Password Safe similar ones. The plaintext of a
// wallet is its payload.
GivenOptions vault_options(const Sample& sample) {
  GivenOptions options;
  if (sample.codec() == "kwallet") options["to"] = "payload";
  for (const std::string& word : split(sample.parameters, ' ')) {
    if (word.starts_with("to=")) options["to"] = word.substr(3);
    if (word.starts_with("salt=")) options["wallet-salt"] = word.substr(5);
  }
  return options;
}

// dm-crypt has parameters such as "cipher=blowfish-cbc-plain key-size=256 hash=sha1", or "key" for a hash.
GivenOptions plain_options(const Sample& sample) {
  GivenOptions options;
  for (const std::string& word : split(sample.parameters, ' ')) {
    if (const std::size_t at = word.find('='); at != std::string::npos)
      options[word.substr(0, at)] = word.substr(at + 1);
  }
  return options;
}

// vnd has "k" or "K ROUNDS salt=00ff", DCPcrypt a hash and "string" or "stream".
GivenOptions delphi_options(const Sample& sample) {
  const std::vector<std::string> words = split(sample.parameters, ' ');
  return {{"hash", words.at(0)}, {"mode", words.at(1) == "string" ? "string" : "cbc"}};
}

GivenOptions vnd_options(const Sample& sample) {
  const std::vector<std::string> words = split(sample.parameters, ' ');
  GivenOptions options;
  if (words.at(0) == "K") options["rounds"] = words.at(1);
  if (words.size() > 2 && words[2].starts_with("salt=")) options["salt-file"] = words[2].substr(5);
  return options;
}

// Crypt::CBC has parameters such as "padding=null pbkdf=pbkdf2 iter=1000".
GivenOptions options_for(const Sample& sample) {
  static const std::map<std::string, std::string> kNames{{"pbkdf", "pbkdf"},     {"keysize", "key-bytes"},
                                                         {"chain_mode", "mode"}, {"padding", "pad"},
                                                         {"iter", "iter"},       {"iv", "iv"},
                                                         {"salt", "salt"},       {"header", "header"}};
  if (sample.codec() == "mcrypt") return mcrypt_options(sample);
  if (sample.codec() == "kwallet" || sample.codec() == "pwsafe") return vault_options(sample);
  if (sample.codec() == "dcpcrypt") return delphi_options(sample);
  if (sample.codec() == "vnd") return vnd_options(sample);
  if (sample.codec() == "plain") return plain_options(sample);
  if (sample.codec() == "gpass") return {{"to", "payload"}};
  if (sample.codec() != "cryptcbc") return {};
  GivenOptions options;
  for (const std::string& word : split(sample.parameters.substr(0, sample.parameters.find(';')), ' ')) {
    const std::size_t at = word.find('=');
    const auto name = kNames.find(word.substr(0, at));
    const std::string value = word.substr(at + 1);
    if (name != kNames.end()) options[name->second] = value.starts_with("hex:") ? value.substr(4) : value;
    if (word == "literal_key=1") options["pbkdf"] = "none";
  }
  if (sample.parameters.find("+ NULs") != std::string::npos) options["pad"] = "null";
  if (options.contains("iv")) options.try_emplace("pbkdf", "randomiv");
  if (options.contains("pad") || options.contains("mode")) {
    options.try_emplace("key-bytes", "56");
    options.try_emplace("mode", "cbc");
    const bool has_iv = !sample.bytes.empty() && sample.bytes.front() == std::byte{'R'};  // "RandomIV"
    options.try_emplace("pbkdf", has_iv ? "randomiv" : "opensslv1");
  }
  if (options.contains("iv") || options.contains("salt")) options["header"] = "none";
  return options;
}

SecretKind secret_kind_of(std::string_view codec, const GivenOptions& options) {
  const auto pbkdf = options.find("pbkdf");
  const bool is_key = (pbkdf != options.end() && pbkdf->second == "none") ||
                      (codec == "plain" && !options.contains("hash")) ||
                      !codec_named(codec).takes(SecretKind::passphrase);
  return is_key ? SecretKind::key : SecretKind::passphrase;
}

OptionValues values_for(const Codec& codec, const GivenOptions& options) {
  OptionValues values(codec.options);
  for (const auto& [name, text] : options) values.set(name, text);
  return values;
}

Result open_with(std::string_view name, std::span<const std::byte> file, const AskSecret& secret,
                 const How& how) {
  const Codec& codec = codec_named(name);
  const OptionValues values = values_for(codec, how.options);
  BytesSource source(file, how.seekable);
  BytesSink sink;
  Result result;
  try {
    result.opened = codec.open({scalar_engine(), source, sink, how.chunk_bytes, nullptr, {}},
                               {values, secret, how.accept_weak_evidence});
  } catch (...) {
    if (sink.finished != 0) throw std::logic_error("an output was finished although it failed");
    throw;
  }
  if (sink.finished != 1) throw std::logic_error("the sink was not finished once");
  result.plaintext = std::move(sink.bytes);
  return result;
}

Result open_with(std::string_view name, std::span<const std::byte> file, std::span<const std::byte> secret,
                 const How& how) {
  const auth::SecretBytes bytes(secret);
  return open_with(name, file, AskSecret(secret_kind_of(name, how.options), bytes), how);
}

Result open_sample(const Sample& sample, const How& how) {
  return open_with(sample.codec(), sample.bytes, sample.passphrase, how);
}

Bytes seal_with(std::string_view name, std::span<const std::byte> plaintext, const AskSecret& secret,
                const GivenOptions& options) {
  const Codec& codec = codec_named(name);
  const OptionValues values = values_for(codec, options);
  return run_job(plaintext, [&](const Job& job) { codec.seal(job, {values, secret}); });
}

Bytes seal_with(std::string_view name, std::span<const std::byte> plaintext,
                std::span<const std::byte> secret, const GivenOptions& options) {
  const auth::SecretBytes bytes(secret);
  return seal_with(name, plaintext, AskSecret(secret_kind_of(name, options), bytes), options);
}

const auth::SecretBytes& do_not_tell() {
  throw NotTold();
}

Bytes base64_of(std::span<const std::byte> bytes) {
  BytesSink text;
  const auto encoder = stream::base64_encoder(text, stream::TextLines::wrapped);
  encoder->write(bytes);
  encoder->finish();
  return text.bytes;
}

Bytes openssl_cbc(std::span<const std::byte> key, std::span<const std::byte> iv, Bytes plaintext) {
  std::array<std::byte, 8> block{};
  std::ranges::copy(iv, block.begin());
  auth::ReferenceBlowfish(auth::ReferenceMode::cbc, true, key, block).update(plaintext, plaintext);
  return plaintext;
}

std::string sha256_hex(std::span<const std::byte> bytes) {
  return test::hex_of(auth::sha256(bytes));
}

}  // namespace fugu::format::testing
