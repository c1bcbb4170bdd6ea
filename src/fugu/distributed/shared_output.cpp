#include "fugu/distributed/detail/shared_output.hpp"

namespace fugu::distributed {

SharedOutput::SharedOutput(const Communicator& communicator, const std::string& output,
                           const stream::OutputFileOptions& options)
    : communicator_(communicator) {
  if (output.empty()) return;
  at_root(communicator, [&] { as_output([&] { path_ = stream::shared_temporary_path(output); }); });
  path_ = broadcast(communicator, path_);
  together(communicator, [&] {
    if (!communicator.is_root())
      as_output([&] { foreign_ = std::make_unique<stream::ForeignTemporary>(path_); });
  });
  at_root(communicator, [&] {
    as_output([&] {
      stream::OutputFileOptions shared = options;
      shared.shared_as = path_;
      made_ = std::make_unique<stream::OutputFile>(output, shared);
    });
  });
  threads_ = options.threads;
  broadcast(communicator, std::as_writable_bytes(std::span(&threads_, 1)));
  file_.emplace(communicator, path_, SharedFile::Use::write);
}

std::optional<SharedSink> SharedOutput::sink(std::uint64_t offset) const {
  if (!file_) return std::nullopt;
  return std::optional<SharedSink>(std::in_place, *file_, offset);
}

std::optional<SharedSink> SharedOutput::long_sink(std::uint64_t offset, std::uint64_t end) const {
  if (!file_) return std::nullopt;
  const auto ranks = static_cast<unsigned>(communicator_.size());
  std::unique_ptr<stream::OutputPart> in_memory;
  as_output([&] {
    in_memory = stream::OutputPart::open(
        path_, {.begin = offset, .end = end, .threads = threads_, .all_threads = ranks * threads_});
  });
  return std::optional<SharedSink>(std::in_place, *file_, offset, std::move(in_memory));
}

void SharedOutput::commit(std::uint64_t end) {
  if (!file_) return;
  together(communicator_, [&] { file_->sync(); });
  file_.reset();
  std::uint64_t bytes = 0;
  check(MPI_Reduce(&end, &bytes, 1, MPI_UINT64_T, MPI_MAX, 0, communicator_.get()), "MPI_Reduce");
  at_root(communicator_, [&] {
    as_output([&] {
      made_->set_shared_bytes(bytes);
      made_->commit();
    });
  });
}

}  // namespace fugu::distributed
