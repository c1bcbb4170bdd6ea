// The subcommands that write nothing: fugu verify decrypts and discards the output; fugu info describes a
// file without a key; fugu guess tries recipes on data without a header, and prints the commands that open
// it.
#include <fmt/ranges.h>

#include "cli/cipher/run.hpp"
#include "cli/commands.hpp"
#include "cli/files/batch.hpp"
#include "cli/files/transfer.hpp"
#include "fugu/format/guess/guess.hpp"
#include "measure/openssl_stream.hpp"

namespace fugu::cli {
namespace {

// Counts what a directory would hold.
class CountingTree final : public stream::TreeSink {
 public:
  void make_directory(const stream::TreePath&, const stream::FileAttributes&) override {}
  void make_file(const stream::TreePath&, const std::optional<stream::FileAttributes>&,
                 const std::function<void(stream::Sink&)>& write) override {
    const auto nowhere = stream::discard();
    Counting sink(*nowhere);
    write(sink);
    bytes_ += sink.bytes();
    ++files_;
  }
  void make_link(const stream::TreePath&, const std::string&) override {}

  std::uint64_t files() const { return files_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t files_ = 0;
  std::uint64_t bytes_ = 0;
};

// Compares every chunk's plaintext with that of OpenSSL's Blowfish for the same ciphertext.
class ReferenceCheck final : public format::Watcher {
 public:
  ~ReferenceCheck() override { core::wipe(expected_.data(), expected_.size()); }

  // Throws Error{usage} for settings without a counterpart in OpenSSL: cfb8, little-endian words, a
  // little-endian counter.
  void begin(const mode::Settings& settings, std::span<const std::byte> key) override {
    with_context("--openssl cannot check this",
                 [&] { reference_.emplace(settings, core::Direction::decrypt, key); });
  }

  // Throws Error{mismatch} with the offset of the first byte that differs.
  void chunk(std::span<const std::byte> ciphertext, std::span<const std::byte> plaintext) override {
    expected_.resize(ciphertext.size());
    reference_->process(ciphertext, expected_);
    const auto differs = std::ranges::mismatch(plaintext, expected_);
    if (differs.in1 != plaintext.end()) {
      offset_ += static_cast<std::uint64_t>(differs.in1 - plaintext.begin());
      throw Error(Errc::mismatch,
                  fmt::format("OpenSSL's Blowfish gives a different plaintext at byte {}", offset_));
    }
    offset_ += plaintext.size();
  }

 private:
  std::optional<OpensslStream> reference_;
  std::vector<std::byte> expected_;  // plaintext: wiped
  std::uint64_t offset_ = 0;
};

class Verifier {
 public:
  Verifier(const CipherRequest& request, RunSecret& secret, const Arguments& arguments)
      : request_(request),
        secret_(secret),
        against_(arguments.value("against")),
        openssl_(arguments.has("openssl")),
        json_(arguments.has("json")) {}

  int work(const Task& task, const Share& share, nlohmann::ordered_json& row) const {
    row["file"] = task.input;
    try {
      const auto once = [&] {
        return task.is_tree ? verify_tree(task, share, row) : verify(task, share, row);
      };
      return can_be_reopened(task) ? with_answers(secret_, task.input, once) : once();
    } catch (const ReaderGone&) {
      throw;
    } catch (const RunFailure&) {
      throw;
    } catch (...) {
      const Error error = current_failure();
      row["ok"] = false;
      row["error"] = error.text();
      return say_failure(input_title(task.input), error);
    }
  }

 private:
  std::unique_ptr<stream::Sink> sink() const {
    if (!against_) return stream::discard();
    return with_context(fmt::format("--against {}", *against_),
                        [&] { return stream::compare_with(stream::open_file(*against_)); });
  }

