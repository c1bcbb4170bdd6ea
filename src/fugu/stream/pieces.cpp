#include "fugu/stream/pieces.hpp"

#include <algorithm>
#include <exception>
#include <mutex>

namespace fugu::stream {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

}  // namespace

void for_each_piece(threads::ThreadPool& pool, std::size_t bytes,
                    const std::function<void(std::size_t, std::size_t)>& work) {
  std::mutex mutex;
  std::exception_ptr failure;
  pool.for_each((bytes + kPieceBytes - 1) / kPieceBytes, [&](std::size_t i) noexcept {
    try {
      work(i * kPieceBytes, std::min(kPieceBytes, bytes - i * kPieceBytes));
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace fugu::stream
