#include "cli/cipher/run.hpp"

#include <fmt/format.h>

#include <mutex>

#include "cli/cipher/output.hpp"
#include "cli/cipher/transfer.hpp"
#include "cli/process/console.hpp"
#include "fugu/error.hpp"
#include "fugu/stream/base64.hpp"
#include "fugu/stream/hex.hpp"

namespace fugu::cli {
namespace {

using format::Ability;
using format::Codec;

format::Job job(const CipherRun& run, stream::Source& source, stream::Sink& sink) {
  return {run.engine, source, sink, run.chunk_bytes, run.counters, run.watcher};
}

std::unique_ptr<stream::Sink> text_encoder(const TextForm& form, stream::Sink& sink) {
  if (form.encoding == format::TextEncoding::hex) return stream::hex_encoder(sink, form.lines);
  return stream::base64_encoder(sink, form.lines);
}

[[noreturn]] void refuse_unrecognised(const format::Recognised& found) {
  if (!found.other_program.empty()) throw Error(Errc::unknown_format, found.other_program);
  throw Error(
      Errc::unknown_format,
      fmt::format("the format is not recognised{}; if the file has no header, name its format and "
                  "how it was encrypted, with one of: {}",
                  found.looks.empty() ? "" : fmt::format(" ({})", found.looks), format::headerless_hint()));
}

[[noreturn]] void refuse_ambiguous(const format::Recognised& found) {
  std::string names;
  for (const Codec* codec : found.codecs)
    names += fmt::format("{}{}", names.empty() ? "" : " or ", codec->name);
  throw Error(Errc::unknown_format, fmt::format("may be {}: say which with fugu decrypt --format", names));
}

void refuse_secret(const Codec& codec, const RunSecret& secret) {
  if (codec.takes(secret.kind())) return;
  throw Error(Errc::usage,
              fmt::format("is in the format {}, which takes a {}", codec.name,
                          codec.takes(format::SecretKind::key) ? "key (--key)" : "passphrase (--pass)"));
}

void require_parts(const Codec& codec) {
  if (codec.units != nullptr) return;
  throw Error(Errc::usage, fmt::format("the format {} cannot be worked on in parts: use fugu", codec.name));
}

void refuse_to_show(const Codec& codec, const CipherRun& run) {
  if (!codec.holds_passwords || !run.hides_passwords) return;
  throw OutputError(Errc::io,
                    "is a terminal, and this holds passwords; use -o OUT, a redirection or --force");
}

void refuse_unwatched(const Codec& codec) {
  if (codec.can(Ability::watch)) return;
  std::string names;
  for (const Codec* other : format::codecs()) {
    if (other->can(Ability::watch)) names += fmt::format("{}{}", names.empty() ? "" : " and ", other->name);
  }
  throw Error(Errc::usage,
              fmt::format("is in the format {}: --openssl compares those of {} only", codec.name, names));
}

// Notes whether the secret was requested.
class Asking {
 public:
  Asking(RunSecret& secret, const Codec& codec) : secret_(secret), codec_(codec) {}

  format::AskSecret function() {
    return {secret_.kind(), [this]() -> const auth::SecretBytes& {
              asked_ = true;
              return secret_.bytes_for(codec_);
            }};
  }

  // Runs `work`. Damage found before the secret was requested does not cast doubt on the secret; of a wrong
  // one it is said what may be wrong with it.
  template <class Work>
  auto watch(Work work) {
    try {
      return work();
    } catch (const Error& error) {
      const std::string doubt = error.code() == Errc::wrong_key ? secret_.doubt() : "";
      if (!doubt.empty()) throw Error(error.code(), fmt::format("{}; {}", error.text(), doubt));
      if (error.code() != Errc::damaged || asked_) throw;
      throw WholeMessage(error.code(),
                         fmt::format("{}; the {} was not tried", error.text(), secret_.kind_name()));
    }
  }