  // Returns the exit status: messages that do not open have been reported by then.
  int verify(const Task& task, const Share& share, nlohmann::ordered_json& row) const {
    const std::string& input = task.input;
    const auto target = sink();
    Counting plaintext(*target);
    ReferenceCheck check;
    format::LinesReport lines;
    const format::Opened found =
        decrypt(request_, secret_, share, open_input(input, share.threads, task.found_in), plaintext,
                {.input = input, .watcher = openssl_ ? &check : nullptr, .lines = &lines});
    report_findings(input, secret_, found);
    say_detail(fmt::format("{}: {}, {}", input_title(input), found.parameters, share.engine.name()));
    row.update({{"ok", lines.left == 0},
                {"plaintext_bytes", plaintext.bytes()},
                {"parameters", found.parameters},
                {"authenticated", found.authenticated},
                {"openssl_agrees", openssl_ ? nlohmann::ordered_json(true) : nlohmann::ordered_json()}});
    if (request_.lines) add_to_row(row, request_, lines);
    const int status = report_left(input, request_, lines, "");
    if (json_) return status;
    write_text(fmt::format(
        "{}: {} of plaintext, {}{}{}{}\n", printable(input_title(input)), counted(plaintext.bytes(), "byte"),
        request_.lines ? count_text(request_, lines) + ", " : "", printable(found.parameters),
        against_ ? ", same as " + printable(*against_) : std::string(), openssl_ ? ", OpenSSL agrees" : ""));
    return status;
  }

  // Returns the exit status: parts that cannot be opened have been reported by then.
  int verify_tree(const Task& task, const Share& share, nlohmann::ordered_json& row) const {
    if (against_ || openssl_) refuse("is a directory: --against and --openssl are for files");
    int worst = kSuccess;
    CountingTree tree;
    const format::Opened found = open_tree(task, request_, secret_, share, tree, worst);
    row.update({{"ok", worst == kSuccess},
                {"files", tree.files()},
                {"plaintext_bytes", tree.bytes()},
                {"parameters", found.parameters},
                {"authenticated", found.authenticated}});
    if (!json_)
      write_text(fmt::format("{}: {}, {} of plaintext, {}\n", printable(input_title(task.input)),
                             counted(tree.files(), "file"), counted(tree.bytes(), "byte"),
                             printable(found.parameters)));
    return worst;
  }

  const CipherRequest& request_;
  RunSecret& secret_;
  std::optional<std::string> against_;
  bool openssl_;
  bool json_;
};

using format::Description;
using format::DescriptionField;
using format::TextEncoding;

struct Info {
  const format::Codec* codec = nullptr;
  TextEncoding encoding = TextEncoding::binary;
  Description description;
};

Info describe_tree(const stream::WalkedDirectory& top) {
  const auto directory = stream::open_tree(top);
  const format::Codec* const codec = &identify(*directory);
  const auto head = format::open_tree_head(*directory, *codec);
  return {codec, TextEncoding::binary, codec->describe(*head, format::OptionValues(codec->options))};
}

Info describe(const Task& file) {
  if (file.problem) throw Error(*file.problem);
  if (file.is_tree) return describe_tree(*file.found_in);
  const Identified input = identified(file.input, open_input(file.input, 1, file.found_in));
  return {input.codec, input.encoding, input.codec->describe(*input.source, input.options)};
}

std::string text(const std::string& name, const Info& info) {
  const bool tells_encoding = info.description.often_text || info.encoding != TextEncoding::binary;
  // A file's own text may hold anything: it must not control the terminal.
  std::string lines =
      fmt::format("{}: {}{}\n", printable(input_title(name)), printable(info.description.title),
                  tells_encoding ? fmt::format(", {}", name_of(info.encoding)) : "");
  for (const DescriptionField& field : info.description.fields) {
    if (!field.label.empty()) lines += fmt::format("  {}: {}\n", field.label, printable(field.text));
  }
  return lines;
}

nlohmann::ordered_json json_value(const DescriptionField::Value& value) {
  return std::visit(
      [](const auto& held) -> nlohmann::ordered_json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          return nullptr;
        } else {
          return held;
        }
      },
      value);
}

void add(nlohmann::ordered_json& row, const Info& info) {
  row["format"] = info.codec->name;
  row["encoding"] = name_of(info.encoding);
  for (const DescriptionField& field : info.description.fields)
    if (!field.key.empty()) row[field.key] = json_value(field.value);
}

using format::Fit;
using format::Fits;
using format::SecretKind;

constexpr double kMaxBits = 1000;  // more bits would say nothing more
constexpr std::string_view kPlain = "/._-:=,+@%";

// One word of a POSIX shell's command line. What must not reach a terminal is escaped by printf, whose output
// a shell takes without the line ends at its end, and by bash's quotes, which not every shell has, only
// there.
std::string shell_word(const std::string& text) {
  const bool is_plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kPlain.find(c) != std::string_view::npos;
  });
  if (is_plain) return text;
  if (printable(text) != text) {
    std::string escaped;
    for (const char c : text)
      escaped += c >= ' ' && c < 0x7f && c != '\'' && c != '\\' && c != '%'
                     ? std::string(1, c)
                     : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    return text.ends_with('\n') ? "$'" + escaped + "'" : "\"$(printf '" + escaped + "')\"";
  }
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

