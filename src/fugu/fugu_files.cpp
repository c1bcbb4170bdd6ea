// The library's face on names of files and directories.
#include <filesystem>

#include "fugu/format/codec.hpp"
#include "fugu/fugu_callers.hpp"
#include "fugu/stream/output_file.hpp"
#include "fugu/stream/source.hpp"
#include "fugu/stream/tree.hpp"

namespace fugu {
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

}  // namespace fugu