 private:
  RunSecret& secret_;
  const Codec& codec_;
  bool asked_ = false;
};

// Once per run: all files have the same key.
void note_long_key(const Codec& codec, RunSecret& secret) {
  static std::once_flag once;
  if (secret.kind() != format::SecretKind::key || codec.specified_key_bytes == 0) return;
  if (secret.bytes().size() <= codec.specified_key_bytes) return;
  std::call_once(once, [&] {
    say_note(fmt::format(
        "the key has {} bytes: Blowfish's specification ends at {}, and not every program takes more",
        secret.bytes().size(), codec.specified_key_bytes));
  });
}

Input recognise_for_rekey(const CipherRequest& request, std::unique_ptr<stream::Source> source) {
  Input input = recognise_input(request, std::move(source));
  if (input.codec->can(Ability::rekey)) return input;
  throw Error(Errc::unknown_format,
              fmt::format("is in the format {}, which cannot be given another secret", input.codec->name));
}

}  // namespace

SecretQuestion question(const CipherRequest& request) {
  return {.kind = request.secret_kind,
          .source = request.secret,
          .max_key_bytes = request.max_key_bytes,
          .is_new = request.direction == core::Direction::encrypt};
}

Input recognise_input(const CipherRequest& request, std::unique_ptr<stream::Source> source) {
  const auto encoding =
      request.text ? std::optional(request.text->encoding) : std::optional<format::TextEncoding>();
  format::Recognised found = format::recognise(std::move(source), encoding, request.codec);
  if (request.codec == nullptr && found.codecs.empty()) refuse_unrecognised(found);
  if (request.codec == nullptr && found.codecs.size() > 1) refuse_ambiguous(found);
  const Codec* codec = request.codec != nullptr ? request.codec : found.codecs.front();
  return {codec, found.encoding, std::move(found.source)};
}

std::string encrypt(const CipherRequest& request, RunSecret& secret, const CipherRun& run,
                    std::unique_ptr<stream::Source> source, stream::Sink& sink) {
  const std::unique_ptr<stream::Sink> encoder = request.text ? text_encoder(*request.text, sink) : nullptr;
  const format::OptionValues options = request.options_of(*request.codec);
  note_long_key(*request.codec, secret);
  return request.codec->seal(job(run, *source, encoder ? *encoder : sink),
                             {options, Asking(secret, *request.codec).function()});
}

format::Opened decrypt(const CipherRequest& request, RunSecret& secret, const CipherRun& run,
                       std::unique_ptr<stream::Source> source, stream::Sink& sink) {
  const Input input = recognise_input(request, std::move(source));
  const format::OptionValues options = request.options_of(*input.codec);
  refuse_secret(*input.codec, secret);
  refuse_to_show(*input.codec, run);
  if (run.watcher != nullptr) refuse_unwatched(*input.codec);
  note_long_key(*input.codec, secret);
  Asking asking(secret, *input.codec);
  return asking.watch([&] {
    return input.codec->open(job(run, *input.source, sink),
                             {options, asking.function(), request.accept_weak_evidence});
  });
}

void compare_content(const CipherRequest& request, RunSecret& secret, const CipherRun& run,
                     std::unique_ptr<stream::Source> encrypted, std::unique_ptr<stream::Source> plain) {
  const std::unique_ptr<stream::Sink> same = stream::compare_with(std::move(plain));
  const CipherRun uncounted{.engine = run.engine, .chunk_bytes = run.chunk_bytes};
  decrypt(request.to_open(), secret, uncounted, std::move(encrypted), *same);
}

PlannedParts plan_encryption(const CipherRequest& request, RunSecret& secret, const stream::Source& source) {
  const Codec& codec = *request.codec;
  require_parts(codec);
  const format::OptionValues options = request.options_of(codec);
  note_long_key(codec, secret);
  const auto bytes = source.size_bytes();
  if (!bytes) throw Error(Errc::usage, "is not a regular file: it cannot be worked on in parts");
  return {&codec, codec.units->plan_seal(*bytes, {options, Asking(secret, codec).function()})};
}

PlannedParts plan_decryption(const CipherRequest& request, RunSecret& secret, const CipherRun& run,
                             std::unique_ptr<stream::Source> source, format::Opened& opened) {
  const Input input = recognise_input(request, std::move(source));
  require_parts(*input.codec);
  if (input.encoding != format::TextEncoding::binary)
    throw Error(Errc::usage, "is text: it cannot be worked on in parts; use fugu");
  const format::OptionValues options = request.options_of(*input.codec);
  refuse_secret(*input.codec, secret);
  note_long_key(*input.codec, secret);
  Asking asking(secret, *input.codec);
  const std::unique_ptr<stream::Sink> nowhere = stream::discard();
  return asking.watch([&]() -> PlannedParts {
    return {input.codec, input.codec->units->plan_open(
                             job(run, *input.source, *nowhere),
                             {options, asking.function(), request.accept_weak_evidence}, opened)};
  });
}

const Codec& recognise_tree(const CipherRequest& request, stream::TreeSource& directory) {
  const Codec* codec = format::recognise(directory);
  if (codec == nullptr || (request.codec != nullptr && request.codec != codec))
    throw Error(Errc::unknown_format, "is a directory, and no container of a format that is known");
  return *codec;
}

format::Opened decrypt_tree(const CipherRequest& request, RunSecret& secret, const CipherRun& run,
                            stream::TreeSource& source, stream::TreeSink& sink,
                            const std::function<void(const std::string& part, const Error& error)>& failed) {
  const Codec& codec = recognise_tree(request, source);
  const format::OptionValues options = request.options_of(codec);
  refuse_secret(codec, secret);
  if (run.watcher != nullptr || request.text)
    throw Error(Errc::usage, "is a directory: --openssl, --base64 and --hex are for files");
  Asking asking(secret, codec);
  return asking.watch([&] {
    return codec.open_tree({run.engine, source, sink, run.chunk_bytes, run.counters, failed},
                           {options, asking.function(), request.accept_weak_evidence});
  });
}

void check_rekey(const CipherRequest& request, RunSecret& secret, std::unique_ptr<stream::Source> source) {
  const Input input = recognise_for_rekey(request, std::move(source));
  Asking(secret, *input.codec).watch([&] {
    static_cast<void>(input.codec->describe(*input.source, request.options_of(*input.codec)));
  });
}

std::optional<Error> rekey(const CipherRequest& request, RunSecret& secret, RunSecret& new_secret,
                           const CipherRun& run, std::unique_ptr<stream::Source> source, stream::Sink& sink) {
  const Input input = recognise_for_rekey(request, std::move(source));
  const format::OptionValues options = request.options_of(*input.codec);
  Asking asking(secret, *input.codec);
  return asking.watch([&] {
    return input.codec->rekey(job(run, *input.source, sink), {options, asking.function()},
                              Asking(new_secret, *input.codec).function());
  });
}

}  // namespace fugu::cli