struct GuessQuestion {
  std::string file;
  SecretQuestion secret;
  std::string place;  // of the secret, as the user named it
  format::GuessGiven given;
};

GuessQuestion guess_question(const Arguments& arguments) {
  GuessQuestion asked;
  asked.file = arguments.operands().empty() ? std::string(kStandardStream) : arguments.operands().front();
  asked.place = arguments.value(arguments.has("key") ? "key" : "pass").value_or("");
  if (asked.place.empty()) refuse("give the key (--key) or passphrase (--pass) to guess with");
  asked.secret.source = arguments.has("key") ? key_source(arguments) : passphrase_source(arguments);
  asked.secret.kind = arguments.has("key") ? SecretKind::key : SecretKind::passphrase;
  asked.secret.max_key_bytes = format::kMaxPassphraseBytes;
  const auto most = std::numeric_limits<std::uint64_t>::max();
  asked.given.iv = arguments.value("iv").value_or("");
  asked.given.skip = number_value(arguments, "skip", 0, most, 0);
  if (arguments.has("length")) asked.given.length = number_value(arguments, "length", 0, most, most);
  if (const auto salt = arguments.value("salt")) {
    asked.given.salt.resize(8);
    if (!format::parse_hex(*salt, asked.given.salt)) refuse("--salt takes 16 hexadecimal digits");
  }
  return asked;
}

std::string command(const GuessQuestion& asked, const std::string& options) {
  const std::string secret =
      (asked.secret.kind == SecretKind::key ? "--key " : "--pass ") + shell_word(asked.place);
  const bool like_option = asked.file.starts_with('-') && asked.file != kStandardStream;
  return fmt::format("fugu decrypt {} {} {}{}", options, secret, like_option ? "./" : "",
                     shell_word(asked.file));
}

std::string fits_text(const GuessQuestion& asked, const Fits& fits) {
  std::string lines = fmt::format("{}: {} recipes tried\n", printable(input_title(asked.file)), fits.tried);
  for (std::size_t i = 0; i < fits.best.size(); ++i) {
    const Fit& fit = fits.best[i];
    lines += fmt::format("{:2}. {}\n    ", i + 1, printable(command(asked, fit.options)));
    if (fit.plaintext_bytes)
      lines += fmt::format("{} of plaintext, {} of padding; ", counted(*fit.plaintext_bytes, "byte"),
                           fit.padding_bytes);
    lines += fmt::format("as good by chance: once in 2^{:.0f}\n", std::min(fit.bits, kMaxBits));
    if (!fit.remark.empty()) lines += fmt::format("    {}\n", fit.remark);
    if (!fit.same.empty()) lines += fmt::format("    the same plaintext: {}\n", fmt::join(fit.same, "; "));
  }
  if (fits.close > 1)
    lines += fmt::format("the first {} are about equally likely, and give different bytes\n", fits.close);
  return lines + fmt::format("not tried: {}\n", fmt::join(fits.not_tried, "; "));
}

