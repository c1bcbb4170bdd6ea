// The CPU in the place of a GPU that fails: for ciphers, spectra and S-boxes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "fugu/error.hpp"

namespace fugu::device {

class GpuOrCpu {
 public:
  using Note = std::function<void(const Error&)>;

  // `may_replace`: nobody named the GPU. `note` is called with the failure when it is left out.
  GpuOrCpu(bool may_replace, Note note) : may_replace_(may_replace), note_(std::move(note)) {}

  // The result of work on the GPU; nothing if it failed and the CPU may do it, which it does from then on.
  // Rethrows all other errors.
  template <class Work>
  auto attempt(const Work& work) -> std::optional<decltype(work())> {
    if (left_out_) return std::nullopt;
    try {
      return work();
    } catch (const Error& failure) {
      leave_out(failure);
      return std::nullopt;
    }
  }

  bool is_left_out() const { return left_out_; }

  static std::string text_of(const Error& failure) { return "the GPU is not used: " + failure.text(); }

 private:
  // Or rethrows the current exception.
  void leave_out(const Error& failure) {
    const bool is_of_gpu =
        failure.code() == Errc::engine || failure.code() == Errc::no_device || failure.code() == Errc::memory;
    if (!may_replace_ || !is_of_gpu) throw;
    if (note_) note_(failure);
    left_out_ = true;
  }

  bool may_replace_;
  Note note_;
  bool left_out_ = false;
};

}  // namespace fugu::device
