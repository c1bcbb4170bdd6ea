// The library's face over the table of codecs: the one place that recognises an input, chooses its codec, and
// checks options and secret for it.
#include "fugu/fugu.hpp"

#include <filesystem>

#include "fugu/engine/registry.hpp"
#include "fugu/format/recognition.hpp"
#include "fugu/format/salvage.hpp"
#include "fugu/fugu_identify.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/hex.hpp"
#include "fugu/stream/memory.hpp"
#include "fugu/stream/output_file.hpp"

namespace fugu {
namespace {

using format::Codec;
using format::OptionRow;
using format::OptionUse;
using format::SecretKind;

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

// A caller who knows the secret and needs to watch nothing but failed parts.
class KnownSecret final : public Observer {
 public:
  explicit KnownSecret(const Secret& secret, std::vector<FailedPart>* failed = nullptr)
      : secret_(secret), failed_(failed) {}

  format::SecretKind secret_kind() const override { return secret_.kind(); }
  const auth::SecretBytes& secret(const format::Codec&) override { return secret_.bytes(); }
  void failed(const std::string& part, const Error& reason) override {
    if (failed_ != nullptr) failed_->push_back({part, reason});
  }

 private:
  const Secret& secret_;
  std::vector<FailedPart>* failed_;
};

const Codec& codec_named(std::string_view name) {
  const Codec* codec = format::find_codec(name);
  if (codec == nullptr) throw Error(Errc::usage, "there is no format '" + std::string(name) + "'");
  return *codec;
}

// How sentences about the format begin.
std::string in_format(const Codec& codec, OptionUse use) {
  return (use == OptionUse::seal ? "the format is " : "is in the format ") + std::string(codec.name);
}

std::string names_with(std::string_view option) {
  std::vector<const Codec*> owners;
  std::ranges::copy_if(format::codecs(), std::back_inserter(owners),
                       [&](const Codec* codec) { return codec->has_option(option); });
  return format::names_of(owners);
}

// The options that open what seal() has written with `given`.
format::OptionValues values_of_sealed(const Codec& codec, FormatOptions given) {
  std::erase_if(given, [&](const auto& option) {
    const auto row = std::ranges::find(codec.options, option.first, &OptionRow::name);
    return row != codec.options.end() && row->use == OptionUse::seal;
  });
  format::OptionValues values = option_values(codec, given, OptionUse::open);
  if (codec.add_seal_defaults != nullptr) codec.add_seal_defaults(values);
  return values;
}

// The codec with this extension, among those whose files only the secret reveals.
const Codec* codec_by_extension(std::string_view name) {
  const auto has_extension = [&](const Codec* codec) {
    return codec->opens != nullptr && std::ranges::any_of(codec->extensions, [&](std::string_view extension) {
             return name.ends_with(extension);
           });
  };
  const auto found = std::ranges::find_if(format::codecs(), has_extension);
  return found == format::codecs().end() ? nullptr : *found;
}

const Codec* codec_by_secret(const format::Recognised& found, Observer& observer, engine::Engine* given) {
  if (observer.secret_kind() != SecretKind::passphrase || !observer.knows_secret()) return nullptr;
  const ChosenEngine engine(given, found.head.size());
  const auto is_opened_by = [&](const Codec* codec) {
    return codec->opens != nullptr &&
           codec->opens(*engine, found.head, found.source->size_bytes(), observer.ask(*codec));
  };
  const auto opened = std::ranges::find_if(format::codecs(), is_opened_by);
  return opened == format::codecs().end() ? nullptr : *opened;
}

const Codec& only_codec(const format::Recognised& found, Observer& observer) {
  if (found.codecs.size() == 1) return *found.codecs.front();
  if (!found.codecs.empty()) return observer.choose(found.codecs);
  if (!found.other_program.empty()) throw Error(Errc::unknown_format, found.other_program);
  if (found.head.empty()) throw Error(Errc::unknown_format, "is empty");
  throw NotRecognised(Errc::unknown_format,
                      "the format is not recognised" + (found.looks.empty() ? "" : " (" + found.looks + ")"));
}

struct ChosenCodec {
  const Codec* codec = nullptr;
  bool by_secret = false;
};

ChosenCodec choose(const format::Recognised& found, Observer& observer, const OpenOptions& options) {
  if (found.codecs.empty() && found.other_program.empty()) {
    if (const Codec* codec = codec_by_extension(options.name)) return {codec};
    if (const Codec* codec = codec_by_secret(found, observer, options.engine)) return {codec, true};
  }
  return {&only_codec(found, observer)};
}

// Asks for a secret that data is sealed under.
format::AskSecret ask_new(Observer& observer, const Codec& codec) {
  return {observer.secret_kind(),
          [&]() -> const auth::SecretBytes& {
            const auth::SecretBytes& secret = observer.secret(codec);
            if (observer.secret_kind() == SecretKind::passphrase) format::check_new_passphrase(secret);
            return secret;
          },
          observer.derived};
}

std::unique_ptr<stream::Sink> text_encoder(const TextForm& form, stream::Sink& sink) {
  if (form.encoding == format::TextEncoding::hex) return stream::hex_encoder(sink, form.lines);
  return stream::base64_encoder(sink, form.lines);
}

}  // namespace

Secret Secret::passphrase(std::string_view text) {
  return {SecretKind::passphrase, auth::SecretBytes(text)};
}

Secret Secret::key(std::span<const std::byte> bytes) {
  return {SecretKind::key, auth::SecretBytes(bytes)};
}

const Codec& Observer::choose(std::span<const Codec* const> candidates) {
  throw Error(Errc::unknown_format, "may be " + format::names_of(candidates) + ": give ⟦format NAME⟧");
}

format::AskSecret Observer::ask(const Codec& codec) {
  awaits_secret_ = codec.needs_secret();
  const auto request = [this, &codec]() -> const auth::SecretBytes& {
    asked_ = true;
    return secret(codec);
  };
  return {secret_kind(), request, derived};
}

std::string Observer::untried(const Error& error) const {
  if (error.code() != Errc::damaged || asked_ || !awaits_secret_) return "";
  return secret_kind() == SecretKind::key ? "; the key was not tried" : "; the passphrase was not tried";
}

void check_secret_kind(const Codec& codec, SecretKind kind, OptionUse use) {
  if (codec.takes(kind) || !codec.needs_secret()) return;
  throw Error(Errc::usage, in_format(codec, use) + ", which takes a " +
                               (codec.takes(SecretKind::key) ? "key (⟦key⟧)" : "passphrase (⟦pass⟧)"));
}

format::OptionValues option_values(const Codec& codec, const FormatOptions& options, OptionUse use) {
  format::OptionValues values(codec.options);
  for (const auto& [name, value] : options) {
    if (!codec.has_option(name))
      throw Error(Errc::usage, in_format(codec, use) + ": ⟦" + name + "⟧ does not apply to it, only to " +
                                   names_with(name));
    values.set(name, value);
  }
  if (codec.check != nullptr) codec.check(values, use);
  return values;
}

Identified identify(std::unique_ptr<stream::Source> source, Observer& observer, const OpenOptions& options) {
  const Codec* const given = options.format.empty() ? nullptr : &codec_named(options.format);
  format::Recognised found = format::recognise(std::move(source), options.encoding, given);
  const ChosenCodec choice = given != nullptr ? ChosenCodec{given} : choose(found, observer, options);
  const Codec& codec = *choice.codec;
  return {&codec, found.encoding, std::move(found.source), choice.by_secret,
          options.made_by_seal ? values_of_sealed(codec, options.options)
                               : option_values(codec, options.options, OptionUse::open)};
}

const Codec& identify(stream::TreeSource& directory, std::string_view format) {
  const Codec* const codec = format::recognise(directory);
  if (codec == nullptr || (!format.empty() && codec != &codec_named(format)))
    throw Error(Errc::unknown_format, "is a directory, but not a container of a known format");
  return *codec;
}

std::string seal(std::unique_ptr<stream::Source> plaintext, stream::Sink& sealed, Observer& observer,
                 const SealOptions& options) {
  const Codec& codec = options.format.empty() ? format::default_codec() : codec_named(options.format);
  if (!codec.can(format::Ability::seal))
    throw Error(Errc::usage, "the format " + std::string(codec.name) + " is opened only, not written");
  const format::OptionValues values = option_values(codec, options.options, OptionUse::seal);
  check_secret_kind(codec, observer.secret_kind(), OptionUse::seal);
  observer.begin(codec);
  const ChosenEngine engine(options.engine, plaintext->size_bytes().value_or(0));
  const auto encoder = options.text ? text_encoder(*options.text, sealed) : nullptr;
  return codec.seal({*engine, *plaintext, encoder ? *encoder : sealed, options.chunk_bytes, observer.counters,
                     nullptr, options.stop},
                    {values, ask_new(observer, codec)});
}

std::string seal(std::unique_ptr<stream::Source> plaintext, stream::Sink& sealed, const Secret& secret,
                 const SealOptions& options) {
  KnownSecret known(secret);
  return seal(std::move(plaintext), sealed, known, options);
}

std::vector<std::byte> seal(std::span<const std::byte> plaintext, const Secret& secret,
                            const SealOptions& options) {
  stream::MemorySink sealed;
  seal(std::make_unique<stream::MemorySource>(plaintext), sealed, secret, options);
  return sealed.take();
}

namespace {

// The same for text that is damaged at its beginning, if it can be read again.
Identified identify_text(stream::Source& source, Observer& observer, const OpenOptions& options) {
  try {
    return identify(stream::borrow(source), observer, options);
  } catch (const Error& error) {
    constexpr std::uint64_t kMaxBytes = std::uint64_t{64} << 20;
    std::vector<std::byte> text(
        static_cast<std::size_t>(std::min(source.size_bytes().value_or(0), kMaxBytes)));
    if (error.code() != Errc::damaged || !options.encoding || !source.read_at(text, 0)) throw;
    const auto again = [&] {
      return stream::prepend(text, std::make_unique<stream::MemorySource>(std::span<const std::byte>()));
    };
    OpenOptions with = options;
    with.encoding = format::TextEncoding::binary;
    format::SalvageReport ignored;
    try {
      Identified input = identify(format::damaged_text(ignored, again(), *options.encoding), observer, with);
      input.source = format::decoded(again(), *options.encoding);
      input.encoding = *options.encoding;
      return input;
    } catch (const Error&) {
    }
    throw;
  }
}

}  // namespace

format::Opened open(std::unique_ptr<stream::Source> sealed, stream::Sink& plaintext, Observer& observer,
                    const OpenOptions& options) {
  const Identified input = identify_text(*sealed, observer, options);
  const Codec& codec = *input.codec;
  check_secret_kind(codec, observer.secret_kind(), OptionUse::open);
  if (options.salvage && !codec.can(format::Ability::salvage))
    throw Error(Errc::usage, in_format(codec, OptionUse::open) +
                                 ", of which nothing can be salvaged: " + std::string(codec.no_salvage));
  observer.begin(codec);
  const ChosenEngine engine(options.engine, input.source->size_bytes().value_or(0));
  const format::Job job{*engine,           *input.source,    plaintext,   options.chunk_bytes,
                        observer.counters, observer.watcher, options.stop};
  const format::OpenRequest request{input.options, observer.ask(codec), options.accept_weak_evidence};
  format::Opened opened;
  try {
    opened = format::open_input(codec, job, request, *sealed, input.encoding, options.salvage);
  } catch (const format::OverLimit&) {
    throw;
  } catch (const Error& error) {
    observer.can_save =
        error.code() == Errc::damaged && !options.salvage && codec.can(format::Ability::salvage) &&
        format::can_save(codec, job, request, observer.knows_secret(), *sealed, input.encoding);
    throw;
  }
  opened.by_trial |= input.by_secret;
  if (input.encoding == format::TextEncoding::stored_as_utf8)
    opened.notes.push_back(
        "its bytes were stored as UTF-8, as if they were characters of Latin-1 or Windows-1252: that was "
        "undone");
  return opened;
}

format::Opened open(std::unique_ptr<stream::Source> sealed, stream::Sink& plaintext, const Secret& secret,
                    const OpenOptions& options) {
  KnownSecret known(secret);
  format::Opened opened = open(std::move(sealed), plaintext, known, options);
  for (std::string& note : opened.notes) note = spelled(note, options.spelling);
  return opened;
}

std::vector<std::byte> open(std::span<const std::byte> sealed, const Secret& secret,
                            const OpenOptions& options) {
  stream::MemorySink plaintext;
  open(std::make_unique<stream::MemorySource>(sealed), plaintext, secret, options);
  return plaintext.take();
}

format::Opened open(stream::TreeSource& sealed, stream::TreeSink& plaintext, Observer& observer,
                    const OpenOptions& options) {
  const Codec& codec = identify(sealed, options.format);
  const format::OptionValues values = option_values(codec, options.options, OptionUse::open);
  check_secret_kind(codec, observer.secret_kind(), OptionUse::open);
  observer.begin(codec);
  const ChosenEngine engine(options.engine, 0);
  const auto failed = [&](const std::string& part, const Error& error) { observer.failed(part, error); };
  return codec.open_tree({*engine, sealed, plaintext, options.chunk_bytes, observer.counters, failed,
                          options.stop, options.salvage},
                         {values, observer.ask(codec), options.accept_weak_evidence});
}

std::vector<const Codec*> recognise(std::span<const std::byte> input) {
  return format::recognise(std::make_unique<stream::MemorySource>(input)).codecs;
}

// The face on names of files and directories, where stream/ has all kinds of files.
#if !defined(_WIN32) && !defined(__EMSCRIPTEN__)

namespace {

// Calls work(source, sink, options) with `options` that name an engine, for files read and written by as many
// threads as it has. A file made from another takes over its permissions and modification time.
template <class Options, class Work>
auto from_file_to_file(const std::string& from, const std::string& to, Options options, Work work) {
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(from, unknown);
  const ChosenEngine engine(options.engine, unknown ? 0 : bytes);
  options.engine = &*engine;
  const auto source = stream::open_file(from, (*engine).threads());
  const std::stop_callback ends_waiting(options.stop, [&] { source->cancel(); });
  stream::OutputFile file(
      to, {.input = source->file_id(), .like = source->attributes(), .threads = (*engine).threads()});
  auto result = work(stream::borrow(*source), file, options);
  file.commit();
  return result;
}

}  // namespace

void seal_file(const std::string& from, const std::string& to, const Secret& secret,
               const SealOptions& options) {
  from_file_to_file(from, to, options, [&](auto source, stream::Sink& file, const SealOptions& with) {
    return seal(std::move(source), file, secret, with);
  });
}

format::Opened open_file(const std::string& from, const std::string& to, const Secret& secret,
                         const OpenOptions& options) {
  return from_file_to_file(from, to, options, [&](auto source, stream::Sink& file, OpenOptions with) {
    if (with.name.empty()) with.name = from;
    return open(std::move(source), file, secret, with);
  });
}

OpenedDirectory open_directory(const std::string& from, const std::string& to, const Secret& secret,
                               const OpenOptions& options) {
  const ChosenEngine engine(options.engine, 0);
  OpenOptions with = options;
  with.engine = &*engine;
  const auto source = stream::open_tree(from, (*engine).threads());
  if (stream::lies_inside(to, from)) throw Error(Errc::io, "the output lies inside the input");
  OpenedDirectory result;
  KnownSecret known(secret, &result.failed);
  result.opened = open(*source, *stream::output_tree(to, {.threads = (*engine).threads()}), known, with);
  return result;
}

#endif

}  // namespace fugu