nlohmann::ordered_json fits_json(const GuessQuestion& asked, const Fits& fits) {
  auto rows = nlohmann::ordered_json::array();
  for (const Fit& fit : fits.best) {
    nlohmann::ordered_json row{{"command", command(asked, fit.options)},
                               {"options", fit.options},
                               {"bits", std::min(fit.bits, kMaxBits)},
                               {"plaintext_bytes", nullptr},
                               {"padding_bytes", fit.padding_bytes},
                               {"remark", fit.remark},
                               {"same", fit.same}};
    if (fit.plaintext_bytes) row["plaintext_bytes"] = *fit.plaintext_bytes;
    rows.push_back(std::move(row));
  }
  return {{"version", kJsonVersion}, {"file", asked.file},         {"tried", fits.tried},
          {"close", fits.close},     {"recipes", std::move(rows)}, {"not_tried", fits.not_tried}};
}

Fits guess_file(const GuessQuestion& asked, RunSecret& secret) {
  try {
    const auto source = open_input(asked.file);
    const format::Codec* const codec = known_by_magic(*source);
    if (codec != nullptr && !has_files_without_header(*codec))
      throw Error(
          Errc::unknown_format,
          fmt::format("is in the format {}, which fugu decrypt opens; guess is for files without a header",
                      codec->name));
    return format::guess(*source, asked.secret.kind, secret.bytes(), asked.given);
  } catch (Error& error) {
    if (error.code() != Errc::usage) error.add_context(input_title(asked.file));
    throw;
  }
}

}  // namespace

int run_verify(const Arguments& arguments) {
  const CipherRequest request = cipher_request(arguments, core::Direction::decrypt);
  const FilesRequest files = files_request(arguments, request.secret.source);
  const std::vector<Task> inputs = encrypted_inputs(files);
  if (arguments.has("against") && inputs.size() > 1)
    refuse("--against names one plaintext, but {} files are given", inputs.size());
  Batch batch(files, inputs, false);
  RunSecret secret(batch.empty() ? SecretQuestion() : request.secret);
  const Verifier verifier(request, secret, arguments);
  const int status = batch.run([&](const Task& task, const Share& share,
                                   nlohmann::ordered_json& row) { return verifier.work(task, share, row); },
                               "verified");
  if (arguments.has("json")) batch.print_rows();
  return status;
}

int run_info(const Arguments& arguments) {
  int status = kSuccess;
  const bool json = arguments.has("json");
  auto rows = nlohmann::ordered_json::array();
  for (const Task& file : encrypted_inputs(files_request(arguments))) {
    nlohmann::ordered_json row{{"file", file.input}};
    try {
      const Info info = describe(file);
      add(row, info);
      if (!json) write_text(text(file.input, info));
      say_detail(fmt::format("{}: {}: {}; fugu formats {} says more", input_title(file.input),
                             info.codec->name, info.codec->summary, info.codec->name));
    } catch (const ReaderGone&) {
      throw;
    } catch (const Error& error) {
      row["error"] = error.text();
      status = worse(status, say_failure(input_title(file.input), error));
    }
    rows.push_back(std::move(row));
  }
  if (json) write_result(json_text({{"version", kJsonVersion}, {"files", std::move(rows)}}));
  return status;
}

int run_guess(const Arguments& arguments) {
  const GuessQuestion asked = guess_question(arguments);
  RunSecret secret(asked.secret);
  const auto begin = std::chrono::steady_clock::now();
  const Fits fits = guess_file(asked, secret);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  say_detail(fmt::format("{}: {} recipes in {:.1f} s", input_title(asked.file), fits.tried, elapsed.count()));
  if (arguments.has("json")) write_result(json_text(fits_json(asked, fits)));
  if (!fits.best.empty() && !arguments.has("json"))
    write_result(spelled(fits_text(asked, fits), Spelling::program));
  if (!fits.best.empty()) return kSuccess;
  if (fits.tried == 0)
    throw Error(Errc::unknown_format,
                fmt::format("{}: nothing was tried: it has no whole block of 8 bytes{}",
                            input_title(asked.file), asked.given.skip != 0 ? " after --skip" : ""));
  throw Error(
      Errc::wrong_key,
      fmt::format(
          "{}: none of the {} recipes tried fits: the {} is wrong, or something that was not tried fits: {}",
          input_title(asked.file), fits.tried, secret.kind_name(), fmt::join(fits.not_tried, "; ")));
}

}  // namespace fugu::cli
