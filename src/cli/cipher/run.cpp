#include "cli/cipher/run.hpp"

#include <cmath>

#include "cli/files/transfer.hpp"

namespace fugu::cli {
namespace {

using format::Ability;
using format::Codec;
using format::OptionUse;

// Once per run: all files have the same key.
void note_long_key(const Codec& codec, RunSecret& secret) {
  static std::once_flag once;
  if (secret.kind() != format::SecretKind::key || codec.specified_key_bytes == 0 || secret.is_hashed())
    return;
  const std::size_t bytes = secret.bytes().size();
  if (bytes <= codec.specified_key_bytes) return;
  std::call_once(once, [&] {
    say_note(bytes > cipher::kMaxClassicKeyBytes
                 ? fmt::format("the first {} of the key's {} bytes are used, as in OpenSSL",
                               cipher::kMaxClassicKeyBytes, bytes)
                 : fmt::format("the key has {} bytes: Blowfish's specification allows at most {}, and not "
                               "every program takes more",
                               bytes, codec.specified_key_bytes));
  });
}

void refuse_unwatched(const Codec& codec) {
  if (codec.can(Ability::watch)) return;
  std::vector<const Codec*> watched;
  std::ranges::copy_if(format::codecs(), std::back_inserter(watched),
                       [](const Codec* other) { return other->can(Ability::watch); });
  refuse("is in the format {}: --openssl is only for {}", codec.name, format::names_of(watched, " and "));
}

// For a file that no format recognises.
std::string how_to_go_on(std::string_view file, std::string_view advice) {
  const std::string_view sealed = format::default_codec().extensions.front();
  if (file.ends_with(sealed))
    return fmt::format("; it is named like a {} file: its first bytes are damaged, or it is something else",
                       format::default_codec().name);
  return std::string(advice);
}

constexpr std::string_view kHowToSalvage = "; fugu decrypt --salvage saves what can be saved";

// The work on one file: supplies the run's secret.
class FileObserver : public Observer {
 public:
  explicit FileObserver(RunSecret& secret) : secret_(secret) { derived = &secret.derived(); }
  FileObserver(RunSecret& secret, const Share& share, const DecryptOptions& options = {})
      : FileObserver(secret) {
    hides_passwords_ = options.hides_passwords;
    file_ = options.input;
    counters = share.counters;
    watcher = options.watcher;
  }

  format::SecretKind secret_kind() const override { return secret_.kind(); }

  bool knows_secret() const override { return secret_.is_known(); }

  const auth::SecretBytes& secret(const Codec& codec) override { return secret_.bytes_for(codec); }

  void begin(const Codec& codec) override {
    if (codec.holds_passwords && hides_passwords_)
      throw OutputError(
          Errc::io, "is a terminal, and the output holds passwords; use -o OUT, a redirection or --force");
    if (watcher != nullptr) refuse_unwatched(codec);
    note_long_key(codec, secret_);
  }

  // What a file begins like that --format says to be of another format.
  void looks_like(const Codec* other) { other_ = other; }

  bool names_salvage = false;         // in messages about damage
  std::string_view length_hint = "";  // for a length that the mode does not have

  // Runs `work`. Damage found before the secret was requested casts no doubt on the secret, and the message
  // says so; for a wrong secret it adds what may be wrong with it.
  template <class Work>
  auto watch(Work work) {
    try {
      auto done = work();
      if (was_asked()) secret_.set_proven();
      return done;
    } catch (const Error& error) {
      const std::string doubt = RunSecret::is_doubted_by(error) ? secret_.doubt() : "";
      if (!doubt.empty()) throw Error(error.code(), fmt::format("{}; {}", error.text(), doubt));
      if (other_ != nullptr && (error.code() == Errc::unknown_format || error.code() == Errc::damaged))
        throw Error(error.code(),
                    fmt::format("{}; it begins like a file of the format {}: leave out --format",
                                error.text(), other_->name));
      if (dynamic_cast<const NotRecognised*>(&error) != nullptr)
        throw Error(
            error.code(),
            error.text() +
                how_to_go_on(file_,
                             "; if it has no header, fugu guess --key file:K FILE finds out how it was "
                             "encrypted, or --format NAME says so (fugu formats lists them)"));
      if (const auto* none = dynamic_cast<const format::NoneFits*>(&error)) {
        if (!is_verbose()) throw Error(error.code(), error.text() + " (-v lists what was tried)");
        say_note(fmt::format("{}: tried {}", input_title(file_), none->tried));
      }
      if (error.code() != Errc::damaged) throw;
      const bool is_length = dynamic_cast<const mode::WrongLength*>(&error) != nullptr;
      const std::string how =
          fmt::format("{}{}", is_length ? length_hint : "", names_salvage && can_save ? kHowToSalvage : "");
      if (const std::string not_tried = untried(error); !not_tried.empty())
        throw WholeMessage(error.code(), error.text() + not_tried + how);
      if (how.empty()) throw;
      throw Error(error.code(), error.text() + how);
    }
  }

