// The library's face over the table of codecs.
#include "fugu/fugu.hpp"

#include <filesystem>
#include <optional>

#include "fugu/engine/registry.hpp"
#include "fugu/format/recognition.hpp"
#include "fugu/stream/memory.hpp"
#include "fugu/stream/output_file.hpp"
#include "fugu/stream/source.hpp"
#include "fugu/stream/tree.hpp"

namespace fugu {
namespace {

using format::Codec;

const Codec& codec_named(std::string_view name) {
  const Codec* codec = format::find_codec(name);
  if (codec == nullptr) throw Error(Errc::usage, "there is no format '" + std::string(name) + "'");
  return *codec;
}

format::OptionValues values_of(const Codec& codec, const FormatOptions& given, format::OptionUse use) {
  format::OptionValues values(codec.options);
  for (const auto& [name, value] : given) values.set(name, value);
  if (codec.check != nullptr) codec.check(values, use);
  return values;
}

void check_secret(const Codec& codec, const Secret& secret) {
  if (codec.takes(secret.kind())) return;
  throw Error(Errc::usage, "the format " + std::string(codec.name) + " takes a " +
                               (secret.kind() == format::SecretKind::key ? "passphrase" : "key"));
}

// The caller's engine, or a new one for `bytes` of input; 0: not known.
class ChosenEngine {
 public:
  ChosenEngine(engine::Engine* given, std::uint64_t bytes) : given_(given) {
    if (given == nullptr) own_ = engine::make("auto", {.expected_bytes = bytes});
  }
  engine::Engine& operator*() const { return given_ != nullptr ? *given_ : *own_; }

