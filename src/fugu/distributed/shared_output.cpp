#include "fugu/distributed/detail/shared_output.hpp"

namespace fugu::distributed {
namespace {

// Runs `step`, turning its errors into the output's.
template <class Step>
void as_output(Step step) {
  try {
    step();
  } catch (const Error& error) {
    throw OutputError(error.code(), error.text());
  }
}

}  // namespace

SharedOutput::SharedOutput(const Communicator& communicator, const std::string& output,
                           const stream::OutputFileOptions& options)
    : communicator_(communicator) {
  if (output.empty()) return;
  at_root(communicator, [&] {
    as_output([&] {
      stream::OutputFileOptions shared = options;
      shared.shared = true;
      made_ = std::make_unique<stream::OutputFile>(output, shared);
    });
  });
  path_ = broadcast(communicator, made_ ? made_->temporary_path().string() : "");
  together(communicator, [&] {
    if (!made_) foreign_ = std::make_unique<stream::ForeignTemporary>(path_);
  });
  file_.emplace(communicator, path_, SharedFile::Use::write);
}

std::optional<SharedSink> SharedOutput::sink(std::uint64_t offset) const {
  if (!file_) return std::nullopt;
  return std::optional<SharedSink>(std::in_place, *file_, offset);
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
