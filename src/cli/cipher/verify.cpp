// fugu verify: decrypts and discards the output.
#include <fmt/format.h>

#include <algorithm>

#include "cli/cipher/run.hpp"
#include "cli/commands.hpp"
#include "cli/files/batch.hpp"
#include "cli/files/transfer.hpp"
#include "fugu/core/wipe.hpp"
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
    if (against_ || openssl_)
      throw Error(Errc::usage, "is a directory: --against and --openssl are for files");
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

}  // namespace

int run_verify(const Arguments& arguments) {
  const CipherRequest request = cipher_request(arguments, core::Direction::decrypt);
  const FilesRequest files = files_request(arguments, request.secret.source);
  const std::vector<Task> inputs = encrypted_inputs(files);
  if (arguments.has("against") && inputs.size() > 1)
    throw Error(Errc::usage,
                fmt::format("--against names one plaintext, but {} files are given", inputs.size()));
  Batch batch(files, inputs, false);
  RunSecret secret(batch.empty() ? SecretQuestion() : request.secret);
  const Verifier verifier(request, secret, arguments);
  const int status = batch.run([&](const Task& task, const Share& share,
                                   nlohmann::ordered_json& row) { return verifier.work(task, share, row); },
                               "verified");
  if (arguments.has("json")) batch.print_rows();
  return status;
}

}  // namespace fugu::cli