 private:
  engine::Engine* given_;
  std::unique_ptr<engine::Engine> own_;
};

const Codec& only_codec(const format::Recognised& found) {
  if (found.codecs.size() == 1) return *found.codecs.front();
  if (found.codecs.empty()) {
    throw Error(Errc::unknown_format,
                found.other_program.empty() ? "the format is not recognised" : found.other_program);
  }
  std::string names;
  for (const Codec* codec : found.codecs) names += (names.empty() ? "" : " or ") + std::string(codec->name);
  throw Error(Errc::unknown_format, "may be " + names + ": the format must be given");
}

// Calls work(source, sink, options) with `options` that name an engine, for files read and written by as many
// threads as it has. A file made from another takes over its permissions and modification time.
template <class Options, class Work>
void from_file_to_file(const std::string& from, const std::string& to, Options options, Work work) {
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(from, unknown);
  const ChosenEngine engine(options.engine, unknown ? 0 : bytes);
  options.engine = &*engine;
  auto source = stream::open_file(from, (*engine).threads());
  stream::OutputFile file(
      to, {.input = source->file_id(), .like = source->attributes(), .threads = (*engine).threads()});
  work(std::move(source), file, options);
  file.commit();
}

void seal_all(std::unique_ptr<stream::Source> plaintext, stream::Sink& sealed, const Secret& secret,
              const SealOptions& options) {
  const Codec& codec = options.format.empty() ? format::default_codec() : codec_named(options.format);
  if (!codec.can(format::Ability::seal)) {
    throw Error(Errc::usage, "the format " + std::string(codec.name) + " is opened only, not written");
  }
  const format::OptionValues values = values_of(codec, options.options, format::OptionUse::seal);
  check_secret(codec, secret);
  if (secret.kind() == format::SecretKind::passphrase) format::check_new_passphrase(secret.bytes());
  const ChosenEngine engine(options.engine, plaintext->size_bytes().value_or(0));
  codec.seal({*engine, *plaintext, sealed}, {values, {secret.kind(), secret.bytes()}});
}

format::Opened open_all(std::unique_ptr<stream::Source> sealed, stream::Sink& plaintext, const Secret& secret,
                        const OpenOptions& options) {
  const Codec* given = options.format.empty() ? nullptr : &codec_named(options.format);
  const format::Recognised found = format::recognise(std::move(sealed), {}, given);
  const Codec& codec = given != nullptr ? *given : only_codec(found);
  const format::OptionValues values = values_of(codec, options.options, format::OptionUse::open);
  check_secret(codec, secret);
  const ChosenEngine engine(options.engine, found.source->size_bytes().value_or(0));
  return codec.open({*engine, *found.source, plaintext},
                    {values, {secret.kind(), secret.bytes()}, options.accept_weak_evidence});
}

const Codec& codec_of(stream::TreeSource& directory, std::string_view format) {
  const Codec* codec = format::recognise(directory);
  if (codec == nullptr || (!format.empty() && codec != &codec_named(format)))
    throw Error(Errc::unknown_format, "is a directory, and no container of a format that is known");
  return *codec;
}

OpenedDirectory open_tree(stream::TreeSource& from, stream::TreeSink& to, const Secret& secret,
                          const OpenOptions& options) {
  const Codec& codec = codec_of(from, options.format);
  const format::OptionValues values = values_of(codec, options.options, format::OptionUse::open);
  check_secret(codec, secret);
  const ChosenEngine engine(options.engine, 0);
  OpenedDirectory result;
  const auto failed = [&](const std::string& part, const Error& error) {
    result.failed.push_back({part, error});
  };
  result.opened = codec.open_tree({*engine, from, to, 0, nullptr, failed},
                                  {values, {secret.kind(), secret.bytes()}, options.accept_weak_evidence});
  return result;
}

}  // namespace

Secret Secret::passphrase(std::string_view text) {
  return Secret(format::SecretKind::passphrase, auth::SecretBytes(text));
}

Secret Secret::key(std::span<const std::byte> bytes) {
  return Secret(format::SecretKind::key, auth::SecretBytes(bytes));
}

void seal(std::unique_ptr<stream::Source> plaintext, stream::Sink& sealed, const Secret& secret,
          const SealOptions& options) {
  seal_all(std::move(plaintext), sealed, secret, options);
}

std::vector<std::byte> seal(std::span<const std::byte> plaintext, const Secret& secret,
                            const SealOptions& options) {
  stream::MemorySink sealed;
  seal_all(std::make_unique<stream::MemorySource>(plaintext), sealed, secret, options);
  return sealed.take();
}

void seal_file(const std::string& from, const std::string& to, const Secret& secret,
               const SealOptions& options) {
  from_file_to_file(from, to, options,
                    [&](std::unique_ptr<stream::Source> source, stream::Sink& file,
                        const SealOptions& with) { seal_all(std::move(source), file, secret, with); });
}

format::Opened open(std::unique_ptr<stream::Source> sealed, stream::Sink& plaintext, const Secret& secret,
                    const OpenOptions& options) {
  return open_all(std::move(sealed), plaintext, secret, options);
}

std::vector<std::byte> open(std::span<const std::byte> sealed, const Secret& secret,
                            const OpenOptions& options) {
  stream::MemorySink plaintext;
  open_all(std::make_unique<stream::MemorySource>(sealed), plaintext, secret, options);
  return plaintext.take();
}

format::Opened open_file(const std::string& from, const std::string& to, const Secret& secret,
                         const OpenOptions& options) {
  format::Opened opened;
  from_file_to_file(
      from, to, options,
      [&](std::unique_ptr<stream::Source> source, stream::Sink& file, const OpenOptions& with) {
        opened = open_all(std::move(source), file, secret, with);
      });
  return opened;
}

OpenedDirectory open_directory(const std::string& from, const std::string& to, const Secret& secret,
                               const OpenOptions& options) {
  const ChosenEngine engine(options.engine, 0);
  OpenOptions with = options;
  with.engine = &*engine;
  const auto source = stream::open_tree(from, (*engine).threads());
  if (stream::lies_inside(to, from)) throw Error(Errc::io, "the output lies inside the input");
  return open_tree(*source, *stream::output_tree(to, {.threads = (*engine).threads()}), secret, with);
}

std::vector<const Codec*> recognise(std::span<const std::byte> input) {
  return format::recognise(std::make_unique<stream::MemorySource>(input)).codecs;
}

}  // namespace fugu
