#include "cli/cipher/tree.hpp"

#include <fmt/format.h>

#include "cli/cipher/findings.hpp"
#include "cli/cipher/transfer.hpp"
#include "cli/process/console.hpp"
#include "cli/process/exit_status.hpp"
#include "fugu/error.hpp"

namespace fugu::cli {

format::Opened open_tree(const Task& task, const CipherRequest& request, RunSecret& secret,
                         const CipherRun& run, stream::TreeSink& sink, unsigned threads, int& worst) {
  const auto failed = [&](const std::string& part, const Error& error) {
    const std::string_view state = error.code() == Errc::damaged ? "; left out" : "";
    say(fmt::format("{}: {}: {}{}", input_title(task.input), printable(part), error.text(), state));
    worst = worse(worst, exit_status(error.code()));
  };
  const auto source = stream::open_tree(*task.found_in, threads);
  const format::Opened opened = decrypt_tree(request, secret, run, *source, sink, failed);
  tell_findings(task.input, secret, opened);
  return opened;
}

namespace {

// Beside a container that a walk has found, or where the user says.
std::unique_ptr<stream::TreeSink> output_tree(const Task& task, const TreeOptions& options) {
  stream::OutputTreeOptions output{.replace = options.replace, .threads = options.threads};
  if (task.root) {
    output.within = [&task] { return make_output_directory(task)->open(); };
  } else if (task.found_in->parent()) {
    output.within = [&task] { return task.found_in->parent()->open(); };
  }
  return stream::output_tree(output.within ? file_name(task.output) : task.output, output);
}

}  // namespace

int decrypt_tree(const Task& task, const CipherRequest& request, RunSecret& secret, const CipherRun& run,
                 const TreeOptions& options) {
  int worst = kSuccess;
  try {
    const auto sink = output_tree(task, options);
    const format::Opened opened = open_tree(task, request, secret, run, *sink, options.threads, worst);
    say_detail(fmt::format("{} -> {}: {}, {}", input_title(task.input), output_title(task.output),
                           opened.parameters, run.engine.ran_on()));
    return worst;
  } catch (const RunFailure&) {
    throw;
  } catch (...) {
    return report_failure(task.input, [&] {
      const Error error = current_failure();
      const std::string_view state = error.code() == Errc::wrong_key ? "; nothing was written" : "";
      say(fmt::format("{}: {}{}", input_title(task.input), error.text(), state));
      return worse(worst, exit_status(error.code()));
    });
  }
}

}  // namespace fugu::cli
