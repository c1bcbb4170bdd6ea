// fugu verify: decrypts and discards the output.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/cipher/lines.hpp"
#include "cli/cipher/run.hpp"
#include "cli/commands.hpp"
#include "cli/files/batch.hpp"
#include "cli/files/transfer.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "cli/process/json.hpp"
#include "fugu/core/wipe.hpp"
#include "fugu/error.hpp"
#include "measure/openssl_stream.hpp"

namespace fugu::cli {
namespace {

// Counts the bytes on their way to `inner`.
class Counting final : public stream::Sink {
 public:
  explicit Counting(std::unique_ptr<Sink> inner) : inner_(std::move(inner)) {}

  void write(std::span<const std::byte> from) override {
    inner_->write(from);
    bytes_ += from.size();
  }
  bool begin_parts(std::uint64_t bytes) override { return inner_->begin_parts(bytes); }
  std::unique_ptr<Sink> part(std::uint64_t offset) override { return inner_->part(offset); }
  void advance(std::uint64_t bytes) override {
    inner_->advance(bytes);
    bytes_ += bytes;
  }
  void finish() override { inner_->finish(); }
  void cancel() noexcept override { inner_->cancel(); }

  std::uint64_t bytes() const { return bytes_; }

 private:
  std::unique_ptr<Sink> inner_;
  std::uint64_t bytes_ = 0;
};

// Counts what a directory would hold.
class CountingTree final : public stream::TreeSink {
 public:
  void make_directory(const stream::TreePath&, const stream::FileAttributes&) override {}
  void make_file(const stream::TreePath&, const std::optional<stream::FileAttributes>&,
                 const std::function<void(stream::Sink&)>& write) override {
    Counting sink(stream::discard());
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
    try {
      reference_.emplace(settings, core::Direction::decrypt, key);
    } catch (Error& error) {
      error.add_context("--openssl cannot check this");
      throw;
    }
  }

  // Throws Error{mismatch} with the offset of the first byte that differs.
  void chunk(std::span<const std::byte> ciphertext, std::span<const std::byte> plaintext) override {
    expected_.resize(ciphertext.size());
    reference_->process(ciphertext, expected_);
    const auto differs = std::ranges::mismatch(plaintext, expected_);
    if (differs.in1 != plaintext.end()) {
      offset_ += static_cast<std::uint64_t>(differs.in1 - plaintext.begin());
      throw Error(Errc::mismatch,
                  fmt::format("OpenSSL's Blowfish gives another plaintext at byte {}", offset_));
    }
    offset_ += plaintext.size();
  }

 private:
  std::optional<OpensslStream> reference_;
  std::vector<std::byte> expected_;  // plaintext: wiped
  std::uint64_t offset_ = 0;
};

struct Checks {
  std::optional<std::string> against;
  bool openssl = false;
  bool json = false;
};

Checks checks(const Arguments& arguments, const std::vector<InputName>& inputs) {
  const Checks result{arguments.value("against"), arguments.has("openssl"), arguments.has("json")};
  if (result.against && inputs.size() > 1) {
    throw Error(Errc::usage,
                fmt::format("--against names one plaintext, but {} files are given", inputs.size()));
  }
  return result;
}

class Verifier {
 public:
  Verifier(const CipherRequest& request, RunSecret& secret, const Checks& checks, std::size_t files)
      : request_(request), secret_(secret), checks_(checks), rows_(files, nlohmann::ordered_json::object()) {}

  // Thread-safe for different files.
  int work(const Task& task, const Share& share, std::size_t index) {
    const std::string& input = task.input;
    nlohmann::ordered_json& row = rows_[index];
    row["file"] = input;
    int status = kSuccess;
    try {
      status = task.is_tree ? verify_tree(task, share, row) : verify(task, share, row);
    } catch (const ReaderGone&) {
      throw;
    } catch (const RunFailure&) {
      throw;
    } catch (...) {
      const Error error = current_failure();
      say(fmt::format("{}: {}", input_title(input), error.text()));
      row["ok"] = false;
      row["error"] = error.text();
      status = exit_status(error.code());
    }
    return status;
  }

