// Device memory that processes of one machine share: one exports memory of its GPU, and the others' GPUs copy
// to and from it, by the functions of buffer.hpp.
#pragma once

#include <array>

#include "fugu/device/context.hpp"

namespace fugu::device {

// Names exported memory to another process.
struct ExportHandle {
  std::array<std::byte, 64> bytes;
};

// Memory of this process's GPU. Not for secrets: it is freed without a wipe.
class ExportedMemory {
 public:
  ExportedMemory() = default;
  // Zeroed by `stream`. Throws Error{engine} when the device is out of memory or exports none.
  FUGU_EXPORT ExportedMemory(const Stream& stream, std::size_t bytes);

  std::byte* data() const noexcept { return data_.get(); }
  std::size_t bytes() const noexcept { return data_ ? data_.get_deleter().bytes : 0; }
  const ExportHandle& handle() const noexcept { return handle_; }

 private:
  struct Free {
    std::shared_ptr<detail::ContextState> context;
    std::size_t bytes;
    FUGU_EXPORT void operator()(std::byte* data) const noexcept;
  };
  std::unique_ptr<std::byte, Free> data_;
  ExportHandle handle_{};
};

// Memory exported by another process, which must not free it while this lives.
class ImportedMemory {
 public:
  // Throws Error{engine} when the context's GPU cannot reach that memory.
  FUGU_EXPORT ImportedMemory(const Context& context, const ExportHandle& handle);

  std::byte* data() const noexcept { return data_.get(); }

 private:
  struct Close {
    std::shared_ptr<detail::ContextState> context;
    FUGU_EXPORT void operator()(std::byte* data) const noexcept;
  };
  std::unique_ptr<std::byte, Close> data_;
};

}  // namespace fugu::device