 private:
  RunSecret& secret_;
  std::string_view file_;
  bool hides_passwords_ = false;
  const Codec* other_ = nullptr;
};

class TreeObserver final : public FileObserver {
 public:
  TreeObserver(const Task& task, const CipherRequest& request, RunSecret& secret, const Share& share,
               int& worst)
      : FileObserver(secret, share), task_(task), is_salvage_(request.salvage), worst_(worst) {}

  void failed(const std::string& part, const Error& error) override {
    const std::string_view state = error.code() == Errc::damaged && !is_salvage_ ? "; left out" : "";
    const std::string title = fmt::format("{}: {}", input_title(task_.input), part);
    worst_ = worse(worst_, say_failure(title, error, state));
  }

 private:
  const Task& task_;
  bool is_salvage_;
  int& worst_;
};

void require_parts(const Codec& codec) {
  if (codec.units != nullptr) return;
  refuse("the format {} cannot be worked on in parts: use fugu", codec.name);
}

// The input of a rekey, for the codec's own functions.
Identified identify_for_rekey(const CipherRequest& request, FileObserver& observer, const Share& share,
                              std::unique_ptr<stream::Source> source) {
  Identified input = [&] {
    try {
      return identify(std::move(source), observer, request.to_open(share));
    } catch (const NotRecognised& error) {
      throw Error(error.code(), "is not a sealed file; only those can be rekeyed");
    }
  }();
  if (!input.codec->can(Ability::rekey))
    throw Error(
        Errc::unknown_format,
        fmt::format(
            "is in the format {}, which cannot be given another secret: decrypt it, and encrypt it again",
            input.codec->name));
  observer.begin(*input.codec);
  return input;
}

// How far the evidence goes, and what to do.
std::string weakness(const RunSecret& secret, double bits) {
  const std::string doubt = secret.doubt();
  const std::string check = "check the result" + (doubt.empty() ? "" : "; " + doubt);
  if (bits < 1)
    return fmt::format("nothing tells a right {} from a wrong one here; {}", secret.kind_name(), check);
  return fmt::format("one wrong {} in {:.0f} would look right too; {}", secret.kind_name(), std::exp2(bits),
                     check);
}

}  // namespace

std::string encrypt(const CipherRequest& request, RunSecret& secret, const Share& share,
                    std::unique_ptr<stream::Source> source, stream::Sink& sink) {
  FileObserver observer(secret, share);
  if (request.lines) return encrypt_lines(request, observer, share, *source, sink);
  return seal(std::move(source), sink, observer, request.to_seal(share));
}

format::Opened decrypt(const CipherRequest& request, RunSecret& secret, const Share& share,
                       std::unique_ptr<stream::Source> source, stream::Sink& sink,
                       const DecryptOptions& options) {
  FileObserver observer(secret, share, options);
  observer.names_salvage = !request.salvage && !request.lines;
  OpenOptions with = request.to_open(share);
  with.name = options.input;
  if (request.codec != nullptr && !request.text && !request.lines)
    if (const Codec* seen = known_by_magic(*source);
        seen != nullptr && seen != request.codec && !has_files_without_header(*seen))
      observer.looks_like(seen);
  if (request.text && request.text->encoding == format::TextEncoding::hex)
    observer.length_hint = "; for a number of Java's BigInteger give --signed-hex instead of --hex";
  format::LinesReport unread;
  return observer.watch([&] {
    if (request.lines)
      return decrypt_lines(request, observer, share, *source, sink,
                           options.lines != nullptr ? *options.lines : unread);
    return open(require_one_message(request, observer, std::move(source)), sink, observer, with);
  });
}

void say_done(const Task& task, std::string_view parameters, const Share& share) {
  say_detail(fmt::format("{} -> {}: {}, {}", input_title(task.input), output_title(task.output), parameters,
                         share.engine.name()));
}

void report_findings(const std::string& input, const RunSecret& secret, const format::Opened& opened) {
  const auto note = [&](std::string_view text) { say_note(fmt::format("{}: {}", input_title(input), text)); };
  if (!opened.authenticated)
    say_note_once(
        opened.checked
            ? "a checksum found no damage, but nothing is authenticated: deliberate changes can go unseen"
            : "this format has no authentication: damage can go unseen");
  if (opened.by_trial) note(fmt::format("matches {}", opened.parameters));
  if (!format::is_sufficient(opened.evidence)) note(weakness(secret, opened.evidence.bits));
  for (const std::string& text : opened.notes) note(text);
}

format::Opened open_tree(const Task& task, const CipherRequest& request, RunSecret& secret,
                         const Share& share, stream::TreeSink& sink, int& worst) {
  if (request.text || request.lines)
    refuse("is a directory: --openssl, --base64, --hex, --lines, --csv and --match are for files");
  TreeObserver observer(task, request, secret, share, worst);
  const auto source = stream::open_tree(*task.found_in, share.threads);
  const format::Opened opened =
      observer.watch([&] { return open(*source, sink, observer, request.to_open(share)); });
  report_findings(task.input, secret, opened);
  return opened;
}

void compare_content(const CipherRequest& request, RunSecret& secret, const Share& share,
                     std::unique_ptr<stream::Source> encrypted, std::unique_ptr<stream::Source> plain) {
  const std::unique_ptr<stream::Sink> same = stream::compare_with(std::move(plain));
  Share uncounted = share;
  uncounted.counters = nullptr;
  decrypt(request, secret, uncounted, std::move(encrypted), *same);
}

Identified identified(std::string_view file, std::unique_ptr<stream::Source> source) {
  RunSecret none{SecretQuestion()};
  FileObserver observer(none);
  try {
    return identify(std::move(source), observer);
  } catch (const NotRecognised& error) {
    throw Error(
        error.code(),
        error.text() +
            how_to_go_on(
                file,
                "; fugu formats lists the formats, and fugu guess --key file:K FILE finds out which fits"));
  }
}

format::FilePlan plan_encryption(const CipherRequest& request, RunSecret& secret,
                                 const stream::Source& source) {
  const Codec& codec = *request.codec;
  require_parts(codec);
  const format::OptionValues options = option_values(codec, request.options, OptionUse::seal);
  FileObserver observer(secret);
  observer.begin(codec);
  const auto bytes = source.size_bytes();
  if (!bytes) refuse("is not a regular file: it cannot be worked on in parts");
  return {&codec, codec.units->plan_seal(*bytes, {options, observer.ask(codec)})};
}

format::FilePlan plan_decryption(const CipherRequest& request, RunSecret& secret, const Share& share,
                                 stream::Source& source, format::Opened& opened) {
  FileObserver observer(secret, share);
  const Identified input =
      observer.watch([&] { return identify(stream::borrow(source), observer, request.to_open(share)); });
  require_parts(*input.codec);
  if (request.salvage) refuse("--salvage works in one process only: use fugu");
  if (input.encoding != format::TextEncoding::binary)
    refuse("is text: it cannot be worked on in parts; use fugu");
  check_secret_kind(*input.codec, secret.kind(), OptionUse::open);
  observer.begin(*input.codec);
  const std::unique_ptr<stream::Sink> nowhere = stream::discard();
  return observer.watch([&]() -> format::FilePlan {
    return {input.codec,
            input.codec->units->plan_open(
                {share.engine, *input.source, *nowhere, share.chunk_bytes},
                {input.options, observer.ask(*input.codec), request.accept_weak_evidence}, opened)};
  });
}

void check_rekey(const CipherRequest& request, RunSecret& secret, const Share& share,
                 std::unique_ptr<stream::Source> source) {
  FileObserver observer(secret);
  const Identified input = identify_for_rekey(request, observer, share, std::move(source));
  static_cast<void>(observer.watch([&] { return input.codec->describe(*input.source, input.options); }));
}

std::optional<Error> rekey(const CipherRequest& request, RunSecret& secret, RunSecret& new_secret,
                           const Share& share, std::unique_ptr<stream::Source> source, stream::Sink& sink) {
  FileObserver observer(secret, share);
  FileObserver next(new_secret);
  const Identified input = identify_for_rekey(request, observer, share, std::move(source));
  return observer.watch([&] {
    return input.codec->rekey({share.engine, *input.source, sink, share.chunk_bytes, share.counters},
                              {input.options, observer.ask(*input.codec)}, next.ask(*input.codec));
  });
}

}  // namespace fugu::cli