  const std::vector<nlohmann::ordered_json>& rows() const { return rows_; }

 private:
  std::unique_ptr<stream::Sink> sink() const {
    if (!checks_.against) return stream::discard();
    try {
      return stream::compare_with(stream::open_file(*checks_.against));
    } catch (Error& error) {
      error.add_context(printable(*checks_.against));
      throw;
    }
  }

  // Returns the exit status: messages that do not open have been reported by then.
  int verify(const Task& task, const Share& share, nlohmann::ordered_json& row) const {
    const std::string& input = task.input;
    Counting plaintext(sink());
    ReferenceCheck check;
    format::LinesReport lines;
    const format::Opened found =
        decrypt(request_, secret_, share, open_input(input, share.threads, task.found_in), plaintext,
                {.input = input, .watcher = checks_.openssl ? &check : nullptr, .lines = &lines});
    report_findings(input, secret_, found);
    say_detail(fmt::format("{}: {}, {}", input_title(input), found.parameters, share.engine.name()));
    row.update(
        {{"ok", lines.left.empty()},
         {"plaintext_bytes", plaintext.bytes()},
         {"parameters", found.parameters},
         {"authenticated", found.authenticated},
         {"openssl_agrees", checks_.openssl ? nlohmann::ordered_json(true) : nlohmann::ordered_json()}});
    if (request_.lines) add_to_row(row, request_, lines);
    const int status = report_left(input, request_, lines, "");
    if (checks_.json) return status;
    write_text(fmt::format("{}: {} bytes of plaintext, {}{}{}{}\n", input_title(input), plaintext.bytes(),
                           request_.lines ? count_text(request_, lines) + ", " : "",
                           printable(found.parameters),
                           checks_.against ? ", same as " + printable(*checks_.against) : std::string(),
                           checks_.openssl ? ", OpenSSL agrees" : ""));
    return status;
  }

  // Returns the exit status: parts that cannot be opened have been reported by then.
  int verify_tree(const Task& task, const Share& share, nlohmann::ordered_json& row) const {
    if (checks_.against || checks_.openssl)
      throw Error(Errc::usage, "is a directory: --against and --openssl are for files");
    int worst = kSuccess;
    CountingTree tree;
    const format::Opened found = open_tree(task, request_, secret_, share, tree, worst);
    row.update({{"ok", worst == kSuccess},
                {"files", tree.files()},
                {"plaintext_bytes", tree.bytes()},
                {"parameters", found.parameters},
                {"authenticated", found.authenticated}});
    if (!checks_.json)
      write_text(fmt::format("{}: {} files, {} bytes of plaintext, {}\n", input_title(task.input),
                             tree.files(), tree.bytes(), printable(found.parameters)));
    return worst;
  }

  const CipherRequest& request_;
  RunSecret& secret_;
  const Checks& checks_;
  std::vector<nlohmann::ordered_json>
      rows_;  // not null, which crashes nlohmann-json 3.11.2 if it cannot become an object
};

}  // namespace

int run_verify(const Arguments& arguments) {
  const CipherRequest request = cipher_request(arguments, core::Direction::decrypt);
  const FilesRequest files = files_request(arguments);
  const std::vector<InputName> inputs = encrypted_inputs(files);
  const Checks what = checks(arguments, inputs);
  std::vector<Task> tasks;
  for (const InputName& input : inputs)
    tasks.push_back(
        {input.name, std::string(kStandardStream), {}, {}, input.problem, input.is_tree, input.directory});
  Batch batch(files, std::move(tasks), false);
  RunSecret secret(batch.empty() ? SecretQuestion() : question(request));
  Verifier verifier(request, secret, what, batch.files());
  const int status = batch.run([&](const Task& task, const Share& share,
                                   std::size_t index) { return verifier.work(task, share, index); },
                               "verified");
  if (what.json) print_rows(verifier.rows(), batch.left_out());
  return status;
}

}  // namespace fugu::cli
