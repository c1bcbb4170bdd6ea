#include "cli/process/console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <span>

#include "cli/options.hpp"
#include "cli/process/exit_status.hpp"
#include "cli/process/process.hpp"
#include "fugu/error.hpp"
#include "fugu/stream/descriptor.hpp"

namespace fugu::cli {
namespace {

std::atomic<Loudness> loudness = Loudness::normal;
std::mutex error_stream;
bool status_drawn = false;

// One write a line, so that lines of several processes do not mix. There is nowhere to report a failure to.
void show(std::string_view text) noexcept {
  try {
    stream::write_all(STDERR_FILENO, std::as_bytes(std::span(text)));
  } catch (const Error&) {
  }
}

constexpr std::string_view kEraseLine = "\r\x1b[K";

void say_line(std::string_view text) {
  const std::lock_guard lock(error_stream);
  show(fmt::format("{}fugu: {}\n", status_drawn ? kEraseLine : "", text));
  status_drawn = false;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result;
}

std::string input_title(std::string_view name) {
  return name == "-" ? "standard input" : printable(name);
}
std::string output_title(std::string_view name) {
  return name == "-" ? "standard output" : printable(name);
}

void set_loudness(Loudness value) {
  loudness = value;
}

Loudness loudness_of(const Arguments& arguments) {
  refuse_together(arguments, {"quiet", "verbose"});
  if (arguments.has("quiet")) return Loudness::quiet;
  return arguments.has("verbose") ? Loudness::verbose : Loudness::normal;
}

void say(std::string_view text) {
  say_line(text);
}

void say_note(std::string_view text) {
  if (loudness != Loudness::quiet) say_line(text);
}

void say_detail(std::string_view text) {
  if (loudness == Loudness::verbose) say_line(text);
}

void draw_status(std::string_view text) {
  const std::lock_guard lock(error_stream);
  show(fmt::format("{}{}", kEraseLine, text));
  status_drawn = true;
}

void clear_status() {
  const std::lock_guard lock(error_stream);
  if (status_drawn) show(kEraseLine);
  status_drawn = false;
}

void write_result(std::string_view text) {
  try {
    stream::write_all(STDOUT_FILENO, std::as_bytes(std::span(text)));
  } catch (Error& error) {
    if (output_pipe_broken()) throw ReaderGone();
    error.add_context(output_title("-"));
    throw;
  }
}

}  // namespace fugu::cli
