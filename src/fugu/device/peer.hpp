// Device memory that processes of one machine share: one exports memory of its GPU, and the others' GPUs copy
// to and from it, by the functions of buffer.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "fugu/device/context.hpp"
#include "fugu/export.hpp"

namespace fugu::device {

// Names exported memory to another process.
struct ExportHandle {
  std::array<std::byte, 64> bytes;
};

// Memory of this process's GPU. Not for secrets: it is freed without a wipe.
class FUGU_EXPORT ExportedMemory {
 public:
  ExportedMemory() = default;
  // Zeroed by `stream`. Throws Error{engine} when the device is out of memory or exports none.
  ExportedMemory(const Stream& stream, std::size_t bytes);
  ExportedMemory(ExportedMemory&& other) noexcept;
  ExportedMemory& operator=(ExportedMemory&& other) noexcept;
  ~ExportedMemory();

  std::byte* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }
  const ExportHandle& handle() const noexcept { return handle_; }

 private:
  std::shared_ptr<detail::ContextState> context_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  ExportHandle handle_{};
};

// Memory exported by another process, which must not free it while this lives.
class FUGU_EXPORT ImportedMemory {
 public:
  // Throws Error{engine} when the context's GPU cannot reach that memory.
  ImportedMemory(const Context& context, const ExportHandle& handle);
  ImportedMemory(ImportedMemory&& other) noexcept;
  ImportedMemory& operator=(ImportedMemory&&) = delete;
  ~ImportedMemory();

  std::byte* data() const noexcept { return data_; }

 private:
  std::shared_ptr<detail::ContextState> context_;
  std::byte* data_ = nullptr;
};

}  // namespace fugu::device
